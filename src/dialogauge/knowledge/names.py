"""Many names in two arrays, sorted, found by bisection: no dictionary in memory."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from .mapped import Array


class Names:
    """Distinct names in the order of their UTF-8 bytes; a name's number is its place.

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
