"""Scores of turns, made one number of a dialogue in another way than the metric's own."""

from collections.abc import Iterable, Iterator, Sequence

from ..dialogue import Dialogue
from ..metrics import Metric, is_trained
from ..metrics.functions import AGGREGATES, aggregate
from ..scores import Score


class Aggregated:
    """A metric whose score of a dialogue is made anew from those of its turns."""

    def __init__(self, metric: Metric, how: str) -> None:
        self._metric, self._how = metric, how
        self.name = f"{metric.name}-{how}"
        self.signature = f"{metric.signature}|aggregate:{how}"
        #: Whether it must keep away from test sets.
        self.trained = is_trained(metric)

    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """One score per dialogue."""
        return [aggregate(score, self._how) for score in self._metric.score(dialogues)]


def every_way(metrics: Iterable[Metric]) -> Iterator[Aggregated]:
    """Each metric in each way."""
    return (Aggregated(metric, how) for metric in metrics for how in AGGREGATES)
