"""A manipulation: an edit, the effect that a good metric must show, and who thought of it.

A training negative and an attack are one object. ``lower`` is damage: a metric has to go down.
``same`` is harmless: a metric has to stay.

An edit gets a dialogue, a generator and a pool, and gives :class:`Edited`, or raises
:class:`DoesNotApply` with the reason. Called through :class:`Manipulation` it gives None instead
and the reason is counted; a result that says the same as the input is never given out.

    >>> from ..dialogue import Dialogue, Turn
    >>> def shout(dialogue, rng, pool):
    ...     '''The last turn in capitals.'''
    ...     return rewritten(dialogue, {1: dialogue.response.upper()}, "shout")
    >>> shouting = Manipulation("shout", shout, "lower", "an example")
    >>> chat, tally = Dialogue("d1", (Turn("a", "Hi."), Turn("b", "Hello!"))), Tally()
    >>> shouting(chat, Random(1), Pool([]), tally) is None, dict(tally.refused)
    (True, {('shout', 'nothing changed'): 1})
"""

from collections import Counter
from collections.abc import Callable, Sequence
from hashlib import blake2b
from random import Random
from typing import Any, Literal, TypeVar

import msgspec

from ..dialogue import Dialogue
from .edited import Edited, after, rewritten
from .pool import DoesNotApply, Pool

__all__ = ["DoesNotApply", "Edit", "Expect", "Manipulation", "Tally", "rewritten", "seeded"]

SEVERITIES = (1, 2, 3, 4, 5)
Expect = Literal["lower", "same"]
Edit = Callable[[Dialogue, Random, Pool], Edited | None]
_Thing = TypeVar("_Thing")


class Tally(msgspec.Struct):
    """How often each manipulation was asked and applied, and why it was not."""

    asked: Counter[str] = msgspec.field(default_factory=Counter)
    applied: Counter[str] = msgspec.field(default_factory=Counter)
    refused: Counter[tuple[str, str]] = msgspec.field(default_factory=Counter)  # name, reason

    def answer(self, name: str, refused: str | None = None) -> None:
        """Count what came of asking: it was applied, or refused for a reason."""
        if refused is None:
            self.applied[name] += 1
        else:
            self.refused[name, refused] += 1


class Manipulation(msgspec.Struct, frozen=True):
    """An edit with its name, what it must do to a score, and its source."""

    name: str
    edit: Edit
    expect: Expect
    source: str

    @property
    def about(self) -> str:
        """One sentence: the first line of what the edit says of itself."""
        sentence: str = getattr(self.edit, "about", None) or self.edit.__doc__ or ""
        return sentence.strip().partition("\n")[0]

    def __call__(
        self, dialogue: Dialogue, rng: Random, pool: Pool, tally: Tally | None = None
    ) -> Edited | None:
        """The edited dialogue, or None, with the reason in ``tally``."""
        tally = tally or Tally()
        tally.asked[self.name] += 1
        try:
            edited = self.edit(dialogue, rng, pool)
            if edited is None:
                raise DoesNotApply("it does not apply")
            if not edited.changes or self._keeps(dialogue, edited.dialogue):
                raise DoesNotApply("nothing changed")
        except DoesNotApply as reason:
            tally.answer(self.name, str(reason))
            return None
        tally.answer(self.name)
        return edited

    def _keeps(self, dialogue: Dialogue, other: Dialogue) -> bool:
        """Whether nothing was done: damage has to be more than blanks and capitals."""
        if self.expect == "lower":
            return alike(dialogue, other)
        return dialogue.turns == other.turns


def at(manipulation: Manipulation, severity: int | None) -> Manipulation:
    """The same manipulation at a severity of 1 to 5, its name ending in ``@severity``, or itself.

    An edit that damages has a ``share``: how much of the dialogue it touches. Severity s is a share
    of s fifths, drawn so that each step keeps what the one below it did (given the same generator).
    An edit without a share, as a plug-in may be, is made s times, one on the other.
    """
    if severity is None:
        return manipulation
    edit: Any = manipulation.edit
    if "share" in getattr(edit, "__struct_fields__", ()):
        harder: Edit = msgspec.structs.replace(edit, share=severity / len(SEVERITIES))
    else:
        harder = _Repeated(edit, severity)
    name = f"{manipulation.name}@{severity}"
    return msgspec.structs.replace(manipulation, name=name, edit=harder)


class _Repeated(msgspec.Struct, frozen=True):
    """An edit that is made several times, each time on what the last one left."""

    edit: Edit
    times: int

    @property
    def about(self) -> str:
        """What the edit says of itself."""
        return self.edit.__doc__ or ""

    def __call__(self, dialogue: Dialogue, rng: Random, pool: Pool) -> Edited | None:
        """The dialogue after so many edits, or as many as could be made."""
        edited: Edited | None = None
        for _ in range(self.times):
            try:
                again = self.edit(edited.dialogue if edited else dialogue, rng, pool)
            except DoesNotApply:
                if edited is None:
                    raise
                break
            if again is None:
                break
            edited = after(edited, again) if edited else again
        return edited


def alike(first: Dialogue, second: Dialogue) -> bool:
    """Whether two dialogues say the same but for white space and case."""
    return len(first.turns) == len(second.turns) and all(
        one.speaker == other.speaker and same_text(one.text, other.text)
        for one, other in zip(first.turns, second.turns, strict=True)
    )


def same_text(first: str, second: str) -> bool:
    """Whether two texts are the same but for white space and case."""
    return first == second or first.casefold().split() == second.casefold().split()


def seeded(seed: int, *what: str) -> Random:
    """A generator of its own for each dialogue and purpose, so that order does not matter."""
    key = "\0".join([str(seed), *what]).encode("utf-8", "replace")
    return Random(blake2b(key, digest_size=16).digest())  # noqa: S311  (no secret)


def spawned(rng: Random) -> Random:
    """A generator of its own, whose draws leave those of the first as they are."""
    return Random(rng.getrandbits(64))  # noqa: S311  (no secret)


def drawn(rng: Random, things: Sequence[_Thing]) -> list[tuple[_Thing, Random]]:
    """Things in a random order, each with a generator of its own.

    What is drawn for one does not depend on how many are asked for: with a larger share the same
    things are done, and more.
    """
    return [(thing, spawned(rng)) for thing in rng.sample(things, len(things))]
