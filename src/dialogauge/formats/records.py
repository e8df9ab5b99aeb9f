"""A stream of bytes cut into records: lines, blocks of lines, JSON values, rows of a table.

Cutting and understanding are kept apart so that one bad record costs only itself: a cutter
finds the next line, block or JSON element whatever stands inside the last one, and a format's
``parse`` may refuse one :class:`Record` without ending the stream. Memory holds one record.
"""

import re
from collections.abc import Callable, Iterator
from typing import IO, Any

import msgspec

from ..errors import InputError, RecordError
from . import streams

#: Told how many characters were replaced.
Count = Callable[[int], None]


class Record(msgspec.Struct, frozen=True, gc=False):
    """One thing that should be a dialogue: the line it begins on and the bytes that stood there.

    ``value`` is what the cutter already made of it: rows of a table, or the error that the
    record is; None otherwise.
    """

    line: int
    raw: bytes
    value: Any = None


def lines(stream: IO[bytes]) -> Iterator[Record]:
    """Each non-blank line."""
    return (Record(number, line) for number, line in _numbered(stream) if line.strip())


def blocks(stream: IO[bytes]) -> Iterator[Record]:
    """Runs of non-blank lines."""
    block: list[bytes] = []
    start, size = 0, 0
    for number, line in _numbered(stream):
        if line.strip():
            start = start or number
            block.append(line)
            size += len(line)
            within_limit(size, start)
        elif block:
            yield Record(start, b"\n".join(block))
            block, start, size = [], 0, 0
    if block:
        yield Record(start, b"\n".join(block))


def _numbered(stream: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """The lines from 1 on, whether they end in ``\\n``, ``\\r\\n`` or a lone ``\\r``."""
    number = 0
    while physical := stream.readline(streams.RECORD_LIMIT + 1):
        within_limit(len(physical), number + 1)
        for line in physical.rstrip(b"\r\n").split(b"\r"):
            number += 1
            yield number, line


def within_limit(size: int, line: int) -> None:
    """An error when a record is too large to hold in memory."""
    if size > streams.RECORD_LIMIT:
        raise InputError(
            f"a single record is larger than {streams.RECORD_LIMIT >> 20} MB", line=line
        )


_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[{}\[\],"]', re.DOTALL)


def elements(stream: IO[bytes], unwrap: bool) -> Iterator[Record]:
    """The values of a JSON document, found by brackets and commas alone.

    With ``unwrap`` the document is an array whose elements are the records, so that one that is
    wrong inside costs only itself; otherwise each top-level value is one record.
    """
    scan, size = _Scan(unwrap), 2**16
    while chunk := stream.read(size):
        yield from scan.feed(chunk)
        within_limit(len(scan.buffer), scan.line)
        size = max(2**16, len(scan.buffer))  # a long string is scanned a few times, not thousands
    yield from scan.close()


class _Scan:
    """Where the scan of a JSON document stands between two chunks."""

    def __init__(self, unwrap: bool) -> None:
        self.buffer = b""  # everything that is not yet in a record
        self.line = 1  # the line of buffer[counted]
        self._counted = 0
        self._at = 0  # scanned so far
        self._depth = 0
        self._unwrap = unwrap

    def feed(self, chunk: bytes) -> Iterator[Record]:
        """The records that end in this chunk."""
        self.buffer += chunk
        start = 0
        for token in _TOKEN.finditer(self.buffer, self._at):
            mark = token[0]
            if mark == b'"':  # a string that goes on in the next chunk
                self._at = token.start()
                break
            before = self._depth
            self._depth = max(0, before + (mark in b"{[") - (mark in b"}]"))
            if self._is_border(mark, before):
                end = token.start() if self._unwrap else token.end()
                yield from self._record(start, end)
                start = token.end()
        else:
            self._at = len(self.buffer)
        self._count(start)
        self.buffer, self._at, self._counted = self.buffer[start:], self._at - start, 0

    def _is_border(self, mark: bytes, before: int) -> bool:
        if not self._unwrap:
            return before > 0 and self._depth == 0
        if before == 0:
            return mark == b"["
        return before == 1 and (mark == b"," or self._depth == 0)

    def _record(self, start: int, end: int) -> Iterator[Record]:
        text = self.buffer[start:end]
        if raw := text.strip():
            self._count(start + len(text) - len(text.lstrip()))
            yield Record(self.line, raw)

    def _count(self, upto: int) -> None:
        self.line += self.buffer.count(b"\n", self._counted, upto)
        self._counted = upto

    def close(self) -> Iterator[Record]:
        """What is left when the document ends: nothing, if it is whole."""
        rest = self.buffer.strip()
        if self._depth:
            error = RecordError("the file is cut: a JSON array or object is never closed")
            yield Record(self.line, rest, error)
        elif rest:
            yield Record(self.line, rest)
