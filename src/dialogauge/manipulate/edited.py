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
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from itertools import accumulate, count

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


def after(first: Edited, second: Edited) -> Edited:
    """What both edits did, the second having been made on the result of the first.

    >>> chat = Dialogue("d1", tuple(Turn("ab"[at % 2], f"say {at}") for at in range(3)))
    >>> one = rearranged(chat, [0, 2], "drop")
    >>> two = rewritten(one.dialogue, {1: "say nothing"}, "rewrite")
    >>> [(each.kind, each.turn, each.was, each.before) for each in after(one, two).changes]
    [('drop', None, 1, 'say 1'), ('rewrite', 1, 2, 'say 2')]
    """
    origin = _origins(first)
    earlier = {change.turn: change for change in first.changes if change.turn is not None}
    touched = {change.was for change in second.changes}
    place = {was: at for at, was in _origins(second).items() if was not in touched}
    kept = [
        change if change.turn is None else msgspec.structs.replace(change, turn=place[change.turn])
        for change in first.changes
        if change.turn is None or change.turn in place
    ]
    alone = len(first.changes) == 1
    later = [_told(change, origin, earlier, alone) for change in second.changes]
    return Edited(second.dialogue, (*kept, *filter(None, later)))


def kinds(edited: Edited) -> set[str]:
    """The kinds of changes that an account names, each by itself."""
    return {kind for change in edited.changes for kind in change.kind.split("+")}


def _origins(edited: Edited) -> dict[int, int | None]:
    """Place in the edited dialogue -> place in the one before it, None for a turn put in."""
    changed = {change.turn: change.was for change in edited.changes if change.turn is not None}
    gone = {change.was for change in edited.changes}
    rest = (was for was in count() if was not in gone)
    places = range(len(edited.dialogue.turns))
    return {at: changed[at] if at in changed else next(rest) for at in places}


def _told(
    change: Change, origin: dict[int, int | None], earlier: dict[int, Change], alone: bool
) -> Change | None:
    """A change of the second edit told against the first dialogue; None if a turn came and went.

    The first is named where something of it is left, or where it is ``alone`` in moving a turn.
    """
    if change.was is None:
        return change
    was, first = origin[change.was], earlier.get(change.was)
    if was is None and change.turn is None:
        return None
    before = first.before if first else change.before
    named = first and (_is_left(first, change) or (alone and first.turn != first.was))
    kind = "+".join(
        dict.fromkeys([*(first.kind.split("+") if first and named else ()), change.kind])
    )
    return Change(change.turn, was, kind, before, change.after, spans(before, change.after))


def _is_left(first: Change, second: Change) -> bool:
    """Whether a second change of a turn leaves something of the first one.

    A turn that was put in is there. Of one that moved, or of a part that was rewritten, half stays
    at least: foreign words are the same here and there by chance. Of words that went, their place.

    >>> from itertools import pairwise
    >>> said = ("I like tea.", "I love tea.", "I love milk.", "I hate milk.")
    >>> one, two, three = (Change(0, 0, "", *it, spans(*it)) for it in pairwise(said))
    >>> _is_left(one, two), _is_left(one, three)
    (True, False)
    """
    if first.was is None:
        return second.turn is not None
    gone = [span.before for span in second.spans]
    whole = [(0, len(first.after))]
    places = [_trimmed(first.after, *span.after) for span in first.spans] or whole
    return any(_stays(*place, gone) for place in places)


def _stays(start: int, end: int, gone: Sequence[tuple[int, int]]) -> bool:
    """Whether half of a part of a text is outside of what is gone, or a place inside none of it."""
    if start == end:
        return not any(low < start < high for low, high in gone)
    lost = sum(max(0, min(end, high) - max(start, low)) for low, high in gone)
    return 2 * lost <= end - start


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """A part of a text without the blanks around it."""
    start += len(text[start:end]) - len(text[start:end].lstrip())
    return start, start + len(text[start:end].rstrip())


def spans(before: str, after: str) -> tuple[Span, ...]:
    """Where two texts differ, by whole words and signs, each with the space it stands beside.

    >>> spans("I like it.", "I like it.")
    ()
    >>> spans("I do like it.", "I like it.")
    (Span(before=(1, 4), after=(1, 1)),)
    """
    old, new = PIECES.findall(before), PIECES.findall(after)
    if not old or not new or max(len(old), len(new)) > _FINE:
        return (Span((0, len(before)), (0, len(after))),) if before != after else ()
    was, now = ([*accumulate(map(len, pieces), initial=0)] for pieces in (old, new))
    matched = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return tuple(
        Span((was[a], was[b]), (now[c], now[d])) for what, a, b, c, d in matched if what != "equal"
    )


#: Blanks, words with their apostrophes, single signs: together the whole text.
PIECES = re.compile(r"\s+|[^\W_]+(?:['’][^\W_]+)*|.", re.DOTALL)


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
