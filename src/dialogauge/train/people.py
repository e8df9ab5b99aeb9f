"""Tuning sets: answers that people rated, which may choose between models and never teach them.

:func:`agreement` asks of an encoder what can be asked before any head is trained: does the cosine
of a response with the last turn, plus that with the last turns joined, rise with what people say?
"""

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from .. import corpora
from ..dialogue import Dialogue
from ..errors import DataError
from ..meta.correlation import coefficient

Floats = NDArray[np.float64]

#: The tuning sets of single answers, and the aspect of each that asks whether an answer fits.
TUNING = {
    "dailydialog-grade": "coherence",
    "zhao-dailydialog": "appropriateness",
    "usr-topical": "Overall",
    "engage": "engagement",
    "multiref": "appropriateness",
}
#: The last turns that are joined.
_JOINED = 3


def sides(item: Dialogue) -> tuple[str, str, str]:
    """The response of an item, the turn before it, and the last turns before it as one text.

    >>> from ..dialogue import Turn
    >>> sides(Dialogue("1", tuple(Turn("AB"[at % 2], text) for at, text in enumerate("abcde"))))
    ('e', 'd', 'b c d')
    """
    *context, response = [turn.text for turn in item.turns]
    return response, (context or [""])[-1], " ".join(context[-_JOINED:])


def agreement(encode: Callable[[Sequence[str]], NDArray[np.float32]]) -> dict[str, float]:
    """Spearman's correlation of both cosines together with people, on each tuning set that is here.

    ``encode`` gives one vector for each text.
    """
    spearman = coefficient("spearman").value
    return {
        name: spearman(cosines(encode, items), ratings)
        for name, (items, ratings) in _rated().items()
    }


@cache
def _rated() -> dict[str, tuple[tuple[tuple[str, str, str], ...], Floats]]:
    """The sides and the mean rating of each item of each set."""
    rated = {}
    for name, aspect in TUNING.items():
        try:
            items = corpora.load(name)
        except DataError:  # it cannot be asked here
            continue
        means = np.array([np.nanmean(item.ratings[aspect]) for item in items])
        rated[name] = tuple(map(sides, items)), means
    return rated


def cosines(
    encode: Callable[[Sequence[str]], NDArray[np.float32]], items: Sequence[tuple[str, ...]]
) -> Floats:
    """For each item the sum of the cosines of its first text with the others; NaN if one is empty.

    >>> letters = lambda texts: np.array([[each.count("a"), each.count("b")] for each in texts])
    >>> cosines(letters, [("a", "aa", "b"), ("ab", "ab", "ba")]).round(6).tolist()
    [1.0, 2.0]
    """
    texts = list(dict.fromkeys(text for sides in items for text in sides))
    place = {text: row for row, text in enumerate(texts)}
    vectors = np.asarray(encode(texts), np.float64)
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    first, *others = (vectors[[place[text] for text in side]] for side in zip(*items, strict=True))
    return np.asarray(sum((side * first).sum(axis=1) for side in others))
