"""What a user names to be read: corpora by their names, or transcripts."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ..dialogue import Dialogue
from ..errors import InputError, UnknownNameError
from ..formats import Dialogues, read
from .access import load, names


class Held:
    """Dialogues in memory, counted one by one as they are read."""

    def __init__(self, dialogues: Iterable[Dialogue]) -> None:
        self._dialogues = tuple(dialogues)
        self._at = 0

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self._dialogues)

    def tell(self) -> int:
        """How many were read in this iteration."""
        return self._at

    def __iter__(self) -> Iterator[Dialogue]:
        for number, dialogue in enumerate(self._dialogues, 1):
            self._at = number
            yield dialogue


#: Dialogues that can be read again and again, and say how far they are read.
Input = Dialogues | Held


def dialogues(sources: Sequence[str], *, format: str | None = None) -> Input:
    """Corpora by their names, or whatever :func:`dialogauge.read` reads.

    A file that is called like a corpus is named by its path: ``./dstc9``.
    """
    corpora = set(names())
    if not corpora.intersection(sources):
        for source in sources:
            misspelt = re.fullmatch(r"\w[\w-]*", source)  # no path, no pattern, no standard input
            if misspelt and not Path(source).exists():
                raise UnknownNameError("corpus or file", source, corpora)
        return read(sources, format=format)
    if not corpora.issuperset(sources):
        raise InputError("corpora and files cannot be mixed", remedy="run the command twice")
    return Held(dialogue for name in sources for dialogue in load(name))
