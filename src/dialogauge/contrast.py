"""Contrasts: a dialogue and a worse one, what made it worse, and where.

The better side is what people wrote, untouched; the worse side is an edit of it that a good metric
must score lower. :func:`contrasts` draws them from a mixture while it reads: it holds one dialogue
at a time, and counters.

Of the ways of the mixture the one that is furthest behind its share is tried first, so that a cause
which seldom applies gets its turn wherever it does. A cause names what is left in the text. A
contrast goes where its better side goes (:func:`~dialogauge.corpora.split`), and what an edit takes
from other dialogues it takes from dialogues of that side. On disk a contrast is one JSON object
per line.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from .corpora import Side, split
from .dialogue import Dialogue, loads
from .errors import InputError, RecordError, located
from .formats import records, streams
from .manipulate.edited import Change, Edited
from .manipulate.manipulation import Tally, seeded
from .manipulate.mixtures import Mixture, Way
from .manipulate.pool import Pool


class Contrast(msgspec.Struct, frozen=True):
    """A dialogue, a worse one, what made it worse (steps joined by ``+``), and each change."""

    better: Dialogue
    worse: Dialogue
    cause: str
    changes: tuple[Change, ...]


class Drawing(msgspec.Struct, frozen=True):
    """How contrasts are drawn."""

    n: int = 1  # contrasts for each dialogue
    seed: int = 0
    # Foreign words come from dialogues of the same side of the split.
    apart: bool = True


class Counts(msgspec.Struct):
    """What came of it: contrasts by cause, and what each manipulation was asked and answered."""

    dialogues: int = 0
    without: int = 0  # dialogues that nothing applied to
    causes: Counter[str] = msgspec.field(default_factory=Counter)
    tally: Tally = msgspec.field(default_factory=Tally)


def contrasts(
    dialogues: Iterable[Dialogue],
    mixture: Mixture,
    pool: Pool,
    drawing: Drawing | None = None,
    counts: Counts | None = None,
) -> Iterator[Contrast]:
    """Contrasts of dialogues, as they are read; ``counts`` is filled on the way.

    >>> from random import Random
    >>> from .dialogue import Turn
    >>> from .manipulate.mixtures import mixed
    >>> chat = Dialogue("d1", tuple(Turn("ab"[at % 2], f"say {at}") for at in range(4)))
    >>> (pair,) = contrasts([chat], mixed(["swap-halves"]), Pool([]))
    >>> pair.better is chat, pair.worse.id, [turn.text for turn in pair.worse.turns]
    (True, 'd1~swap-halves~1', ['say 2', 'say 3', 'say 0', 'say 1'])
    """
    drawing, counts = drawing or Drawing(), counts or Counts()
    pools = _by_side(pool) if drawing.apart else {}
    uses = [0.0] * len(mixture.ways)
    for dialogue in dialogues:
        near = pools[split(dialogue)] if drawing.apart else pool
        before = counts.causes.total()
        for pair in _of_dialogue(dialogue, mixture.ways, uses, near, drawing, counts.tally):
            counts.causes[pair.cause] += 1
            yield pair
        counts.dialogues += 1
        counts.without += counts.causes.total() == before


def _of_dialogue(
    dialogue: Dialogue,
    ways: Sequence[Way],
    uses: list[float],
    pool: Pool,
    drawing: Drawing,
    tally: Tally,
) -> Iterator[Contrast]:
    """The contrasts of one dialogue; ``uses`` says how often each way was used so far."""
    seen, named = {dialogue.turns}, {way.name: at for at, way in enumerate(ways)}
    for number in range(1, drawing.n + 1):
        rng = seeded(drawing.seed, dialogue.id, "contrast", str(number))
        places = rng.sample(range(len(ways)), len(ways))
        # The one first that is furthest behind its share; ties in any order.
        for at in sorted(places, key=lambda at: (uses[at] + 0.5) / ways[at].weight):
            edited, cause = ways[at].make(dialogue, rng, pool, tally)
            if edited is not None and edited.dialogue.turns not in seen:
                seen.add(edited.dialogue.turns)
                # Where a step did not apply or was erased, it is one of another way, too.
                for used in {at, named.get(cause, at)}:
                    uses[used] += 1
                worse = renamed(edited, f"{dialogue.id}~{cause}~{number}")
                yield Contrast(dialogue, worse, cause, edited.changes)
                break
        else:
            return


def renamed(edited: Edited, id: str) -> Dialogue:
    """The edited dialogue under an id of its own; nobody has rated it."""
    return msgspec.structs.replace(edited.dialogue, id=id, ratings={})


def _by_side(pool: Pool) -> dict[Side, Pool]:
    by_side: dict[Side, list[Dialogue]] = {"train": [], "valid": [], "test": []}
    for dialogue in pool.dialogues:
        by_side[split(dialogue)].append(dialogue)
    return {side: pool.of(dialogues) for side, dialogues in by_side.items()}


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Contrast)


def encode(contrast: Contrast) -> bytes:
    """One JSON object, no newline."""
    try:
        return _ENCODER.encode(contrast)
    except UnicodeEncodeError:  # a lone surrogate put in by Python code
        return _ENCODER.encode(loads(json.dumps(msgspec.to_builtins(contrast))))


def decode(line: bytes | str) -> Contrast:
    """A contrast from one JSON object; :class:`RecordError` names the field that is wrong."""
    try:
        return _DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise located(error, RecordError) from None


def read(path: str | Path) -> Iterator[Contrast]:
    """The contrasts of a JSONL file (``-``: standard input), one at a time."""
    count = 0
    for source in streams.sources(path):
        with source.open() as stream:
            for record in records.lines(stream.bytes):
                count += 1
                try:
                    contrast = decode(record.raw)
                except RecordError as error:
                    raise RecordError(
                        error.problem,
                        file=source.name,
                        line=record.line,
                        field=error.field,
                        remedy="contrast files are made by dialogauge manipulate --contrasts",
                    ) from None
                yield contrast
    if not count:
        raise InputError("there is no contrast to read", file=str(path))
