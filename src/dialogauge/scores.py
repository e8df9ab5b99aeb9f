"""Scores: dialogue x metric -> value and turn values, with the signature of what made them."""

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from .dialogue import Dialogue, Level
from .errors import UnknownNameError

if TYPE_CHECKING:
    Number = float
else:
    Number = float | None  # on disk, null is NaN


class Score(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a metric says of one dialogue; higher is better.

    ``turns`` has one number per turn when the metric scores turns, NaN where a turn cannot be
    scored (never a silent 0), and is empty when it scores only the whole. ``aspects`` are named
    parts of the judgement, ``causes`` names of what broke.
    """

    value: Number
    turns: tuple[Number, ...] = ()
    aspects: Mapping[str, Number] = {}
    causes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        force = msgspec.structs.force_setattr
        if self.value is None:
            force(self, "value", math.nan)
        if None in self.turns:
            force(self, "turns", tuple(math.nan if x is None else x for x in self.turns))
        if None in self.aspects.values():
            parts = {k: math.nan if x is None else x for k, x in self.aspects.items()}
            force(self, "aspects", parts)


class Row(msgspec.Struct, frozen=True, omit_defaults=True):
    """All scores of one dialogue, and enough of the dialogue to compare runs without it."""

    id: str
    digest: str
    context: str
    scores: Mapping[str, Score]
    system: str = ""
    level: Level = "dialogue"

    def judged(self, metric: str) -> float:
        """The number to set against people: the last turn's at level ``turn``, else the whole's."""
        score = self.scores[metric]
        return score.turns[-1] if self.level == "turn" and score.turns else score.value


class Scores(msgspec.Struct, frozen=True):
    """A table: one row per dialogue, one column per metric; ``signatures`` are the passports."""

    signatures: Mapping[str, str]
    rows: tuple[Row, ...]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def ids(self) -> tuple[str, ...]:
        """The dialogues' ids, in order."""
        return tuple(row.id for row in self.rows)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The columns' names, in order."""
        return tuple(self.signatures)

    def column(self, metric: str) -> NDArray[np.float64]:
        """One number per dialogue (see :meth:`Row.judged`)."""
        if metric not in self.signatures:
            raise UnknownNameError("scored metric", metric, self.signatures)
        return np.array([row.judged(metric) for row in self.rows], dtype=np.float64)


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


def table(signatures: Mapping[str, str], rows: Iterable[Row]) -> Scores:
    """A table from an iterator of rows."""
    return Scores(dict(signatures), tuple(rows))
