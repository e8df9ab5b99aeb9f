"""Does the account of an edit tell the truth?

An edit of ours is tested for it; an edit of somebody else's is checked each time it is made, since
views, contrast files and training all believe the account.
"""

from ..dialogue import Dialogue
from .edited import Change, Edited, Span


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
    gone = [change.was for change in edited.changes if change.was is not None]
    come = [change.turn for change in edited.changes if change.turn is not None]
    rest = []
    for turns, places in ((old, gone), (new, come)):
        changed = set(places)
        if len(changed) < len(places):
            return "a turn has two changes"
        if not changed <= set(range(len(turns))):
            return "a change is of a turn that is not there"
        if any(turns[at].aside for at in places):
            return "an aside was changed"
        rest.append([turn for at, turn in enumerate(turns) if at not in changed])
    if rest[0] != rest[1]:
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
    last = Span((len(change.before),) * 2, (len(change.after),) * 2)
    old = new = 0
    for span in (*change.spans, last):
        if span.before[0] > span.before[1] or span.after[0] > span.after[1]:
            return "a span ends before it begins"
        back = span.before[0] < old or span.after[0] < new
        if back or change.before[old : span.before[0]] != change.after[new : span.after[0]]:
            return "the texts differ outside of the spans"
        was, now = change.before[slice(*span.before)], change.after[slice(*span.after)]
        if was == now and span is not last:
            return "a span holds no change"
        old, new = span.before[1], span.after[1]
    return ""
