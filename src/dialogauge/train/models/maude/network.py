"""Networks that score a response by its context alone: MaUdE and the three it was compared with.

All are used alike. ``table`` holds what the network reads, one row per text: the frozen encoder's
vector, or the ids of the words; ``context`` and ``response`` are rows of it. A context is seen
once, however many responses are scored after it.

| network | reads | context | features |
| --- | --- | --- | --- |
| Maude | vectors of the last turns | BiLSTM, max-pool, W | c, r, c*r, c-r |
| Nli (the paper's DistilBERT-NLI) | vector of the context as one text | W | c, r, c*r, c-r |
| InferSent | words | BiLSTM, max-pool, W | c, r, c*r, c-r |
| Ruber (unreferenced) | words | BiLSTM, max-pool | c, r, c' M r |

MaUdE's released code takes |c-r| where the paper has c-r, and a one-way LSTM: switches. Here its
classifier also reads how the response agrees with each of the last two turns, unless ``beside`` is
0: the product of their unit vectors, number by number, whose sum is their cosine. An LSTM on frozen
vectors is slow to find that, and it holds for talk that was never trained on.
"""

from typing import ClassVar, Literal

import msgspec
import torch
from torch import Tensor, nn

from ....encode.encoder import POOLINGS, Pooling
from ...recipe import AtLeastOne, Count, Share
from ...vectors import Standard, lstm_states

Reads = Literal["turns", "joined", "words"]
Kind = Literal["maude", "nli", "infersent", "ruber"]

#: Of the word embeddings: how many words, of how many numbers.
_WORDS, _WORD_WIDTH = 30522, 100


class Shape(msgspec.Struct, frozen=True):
    """Widths and switches."""

    pooling: Pooling = "mean"  # what is read of an utterance; "texture" sees repeated words
    narrow: AtLeastOne = 300  # D_g: what utterance vectors are brought down to
    hidden: AtLeastOne = 150  # of the LSTM, in each direction
    layer: AtLeastOne = 200  # of the classifier
    dropout: Share = 0.2
    absolute: bool = False  # |c-r| as in the released code; the paper: c-r
    one_way: bool = False  # LSTM one way as in the released code; the paper: both ways
    beside: Count = 2  # last turns that the response is compared with directly; the paper: none


class MaskedLstm(nn.Module):
    """One direction of an LSTM in which a masked step changes nothing, wherever it stands.

    Written out, so that the input's share of the gates is computed once per utterance and not once
    for each window that holds it.
    """

    def __init__(self, width: int, hidden: int, *, backward: bool = False) -> None:
        super().__init__()
        self.inputs = nn.Linear(width, 4 * hidden)
        self.states = nn.Linear(hidden, 4 * hidden, bias=False)
        self.hidden, self.backward = hidden, backward

    def forward(self, gates: Tensor, mask: Tensor) -> Tensor:
        """(batch, steps, 4 hidden), (batch, steps) -> (batch, hidden): the maximum over steps."""
        steps = range(gates.shape[1])
        state = cell = torch.zeros_like(gates[:, 0, : self.hidden])
        best = torch.full_like(state, -1.0)  # no state is below
        for step in reversed(steps) if self.backward else steps:
            there = mask[:, step, None]
            enter, keep, new, out = (gates[:, step] + self.states(state)).chunk(4, -1)
            moved = keep.sigmoid() * cell + enter.sigmoid() * new.tanh()
            shown = out.sigmoid() * moved.tanh()
            cell = there * moved + (1 - there) * cell
            state = there * shown + (1 - there) * state
            best = torch.maximum(best, there * shown + (there - 1))
        return best


class _Classifier(nn.Module):
    """The combination of context and response, through one layer, to a logit."""

    def __init__(self, width: int, shape: Shape, more: int = 0) -> None:
        super().__init__()
        self.absolute = shape.absolute
        self.layers = nn.Sequential(
            nn.Linear(4 * width + more, shape.layer),
            nn.ReLU(),
            nn.Dropout(shape.dropout),
            nn.Linear(shape.layer, 1),
        )

    def forward(self, context: Tensor, response: Tensor, *more: Tensor) -> Tensor:
        """(..., width), (..., width), what else is known of both -> (...)."""
        apart = (context - response).abs() if self.absolute else context - response
        features = torch.cat([context, response, context * response, apart, *more], -1)
        return self.layers(features).squeeze(-1)


class Maude(nn.Module):
    """Utterances, brought down; the last turns through a BiLSTM; a classifier."""

    reads: ClassVar[Reads] = "turns"  # of a context

    def __init__(self, width: int, shape: Shape) -> None:
        super().__init__()
        self.standard = Standard(width)
        self.narrow = nn.Linear(width, shape.narrow, bias=False)
        nn.init.xavier_uniform_(self.narrow.weight)
        self.dropout = nn.Dropout(shape.dropout)
        ways = (False,) if shape.one_way else (False, True)
        self.ways = nn.ModuleList(
            MaskedLstm(shape.narrow, shape.hidden, backward=backward) for backward in ways
        )
        self.mix = nn.Linear(shape.hidden * len(ways), shape.narrow)
        # Of an utterance's numbers, the first so many are its mean vector.
        self.beside, self.mean = shape.beside, width // POOLINGS[shape.pooling].parts
        self.classifier = _Classifier(shape.narrow, shape, shape.beside * self.mean)

    def context(self, turns: Tensor, mask: Tensor) -> Tensor:
        """(batch, turns, width), (batch, turns) -> (batch, narrow + beside * mean)."""
        gates = self._down(turns)
        last = [self._unit(turns[:, -1 - at]) for at in range(self.beside)]
        return self._context([way.inputs(gates) for way in self.ways], last, mask)

    def response(self, response: Tensor) -> Tensor:
        """(..., width) -> (..., narrow + mean)."""
        return torch.cat([self._down(response), self._unit(response)], -1)

    def logit(self, context: Tensor, response: Tensor) -> Tensor:
        """What :meth:`context` and :meth:`response` gave -> (...)."""
        wide = self.narrow.out_features
        unit = response[..., wide:]
        agreement = context[..., wide:] * torch.cat([unit] * self.beside or [unit[..., :0]], -1)
        both = context[..., :wide], response[..., :wide]
        return self.classifier(*both, self.dropout(agreement))

    def forward(self, table: Tensor, context: Tensor, mask: Tensor, response: Tensor) -> Tensor:
        """(texts, width), (rows, turns), (rows, turns), (rows,) -> (rows,), from 0 to 1."""
        narrow, unit = self._down(table), self._unit(table)
        gates = [way.inputs(narrow)[context] for way in self.ways]
        last = [unit[context[:, -1 - at]] for at in range(self.beside)]
        answered = torch.cat([narrow[response], unit[response]], -1)
        return self.logit(self._context(gates, last, mask), answered).sigmoid()

    def _context(self, gates: list[Tensor], last: list[Tensor], mask: Tensor) -> Tensor:
        """The gates of each way and the unit vectors of the last turns -> what is scored by."""
        states = [way(each, mask) for way, each in zip(self.ways, gates, strict=True)]
        there = [unit * mask[:, -1 - at, None] for at, unit in enumerate(last)]
        return torch.cat([self.mix(torch.cat(states, -1)), *there], -1)

    def _down(self, vectors: Tensor) -> Tensor:
        return self.dropout(self.narrow(self.standard(vectors)))

    def _unit(self, vectors: Tensor) -> Tensor:
        """Mean vectors of one length, which keeps their numbers near 1."""
        mean = vectors[..., : self.mean]
        return mean / mean.norm(dim=-1, keepdim=True).clamp(min=1e-6) * self.mean**0.5


class Nli(nn.Module):
    """The context as one text, and a classifier; context and response as vectors."""

    reads: ClassVar[Reads] = "joined"

    def __init__(self, width: int, shape: Shape) -> None:
        super().__init__()
        self._build(width, shape)

    def _build(self, width: int, shape: Shape) -> None:
        self.standard = Standard(width)
        self.mix = nn.Linear(width, width, bias=False)
        self.classifier = _Classifier(width, shape)

    def context(self, joined: Tensor, mask: Tensor) -> Tensor:
        """(batch, 1, width), (batch, 1) -> (batch, width)."""
        return self.mix(self.standard(joined[:, 0])) * mask

    def response(self, response: Tensor) -> Tensor:
        """(..., width) -> (..., width)."""
        return self.standard(response)

    def logit(self, context: Tensor, response: Tensor) -> Tensor:
        """What :meth:`context` and :meth:`response` gave -> (...)."""
        return self.classifier(context, response)

    def forward(self, table: Tensor, context: Tensor, mask: Tensor, response: Tensor) -> Tensor:
        """(texts, width), (rows, 1), (rows, 1), (rows,) -> (rows,), from 0 to 1."""
        answered = self.response(table[response])
        return self.logit(self.context(table[context], mask), answered).sigmoid()


class _Words(nn.Module):
    """A text's words through a BiLSTM, max-pooled; a word id of 0 is no word."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.words = nn.Embedding(_WORDS, _WORD_WIDTH, padding_idx=0)
        self.lstm = nn.LSTM(_WORD_WIDTH, shape.hidden, batch_first=True, bidirectional=True)

    def forward(self, ids: Tensor) -> Tensor:
        """(texts, words) -> (texts, 2 hidden)."""
        there = ids > 0
        length = there.sum(1).clamp(min=1)
        states = lstm_states(self.lstm, self.words(ids), length)
        shown = there[..., None].float()
        return (states * shown + (shown - 1) * 2).amax(1)  # -2 is below every state


class InferSent(Nli):
    """Context and response as words, each by an encoder of its own; W on the context."""

    reads = "words"

    def _build(self, width: int, shape: Shape) -> None:
        # The width is that of the frozen encoder, which this network does without.
        self.asked, self.answered = _Words(shape), _Words(shape)
        self.mix = nn.Linear(2 * shape.hidden, 2 * shape.hidden)
        self.classifier = _Classifier(2 * shape.hidden, shape)

    def context(self, joined: Tensor, mask: Tensor) -> Tensor:
        """(batch, 1, words), (batch, 1) -> (batch, 2 hidden)."""
        return self.mix(self.asked(joined[:, 0])) * mask

    def response(self, response: Tensor) -> Tensor:
        """(..., words) -> (..., 2 hidden)."""
        flat = self.answered(response.reshape(-1, response.shape[-1]))
        return flat.reshape(*response.shape[:-1], flat.shape[-1])


class _Ruber(InferSent):
    """The unreferenced half of RUBER: both sides and how they agree under a learnt matrix."""

    def _build(self, width: int, shape: Shape) -> None:
        super()._build(width, shape)
        both = 2 * shape.hidden
        self.mix = nn.Identity()
        self.matrix = nn.Parameter(torch.zeros(both, both))
        self.classifier = nn.Sequential(
            nn.Linear(2 * both + 1, shape.layer), nn.ReLU(), nn.Linear(shape.layer, 1)
        )

    def logit(self, context: Tensor, response: Tensor) -> Tensor:
        """(..., 2 hidden), (..., 2 hidden) -> (...)."""
        agree = ((context @ self.matrix) * response).sum(-1, keepdim=True)
        return self.classifier(torch.cat([context, agree, response], -1)).squeeze(-1)


NETWORKS: dict[Kind, type[Maude | Nli]] = {
    "maude": Maude,
    "nli": Nli,
    "infersent": InferSent,
    "ruber": _Ruber,
}
