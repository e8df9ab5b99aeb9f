"""One edit after another: the changes of both, told against the first dialogue."""

import msgspec

from .edited import Change, Edited, spans


def after(first: Edited, second: Edited) -> Edited:
    """What both edits did, the second having been made on the result of the first.

    >>> from ..dialogue import Dialogue, Turn
    >>> from .edited import rearranged, rewritten
    >>> chat = Dialogue("d1", tuple(Turn("ab"[at % 2], f"say {at}") for at in range(3)))
    >>> one = rearranged(chat, [0, 2], "drop")
    >>> two = rewritten(one.dialogue, {1: "say nothing"}, "rewrite")
    >>> [(each.kind, each.turn, each.was, each.before) for each in after(one, two).changes]
    [('drop', None, 1, 'say 1'), ('rewrite', 1, 2, 'say 2')]
    """
    origin, now = _origins(first), _origins(second)
    earlier = {change.turn: change for change in first.changes if change.turn is not None}
    place = {was: at for at, was in now.items() if was is not None}
    kept = [
        _moved(change, place)
        for change in first.changes
        if change.turn is None or (change.turn in place and not _touched(change.turn, second))
    ]
    later = [_told(change, origin, earlier) for change in second.changes]
    return Edited(second.dialogue, (*kept, *(change for change in later if change)))


def _origins(edited: Edited) -> dict[int, int | None]:
    """Place in the edited dialogue -> place in the one before it, None for a turn put in."""
    changed = {change.turn: change.was for change in edited.changes if change.turn is not None}
    used = {change.was for change in edited.changes if change.was is not None}
    rest = iter(range(10**9))
    origins: dict[int, int | None] = {}
    for at in range(len(edited.dialogue.turns)):
        if at in changed:
            origins[at] = changed[at]
        else:
            origins[at] = next(was for was in rest if was not in used)
    return origins


def _touched(turn: int, second: Edited) -> bool:
    return any(change.was == turn for change in second.changes)


def _moved(change: Change, place: dict[int, int]) -> Change:
    if change.turn is None:
        return change
    return msgspec.structs.replace(change, turn=place[change.turn])


def _told(
    change: Change, origin: dict[int, int | None], earlier: dict[int, Change]
) -> Change | None:
    """A change of the second edit told against the first dialogue; None if a turn came and went."""
    if change.was is None:
        return change
    was, first = origin[change.was], earlier.get(change.was)
    before = first.before if first else change.before
    if was is None and change.turn is None:
        return None
    kind = f"{first.kind}+{change.kind}" if first and first.kind != change.kind else change.kind
    return Change(change.turn, was, kind, before, change.after, spans(before, change.after))
