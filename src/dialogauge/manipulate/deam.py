"""DEAM's mixture: one to four of its edits of meaning on one dialogue.

How many is drawn first, uniformly; then which; and they are made in a fixed order, coreference,
contradiction, irrelevancy, engagement, as the released code does. All of them work on the same
graphs (:class:`.meaning.talk.Talk`), so that a dialogue is parsed once. An edit that does not apply
is left out; if none does, the mixture does not apply. The released code counts on without looking
and so labels some unchanged dialogues as damaged.

    >>> from random import Random
    >>> drawn(Random(1)), drawn(Random(4))
    (('coreference', 'contradiction'), ('coreference', 'irrelevancy'))
    >>> probabilities()["coreference",], probabilities(TYPES[:3])["coreference", "irrelevancy"]
    (0.0625, 0.1111111111111111)
"""

from collections.abc import Sequence
from itertools import combinations
from random import Random

import msgspec

from ..dialogue import Dialogue
from .edited import Edited
from .manipulation import Manipulation
from .meaning.settings import (
    RELEASED,
    Contradiction,
    Coreference,
    Engagement,
    Irrelevancy,
    Settings,
)
from .pool import DoesNotApply, Pool

#: The edits in the order in which they are made.
TYPES = ("coreference", "contradiction", "irrelevancy", "engagement")


class Made(msgspec.Struct, frozen=True):
    """What a mixture did: the edits that were drawn, and why some of them were not made."""

    edited: Edited
    drawn: tuple[str, ...]
    refused: dict[str, str]  # edit -> reason


class Deam(msgspec.Struct, frozen=True):
    """One to four of DEAM's edits of meaning, one after another."""

    coreference: Coreference = Coreference()
    contradiction: Contradiction = Contradiction()
    irrelevancy: Irrelevancy = Irrelevancy()
    engagement: Engagement = Engagement()
    types: tuple[str, ...] = TYPES  # fewer for an ablation
    share: float = 0.0  # of the dialogue that each edit changes; 0 for each one's own

    def __call__(self, dialogue: Dialogue, rng: Random, pool: Pool) -> Edited:
        """The dialogue after the edits that were drawn."""
        return self.made(dialogue, rng, pool).edited

    def made(self, dialogue: Dialogue, rng: Random, pool: Pool) -> Made:
        """The same, with what was drawn and what was not made."""
        chosen = drawn(rng, self.types)
        edited, refused = self.attempt(chosen, dialogue, rng, pool)
        if edited is None:
            raise DoesNotApply(next(iter(refused.values())))
        return Made(edited, chosen, refused)

    def attempt(
        self, chosen: Sequence[str], dialogue: Dialogue, rng: Random, pool: Pool
    ) -> tuple[Edited | None, dict[str, str]]:
        """These edits, None if none of them applies; and why some were not made."""
        from .meaning import talk

        own = [Random(rng.getrandbits(64)) for _ in chosen]  # noqa: S311  (no secret)
        refused = dict[str, str]()
        try:
            read = talk.read(dialogue, pool)
        except DoesNotApply as reason:
            return None, dict.fromkeys(chosen, str(reason))
        for name, generator in zip(chosen, own, strict=True):
            try:
                self._settings(name).change(read, generator)
            except DoesNotApply as reason:
                refused[name] = str(reason)
        return (None if len(refused) == len(chosen) else read.edited()), refused

    def _settings(self, name: str) -> Settings:
        settings: Settings = getattr(self, name)
        return msgspec.structs.replace(settings, share=self.share) if self.share else settings


def drawn(rng: Random, types: Sequence[str] = TYPES) -> tuple[str, ...]:
    """How many, then which: each number of edits is equally likely, and each set of that size."""
    chosen = rng.sample(types, rng.randint(1, len(types)))
    return tuple(name for name in types if name in chosen)


def probabilities(types: Sequence[str] = TYPES) -> dict[tuple[str, ...], float]:
    """The chance of each set of edits."""
    sets = [list(combinations(types, size)) for size in range(1, len(types) + 1)]
    return {each: 1 / len(types) / len(of_size) for of_size in sets for each in of_size}


def released() -> Deam:
    """The mixture with the settings of DEAM's released code."""
    return Deam(**RELEASED)  # type: ignore[arg-type]


DEAM = Manipulation("deam", Deam(), "lower", "DEAM (Ghazarian et al., 2022)")
