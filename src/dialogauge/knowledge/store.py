"""The graph of ConceptNet in one memory-mapped file.

Concepts are numbered by their sorted names. The edges of a concept lie side by side in two orders,
outward and inward (compressed sparse rows), the affirmed ones first and the heaviest of them first.
A negative weight is a denial: more people said that it is *not* so.

    >>> from dialogauge.knowledge import load_store
    >>> store = load_store()
    >>> [edge.end for edge in store.neighbours("coffee", "HasProperty", limit=2)]
    ['serve hot', 'hot']
    >>> store.antonyms("above")
    ('beneath',)

A query touches a few pages of the file; opening costs the check of its digest.
"""

from array import array
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, UnknownNameError
from . import mapped
from .mapped import Array, Names
from .normal_form import forms
from .sources import Assertion, Reading, assertions

KIND = "concept store"

Numbers = NDArray[np.uint32]


class Edge(msgspec.Struct, frozen=True):
    """``start`` stands in ``relation`` to ``end``; a negative weight denies it."""

    relation: str
    start: str
    end: str
    weight: float


class Built(msgspec.Struct, frozen=True):
    """What was made of which lines."""

    concepts: int
    edges: int
    relations: int
    reading: Reading


class Store:
    """An open store. Names are exact here; :meth:`look_up` finds the one for a word."""

    def __init__(self, relations: Sequence[str], arrays: dict[str, Array]) -> None:
        self.relations = tuple(relations)
        self.names = Names.read(arrays)
        self._written = arrays["written"]
        self._others, self._relations = arrays["others"], arrays["relations"]
        self._weights, self._sources = arrays["weights"], arrays["sources"]
        self._edges = arrays["edges"]
        # memoryviews give Python integers faster than arrays do
        self._outward = memoryview(arrays["outward"])  # type: ignore[arg-type]
        self._inward = memoryview(arrays["inward"])  # type: ignore[arg-type]

    @classmethod
    def open(cls, path: str | Path) -> "Store":
        """Open a store that :func:`build` wrote; a damaged one is a :class:`DataError`."""
        facts, arrays = mapped.read(Path(path), KIND)
        return cls(facts["relations"], arrays)

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: str) -> bool:
        return self.names.find(name) >= 0

    @property
    def edges(self) -> int:
        """How many edges there are."""
        return len(self._others)

    def look_up(self, text: str) -> tuple[str, ...]:
        """The concepts a word or phrase stands for: as it is, then in its normal form.

        >>> from dialogauge.knowledge import load_store
        >>> load_store().look_up("The United States"), load_store().look_up("zzz")
        (('unite state',), ())
        """
        return tuple(name for name in forms(text) if name in self)

    def written(self, name: str) -> bool:
        """Whether a concept's name is English as one writes it; others stay out of texts."""
        number = self.names.find(name)
        return number >= 0 and bool(self._written[number])

    def neighbours(
        self,
        concept: str,
        relation: str | None = None,
        *,
        inward: bool = False,
        denied: bool = False,
        limit: int | None = None,
    ) -> list[Edge]:
        """The edges from a concept (``inward``: to it), the heaviest first.

        ``denied`` asks for the denials instead, the firmest first. A concept that is not in the
        store has no edges.
        """
        if relation is not None and relation not in self.relations:
            raise UnknownNameError("relation", relation, self.relations)
        number = self.names.find(concept)
        if number < 0:
            return []
        row = _, codes, weights = self._row(number, inward)
        chosen = weights < 0 if denied else weights >= 1e-9
        if relation is not None:
            chosen = chosen & (codes == self.relations.index(relation))
        places = np.flatnonzero(chosen)
        places = places[::-1][:limit] if denied else places[:limit]
        edges = []
        for other, code, weight in zip(*(column[places].tolist() for column in row), strict=True):
            ends = (self.names[other], concept)
            edges.append(Edge(self.relations[code], *(ends if inward else ends[::-1]), weight))
        return edges

    def antonyms(self, word: str) -> tuple[str, ...]:
        """What it is opposed to, either way round; none where the store has no antonyms."""
        if "Antonym" not in self.relations:
            return ()
        others = (
            edge.start if inward else edge.end
            for name in self.look_up(word)
            for inward in (False, True)
            for edge in self.neighbours(name, "Antonym", inward=inward)
        )
        return tuple(dict.fromkeys(others))

    def successors(self, number: int) -> Numbers:
        """The numbers of the concepts that a concept's affirmed edges lead to, each once."""
        others, _, weights = self._row(number, False)
        apart: Numbers = np.unique(others[(weights > 0) & (others != number)])
        return apart

    def table(self) -> tuple[Numbers, NDArray[np.uint8], Numbers, NDArray[np.float32]]:
        """Every edge: starts, relations, ends, weights."""
        counts = np.diff(np.asarray(self._outward))
        starts = np.repeat(np.arange(len(self), dtype=np.uint32), counts)
        return starts, self._relations, self._others, self._weights

    def _row(self, number: int, inward: bool) -> tuple[Array, Array, Array]:
        """The other ends, relations and weights of a concept's edges in one direction."""
        if not inward:
            rows = slice(self._outward[number], self._outward[number + 1])
            return self._others[rows], self._relations[rows], self._weights[rows]
        rows = slice(self._inward[number], self._inward[number + 1])
        edges = self._edges[rows]
        return self._sources[rows], self._relations[edges], self._weights[edges]


def build(paths: Sequence[str | Path], to: str | Path) -> Built:
    """Make a store of ConceptNet's files (any mixture of those in :mod:`.sources`)."""
    reading = Reading()
    arrays, relations = _gathered(assertions(paths, reading))
    if not relations:
        remedy = "see docs/guide/knowledge.md for the formats"
        raise InputError("no English assertion was found", file=str(paths[0]), remedy=remedy)
    mapped.write(Path(to), KIND, arrays, {"relations": relations})
    return Built(len(arrays["ends"]), len(arrays["others"]), len(relations), reading)


def _gathered(given: Iterable[Assertion]) -> tuple[dict[str, Array], list[str]]:
    """The arrays of a store, and its relations; on the way each name is kept once, as a number."""
    names: dict[str, int] = {}
    relations: dict[str, int] = {}
    written: set[int] = set()
    starts, codes, ends, weights = array("I"), array("I"), array("I"), array("d")
    for relation, start, end, weight, as_written in given:
        starts.append(names.setdefault(start, len(names)))
        ends.append(names.setdefault(end, len(names)))
        if as_written:
            written.update((starts[-1], ends[-1]))
        codes.append(relations.setdefault(relation, len(relations)))
        weights.append(weight)
    if not relations:
        return {}, []
    if len(relations) > 256:
        raise InputError(f"{len(relations)} relations; a store holds 256")
    place, code = _ranks(names, key=str.encode), _ranks(relations, key=str)
    flags = np.zeros(len(names), np.uint8)
    flags[place[sorted(written)]] = 1
    edges = _merged(place[starts], code[codes], place[ends], np.asarray(weights))
    arrays = {**Names.of(names).arrays(), "written": flags, **_rows(len(names), *edges)}
    return arrays, sorted(relations)


def _ranks(numbers: dict[str, int], key: Any) -> NDArray[np.int64]:
    """Where each number's name stands when the names are sorted."""
    ranks = np.empty(len(numbers), np.int64)
    ranks[[numbers[name] for name in sorted(numbers, key=key)]] = np.arange(len(numbers))
    return ranks


def _merged(starts: Array, codes: Array, ends: Array, weights: Array) -> tuple[Array, ...]:
    """Edges that were asserted more than once (other senses, other files) as one: weights add."""
    order = np.lexsort((ends, codes, starts))
    keys = np.stack([starts, codes, ends])[:, order]
    first = np.flatnonzero(np.r_[True, np.any(keys[:, 1:] != keys[:, :-1], axis=0)])
    summed = np.add.reduceat(weights[order], first)
    return (*keys[:, first], summed)


def _rows(size: int, starts: Array, codes: Array, ends: Array, weights: Array) -> dict[str, Array]:
    """Edges by start, and by end; within a concept the heaviest first."""
    order = np.lexsort((ends, codes, -weights, starts))
    starts, codes, ends, weights = (each[order] for each in (starts, codes, ends, weights))
    back = np.lexsort((starts, codes, -weights, ends))
    return {
        "outward": np.searchsorted(starts, np.arange(size + 1)).astype(np.uint32),
        "others": ends.astype(np.uint32),
        "relations": codes.astype(np.uint8),
        "weights": weights.astype(np.float32),
        "inward": np.searchsorted(ends[back], np.arange(size + 1)).astype(np.uint32),
        "edges": back.astype(np.uint32),
        "sources": starts[back].astype(np.uint32),
    }
