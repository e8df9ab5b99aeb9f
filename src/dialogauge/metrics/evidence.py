"""What a conversation shows of how it goes: numbers of turns that add up to numbers of the whole.

One side is judged. What it says is evidence, and so is how its partners take it: whether they
object, ask, say the same once more, or agree. Every number of the whole is a sum of shares of
turns, so that a linear model of it can say exactly what each turn adds:

- what tells how well a turn answers is a mean, to which each turn adds its own part;
- of the highest value all turns have an equal part of the second highest, and the turn that has it
  what it is above that;
- what is the manner of a side (how varied, how long, whether it asks) has no place: each of its
  turns has an equal part, or every turn that is longer than the others would seem to blame.

Likeness to phrases is the cosine of a turn with the nearest of them. What a turn has not, such as
a nearness to what was said before the first, is the mean of its side's others; where its side has
none, it is NaN, and so is the number.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

#: The part of a conversation that counts as its end.
_END = 3
#: Who says so much of one turn again has said nothing new, if it is so many words.
_SAID, _WORDS = 0.8, 4
#: What is so many times longer is a speech.
_SPEECH = 3
#: The turns that a turn is compared with, if it says something again.
_BACK = 50
#: What `relevance` gives copies is -1; what is merely foreign is near 0.
_COPIED = -0.5
#: The turns before one that it may take up.
_RECENT = 3


class Read(NamedTuple):
    """The turns of a conversation that have a vector, and what is asked of them."""

    texts: Sequence[str]
    words: Sequence[Sequence[str]]
    vectors: Floats  # (turns, width), each of length 1
    speakers: Sequence[str]
    own: Bools  # turns of the judged side
    scores: Mapping[str, Floats]  # what other metrics say of each turn; NaN: nothing
    phrases: Mapping[str, Floats]  # kinds of phrases -> their vectors, of length 1

    def first(self, count: int) -> "Read":
        """The same for the first turns alone."""
        return Read(
            self.texts[:count],
            self.words[:count],
            self.vectors[:count],
            self.speakers[:count],
            self.own[:count],
            {name: it[:count] for name, it in self.scores.items()},
            self.phrases,
        )


class Facts:
    """What is counted of a conversation."""

    def __init__(self, read: Read) -> None:
        self.read = read
        self.before = _before(read.own)
        #: Which turns their speaker has said before, and which are the other side's last turn.
        self.repeats, self.echoes = _said(read, self.before)
        likeness, places = read.vectors @ read.vectors.T, np.arange(len(read.own))
        near = np.where(self.echoes, 0.0, likeness[places, self.before])
        #: The cosine of each turn with the other side's last one, 0 of an echo.
        self.near = self._known(near, self.before >= 0)
        #: The cosine of each turn with the three before it, as one text.
        self.joined = self._known((read.vectors * _joined(read)).sum(axis=1), places > 0)
        earlier = np.tri(len(places), k=-1, dtype=np.bool_) & (read.own[:, None] == read.own)
        #: How like each turn is to the likest that its own side has said before.
        self.again = np.where(earlier, likeness, 0.0).max(axis=1).clip(0.0)

    def _known(self, values: Floats, there: Bools) -> Floats:
        """Values; where there is none, the mean of the side's others, or NaN if it has none."""
        filled = values.copy()
        for side in (self.read.own, ~self.read.own):
            known = side & there
            filled[side & ~there] = values[known].mean() if known.any() else np.nan
        return filled

    def like(self, kind: str) -> Floats:
        """How like each turn is to the nearest phrase of a kind."""
        nearest: Floats = (self.read.vectors @ self.read.phrases[kind].T).max(axis=1)
        return nearest

    def scored(self, metric: str) -> Floats:
        """What a metric says of each turn; where it says nothing, the mean of the others."""
        given = self.read.scores[metric]
        return self._known(given, ~np.isnan(given))

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

    @property
    def answers(self) -> Floats:
        """How well each turn fits; NaN of what has nothing to answer, or was said before."""
        said = (self.before < 0) | (self.read.scores["relevance"] < _COPIED)
        return np.where(said, np.nan, self.fits)

    def varied(self, side: Bools) -> float:
        """The logarithm of a side's distinct words."""
        words = (self.read.words[at] for at in np.flatnonzero(side).tolist())
        return float(np.log1p(len(set[str]().union(*words))))


def _before(own: Bools) -> NDArray[np.int64]:
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
    recent /= np.linalg.norm(recent, axis=1, keepdims=True).clip(1e-9)
    return recent


def _said(read: Read, before: NDArray[np.int64]) -> tuple[Bools, Bools]:
    """Which turns are mostly said before by their speaker, and which by the last of the others.

    That a short answer stands in a long speech says nothing.
    """
    sets = [set(words) for words in read.words]

    def same(at: int, other: int) -> bool:
        mine, theirs = sets[at], sets[other]
        return len(theirs) <= _SPEECH * len(mine) and len(mine & theirs) >= _SAID * len(mine)

    repeats, echoes = np.zeros((2, len(sets)), np.bool_)
    for at, speaker in enumerate(read.speakers):
        if len(read.words[at]) >= _WORDS:
            mine = (it for it in range(max(0, at - _BACK), at) if read.speakers[it] == speaker)
            repeats[at] = any(same(at, it) for it in mine)
            echoes[at] = before[at] >= 0 and same(at, int(before[at]))
    return repeats, echoes


Values = Callable[[Facts], Floats]
Shares = Callable[[Facts, Bools], Floats]


def mean_of(of: Values) -> Shares:
    """The mean of a side, to which each of its turns adds a like part."""
    return lambda facts, side: np.where(side, of(facts), 0.0) / max(1, side.sum())


def _evenly(whole: Callable[[Facts, Bools], float]) -> Shares:
    """A number of a side as a whole, of which each of its turns has an equal part."""
    return lambda facts, side: np.where(side, whole(facts, side) / max(1, side.sum()), 0.0)


def _usual(of: Values) -> Shares:
    """The mean of a side, shared evenly."""
    return _evenly(lambda facts, side: float(of(facts)[side].mean()) if side.any() else 0.0)


def _top(of: Values) -> Shares:
    """The highest of a side, shared evenly."""
    return _evenly(lambda facts, side: float(of(facts)[side].max()) if side.any() else 0.0)


def _last(of: Values) -> Shares:
    """The mean of a side's last third, shared evenly."""

    def whole(facts: Facts, side: Bools) -> float:
        places = np.flatnonzero(side)
        return (
            float(of(facts)[places[-max(1, len(places) // _END) :]].mean()) if len(places) else 0.0
        )

    return _evenly(whole)


def _highest(of: Values) -> Shares:
    """All turns share the second highest, and the first has what it is above that."""

    def shares(facts: Facts, side: Bools) -> Floats:
        places = np.flatnonzero(side)
        values, own = of(facts)[places], np.zeros(len(side))
        if not len(places):
            return own
        second = np.sort(values)[-2] if len(places) > 1 else values[0]
        own[places] = second / len(places)
        own[places[values.argmax()]] += values.max() - second
        return own

    return shares


class Number(NamedTuple):
    """One number of a conversation, as shares of turns."""

    judged: bool  # of the judged side; else of its partners
    shares: Shares
    counts: bool = False  # it knows how much was said


#: All that is asked, by name.
NUMBERS: dict[str, Number] = {
    "varied": Number(True, _evenly(lambda facts, side: facts.varied(side)), counts=True),
    "long": Number(True, _usual(lambda facts: facts.lengths), counts=True),
    "near": Number(True, mean_of(lambda facts: facts.near)),
    "follows": Number(True, mean_of(lambda facts: facts.scored("relevance"))),
    "hangs together": Number(True, mean_of(lambda facts: facts.scored("deam"))),
    "asks": Number(True, _usual(lambda facts: facts.asks)),
    "fits": Number(True, mean_of(lambda facts: facts.fits)),
    "partner asks": Number(False, _usual(lambda facts: facts.asks)),
    "partner says it again": Number(False, _highest(lambda facts: facts.again), counts=True),
    "partner follows": Number(False, _last(lambda facts: facts.scored("relevance"))),
    "partner objects": Number(False, _highest(lambda facts: facts.like("objects")), counts=True),
    "partner agrees": Number(False, _top(lambda facts: facts.like("agrees")), counts=True),
    "partner greets": Number(False, _top(lambda facts: facts.like("greets")), counts=True),
}


def shares(facts: Facts, numbers: Iterable[Number], own: Bools) -> Floats:
    """The share of each turn in each number, (turns, numbers), if those are the judged turns."""
    columns = [number.shares(facts, own if number.judged else ~own) for number in numbers]
    return np.stack(columns, axis=1) if columns else np.zeros((len(own), 0))
