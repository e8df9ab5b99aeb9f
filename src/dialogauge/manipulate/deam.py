"""DEAM's edits of meaning: one of them, or one to four on one dialogue as its mixture draws them.

How many is drawn first, uniformly; then which; and they are made in a fixed order, coreference,
contradiction, irrelevancy, engagement, as the released code does. All of them work on the same
graphs (:class:`.meaning.graphs.Talk`), so that a dialogue is parsed once. An edit that does not
apply is left out; if none does, the mixture does not apply. The released code counts on without
looking and so labels some unchanged dialogues as damaged.

    >>> probabilities()["coreference",], probabilities(TYPES[:3])["coreference", "irrelevancy"]
    (0.0625, 0.1111111111111111)
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING

import msgspec

from ..dialogue import Dialogue
from .edited import Edited, kinds
from .manipulation import SEVERITIES, Tally, alike, spawned
from .meaning.settings import MODULES, PAPER, Settings
from .pool import DoesNotApply, Pool

if TYPE_CHECKING:
    from .meaning.graphs import Talk

#: The edits in the order in which they are made.
TYPES = tuple(PAPER)


class Meaning(msgspec.Struct, frozen=True):
    """An edit of meaning, by its settings."""

    settings: Settings
    share: float = 0.0  # of the dialogue that is changed; 0 for what the settings say

    @property
    def about(self) -> str:
        """What the settings say of themselves."""
        return getattr(self.settings, "about", None) or self.settings.__doc__ or ""

    def __call__(self, dialogue: Dialogue, rng: Random, pool: Pool) -> Edited:
        """The dialogue with another meaning."""
        from .meaning.graphs import read

        talk = read(dialogue, pool)
        _change(talk, self.settings, rng, self.share)
        return talk.edited()


def _change(talk: "Talk", settings: Settings, rng: Random, share: float) -> None:
    """Change a dialogue that was read; AMR is imported here, and not before."""
    module = import_module(f".meaning.{MODULES[type(settings)]}", __package__)
    settings = msgspec.structs.replace(settings, share=share) if share else settings
    module.change(talk, settings, rng)


class OneReading(msgspec.Struct, frozen=True):
    """Some of DEAM's edits, all made on one reading of what the dialogue says."""

    names: tuple[str, ...]
    weight: float = 1.0
    severity: int | None = None  # None for each edit's own share
    settings: Mapping[str, Settings] = msgspec.field(default_factory=lambda: PAPER)

    @property
    def name(self) -> str:
        """The names of the edits."""
        return "+".join(map(self._called, self.names))

    def make(
        self, dialogue: Dialogue, rng: Random, pool: Pool, tally: Tally
    ) -> tuple[Edited | None, str]:
        """The dialogue after each edit that applies, and the names of those edits."""
        edited, refused = self._attempt(dialogue, rng, pool)
        if edited is not None and alike(dialogue, edited.dialogue):
            edited, refused = None, dict.fromkeys(self.names, "nothing changed")
        for name in self.names:
            tally.asked[self._called(name)] += 1
            tally.answer(self._called(name), refused.get(name))
        return edited, "+".join(self._called(name) for name in self.names if name not in refused)

    def _called(self, name: str) -> str:
        return name if self.severity is None else f"{name}@{self.severity}"

    def _attempt(
        self, dialogue: Dialogue, rng: Random, pool: Pool
    ) -> tuple[Edited | None, dict[str, str]]:
        """The dialogue after these edits, None if none of them applies; and why some do not."""
        from .meaning import graphs

        generators = [spawned(rng) for _ in self.names]
        refused = dict[str, str]()
        share = (self.severity or 0) / len(SEVERITIES)
        try:
            read = graphs.read(dialogue, pool)
        except DoesNotApply as reason:
            return None, dict.fromkeys(self.names, str(reason))
        for name, generator in zip(self.names, generators, strict=True):
            try:
                _change(read, self.settings[name], generator, share)
            except DoesNotApply as reason:
                refused[name] = str(reason)
        if len(refused) == len(self.names):
            return None, refused
        edited = read.edited()
        left = {kind.partition(".")[0] for kind in kinds(edited)}
        erased = [name for name in self.names if name not in left]
        return edited, {**dict.fromkeys(erased, "a later edit erased it"), **refused}


def ways(types: Sequence[str] = TYPES, severity: int | None = None) -> tuple[OneReading, ...]:
    """Each set of edits with its chance; fewer ``types`` for an ablation."""
    chances = probabilities(types).items()
    return tuple(OneReading(names, chance, severity) for names, chance in chances)


def probabilities(types: Sequence[str] = TYPES) -> dict[tuple[str, ...], float]:
    """The chance of each set: each number of edits is equally likely, and each set of that size."""
    sets = [list(combinations(types, size)) for size in range(1, len(types) + 1)]
    return {each: 1 / len(types) / len(of_size) for of_size in sets for each in of_size}
