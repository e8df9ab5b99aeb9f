"""Score, and Row: all scores of one dialogue."""

import math
from collections.abc import Mapping

import msgspec

from ..dialogue import Dialogue, Level, Number


class Cause(msgspec.Struct, frozen=True, array_like=True):
    """What broke, at which turn of the dialogue, counted from 0, and by which of its characters.

    ``spans`` are from the first character to before the last; none where it is the whole turn.
    """

    turn: int
    name: str
    spans: tuple[tuple[int, int], ...] = ()


class Score(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a metric says of one dialogue; higher is better.

    ``turns`` has one number per turn when the metric scores turns, NaN where a turn cannot be
    scored (never a silent 0), and is empty when it scores only the whole. ``aspects`` are named
    parts of the judgement, ``causes`` say what broke, and where. ``interval`` is where people's
    judgement lies nine times in ten, NaN for an end that is not known; None: the metric does not
    say.
    """

    value: Number
    turns: tuple[Number, ...] = ()
    aspects: Mapping[str, Number] = {}
    causes: tuple[Cause, ...] = ()
    interval: tuple[Number, Number] | None = None

    def __post_init__(self) -> None:
        force = msgspec.structs.force_setattr
        if self.value is None:
            force(self, "value", math.nan)
        if None in self.turns:
            force(self, "turns", tuple(math.nan if x is None else x for x in self.turns))
        if None in self.aspects.values():
            parts = {k: math.nan if x is None else x for k, x in self.aspects.items()}
            force(self, "aspects", parts)
        if self.interval is not None:
            ends = tuple(math.nan if x is None else x for x in self.interval)
            known = not all(isinstance(x, float) and math.isnan(x) for x in ends)
            force(self, "interval", ends if known else None)


class Row(msgspec.Struct, frozen=True, omit_defaults=True):
    """All scores of one dialogue, and enough of the dialogue to compare runs without it."""

    id: str
    digest: str
    context: str
    scores: Mapping[str, Score]
    system: str = ""
    level: Level = "dialogue"

    def value(self, metric: str) -> float:
        """The number to set against people: the last turn's at level ``turn``, else the whole's.

        NaN where the row has no such score.
        """
        score = self.scores.get(metric)
        if score is None:
            return math.nan
        return score.turns[-1] if self.level == "turn" and score.turns else score.value

    def interval(self, metric: str) -> tuple[float, float] | None:
        """Where people's judgement of :meth:`value` lies; None where the metric does not say.

        It is the whole's: None at level ``turn``, where the last turn has another number.
        """
        score = self.scores.get(metric)
        if score is None or score.value != self.value(metric):
            return None
        return score.interval


def row_of(dialogue: Dialogue, scores: Mapping[str, Score]) -> Row:
    """The row for a dialogue and its scores."""
    return Row(
        id=dialogue.id,
        digest=dialogue.digest,
        context=dialogue.context_key,
        scores=scores,
        system=dialogue.system,
        level=dialogue.level,
    )
