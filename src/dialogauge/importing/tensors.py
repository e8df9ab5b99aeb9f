"""The tensors of a safetensors file, read one by one from a mapped file; nothing is unpickled.

The format is eight bytes (the size of the header), a header in JSON, and the numbers. A file comes
from anywhere: every size and place in it is checked before it is used.
"""

import math
import reprlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from ..errors import ModelError

_LARGEST_HEADER = 10_000_000  # bytes; all-mpnet-base-v2 has 22 thousand
_FLOAT = np.dtype("<f4")

_Size = Annotated[int, Meta(ge=0, le=2**48)]


class _Entry(msgspec.Struct, frozen=True):
    """What a header says of one tensor."""

    dtype: str
    shape: Annotated[tuple[_Size, ...], Meta(max_length=8)]
    data_offsets: tuple[_Size, _Size]


class Tensors:
    """The float32 tensors of a file by name, each of at most ``largest`` bytes."""

    def __init__(self, path: Path, largest: int = 2**48) -> None:
        self._path, self._largest = path, largest
        try:
            self._bytes = np.memmap(path, np.uint8, mode="r")
        except (OSError, ValueError) as error:  # an empty file cannot be mapped
            raise self._broken(getattr(error, "strerror", None) or error) from None
        length = int.from_bytes(self._bytes[:8].tobytes(), "little")
        self._start = 8 + length
        if len(self._bytes) < 8 or length > min(_LARGEST_HEADER, len(self._bytes) - 8):
            raise self._broken("it has no header")
        self._entries = self._header(self._bytes[8 : self._start].tobytes())
        self._refuse_shared_places()

    def __iter__(self) -> Iterator[str]:
        """The names of the float32 tensors."""
        return (name for name, entry in self._entries.items() if entry.dtype == "F32")

    def read(self, name: str) -> NDArray[np.float32]:
        """A copy of one tensor."""
        entry = self._entries.get(name)
        if entry is None:
            raise self._other(f"it has no tensor {name!r}")
        if entry.dtype != "F32":
            raise self._other(f"the numbers of {name!r} are {entry.dtype!r}, not F32")
        begin, end = entry.data_offsets
        size = math.prod(entry.shape) * _FLOAT.itemsize
        if end - begin != size or self._start + end > len(self._bytes):
            raise self._broken(f"the tensor {name!r} does not fit its place")
        if not 0 < size <= self._largest:
            raise self._broken(f"the tensor {name!r} has {size:,} bytes")
        numbers = self._bytes[self._start + begin : self._start + end].tobytes()
        return np.frombuffer(numbers, _FLOAT).reshape(entry.shape).astype(np.float32)

    def _refuse_shared_places(self) -> None:
        """No two tensors overlap: a small file cannot hold many large ones."""
        taken = 0
        places = sorted((entry.data_offsets, name) for name, entry in self._entries.items())
        for (begin, end), name in places:
            if begin < taken:
                raise self._broken(f"the tensor {reprlib.repr(name)} lies where another does")
            taken = max(taken, end)

    def _header(self, text: bytes) -> dict[str, _Entry]:
        try:
            fields = msgspec.json.decode(text, type=dict[str, Any])
            fields.pop("__metadata__", None)
            return msgspec.convert(fields, dict[str, _Entry])
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            raise self._broken(f"its header cannot be read: {error}") from None

    def _broken(self, problem: object) -> ModelError:
        return ModelError(f"{self._path}: not weights in safetensors: {problem}")

    def _other(self, problem: str) -> ModelError:
        return ModelError(f"{self._path}: another model: {problem}")
