"""Tables of scores on disk: JSONL, CSV or Parquet.

JSONL is a header line with the signatures, then a row per dialogue; in CSV turn values are JSON in
a cell and text that a spreadsheet would run as a formula is defused. All three hold the same and
are read back equal; NaN is null or an empty cell.
"""

import csv
import io
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, TypeVar

import msgspec

from .. import atomic
from ..errors import InputError, RecordError, UnknownNameError
from .score import Cause, Row, Score

# JSONL: a header line, then a row per line.


class _Header(msgspec.Struct, frozen=True):
    """The first line of a JSONL table."""

    dialogauge: str
    signatures: Mapping[str, str]


_ENCODE = msgspec.json.Encoder().encode
_HEADER = msgspec.json.Decoder(_Header)
_ROW = msgspec.json.Decoder(Row)
_T = TypeVar("_T")


def header_line(signatures: Mapping[str, str]) -> bytes:
    """The first line of a JSONL table."""
    from .. import __version__

    return _ENCODE(_Header(__version__, signatures)) + b"\n"


def row_line(row: Row) -> bytes:
    """One line of a JSONL table."""
    return _ENCODE(row) + b"\n"


def read_jsonl(file: IO[bytes]) -> tuple[Mapping[str, str], Iterator[Row]]:
    """The signatures and an iterator of rows; an error names the line."""
    signatures = _decoded(_HEADER, file.readline(), 1).signatures
    return signatures, (_decoded(_ROW, line, at) for at, line in enumerate(file, 2))


def _decoded(decoder: "msgspec.json.Decoder[_T]", line: bytes, number: int) -> _T:
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _not_scores(str(error), number) from None


def _not_scores(problem: str, line: int = 0) -> RecordError:
    remedy = "a table of scores is made by: dialogauge score ... --out FILE"
    return RecordError(f"this is no table of scores: {problem}", line=line, remedy=remedy)


def _write_jsonl(file: IO[bytes], signatures: Mapping[str, str], rows: Iterable[Row]) -> None:
    file.write(header_line(signatures))
    for row in rows:
        file.write(row_line(row))


# Flat: a column per field of the dialogue, six per metric. What CSV, Parquet and frames share.

FIELDS = ("id", "system", "level", "context", "digest")


def flat(row: Row, metrics: Iterable[str]) -> dict[str, Any]:
    """The cells of a row by the names of their columns."""
    cells: dict[str, Any] = {field: getattr(row, field) for field in FIELDS}
    for metric in metrics:
        score = row.scores[metric]
        low, high = score.interval or (math.nan, math.nan)
        cells[metric] = _null(score.value)
        cells[f"{metric}.low"], cells[f"{metric}.high"] = _null(low), _null(high)
        cells[f"{metric}.turns"] = [_null(turn) for turn in score.turns]
        cells[f"{metric}.aspects"] = _ENCODE(score.aspects).decode() if score.aspects else ""
        cells[f"{metric}.causes"] = [msgspec.structs.asdict(cause) for cause in score.causes]
    return cells


def _unflat(cells: Mapping[str, Any], metrics: Iterable[str]) -> Row:
    scores = {}
    for metric in metrics:
        aspects = cells[f"{metric}.aspects"]
        scores[metric] = Score(
            cells[metric],
            tuple(cells[f"{metric}.turns"]),
            msgspec.json.decode(aspects, type=dict[str, float | None]) if aspects else {},
            tuple(_cause(cause) for cause in cells[f"{metric}.causes"]),
            _ends(cells, metric),
        )
    fields = {field: cells[field] for field in FIELDS}
    return msgspec.convert(fields | {"scores": scores}, Row)


def _ends(cells: Mapping[str, Any], metric: str) -> tuple[float, float]:
    """The ends of an interval, null where there is none; older tables lack the columns."""
    return cells.get(f"{metric}.low", math.nan), cells.get(f"{metric}.high", math.nan)


def _cause(cells: Mapping[str, Any]) -> Cause:
    spans = msgspec.convert(cells.get("spans") or (), tuple[tuple[int, int], ...])
    return Cause(cells["turn"], cells["name"], spans)


def _null(number: float) -> float | None:
    return None if math.isnan(number) else number


# CSV: lists are JSON in a cell; a column of its own carries each metric's signature.

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")


def _defused(cell: str) -> str:
    """Text that no spreadsheet runs as a formula.

    >>> _defused("=cmd()"), _defused("hello")
    ("'=cmd()", 'hello')
    """
    return "'" + cell if cell.startswith(_FORMULA) else cell


def _fused(cell: str) -> str:
    return cell[1:] if cell.startswith("'") else cell


def _write_csv(file: IO[bytes], signatures: Mapping[str, str], rows: Iterable[Row]) -> None:
    text = io.TextIOWrapper(file, "utf-8", "replace", newline="")
    parts = ("", ".low", ".high", ".turns", ".aspects", ".causes", ".signature")
    names = [*FIELDS, *(metric + part for metric in signatures for part in parts)]
    # All text is quoted: csv itself would leave a lone \r bare.
    table = csv.DictWriter(text, names, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    table.writeheader()
    passports = {
        f"{metric}.signature": _defused(passport) for metric, passport in signatures.items()
    }
    for row in rows:
        cells = {name: _csv_cell(cell) for name, cell in flat(row, signatures).items()}
        table.writerow(cells | passports)
    text.flush()
    text.detach()  # the file is not ours to close


def _csv_cell(cell: Any) -> Any:
    if isinstance(cell, str):
        return _defused(cell)
    return _ENCODE(cell).decode() if isinstance(cell, list) else cell


def _read_csv(file: IO[bytes]) -> tuple[Mapping[str, str], Iterator[Row]]:
    table = csv.DictReader((line.decode("utf-8", "replace") for line in file), strict=True)
    try:
        names = table.fieldnames or ()
        if not set(FIELDS) <= set(names):
            raise _not_scores(f"it lacks the columns {', '.join(FIELDS)}", 1)
        metrics = [name.removesuffix(".signature") for name in names if name.endswith(".signature")]
        signatures = dict.fromkeys(metrics, "")
        rows = []
        for raw in table:
            signatures = {metric: _fused(raw[f"{metric}.signature"]) for metric in metrics}
            rows.append(_unflat(_csv_cells(raw, metrics), metrics))
    except (csv.Error, AttributeError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise _not_scores(f"{error or 'a row is cut'}", table.line_num) from None
    return signatures, iter(rows)


def _csv_cells(raw: Mapping[str, str], metrics: Iterable[str]) -> dict[str, Any]:
    cells: dict[str, Any] = {field: _fused(raw[field]) for field in FIELDS}
    for metric in metrics:
        cells[metric] = _csv_number(raw[metric])
        for end in (f"{metric}.low", f"{metric}.high"):
            cells[end] = _csv_number(raw.get(end, ""))  # not in older tables
        cells[f"{metric}.turns"] = msgspec.json.decode(raw[f"{metric}.turns"])
        cells[f"{metric}.aspects"] = _fused(raw[f"{metric}.aspects"])
        cells[f"{metric}.causes"] = msgspec.json.decode(raw[f"{metric}.causes"])
    return cells


def _csv_number(cell: str) -> float | None:
    return float(cell) if cell else None


# Parquet: real lists, signatures in the schema's metadata.

_ROW_GROUP = 10_000


def _schema(signatures: Mapping[str, str]) -> Any:
    import pyarrow as pa

    numbers = pa.list_(pa.float64())
    spans = pa.list_(pa.list_(pa.int64()))
    kind = pa.struct([("turn", pa.int64()), ("name", pa.string()), ("spans", spans)])
    causes = pa.list_(kind)
    kinds = {part: pa.float64() for part in ("", ".low", ".high")}
    kinds |= {".turns": numbers, ".aspects": pa.string(), ".causes": causes}
    columns = [(field, pa.string()) for field in FIELDS]
    columns += [(metric + part, kind) for metric in signatures for part, kind in kinds.items()]
    return pa.schema(columns, metadata={"dialogauge": header_line(signatures)})


def _write_parquet(file: IO[bytes], signatures: Mapping[str, str], rows: Iterable[Row]) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    schema = _schema(signatures)
    remaining = iter(rows)
    with parquet.ParquetWriter(file, schema) as writer:
        while group := list(itertools.islice(remaining, _ROW_GROUP)):
            cells = [flat(row, signatures) for row in group]
            writer.write_table(pa.Table.from_pylist(cells, schema=schema))


def _read_parquet(file: IO[bytes]) -> tuple[Mapping[str, str], Iterator[Row]]:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        table = parquet.ParquetFile(file)
        header = (table.schema_arrow.metadata or {}).get(b"dialogauge")
        if header is None:
            raise _not_scores("it has no signatures")
        signatures = _decoded(_HEADER, header, 0).signatures
        batches = list(table.iter_batches())
    except (pa.ArrowException, OSError) as error:
        raise _not_scores(str(error)) from None
    cells = (cell for batch in batches for cell in batch.to_pylist())
    return signatures, (_unflat(cell, signatures) for cell in cells)


class _Layout(msgspec.Struct, frozen=True):
    write: Callable[[IO[bytes], Mapping[str, str], Iterable[Row]], None]
    read: Callable[[IO[bytes]], tuple[Mapping[str, str], Iterator[Row]]]


LAYOUTS: Mapping[str, _Layout] = {
    ".jsonl": _Layout(_write_jsonl, read_jsonl),
    ".csv": _Layout(_write_csv, _read_csv),
    ".parquet": _Layout(_write_parquet, _read_parquet),
}


def _layout(path: Path) -> _Layout:
    if path.suffix not in LAYOUTS:
        raise UnknownNameError("layout of scores", path.suffix or path.name, LAYOUTS)
    return LAYOUTS[path.suffix]


def save(path: Path, signatures: Mapping[str, str], rows: Iterable[Row]) -> None:
    """Write rows as they come, in the layout of the path's ending, whole or not at all."""
    layout = _layout(path)
    with atomic.writing(path) as file:
        layout.write(file, signatures, rows)


def load(path: Path) -> tuple[Mapping[str, str], tuple[Row, ...]]:
    """The signatures and rows of a file that :func:`save` made."""
    layout = _layout(path)
    try:
        with path.open("rb") as file:
            signatures, rows = layout.read(file)
            return signatures, tuple(rows)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=str(path)) from None
    except InputError as error:
        error.file = str(path)
        raise
