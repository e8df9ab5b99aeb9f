"""What an edit did: the new dialogue, and each change with its place and its characters.

>>> from ..dialogue import Dialogue, Turn
>>> chat = Dialogue("d1", (Turn("a", "Do you like tea?"), Turn("b", "I love green tea.")))
>>> edited = rewritten(chat, {1: "I hate green tea."}, "antonym")
>>> change = edited.changes[0]
>>> change.turn, change.spans
(1, (Span(before=(2, 6), after=(2, 6)),))
>>> [change.after[slice(*span.after)] for span in change.spans]
['hate']
"""

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from itertools import accumulate

import msgspec

from ..dialogue import Dialogue, Turn

#: Beyond so many words on a side, what differs is one span: matching takes their product.
_FINE = 600


class Span(msgspec.Struct, frozen=True, array_like=True):
    """Characters that were replaced: from where to where, before and after."""

    before: tuple[int, int]
    after: tuple[int, int]


class Change(msgspec.Struct, frozen=True):
    """What became of one turn.

    ``turn`` is its place in the edited dialogue, ``was`` its place in the original: ``was`` is
    None for a turn that was put in, ``turn`` for one that was taken out. A turn that only moved
    has equal texts and no span.
    """

    turn: int | None
    was: int | None
    kind: str
    before: str
    after: str
    spans: tuple[Span, ...] = ()


class Edited(msgspec.Struct, frozen=True):
    """A dialogue after an edit, and what the edit changed."""

    dialogue: Dialogue
    changes: tuple[Change, ...]


def rewritten(dialogue: Dialogue, texts: Mapping[int, str], kind: str) -> Edited:
    """The dialogue with other texts at some places."""
    turns = list(dialogue.turns)
    changes = []
    for place in sorted(texts):
        before, after = turns[place].text, texts[place]
        turns[place] = msgspec.structs.replace(turns[place], text=after)
        changes.append(Change(place, place, kind, before, after, spans(before, after)))
    return Edited(dialogue.with_turns(tuple(turns)), tuple(changes))


def rearranged(dialogue: Dialogue, order: Sequence[int | Turn], kind: str) -> Edited:
    """The dialogue as its own turns (by place) and foreign ones, in this order.

    A turn of its own counts as changed when other turns stand before it than did, so that one turn
    taken out or put in is one change.

    >>> chat = Dialogue("d1", tuple(Turn("ab"[at % 2], f"turn {at}") for at in range(4)))
    >>> edited = rearranged(chat, [0, 2, 3, Turn("a", "new")], "example")
    >>> [(change.turn, change.was) for change in edited.changes]
    [(None, 1), (3, None)]
    """
    turns = tuple(dialogue.turns[item] if isinstance(item, int) else item for item in order)
    own = [item for item in order if isinstance(item, int)]
    kept, stay = set(own), _in_order(_beside_asides(dialogue, own))
    changes = [
        Change(None, was, kind, turn.text, "", spans(turn.text, ""))
        for was, turn in enumerate(dialogue.turns)
        if was not in kept
    ]
    for place, item in enumerate(order):
        text = turns[place].text
        if not isinstance(item, int):
            changes.append(Change(place, None, kind, "", text, spans("", text)))
        elif item not in stay:
            changes.append(Change(place, item, kind, text, text))
    return Edited(dialogue.with_turns(turns), tuple(changes))


def spans(before: str, after: str) -> tuple[Span, ...]:
    """Where two texts differ, by whole words and signs, each with the space it stands beside.

    >>> spans("I like it.", "I like it.")
    ()
    >>> spans("I do like it.", "I like it.")
    (Span(before=(1, 4), after=(1, 1)),)
    """
    old, new = _pieces(before), _pieces(after)
    if not old or not new or max(len(old), len(new)) > _FINE:
        return (Span((0, len(before)), (0, len(after))),) if before != after else ()
    starts = [_starts(old), _starts(new)]
    matched = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return tuple(
        Span((starts[0][a], starts[0][b]), (starts[1][c], starts[1][d]))
        for what, a, b, c, d in matched
        if what != "equal"
    )


#: Blanks, words with their apostrophes, single signs: together the whole text.
PIECES = re.compile(r"\s+|[^\W_]+(?:['’][^\W_]+)*|.", re.DOTALL)


def _pieces(text: str) -> list[str]:
    return PIECES.findall(text)


def _starts(pieces: Sequence[str]) -> list[int]:
    places = [0]
    for piece in pieces:
        places.append(places[-1] + len(piece))
    return places


def _beside_asides(dialogue: Dialogue, places: Sequence[int]) -> list[int]:
    """The places between the same asides as before: asides stay, so what passed one has moved."""
    earlier = list(accumulate((turn.aside for turn in dialogue.turns), initial=0))
    passed, beside = 0, []
    for place in places:
        if earlier[place] == passed:
            beside.append(place)
        passed += dialogue.turns[place].aside
    return beside


def _in_order(places: Sequence[int]) -> set[int]:
    """The longest run of places that still follow each other as before (patience sorting)."""
    from bisect import bisect_left

    tails: list[int] = []
    before: dict[int, int | None] = {}
    for place in places:
        at = bisect_left(tails, place)
        before[place] = tails[at - 1] if at else None
        tails[at : at + 1] = [place]
    kept: set[int] = set()
    last = tails[-1] if tails else None
    while last is not None:
        kept.add(last)
        last = before[last]
    return kept
