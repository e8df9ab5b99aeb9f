"""Power: what this set of items could show, before anyone looks at who won.

A test at 5 % finds a true effect in 80 % of samples when the effect is ``1.960 + 0.842 = 2.802``
standard errors, which come from the cluster bootstrap: they know about ties and contexts.
"""

import math

import msgspec
import numpy as np

from .bootstrap import cluster_count, resample
from .correlation import Correlation
from .estimate import Resampling
from .significance import standardised
from .weighted import Codes, Floats, Statistic

#: Standard errors between 0 and an effect found with 80 % power at 5 %, two-sided.
EFFECT = 2.802


class Power(msgspec.Struct, frozen=True, omit_defaults=True):
    """The smallest effects this set resolves; None where they cannot be computed.

    ``correlation``: the smallest told from 0. ``difference``: the smallest between this metric
    and another as good whose errors are unrelated. That is the hard case: two metrics that err
    alike are easier to tell apart.
    """

    correlation: float | None
    difference: float | None


def power(
    correlation: Correlation, x: Floats, y: Floats, clusters: Codes, settings: Resampling
) -> Power:
    """What a set of items could show of a metric such as ``x``."""
    nothing = null_error(correlation, x, y, clusters)
    error = standard_error(correlation.weighted(x, [y]), clusters, settings)
    return Power(
        correlation=None if nothing is None else EFFECT * nothing,
        difference=None if error is None else math.sqrt(2) * (EFFECT * error),
    )


def standard_error(statistic: Statistic, clusters: Codes, settings: Resampling) -> float | None:
    """The cluster-bootstrap standard error; None when it cannot be had."""
    if cluster_count(clusters) < 2:
        return None
    draws = resample(statistic, clusters, settings.resamples, settings.seed)[0]
    draws = draws[~np.isnan(draws)]
    return float(draws.std(ddof=1)) if len(draws) > settings.resamples / 2 else None


def null_error(correlation: Correlation, x: Floats, y: Floats, clusters: Codes) -> float | None:
    """The standard error that a worthless metric's correlation would have on these items.

    With x and y unrelated it is ``sqrt(d / (n - 1))``, where the design effect ``d`` is 1 plus the
    number of other items in an item's context (on average) times how alike items of a context
    are in x, times how alike they are in y. Kendall's is two thirds of it.
    """
    x, y = (standardised(side, ranks=correlation.ranks) for side in (x, y))
    sizes = np.bincount(clusters) if len(clusters) else np.zeros(0)
    if len(sizes) < 2 or len(x) < 3 or not (x.any() and y.any()):
        return None
    pairs = float((sizes * (sizes - 1)).sum())

    def alike(side: Floats) -> float:
        sums = np.bincount(clusters, weights=side)
        return float((sums**2).sum() - len(side)) / max(pairs, 1)

    effect = max(1 + pairs / len(x) * alike(x) * alike(y), 0)
    scale = 2 / 3 if correlation.name == "kendall" else 1
    return scale * math.sqrt(effect / (len(x) - 1))
