"""DCGEval's network (Li et al. 2024): a text encoder and a graph network that inform each other.

::

    tokens of both ────────► encoder ─► X ┐         ┌─► + x_inter ─► one more layer ─► X̄ ┐
                                          ├─► MLP ──┤                                    ├─► s
    nodes of the graph ────► GCN ─────► H ┘         └─► a text node ─► GCN ───────────► H̄ ┘

Responses to one context are read together: the tokens of the context do not see them, and of a
response each token sees the context and its own response, at its own place behind the context.
The context is thus read once for all of its responses, and the numbers are those of each response
alone. In the layer behind the interaction all tokens of a context and its response see each other.

GRADE (Huang et al. 2020) is text and graph side by side (``concat``), with attention among keywords
(:class:`.graphs.Gat`) in the place of the graph convolution. Its released code is not followed
where it strays from its paper: heads stand side by side in a state, a node attends to its
neighbours and not to pairs, an edge joins the words whose distance it has, each node has
neighbours' vectors of its own, and no edge is dropped when a response is scored.

What the paper leaves open is said where it is decided. Some things are not in it: the likeness of
sentence vectors (:data:`LIKENESS`), which agrees with people before anything is learnt, has a way
of its own to the score (``Shape.likeness``); who speaks is marked at each token, in the place of
[CLS] and [SEP]; and the head sees the mean over the response's tokens beside that over all.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

import msgspec
import torch
from torch import Tensor, nn

from ....cognition.graph import COUNT, Ability
from ....metrics.dcgeval import LIKENESS, MARKS, Graph
from ...backbone import first_place, tunable
from ...recipe import AtLeastOne, Share
from .graphs import Gat, Gcn, looped, symmetric, with_text_node

#: What a cosine counts before anything is learnt.
_PLAIN = 0.2
Interaction = Literal["full", "concat", "mlp", "h", "x", "hx"]


class Shape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the network looks; switches are named as in the paper's Table 2."""

    graph: Graph = "dcg"  # "none": QuantiDCE's text alone
    without: tuple[Ability, ...] = ()  # of the graph; keywords have commonsense alone
    interaction: Interaction = "full"
    likeness: bool = True  # cosines of sentence vectors beside it
    width: AtLeastOne = 160  # of a node's state; the paper's vectors have 300 numbers, ours 100
    dropout: Share = 0.1


class Inputs(NamedTuple):
    """Contexts with their responses, and the graph of each response.

    A row holds the tokens of a context, then those of its responses.
    """

    ids: Tensor  # (rows, tokens)
    marks: Tensor  # (rows, tokens), who speaks and where a turn begins: MARKS
    part: Tensor  # (rows, tokens), 0 of the context, 1 and more of responses, -1 of padding
    place: Tensor  # (rows, tokens), how many tokens stand before it in its response's line
    take: Tensor  # (responses, line), tokens of all rows that a response's line has; -1: none
    likeness: Tensor  # (responses, LIKENESS)
    concepts: Tensor  # (responses, nodes, parts, width)
    codes: Tensor  # (responses, nodes), 0 where there is no node
    links: Tensor  # (responses, nodes, nodes)


class Inside(NamedTuple):
    """What a student learns from its teacher beside the score."""

    states: list[Tensor]
    attentions: list[Tensor]
    nodes: list[Tensor]


class DcgEval(nn.Module):
    """Logits of responses."""

    def __init__(self, encoder: Any, shape: Shape, parts: int, concepts: int) -> None:
        super().__init__()
        self.shape = shape
        self.text = _Text(encoder)
        drawn = shape.graph != "none"
        width, narrow = self.text.width, shape.width if drawn else 0
        self.cognition = _Cognition(shape, parts, concepts) if drawn else None
        self.again = None
        if self.cognition:
            both = width + narrow
            self.inter = nn.Sequential(nn.Linear(both, both), nn.GELU(), nn.Linear(both, both))
            self.again = Gcn(narrow) if shape.interaction == "full" else None
        # All variants see the mean over the response's own tokens beside what is theirs.
        seen = width + {"h": narrow, "x": width}.get(shape.interaction, width + narrow)
        seen = seen if drawn else 2 * width
        half, quarter = max(seen // 2, 8), max(seen // 4, 4)
        self.head = nn.Sequential(
            *(nn.Dropout(shape.dropout), nn.Linear(seen, half), nn.ELU()),
            *(nn.Linear(half, quarter), nn.ELU(), nn.Linear(quarter, 1)),
        )
        if shape.interaction == "mlp":  # two layers, in the place of interaction and head
            self.head = nn.Sequential(
                *(nn.Dropout(shape.dropout), nn.Linear(seen, half)),
                *(nn.ELU(), nn.Linear(half, 1)),
            )
        self.plain = nn.Linear(LIKENESS, 1) if shape.likeness else None
        if self.plain:  # begins as the plain cosines, which agree with people untaught
            self.plain.weight.data = torch.tensor([[_PLAIN, _PLAIN, 0.0, 0.0]])
            self.plain.bias.data.zero_()

    @property
    def pretrained(self) -> list[nn.Module]:
        """What does not begin random."""
        return [self.text.model, self.text.layer_again]

    def forward(self, *inputs: Tensor) -> Tensor:
        """The logit of each response: :class:`Inputs` -> (responses,)."""
        return self.read(Inputs(*inputs))

    def read(self, given: Inputs, inside: Inside | None = None) -> Tensor:
        """The same; ``inside`` is filled with the states on the way."""
        line = self.text(given, inside)
        features = self._features(given, line, inside)
        logit = self.head(features).squeeze(-1)
        if self.plain:
            logit = logit + self.plain(given.likeness).squeeze(-1)
        if self.cognition is None or not self.plain:  # an input that nothing reads is not exported
            logit = logit + 0 * (given.links.sum() + given.codes.sum() + given.concepts.sum())
            logit = logit + 0 * given.likeness.sum()
        return logit

    def _features(self, given: Inputs, line: "_Line", inside: Inside | None) -> Tensor:
        """What the head reads: (responses, numbers)."""
        how = self.shape.interaction
        if self.cognition is None:
            return self.text.again(line, None).summary
        there = (given.codes > 0).to(line.states.dtype)
        nodes = self.cognition(given, there)
        if inside is not None:
            inside.nodes.append(nodes)
        thought, said = _mean(nodes, there), line.mean
        if how in ("concat", "mlp"):
            return torch.cat([line.summary, thought], -1)
        joint = self.inter(torch.cat([thought, said], -1))
        to_graph, to_text = joint[:, : thought.shape[1]], joint[:, thought.shape[1] :]
        if self.again is None:
            own = {"hx": joint, "h": to_graph, "x": to_text}[how]
            return torch.cat([line.answer, own], -1)
        nodes, there, links = with_text_node(nodes, there, given.links, to_graph)
        nodes = self.again(nodes, links)
        if inside is not None:
            inside.nodes.append(nodes)
        text = self.text.again(line, to_text)
        return torch.cat([text.summary, _mean(nodes, there)], -1)


class _Line(NamedTuple):
    """The tokens of a context and one response to it."""

    states: Tensor  # (responses, line, width)
    there: Tensor  # (responses, line)
    answering: Tensor  # (responses, line): those of the response
    closed: Tensor  # what is added to what a token asks of another

    @property
    def mean(self) -> Tensor:
        """X: the mean over all tokens."""
        return _mean(self.states, self.there)

    @property
    def summary(self) -> Tensor:
        """The mean over all tokens, and over the response's alone, which are few of them."""
        return torch.cat([self.mean, self.answer], -1)

    @property
    def answer(self) -> Tensor:
        """The mean over the response's tokens."""
        return _mean(self.states, self.answering)


class _Text(nn.Module):
    """A whole encoder, tuned, and a copy of its last layer behind the interaction."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.model: Any = tunable(encoder)
        self.layer_again: Any = tunable(encoder).encoder.layer[-1]  # int8 knows it by this name
        self.marks = nn.Embedding(MARKS, self.width)
        nn.init.zeros_(self.marks.weight)
        if isinstance(
            bias := getattr(self.model.encoder, "relative_attention_bias", None), nn.Module
        ):
            self.bias: nn.Module | None = bias
        else:
            self.bias = None

    @property
    def width(self) -> int:
        """Of a token's state."""
        return int(self.model.config.hidden_size)

    def forward(self, given: Inputs, inside: Inside | None) -> _Line:
        """The tokens of each response's line."""
        open_ = (given.part[:, None, :] == 0) | (given.part[:, None, :] == given.part[:, :, None])
        there = given.part >= 0
        closed = (~(open_ & there[:, None, :])).to(self.marks.weight.dtype)[:, None] * -1e4
        closed = self._biased(closed, given.place)
        states = self._embedded(given)
        with _watching(self.model, inside):
            for layer in self.model.encoder.layer:
                if inside is not None:
                    inside.states.append(states)
                states = _first(self._layer(layer, states, closed, inside))
        if inside is not None:
            inside.states.append(states)
        return self._lines(given, states)

    def again(self, line: _Line, to_text: Tensor | None) -> _Line:
        """One more layer, each token told what came of the interaction (eq. 11)."""
        states = line.states if to_text is None else line.states + to_text[:, None]
        states = _first(self._layer(self.layer_again, states, line.closed, None))
        return line._replace(states=states)

    def _embedded(self, given: Inputs) -> Tensor:
        """What the encoder's own embeddings give, with who speaks added before the first layer."""
        place = given.place + first_place(self.model.config)
        return self.model.embeddings(input_ids=given.ids, position_ids=place) + self.marks(
            given.marks
        )

    def _layer(self, layer: Any, states: Tensor, closed: Tensor, inside: Inside | None) -> Any:
        if self.bias is not None and inside is not None:  # MPNet tells only if it is asked
            states, attention = layer(states, closed, output_attentions=True)
            inside.attentions.append(attention)
            return states
        return layer(states, attention_mask=closed)

    def _biased(self, closed: Tensor, place: Tensor) -> Tensor:
        """With MPNet's own numbers for how far apart two tokens stand."""
        if self.bias is None:
            return closed
        apart = place[:, None, :] - place[:, :, None]
        bucket = self.model.encoder.relative_position_bucket(
            apart, num_buckets=self.model.config.relative_attention_num_buckets
        )
        return closed + self.bias(bucket).permute(0, 3, 1, 2)

    def _lines(self, given: Inputs, states: Tensor) -> _Line:
        there = (given.take >= 0).to(states.dtype)
        take = given.take.clamp(min=0)
        own = given.part.flatten()[take] > 0
        closed = (1 - there)[:, None, None, :] * -1e4
        closed = closed.expand(-1, 1, take.shape[1], -1)
        closed = self._biased(closed, given.place.flatten()[take])
        lines = states.flatten(0, 1)[take]
        return _Line(lines, there, there * own.to(states.dtype), closed)


class _Cognition(nn.Module):
    """The first graph network, and what it reads of a node."""

    def __init__(self, shape: Shape, parts: int, concepts: int) -> None:
        super().__init__()
        # h = x + W1 e1 + b1 + W2 e2 + b2, node by node, with x brought to the width of a state.
        self.enter = nn.ModuleList([nn.Linear(concepts, shape.width) for _ in range(parts)])
        self.codes = nn.Embedding(COUNT, shape.width, padding_idx=0)
        attending = shape.graph == "keywords"
        self.network = Gat(shape.width) if attending else Gcn(shape.width)
        self.linked: Callable[[Tensor, Tensor], Tensor] = looped if attending else symmetric
        self.dropout = nn.Dropout(shape.dropout)

    def forward(self, given: Inputs, there: Tensor) -> Tensor:
        """(responses, nodes, width)."""
        entered = [enter(given.concepts[:, :, at]) for at, enter in enumerate(self.enter)]
        # What has no word has zeros: a bias of theirs would say something all the same.
        worded = (given.concepts[:, :, 0].abs().amax(-1, keepdim=True) > 0).to(there.dtype)
        states = self.codes(given.codes) + worded * torch.stack(entered).sum(0)
        return self.network(self.dropout(states), self.linked(given.links, there))


def _mean(states: Tensor, there: Tensor) -> Tensor:
    """(rows, things, width), (rows, things) -> (rows, width)."""
    total = (states * there[..., None]).sum(1)
    return total / there.sum(1, keepdim=True).clamp(min=1)


def _first(output: Any) -> Tensor:
    """The states that a layer gives, whichever way its library wraps them."""
    states: Tensor = output[0] if isinstance(output, tuple) else output
    return states


@contextmanager
def _watching(model: nn.Module, inside: Inside | None) -> Iterator[None]:
    """What tokens attend to, from layers that keep it to themselves (BERT's)."""
    if inside is None:
        yield
        return
    attending = [each for each in model.modules() if type(each).__name__ == "BertSelfAttention"]
    hooks = [
        each.register_forward_hook(lambda _, __, output: inside.attentions.append(output[1]))
        for each in attending
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
