"""The k-hop neighbours of a concept and their mean vectors, as GRADE (2020) computes them.

Of the concepts that v's edges lead to, **1-hop(v)** has the N whose vectors are nearest to v's, and
**k-hop(v)** the same N of the *multiset* of successors of all that was reached before, v left out.
The vector of a hop is the mean of its neighbours' (docs/guide/knowledge.md has the details).

A multiset is kept as concepts and how often each occurs; so three hops of a hub fit in memory.
What is random is seeded by the concept's name, so that no answer depends on an earlier one.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .store import Store
from .vectors import Floats, Vectors

#: The rank of a neighbour that has no vector.
_NO_VECTOR = -1e6
_UNKNOWN = -2
#: Further than this everything is a neighbour of everything.
_FURTHEST = 3
#: numpy draws without replacement from fewer than so many; with more it makes no difference.
_MANY = 10**9

Places = NDArray[np.int64]


class _Multiset(NamedTuple):
    """Concepts by number, and how often each occurs."""

    members: Places
    counts: Places


class Hops:
    """Neighbours within ``hops`` steps, ``limit`` of each distance (GRADE: 2 and 10, or 20)."""

    def __init__(
        self, store: Store, vectors: Vectors, *, limit: int = 10, hops: int = 2, seed: int = 0
    ) -> None:
        if limit < 1 or hops not in range(1, _FURTHEST + 1) or seed < 0:
            raise InputError(f"limit must be 1 or more, hops 1 to {_FURTHEST}, seed 0 or more")
        self.store, self.vectors = store, vectors
        self.limit, self.hops, self.seed = limit, hops, seed
        self._rows = np.full(len(store), _UNKNOWN, np.int64)  # concept -> row of its vector or -1

    def neighbours(self, concept: str) -> tuple[tuple[str, ...], ...]:
        """The names at each distance; a concept that is not in the store has none."""
        return tuple(
            tuple(self.store.names[int(member)] for member in chosen)
            for chosen in self._chosen(concept)
        )

    def means(self, concept: str) -> Floats | None:
        """The vector of each hop, (hops, width); ``None`` where the concept has no vector."""
        if concept not in self.vectors:
            return None
        means = np.zeros((self.hops, self.vectors.width), np.float32)
        for hop, chosen in enumerate(self._chosen(concept)):
            rows = self._vector_rows(chosen)
            if (rows >= 0).any():
                mean = self.vectors.rows(rows[rows >= 0]).mean(axis=0, dtype=np.float64)
                means[hop] = np.round(mean, 4)
        return means

    def _chosen(self, concept: str) -> Iterator[Places]:
        number = self.store.names.find(concept)
        origin = np.array([number] if number >= 0 else [], np.int64)
        reached = _Multiset(origin, np.ones_like(origin))
        digest = sha256(concept.encode("utf-8", "replace")).digest()
        rng = np.random.default_rng([self.seed, int.from_bytes(digest[:8], "little")])
        for _ in range(self.hops):
            reached = self._step(reached, number)
            yield self._choose(reached, concept, rng)

    def _step(self, reached: _Multiset, origin: int) -> _Multiset:
        """The successors of all members, without the origin."""
        totals = np.zeros(len(self.store), np.int64)
        for member, count in zip(*(each.tolist() for each in reached), strict=True):
            totals[self.store.successors(member)] += count
        if origin >= 0:
            totals[origin] = 0
        members = np.flatnonzero(totals)
        return _Multiset(members, totals[members])

    def _choose(self, reached: _Multiset, concept: str, rng: np.random.Generator) -> Places:
        members, counts = reached
        if not len(members):
            return members
        if counts.sum() < self.limit:
            return rng.choice(np.repeat(members, counts), self.limit)
        if concept not in self.vectors:
            return self._drawn(reached, rng)
        order = np.argsort(-self._ranks(members, concept), kind="stable")[: self.limit]
        return np.repeat(members[order], np.minimum(counts[order], self.limit))[: self.limit]

    def _drawn(self, reached: _Multiset, rng: np.random.Generator) -> Places:
        """Any of them; one that occurs twice is twice as likely."""
        members, counts = reached
        if counts.sum() >= _MANY:
            return rng.choice(members, self.limit, p=counts / counts.sum())
        return np.repeat(members, rng.multivariate_hypergeometric(counts, self.limit))

    def _ranks(self, members: Places, concept: str) -> NDArray[np.float64]:
        """The cosine of each member to the concept."""
        rows = self._vector_rows(members)
        ranks = np.full(len(members), _NO_VECTOR)
        placed = rows >= 0
        ranks[placed] = self.vectors.cosines(self.vectors[concept], rows[placed])
        return ranks

    def _vector_rows(self, members: Places) -> Places:
        """Which row of the vectors belongs to each concept; found once and kept."""
        for member in np.unique(members[self._rows[members] == _UNKNOWN]).tolist():
            self._rows[member] = self.vectors.names.find(self.store.names[member])
        return self._rows[members]
