"""Bytes of corpus files as typed records, with errors that know file, line and field.

Every reader of a corpus is built from these few functions. Files are read whole (the largest has
20 MB) but never more than :data:`_LIMIT` bytes after decompression, so a file that unpacks to
gigabytes is an error and not a dead machine.
"""

import csv
import gzip
import io
import math
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ..dialogue import Turn
from ..errors import DataError, InputError, located

T = TypeVar("T")

_LIMIT = 256 * 2**20

_BROKEN = (EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile, RuntimeError)

#: Speakers where a corpus names none; "B" is the rated side.
_NAMELESS = ("A", "B")


class Part(msgspec.Struct, frozen=True):
    """What a reader gets: a corpus's name, one of its splits ("" if it has none), its files.

    >>> Part("dailydialog", (), "train").id(17)
    'dailydialog:train:17'
    """

    corpus: str
    paths: tuple[Path, ...]
    split: str = ""

    @property
    def path(self) -> Path:
        """The first of its files, which is the only one of most."""
        return self.paths[0]

    def id(self, *numbers: object) -> str:
        """An id that is unique within the corpus and the same at every reading."""
        return ":".join(str(part) for part in (self.corpus, self.split, *numbers) if part != "")


@contextmanager
def place(path: Path, line: int = 0, field: str = "") -> Iterator[None]:
    """Errors in the block that do not know their place get this one."""
    try:
        yield
    except InputError as error:
        if error.file:
            raise
        where = ".".join(part for part in (field, error.field) if part)
        raise InputError(error.problem, file=str(path), line=line, field=where) from None


def content(path: Path, limit: int = _LIMIT) -> bytes:
    """The bytes of a file, unpacked if its name ends in ``.gz``."""
    opener = gzip.open if path.suffix == ".gz" else open
    with _unpacking(path, "gzip"), opener(path, "rb") as file:
        return _bounded(file.read(limit + 1), path, limit)


def member(path: Path, name: str, limit: int = _LIMIT) -> bytes:
    """The bytes of one named file in a zip file; nothing is ever unpacked to disk."""
    with _unpacking(path, "zip"), zipfile.ZipFile(path) as archive:
        if name not in archive.namelist():
            raise DataError(f"{path}: holds no file {name!r}")
        with archive.open(name) as file:
            return _bounded(file.read(limit + 1), path, limit)


@contextmanager
def _unpacking(path: Path, kind: str) -> Iterator[None]:
    """What goes wrong with a packed file as an error that names it."""
    try:
        yield
    except _BROKEN as error:
        raise DataError(f"{path}: broken {kind} file: {error}") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None


def lines(data: bytes, path: Path) -> list[str]:
    """The lines of UTF-8 text. Only a line feed ends one: ``str.splitlines`` cuts at more."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError("this is not UTF-8 text", file=str(path), line=line) from None
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []


def decode(data: bytes | str, shape: type[T], path: Path | str = "", line: int = 0) -> T:
    """One JSON value of the given shape; the error names the line or the field."""
    try:
        return msgspec.json.decode(data, type=shape)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        if path and not line and not isinstance(error, msgspec.ValidationError):
            line = _line(str(error), data)
        raise located(error, file=str(path), line=line) from None


def json_file(path: Path, shape: type[T]) -> T:
    """A file that is one JSON value."""
    return decode(content(path), shape, path)


def json_lines(path: Path, shape: type[T]) -> Iterator[tuple[int, T]]:
    """(line number, value) of a file with one JSON value per line."""
    for number, line in enumerate(lines(content(path), path), 1):
        yield number, decode(line, shape, path, number)


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """(line number, line); a blank line is an error, since lines are records."""
    for number, line in enumerate(lines(content(path), path), 1):
        if not line.strip():
            raise InputError("the line is blank", file=str(path), line=number)
        yield number, line


def aligned(paths: Sequence[Path]) -> list[tuple[str, ...]]:
    """Files whose n-th lines belong together, as tuples; unequal lengths are an error."""
    columns = [lines(content(path), path) for path in paths]
    for path, column in zip(paths, columns, strict=True):
        if len(column) != len(columns[0]):
            problem = f"{len(column)} lines, but {paths[0]} has {len(columns[0])}"
            shorter = min(len(column), len(columns[0]))
            raise InputError(problem, file=str(path), line=shorter + 1)
    return list(zip(*columns, strict=True))


def csv_rows(path: Path, columns: Iterable[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """(line number, row) of a CSV file that has at least these columns."""
    text = io.StringIO("\n".join(lines(content(path), path)), newline="")
    reader = csv.DictReader(text, strict=True)
    try:
        missing = set(columns) - set(reader.fieldnames or ())
        if missing:
            problem = f"no column {', '.join(sorted(missing))}"
            raise InputError(problem, file=str(path), line=1)
        for row in reader:
            if None in row or None in row.values():
                problem = "a row with more or fewer cells than the header"
                raise InputError(problem, file=str(path), line=reader.line_num)
            yield reader.line_num, row
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", file=str(path), line=reader.line_num) from None


def number(text: str) -> float:
    """A finite number; the caller's :func:`place` says where it stood."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"expected a number, got {text[:40]!r}")
    return value


def alternating(texts: Sequence[str], speakers: tuple[str, str] = _NAMELESS) -> tuple[Turn, ...]:
    """Turns of two speakers in alternation, the first speaker first.

    >>> [turn.speaker for turn in alternating(["Hi.", "Hello.", "Bye."])]
    ['A', 'B', 'A']
    """
    return tuple(Turn(speakers[index % 2], text.strip()) for index, text in enumerate(texts))


def answered(context: Sequence[str], response: str) -> tuple[Turn, ...]:
    """Turns of two nameless speakers of whom "B" gives the response.

    >>> [turn.speaker for turn in answered(["Hi.", "Hello."], "Bye.")]
    ['B', 'A', 'B']
    """
    first = _NAMELESS if len(context) % 2 else _NAMELESS[::-1]
    return alternating((*context, response), (first[0], first[1]))


def _bounded(data: bytes, path: Path, limit: int) -> bytes:
    if len(data) > limit:
        raise DataError(f"{path}: unpacks to more than {limit} bytes")
    return data


def _line(message: str, data: Any) -> int:
    """The line of ``... (byte 123)``, or the last one where the input ended too early."""
    data = data.encode("utf-8", "replace") if isinstance(data, str) else data
    position = re.search(r"byte (\d+)", message)
    return int(data.count(b"\n", 0, int(position[1]) if position else len(data))) + 1
