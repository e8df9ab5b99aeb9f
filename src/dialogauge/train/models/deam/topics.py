"""Foreign turns and lost order, learnt from sentence vectors alone.

What the layers over sentence vectors see (``network.py: Joint.aside``) costs next to nothing, and
tokens read together are nearly all that a step costs. So each step shows those layers, beside a few
damaged excerpts, many conversations of vectors, in which turns were exchanged for those of others
of the same corpus, or moved, drawn anew each time.
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
#: How many are shown undamaged; of the others, how many with foreign turns, and of these how many
#: with several that follow each other.
_WHOLE, _FOREIGN, _SPLICED = 0.15, 0.57, 0.25

Rng = np.random.Generator
Vectors = Callable[[Sequence[str]], NDArray[Any]]


class Shown(NamedTuple):
    """Conversations of vectors, and which of their turns broke."""

    sentences: Tensor  # (rows, turns, width)
    speakers: Tensor  # (rows, turns), -1 where there is no turn
    broken: Tensor  # (rows, turns): 1, 0, or -1 where there is no turn


class _Chat(NamedTuple):
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
        self._chats = [_numbered(each, texts) for each in dialogues]
        self._origins = np.array(origins)
        self._of_corpus = {at: np.flatnonzero(self._origins == at) for at in set(origins)}
        self._rows = rows
        self._table = vectors(list(texts)).astype(np.float16)

    def drawn(self, rng: Rng) -> Shown:
        """Some conversations, most of them damaged."""
        chosen = rng.integers(len(self._chats), size=self._rows)
        chats = [self._damaged(int(at), rng) for at in chosen]
        turns = max(len(each.turns) for each in chats)
        places = np.zeros((len(chats), turns), np.int64)
        speakers = np.full(places.shape, -1)
        broken = np.full(places.shape, -1.0, np.float32)
        for row, chat in enumerate(chats):
            own = slice(len(chat.turns))
            places[row, own], speakers[row, own], broken[row, own] = chat
        sentences = self._table[places].astype(np.float32)
        return Shown(*map(torch.from_numpy, (sentences, speakers, broken)))

    def _damaged(self, at: int, rng: Rng) -> _Chat:
        chat = _excerpt(self._chats[at], rng)
        if rng.random() < _WHOLE or len(chat.turns) < _SHORTEST:
            return chat
        others = self._of_corpus[self._origins[at]]
        if len(others) > 1 and rng.random() < _FOREIGN:
            other = others[
                (np.searchsorted(others, at) + rng.integers(1, len(others))) % len(others)
            ]
            foreign = self._chats[other].turns
            return _joined(chat, foreign[rng.integers(len(foreign)) :], rng)
        return _ordered(chat, _ORDERS[rng.integers(len(_ORDERS))](len(chat.turns), rng))


def _numbered(dialogue: Dialogue, texts: dict[str, int]) -> _Chat:
    names = dict[str, int]()
    turns = [texts.setdefault(turn.text, len(texts)) for turn in dialogue.turns]
    speakers = [names.setdefault(turn.speaker, len(names)) for turn in dialogue.turns]
    return _Chat(np.array(turns), np.array(speakers), np.zeros(len(turns), np.bool_))


def _excerpt(chat: _Chat, rng: Rng) -> _Chat:
    size = int(rng.integers(_SHORTEST, _LONGEST + 1))
    start = int(rng.integers(max(1, len(chat.turns) - size + 1)))
    own = slice(start, start + size)
    return _Chat(chat.turns[own], chat.speakers[own], chat.broken[own].copy())


def _joined(chat: _Chat, foreign: Ints, rng: Rng) -> _Chat:
    """One turn is another's, or all from one on, of which the first broke."""
    at = int(rng.integers(1, len(chat.turns)))
    chat.broken[at] = chat.turns[at] != foreign[0]
    parts = [chat.turns[:at], foreign[:1], chat.turns[at + 1 :]]
    if rng.random() < _SPLICED:
        parts = [chat.turns[:at], foreign]
    turns = np.concatenate(parts)[: len(chat.turns)]
    return _Chat(turns, chat.speakers[: len(turns)], chat.broken[: len(turns)])


def _ordered(chat: _Chat, order: Ints) -> _Chat:
    """Turns in another order, said by who speaks there; what follows another one broke."""
    last = len(order) - 1
    behind = order[:-1] + 1  # what stood behind each
    same = (behind <= last) & (chat.turns[np.minimum(behind, last)] == chat.turns[order[1:]])
    return _Chat(chat.turns[order], chat.speakers, np.concatenate([[False], ~same]))


def _exchanged(count: int, rng: Rng) -> Ints:
    """Two turns changed places, neither of them the first."""
    one, two = rng.choice(np.arange(1, count), 2, replace=False)
    order = np.arange(count)
    order[[one, two]] = order[[two, one]]
    return order


def _halved(count: int, rng: Rng) -> Ints:
    """The second part comes first."""
    return np.roll(np.arange(count), -int(rng.integers(1, count)))


def _shuffled(count: int, rng: Rng) -> Ints:
    """Any order."""
    return rng.permutation(count)


_ORDERS = (_exchanged, _halved, _shuffled)
