"""What the network reads of a conversation's tokens.

A *joint* reader reads what the first layers of an encoder of ours make of each text by itself. That
is computed once, by the graph that scoring will run, and kept in a file of two bytes a number. A
*flat* one reads the tokens themselves, as the backbone's own tokenizer cuts them.
"""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from .... import atomic
from ....encode import Encoder
from ....encode.batching import chunks
from ....encode.windows import Span
from ...states import Backbone
from . import rows
from .batch import Source
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


def flat(excerpts: Sequence[Excerpt], backbone: Backbone) -> Source:
    """Excerpts, of whose tokens the numbers are read."""
    made = rows.make(excerpts, Tokenizer(backbone))
    return Source(made, lambda places: torch.from_numpy(made.tokens[places]))


def joint(excerpts: Sequence[Excerpt], encoder: Encoder, layers: int, folder: Path) -> Source:
    """Excerpts, of whose tokens the states behind some layers are read."""
    made = rows.make(excerpts, encoder)
    values = _states(made, encoder, layers, folder)
    return Source(made, lambda places: torch.from_numpy(values[places].astype(np.float32)))


def _states(made: rows.Rows, encoder: Encoder, layers: int, folder: Path) -> NDArray[np.float16]:
    """What the layers make of each token, kept in a folder."""
    facts = "\0".join([encoder.hash, str(layers), *made.texts]).encode("utf-8", "replace")
    path = folder / f"states-{sha256(facts).hexdigest()[:16]}.npy"
    if not path.exists():
        partial = path.with_name(f".{path.name}.partial")
        with atomic.reporting(path):
            shape = (len(made.tokens), encoder.config.width)
            table = np.lib.format.open_memmap(partial, "w+", np.float16, shape)
            end = 0
            for some in chunks(made.texts, _TOGETHER, _CHARACTERS, len):
                for tokens in encoder.tokens(some, layers):
                    table[end : end + len(tokens.ids)] = tokens.vectors
                    end += len(tokens.ids)
            table.flush()
            partial.replace(path)
    kept: NDArray[np.float16] = np.load(path, mmap_mode="r", allow_pickle=False)
    return kept
