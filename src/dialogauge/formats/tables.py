"""CSV and TSV with named columns.

Two layouts, told apart by the header: a row per turn (``dialogue_id, speaker, text``), or a row per
judged response (``context, response``). ``system`` and ``rating.ASPECT`` columns are read in both.
"""

import csv
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any

import msgspec

from ..dialogue import Dialogue, Turn, convert, mend
from ..errors import InputError, RecordError
from . import streams
from .records import Count, Record, within_limit

#: What we call a column -> what people call it, in order of preference.
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "id": ("dialogue_id", "dialog_id", "conversation_id", "chat_id", "session_id", "id"),
    "speaker": ("speaker", "role", "author", "from", "sender"),
    "text": ("text", "utterance", "message", "content"),
    "context": ("context", "history"),
    "response": ("response", "reply"),
    "reference": ("reference", "references"),
    "system": ("system", "model"),
}

_SEPARATORS = re.compile(r"\s*(?:\|\|\||</UTT>|__eou__|\n)\s*")


class _Layout(msgspec.Struct, frozen=True):
    """Which of a table's columns holds what."""

    header: tuple[str, ...]
    columns: Mapping[str, str]

    @property
    def per_turn(self) -> bool:
        """A row per turn, rather than a row per response."""
        return "text" in self.columns

    def cells(self, row: Sequence[str]) -> dict[str, str]:
        """The row's cells by what they hold."""
        named = dict(zip(self.header, row, strict=True))
        return {ours: named[theirs] for ours, theirs in self.columns.items()}


def layout(header: Sequence[str], given: Mapping[str, str] | None = None) -> _Layout:
    """The layout of a header; an error that lists the columns when neither one fits."""
    names = tuple(name.strip() for name in header)
    folded = {name.casefold(): name for name in reversed(names)}
    columns = {
        ours: folded[theirs]
        for ours, candidates in _COLUMNS.items()
        if (theirs := next((name for name in candidates if name in folded), ""))
    }
    columns.update(_given(given or {}, names))
    ratings = {name: name for name in names if name.casefold().startswith("rating.")}
    if not {"speaker", "text"} <= columns.keys() and not {"context", "response"} <= columns.keys():
        raise InputError(
            f"the table has no speaker and text, nor context and response columns, but: "
            f"{', '.join(names)[:200]}",
            line=1,
            remedy="say which is which with columns, e.g. --columns text=utterance_body",
        )
    if {"speaker", "text"} <= columns.keys():
        columns.pop("context", "")
        columns.pop("response", "")
    return _Layout(names, {**columns, **ratings})


def _given(given: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    for ours, theirs in given.items():
        if ours not in _COLUMNS:
            raise InputError(f"columns: {ours!r} is none of {', '.join(_COLUMNS)}")
        if theirs not in names:
            raise InputError(f"columns: the table has no column {theirs!r}", line=1)
    return dict(given)


class _Line(msgspec.Struct, frozen=True):
    """One row: its line, its text, its cells, or what is wrong with it."""

    line: int
    raw: str
    cells: list[str]
    problem: str = ""


def rows(stream: IO[bytes], delimiter: str) -> Iterator[_Line]:
    """The rows of a table; one that cannot be read has a ``problem`` and the next are intact."""
    taken: list[str] = []

    def physical() -> Iterator[str]:
        """Lines with their ends (\\n, \\r\\n or \\r), which csv may find inside quotes."""
        while data := stream.readline(streams.RECORD_LIMIT + 1):
            within_limit(len(data), 0)
            for line in data.splitlines(keepends=True):
                taken.append(line.decode("utf-8", "surrogateescape"))
                yield taken[-1]

    csv.field_size_limit(streams.RECORD_LIMIT)  # csv keeps one limit for the whole process
    # strict: a quote that is never closed is an error, not the rest of the file as one cell.
    reader = csv.reader(physical(), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        taken.clear()
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raw = "".join(taken)
            yield _Line(line, raw, raw.rstrip("\r\n").split(delimiter), str(error))
            continue
        if cells is None:
            return
        if any(cell.strip() for cell in cells):
            yield _Line(line, "".join(taken), cells)


def cut(
    stream: IO[bytes], delimiter: str, given: Mapping[str, str] | None = None
) -> Iterator[Record]:
    """Rows grouped into dialogues; each record's value is its layout and rows."""
    table = rows(stream, delimiter)
    first = next(table, None)
    if first is None:
        return
    if first.problem:
        raise InputError(f"the header cannot be read: {first.problem}", line=1)
    shape = layout(first.cells, given)
    key = shape.header.index(shape.columns["id"]) if "id" in shape.columns else -1
    id = slice(key, key + 1)  # nothing without such a column: then the table is one dialogue
    group: list[_Line] = []
    size = 0
    for row in table:
        if group and not (shape.per_turn and group[-1].cells[id] == row.cells[id]):
            yield _record(shape, group)
            group, size = [], 0
        group.append(row)
        size += len(row.raw)
        within_limit(size, group[0].line)
    if group:
        yield _record(shape, group)


def _record(shape: _Layout, group: list[_Line]) -> Record:
    raw = "".join(row.raw for row in group).encode("utf-8", "surrogateescape")
    return Record(group[0].line, raw, (shape, tuple(group)))


def parse(record: Record, name: str, count: Count) -> Dialogue:
    """A dialogue from the rows of one record."""
    shape, group = record.value
    cells = []
    for row in group:
        if row.problem:
            raise RecordError(f"the row cannot be read: {row.problem}", line=row.line)
        if len(row.cells) != len(shape.header):
            expected = f"expected {len(shape.header)} cells, got {len(row.cells)}"
            raise RecordError(expected, line=row.line)
        cells.append({k: mend(cell, count) for k, cell in shape.cells(row.cells).items()})
    first = cells[0]
    fields = {
        "id": first.get("id", "").strip() or name,
        "system": first.get("system", ""),
        "ratings": _ratings(first, group[0].line),
    }
    if shape.per_turn:
        turns = [Turn(cell["speaker"].strip(), cell["text"]) for cell in cells]
        return convert(fields | {"turns": turns})
    return convert(fields | _per_response(first))


def _per_response(cells: dict[str, str]) -> dict[str, Any]:
    context = [text for text in _SEPARATORS.split(cells["context"]) if text.strip()]
    texts = [*context, cells["response"]]
    # Counted from the end, so that the judged side is always B.
    turns = [Turn("AB"[(len(texts) - at) % 2], text) for at, text in enumerate(texts)]
    references = [text for text in cells.get("reference", "").split("|||") if text.strip()]
    return {"turns": turns, "references": references, "level": "turn"}


def _ratings(cells: dict[str, str], line: int) -> dict[str, list[float]]:
    ratings = {}
    for column, cell in cells.items():
        if column.casefold().startswith("rating.") and cell.strip():
            try:
                given = [float(part) if part.strip() else math.nan for part in cell.split(";")]
            except ValueError:
                problem = f"expected numbers, got {cell[:40]!r}"
                raise RecordError(problem, line=line, field=column) from None
            ratings[column[len("rating.") :]] = given
    return ratings
