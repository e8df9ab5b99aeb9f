"""Arrays, and names as arrays, in one file that is mapped into memory, not read.

::

    magic    "dialogauge arrays 1\\n"
    digest   sha256 of everything that follows, 32 bytes
    length   of the header, 4 bytes, little-endian
    header   JSON: what the file is, some facts, and each array's type, shape and place
    arrays   each at a multiple of 64 bytes

The digest is checked when the file is opened, so a file that was cut or changed is one clear error
and never a wrong answer. The check reads the file in pieces; after it only the pages that are
looked at stay in memory.
"""

import hashlib
import mmap
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..atomic import writing
from ..errors import DataError

MAGIC = b"dialogauge arrays 1\n"
_ALIGN = 64
_TYPES = frozenset({"|u1", "|i1", "<u4", "<f4"})

_START = len(MAGIC) + 32

Array = NDArray[Any]


class _Place(msgspec.Struct, frozen=True):
    """Where an array is, in bytes from the end of the header (rounded up)."""

    type: str
    shape: tuple[int, ...]
    offset: int


class _Header(msgspec.Struct, frozen=True):
    """What a file says of itself."""

    kind: str
    facts: dict[str, Any]
    arrays: dict[str, _Place]


def write(path: Path, kind: str, arrays: Mapping[str, Array], facts: dict[str, Any]) -> None:
    """Write arrays to a file that is whole or not there; equal arrays give equal bytes."""
    places, offset = {}, 0
    for name, array in arrays.items():
        places[name] = _Place(array.dtype.str, array.shape, offset)
        offset = _aligned(offset + array.nbytes)
    header = msgspec.json.encode(_Header(kind, facts, places))
    body = bytearray(len(header).to_bytes(4, "little") + header)
    start = _aligned(_START + len(body)) - _START
    for name, array in arrays.items():
        body.extend(bytes(start + places[name].offset - len(body)))
        body.extend(np.ascontiguousarray(array).tobytes())
    with writing(path) as file:
        file.write(MAGIC + hashlib.sha256(body).digest())
        file.write(body)


def read(path: Path, kind: str) -> tuple[dict[str, Any], dict[str, Array]]:
    """The facts and the read-only arrays of a file; :class:`DataError` says what is wrong."""
    try:
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise _wrong(path, f"not a {kind} (it does not begin like one)")
            digest = file.read(32)
            if hashlib.file_digest(file, "sha256").digest() != digest:
                raise _wrong(path, "cut short or changed (its checksum is wrong)")
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:  # a ValueError: a NUL in the path
        raise DataError(f"{path}: cannot be read: {getattr(error, 'strerror', error)}") from None
    length = int.from_bytes(content[_START : _START + 4], "little")
    start = _START + 4 + length
    try:
        header = msgspec.json.decode(content[_START + 4 : start], type=_Header)
    except msgspec.DecodeError:
        raise _wrong(path, "its header cannot be read") from None
    if header.kind != kind:
        raise _wrong(path, f"a {header.kind}, not a {kind}")
    return header.facts, _arrays(path, content, header, _aligned(start))


def _arrays(path: Path, content: mmap.mmap, header: _Header, start: int) -> dict[str, Array]:
    arrays = {}
    for name, place in header.arrays.items():
        if place.type not in _TYPES:
            raise _wrong(path, f"array {name} is of the unknown type {place.type!r}")
        count = int(np.prod(place.shape, dtype=np.int64))
        try:
            flat = np.frombuffer(content, place.type, count, start + place.offset)
            arrays[name] = flat.reshape(place.shape)
        except ValueError:
            raise _wrong(path, f"array {name} lies outside the file") from None
    return arrays


def _aligned(offset: int) -> int:
    return -(-offset // _ALIGN) * _ALIGN


def _wrong(path: Path, problem: str) -> DataError:
    return DataError(f"{path}: {problem} (build it again, or install dialogauge again)")


class Names:
    """Distinct names in the order of their UTF-8 bytes; a name's number is its place.

    They are found by bisection: no dictionary in memory.

    >>> names = Names.of(["dog", "cat"])
    >>> names.find("dog"), names[0], names.find("cow"), len(names)
    (1, 'cat', -1, 2)
    """

    def __init__(self, letters: NDArray[np.uint8], ends: NDArray[np.uint32]) -> None:
        self._letters, self._ends = memoryview(letters), memoryview(ends)  # type: ignore[arg-type]

    @classmethod
    def of(cls, names: Iterable[str]) -> "Names":
        """Names given in any order."""
        encoded = sorted({name.encode() for name in names})
        ends = np.cumsum([len(name) for name in encoded], dtype=np.uint32)
        return cls(np.frombuffer(b"".join(encoded), np.uint8), ends)

    @classmethod
    def read(cls, arrays: Mapping[str, Array]) -> "Names":
        """The names of an open file."""
        return cls(arrays["letters"], arrays["ends"])

    def arrays(self) -> dict[str, Array]:
        """What a file keeps of them."""
        return {"letters": np.asarray(self._letters), "ends": np.asarray(self._ends)}

    def find(self, name: str) -> int:
        """The number of a name, -1 where there is none."""
        wanted = name.encode("utf-8", "replace")
        at = bisect_left(range(len(self)), wanted, key=self.bytes)
        return at if at < len(self) and self.bytes(at) == wanted else -1

    def bytes(self, number: int) -> bytes:
        """A name as it is stored."""
        return bytes(self._letters[self._ends[number - 1] if number else 0 : self._ends[number]])

    def __getitem__(self, number: int) -> str:
        if not 0 <= number < len(self):
            raise IndexError(number)
        return self.bytes(number).decode()

    def __len__(self) -> int:
        return len(self._ends)

    def __iter__(self) -> Iterator[str]:
        return (self[number] for number in range(len(self)))
