"""What the network reads of a conversation's tokens.

A *joint* reader reads what the first layers of an encoder of ours make of each text by itself, by
the graph that scoring will run. The forms of an excerpt share most of their texts, and each is read
once a batch: a tenth of the time that a step takes. A *flat* reader reads the tokens
themselves, as the encoder of ours cuts them that scoring will read with, or, if the backbone is
none of ours, as its own tokenizer does.
"""

from collections.abc import Sequence

import numpy as np

from ....encode import Encoder
from ....encode.windows import Span
from ...backbone import Backbone
from ...vectors import Ints
from . import rows
from .batch import Floats, Source
from .cues import Vectors
from .material import Excerpt


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


def flat(excerpts: Sequence[Excerpt], tokenizing: rows.Tokenizing, vectors: Vectors) -> Source:
    """Excerpts, of whose tokens the numbers are read."""
    made = rows.make(excerpts, tokenizing)

    def read(texts: Sequence[int]) -> tuple[Ints, Floats]:
        ids = np.concatenate([made.ids(at) for at in texts])
        return ids, np.nan_to_num(vectors([made.texts[at] for at in texts]))

    return Source(made, read)


def joint(excerpts: Sequence[Excerpt], encoder: Encoder, layers: int) -> Source:
    """Excerpts, of whose tokens the states behind some layers are read."""
    made = rows.make(excerpts, encoder)

    def read(texts: Sequence[int]) -> tuple[Floats, Floats]:
        some = encoder.tokens([made.texts[at] for at in texts], layers)
        states = np.concatenate([each.vectors for each in some])
        return states, np.nan_to_num(np.stack([each.sentence for each in some]))

    return Source(made, read)
