"""Running means of scores: memory does not grow with the dialogues."""

import math

from ..scores import Row
from .estimate import Estimate


class Means:
    """Mean and spread of each metric over the rows that were added."""

    def __init__(self) -> None:
        self.rows = 0
        self._moments: dict[str, tuple[int, float, float]] = {}

    def add(self, row: Row) -> None:
        """Take a row into account; a score of NaN is not counted."""
        self.rows += 1
        for name in row.scores:
            value = row.value(name)
            n, mean, spread = self._moments.get(name, (0, 0.0, 0.0))
            if not math.isnan(value):  # Welford's update
                n += 1
                step = value - mean
                mean += step / n
                spread += step * (value - mean)
            self._moments[name] = n, mean, spread

    def estimates(self) -> dict[str, Estimate]:
        """Each metric's mean with its 95 % interval (Student's t)."""
        return {name: _mean(*moments) for name, moments in self._moments.items()}

    def silent(self) -> list[str]:
        """The metrics that gave no number at all."""
        return [name for name, (n, _, _) in self._moments.items() if not n]

    def __str__(self) -> str:
        return ", ".join(f"{name} {estimate}" for name, estimate in self.estimates().items())


def _mean(n: int, mean: float, spread: float) -> Estimate:
    from scipy.special import stdtrit

    if n < 2:
        return Estimate(mean if n else math.nan, n=n)
    margin = float(stdtrit(n - 1, 0.975)) * math.sqrt(spread / (n - 1) / n)
    return Estimate(mean, mean - margin, mean + margin, n)
