"""No cue but meaning: what a turn alone gives away of damage, made little and measured.

Whoever sees a turn alone should not be able to tell that it was damaged, or that is what a network
learns instead of reading the conversation. Two things are done against it. Undamaged turns are
edited, too (``batch.Mixing``, ``damage.restated``). And damage that goes one way goes the other way
as often (:func:`balance`): of negations, as many that came as that went; of exchanged speakers, as
many who say *you* for *I* as *I* for *you*. What goes the way that is more frequent is left out by
chance. (To leave out what a classifier finds conspicuous teaches the opposite: what is left looks
better than what people say, and a network soon prefers the damaged.)

What a turn still gives away is measured by a classifier that sees nothing else, its sentence vector
and its surface, by folds: the table goes on the card.
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Container, Hashable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from ....manipulate.manipulation import seeded
from ...classifying import FOLDS, area, out_of_fold
from .batch import Mixing, forms
from .damage import WRITTEN, restated
from .material import Excerpt
from .rows import Rows, spread
from .surface import surface

Vectors = Callable[[Sequence[str]], NDArray[np.float32]]

_NEGATIONS = re.compile(r"\b(?:not|no|never|cannot|nothing|nobody)\b|n['’]t\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|myself)\b", re.IGNORECASE)
#: Manipulations that go one way or the other, and the words that come or go.
_TURNS = {
    **dict.fromkeys(("negation", "contradiction", "self-contradiction"), _NEGATIONS),
    "speaker-confusion": _FIRST_PERSON,
}
#: Turns that a classifier learns from, for each line of the table.
_SAMPLE = 1500


class Cue(msgspec.Struct, frozen=True):
    """How well a classifier that sees turns alone tells damaged ones."""

    name: str
    edits: int
    kept: int
    area: float  # under the curve; guessing: 0.5


class _Edit(msgspec.Struct, frozen=True):
    """A rewritten turn: where, and both texts.

    Before it is what the undamaged conversation will show instead of it (``damage.restated``).
    """

    excerpt: int
    form: int
    before: str
    after: str


def balance(excerpts: Sequence[Excerpt], seed: int) -> list[Excerpt]:
    """The excerpts, with as many edits that go one way as the other."""
    dropped = set[tuple[int, int]]()
    edits = _edits(excerpts, set(_TURNS))
    for name, words in _TURNS.items():
        ways: dict[int, list[_Edit]] = {-1: [], 1: []}
        for edit in edits[name]:
            came = len(words.findall(edit.after)) - len(words.findall(edit.before))
            if came:
                ways[1 if came > 0 else -1].append(edit)
        fewer = min(map(len, ways.values()))
        for some in ways.values():
            seeded(seed, name, "balance").shuffle(some)
            dropped |= {(edit.excerpt, edit.form) for edit in some[fewer:]}
    return [_without(each, at, dropped) for at, each in enumerate(excerpts)]


def measure(
    excerpts: Sequence[Excerpt],
    left: Sequence[Excerpt],
    vectors: Vectors,
    rows: Rows,
    mixing: Mixing,
) -> list[Cue]:
    """What turns give away: all turns of both classes, then the edits of each manipulation.

    ``left`` are the excerpts after :func:`balance`, ``rows`` the same as numbers.
    """
    cues, every, kept = [_of_classes(rows, mixing, vectors)], _edits(excerpts), _edits(left)
    for name, edits in kept.items():
        some = spread(edits, _SAMPLE)
        old, new = [it.before for it in some], [it.after for it in some]
        told = _told(old, new, [_source(left[it.excerpt]) for it in some], vectors)
        cues.append(Cue(name, len(every[name]), len(edits), told))
    return cues


def _source(excerpt: Excerpt) -> str:
    """The conversation that an excerpt is from, of which no two folds may have a part."""
    return excerpt.id.rpartition(":")[0] or excerpt.id


def _of_classes(rows: Rows, mixing: Mixing, vectors: Vectors) -> Cue:
    """Turns of undamaged conversations, and turns of damaged ones, as training shows them."""
    rng = np.random.default_rng(0)
    sides: tuple[list[str], list[str]] = [], []
    groups: tuple[list[int], list[int]] = [], []
    for at, group in enumerate(spread(rows.groups, _SAMPLE // 5)):
        whole, *damaged = forms(rows, group, mixing, rng)
        for side, form in enumerate((whole, damaged[rng.integers(len(damaged))])):
            sides[side].extend(rows.texts[text] for text in form.turns)
            groups[side].extend([at] * len(form.turns))
    told = _told(*sides, groups[0] + groups[1], vectors)
    count = sum(len(group.worse) for group in rows.groups)
    return Cue("all turns of both classes", count, count, told)


def _told(
    old: Sequence[str], new: Sequence[str], groups: Sequence[Hashable], vectors: Vectors
) -> float:
    """The area under the curve of a classifier that has not seen the group of a text."""
    if len(set(groups)) < FOLDS:
        return math.nan  # too little to say
    texts = [*old, *new]
    features = np.hstack([np.nan_to_num(vectors(texts)), [surface(text) for text in texts]])
    labels = np.repeat([0.0, 1.0], [len(old), len(new)])
    every = groups if len(groups) == len(texts) else [*groups, *groups]
    scores = out_of_fold(features, labels, every)
    return float(area(scores[: len(old)], scores[len(old) :]))


def _edits(excerpts: Sequence[Excerpt], names: Container[str] = ()) -> dict[str, list[_Edit]]:
    """The turns that each manipulation rewrote where they stand; what only moved looks as it did.

    Of all manipulations, unless some are named.
    """
    edits = defaultdict[str, list[_Edit]](list)
    for at, excerpt in enumerate(excerpts):
        for form, worse in enumerate(excerpt.worse):
            if (names and worse.name not in names) or len(worse.turns) != len(excerpt.turns):
                continue
            for broken in worse.broken:
                after = worse.turns[broken.turn][1]
                before = restated(worse, broken) or excerpt.turns[broken.turn][1]
                if before != after and (broken.spans or worse.name in WRITTEN):
                    edits[worse.name].append(_Edit(at, form, before, after))
    return edits


def _without(excerpt: Excerpt, at: int, dropped: set[tuple[int, int]]) -> Excerpt:
    left = tuple(it for form, it in enumerate(excerpt.worse) if (at, form) not in dropped)
    return msgspec.structs.replace(excerpt, worse=left)
