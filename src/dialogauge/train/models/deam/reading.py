"""What the network reads of a conversation's tokens.

A *joint* reader reads what the first layers of an encoder of ours make of each text by itself. That
is computed once, by the graph that scoring will run, and kept in a file of two bytes a number. A
*flat* one reads the tokens themselves, as the backbone's own tokenizer cuts them.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from .... import atomic
from ....encode import Encoder
from ....encode.batching import chunks
from ....encode.windows import Span
from ...states import Backbone
from ...vectors import Ints
from . import rows
from .batch import Source
from .cues import Vectors
from .material import Excerpt

#: Texts, and characters of texts, whose states are computed at a time.
_TOGETHER, _CHARACTERS = 2048, 200_000


class Tokenizer:
    """A backbone's tokenizer, its special tokens left out."""

    def __init__(self, backbone: Backbone) -> None:
        self._tokenizer = backbone.tokenizer

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The numbers of each text's tokens."""
        return [each.ids[1:-1] for each in self._tokenizer.encode_batch(list(texts))]

    def spans(self, texts: Sequence[str]) -> list[list[Span]]:
        """The characters of each text's tokens."""
        return [each.offsets[1:-1] for each in self._tokenizer.encode_batch(list(texts))]


def flat(excerpts: Sequence[Excerpt], backbone: Backbone, vectors: Vectors) -> Source:
    """Excerpts, of whose tokens the numbers are read."""
    made = rows.make(excerpts, Tokenizer(backbone))
    table = np.nan_to_num(vectors(made.texts))
    return Source(made, _of(made.tokens), _of(table))


def joint(excerpts: Sequence[Excerpt], encoder: Encoder, layers: int, folder: Path) -> Source:
    """Excerpts, of whose tokens the states behind some layers are read."""
    made = rows.make(excerpts, encoder)
    facts = "\0".join([encoder.hash, str(layers), *made.texts]).encode("utf-8", "replace")
    name = sha256(facts).hexdigest()[:16]
    states, sentences = (folder / f"{what}-{name}.npy" for what in ("states", "sentences"))
    if not sentences.exists():
        table = _filled(made, encoder, layers, states)
        with atomic.writing(sentences) as file:
            np.save(file, table, allow_pickle=False)
    kept = [np.load(path, mmap_mode="r", allow_pickle=False) for path in (states, sentences)]
    return Source(made, *map(_of, kept))


def _of(table: NDArray[Any]) -> Callable[[Ints], Tensor]:
    """What stands at some places of a table; two bytes become four."""
    kind = np.float32 if table.dtype == np.float16 else table.dtype
    return lambda places: torch.from_numpy(table[places].astype(kind))


def _filled(made: rows.Rows, encoder: Encoder, layers: int, path: Path) -> NDArray[np.float16]:
    """Write the states of all tokens, in their order; give the vectors of all texts."""
    width = encoder.config.width
    sentences = np.zeros((len(made.texts), width), np.float16)
    head = {"descr": "<f2", "fortran_order": False, "shape": (len(made.tokens), width)}
    read = (
        tokens
        for some in chunks(made.texts, _TOGETHER, _CHARACTERS, len)
        for tokens in encoder.tokens(some, layers)
    )
    with atomic.writing(path) as file:
        np.lib.format.write_array_header_1_0(file, head)
        for at, tokens in enumerate(read):
            file.write(tokens.vectors.astype("<f2").tobytes())
            sentences[at] = np.nan_to_num(tokens.sentence)
    return sentences
