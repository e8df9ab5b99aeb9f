"""Sentences that go or come, of a text that has several.

A sentence is known by where its words reach from and to; where it begins and ends is told by marks,
and by the parse where there are none.
"""

import re
from collections.abc import Mapping, Sequence

from .agreement import finite, subject
from .draft import Doc, Draft, Word, capital, uncapital
from .removal import ENDS, balanced

_CLOSERS = frozenset({'"', "”", ")", "'", "’", "''"})
_WITHIN = frozenset({",", ";", ":", "-", "--", "(", '"', "“", "‘", "'", "&", "/"})
_ASKING = re.compile(
    r"(?:^|[.!?,]\s*)(?:do|does|did|are|is|was|were|have|has|can|could|will|would)"
    r" (?:you|he|she|it|we|they|i)\b[^.!?]*$",
    re.I,
)


def remove(draft: Draft, ranges: Mapping[str, tuple[int, int]], names: Sequence[str]) -> bool:
    """Take out the named sentences: all their words and marks."""
    gone = [ranges[name] for name in names if name in ranges]
    if len(gone) != len(names):
        return False
    left = [own for name, own in ranges.items() if name not in names]
    if any(low <= end and start <= high for start, end in gone for low, high in left):
        return False
    for start, end in gone:
        earlier = max((it[1] for it in left if it[1] < start), default=-1)
        later = min((it[0] for it in left if it[0] > end), default=len(draft.words))
        first, last = _begin(draft.document, earlier, start), _end(draft.document, end, later)
        if not _is_border(draft, last):
            last = _clause_border(draft.document, end + 1, later)
        if not _is_border(draft, first):
            first = _clause_border(draft.document, earlier + 1, start)
            last = _before_mark(draft, first, last)
        if not 0 <= first < last or not balanced(draft, range(first, last)):
            return False
        draft.clear(range(first, last))
    return any(any(map(str.isalnum, word)) for word in draft.words)


def _clause_border(document: Doc, low: int, high: int) -> int:
    """Where between two places clauses meet that are as good as sentences; -1 for nowhere.

    "I saw it, you can ask me": one dependency leads over the border, that of a clause put beside.
    """
    for place in range(high, low - 1, -1):
        if 0 < place < len(document):
            over = [it for it in document[place].sent if (it.i < place) != (it.head.i < place)]
            joints = [it for it in over if it.dep_ != "punct"]
            if len(joints) == 1 and joints[0].i >= place and _is_beside(joints[0]):
                return place
    return -1


def _is_beside(clause: Word) -> bool:
    """Whether a clause could be a sentence of its own."""
    led = clause.dep_ in ("conj", "parataxis") and subject(clause) is not None
    return led or (clause.dep_ == "parataxis" and finite(clause) is not None)


def _before_mark(draft: Draft, first: int, last: int) -> int:
    """Before the mark that ends what goes: it stays for the clause before, which asks nothing."""
    if last < 1 or not ENDS.fullmatch(draft.words[last - 1]):
        return last
    several = any(map(ENDS.fullmatch, draft.words[max(first, 0) : last - 1]))
    if several or "?" in draft.words[last - 1]:
        draft.words[last - 1] = "."
    return last - 1


def _begin(document: Doc, before: int, start: int) -> int:
    """Where the sentence begins whose first known word is at ``start``, behind ``before``."""
    for place in range(start, before + 1, -1):
        if ENDS.fullmatch(document[place - 1].text) or document[place].is_sent_start:
            return _behind_closing(document, place, start)
    return before + 1


def _end(document: Doc, end: int, later: int) -> int:
    """Where the sentence ends whose last known word is at ``end``, before ``later``."""
    for place in range(end + 1, later):
        following = document[place + 1].text if place + 1 < len(document) else ""
        if ENDS.fullmatch(document[place].text) and not ENDS.fullmatch(following):
            return _behind_closing(document, place + 1, later)
    return next((it for it in range(end + 1, later) if document[it].is_sent_start), later)


def _behind_closing(document: Doc, place: int, until: int) -> int:
    """Behind blanks and quotes that close what ended before a place."""
    while place < until and (document[place].is_space or document[place].text in _CLOSERS):
        place += 1
    return place


def _is_border(draft: Draft, place: int) -> bool:
    """Whether sentences meet at a place by the marks, not only by a parse that may be wrong.

    In a text without any marks the parse is all there is.
    """
    earlier = [word.text for word in draft.document[:place] if not word.is_space]
    if not earlier or place >= len(draft.words):
        return True
    if not re.search(r"[.!?]", draft.text):
        return bool(draft.document[place].is_sent_start)
    while len(earlier) > 1 and earlier[-1] in _CLOSERS:
        earlier.pop()
    return not any(map(str.isalnum, earlier[-1])) and earlier[-1] not in _WITHIN


def joined(text: str, addition: str) -> str:
    """A text with sentences put behind it, in its style of capitals and final marks.

    >>> joined("I like dogs.", "I don't like dogs"), joined("hi! i like dogs", "She left.")
    ("I like dogs. I don't like dogs.", 'hi! i like dogs. she left')
    >>> joined("yes, do you", "I don't.")
    "yes, do you? I don't"
    """
    plain = text.rstrip()
    if not plain:
        return text + addition
    marked = bool(re.search(r"[^\w,;:\-'’\"”]$|[.!?…]['’\"”]+$", plain))
    start = plain if marked else plain.rstrip(",;:- ") + ("?" if _ASKING.search(plain) else ".")
    first = next((sign for sign in plain if sign.isalpha()), "A")
    added = uncapital(addition) if first.islower() else capital(addition)
    if not marked and re.search(r"[^.]\.$", added):
        added = added[:-1].rstrip()
    elif marked and added[-1:].isalnum():
        added += "."
    return f"{start} {added}"
