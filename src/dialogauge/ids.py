"""Have I seen this id? In at most 22 bytes an id, however long the ids are.

A 64-bit fingerprint (Python's keyed hash, different in each process, so that nobody can prepare
collisions) is kept for each id, in 256 open-addressed tables that grow one at a time
(8 bytes a slot, at most three quarters full, so 10.7 to 21.4 bytes an id). Equal fingerprints are
only a suspicion: the caller looks the earlier id up before it calls two ids the same.
"""

from array import array
from collections.abc import Iterable, Iterator
from itertools import islice

from .dialogue import Dialogue
from .errors import RecordError

_TABLES = 256


class Fingerprints:
    """A set of strings that answers *maybe seen* or *certainly new*.

    >>> seen = Fingerprints()
    >>> seen.add("a"), seen.add("b"), seen.add("a")
    (False, False, True)
    """

    def __init__(self, bits: int = 64) -> None:
        self._mask = (1 << bits) - 1  # fewer bits make collisions, for tests
        self._tables = [array("Q", bytes(64)) for _ in range(_TABLES)]
        self._used = [0] * _TABLES

    def __len__(self) -> int:
        return sum(self._used)

    @property
    def nbytes(self) -> int:
        """Memory held by the tables."""
        return sum(8 * len(table) for table in self._tables)

    def add(self, text: str) -> bool:
        """Note the text; True when its fingerprint was there already."""
        print = (hash(text) & self._mask) or 1  # 0 marks an empty slot
        which = print % _TABLES
        seen = _insert(self._tables[which], print)
        if not seen:
            self._used[which] += 1
            if self._used[which] > 0.75 * len(self._tables[which]):
                self._grow(which)
        return seen

    def _grow(self, which: int) -> None:
        old = self._tables[which]
        new = array("Q", bytes(16 * len(old)))
        for print in old:
            if print:
                _insert(new, print)
        self._tables[which] = new


def _insert(table: "array[int]", print: int) -> bool:
    mask = len(table) - 1
    slot = (print // _TABLES) & mask
    while table[slot]:
        if table[slot] == print:
            return True
        slot = (slot + 1) & mask
    table[slot] = print
    return False


def repeated(id: str) -> RecordError:
    """The error for an id that was used before."""
    remedy = "ids must be unique in a run; rows of one dialogue must stand together"
    return RecordError(f"the id {id[:80]!r} was used before", field="id", remedy=remedy)


def unique(dialogues: Iterable[Dialogue]) -> Iterator[Dialogue]:
    """The dialogues, with an error at the first id that occurs twice."""
    seen = Fingerprints()
    for number, dialogue in enumerate(dialogues):
        if seen.add(dialogue.id) and _occurs(dialogue.id, dialogues, number):
            raise repeated(dialogue.id)
        yield dialogue


def _occurs(id: str, dialogues: Iterable[Dialogue], before: int) -> bool:
    """Whether one of the first dialogues has this id; what can be read only once is believed."""
    if iter(dialogues) is dialogues:
        return True
    return any(dialogue.id == id for dialogue in islice(dialogues, before))
