"""Networks that score a whole dialogue from the vectors of its utterances.

:class:`DynaEval` (Zhang et al. 2021) sends messages along a graph of the turns: each turn hears
those at most ``window`` away, weighted by attention over what it hears, through a matrix for each
relation (who spoke, who listens, which came first), and once more through a plain graph
convolution. :class:`SDiCoh` (Mesgar et al. 2020, without its second task) reads the turns with a
BiLSTM and attention. Both are dense, batched and masked: a score depends on its dialogue alone.

Both read of a turn its vector and, unless ``beside`` is 0, how it agrees with the turns just
before it (:class:`Reader`): the papers' networks have to find that out, and from frozen vectors
they hardly do. Reading a turn and scoring a row of turns are two steps, because many rows may hold
the same turn after the same turns: it is read once for all of them.

``turns`` and ``speakers`` are rows of dialogues padded on the right, ``mask`` is 1 where there is a
turn. Shapes: (rows, turns, width), (rows, turns), (rows, turns).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal

import msgspec
import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from ...recipe import AtLeastOne, Count, Share
from ...vectors import Standard, lstm_states, newness

#: Relations of two turns: either speaker x either speaker x before or after.
_RELATIONS = 8


class Shape(msgspec.Struct, frozen=True):
    """Widths and switches; what the released code does is said beside each."""

    narrow: AtLeastOne = 300
    hidden: AtLeastOne = 150  # of the LSTM in each direction, and of the graph
    window: Count = 4
    dropout: Share = 0.5
    pooling: Literal["mean", "max", "both"] = "mean"
    outgoing: bool = False  # attention sums to 1 over what a turn says, not over what it hears
    plain: bool = False  # no ReLU, no count of neighbours, the turn itself not weighted
    beside: Count = 2  # turns before it that a turn is compared with; the papers: none
    shared_self: bool = False  # a turn is related to itself as to its later turns (8 relations)


class Reader(nn.Module):
    """Turns as a network reads them: each vector, and how it fits those just before.

    The agreement of two turns is the product of their unit vectors, number by number: its sum is
    their cosine, which alone tells nine of ten dialogues with a foreign turn from their originals.
    But an answer need not resemble its question: two matrices learn what follows what. A turn that
    only repeats another agrees with nothing: else echoing what was said would be the best answer.
    """

    def __init__(self, width: int, shape: Shape) -> None:
        super().__init__()
        self.standard, self.beside = Standard(width), shape.beside
        self.follows = nn.Linear(width, shape.narrow, bias=False)
        self.precedes = nn.Linear(width, shape.narrow, bias=False)
        self.precedes.weight.data.copy_(self.follows.weight)
        self.width = width * (1 + shape.beside) + shape.narrow * bool(shape.beside)

    def forward(self, turns: Tensor, before: Sequence[Tensor]) -> Tensor:
        """Turns and those before each, the last first, zeros for none -> (..., self.width)."""
        parts = [self.standard(turns)]
        if before:
            unit, *past = (_unit(each) for each in (turns, *before))
            past = [_if_new(unit, each) for each in past]
            parts.append(self.follows(unit) * self.precedes(past[0]))
            parts += [unit * each for each in past]
        return torch.cat(parts, -1)


def _unit(turns: Tensor) -> Tensor:
    """Vectors of one length, 1 for each number on average; nothing stays nothing."""
    return turns / turns.norm(dim=-1, keepdim=True).clamp(min=1e-6) * turns.shape[-1] ** 0.5


def _if_new(turns: Tensor, before: Tensor) -> Tensor:
    """The turns before, faded to nothing where a turn is a copy of them."""
    cosine = (turns * before).mean(-1, keepdim=True)
    return before * newness(cosine)


class Network(nn.Module, ABC):
    """Turns, each read beside those before it, to a number for each row of them."""

    def __init__(self, width: int, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.read = Reader(width, shape)
        self.narrow = nn.Linear(self.read.width, shape.narrow)
        self.dropout = nn.Dropout(shape.dropout)

    def forward(self, turns: Tensor, speakers: Tensor, mask: Tensor) -> Tensor:
        """(rows, turns, width), (rows, turns), (rows, turns) -> (rows,)."""
        before = [turns]
        for _ in range(self.shape.beside):
            before.append(_before(before[-1]))
        return self.scores(self.features(turns, before[1:]), speakers, mask)

    def features(self, turns: Tensor, before: Sequence[Tensor]) -> Tensor:
        """What is read of turns, given those before each: (..., width) -> (..., narrow)."""
        return self.dropout(self.narrow(self.read(turns, before)))

    @abstractmethod
    def scores(self, features: Tensor, speakers: Tensor, mask: Tensor) -> Tensor:
        """(rows, turns, narrow), (rows, turns), (rows, turns) -> (rows,)."""


class TurnFeatures(nn.Module):
    """The first step as it is exported: turns of a table, beside those before them."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, table: Tensor, turns: Tensor) -> Tensor:
        """(texts, width), (turns, 1 + beside) -> (turns, narrow)."""
        last, *before = table[turns].unbind(1)
        return self.network.features(last, before)


class RowScores(nn.Module):
    """The second step: rows of what was read."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, features: Tensor, turns: Tensor, speakers: Tensor, mask: Tensor) -> Tensor:
        """(read, narrow), three times (rows, turns) -> (rows,)."""
        return self.network.scores(features[turns], speakers, mask)


def _before(turns: Tensor) -> Tensor:
    """In the place of each turn the one before it, nothing in the first."""
    return torch.cat([torch.zeros_like(turns[:, :1]), turns[:, :-1]], 1)


class _BiLstm(nn.Module):
    """States of an LSTM both ways, zero where there is no turn."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(width, hidden, batch_first=True, bidirectional=True)

    def forward(self, turns: Tensor, mask: Tensor) -> Tensor:
        """(rows, turns, width), (rows, turns) -> (rows, turns, 2 hidden)."""
        length = mask.sum(1).clamp(min=1).to(torch.int64)
        return lstm_states(self.lstm, turns, length) * mask[..., None]


class DynaEval(Network):
    """The graph of a dialogue, to a number."""

    def __init__(self, width: int, shape: Shape) -> None:
        super().__init__(width, shape)
        both, hidden = 2 * shape.hidden, shape.hidden
        self.lstm = _BiLstm(shape.narrow, hidden)
        self.attention = nn.Parameter(torch.randn(both, both) * 2 / (2 * both))
        self.relations = nn.Parameter(torch.empty(_RELATIONS, both, hidden))
        self.own = nn.Linear(both, hidden, bias=False)
        self.theirs, self.itself = nn.Linear(hidden, hidden), nn.Linear(hidden, hidden, bias=False)
        nn.init.xavier_uniform_(self.relations)
        pools = 2 if shape.pooling == "both" else 1
        self.score = nn.Linear(pools * (both + hidden), 1)

    def scores(self, features: Tensor, speakers: Tensor, mask: Tensor) -> Tensor:
        """(rows, turns, narrow), (rows, turns), (rows, turns) -> (rows,)."""
        states = self.lstm(features, mask)  # (rows, turns, 2 hidden)
        near = _near(mask, self.shape.window)
        weights = self._weights(states, near)
        first = self._related(states, weights, near, speakers)
        second = self.theirs(near @ first) + self.itself(first)
        second = second if self.shape.plain else second.relu()
        return self._pooled(self.dropout(torch.cat([states, second], -1)), mask)

    def _weights(self, states: Tensor, near: Tensor) -> Tensor:
        """How much turn i hears turn j, (rows, i, j); 0 beyond the window."""
        scores = states @ self.attention @ states.transpose(1, 2)
        scores = scores.transpose(1, 2) if self.shape.outgoing else scores
        weights = (scores + (near - 1) * 1e4).softmax(-1) * near
        return weights.transpose(1, 2) if self.shape.outgoing else weights

    def _related(self, states: Tensor, weights: Tensor, near: Tensor, speakers: Tensor) -> Tensor:
        """What each turn hears, each relation through its own matrix, (rows, turns, hidden)."""
        itself = torch.eye(states.shape[1], device=states.device)
        others = near if self.shape.shared_self else near * (1 - itself)
        edges = others[..., None] * one_hot(relations(speakers), _RELATIONS)  # (rows, i, j, 8)
        scaled = weights[..., None] * edges
        if not self.shape.plain:
            scaled = scaled / edges.sum(2, keepdim=True).clamp(min=1)
        sent = (states @ self.relations.transpose(0, 1).flatten(1)).unflatten(-1, (_RELATIONS, -1))
        received = scaled.flatten(2) @ sent.flatten(1, 2)
        if self.shape.plain:
            return received + self.own(states)
        weight = (weights * itself).sum(-1, keepdim=True)
        return (received + weight * self.own(states)).relu()

    def _pooled(self, nodes: Tensor, mask: Tensor) -> Tensor:
        shown, pools = mask[..., None], []
        if self.shape.pooling != "max":
            pools.append((nodes * shown).sum(1) / shown.sum(1).clamp(min=1))
        if self.shape.pooling != "mean":
            pools.append((nodes * shown + (shown - 1) * 1e4).amax(1))
        return self.score(pools[0] if len(pools) == 1 else torch.cat(pools, -1)).squeeze(-1)


class SDiCoh(Network):
    """A BiLSTM over turns, attention over its states, to a number."""

    def __init__(self, width: int, shape: Shape) -> None:
        super().__init__(width, shape)
        self.lstm = _BiLstm(shape.narrow, shape.hidden)
        self.look = nn.Linear(2 * shape.hidden, 1, bias=False)
        self.score = nn.Linear(2 * shape.hidden, 1)

    def scores(self, features: Tensor, speakers: Tensor, mask: Tensor) -> Tensor:
        """(rows, turns, narrow), (rows, turns), (rows, turns) -> (rows,)."""
        states = self.lstm(features, mask)
        looks = self.look(states.tanh()).squeeze(-1) + (mask - 1) * 1e4
        weights = looks.softmax(-1) * mask
        score = self.score(self.dropout((weights[..., None] * states).sum(1)))
        # Who speaks does not matter to it; added as nothing, so that every network has one form.
        return score.squeeze(-1) + 0 * speakers.sum(1)


def relations(speakers: Tensor) -> Tensor:
    """How turn i is related to turn j, 0 to 7: (rows, turns) -> (rows, i, j).

    ``speakers`` are numbers, 0 for the first who spoke. Of two others who are not the same, the one
    who is heard counts as the first: whether two are the same is kept, whoever they are.
    """
    places = torch.arange(speakers.shape[1], device=speakers.device)
    before = (places[None, :] < places[:, None]).long()  # (i, j): j came before i
    hearer, speaker = speakers[:, :, None], speakers[:, None, :]
    second = (speaker > 0) & ((hearer == 0) | (hearer == speaker))
    return second.long() * 4 + (hearer > 0).long() * 2 + before


def _near(mask: Tensor, window: int) -> Tensor:
    """1 where turns i and j are there and at most ``window`` apart, (rows, i, j)."""
    places = torch.arange(mask.shape[1], device=mask.device)
    close = ((places[None, :] - places[:, None]).abs() <= window).to(mask.dtype)
    return close * mask[:, None, :] * mask[:, :, None]


NETWORKS: dict[str, type[Network]] = {"dynaeval": DynaEval, "s-dicoh": SDiCoh}
