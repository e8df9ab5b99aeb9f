"""Correlation coefficients: one table, each with its value (scipy) and its resampled form.

>>> round(coefficient("kendall").value([1, 2, 3, 4], [1, 2, 4, 3]), 3)
0.667
>>> coefficient("spearman").value([1, 2, 3], [5, 5, 5])  # undefined, and no warning
nan
"""

from collections.abc import Callable, Mapping
from functools import partial

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError, UnknownNameError
from . import weighted


class Correlation(msgspec.Struct, frozen=True):
    """A coefficient: ``value(x, y)`` of data, ``weighted(x, columns)`` of resampled data."""

    name: str
    value: Callable[[ArrayLike, ArrayLike], float]
    weighted: weighted.Factory
    ranks: bool = True  # does it see the order only?


def complete(*columns: ArrayLike) -> NDArray[np.bool_]:
    """Which items have a number in every column; the columns must be equally long.

    >>> complete([1.0, np.nan, 3.0], [1.0, 2.0, np.inf])
    array([ True, False, False])
    """
    arrays = [np.asarray(column, dtype=np.float64) for column in columns]
    if any(array.shape != (len(arrays[0]),) for array in arrays):
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise InputError(f"columns to correlate must be equally long, got shapes {shapes}")
    return np.asarray(np.isfinite(arrays).all(axis=0))


def _value(function: str, x: ArrayLike, y: ArrayLike) -> float:
    """By scipy; NaN for what is undefined (under three items, a constant side), where it warns."""
    from scipy import stats

    kept = complete(x, y)
    x, y = (np.asarray(side, dtype=np.float64)[kept] for side in (x, y))
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    with np.errstate(all="ignore"):
        return float(getattr(stats, function)(x, y).statistic)


pearson = partial(_value, "pearsonr")

#: name -> coefficient: of a straight line; of the order, ties sharing their average rank; of pairs
#: in the same order less pairs in the opposite one (tau-b).
CORRELATIONS: Mapping[str, Correlation] = {
    "pearson": Correlation("pearson", pearson, weighted.pearson, ranks=False),
    "spearman": Correlation("spearman", partial(_value, "spearmanr"), weighted.spearman),
    "kendall": Correlation("kendall", partial(_value, "kendalltau"), weighted.kendall),
}


def coefficient(name: str) -> Correlation:
    """The coefficient of that name."""
    if name not in CORRELATIONS:
        raise UnknownNameError("correlation", name, CORRELATIONS)
    return CORRELATIONS[name]
