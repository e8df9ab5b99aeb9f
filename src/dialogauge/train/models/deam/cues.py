"""No cue but meaning: which damage a turn gives away by itself, and what is left out for that.

Whoever sees a damaged turn alone must not be able to tell that it is one, or that is what a network
learns instead of reading the conversation. A classifier that sees nothing else (the sentence vector
and the surface) scores each turn before and after its edit, by folds; the edits that it finds most
conspicuous are left out until it can do no better than ``most``, and a new one is fitted to what is
left, until that cannot either. What then remains is balanced: of negations, as many that went away
as that came.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from ....atomic import writing
from ...classifying import Floats, area, out_of_fold
from .damage import restated
from .material import Excerpt
from .surface import surface

Vectors = Callable[[Sequence[str]], NDArray[np.float32]]

#: Rounds of fitting and leaving out.
_ROUNDS = 5
#: With fewer edits than this nothing can be said.
_FEW = 50
#: Edits that are looked at together: fitting takes their number times that of the features.
_TOGETHER = 3000


class Cue(msgspec.Struct, frozen=True):
    """How well the edits of one manipulation are told, each turn alone, at first and in the end."""

    name: str
    edits: int
    before: float  # area under the curve
    kept: int
    after: float


class _Edit(msgspec.Struct, frozen=True):
    """A turn that was rewritten where it stands: the excerpt, its damaged form, and both texts.

    Before it is what the undamaged conversation will show instead of it (``damage.restated``).
    """

    excerpt: int
    form: int
    before: str
    after: str


def _edits(excerpts: Sequence[Excerpt]) -> dict[str, list[_Edit]]:
    """The rewritten turns of excerpts by manipulation; what only moved looks as it did."""
    by_name: dict[str, list[_Edit]] = {}
    for at, excerpt in enumerate(excerpts):
        for form, worse in enumerate(excerpt.worse):
            if len(worse.turns) != len(excerpt.turns):
                continue
            for broken in worse.broken:
                after = worse.turns[broken.turn][1]
                before = restated(worse, broken) or excerpt.turns[broken.turn][1]
                if before != after and broken.spans:
                    by_name.setdefault(worse.name, []).append(_Edit(at, form, before, after))
    return by_name


def inconspicuous(
    before: Floats, after: Floats, groups: Sequence[int], most: float
) -> tuple[NDArray[np.bool_], float, float]:
    """Which edits to keep, and the area under the curve with all and with those.

    ``before`` and ``after`` are features of turns, (edits, features); ``groups`` keeps the edits of
    one conversation in one fold.
    """
    kept = np.ones(len(before), np.bool_)
    first = last = np.nan
    for _ in range(_ROUNDS):
        here = np.flatnonzero(kept)
        if len(here) < _FEW:
            break
        old, new = _scores(before[here], after[here], [groups[int(at)] for at in here])
        last = area(old, new)
        first = last if np.isnan(first) else first
        if last <= most:
            break
        kept[here[_conspicuous(old, new, 0.5 + (most - 0.5) / 2)]] = False
    return kept, float(first), float(last)


def _scores(before: Floats, after: Floats, groups: Sequence[int]) -> tuple[Floats, Floats]:
    """The scores of turns before and after, by a classifier that has not seen their group."""
    labels = np.repeat([0.0, 1.0], len(before))
    scores = out_of_fold(np.concatenate([before, after]), labels, [*groups, *groups])
    return scores[: len(before)], scores[len(before) :]


def _conspicuous(old: Floats, new: Floats, most: float) -> NDArray[np.int64]:
    """The edits that raise the score most, as few as bring the area under the curve to ``most``."""
    order = np.argsort(old - new)  # the most conspicuous first
    low, high = 0, len(order) - 1
    while low < high:
        middle = (low + high) // 2
        rest = order[middle:]
        if area(old[rest], new[rest]) <= most:
            high = middle
        else:
            low = middle + 1
    return order[:low]


class Balance(msgspec.Struct, frozen=True):
    """The damaged forms that are left out, as places of an excerpt and a form; and the table."""

    dropped: tuple[tuple[int, int], ...]
    table: tuple[Cue, ...]

    def left(self, excerpts: Sequence[Excerpt]) -> list[Excerpt]:
        """The excerpts without them."""
        dropped = set(self.dropped)
        return [_without(each, at, dropped) for at, each in enumerate(excerpts)]


def balance(
    excerpts: Sequence[Excerpt], vectors: Vectors, most: float, spared: Sequence[str], folder: Path
) -> Balance:
    """What of the damage a turn alone gives away, kept in a folder: it takes minutes.

    What breaks the form itself (``spared``) shows in the turn, and has to.
    """
    found = _edits(excerpts)
    facts = msgspec.json.encode((most, spared, found))
    path = folder / f"cues-{sha256(facts).hexdigest()[:16]}.json"
    if not path.exists():
        made = _balance(found, vectors, most, spared)
        with writing(path) as file:
            file.write(msgspec.json.encode(made))
    return msgspec.json.decode(path.read_bytes(), type=Balance)


def _balance(
    edits: Mapping[str, Sequence[_Edit]], vectors: Vectors, most: float, spared: Sequence[str]
) -> Balance:
    dropped, table = set[tuple[int, int]](), list[Cue]()
    for name, found in edits.items():
        if name in spared:
            continue
        texts = [each.before for each in found] + [each.after for each in found]
        surfaces = [surface(text) for text in texts]
        features = np.hstack([np.nan_to_num(vectors(texts)), surfaces])
        half = len(found)
        kept, cue = _looked_through(name, found, features[:half], features[half:], most)
        table.append(cue)
        dropped |= {(it.excerpt, it.form) for it, keep in zip(found, kept, strict=True) if not keep}
    return Balance(tuple(sorted(dropped)), tuple(table))


def _looked_through(
    name: str, found: Sequence[_Edit], before: Floats, after: Floats, most: float
) -> tuple[NDArray[np.bool_], Cue]:
    """What is kept of one manipulation's edits, some thousand at a time; areas are their means."""
    kept, firsts, lasts = np.ones(len(found), np.bool_), [], []
    parts = max(1, round(len(found) / _TOGETHER))
    for part in np.array_split(np.arange(len(found)), parts):
        groups = [found[at].excerpt for at in part]
        kept[part], first, last = inconspicuous(before[part], after[part], groups, most)
        firsts.append(first)
        lasts.append(last)
    areas = float(np.mean(firsts)), float(np.mean(lasts))
    return kept, Cue(name, len(found), areas[0], int(kept.sum()), areas[1])


def _without(excerpt: Excerpt, at: int, dropped: set[tuple[int, int]]) -> Excerpt:
    left = tuple(it for form, it in enumerate(excerpt.worse) if (at, form) not in dropped)
    return msgspec.structs.replace(excerpt, worse=left)
