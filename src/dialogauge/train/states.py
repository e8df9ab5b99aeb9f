"""Token states of a lower layer, computed once: training the layers above costs only these.

An encoder is :func:`split` between two layers. What the lower ones make of each text is kept in a
file (:func:`states`, two bytes a number, memory-mapped), and what is trained starts there: the
upper layers alone, or several texts' states one after the other, read together.
"""

from collections.abc import Sequence
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from .. import atomic
from ..errors import InputError
from .models.encoder.network import Backbone, load
from .pretrained import padded

__all__ = ["Backbone", "States", "Upper", "load", "split", "states"]

Ints = NDArray[np.int64]

#: Texts that go through the lower layers together.
_TOGETHER = 64


class States(msgspec.Struct, frozen=True):
    """The states of the tokens of some texts, one text after the other."""

    values: NDArray[np.float16]  # (tokens of all texts, width)
    ends: Ints  # where each text ends

    def read(self, places: Ints) -> tuple[Tensor, Tensor]:
        """Padded states and a mask of the texts at some places: (n, tokens, width), (n, tokens)."""
        starts = np.where(places > 0, self.ends[places - 1], 0)
        lengths = self.ends[places] - starts
        width = self.values.shape[1]
        table = np.zeros((len(places), int(lengths.max()), width), np.float32)
        for row, (start, length) in enumerate(zip(starts, lengths, strict=True)):
            table[row, :length] = self.values[start : start + length]
        mask = np.arange(table.shape[1]) < lengths[:, None]
        return torch.from_numpy(table), torch.from_numpy(mask.astype(np.float32))


class Upper(nn.Module):
    """The layers above a place: states of tokens in, vectors of tokens out."""

    def __init__(self, stack: nn.Module) -> None:
        super().__init__()
        self.stack = stack

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """(batch, tokens, width), (batch, tokens) -> (batch, tokens, width)."""
        closed = (1.0 - mask[:, None, None, :]) * torch.finfo(states.dtype).min
        vectors: Tensor = self.stack(states, attention_mask=closed)[0]
        return vectors


def split(backbone: Backbone, below: int) -> tuple[Backbone, Upper]:
    """An encoder in two: one that ends behind ``below`` layers, and the layers above.

    Both are copies: to train the upper half leaves the backbone as it is.
    """
    model = deepcopy(backbone.encoder.model)
    stack: Any = getattr(model, "encoder", None)
    layers = getattr(stack, "layer", None)
    if layers is None or not 0 <= below <= len(layers):
        count = "no" if layers is None else f"{len(layers)}"
        raise InputError(f"{backbone.name} has {count} layers that could be split at {below}")
    upper = deepcopy(stack)
    upper.layer, stack.layer = upper.layer[below:], layers[:below]
    lower = Backbone(backbone.name, model, backbone.tokenizer, backbone.max_tokens)
    return lower, Upper(upper)


def states(lower: Backbone, texts: Sequence[str], folder: Path) -> States:
    """What the lower half of an encoder makes of each text, kept in a folder."""
    layers = len(lower.encoder.model.encoder.layer)
    facts = (lower.name, str(lower.max_tokens), str(layers), _weights(lower))
    digest = sha256("\0".join([*facts, *texts]).encode("utf-8", "replace")).hexdigest()[:16]
    path = folder / f"states-{digest}.npy"
    encodings = lower.tokenizer.encode_batch(list(texts))
    lengths = np.array([len(each.ids) for each in encodings], np.int64)
    ends = lengths.cumsum()
    if not path.exists():
        partial = path.with_name(f".{path.name}.partial")
        with atomic.reporting(path):
            shape = (int(ends[-1]) if len(ends) else 0, lower.width)
            table = np.lib.format.open_memmap(partial, "w+", np.float16, shape)
            _fill(table, lower, [each.ids for each in encodings], ends)
            table.flush()
            partial.replace(path)
    kept: NDArray[np.float16] = np.load(path, mmap_mode="r", allow_pickle=False)
    return States(kept, ends)


def _fill(
    table: NDArray[np.float16], lower: Backbone, ids: Sequence[Sequence[int]], ends: Ints
) -> None:
    lower.encoder.eval()
    order = sorted(range(len(ids)), key=lambda at: len(ids[at]))
    device = next(lower.encoder.parameters()).device
    with torch.no_grad():
        for start in range(0, len(order), _TOGETHER):
            rows = order[start : start + _TOGETHER]
            tokens, mask = padded([ids[row] for row in rows], lower.pad)
            hidden = lower.encoder(tokens.to(device), mask.to(device))[0].half().cpu().numpy()
            for at, row in enumerate(rows):
                table[ends[row] - len(ids[row]) : ends[row]] = hidden[at, : len(ids[row])]


def _weights(backbone: Backbone) -> str:
    """A hash of the weights: another encoder of the same name has other states."""
    hashed = sha256()
    for tensor in backbone.encoder.state_dict().values():
        hashed.update(tensor.cpu().contiguous().numpy().tobytes())
    return hashed.hexdigest()
