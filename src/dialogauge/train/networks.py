"""Small networks on vectors that were computed once.

:class:`ResponseSelector` reads the last few turns and a response, each as the frozen encoder's
vector. Every part adds to what it is given and starts by adding nothing, so that before training
the score is the plain cosine of the last turn and the response: learning starts from the floor.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional


class Tower(nn.Module):
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
        added: Tensor = self.inner(vectors)
        return vectors + added


class Attention(nn.Module):
    """Turns look at each other; written out, so that it exports to plain ONNX operators."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.queries, self.keys, self.values, self.mix = (nn.Linear(width, width) for _ in range(4))
        self.dropout = nn.Dropout(dropout)
        _silence(self.mix)

    def forward(self, turns: Tensor, mask: Tensor) -> Tensor:
        """(batch, turns, width), (batch, turns) -> (batch, turns, width)."""
        normed = self.norm(turns)
        queries, keys, values = (
            layer(normed).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for layer in (self.queries, self.keys, self.values)
        )  # (batch, heads, turns, width / heads)
        weights = queries @ keys.transpose(-1, -2) / math.sqrt(keys.shape[-1])
        weights = (
            weights + (1.0 - mask[:, None, None, :]) * -1e4
        )  # finite: no turn at all is no NaN
        found = (self.dropout(weights.softmax(-1)) @ values).transpose(1, 2).flatten(-2)
        mixed: Tensor = self.mix(found)
        return turns + mixed


class ResponseSelector(nn.Module):
    """How well a response follows its context: a cosine in a space learnt for that question."""

    def __init__(self, width: int, turns: int = 4, heads: int = 6, dropout: float = 0.1) -> None:
        super().__init__()
        self.turns = turns
        self.position = nn.Parameter(torch.zeros(turns, width))
        self.attention = Attention(width, heads, dropout)
        self.blend = Tower(width, 2 * width, dropout)
        self.context_tower = Tower(width, 2 * width, dropout)
        self.response_tower = Tower(width, 2 * width, dropout)
        self.log_scale = nn.Parameter(torch.tensor(math.log(20.0)))  # of the softmax, not the score

    def context(self, turns: Tensor, mask: Tensor) -> Tensor:
        """(batch, turns, width) with the last turn last, (batch, turns) -> (batch, width)."""
        placed = (functional.normalize(turns, dim=-1) + self.position) * mask.unsqueeze(-1)
        read = self.blend(self.attention(placed, mask))
        return functional.normalize(self.context_tower(read[:, -1]), dim=-1)

    def response(self, response: Tensor) -> Tensor:
        """(..., width) -> (..., width)."""
        return functional.normalize(
            self.response_tower(functional.normalize(response, dim=-1)), dim=-1
        )

    def forward(self, context: Tensor, mask: Tensor, response: Tensor) -> Tensor:
        """(batch, turns, width), (batch, turns), (batch, width) -> (batch,), from -1 to 1."""
        return (self.context(context, mask) * self.response(response)).sum(-1)


def _silence(layer: nn.Module) -> None:
    """Make a linear layer give nothing until it has learnt something."""
    for parameter in layer.parameters():
        nn.init.zeros_(parameter)
