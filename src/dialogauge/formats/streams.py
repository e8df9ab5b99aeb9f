"""Bytes in: plain, .gz and .zst files, folders, globs and standard input, as bounded streams.

Nothing here knows what a dialogue is. A source can be opened again and again (that is why
``dg.read`` can be iterated twice); standard input is kept in a temporary file as it is read.
Decompression is bounded: output that is both large and hundreds of times its input is a bomb.
UTF-16 (Windows exports) is turned into UTF-8 and a byte-order mark is dropped.
"""

import codecs
import glob
import gzip
import io
import os
import sys
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any

import msgspec

from ..errors import InputError

#: One record (a line, a JSON value, a block) may not be longer than this many bytes.
RECORD_LIMIT = 256 * 2**20
#: Decompressed output is checked against its input once it is larger than this...
BOMB_BYTES = 256 * 2**20
#: ...and may not be more than this many times as large. Chat logs compress 3 to 60 times.
_BOMB_RATIO = 300
#: The largest window a zstd file may ask us to keep in memory.
_ZSTD_WINDOW = 128 * 2**20

#: Endings looked for in a folder; .gz and .zst may follow.
ENDINGS = frozenset([".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".txt"])

_CHUNK, _BUFFER = 2**16, 2**18


class File(msgspec.Struct, frozen=True):
    """A regular file; compression is recognised by content, not by ending."""

    path: Path
    name: str

    @property
    def size(self) -> int:
        """Bytes on disk, for progress bars."""
        return self.path.stat().st_size

    def open(self) -> "Stream":
        """A fresh stream of decompressed bytes."""
        try:
            packed = io.BufferedReader(io.FileIO(self.path), _BUFFER)
        except OSError as error:
            raise _unreadable(self.name, error) from None
        return Stream(packed, self.name)


class _Pipe:
    """Standard input or a named pipe: read once, kept in a temporary file for a second reading."""

    size = 0  # unknown

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self.name = name
        self._stream = stream
        self._kept = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the source)

    def open(self) -> "Stream":
        """A fresh stream: what was read before, then what is still to come."""
        return Stream(_buffered(self._chunks()), self.name)

    def _chunks(self) -> Iterator[bytes]:
        """What was kept, then the pipe itself, keeping what is taken from there."""
        at = 0
        while True:
            self._kept.seek(at)
            chunk = self._kept.read(_CHUNK)
            if not chunk:
                chunk = os.read(self._stream.fileno(), _CHUNK)
                self._kept.write(chunk)
            if not chunk:
                return
            at += len(chunk)
            yield chunk


Source = File | _Pipe


class Stream:
    """Decompressed UTF-8 bytes of one opening of a source; ``tell`` counts the packed ones."""

    def __init__(self, packed: "io.BufferedReader[Any]", name: str) -> None:
        self.name = name
        self._packed = packed
        try:
            self.bytes = _text(_unpacked(packed, name), name)
        except InputError:
            packed.close()
            raise

    def tell(self) -> int:
        """How many bytes of the file on disk have been read."""
        return 0 if self._packed.closed or not self._packed.seekable() else self._packed.tell()

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_: object) -> None:
        self._packed.close()


def sources(paths: str | Path | Sequence[str | Path]) -> list[Source]:
    """Every file that a path, folder, glob, ``-`` or list of them names, in a stable order."""
    items = [paths] if isinstance(paths, str | Path) else list(paths)
    every = [source for item in items for source in _expand(str(item))]
    if not every:
        raise InputError("no file was given", remedy="name a file, a folder, a glob or - for stdin")
    return every


def _expand(item: str) -> Iterator[Source]:
    path = Path(item)
    try:
        if item == "-":
            yield _Pipe(sys.stdin.buffer, "<stdin>")
        elif path.is_dir():
            yield from _folder(path)
        elif path.is_file():
            yield File(path, item)
        elif path.exists():  # a named pipe, /dev/stdin, a process substitution
            yield _Pipe(path.open("rb", buffering=0), item)
        elif matches := sorted(glob.glob(item, recursive=True)):  # noqa: PTH207 (absolute patterns)
            for match in matches:
                yield from _expand(match)
        else:
            raise InputError("no such file", file=item, remedy="check the path; quote a glob")
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"cannot be read: {error}", file=item) from None


def _folder(folder: Path) -> Iterator[Source]:
    """The transcripts below a folder, sorted; hidden files and unknown endings are left out."""
    os.scandir(folder).close()  # rglob is silent about a folder that may not be listed
    transcripts = [path for path in sorted(folder.rglob("*")) if _is_transcript(path, folder)]
    if not transcripts:
        wanted = ", ".join(sorted(ENDINGS))
        raise InputError("the folder holds no transcript", file=str(folder), remedy=wanted)
    yield from (File(path, str(path)) for path in transcripts)


def _is_transcript(path: Path, folder: Path) -> bool:
    hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
    return not hidden and ending(path.name) in ENDINGS and path.is_file()


def ending(name: str) -> str:
    """The ending that tells the format, compression aside.

    >>> ending("logs/Chats.JSONL.gz")
    '.jsonl'
    """
    path = Path(name.lower())
    return Path(path.stem).suffix if path.suffix in (".gz", ".zst") else path.suffix


class _Chunks(io.RawIOBase):
    """An iterator of byte strings as a raw stream."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks, self._rest = chunks, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = chunk
        data, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)


def _buffered(chunks: Iterator[bytes]) -> io.BufferedReader:
    return io.BufferedReader(_Chunks(chunks), _CHUNK)


def _peek(stream: io.BufferedReader, name: str) -> bytes:
    try:
        return stream.peek(4)[:4]
    except OSError as error:
        raise _unreadable(name, error) from None


def _unpacked(packed: io.BufferedReader, name: str) -> io.BufferedReader:
    magic = _peek(packed, name)
    if magic[:2] == b"\x1f\x8b":
        unpacked = gzip.GzipFile(fileobj=packed)
        return _buffered(_bounded(iter(partial(unpacked.read, _CHUNK), b""), packed, name))
    if magic == b"\x28\xb5\x2f\xfd":
        return _buffered(_bounded(_unzstd(packed), packed, name))
    return packed


def _bounded(chunks: Iterator[bytes], packed: IO[bytes], name: str) -> Iterator[bytes]:
    """The chunks, with one clear error for a damaged file and for a bomb."""
    import zstandard

    total = 0
    try:
        for chunk in chunks:
            total += len(chunk)
            if total > BOMB_BYTES and total > _BOMB_RATIO * packed.tell():
                raise InputError(
                    f"decompresses to more than {_BOMB_RATIO} times its size: refused as a bomb",
                    file=name,
                    remedy="decompress it yourself if you trust it",
                )
            yield chunk
    except (EOFError, zlib.error, gzip.BadGzipFile, zstandard.ZstdError) as error:
        raise InputError(f"the compressed file is damaged: {error}", file=name) from None


def _unzstd(packed: IO[bytes]) -> Iterator[bytes]:
    """Frame by frame, because zstandard's own stream reader takes a cut file for a whole one.

    A kilobyte at a time: the worst one unpacks to 32 MB, which bounds the memory of a bomb.
    """
    import zstandard

    frames = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    frame, rest = None, b""
    while data := rest or packed.read(2**10):
        frame = frame or frames.decompressobj()
        if chunk := frame.decompress(data):
            yield chunk
        rest = b""
        if frame.eof:
            rest, frame = frame.unused_data, None
    if frame is not None:
        raise EOFError("it ends in the middle of a frame")


def _text(stream: io.BufferedReader, name: str) -> io.BufferedReader:
    """The stream as UTF-8 without a byte-order mark."""
    mark = _peek(stream, name)
    if mark[:3] == codecs.BOM_UTF8:
        stream.read(3)
    elif mark[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return _buffered(_recoded(stream))
    return stream


def _recoded(stream: io.BufferedReader) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    while chunk := stream.read(_CHUNK):
        yield decoder.decode(chunk).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")


def _unreadable(name: str, error: OSError) -> InputError:
    return InputError(f"cannot be read: {error.strerror or error}", file=name)
