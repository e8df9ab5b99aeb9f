"""Discrimination: how often a metric prefers the better of two, by what makes the other worse."""

from collections.abc import Hashable, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from .bootstrap import codes, intervals
from .confounds import groups
from .estimate import Estimate, Resampling
from .weighted import Floats, mean, select


class Discrimination(msgspec.Struct, frozen=True):
    """Accuracy over contrast pairs: chance is 0.5, a tie counts one half."""

    accuracy: Estimate
    causes: Mapping[str, Estimate]
    ties: int
    dropped: int  # pairs of which a side has no score
    settings: Resampling


def discriminate(
    better: ArrayLike,
    worse: ArrayLike,
    clusters: Sequence[Hashable],
    causes: Sequence[str] = (),
    settings: Resampling | None = None,
) -> Discrimination:
    """Accuracy of a metric on pairs, with intervals that resample clusters (source dialogues).

    >>> result = discriminate([3, 2, 1], [1, 2, float("nan")], ["d1", "d2", "d3"])
    >>> result.accuracy.value, result.ties, result.dropped
    (0.75, 1, 1)
    """
    settings = settings or Resampling()
    first, second = (np.asarray(side, dtype=np.float64) for side in (better, worse))
    if not len(first) == len(second) == len(clusters) or len(causes) not in (0, len(first)):
        raise InputError("better, worse, clusters and causes must be equally long")
    kept = np.flatnonzero(~np.isnan(first) & ~np.isnan(second)).tolist()
    won: Floats = (np.sign(first[kept] - second[kept]) + 1) / 2
    parts = {
        cause: (select(places, mean(won[places])), len(places))
        for cause, places in groups([causes[item] for item in kept] if causes else []).items()
    }
    # The whole comes first and under a number, so that no cause can have its name.
    statistics = {"0": (mean(won), len(won))} | {f"1{cause}": part for cause, part in parts.items()}
    shares = intervals(statistics, codes([clusters[item] for item in kept]), settings)
    return Discrimination(
        accuracy=shares.pop("0"),
        causes={name[1:]: estimate for name, estimate in shares.items()},
        ties=int((won == 0.5).sum()),
        dropped=len(first) - len(kept),
        settings=settings,
    )
