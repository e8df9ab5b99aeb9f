"""Does the account of an edit tell the truth?

An edit of ours is tested for it; an edit of somebody else's is checked each time it is made, since
views, contrast files and training all believe the account.
"""

from ..dialogue import Dialogue
from .edited import Change, Edited


def fault(dialogue: Dialogue, edited: Edited) -> str:
    """What is wrong with the account of an edit; empty when it is right.

    >>> from ..dialogue import Turn
    >>> from .edited import rewritten
    >>> chat = Dialogue("d1", (Turn("a", "Hi."), Turn("b", "Hello!")))
    >>> edited = rewritten(chat, {1: "Bye!"}, "example")
    >>> fault(chat, edited)
    ''
    >>> fault(chat, Edited(edited.dialogue, ()))
    'a turn without a change is not as it was'
    """
    old, new = dialogue.turns, edited.dialogue.turns
    was = [change.was for change in edited.changes if change.was is not None]
    now = [change.turn for change in edited.changes if change.turn is not None]
    if len(set(was)) < len(was) or len(set(now)) < len(now):
        return "a turn has two changes"
    if not set(was) <= set(range(len(old))) or not set(now) <= set(range(len(new))):
        return "a change is of a turn that is not there"
    if any(old[at].aside for at in was) or any(new[at].aside for at in now):
        return "an aside was changed"
    gone, come = set(was), set(now)
    if [turn for at, turn in enumerate(old) if at not in gone] != [
        turn for at, turn in enumerate(new) if at not in come
    ]:
        return "a turn without a change is not as it was"
    return next((problem for it in edited.changes if (problem := _fault(it, dialogue, edited))), "")


def _fault(change: Change, dialogue: Dialogue, edited: Edited) -> str:
    if change.was is None and change.turn is None:
        return "a change is of no turn"
    before = "" if change.was is None else dialogue.turns[change.was].text
    after = "" if change.turn is None else edited.dialogue.turns[change.turn].text
    if (change.before, change.after) != (before, after):
        return "a change has other texts than the dialogues"
    return _spans_fault(change)


def _spans_fault(change: Change) -> str:
    """Between the spans both texts are the same, and in each span they differ."""
    ends = (0, 0)
    for span in change.spans:
        if span.before[0] > span.before[1] or span.after[0] > span.after[1]:
            return "a span ends before it begins"
        if not _same(change, ends, (span.before[0], span.after[0])):
            return "the texts differ outside of the spans"
        if change.before[slice(*span.before)] == change.after[slice(*span.after)]:
            return "a span holds no change"
        ends = span.before[1], span.after[1]
    if not _same(change, ends, (len(change.before), len(change.after))):
        return "the texts differ outside of the spans"
    return ""


def _same(change: Change, start: tuple[int, int], end: tuple[int, int]) -> bool:
    if end[0] < start[0] or end[1] < start[1]:
        return False
    return change.before[start[0] : end[0]] == change.after[start[1] : end[1]]
