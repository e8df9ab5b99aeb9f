"""How many edges of ConceptNet lie between two words: how near their topics are to each other.

An edge is walked either way round, for *dog* and *cat* meet in *animal*, to which both lead and
from which nothing leads back. Further than three steps everything is near everything.

    >>> from dialogauge.knowledge import load_store
    >>> distances = Distances(load_store())
    >>> [distances.steps("coffee", word) for word in ("drink", "carrot", "coffee", "zzz")]
    [1, 2, 0, None]
"""

import numpy as np
from numpy.typing import NDArray

from .store import Store

#: The most steps that are walked.
_FURTHEST = 3
#: What is further than that.
_FAR = 255
#: Concepts whose distances are remembered (25 KB each in the store that ships), and words whose
#: concepts are; then all are forgotten.
_ROWS, _WORDS = 4000, 50_000


class Distances:
    """The distances of words in a store."""

    def __init__(self, store: Store) -> None:
        from scipy.sparse import coo_array

        starts, _, ends, weights = store.table()
        one, other = starts[weights > 0], ends[weights > 0]
        pairs = np.concatenate([one, other]), np.concatenate([other, one])
        here = np.ones(2 * len(one), np.uint8)
        self._store = store
        self._beside = coo_array((here, pairs), shape=(len(store),) * 2).tocsr()
        self._rows: dict[int, NDArray[np.uint8]] = {}
        self._numbers: dict[str, int] = {}

    def steps(self, one: str, other: str) -> int | None:
        """How many steps one word is from another; None beyond three, and of unknown words."""
        start, end = self._number(one), self._number(other)
        if start < 0 or end < 0:
            return None
        if start not in self._rows:
            if len(self._rows) >= _ROWS:
                self._rows.clear()
            self._rows[start] = self._walked(start)
        steps = int(self._rows[start][end])
        return steps if steps != _FAR else None

    def _number(self, word: str) -> int:
        """The concept a word stands for; -1: none."""
        if word not in self._numbers:
            if len(self._numbers) >= _WORDS:
                self._numbers.clear()
            name = next(iter(self._store.look_up(word)), None)
            self._numbers[word] = -1 if name is None else self._store.names.find(name)
        return self._numbers[word]

    def _walked(self, start: int) -> NDArray[np.uint8]:
        """How far every concept is from one."""
        steps = np.full(len(self._store), _FAR, np.uint8)
        steps[start], reached = 0, np.array([start])
        for step in range(1, _FURTHEST + 1):
            beside = np.unique(self._beside[reached].indices)
            reached = beside[steps[beside] == _FAR]
            steps[reached] = step
        return steps
