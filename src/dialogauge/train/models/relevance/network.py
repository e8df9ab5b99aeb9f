"""A small network on vectors that were computed once.

:class:`ResponseSelector` reads the last few turns and a response, each as the frozen encoder's
vector. Every part adds to what it is given and starts by adding nothing, so that before training
the score is the plain cosine of the last turn and the response: learning starts from the floor.
Afterwards that cosine can be blended in again, because the head and it err on different answers.
"""

import math

import msgspec
import torch
from torch import Tensor, nn
from torch.nn import functional

from ...recipe import AtLeastOne, Share
from ...vectors import newness


class Shape(msgspec.Struct, frozen=True):
    """What the network looks like."""

    turns: AtLeastOne = 4  # of context
    heads: AtLeastOne = 6  # of attention; they divide the encoder's width
    dropout: Share = 0.1
    cosine: Share = 0.5  # how much of the score is the plain cosine of the last turn


class _Tower(nn.Module):
    """A vector plus what two layers make of it."""

    def __init__(self, width: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.inner = nn.Sequential(
            nn.LayerNorm(width),
            nn.Linear(width, hidden),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(hidden, width),
        )
        _silence(self.inner[-1])

    def forward(self, vectors: Tensor) -> Tensor:
        """(..., width) -> (..., width)."""
        return vectors + self.inner(vectors)


class _Attention(nn.Module):
    """The last turn looks back; written out, so that it exports to plain ONNX operators."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.queries, self.keys, self.values, self.mix = (nn.Linear(width, width) for _ in range(4))
        self.dropout = nn.Dropout(dropout)
        _silence(self.mix)

    def forward(self, turns: Tensor, mask: Tensor) -> Tensor:
        """(batch, turns, width), (batch, turns) -> (batch, width)."""
        normed = self.norm(turns)
        query = self._split(self.queries(normed[:, -1:]))  # (batch, heads, 1, width / heads)
        keys, values = (self._split(layer(normed)) for layer in (self.keys, self.values))
        weights = query @ keys.transpose(-1, -2) / math.sqrt(keys.shape[-1])
        weights = weights + (1.0 - mask[:, None, None, :]) * -1e4  # finite: no turn is no NaN
        mixed = self.mix((self.dropout(weights.softmax(-1)) @ values).flatten(1))
        return turns[:, -1] + mixed

    def _split(self, turns: Tensor) -> Tensor:
        """(batch, turns, width) -> (batch, heads, turns, width / heads)."""
        return turns.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class ResponseSelector(nn.Module):
    """How well a response follows its context: its cosine with the answer that is expected."""

    def __init__(self, width: int, shape: Shape) -> None:
        super().__init__()
        self.cosine = shape.cosine
        self.position = nn.Parameter(torch.zeros(shape.turns, width))
        self.attention = _Attention(width, shape.heads, shape.dropout)
        self.tower = _Tower(width, 2 * width, shape.dropout)
        self.log_scale = nn.Parameter(torch.tensor(math.log(20.0)))  # of the softmax, not the score

    def context(self, turns: Tensor, mask: Tensor) -> Tensor:
        """(batch, turns, width) with the last turn last, (batch, turns) -> (batch, width)."""
        placed = (functional.normalize(turns, dim=-1) + self.position) * mask.unsqueeze(-1)
        return functional.normalize(self.tower(self.attention(placed, mask)), dim=-1)

    def response(self, response: Tensor) -> Tensor:
        """(..., width) -> (..., width): where the encoder put it. Moved, answers agree less."""
        return functional.normalize(response, dim=-1)

    def forward(self, context: Tensor, mask: Tensor, response: Tensor) -> Tensor:
        """(batch, turns, width), (batch, turns), (batch, width) -> (batch,), from -1 to 1.

        What was just said, said again, is no answer: a copy of any turn that is read fades to -1,
        below every answer.
        """
        answer = self.response(response)
        head = (self.context(context, mask) * answer).sum(-1)
        said = functional.normalize(context, dim=-1) * mask.unsqueeze(-1)
        cosines = (said * answer.unsqueeze(1)).sum(-1)  # (batch, turns)
        score = (1 - self.cosine) * head + self.cosine * cosines[:, -1]
        return score - (1 - newness(cosines.amax(1))) * (score + 1)  # the score itself where new


def _silence(layer: nn.Module) -> None:
    """Make a linear layer give nothing until it has learnt something."""
    for parameter in layer.parameters():
        nn.init.zeros_(parameter)
