"""What a conversation shows of how it goes: numbers of turns that add up to numbers of the whole.

One side is judged. What it says is evidence, and so is how its partners take it: whether they
object, ask again, say the same once more, or are pleased. Every number of the whole is a sum of
shares of turns, so that a linear model of it can say exactly what each turn adds:

- a mean gives each turn of its side an equal part;
- the highest value belongs to the turn that has it;
- what grows with every new word (``varied``) is shared by who brought it.

Likeness to phrases is the cosine of a turn with the nearest of them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .deam import copies

Floats = NDArray[np.float64]

#: The part of a conversation that counts as its end.
_END = 3


class Read(NamedTuple):
    """The turns of a conversation that have a vector, and what is asked of them."""

    texts: Sequence[str]
    words: Sequence[Sequence[str]]
    ids: Sequence[Sequence[int]]  # of tokens
    vectors: Floats  # (turns, width), each of length 1
    own: NDArray[np.bool_]  # turns of the judged side
    follows: Floats  # how well each follows those before, NaN of the first
    phrases: Mapping[str, Floats]  # kinds of phrases -> their vectors, of length 1


class Facts:
    """What is counted of a conversation, once, for all that asks for it."""

    def __init__(self, read: Read) -> None:
        self.read = read
        self.repeats, self.echoes = copies(read.ids, read.own.astype(np.int64)).T
        self.before = _before(read.own)
        self.near = _near(read.vectors, self.before)

    def like(self, kind: str) -> Floats:
        """How like each turn is to the nearest phrase of a kind."""
        nearest: Floats = (self.read.vectors @ self.read.phrases[kind].T).max(axis=1)
        return nearest

    @property
    def taken(self) -> Floats:
        """The share of each turn's words that the other side has just said."""
        words = self.read.words
        return np.array(
            [
                sum(word in set(words[before]) for word in own) / len(own)
                if before >= 0 and own
                else 0.0
                for own, before in zip(words, self.before.tolist(), strict=True)
            ]
        )

    @property
    def follows(self) -> Floats:
        """How well each turn follows; the first is as good as the others are."""
        given = self.read.follows
        known = given[~np.isnan(given)]
        return np.where(np.isnan(given), known.mean() if len(known) else 0.0, given)

    @property
    def lengths(self) -> Floats:
        """The logarithm of each turn's words."""
        return np.log1p([len(words) for words in self.read.words])

    @property
    def asks(self) -> Floats:
        """Which turns ask something."""
        return np.array([float("?" in text) for text in self.read.texts])

    def brings(self, own: NDArray[np.bool_]) -> Floats:
        """By how much each turn of a side raises the logarithm of its distinct words."""
        said, gains = set[str](), np.zeros(len(own))
        for at in np.flatnonzero(own).tolist():
            before = len(said)
            said.update(self.read.words[at])
            gains[at] = np.log1p(len(said)) - np.log1p(before)
        return gains


def _before(own: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The turn of the other side that comes last before each; -1 for none.

    >>> _before(np.array([True, False, False, True])).tolist()
    [-1, 0, 0, 2]
    """
    last, before = {True: -1, False: -1}, []
    for at, side in enumerate(own.tolist()):
        before.append(last[not side])
        last[side] = at
    return np.array(before, np.int64)


def _near(vectors: Floats, before: NDArray[np.int64]) -> Floats:
    """The cosine of each turn with one before it; that of the others where there is none."""
    near = (vectors * vectors[np.maximum(before, 0)]).sum(axis=1)
    there = before >= 0
    return np.where(there, near, near[there].mean() if there.any() else 0.0)


Values = Callable[[Facts], Floats]
Shares = Callable[[Facts, NDArray[np.bool_]], Floats]


def _mean(of: Values) -> Shares:
    return lambda facts, side: of(facts) * side / max(1, side.sum())


def _last(of: Values) -> Shares:
    """The mean of a side's last third."""

    def shares(facts: Facts, side: NDArray[np.bool_]) -> Floats:
        places = np.flatnonzero(side)
        end = np.zeros_like(side)
        end[places[-max(1, len(places) // _END) :]] = True
        ended: Floats = of(facts) * end / max(1, end.sum())
        return ended

    return shares


def _highest(of: Values) -> Shares:
    def shares(facts: Facts, side: NDArray[np.bool_]) -> Floats:
        values = of(facts)
        highest = np.where(side, values, -np.inf).argmax()
        return np.where(np.arange(len(side)) == highest, values, 0.0) * side

    return shares


class Number(NamedTuple):
    """One number of a conversation, as shares of turns."""

    own: bool  # of the judged side; else of its partners
    shares: Shares
    counts: bool = False  # it knows how much was said


#: All that is asked, by name.
NUMBERS: dict[str, Number] = {
    "varied": Number(True, lambda facts, side: facts.brings(side), counts=True),
    "near": Number(True, _mean(lambda facts: facts.near)),
    "follows": Number(True, _mean(lambda facts: facts.follows)),
    "long": Number(True, _mean(lambda facts: facts.lengths), counts=True),
    "repeats": Number(True, _mean(lambda facts: facts.repeats)),
    "partner repeats": Number(False, _last(lambda facts: facts.repeats)),
    "partner asks": Number(False, _mean(lambda facts: facts.asks)),
    "partner takes words": Number(False, _mean(lambda facts: facts.taken)),
    "partner greets": Number(False, _highest(lambda facts: facts.like("greets"))),
    "partner objects": Number(False, _mean(lambda facts: facts.like("objects"))),
    "partner asks again": Number(False, _highest(lambda facts: facts.like("asks again"))),
    "partner is pleased": Number(False, _highest(lambda facts: facts.like("is pleased"))),
}


def shares(facts: Facts, names: Sequence[str]) -> Floats:
    """The share of each turn in each number, (turns, numbers)."""
    own = facts.read.own
    columns = [
        number.shares(facts, own if number.own else ~own)
        for number in (NUMBERS[name] for name in names)
    ]
    return np.stack(columns, axis=1) if columns else np.zeros((len(own), 0))
