"""Dialogues in, edits or contrasts out: what ``dialogauge manipulate`` makes of what it reads."""

from collections.abc import Callable, Iterable, Iterator

import msgspec

from .contrast import Counts, Drawing, contrasts, renamed
from .contrast import encode as encode_contrast
from .dialogue import Dialogue, encode
from .manipulate import catalogue
from .manipulate.edited import Edited
from .manipulate.manipulation import seeded
from .manipulate.mixtures import chosen, mixed, mixture, mixtures, several
from .manipulate.pool import Pool

#: How many dialogues a pool holds, drawn from all that it is given.
POOL = 5_000


class Asked(msgspec.Struct, frozen=True):
    """What is to be made of each dialogue: ``n`` edits of each kind, or ``n`` contrasts."""

    names: list[str]
    n: int = 1
    seed: int = 0
    severity: int | None = None
    contrasts: bool = False


class Variant(msgspec.Struct, frozen=True):
    """A dialogue beside an edit of it: what was done, and the line that is written of it."""

    name: str
    original: Dialogue
    edited: Edited
    line: bytes


Maker = Callable[[Iterable[Dialogue], Pool, Counts], Iterator[Variant]]


def maker(asked: Asked) -> Maker:
    """What makes variants of dialogues as they are read; names that are wrong are told now."""
    return _contrasts(asked) if asked.contrasts else _edits(asked)


def _edits(asked: Asked) -> Maker:
    """Each manipulation that is named, so many times of each dialogue."""
    manipulations = chosen(asked.names, asked.severity)

    def make(dialogues: Iterable[Dialogue], pool: Pool, counts: Counts) -> Iterator[Variant]:
        for dialogue in dialogues:
            for each in manipulations:
                edits = several(each, dialogue, pool, asked.n, asked.seed, counts.tally)
                for number, edited in edits:
                    worse = renamed(edited, f"{dialogue.id}~{each.name}~{number}")
                    changed = Edited(worse, edited.changes)
                    yield Variant(each.name, dialogue, changed, encode(worse))

    return make


def _contrasts(asked: Asked) -> Maker:
    """So many contrasts of each dialogue, drawn from all that is named."""
    ways, drawing = mixed(asked.names, asked.severity), Drawing(asked.n, asked.seed)

    def make(dialogues: Iterable[Dialogue], pool: Pool, counts: Counts) -> Iterator[Variant]:
        for pair in contrasts(dialogues, ways, pool, drawing, counts):
            changed = Edited(pair.worse, pair.changes)
            yield Variant(pair.cause, pair.better, changed, encode_contrast(pair))

    return make


def sample(dialogues: Iterable[Dialogue], count: int, seed: int) -> list[Dialogue]:
    """So many of the dialogues, each as likely as the other, in their order (a reservoir)."""
    rng = seeded(seed, "sample")
    kept: dict[int, tuple[int, Dialogue]] = {}
    for number, dialogue in enumerate(dialogues):
        place = number if number < count else rng.randrange(number + 1)
        if place < count:
            kept[place] = number, dialogue
    return [dialogue for _, dialogue in sorted(kept.values(), key=lambda it: it[0])]


def about(name: str) -> str:
    """What the manipulations of a variant's name do, whose they are and what is expected."""
    steps = [catalogue.MANIPULATIONS.get(step.partition("@")[0]) for step in name.split("+")]
    return " ".join(f"{it.about} ({it.source}; expected: {it.expect})" for it in steps if it)


def listing() -> list[dict[str, str]]:
    """What can be asked for: every manipulation and every paper's mixture, a row each."""
    manipulations = [catalogue.find(name) for name in catalogue.names()]
    manipulations += [mixture(name).manipulation for name in mixtures()]
    return [
        {"name": it.name, "paper": it.source, "expect": it.expect, "about": it.about}
        for it in manipulations
    ]
