"""Dialogues in, edits or contrasts out: what ``dialogauge manipulate`` makes of what it reads."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from .contrast import Counts, Drawing, contrasts, renamed
from .contrast import encode as encode_contrast
from .dialogue import Dialogue, encode
from .manipulate import catalogue
from .manipulate.edited import Edited
from .manipulate.manipulation import Manipulation, seeded
from .manipulate.mixtures import Mixture, mixture, mixtures, several
from .manipulate.pool import Pool


class Variant(msgspec.Struct, frozen=True):
    """A dialogue beside an edit of it: what was done, and the line that is written of it."""

    name: str
    original: Dialogue
    edited: Edited
    line: bytes


def edits(
    manipulations: Sequence[Manipulation],
    drawing: Drawing,
    dialogues: Iterable[Dialogue],
    pool: Pool,
    counts: Counts,
) -> Iterator[Variant]:
    """Each manipulation, so many times of each dialogue."""
    for dialogue in dialogues:
        for each in manipulations:
            results = several(each, dialogue, pool, drawing.n, drawing.seed, counts.tally)
            for number, edited in results:
                other = renamed(edited, f"{dialogue.id}~{each.name}~{number}")
                yield Variant(each.name, dialogue, Edited(other, edited.changes), encode(other))


def pairs(
    mixture: Mixture,
    drawing: Drawing,
    dialogues: Iterable[Dialogue],
    pool: Pool,
    counts: Counts,
) -> Iterator[Variant]:
    """So many contrasts of each dialogue, drawn from a mixture."""
    for pair in contrasts(dialogues, mixture, pool, drawing, counts):
        edited = Edited(pair.worse, pair.changes)
        yield Variant(pair.cause, pair.better, edited, encode_contrast(pair))


#: How many dialogues a pool holds, drawn from all that it is given.
POOL = 5_000


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
