"""Mixtures: how the papers draw the damage that they train on.

A mixture is a list of *ways*, each of them some manipulations that are made one after the other,
and how often it is drawn, so that :mod:`dialogauge.contrast` can give each way its turn.

    >>> from .catalogue import find
    >>> for way in some_of([find("permute"), find("replace-turn")]):
    ...     print(way.name, way.weight)
    permute 0.25
    replace-turn 0.25
    permute+replace-turn 0.5
"""

from collections.abc import Iterable, Iterator, Sequence
from random import Random

import msgspec

from ..dialogue import Dialogue
from ..errors import InputError, UnknownNameError
from . import catalogue, deam
from .edited import Edited, after, kinds
from .manipulation import DoesNotApply, Manipulation, Tally, alike, at, seeded
from .pool import Pool


class Steps(msgspec.Struct, frozen=True):
    """Manipulations that are made one after the other."""

    steps: tuple[Manipulation, ...]
    weight: float = 1.0

    @property
    def name(self) -> str:
        """The names of the steps."""
        return "+".join(step.name for step in self.steps)

    def make(
        self, dialogue: Dialogue, rng: Random, pool: Pool, tally: Tally
    ) -> tuple[Edited | None, str]:
        """The dialogue after each step that applies, and the names of those that left a trace."""
        edited: Edited | None = None
        made = dict[str, set[str]]()
        for step in self.steps:
            again = step(edited.dialogue if edited else dialogue, rng, pool, tally)
            if again is not None:
                edited = after(edited, again) if edited else again
                made[step.name] = kinds(again)
        if edited is None or alike(dialogue, edited.dialogue):
            return None, ""
        left = kinds(edited)
        return edited, "+".join(name for name, own in made.items() if own & left)


#: Some manipulations of one dialogue, and how often they are drawn.
Way = Steps | deam.OneReading


class Mixture(msgspec.Struct, frozen=True):
    """Ways to damage a dialogue, of which one is drawn. A mixture is itself an edit."""

    name: str
    ways: tuple[Way, ...]
    source: str = ""
    about: str = ""

    def draw(self, rng: Random) -> Way:
        """One of the ways, by their weights."""
        return rng.choices(self.ways, [way.weight for way in self.ways])[0]

    def __call__(self, dialogue: Dialogue, rng: Random, pool: Pool) -> Edited:
        """The dialogue damaged in a way that was drawn."""
        tally = Tally()
        edited, _ = self.draw(rng).make(dialogue, rng, pool, tally)
        if edited is None:
            reasons = (reason for _, reason in tally.refused)
            raise DoesNotApply(next(reasons, "nothing changed"))
        return edited

    @property
    def manipulation(self) -> Manipulation:
        """The mixture as one manipulation."""
        return Manipulation(self.name, self, "lower", self.source)


def some_of(steps: Sequence[Manipulation]) -> tuple[Way, ...]:
    """k of the steps, k drawn uniformly from 1 to their number, made in the order given."""
    named = {step.name: step for step in steps}
    chances = deam.probabilities(tuple(named)).items()
    return tuple(Steps(tuple(map(named.__getitem__, names)), chance) for names, chance in chances)


def one_of(steps: Iterable[Manipulation]) -> tuple[Way, ...]:
    """One of the steps, drawn uniformly."""
    return tuple(Steps((step,)) for step in steps)


#: The papers' mixtures: whose each is, and what is drawn.
_MIXTURES = {
    "deam": (
        "DEAM (Ghazarian et al., 2022)",
        "One to four of coreference, contradiction, irrelevancy and engagement, in this order.",
    ),
    # DEAM's paper calls the second step an insertion from another conversation; its code moves one.
    "mesgar": (
        "Mesgar et al.",
        "One to four of: permute all turns, move one, shuffle one speaker's, replace one.",
    ),
    "vakulenko": (
        "Vakulenko et al.",
        "One of: permute all turns or one speaker's, swap halves, splice two dialogues.",
    ),
    "dynaeval": ("DynaEval", "One of: replace a turn, shuffle the turns of one speaker."),
    "maude": (
        "MaUdE",
        "One of: drop, order or repeat words, another dialogue's or model's reply.",
    ),
}


def mixtures() -> tuple[str, ...]:
    """The names of the papers' mixtures."""
    return tuple(_MIXTURES)


def mixture(name: str, severity: int | None = None) -> Mixture:
    """The mixture of a paper; with a severity, each step of it as hard as that."""
    if name not in _MIXTURES:
        raise UnknownNameError("mixture", name, _MIXTURES)
    steps = catalogue.FAMILIES[name]
    if name == "deam":
        ways: tuple[Way, ...] = deam.ways(steps, severity)
    else:
        draw = some_of if name == "mesgar" else one_of
        ways = draw([at(catalogue.find(step), severity) for step in steps])
    return Mixture(name if severity is None else f"{name}@{severity}", ways, *_MIXTURES[name])


def chosen(
    names: Iterable[str], severity: int | None = None, trusted: bool = True
) -> list[Manipulation]:
    """Each manipulation that is named; a paper's mixture is one, ``adem`` and ``all`` are many."""
    by_name: dict[str, Manipulation] = {}
    for each in (each for name in names for each in _named(name, severity, trusted)):
        by_name.setdefault(each.name, each)
    return list(by_name.values())


def mixed(names: Sequence[str], severity: int | None = None, trusted: bool = True) -> Mixture:
    """What is named as one mixture of damage; each name has the same share.

    Harmless manipulations have no place in it: in ``adem`` and ``all`` they are passed over, and
    to name one is an error.
    """
    by_name: dict[str, Way] = {}
    for name in names:
        own = _ways(name, severity, trusted)
        total = sum(way.weight for way in own)
        for way in own:
            before = by_name[way.name].weight if way.name in by_name else 0.0
            by_name[way.name] = msgspec.structs.replace(way, weight=before + way.weight / total)
    return Mixture(",".join(names), tuple(by_name.values()))


def _named(name: str, severity: int | None, trusted: bool) -> Iterator[Manipulation]:
    if name in _MIXTURES:
        yield mixture(name, severity).manipulation
    elif name in catalogue.FAMILIES:
        for each in map(catalogue.find, catalogue.FAMILIES[name]):
            if each.expect == "lower" or severity is None:
                yield at(each, severity)
    else:
        yield at(catalogue.find(name, trusted), severity)


def _ways(name: str, severity: int | None, trusted: bool) -> tuple[Way, ...]:
    if name in _MIXTURES:
        return mixture(name, severity).ways
    lower = [each for each in _named(name, severity, trusted) if each.expect == "lower"]
    if not lower:
        problem = f"{name} is harmless: what it changes is no worse than it was"
        raise InputError(problem, remedy="a contrast needs damage")
    return one_of(lower)


def several(
    manipulation: Manipulation,
    dialogue: Dialogue,
    pool: Pool,
    count: int,
    seed: int,
    tally: Tally,
) -> Iterator[tuple[int, Edited]]:
    """So many edits of a dialogue, numbered from 1; one that was made before is left out.

    Each has a generator of its own: what else is asked for does not matter.
    """
    seen = set()
    for number in range(1, count + 1):
        rng = seeded(seed, dialogue.id, manipulation.name, str(number))
        edited = manipulation(dialogue, rng, pool, tally)
        if edited is None:
            continue
        if edited.dialogue.turns in seen:
            tally.applied[manipulation.name] -= 1
            tally.refused[manipulation.name, "it was drawn before"] += 1
        else:
            seen.add(edited.dialogue.turns)
            yield number, edited
