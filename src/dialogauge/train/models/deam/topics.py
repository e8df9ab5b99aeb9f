"""Foreign turns and lost order, learnt from sentence vectors alone.

What the layers over sentence vectors see (``network.py: _Talk``) costs next to nothing; tokens read
together are nearly all that a step costs. So beside a few damaged excerpts each step shows those
layers many conversations of vectors, in which turns were exchanged for those of others of the same
corpus, or moved, drawn anew each time.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ....dialogue import Dialogue
from ...recipe import Count
from ...vectors import Ints

#: The shortest conversation that is shown, and the longest.
_SHORTEST, _LONGEST = 4, 18
#: How many are shown undamaged.
_WHOLE = 0.15

Rng = np.random.Generator
Vectors = Callable[[Sequence[str]], NDArray[Any]]


class Shown(NamedTuple):
    """Conversations of vectors, and which of their turns broke."""

    sentences: Tensor  # (rows, turns, width)
    speakers: Tensor  # (rows, turns), -1 where there is no turn
    broken: Tensor  # (rows, turns): 1, 0, or -1 where there is no turn


class _Talk(NamedTuple):
    """One conversation: the places of its turns in the table, who speaks, and what broke."""

    turns: Ints
    speakers: Ints
    broken: NDArray[np.bool_]


class Topics:
    """The conversations of some corpora as vectors; ``origins`` are the numbers of the corpora."""

    def __init__(
        self, dialogues: Sequence[Dialogue], origins: Sequence[int], vectors: Vectors, rows: Count
    ) -> None:
        texts = dict[str, int]()
        self._talks = [_numbered(each, texts) for each in dialogues]
        self._origins = np.array(origins)
        self._of_corpus = {at: np.flatnonzero(self._origins == at) for at in set(origins)}
        self._rows = rows
        self._table = np.nan_to_num(vectors(list(texts))).astype(np.float16)

    def drawn(self, rng: Rng) -> Shown:
        """Some conversations, most of them damaged."""
        chosen = rng.integers(len(self._talks), size=self._rows)
        talks = [self._damaged(int(at), rng) for at in chosen]
        turns = max(len(each.turns) for each in talks)
        places = np.zeros((len(talks), turns), np.int64)
        speakers = np.full(places.shape, -1)
        broken = np.full(places.shape, -1.0, np.float32)
        for row, talk in enumerate(talks):
            own = slice(len(talk.turns))
            places[row, own], speakers[row, own], broken[row, own] = talk
        sentences = self._table[places].astype(np.float32)
        return Shown(*map(torch.from_numpy, (sentences, speakers, broken)))

    def _damaged(self, at: int, rng: Rng) -> _Talk:
        talk = _excerpt(self._talks[at], rng)
        if rng.random() < _WHOLE or len(talk.turns) < _SHORTEST:
            return talk
        return _WAYS[rng.integers(len(_WAYS))](talk, self._foreign(at, rng), rng)

    def _foreign(self, at: int, rng: Rng) -> Ints:
        """Turns that follow each other in another conversation of the same corpus."""
        others = self._of_corpus[self._origins[at]]
        behind = rng.integers(1, max(2, len(others)))  # another one, where there is one
        other = others[(np.searchsorted(others, at) + behind) % len(others)]
        turns = self._talks[other].turns
        rest: Ints = turns[rng.integers(len(turns)) :]
        return rest


def _numbered(dialogue: Dialogue, texts: dict[str, int]) -> _Talk:
    names = dict[str, int]()
    turns = [texts.setdefault(turn.text, len(texts)) for turn in dialogue.turns]
    speakers = [names.setdefault(turn.speaker, len(names)) for turn in dialogue.turns]
    return _Talk(np.array(turns), np.array(speakers), np.zeros(len(turns), np.bool_))


def _excerpt(talk: _Talk, rng: Rng) -> _Talk:
    size = int(rng.integers(_SHORTEST, _LONGEST + 1))
    start = int(rng.integers(max(1, len(talk.turns) - size + 1)))
    own = slice(start, start + size)
    return _Talk(talk.turns[own], talk.speakers[own], talk.broken[own].copy())


def _replaced(talk: _Talk, foreign: Ints, rng: Rng) -> _Talk:
    """One turn is another's."""
    at = int(rng.integers(1, len(talk.turns)))
    talk.broken[at] = True
    turns = talk.turns.copy()
    turns[at] = foreign[0]
    return talk._replace(turns=turns)


def _spliced(talk: _Talk, foreign: Ints, rng: Rng) -> _Talk:
    """From one turn on all are another's, and follow each other: the first of them broke."""
    at = int(rng.integers(2, len(talk.turns)))
    talk.broken[at] = True
    turns = np.concatenate([talk.turns[:at], foreign])[: len(talk.turns)]
    return _Talk(turns, talk.speakers[: len(turns)], talk.broken[: len(turns)])


def _moved(talk: _Talk, foreign: Ints, rng: Rng) -> _Talk:
    """Two turns changed places; each follows what it did not, and so do those behind them."""
    one, two = sorted(rng.choice(np.arange(1, len(talk.turns)), 2, replace=False))
    order = np.arange(len(talk.turns))
    order[[one, two]] = order[[two, one]]
    return _ordered(talk, order)


def _swapped(talk: _Talk, foreign: Ints, rng: Rng) -> _Talk:
    """The second part comes first."""
    at = int(rng.integers(1, len(talk.turns)))
    return _ordered(talk, np.roll(np.arange(len(talk.turns)), -at))


def _shuffled(talk: _Talk, foreign: Ints, rng: Rng) -> _Talk:
    """All turns in any order."""
    return _ordered(talk, rng.permutation(len(talk.turns)))


def _ordered(talk: _Talk, order: Ints) -> _Talk:
    """Turns in another order, said by who speaks there; what follows another one broke."""
    broken = np.concatenate([[False], np.diff(order) != 1])
    return _Talk(talk.turns[order], talk.speakers, broken)


#: A foreign turn is what must be told most often.
_WAYS = (_replaced, _replaced, _replaced, _spliced, _moved, _swapped, _shuffled)
