"""What a student reads: turns, and turns joined, in groups that belong together.

A group is four turns of a dialogue in a row, and the context of the fourth as one text. In a batch
stand groups of one dialogue's neighbours (true ones), of dialogues on near topics (near misses)
and of others (strangers), so that all likenesses that a metric asks for can be learnt from it.
"""

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from ....dialogue import Dialogue
from ....encode.encoder import Vectors

Ints = NDArray[np.int64]

#: Turns of a group, and the fewest and the most that are joined.
_TURNS = 4
_SHORTEST, _LONGEST = 2, 4
#: Groups among which near ones are looked for, and how many near ones stand together.
_POOL, _NEAR = 96, 4


class Groups(msgspec.Struct, frozen=True):
    """Texts, each once, and groups of them by their places."""

    texts: tuple[str, ...]
    groups: tuple[Ints, ...]

    def __len__(self) -> int:
        return len(self.groups)


def groups(dialogues: Sequence[Dialogue]) -> Groups:
    """Each dialogue in groups of four turns, with two to four turns joined beside them.

    >>> from dialogauge.dialogue import Turn
    >>> chat = Dialogue("1", tuple(Turn("AB"[at % 2], text) for at, text in enumerate("abcdef")))
    >>> both = groups([chat])
    >>> [[both.texts[place] for place in group] for group in both.groups]
    [['a', 'b', 'c', 'd', 'b c'], ['e', 'f']]
    """
    texts: dict[str, int] = {}
    grouped = []
    for number, dialogue in enumerate(dialogues):
        turns = [turn.text for turn in dialogue.turns]
        for which, start in enumerate(range(0, len(turns), _TURNS)):
            some, end = turns[start : start + _TURNS], start + _TURNS - 1
            if end <= len(turns):  # what the fourth turn answers, of several lengths
                length = _SHORTEST + (which + number) % (_LONGEST - _SHORTEST + 1)
                some.append(" ".join(turns[max(0, end - length) : end]))
            grouped.append(np.array([texts.setdefault(text, len(texts)) for text in some]))
    return Groups(tuple(texts), tuple(grouped))


class Batch(msgspec.Struct, frozen=True):
    """Texts by their places, each once, and which two of them stand in one group."""

    places: Ints  # (texts,)
    neighbours: NDArray[np.bool_]  # (texts, texts); no text is its own neighbour


def batches(groups: Groups, vectors: Vectors, size: int, rng: np.random.Generator) -> list[Ints]:
    """One epoch: the numbers of ``size`` groups for each batch, near ones in fours.

    Near by the mean of a teacher's ``vectors`` of the texts.
    """
    order = rng.permutation(len(groups))
    near: list[Ints] = []
    for start in range(0, len(order), _POOL):
        near += _clusters(groups, vectors, order[start : start + _POOL])
    shuffled = [near[at] for at in rng.permutation(len(near))]
    together = max(1, size // _NEAR)
    return [
        np.concatenate(shuffled[at : at + together]) for at in range(0, len(shuffled), together)
    ]


def batch(groups: Groups, numbers: Ints) -> Batch:
    """The texts of some groups.

    >>> three = Groups(("a", "b", "c"), (np.array([0, 1]), np.array([1, 2])))
    >>> both = batch(three, np.array([0, 1]))
    >>> both.places.tolist(), both.neighbours.astype(int).tolist()
    ([0, 1, 2], [[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    """
    places = np.unique(np.concatenate([groups.groups[at] for at in numbers]))
    neighbours = np.zeros((len(places), len(places)), bool)
    for at in numbers:
        rows = np.searchsorted(places, groups.groups[at])
        neighbours[np.ix_(rows, rows)] = True
    np.fill_diagonal(neighbours, False)
    return Batch(places, neighbours)


def _clusters(groups: Groups, vectors: Vectors, pool: Ints) -> list[Ints]:
    """A pool of groups in fours that are near each other."""
    means = np.stack([vectors[groups.groups[at]].mean(axis=0) for at in pool])
    means = means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9)
    likeness = means @ means.T
    left, clusters = list(range(len(pool))), []
    while left:
        first = left[0]
        nearest = sorted(left, key=lambda at: -likeness[first, at] if at != first else -2.0)
        clusters.append(pool[nearest[:_NEAR]])
        left = sorted(nearest[_NEAR:])
    return clusters
