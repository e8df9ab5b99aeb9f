"""A metric against people, in one call: score the dialogues, hand the scores to ``meta``.

``meta`` reads scores and never a model, so whoever has only a metric's name and a corpus starts
here.
"""

from collections.abc import Iterable, Sequence

import msgspec

from . import corpora
from .dialogue import Dialogue
from .errors import DialogaugeError
from .meta import Comparison, Evaluation, Settings, compare, evaluate
from .metrics import TRIVIAL, Metric
from .scores import Scores
from .scoring import Metrics, score


class Judgement(msgspec.Struct, frozen=True):
    """Each metric's evaluation, the comparison of several, and the scores behind them."""

    evaluations: tuple[Evaluation, ...]
    comparison: Comparison | None
    scores: Scores


def judge(
    metrics: Metrics,
    dialogues: Sequence[Dialogue],
    aspect: str,
    settings: Settings | None = None,
) -> Judgement:
    """Evaluate each metric on rated dialogues; when there are several, also compare them.

    >>> from dialogauge.dialogue import Turn
    >>> def rated(at: int) -> Dialogue:
    ...     turns = (Turn("user", "Hi"), Turn("bot", "word " * at))
    ...     return Dialogue(f"d{at}", turns, ratings={"Overall": (at, at + 1)})
    >>> judged = judge("words-per-turn", [rated(at) for at in range(1, 9)], "Overall")
    >>> judged.evaluations[0].headline.value
    1.0
    """
    scores = score(dialogues, metrics)
    baselines = score(dialogues, TRIVIAL)
    evaluations = tuple(
        evaluate(scores, name, dialogues, aspect, baselines=baselines, settings=settings)
        for name in scores.metrics
    )
    several = [(scores, name) for name in scores.metrics]
    comparison = compare(several, dialogues, aspect, settings) if len(several) > 1 else None
    return Judgement(evaluations, comparison, scores)


def keep_apart(corpus: str, metrics: Iterable[Metric]) -> None:
    """Nobody chooses between trained metrics on a test set, not even by accident."""
    trained = [metric.name for metric in metrics if getattr(metric, "trained", False)]
    if trained and corpus in corpora.names() and corpora.info(corpus).role == "test":
        tuning = [name for name in corpora.names() if corpora.info(name).role == "tuning"]
        raise DialogaugeError(
            f"{corpus} is a test set and {trained[0]} was trained: choose on {', '.join(tuning)}; "
            "the one look that counts, and is logged, is `dialogauge reproduce NAME --final`"
        )
