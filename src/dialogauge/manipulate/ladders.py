"""Ladders: the same damage at severity 1 to 5, so that a metric can be tested for steady decline.

An edit that damages has a ``share``: how much of the dialogue it touches. Severity s is a share of
s fifths, drawn so that each step keeps what the one below it did (given the same generator). An
edit without a share, as a plug-in may be, is made s times, one on the other.
"""

from random import Random
from typing import Any

import msgspec

from ..dialogue import Dialogue
from .edited import Edited
from .manipulation import DoesNotApply, Edit, Manipulation
from .pool import Pool

SEVERITIES = (1, 2, 3, 4, 5)


def at(manipulation: Manipulation, severity: int) -> Manipulation:
    """The same manipulation at a severity of 1 to 5, its name ending in ``@severity``."""
    edit: Any = manipulation.edit
    if "share" in getattr(edit, "__struct_fields__", ()):
        harder: Edit = msgspec.structs.replace(edit, share=severity / len(SEVERITIES))
    else:
        harder = _Repeated(edit, severity)
    return msgspec.structs.replace(
        manipulation, name=f"{manipulation.name}@{severity}", edit=harder
    )


class _Repeated(msgspec.Struct, frozen=True):
    """An edit that is made several times, each time on what the last one left."""

    edit: Edit
    times: int

    @property
    def about(self) -> str:
        """What the edit says of itself."""
        return self.edit.__doc__ or ""

    def __call__(self, dialogue: Dialogue, rng: Random, pool: Pool) -> Edited:
        """The dialogue after so many edits, or as many as could be made."""
        from .composing import after

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
        if edited is None:
            raise DoesNotApply("it does not apply")
        return edited
