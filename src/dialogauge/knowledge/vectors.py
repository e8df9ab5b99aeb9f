"""Vectors of concepts: those that ship, or ConceptNet Numberbatch in their place.

Ours lie in a memory-mapped file as int8, a row of unit length per concept with its own scale.
:func:`read_text` takes word vectors from a text file as Numberbatch and word2vec publish them.
"""

from collections.abc import Sequence
from itertools import chain, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..formats.streams import sources
from . import mapped
from .mapped import Array, Names
from .sources import Reading, counted, lines, uri_name

KIND = "concept vectors"

#: So many rows are turned into floats at a time.
_BLOCK = 8192

Floats = NDArray[np.float32]


class Vectors:
    """A vector for each of many names. Names are exact; see ``Space`` for words of any form."""

    def __init__(self, names: Names, matrix: Array, scale: Array) -> None:
        self.names = names
        self._matrix, self._scale = matrix, scale  # (names, width) int8 or float32, (names,)

    @classmethod
    def open(cls, path: str | Path) -> "Vectors":
        """Open a file that :meth:`save` wrote; a damaged one is a :class:`DataError`."""
        _, arrays = mapped.read(Path(path), KIND)
        return cls(Names.read(arrays), arrays["matrix"], arrays["scale"])

    @classmethod
    def of(cls, names: Sequence[str], matrix: Floats) -> "Vectors":
        """Rows for names, which may come in any order; of equal names the first counts."""
        first = dict(zip(reversed(names), reversed(range(len(names))), strict=True))
        distinct = Names.of(first)
        order = [first[name] for name in distinct]
        return cls(distinct, matrix[order], np.ones(len(distinct), np.float32))

    def int8(self) -> "Vectors":
        """The same with unit length and in a quarter of the space."""
        rows = self.rows(np.arange(len(self)))
        largest = np.abs(rows).max(axis=1, keepdims=True)
        small = np.round(rows * (127 / np.maximum(largest, 1e-12))).astype(np.int8)
        lengths = np.linalg.norm(small.astype(np.float32), axis=1)
        return Vectors(self.names, small, (1 / np.maximum(lengths, 1)).astype(np.float32))

    def save(self, path: str | Path) -> None:
        """Write them to a file for :meth:`open`."""
        arrays = {**self.names.arrays(), "matrix": self._matrix, "scale": self._scale}
        mapped.write(Path(path), KIND, arrays, {})

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: str) -> bool:
        return self.names.find(name) >= 0

    def __getitem__(self, name: str) -> Floats:
        number = self.names.find(name)
        if number < 0:
            raise KeyError(name)
        vector: Floats = self.rows(np.array([number]))[0]
        return vector

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return int(self._matrix.shape[1])

    def rows(self, numbers: Array) -> Floats:
        """The vectors of some names by their numbers, (numbers, width)."""
        rows: Floats = self._matrix[numbers].astype(np.float32) * self._scale[numbers, None]
        return rows

    def cosines(self, vector: Array, numbers: Array) -> Floats:
        """The cosine of a vector to those of some names; 0 where a vector is all zeros."""
        rows = self.rows(numbers)
        lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(vector)
        cosines: Floats = rows @ vector.astype(np.float32) / np.maximum(lengths, 1e-12)
        return cosines

    def nearest(self, vector: Array, limit: int = 10) -> list[tuple[str, float]]:
        """The names whose vectors point most nearly the same way, with their cosines."""
        numbers = np.arange(len(self))
        blocks = [self.cosines(vector, numbers[at : at + _BLOCK]) for at in numbers[::_BLOCK]]
        cosines = np.concatenate(blocks)
        best = np.argsort(-cosines, kind="stable")[:limit]
        return [(self.names[int(number)], float(cosines[number])) for number in best]


def load_vectors(path: str | Path, reading: Reading | None = None) -> Vectors:
    """Vectors from a file of either kind: one that was saved, or text."""
    try:
        with Path(path).open("rb") as file:
            saved = file.read(len(mapped.MAGIC)) == mapped.MAGIC
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or error
        raise InputError(f"cannot be read: {problem}", file=str(path)) from None
    return Vectors.open(path) if saved else read_text(path, reading)


def read_text(path: str | Path, reading: Reading | None = None) -> Vectors:
    """Word vectors from a text file, plain or compressed, such as ``numberbatch-en-19.08.txt.gz``.

    The first line may give the number of words and their width; every other one is a word and its
    numbers between blanks. ``/c/en/`` before a word is dropped, other languages are passed over,
    ``_`` is a blank. Lines of another width are counted in ``reading`` and skipped.
    """
    (source,) = sources(path)
    numbered = lines(source)
    first = list(islice(numbered, 1))
    width = 0
    if first and _is_header(first[0][1]):
        width = int(first.pop()[1].split()[1])

    def parse(line: bytes) -> tuple[str, Floats] | None:
        return _row(line, width)  # what the lines before it had

    rows: dict[str, Floats] = {}
    for name, row in counted(chain(first, numbered), source.name, parse, reading):
        width = len(row)
        rows.setdefault(name, row)
    if not rows:
        raise InputError("no word vector was found", file=str(path), remedy="a word and numbers")
    return Vectors.of(list(rows), np.stack(list(rows.values())))


def _is_header(line: bytes) -> bool:
    fields = line.split()
    return len(fields) == 2 and all(field.isdigit() and len(field) < 10 for field in fields)


def _row(line: bytes, width: int) -> tuple[str, Floats] | None:
    """A word and its numbers; ``None`` where the word is not English."""
    try:
        name, *numbers = line.decode().split()
        row = np.array(numbers, dtype=np.float32)
    except ValueError:  # not UTF-8, empty, or not numbers
        raise InputError("expected a word and numbers") from None
    if len(row) != (width or len(row)) or not len(row):
        raise InputError(f"expected {width or 'some'} numbers, got {len(row)}")
    if not np.isfinite(row).all():
        raise InputError("a number is not finite")
    foreign = name.startswith("/c/") and not name.startswith("/c/en/")
    return None if foreign or not uri_name(name) else (uri_name(name), row)
