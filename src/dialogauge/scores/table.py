"""Scores: dialogue x metric -> value and turn values, with the signature of what made them."""

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..errors import DialogaugeError, UnknownNameError
from .files import FIELDS, flat, load, save
from .score import Row


class Scores(msgspec.Struct, frozen=True):
    """A table: one row per dialogue, one column per metric; ``signatures`` are the passports."""

    signatures: Mapping[str, str]
    rows: tuple[Row, ...]

    @classmethod
    def read(cls, path: str | Path) -> "Scores":
        """A table from a file that :meth:`write` or ``dialogauge score`` made."""
        return cls(*load(Path(path)))

    def write(self, path: str | Path) -> None:
        """Write JSONL, CSV or Parquet by the path's ending, whole or not at all."""
        save(Path(path), self.signatures, self.rows)

    def to_polars(self) -> Any:
        """A polars frame, one row per dialogue (when polars is installed)."""
        return _frame_of("polars", self)

    def to_pandas(self) -> Any:
        """A pandas frame, one row per dialogue (when pandas is installed)."""
        return _frame_of("pandas", self)

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
        """One number per dialogue (see :meth:`Row.value`)."""
        if metric not in self.signatures:
            raise UnknownNameError("scored metric", metric, self.signatures)
        return np.array([row.value(metric) for row in self.rows], dtype=np.float64)


def _frame_of(library: str, scores: Scores) -> Any:
    try:
        frames = importlib.import_module(library)
    except ImportError:
        raise DialogaugeError(f"to_{library} needs {library}: pip install {library}") from None
    parts = ("", ".low", ".high", ".turns")
    names = [*FIELDS, *(metric + part for metric in scores.metrics for part in parts)]
    rows = [flat(row, scores.metrics) for row in scores.rows]
    return frames.DataFrame({name: [row[name] for row in rows] for name in names})
