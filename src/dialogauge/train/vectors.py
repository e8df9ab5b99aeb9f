"""What a network reads when the encoder stays frozen: a table of vectors, each text encoded once.

Rows of a model name texts by their places in such a table; :class:`Side` has both. Networks on
vectors of an encoder bring them to one scale first (:class:`Standard`).
"""

from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from .. import atomic, models
from ..encode import Encoder
from ..encode.encoder import Pooling, Vectors, fingerprint
from ..errors import InputError
from ..metrics.trained import COPY
from .backbone import load
from .data import Half, Material
from .models import Encode
from .recipe import Chosen

Ints = NDArray[np.int64]
#: Texts whose vectors say what mean and spread are.
_MANY = 20_000


class _Rows(Protocol):
    """What a model learns from, as places in a list of texts."""

    @property
    def texts(self) -> tuple[str, ...]:
        """Each text once."""


R = TypeVar("R", bound=_Rows)


class Side(msgspec.Struct, Generic[R], frozen=True):
    """Rows to train on or to validate with, and what the network reads of their texts."""

    rows: R
    table: NDArray[Any]  # (texts, width)

    def read(self, places: Ints) -> Tensor:
        """What is read of the texts at some places, (...) -> (..., width); -1 is any text."""
        return torch.from_numpy(np.asarray(self.table[np.maximum(places, 0)]))

    def masked(self, places: Ints) -> tuple[Tensor, Tensor]:
        """The same, and a mask that is 0 where a place is -1: (..., width), (...)."""
        return self.read(places), torch.from_numpy((places >= 0).astype(np.float32))


def sides(
    material: Material,
    rows: Callable[[Half], R],
    table: Callable[[Sequence[str]], NDArray[Any]],
) -> tuple[Side[R], Side[R] | None]:
    """Both sides of a run; there may be nothing to validate with."""
    train, valid = rows("train"), rows("valid") if material.valid else None
    return Side(train, table(train.texts)), Side(valid, table(valid.texts)) if valid else None


def encoder(chosen: Chosen, pooling: Pooling = "mean", cache: Path | None = None) -> Encode:
    """An encoder of ours, as scoring will run it; else the backbone in torch.

    ``cache`` keeps the vectors of the former, text by text, for runs whose texts overlap.
    """
    if _ours(chosen) is None:
        if pooling != "mean":
            problem = f"{pooling} is pooled by encoders that ship or were imported"
            raise InputError(problem, field="backbone.name", remedy="dialogue-minilm")
        return load(chosen).encode
    ours = Encoder.load(chosen.name, cache=cache)
    return lambda texts: np.array(list(ours.stream(texts, pooling)), np.float32)


def passport(chosen: Chosen) -> dict[str, str]:
    """What a config.json says of the encoder that a model was trained on.

    A backbone in torch has no hash: what is trained on it cannot be scored with.
    """
    folder = _ours(chosen)
    return {"encoder": chosen.name, "encoder_hash": fingerprint(folder) if folder else ""}


def _ours(chosen: Chosen) -> Path | None:
    """The folder of an encoder that ships, was imported or lies at a path; None of any other."""
    folder = models.named().get(chosen.name) or Path(chosen.name)
    if not models.is_folder(folder) or not (folder / models.MANIFEST).is_file():
        return None
    models.require_weights(folder)
    return folder if models.kind(folder) == "encoder" else None


def reading(
    chosen: Chosen, work: Path, encode: Encode | None, pooling: Pooling | None = None
) -> Encode:
    """What a network reads of texts: the vectors of the encoder, or of ``encode`` in its stead.

    A head names its encoder by hash: one that has none could be trained on and never scored with.
    """
    if encode is None and _ours(chosen) is None:
        raise InputError(
            f"{chosen.name} is no encoder that can score: a head on it could not be used",
            field="backbone.name",
            remedy=f"dialogauge models import {chosen.name} --out NAME, and name that",
        )
    encode = encode or encoder(chosen, pooling or "mean")
    return lambda texts: cached(encode, texts, chosen, work, pooling)


def cached(
    encode: Encode,
    texts: Sequence[str],
    chosen: Chosen,
    folder: Path,
    pooling: Pooling | None = None,
) -> Vectors:
    """The vectors of texts, kept in a file so that a resumed run need not encode again.

    An encoder is known by its hash: another of the same name has other vectors.
    """
    facts = [*passport(chosen).values(), *([pooling] if pooling else ()), *texts]
    digest = sha256("\0".join(facts).encode("utf-8", "replace")).hexdigest()[:16]
    path = folder / f"vectors-{digest}.npy"
    if not path.exists():
        # a text without a word has no vector (NaN): it says nothing, which zeros do too
        vectors = np.nan_to_num(np.ascontiguousarray(encode(texts), np.float32))
        with atomic.writing(path) as file:
            np.save(file, vectors, allow_pickle=False)
    kept: Vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    return kept


def newness(cosine: Tensor) -> Tensor:
    """1 for a text that is like another, 0 for its copy, which says nothing: echo is no answer.

    >>> [round(float(each), 2) for each in newness(torch.tensor([0.5, 0.97, 0.985, 1.0]))]
    [1.0, 1.0, 0.5, 0.0]
    """
    return ((1 - cosine) / COPY).clamp(0, 1)


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
