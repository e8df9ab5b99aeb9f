"""Damage: an excerpt made worse, which turns broke, in which characters, and what it is called.

Each manipulation of :data:`CAUSES` belongs to a cause, the word that the metric says. An edit's
account tells what changed; what *broke* follows from it:

- a turn that was rewritten or put in is broken. Its changed characters are known, but for a whole
  foreign turn, which has none of its own;
- where turns moved or were taken out, a turn is broken that follows another one than it did;
- of foreign turns that follow each other as they did elsewhere, only the first is broken.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Any

import msgspec

from ....dialogue import Dialogue
from ....manipulate.catalogue import find
from ....manipulate.edited import Edited
from ....manipulate.manipulation import Manipulation, seeded
from ....manipulate.pool import Pool
from ....manipulate.responses import sentences

#: What the metric names -> the manipulations that teach it.
CAUSES: dict[str, tuple[str, ...]] = {
    "contradiction": ("negation", "antonym", "contradiction", "self-contradiction"),
    "coreference": ("coreference",),
    "irrelevancy": ("irrelevancy", "name-exchange"),
    "engagement": ("engagement",),
    "order": ("move-turn", "shuffle-speaker", "swap-halves", "permute", "drop-turn"),
    "foreign": ("replace-turn", "near-response", "insert-turn", "splice"),
    "speaker": ("speaker-confusion", "swapped-line"),
    "repetition": ("echo", "temporal-skip"),
    "form": ("word-drop", "word-order", "word-repeat", "cut-off"),
}
#: What conversations were written to teach (``train/written.py``) -> its cause.
WRITTEN: dict[str, str] = {
    **{f"written-{kind}": "contradiction" for kind in ("self", "partner", "negation", "opposite")},
    **{f"written-{kind}": "contradiction" for kind in ("time", "number")},
    **{f"written-{kind}": "irrelevancy" for kind in ("name", "answer")},
    "written-pronoun": "coreference",
    "written-speaker": "speaker",
}
#: How often each manipulation is drawn beside the others, 1 if it is not named: meaning is harder
#: to learn than order and form.
OFTEN = {
    **dict.fromkeys(("negation", "antonym", "self-contradiction", "coreference"), 2.0),
    **dict.fromkeys(("irrelevancy", "name-exchange", "near-response"), 2.0),
    **dict.fromkeys(("contradiction", "speaker-confusion", "swapped-line", "replace-turn"), 1.5),
    **dict.fromkeys(CAUSES["order"], 0.7),
    **dict.fromkeys(CAUSES["repetition"], 0.4),
    **dict.fromkeys(CAUSES["form"], 0.3),
    # Nobody says two turns in succession in our corpora: that would be all that is learnt of these.
    **dict.fromkeys(("insert-turn", "drop-turn"), 0.01),
    **dict.fromkeys(WRITTEN, 20.0),  # whatever else is made of a conversation that was written
}
#: Those that break by what another turn says, which must stay as it is.
LEANING = frozenset({"contradiction", "self-contradiction", "name-exchange", *WRITTEN})
#: Those whose changed characters mean nothing by themselves: the whole turn is out of place.
_WHOLE = frozenset({*CAUSES["order"], *CAUSES["foreign"], *CAUSES["repetition"], "swapped-line"})
#: The causes that some manipulation marks words for.
WORDED = tuple(cause for cause, names in CAUSES.items() if not _WHOLE.issuperset(names))
#: Those of which one excerpt gives many: words that can be changed, where turns can be moved once.
_MEANING = frozenset(
    {*CAUSES["contradiction"], *CAUSES["coreference"], *CAUSES["irrelevancy"]}
    | {*CAUSES["engagement"], "speaker-confusion"}
)
#: Those that negate, or lift a negation.
_LIFTED = frozenset({"negation", "contradiction", "self-contradiction"})
#: Those that say again, the wrong way round, what was said; and how alike both are at least.
_SAID_AGAIN, _ALIKE = ("contradiction", "self-contradiction"), 0.5
_WORD = re.compile(r"[^\W_]+")

Span = tuple[int, int]


class Broken(msgspec.Struct, frozen=True, array_like=True):
    """A turn that broke, and the characters that did it; none where it is the turn as a whole."""

    turn: int
    spans: tuple[Span, ...] = ()


class Damaged(msgspec.Struct, frozen=True, array_like=True):
    """What one manipulation made of an excerpt."""

    name: str
    turns: tuple[tuple[str, str], ...]  # speaker, text
    broken: tuple[Broken, ...]


def cause_of(name: str) -> str:
    """The cause that a manipulation teaches.

    >>> cause_of("antonym")
    'contradiction'
    """
    if name in WRITTEN:
        return WRITTEN[name]
    return next(cause for cause, names in CAUSES.items() if name in names)


def is_written(names: Iterable[str]) -> bool:
    """Whether what goes by some of these names was written to be damaged."""
    return any(name in WRITTEN for name in names)


def damaged(
    excerpt: Dialogue, names: Iterable[str], pool: Pool, seed: int, tries: int = 1
) -> Iterator[Damaged]:
    """The excerpt after each manipulation that applies; after one of meaning, in several ways."""
    for name in names:
        seen = set[tuple[tuple[str, str], ...]]()
        for again in range(tries if name in _MEANING else 1):
            rng = seeded(seed, excerpt.id, name, *[str(again)] * bool(again))
            edited = _tried(name, again)(excerpt, rng, pool)
            if edited is None:
                continue
            turns = tuple((turn.speaker, turn.text) for turn in edited.dialogue.turns)
            broken = tuple(breaks(edited, name))
            if broken and len(turns) > 1 and turns not in seen:
                seen.add(turns)
                yield Damaged(name, turns, broken)


def _tried(name: str, again: int) -> Manipulation:
    """A manipulation as it is tried; what negates, every other time where a negation can go.

    Far more comes by itself than goes, and training takes as much of both (``cues.balance``).
    """
    manipulation = find(name)
    if name not in _LIFTED or again % 2 == 0:
        return manipulation
    edit: Any = manipulation.edit
    settings = msgspec.structs.replace(edit.settings, lifts=True)
    return msgspec.structs.replace(
        manipulation, edit=msgspec.structs.replace(edit, settings=settings)
    )


def breaks(edited: Edited, name: str) -> Iterator[Broken]:
    """The turns that broke.

    >>> from ....dialogue import Turn
    >>> from ....manipulate.edited import rearranged, rewritten
    >>> chat = Dialogue("d1", tuple(Turn("ab"[at % 2], f"say {at} now") for at in range(4)))
    >>> list(breaks(rewritten(chat, {2: "say 7 now"}, "negation"), "negation"))
    [Broken(turn=2, spans=((4, 5),))]
    >>> list(breaks(rearranged(chat, [0, 2, 3], "drop-turn"), "drop-turn"))
    [Broken(turn=1, spans=())]
    """
    changes = {each.turn: each for each in edited.changes if each.turn is not None}
    origins = _origins(edited)
    for turn in range(len(edited.dialogue.turns)):
        change = changes.get(turn)
        if origins[turn] is not None or change is None:
            if not _follows(origins, turn):
                yield Broken(turn)
        elif name not in _WHOLE:
            spans = (_visible(change.after, span.after) for span in change.spans)
            yield Broken(turn, tuple(spans))
        elif name != "splice" or origins[turn - 1] is not None:
            yield Broken(turn)


def _origins(edited: Edited) -> dict[int, int | None]:
    """Where each turn stood before; None for what was not there, or says something else."""
    changed = {each.turn: each for each in edited.changes if each.turn is not None}
    gone = {each.was for each in edited.changes}
    rest = (was for was in count() if was not in gone)
    origins = dict[int, int | None]()
    for turn in range(len(edited.dialogue.turns)):
        if turn not in changed:
            origins[turn] = next(rest)
        else:
            change = changed[turn]
            origins[turn] = change.was if change.before == change.after else None
    return origins


def _follows(origins: Mapping[int, int | None], turn: int) -> bool:
    """Whether a turn stands behind the one that it stood behind before, or behind an edited one."""
    here, before = origins[turn], origins.get(turn - 1)
    return here is None or before is None or here == before + 1


def _visible(text: str, span: Span) -> Span:
    """Characters that were put in; where some were only taken out, the words on both sides."""
    start, end = span
    if text[start:end].strip():
        return start, end
    before, behind = text[:start].rstrip(), text[end:].lstrip()
    left = before.rfind(" ") + 1
    right = len(text) - len(behind) + len(behind.split(" ", 1)[0])
    return left, right


def restated(damaged: Damaged, broken: Broken) -> str:
    """The broken turn with what was said before in the place of its opposite, if that is known.

    Who contradicts himself says something again, and it is the wrong way round; who says it again
    the right way round does not. Without the second the first is told by the repetition.

    >>> turns = ("a", "I like tea. You?"), ("b", "So do I."), ("a", "Good! I don't like tea.")
    >>> again = Damaged("contradiction", turns, (Broken(2, ((5, 23),)),))
    >>> restated(again, again.broken[0])
    'Good! I like tea.'
    """
    if damaged.name not in _SAID_AGAIN or not broken.spans:
        return ""
    speaker, text = damaged.turns[broken.turn]
    start, end = broken.spans[0][0], broken.spans[-1][1]
    new = text[start:end].lstrip(" .!?")
    own = [said for who, said in damaged.turns[: broken.turn] if who == speaker]
    every = [one for said in own for one in (said, *sentences(said))]
    source = max(every, key=lambda one: _alike(one, new), default="")
    if _alike(source, new) < _ALIKE:
        return ""
    rest = text[end:].strip()
    return text[: end - len(new)] + source + (f" {rest}" if rest else "")


def _alike(one: str, other: str) -> float:
    """How many words two texts share, by Dice's coefficient."""
    first, second = (set(_WORD.findall(text.lower())) for text in (one, other))
    return 2 * len(first & second) / max(1, len(first) + len(second))


def names() -> tuple[str, ...]:
    """Every manipulation that teaches a cause."""
    return tuple(name for manipulations in CAUSES.values() for name in manipulations)
