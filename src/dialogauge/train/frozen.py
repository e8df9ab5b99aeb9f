"""Vectors of a frozen encoder: each text encoded once, kept in a file for a run that goes on."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np

from .. import atomic, models
from ..encode import Encoder
from ..encode.encoder import Pooling
from ..errors import InputError
from .models.encoder.network import load
from .models.relevance.rows import Vectors
from .recipe import Chosen

Encode = Callable[[Sequence[str]], Vectors]


def encoder(chosen: Chosen, pooling: Pooling = "mean", cache: Path | None = None) -> Encode:
    """The encoder that ships, as scoring will run it; else the backbone in torch.

    ``cache`` keeps the vectors of the former, text by text, for runs whose texts overlap.
    """
    if chosen.name not in models.shipped():
        if pooling != "mean":
            problem = f"{pooling} is pooled by encoders that ship"
            raise InputError(problem, field="backbone.name", remedy="dialogue-minilm")
        return load(chosen).encode
    shipped = Encoder.load(chosen.name, cache=cache)
    return lambda texts: np.array(list(shipped.stream(texts, pooling)), np.float32)


def cached(encode: Encode, texts: Sequence[str], encoder: str, folder: Path) -> Vectors:
    """The vectors of texts, kept in a file so that a resumed run need not encode again."""
    digest = sha256("\0".join([encoder, *texts]).encode("utf-8", "replace")).hexdigest()[:16]
    path = folder / f"vectors-{digest}.npy"
    if not path.exists():
        # a text without a word has no vector (NaN): it says nothing, which zeros do too
        vectors = np.nan_to_num(np.ascontiguousarray(encode(texts), np.float32))
        with atomic.writing(path) as file:
            np.save(file, vectors, allow_pickle=False)
    found: Vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    return found
