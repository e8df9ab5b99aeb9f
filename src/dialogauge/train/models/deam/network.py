"""The reader of DEAM: utterances one by one below, the tokens of the conversation together above.

The lower layers of an encoder read each utterance by itself. The upper ones attend over the tokens
of all utterances; who speaks, and how many turns lie between, is a number added to what a token
asks of another (one for each head, learnt). What the whole encoder makes of a turn, its sentence
vector, is added to each of its tokens. Three heads read the top: is a *token* changed, is a
*turn* broken, and of what *cause*. Beside the top the turn's head sees plain evidence: how near a
turn is to those around it, and how much of it was said before (``metrics/deam.py: copies``).
"""

from copy import deepcopy
from typing import Any, Literal

import msgspec
import torch
from torch import Tensor, nn

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
            nn.Linear(2 * width + _EVIDENCE + _COUNTED + 1, width),
            nn.GELU(),
            nn.Dropout(shape.dropout),
        )
        self.broken, self.cause = nn.Linear(width, 1), nn.Linear(width, causes)
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
        turns = torch.arange(speakers.shape[1], device=owner.device)
        belongs = (owner[:, :, None] == turns).to(states.dtype)  # (rows, tokens, turns)
        plain = _evidence(sentences, speakers)
        states = states + belongs @ self.sentence(sentences)
        relation = relations(speakers)  # (rows, turns, turns)
        closed = (1 - belongs.sum(2))[:, None, None, :] * -1e4  # (rows, 1, 1, tokens)
        for at, layer in enumerate(self.layers):
            between = self.near[at].flatten(0, 1)[relation].permute(0, 3, 1, 2)
            spread = belongs[:, None] @ between @ belongs[:, None].transpose(2, 3)
            states = _first(layer(states, attention_mask=spread + closed))
        tokens = self.token(states).squeeze(-1)
        loud = tokens[:, :, None] + (belongs - 1) * 1e4  # (rows, tokens, turns)
        loudest = loud.amax(1).clamp(min=-20)
        marked = (loud.softmax(1) * belongs).transpose(1, 2) @ states
        means = belongs.transpose(1, 2) @ states / belongs.sum(1)[:, :, None].clamp(min=1)
        features = self.turn(torch.cat([means, marked, plain, counted, loudest[..., None]], -1))
        aside = self.plain(torch.cat([plain, counted], -1))
        broken = self.broken(features) + aside[..., :1]
        return tokens, broken.squeeze(-1), self.cause(features) + aside[..., 1:]


def _first(output: Any) -> Tensor:
    """The states that a layer gives, whichever way its library wraps them."""
    states: Tensor = output[0] if isinstance(output, tuple) else output
    return states


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

    Who speaks is a vector added to the words of every second speaker. It takes the same inputs as
    :class:`Joint`, but for the numbers of tokens in the place of their states.
    """

    def __init__(self, encoder: nn.Module, causes: int, shape: Shape) -> None:
        super().__init__()
        self.model: Any = deepcopy(encoder)
        self.speaker = nn.Embedding(2, self.model.config.hidden_size)
        nn.init.zeros_(self.speaker.weight)
        self.joint = Joint([], self.model.config, causes, shape)

    @property
    def pretrained(self) -> list[nn.Module]:
        """What does not begin random."""
        return [self.model]

    def forward(
        self, ids: Tensor, sentences: Tensor, owner: Tensor, speakers: Tensor, counted: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """As :class:`Joint`; ``ids`` (rows, tokens)."""
        words = self.model.get_input_embeddings()(ids)
        who = speakers.clamp(min=0).gather(1, owner.clamp(min=0)) % 2
        there = (owner >= 0).long()
        read = self.model(inputs_embeds=words + self.speaker(who), attention_mask=there)
        tokens, turns, causes = self.joint(
            read.last_hidden_state, sentences, owner, speakers, counted
        )
        return tokens, turns, causes


def joint(encoder: Any, causes: int, shape: Shape) -> Joint:
    """What begins as the last layers of an encoder, and reads conversations."""
    layers = encoder.encoder.layer
    above = [deepcopy(layer) for layer in layers[len(layers) - shape.above :]]
    for part in (part for layer in above for part in layer.modules()):
        if isinstance(part, nn.Dropout):  # hardly a form is seen twice: it would only cost time
            part.p = 0.0
    return Joint(above, encoder.config, causes, shape)


def whole(turns: Tensor, there: Tensor) -> Tensor:
    """The logit that nothing is broken, from those that turns are: (rows, turns) -> (rows,).

    The mean of the odds, so that a longer conversation is no worse for it.
    """
    return there.sum(1).log() - torch.logsumexp(turns + (there - 1) * 1e4, dim=1)
