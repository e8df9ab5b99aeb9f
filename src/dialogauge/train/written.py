"""Conversations written to learn from, in which one turn decides what a later one may say.

Programs damage words; people contradict what they *meant*. Each conversation of ``written/*.txt``
has turns with two alternatives. The first such turn decides, and the later ones agree with it on
their own side only:

    == self
    A: What do you do all day?
    B: {I drive the night bus.|I teach the smallest ones at school.}
    A: Is there a day you remember best?
    B: {A couple got engaged in the back row.|A boy gave me a ring of modelling clay.}

All first alternatives make a good conversation, and so do all second ones. With a later turn of
the other side it is broken there. Each turn is right in one conversation and broken in another, so
that nothing but what was said before can tell.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

import msgspec

from ..contrast import Contrast
from ..corpora import Side
from ..dialogue import Dialogue, Turn
from ..errors import DataError
from ..manipulate.edited import Edited, rewritten

_PAIR = re.compile(r"\{([^{}|]+)\|([^{}|]+)\}")
_LINE = re.compile(r"([AB]): (\S.*)")
#: What may be decided.
KINDS = (
    *("self", "partner", "negation", "opposite", "time", "number"),
    *("name", "answer", "pronoun", "speaker"),
)
_SIDES: dict[str, Side] = {"": "train", "valid": "valid", "test": "test"}
_HEAD = re.compile(r"== (\w+)( valid| test|)")


class Decided(msgspec.Struct, frozen=True):
    """One conversation in two ways."""

    name: str  # "written-" and one of KINDS
    side: Side  # of the split, as its head says
    ways: tuple[Dialogue, Dialogue]

    @property
    def choices(self) -> tuple[int, ...]:
        """The turns with alternatives; the first of them decides."""
        one, two = (way.turns for way in self.ways)
        return tuple(at for at, turn in enumerate(one) if turn != two[at])

    def turned(self) -> "Decided":
        """The same, the second way first."""
        return msgspec.structs.replace(self, ways=self.ways[::-1])

    def edits(self, way: int) -> Iterator[Edited]:
        """One way, each time with another later turn from the other."""
        own, other = self.ways[way], self.ways[1 - way]
        for at in self.choices[1:]:
            yield rewritten(own, {at: other.turns[at].text}, self.name)


@cache
def written() -> tuple[Decided, ...]:
    """All that were written, in the order of their files."""
    folder = files(__package__) / "written"
    found = (file for file in folder.iterdir() if file.name.endswith(".txt"))
    texts = sorted((file.name, file.read_text("utf-8")) for file in found)
    return tuple(each for name, text in texts for each in parsed(text, name))


def contrasts(side: Side) -> Iterator[Contrast]:
    """Good conversations of one side of the split, each beside every way to break it."""
    for chat in written():
        for at, way in enumerate(chat.ways if chat.side == side else ()):
            for edited in chat.edits(at):
                kind = chat.name.removeprefix("written-")
                yield Contrast(way, edited.dialogue, kind, edited.changes)


def parsed(text: str, file: str) -> Iterator[Decided]:
    """The conversations of a file.

    >>> [chat] = parsed("== time\\nA: It {was|is} hot.\\nB: {And then?|For how long?}", "f.txt")
    >>> [turn.text for turn in chat.ways[1].turns]
    ['It is hot.', 'For how long?']
    >>> [edited.dialogue.turns[1].text for edited in chat.edits(0)]
    ['For how long?']
    """
    before, *blocks = re.split(r"(?m)^(?===)", text)
    if before.strip():
        raise DataError(f"{file}: text before the first conversation: {before.strip()[:40]!r}")
    for number, block in enumerate(blocks, 1):
        first, *lines = (line.strip() for line in block.splitlines() if line.strip())
        head, place = _HEAD.fullmatch(first), f"{file}: conversation {number}"
        if head is None or head[1] not in KINDS:
            raise DataError(f"{place} has no known kind: {first[:40]!r}")
        if sum(_PAIR.search(line) is not None for line in lines) < 2:
            raise DataError(f"{place} has no turn that another one decides")
        ways = _ways(lines, place, f"{file}:{number}")
        yield Decided(f"written-{head[1]}", _SIDES[head[2].strip()], ways)


def _ways(lines: list[str], place: str, id: str) -> tuple[Dialogue, Dialogue]:
    turns = []
    for line in lines:
        found = _LINE.fullmatch(line)
        if found is None or re.search("[{|}]", _PAIR.sub("", line)):
            raise DataError(f"{place}: not a turn of A or B with {{one|other}}: {line[:40]!r}")
        turns.append(found.groups())
    one, two = (
        Dialogue(f"{id}:{way}", tuple(Turn(who, _PAIR.sub(rf"\{way}", it)) for who, it in turns))
        for way in (1, 2)
    )
    return one, two
