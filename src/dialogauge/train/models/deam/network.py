"""The readers of DEAM: layers that attend over the tokens of a whole conversation.

Who speaks, and how many turns lie between, is a number added to what a token asks of another (one
for each head, learnt). Of a *flat* reader these are all layers of an encoder, from the words on; of
a *joint* one the upper layers, where the lower ones read each utterance by itself, once, and stay
as they are, which is cheaper (both are compared by ``dialogauge reproduce deam --retrain``).

What the encoder makes of a turn by itself, its sentence vector, is added to each of its tokens.
Three heads read the top: is a *token* changed, is a *turn* broken, and of what *cause*. Beside the
top the turn's head sees what tells a foreign turn soonest, sentence vectors: small layers attend
over those of all turns (:class:`_Talk`). And it sees plain evidence: how near a turn is to those
around it, and how much of it was said before (``metrics/deam.py: copies``).
"""

from typing import Any, Literal

import msgspec
import torch
from torch import Tensor, nn

from ...backbone import first_place, room, tunable
from ...recipe import Count, Share

#: Turns that lie further apart count alike.
_FAR = (1, 2, 3, 5, 9)
_DISTANCES = 2 * len(_FAR) + 1
#: Numbers that :func:`_evidence` gives of a turn.
_EVIDENCE = 5
#: Cosines of turns are mostly near this, and differ by about one over that.
_USUAL, _SCALE = 0.3, 5.0
#: Numbers that are counted of a turn before the network sees it.
_COUNTED = 2
#: Units between the plain evidence and what it says.
_PLAIN = 64
#: Width, heads and number of the layers over sentence vectors.
_SMALL, _HEADS, _LAYERS = 192, 6, 2


class Shape(msgspec.Struct, frozen=True):
    """How the reader looks; of a flat one only the last counts."""

    kind: Literal["joint", "flat"] = "joint"
    below: Count = 3  # layers that read each utterance by itself, and stay as they are; 0: all
    above: Count = 3  # layers that read all together; they begin as the encoder's last
    dropout: Share = 0.1


class Joint(nn.Module):
    """The upper layers and the heads: states of tokens in, logits out."""

    def __init__(self, layers: list[nn.Module], config: Any, causes: int, shape: Shape) -> None:
        super().__init__()
        width, heads = config.hidden_size, config.num_attention_heads
        self.layers = nn.ModuleList(layers)
        self.sentence = nn.Linear(width, width)
        nn.init.zeros_(self.sentence.weight)
        self.near = nn.Parameter(torch.zeros(len(layers), 2, _DISTANCES, heads))
        self.token = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1))
        self.turn = nn.Sequential(
            nn.Linear(2 * width + _EVIDENCE + _COUNTED + 1 + _SMALL, width),
            nn.GELU(),
            nn.Dropout(shape.dropout),
        )
        self.broken, self.cause = nn.Linear(width, 1), nn.Linear(width, causes)
        self.talk, self.beside = _Talk(width, shape.dropout), nn.Linear(_SMALL, 1 + causes)
        # What is plain has a way of its own, or it drowns in hundreds of other numbers.
        plain = _EVIDENCE + _COUNTED
        self.plain = nn.Sequential(
            nn.Linear(plain, _PLAIN), nn.GELU(), nn.Linear(_PLAIN, 1 + causes)
        )

    @property
    def pretrained(self) -> list[nn.Module]:
        """What does not begin random."""
        return [self.layers]

    def forward(
        self, states: Tensor, sentences: Tensor, owner: Tensor, speakers: Tensor, counted: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Logits of changed tokens, of broken turns, and of causes.

        ``states`` (rows, tokens, width); ``sentences`` (rows, turns, width); ``owner`` (rows,
        tokens), the number of the turn that a token belongs to, -1 of none; ``speakers`` (rows,
        turns); ``counted`` (rows, turns, 2) -> (rows, tokens), (rows, turns), (rows, turns,
        causes).
        """
        belongs = _belonging(owner, speakers, states.dtype)
        plain = _evidence(sentences, speakers)
        states = states + belongs @ self.sentence(sentences)
        relation = relations(speakers)  # (rows, turns, turns)
        talk = self.talk(sentences, speakers, relation)
        for at, layer in enumerate(self.layers):
            mask = _spread(self.near[at].flatten(0, 1)[relation], belongs)
            states = _first(layer(states, attention_mask=mask))
        tokens = self.token(states).squeeze(-1)
        loud = tokens[:, :, None] + (belongs - 1) * 1e4  # (rows, tokens, turns)
        loudest = loud.amax(1).clamp(min=-20)
        marked = (loud.softmax(1) * belongs).transpose(1, 2) @ states
        means = belongs.transpose(1, 2) @ states / belongs.sum(1)[:, :, None].clamp(min=1)
        seen = [means, marked, plain, counted, loudest[..., None], talk]
        features = self.turn(torch.cat(seen, -1))
        aside = self.plain(torch.cat([plain, counted], -1)) + self.beside(talk)
        broken = self.broken(features) + aside[..., :1]
        return tokens, broken.squeeze(-1), self.cause(features) + aside[..., 1:]

    def aside(self, sentences: Tensor, speakers: Tensor) -> Tensor:
        """What sentence vectors alone say: logits of broken turns, (rows, turns)."""
        beside: Tensor = self.beside(self.talk(sentences, speakers, relations(speakers)))
        return beside[..., 0]


class _Talk(nn.Module):
    """What the sentence vector of a turn says among those of the others."""

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.enter = nn.Linear(width, _SMALL)
        self.layers = nn.ModuleList([_Layer(dropout) for _ in range(_LAYERS)])
        self.leave = nn.LayerNorm(_SMALL)

    def forward(self, sentences: Tensor, speakers: Tensor, relation: Tensor) -> Tensor:
        """(rows, turns, width), (rows, turns), (rows, turns, turns) -> (rows, turns, small)."""
        unit = sentences / sentences.norm(dim=-1, keepdim=True).clamp(min=1e-6)
        states = self.enter(unit * sentences.shape[-1] ** 0.5)
        closed = (speakers < 0).to(states.dtype)[:, None, None, :] * -1e4
        for layer in self.layers:
            states = layer(states, relation, closed)
        read: Tensor = self.leave(states)
        return read


class _Layer(nn.Module):
    """A small layer of attention between turns; who speaks and how far is told by a table."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.before, self.behind = nn.LayerNorm(_SMALL), nn.LayerNorm(_SMALL)
        self.asked, self.given = nn.Linear(_SMALL, 3 * _SMALL), nn.Linear(_SMALL, _SMALL)
        self.near = nn.Parameter(torch.zeros(2 * _DISTANCES, _HEADS))
        self.wide, self.dropout = nn.Linear(_SMALL, 2 * _SMALL), nn.Dropout(dropout)
        self.narrow = nn.Linear(2 * _SMALL, _SMALL)

    def forward(self, states: Tensor, relation: Tensor, closed: Tensor) -> Tensor:
        """(rows, turns, small), (rows, turns, turns), (rows, 1, 1, turns) -> as the first."""
        split = self.asked(self.before(states)).unflatten(-1, (3, _HEADS, -1))
        query, key, value = split.permute(2, 0, 3, 1, 4)  # (rows, heads, turns, part)
        near = self.near[relation].permute(0, 3, 1, 2)
        asked = query @ key.transpose(2, 3) * query.shape[-1] ** -0.5 + near + closed
        read = (asked.softmax(-1) @ value).transpose(1, 2).flatten(2)
        states = states + self.dropout(self.given(read))
        wide = nn.functional.gelu(self.wide(self.behind(states)))
        return states + self.dropout(self.narrow(wide))


def _first(output: Any) -> Tensor:
    """The states that a layer gives, whichever way its library wraps them."""
    states: Tensor = output[0] if isinstance(output, tuple) else output
    return states


def _belonging(owner: Tensor, speakers: Tensor, dtype: torch.dtype) -> Tensor:
    """1 where a token belongs to a turn: (rows, tokens), (rows, turns) -> (rows, tokens, turns)."""
    turns = torch.arange(speakers.shape[1], device=owner.device)
    return (owner[:, :, None] == turns).to(dtype)


def _spread(between: Tensor, belongs: Tensor) -> Tensor:
    """What is added between turns, between their tokens; to what is no token, nobody attends.

    (rows, turns, turns, heads), (rows, tokens, turns) -> (rows, heads, tokens, tokens)
    """
    of_turns = belongs[:, None]
    open_ = of_turns @ between.permute(0, 3, 1, 2) @ of_turns.transpose(2, 3)
    closed = (1 - belongs.sum(2))[:, None, None, :] * -1e4  # (rows, 1, 1, tokens)
    return open_ + closed.to(open_.dtype)


def relations(speakers: Tensor) -> Tensor:
    """How turn i stands to turn j, as a number: (rows, turns) -> (rows, i, j).

    Whether both are of one speaker, and how far j lies behind or before i.

    >>> relations(torch.tensor([[0, 1, 0]]))[0].tolist()
    [[5, 17, 7], [15, 5, 17], [3, 15, 5]]
    """
    places = torch.arange(speakers.shape[1], device=speakers.device)
    gap = places[None, :] - places[:, None]
    far = sum((gap.abs() >= step).long() for step in _FAR)
    distance = len(_FAR) + torch.sign(gap) * far
    other = (speakers[:, :, None] != speakers[:, None, :]).long()
    return other * _DISTANCES + distance


def _evidence(vectors: Tensor, speakers: Tensor) -> Tensor:
    """How near each turn is to others: (rows, turns, width), (rows, turns) -> (rows, turns, 5).

    The cosines with the turn before and behind; the mean of those with all before; the highest with
    an earlier turn of the same speaker, and of another. About 0 is usual, and 0 what is not there.
    """
    unit = vectors / vectors.norm(dim=-1, keepdim=True).clamp(min=1e-6)
    near = (unit @ unit.transpose(1, 2) - _USUAL) * _SCALE  # (rows, i, j)
    turns = torch.arange(vectors.shape[1], device=vectors.device)
    there = (speakers >= 0).to(vectors.dtype)
    both = there[:, :, None] * there[:, None, :]
    before = (turns[None, :] < turns[:, None]).to(vectors.dtype) * both  # (rows, i, j)
    beside = (turns[None, :] + 1 == turns[:, None]).to(vectors.dtype) * both
    same = (speakers[:, :, None] == speakers[:, None, :]).to(vectors.dtype) * before
    numbers = [
        (near * beside).sum(2),
        (near * beside.transpose(1, 2)).sum(2),
        (near * before).sum(2) / before.sum(2).clamp(min=1),
        _highest(near, same),
        _highest(near, before - same),
    ]
    return torch.stack(numbers, dim=-1)


def _highest(values: Tensor, among: Tensor) -> Tensor:
    """The highest of some values, 0 where there are none: (rows, i, j) twice -> (rows, i)."""
    return (values + (among - 1) * 1e4).amax(2) * among.amax(2)


class Flat(nn.Module):
    """The paper's reader: all utterances in one line, the whole encoder tuned.

    Speakers and turns are told apart as in :class:`Joint`, by one table for all layers. It takes
    the same inputs, but for the numbers of tokens in the place of their states.
    """

    def __init__(self, encoder: nn.Module, causes: int, shape: Shape) -> None:
        super().__init__()
        self.model: Any = tunable(encoder)
        self.near = nn.Parameter(torch.zeros(2 * _DISTANCES, self.model.config.num_attention_heads))
        self.joint = Joint([], self.model.config, causes, shape)

    @property
    def pretrained(self) -> list[nn.Module]:
        """What does not begin random."""
        return [self.model]

    def forward(
        self, ids: Tensor, sentences: Tensor, owner: Tensor, speakers: Tensor, counted: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """As :class:`Joint`; ``ids`` (rows, tokens)."""
        belongs = _belonging(owner, speakers, sentences.dtype)
        mask = _spread(self.near[relations(speakers)], belongs)
        read = self.model(input_ids=ids, attention_mask=mask, position_ids=self._places(ids))
        tokens, turns, causes = self.joint(
            read.last_hidden_state, sentences, owner, speakers, counted
        )
        return tokens, turns, causes

    def aside(self, sentences: Tensor, speakers: Tensor) -> Tensor:
        """As :meth:`Joint.aside`."""
        return self.joint.aside(sentences, speakers)

    def _places(self, ids: Tensor) -> Tensor:
        """Where tokens stand, (1, tokens); all that is too far back stands at the last place."""
        config, places = self.model.config, torch.arange(ids.shape[1], device=ids.device)
        if (last := room(config)) is not None:
            places = first_place(config) + places.clamp(max=last - 1)
        return places[None]


def joint(encoder: Any, causes: int, shape: Shape) -> Joint:
    """What begins as the last layers of an encoder, and reads conversations."""
    layers = tunable(encoder).encoder.layer
    return Joint(list(layers[len(layers) - shape.above :]), encoder.config, causes, shape)


def whole(turns: Tensor, there: Tensor) -> Tensor:
    """The logit that nothing is broken, from those that turns are: (rows, turns) -> (rows,).

    By the mean of the odds, which the worst turn rules: it is the one to learn most about. What is
    scored is the geometric mean of the probabilities, which tells a little more.
    """
    return there.sum(1).log() - torch.logsumexp(turns + (there - 1) * 1e4, dim=1)
