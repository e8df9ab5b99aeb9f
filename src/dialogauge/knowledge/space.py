"""A vector for any word: the concept's own, or the next best thing.

==========  ====================================================================================
exact       the name has a vector
lemma       its normal form or another base form has one (*songs*: ``song``)
parts       the mean over the parts of a phrase that have one, the longest first
encoder     the sentence encoder's vector of the text, mapped into the space (:class:`Bridge`)
missing     no vector: NaN. The text is empty, or there is no bridge
==========  ====================================================================================

Every answer is counted under one of these, so a result can say how much of it was guessed.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from ..encode import Encoder
from ..errors import ModelError
from . import mapped
from .normal_form import forms, plain, words
from .vectors import Floats, Vectors

KIND = "concept bridge"

#: A phrase of more words than this is cut before its parts are looked for.
_PHRASE = 64
#: The longest part of a phrase, in words.
PART = 4


class Bridge:
    """A linear map from a sentence encoder's unit vectors into the space of the concepts."""

    def __init__(self, weights: Floats, bias: Floats, encoder: str, hash_: str) -> None:
        self.weights, self.bias = weights, bias  # (encoder's width, width), (width,)
        self.encoder, self.hash = encoder, hash_
        self._loaded: Encoder | None = None

    @classmethod
    def open(cls, path: str | Path) -> "Bridge":
        """Open a file that :meth:`save` wrote."""
        facts, arrays = mapped.read(Path(path), KIND)
        return cls(arrays["weights"], arrays["bias"], facts["encoder"], facts["hash"])

    def save(self, path: str | Path) -> None:
        """Write it to a file for :meth:`open`."""
        facts = {"encoder": self.encoder, "hash": self.hash}
        mapped.write(Path(path), KIND, {"weights": self.weights, "bias": self.bias}, facts)

    def cross(self, texts: Sequence[str]) -> Floats:
        """The texts' vectors in the space of the concepts; NaN where a text is empty."""
        if self._loaded is None:
            self._loaded = Encoder.load(self.encoder)
            if self._loaded.hash != self.hash:
                raise ModelError(f"the bridge was fitted to another {self.encoder}: fit it again")
        return unit(unit(self._loaded.vectors(texts)) @ self.weights + self.bias)


class Counts(msgspec.Struct):
    """How the words that were asked for got their vectors."""

    exact: int = 0
    lemma: int = 0
    parts: int = 0
    encoder: int = 0
    missing: int = 0


class Answer(NamedTuple):
    """A vector and how it was found: the name of a field of the counts."""

    vector: Floats
    how: str


class Space:
    """Vectors for words and phrases of any form."""

    def __init__(self, vectors: Vectors, bridge: Bridge | None = None) -> None:
        self.vectors, self.bridge = vectors, bridge
        self.counts = Counts()

    def of(self, texts: Sequence[str]) -> Floats:
        """One vector per word or phrase, (texts, width); NaN where there is none."""
        rows = [answer.vector for answer in self.find(texts)]
        return np.array(rows, np.float32).reshape(len(texts), self.vectors.width)

    def find(self, texts: Sequence[str]) -> list[Answer]:
        """The vector of each word or phrase and how it was found, counted."""
        looked_up = {text: self._looked_up(text) for text in dict.fromkeys(texts)}
        others = [text for text, answer in looked_up.items() if answer is None]
        guessed = dict(zip(others, self._guessed(others), strict=True))
        answers = [looked_up[text] or guessed[text] for text in texts]
        for how, count in Counter(answer.how for answer in answers).items():
            setattr(self.counts, how, getattr(self.counts, how) + count)
        return answers

    def _looked_up(self, text: str) -> Answer | None:
        """What the vocabulary has for a text."""
        for step, name in enumerate(forms(text)):
            if name in self.vectors:
                return Answer(self.vectors[name], "lemma" if step else "exact")
        parts = [self.vectors[name] for name in self._parts(text)]
        return Answer(unit(np.mean(parts, axis=0, keepdims=True))[0], "parts") if parts else None

    def _parts(self, text: str) -> Iterator[str]:
        """The names of the longest parts that have a vector, from left to right."""
        phrase = words(text.replace("-", " "))[:_PHRASE]
        at = 0
        while at < len(phrase) > 1:
            for size in range(min(PART, len(phrase) - at), 0, -1):
                part = " ".join(phrase[at : at + size])
                if name := next((name for name in forms(part) if name in self.vectors), None):
                    yield name
                    break
            else:
                size = 1
            at += size

    def _guessed(self, texts: Sequence[str]) -> list[Answer]:
        """What the encoder says of texts that the vocabulary does not have."""
        rows = np.full((len(texts), self.vectors.width), np.nan, np.float32)
        if self.bridge and texts:
            rows = self.bridge.cross([plain(text) for text in texts])
        return [Answer(row, "missing" if np.isnan(row[0]) else "encoder") for row in rows]


def unit(rows: Floats) -> Floats:
    """Rows of length 1; a row of zeros stays."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Floats = (rows / np.maximum(lengths, 1e-12)).astype(np.float32)
    return scaled
