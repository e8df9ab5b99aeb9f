"""Numbers kept in a file beside a page: what is not measured each time the page is written.

A long training writes down what it measured (:func:`keep`, :func:`read`). Rows that need something
which is not everywhere, a translator for example, are :func:`remembered`: where it is missing they
are shown as they were measured last, and say so.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from .. import __version__, atomic
from ..errors import InputError
from ..meta import Estimate
from .page import UNKNOWN

T = TypeVar("T")


def keep(path: Path, numbers: Any) -> None:
    """Write a value down, whole or not at all."""
    with atomic.reporting(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    atomic.write_json(path, numbers, indent=1)


def read(path: Path, kind: type[dict[str, T]]) -> dict[str, T]:
    """What was written down the last time; nothing if it never was."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        return {}
    except (msgspec.DecodeError, UnicodeDecodeError, OSError) as error:
        raise InputError(f"cannot be read: {error}", file=str(path)) from None


class Measurement(msgspec.Struct, frozen=True):
    """The numbers of a row, and when, by which version and with what they were measured."""

    numbers: dict[str, Estimate]
    date: str
    dialogauge: str
    using: str  # what must be installed for it


class Remembered(msgspec.Struct, frozen=True):
    """Rows by name; those that are not ``fresh`` were measured earlier."""

    rows: Mapping[str, Measurement]
    fresh: frozenset[str]

    def number(self, row: str, name: str) -> Estimate:
        """A number of a row, however old."""
        return self.rows[row].numbers.get(name, UNKNOWN) if row in self.rows else UNKNOWN

    def label(self, row: str) -> str:
        """The row's name, and, if it is not fresh, where its numbers come from."""
        if row in self.fresh or row not in self.rows:
            return row
        old = self.rows[row]
        how = f"measured on {old.date} by dialogauge {old.dialogauge} with {old.using}"
        return f"{row} ({how}; not here)"


def remembered(
    path: Path, numbers: Mapping[str, dict[str, Estimate]], using: Mapping[str, str]
) -> Remembered:
    """The rows measured now, and the others as the file has them, which is brought up to date.

    A row that gave the same numbers again keeps its date.
    """
    old, today = read(path, dict[str, Measurement]), datetime.now(UTC).date().isoformat()
    new = {
        name: Measurement(each, today, __version__, using[name])
        for name, each in numbers.items()
        # Encoded, because undefined numbers are alike.
        if name not in old or msgspec.json.encode(old[name].numbers) != msgspec.json.encode(each)
    }
    if new and path.parent.is_dir():
        keep(path, old | new)
    return Remembered(old | new, frozenset(numbers))
