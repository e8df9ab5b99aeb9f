"""Items: how people rated each dialogue, beside what is needed to doubt a correlation with it.

Scores and dialogues meet here, by id *and* digest: a score of other words under the same id is an
error, not a data point.
"""

import math
from collections.abc import Sequence

import msgspec
import numpy as np

from ..dialogue import Dialogue, Level
from ..errors import InputError, UnknownNameError
from ..scores import Scores
from . import agreement
from .bootstrap import codes
from .weighted import Codes, Floats


class Items(msgspec.Struct, frozen=True):
    """Rated dialogues as aligned columns."""

    dialogues: tuple[Dialogue, ...]
    level: Level
    matrix: Floats  # (items, raters), NaN where a rater gave none
    ratings: Floats  # the mean over raters
    words: Floats  # the length of what is judged
    systems: tuple[str, ...]
    clusters: Codes

    def __len__(self) -> int:
        return len(self.dialogues)

    def take(self, places: Codes) -> "Items":
        """Some of the items, their clusters numbered anew."""
        return Items(
            dialogues=tuple(self.dialogues[place] for place in places),
            level=self.level,
            matrix=self.matrix[places],
            ratings=self.ratings[places],
            words=self.words[places],
            systems=tuple(self.systems[place] for place in places),
            clusters=codes(self.clusters[places]),
        )


def rated(dialogues: Sequence[Dialogue], aspect: str) -> Items:
    """The dialogues on which somebody rated the aspect."""
    aspects = {name for dialogue in dialogues for name in dialogue.ratings}
    if not aspects:
        raise InputError("nobody rated these dialogues", remedy="evaluate on rated ones")
    if aspect not in aspects:
        raise UnknownNameError("rated aspect", aspect, aspects)
    kept = [one for one in dialogues if not math.isnan(one.rating(aspect))]
    if len({one.id for one in kept}) < len(kept):
        raise InputError("two dialogues have the same id", remedy="make the ids unique")
    levels = {one.level for one in kept}
    if len(levels) > 1:
        problem = f"{aspect!r} is rated on whole dialogues and on last turns"
        raise InputError(problem, remedy="evaluate each alone")
    return Items(
        dialogues=tuple(kept),
        level=levels.pop() if levels else "dialogue",
        matrix=agreement.matrix([one.ratings[aspect] for one in kept]),
        ratings=np.array([one.rating(aspect) for one in kept], dtype=np.float64),
        words=np.array([_words(one) for one in kept], dtype=np.float64),
        systems=tuple(one.system for one in kept),
        clusters=codes(one.context_key for one in kept),
    )


def column(scores: Scores, metric: str, dialogues: Sequence[Dialogue]) -> Floats:
    """A metric's number for each dialogue; NaN where it has none."""
    if metric not in scores.signatures:
        raise UnknownNameError("scored metric", metric, scores.signatures)
    rows = {row.id: row for row in scores.rows}
    absent = [one.id for one in dialogues if one.id not in rows]
    if absent:
        problem = f"{len(absent)} of {len(dialogues)} dialogues have no scores, first {absent[0]!r}"
        raise InputError(problem, remedy="score the dialogues that are evaluated")
    for one in dialogues:
        if rows[one.id].digest != one.digest:
            problem = f"dialogue {one.id!r} is not the one that was scored"
            raise InputError(problem, remedy="score it again")
    return np.array([rows[one.id].value(metric) for one in dialogues], dtype=np.float64)


def _words(dialogue: Dialogue) -> int:
    """The length of what is judged: the last turn's words, or all turns' (asides left out)."""
    turns = dialogue.turns[-1:] if dialogue.level == "turn" else dialogue.spoken.turns
    return sum(len(turn.words) for turn in turns)
