"""Chats as plain text.

- ``text``: a line per turn, ``Name: what was said``, a blank line between dialogues. A line
  without a name goes on with the turn above it; where no line has a name, A and B alternate.
- ``lines``: a dialogue per line, its turns separated by ``</UTT>`` or ``__eou__``; A and B
  alternate.
"""

import re

from ..dialogue import Dialogue, Turn, mend
from ..errors import RecordError
from .records import Count, Record

#: A name is at most three short words before a colon and a space ("Note that he said: ..." is not).
SPEAKER = re.compile(r"^\s*([^\s:]{1,30}(?: [^\s:]{1,30}){0,2})\s?:(?:\s+|$)")
_SEPARATOR = re.compile(r"\s*(?:</UTT>|__eou__)\s*")


def parse_text(record: Record, name: str, count: Count) -> Dialogue:
    """A dialogue from a block of lines."""
    rows = mend(record.raw.decode("utf-8", "surrogateescape"), count).split("\n")
    if not any(SPEAKER.match(line) for line in rows):
        return Dialogue(name, _alternating([line.strip() for line in rows]))
    turns: list[list[str]] = []
    for at, line in enumerate(rows):
        if match := SPEAKER.match(line):
            turns.append([match[1], line[match.end() :].strip()])
        elif turns:
            turns[-1][1] += "\n" + line.strip()
        else:
            problem = "the first line has no speaker, but a later one has"
            raise RecordError(problem, line=record.line + at, remedy="write it as 'Name: text'")
    return Dialogue(name, tuple(Turn(speaker, text) for speaker, text in turns))


def parse_line(record: Record, name: str, count: Count) -> Dialogue:
    """A dialogue from one line."""
    texts = _SEPARATOR.split(mend(record.raw.decode("utf-8", "surrogateescape"), count).strip())
    if not texts[-1]:
        texts.pop()  # the separator also ends the line
    return Dialogue(name, _alternating(texts))


def _alternating(texts: list[str]) -> tuple[Turn, ...]:
    return tuple(Turn("AB"[at % 2], text) for at, text in enumerate(texts))
