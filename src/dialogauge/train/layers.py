"""Parts of networks that several models share."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

#: Texts whose vectors say what mean and spread are.
_MANY = 20_000


class Standard(nn.Module):
    """Vectors brought to a mean of 0 and a spread of 1, as those that are learnt from have it."""

    centre: Tensor
    spread: Tensor

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("centre", torch.zeros(width))
        self.register_buffer("spread", torch.ones(width))

    def fit(self, vectors: Tensor) -> None:
        """Take mean and spread from these, (texts, width)."""
        self.centre.copy_(vectors.mean(0))
        self.spread.copy_(vectors.std(0).clamp(min=1e-3))

    def forward(self, vectors: Tensor) -> Tensor:
        """(..., width) -> (..., width)."""
        return (vectors - self.centre) / self.spread


def standardise(network: nn.Module, table: NDArray[Any]) -> None:
    """Let each :class:`Standard` of a network take its mean and spread from a table of vectors."""
    for part in network.modules():
        if isinstance(part, Standard):
            part.fit(torch.from_numpy(np.array(table[:_MANY])))


def lstm_states(lstm: nn.LSTM, steps: Tensor, length: Tensor) -> Tensor:
    """The states of an LSTM over rows of different lengths, at least 1, padded on the right.

    (rows, steps, width), (rows,) -> (rows, steps, hidden), 0 where a row has ended.
    """
    packed = nn.utils.rnn.pack_padded_sequence(
        steps, length.cpu(), batch_first=True, enforce_sorted=False
    )
    states, _ = nn.utils.rnn.pad_packed_sequence(
        lstm(packed)[0], batch_first=True, total_length=steps.shape[1]
    )
    return states
