"""Vectors remembered: in memory by default, on disk where a folder is given.

On disk they are rows of a SQLite database, whose write-ahead log makes this safe under two writers
and after a kill. Each vector carries a checksum, since SQLite checks its own structure and not our
bytes; a damaged file is one clear error.
"""

import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import OutputError

Vector = NDArray[np.float32]

#: How many vectors are kept in memory (384 floats each: 77 MB).
IN_MEMORY = 50_000

_MANY = 500  # SQLite's oldest limit on variables in one query is 999
_CHECKSUM = 4  # bytes

T = TypeVar("T")


def key(text: str) -> bytes:
    """What a text is remembered under."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Memory(Generic[T]):
    """The most recently added things of one process, ``limit`` vectors of them.

    >>> memory = Memory[str](limit=6, vectors=len)
    >>> memory.put({b"1": "one", b"2": "two", b"3": "three"})
    >>> memory.get([b"1", b"2", b"3"])
    {b'3': 'three'}
    """

    def __init__(self, limit: int = IN_MEMORY, vectors: Callable[[T], int] = lambda _: 1) -> None:
        self._limit, self._vectors = limit, vectors
        self._known: dict[bytes, T] = {}
        self._size = 0

    def get(self, keys: Iterable[bytes]) -> dict[bytes, T]:
        """What is known, by key."""
        return {each: self._known[each] for each in keys if each in self._known}

    def put(self, things: Mapping[bytes, T]) -> None:
        """Remember; the oldest are forgotten beyond the limit."""
        for each, thing in things.items():
            if each not in self._known:
                self._known[each] = thing
                self._size += self._vectors(thing)
                while self._size > self._limit:
                    oldest = next(iter(self._known))
                    self._size -= self._vectors(self._known.pop(oldest))


class Disk:
    """Vectors of one encoder in a folder's ``vectors.sqlite``."""

    def __init__(self, folder: Path, encoder: str, width: int) -> None:
        self._path, self._encoder = folder / "vectors.sqlite", encoder
        self._bytes = 4 * width
        with self._reporting():
            folder.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(self._path, timeout=60, check_same_thread=False)
            self._base.execute("PRAGMA journal_mode=WAL")
            self._base.execute("PRAGMA synchronous=NORMAL")
            with self._base:
                self._base.execute(
                    "CREATE TABLE IF NOT EXISTS vectors"
                    " (encoder TEXT, text BLOB, vector BLOB, PRIMARY KEY (encoder, text))"
                    " WITHOUT ROWID"
                )

    def get(self, keys: Iterable[bytes]) -> dict[bytes, Vector]:
        """The vectors that are known, by key."""
        wanted, vectors = iter(keys), {}
        with self._reporting():
            while some := list(islice(wanted, _MANY)):
                marks = ",".join("?" * len(some))
                query = f"SELECT text, vector FROM vectors WHERE encoder = ? AND text IN ({marks})"  # noqa: S608
                for text, stored in self._base.execute(query, [self._encoder, *some]):
                    vectors[bytes(text)] = self._unpacked(stored)
        return vectors

    def put(self, vectors: Mapping[bytes, Vector]) -> None:
        """Remember, all of them or none."""
        rows = [(self._encoder, each, _packed(vector)) for each, vector in vectors.items()]
        with self._reporting(), self._base:
            self._base.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)", rows)

    def _unpacked(self, stored: bytes) -> Vector:
        vector, checksum = stored[:-_CHECKSUM], stored[-_CHECKSUM:]
        if len(vector) != self._bytes or _checksum(vector) != checksum:
            raise self._broken("a vector is damaged")
        return np.frombuffer(vector, dtype=np.float32)

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise self._broken(error) from None

    def _broken(self, error: object) -> OutputError:
        return OutputError(f"{self._path}: the cache cannot be used ({error}); remove it")


def _packed(vector: Vector) -> bytes:
    data = vector.astype(np.float32).tobytes()
    return data + _checksum(data)


def _checksum(data: bytes) -> bytes:
    return zlib.crc32(data).to_bytes(_CHECKSUM, "little")
