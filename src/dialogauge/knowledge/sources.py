"""Files of ConceptNet as assertions: the 5.7 release, ConceptNet 4 as a table, and triples.

=================  =======================================================================
assertions (5.x)   tab-separated: URI, relation, start, end, JSON that has the weight
table (4)          tab-separated: relation, start, end, weight; names are *normalised*
triples            ``start|||/r/Relation|||end``; the weight is 1
=================  =======================================================================

Each line shows by its shape which one it is. Concepts of other languages are passed over while
streaming; a line that is none of the three is counted, skipped, and the first is reported.

A *normalised* name (``unite state``, see :mod:`.normal_form`) is a key and never written into text.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from ..errors import InputError
from ..formats.streams import Source, sources

#: A line may not be longer than this many bytes; the longest of the 5.7 release has 30,000.
_LINE_LIMIT = 2**20
_ENGLISH = "/c/en/"
_Record = TypeVar("_Record")


class Assertion(NamedTuple):
    """One edge. ``written``: its names are English as one writes it, not normalised."""

    relation: str
    start: str
    end: str
    weight: float
    written: bool


class Reading(msgspec.Struct):
    """What was read so far."""

    lines: int = 0
    kept: int = 0
    other_languages: int = 0
    malformed: int = 0
    first_malformed: str = ""  # file, line and problem


class _Weighed(msgspec.Struct):
    """The one field of an assertion's JSON that we read."""

    weight: float


def assertions(paths: Sequence[str | Path], reading: Reading) -> Iterator[Assertion]:
    """The English assertions of some files, in order; ``reading`` counts along."""
    for source in sources(paths):
        yield from counted(lines(source), source.name, parse, reading)


def counted(
    numbered: Iterable[tuple[int, bytes]],
    file: str,
    parse: Callable[[bytes], _Record | None],
    reading: Reading | None,
) -> Iterator[_Record]:
    """What lines say in English: a parser gives ``None`` for another language, or refuses."""
    reading = reading if reading is not None else Reading()
    for number, line in numbered:
        reading.lines += 1
        try:
            record = parse(line)
        except InputError as error:
            reading.malformed += 1
            reading.first_malformed = reading.first_malformed or f"{file}:{number}: {error.problem}"
            continue
        if record is None:
            reading.other_languages += 1
        else:
            reading.kept += 1
            yield record


def lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """The numbered lines of a file, plain or compressed; an over-long one is cut, and so wrong."""
    with source.open() as stream:
        number = 0
        while line := stream.bytes.readline(_LINE_LIMIT):
            number += 1
            if not line.endswith(b"\n"):
                while (rest := stream.bytes.readline(_LINE_LIMIT)) and not rest.endswith(b"\n"):
                    pass
                line = line if len(line) < _LINE_LIMIT else b""
            yield number, line.rstrip(b"\r\n")


def parse(line: bytes) -> Assertion | None:
    r"""One line of any of the three files; ``None`` where a concept is not English.

    >>> parse(b"IsA\tdog\tanimal\t2.5")
    Assertion(relation='IsA', start='dog', end='animal', weight=2.5, written=False)
    >>> parse(b"hot|||/r/Antonym|||cold")
    Assertion(relation='Antonym', start='hot', end='cold', weight=1.0, written=True)
    """
    try:
        text = line.decode()
    except UnicodeDecodeError:
        raise InputError("not UTF-8") from None
    fields = text.split("\t")
    if len(fields) == 5:
        return _released(fields)
    if len(fields) == 4:
        relation, start, end, given = fields
        try:
            weight = float(given)
        except ValueError:
            raise InputError("the weight is not a number") from None
        return _assertion(relation, start, end, weight, False)
    triple = text.split("|||")
    if len(triple) == 3:
        return _assertion(triple[1], triple[0], triple[2], 1.0, True)
    raise InputError(f"expected 5 or 4 fields between tabs, or 3 between |||, got {len(fields)}")


def _released(fields: list[str]) -> Assertion | None:
    """A line of the 5.x release."""
    _, relation, start, end, about = fields
    if not (start.startswith("/c/") and relation.startswith("/r/")):
        raise InputError("expected a relation /r/... and a concept /c/...")
    if not (start.startswith(_ENGLISH) and end.startswith(_ENGLISH)):
        return None
    try:
        weight = msgspec.json.decode(about, type=_Weighed).weight
    except (msgspec.DecodeError, RecursionError):
        raise InputError("the last field is not JSON with a weight") from None
    return _assertion(relation, uri_name(start), uri_name(end), weight, True)


def uri_name(uri: str) -> str:
    """The words of a concept's URI; part of speech and sense are left out.

    >>> uri_name("/c/en/united_states/n/wn/location"), uri_name("ice_cream")
    ('united states', 'ice cream')
    """
    return uri.removeprefix(_ENGLISH).partition("/")[0].replace("_", " ")


def _assertion(relation: str, start: str, end: str, weight: float, written: bool) -> Assertion:
    start, end = (" ".join(name.lower().split()) for name in (start, end))
    relation = relation.removeprefix("/r/").strip()
    if not (relation and start and end):
        raise InputError("a relation or a concept is empty")
    if not math.isfinite(weight) or weight == 0:
        raise InputError(f"the weight is {weight}")
    return Assertion(relation, start, end, weight, written)
