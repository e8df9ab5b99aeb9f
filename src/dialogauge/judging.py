"""A metric against people, or against damage, in one call: score, hand the scores to ``meta``.

``meta`` reads scores and never a model, so whoever has only a metric's name and a corpus starts
here.
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from . import corpora, meta
from .dialogue import Dialogue
from .errors import DialogaugeError
from .metrics import TRIVIAL, Metric, is_trained
from .scores import Row, Scores
from .scoring import Metrics, Run, Unread, score

if TYPE_CHECKING:
    from .contrast import Contrast

#: How many contrasts are scored together.
_TOGETHER = 256


class Judgement(msgspec.Struct, frozen=True):
    """Each metric's evaluation, the comparison of several, the scores, and what was not read."""

    evaluations: tuple[meta.Evaluation, ...]
    comparison: meta.Comparison | None
    scores: Scores
    unread: Unread


def judge(
    metrics: Metrics,
    dialogues: Sequence[Dialogue],
    aspect: str,
    settings: meta.Resampling | None = None,
    encoder: str | None = None,
) -> Judgement:
    """Evaluate each metric on rated dialogues; when there are several, also compare them.

    ``encoder`` names another than the one that ships, as in :func:`~dialogauge.scoring.score`.

    >>> from dialogauge.dialogue import Turn
    >>> def rated(at: int) -> Dialogue:
    ...     turns = (Turn("user", "Hi"), Turn("bot", "word " * at))
    ...     return Dialogue(f"d{at}", turns, ratings={"Overall": (at, at + 1)})
    >>> judgement = judge("words-per-turn", [rated(at) for at in range(1, 9)], "Overall")
    >>> judgement.evaluations[0].headline.value
    1.0
    """
    run = Run.of(metrics, None, turns=False, encoder=encoder)
    scores = run.scores(dialogues)
    baselines = score(dialogues, TRIVIAL)
    evaluations = tuple(
        meta.evaluate(scores, name, dialogues, aspect, baselines=baselines, settings=settings)
        for name in scores.metrics
    )
    several = [(scores, name) for name in scores.metrics]
    comparison = meta.compare(several, dialogues, aspect, settings) if len(several) > 1 else None
    return Judgement(evaluations, comparison, scores, run.unread)


def discriminations(
    metrics: Metrics | Run,
    contrasts: "Iterable[Contrast]",
    settings: meta.Resampling | None = None,
) -> dict[str, meta.Discrimination]:
    """How often each metric scores the better side higher, over all contrasts and by cause.

    Contrasts are read as they come: two numbers of each are kept. Intervals resample the better
    sides. A run in place of metrics knows afterwards what was not read.
    """
    run = metrics if isinstance(metrics, Run) else Run.of(metrics, None, turns=False)
    remaining = iter(contrasts)
    better, worse = ({metric.name: list[float]() for metric in run.metrics} for _ in range(2))
    clusters: list[str] = []
    causes: list[str] = []
    while some := list(islice(remaining, _TOGETHER)):
        rows = _rows(run, some)
        for each in some:
            for side, dialogue in ((better, each.better), (worse, each.worse)):
                for name, values in side.items():
                    values.append(rows[dialogue.digest].value(name))
        clusters += (each.better.context_key for each in some)
        causes += (each.cause for each in some)
    return {
        name: meta.discriminate(better[name], worse[name], clusters, causes, settings)
        for name in better
    }


def _rows(run: Run, contrasts: "Iterable[Contrast]") -> dict[str, Row]:
    """The row of each dialogue by its digest; a better side of several contrasts is scored once."""
    sides = {side.digest: side for each in contrasts for side in (each.better, each.worse)}
    scored = (row for batch in run.batches(sides.values()) for row in batch)
    return dict(zip(sides, scored, strict=True))


def keep_apart(corpus: str, metrics: Iterable[Metric]) -> None:
    """Nobody chooses between trained metrics on a test set, not even by accident."""
    trained = next(filter(is_trained, metrics), None)
    if trained is not None and corpus in corpora.names() and corpora.info(corpus).role == "test":
        silent = "does not say that it was not trained (give it `trained = False`)"
        says = "was trained" if hasattr(trained, "trained") else silent
        tuning = [name for name in corpora.names() if corpora.info(name).role == "tuning"]
        raise DialogaugeError(
            f"{corpus} is a test set and {trained.name} {says}: choose on {', '.join(tuning)}; "
            "looks that count, each of them logged, are `dialogauge reproduce NAME --final`"
        )
