"""What a conversation shows of how it goes: numbers of turns that add up to numbers of the whole.

One side is judged. What it says is evidence, and so is how its partners take it: whether they
object, ask, say the same once more, or agree. Every number of the whole is a sum of shares of
turns, so that a linear model of it can say exactly what each turn adds:

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
#: The turns before one that it may take up.
_RECENT = 3


class Read(NamedTuple):
    """The turns of a conversation that have a vector, and what is asked of them."""

    texts: Sequence[str]
    words: Sequence[Sequence[str]]
    ids: Sequence[Sequence[int]]  # of tokens
    vectors: Floats  # (turns, width), each of length 1
    own: NDArray[np.bool_]  # turns of the judged side
    scores: Mapping[str, Floats]  # what other metrics say of each turn; NaN: nothing
    phrases: Mapping[str, Floats]  # kinds of phrases -> their vectors, of length 1


class Facts:
    """What is counted of a conversation, once, for all that asks for it."""

    def __init__(self, read: Read) -> None:
        self.read = read
        self.repeats, self.echoes = copies(read.ids, read.own.astype(np.int64)).T
        self.before = _before(read.own)
        likeness = read.vectors @ read.vectors.T
        places = np.arange(len(read.own))
        #: The cosine of each turn with the other side's last one.
        self.near = _known(likeness[places, self.before], self.before >= 0)
        #: The cosine of each turn with the three before it, as one text.
        self.joined = _known((read.vectors * _joined(read)).sum(axis=1), places > 0)
        earlier = np.tri(len(places), k=-1, dtype=np.bool_) & (read.own[:, None] == read.own)
        #: How like each turn is to the likest that its own side has said before.
        self.again = np.where(earlier, likeness, 0.0).max(axis=1).clip(0.0)

    def like(self, kind: str) -> Floats:
        """How like each turn is to the nearest phrase of a kind."""
        nearest: Floats = (self.read.vectors @ self.read.phrases[kind].T).max(axis=1)
        return nearest

    def scored(self, metric: str) -> Floats:
        """What a metric says of each turn; where it says nothing, the mean of the others."""
        given = self.read.scores[metric]
        return _known(given, ~np.isnan(given))

    @property
    def lengths(self) -> Floats:
        """The logarithm of each turn's words."""
        return np.log1p([len(words) for words in self.read.words])

    @property
    def asks(self) -> Floats:
        """Which turns ask something."""
        return np.array([float("?" in text) for text in self.read.texts])

    @property
    def news(self) -> Floats:
        """The share of each turn's words that none of the three before it has."""
        return np.array(
            [
                sum(word not in said for word in own) / max(1, len(own))
                for at, own in enumerate(self.read.words)
                for said in [set[str]().union(*self.read.words[max(0, at - _RECENT) : at])]
            ]
        )

    @property
    def fits(self) -> Floats:
        """How well each turn answers what was said: three likenesses, sense, and some news."""
        said = self.scored("relevance") + self.scored("deam")
        fits: Floats = self.near + self.joined + said + self.news / 2
        return fits

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


def _joined(read: Read) -> Floats:
    """Of each turn the direction of the three before it: their mean by words; zeros for none."""
    weights = np.array([max(1, len(words)) for words in read.words], np.float64)[:, None]
    sums = np.concatenate([np.zeros((1, read.vectors.shape[1])), read.vectors * weights]).cumsum(0)
    ends = np.arange(len(weights))
    recent: Floats = sums[ends] - sums[np.maximum(0, ends - _RECENT)]
    return recent / np.linalg.norm(recent, axis=1, keepdims=True).clip(1e-9)


def _known(values: Floats, there: NDArray[np.bool_]) -> Floats:
    """Values; where there is none, the mean of the others, or NaN if there is no other.

    >>> _known(np.array([np.nan, 1.0, 3.0]), np.array([False, True, True])).tolist()
    [2.0, 1.0, 3.0]
    """
    return np.where(there, values, values[there].mean() if there.any() else np.nan)


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
    "long": Number(True, _mean(lambda facts: facts.lengths), counts=True),
    "near": Number(True, _mean(lambda facts: facts.near)),
    "follows": Number(True, _mean(lambda facts: facts.scored("relevance"))),
    "hangs together": Number(True, _mean(lambda facts: facts.scored("deam"))),
    "asks": Number(True, _mean(lambda facts: facts.asks)),
    "repeats": Number(True, _mean(lambda facts: facts.repeats)),
    "fits": Number(True, _mean(lambda facts: facts.fits)),
    "partner asks": Number(False, _mean(lambda facts: facts.asks)),
    "partner says it again": Number(False, _highest(lambda facts: facts.again)),
    "partner follows": Number(False, _last(lambda facts: facts.scored("relevance"))),
    "partner objects": Number(False, _highest(lambda facts: facts.like("objects"))),
    "partner agrees": Number(False, _highest(lambda facts: facts.like("agrees"))),
    "partner greets": Number(False, _highest(lambda facts: facts.like("greets"))),
}


def shares(facts: Facts, names: Sequence[str], own: NDArray[np.bool_]) -> Floats:
    """The share of each turn in each number, (turns, numbers), if those are the judged turns."""
    columns = [
        number.shares(facts, own if number.own else ~own)
        for number in (NUMBERS[name] for name in names)
    ]
    return np.stack(columns, axis=1) if columns else np.zeros((len(own), 0))
