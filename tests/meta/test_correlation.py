"""The coefficients: known values, what is undefined, what is missing."""

import math
from itertools import combinations

import numpy as np
import pytest

from dialogauge.errors import InputError, UnknownNameError
from dialogauge.meta.correlation import CORRELATIONS, coefficient, complete

NAMES = list(CORRELATIONS)


@pytest.mark.parametrize("name", NAMES)
def test_missing_numbers_are_left_out(name: str) -> None:
    x = np.array([1.0, 2, math.nan, 4, 5, math.inf, 3])
    y = np.array([2.0, 1, 3, math.nan, 5, 1, 4])
    kept = complete(x, y)
    assert kept.sum() == 4
    value = coefficient(name).value
    assert value(x, y) == value(x[kept], y[kept])


def test_known_values() -> None:
    maths, music = [7, 4, 3, 10, 6, 2, 9, 8, 1, 5], [5, 7, 3, 10, 1, 9, 6, 2, 8, 4]
    squares = sum((a - b) ** 2 for a, b in zip(maths, music, strict=True))
    pairs = combinations(zip(maths, music, strict=True), 2)
    agreeing = sum(1 if (a - c) * (b - d) > 0 else -1 for (a, b), (c, d) in pairs)
    assert coefficient("kendall").value(maths, music) == pytest.approx(agreeing / 45)
    assert coefficient("spearman").value(maths, music) == pytest.approx(1 - 6 * squares / 990)
    assert coefficient("kendall").value([1, 2, 3, 4, 5], [3, 4, 1, 2, 5]) == pytest.approx(0.2)
    assert coefficient("pearson").value([1, 2, 3], [1, 3, 2]) == pytest.approx(0.5)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "pair",
    [
        ([], []),
        ([1], [2]),
        ([1, 2], [2, 1]),
        ([1, 1, 1], [1, 2, 3]),
        ([math.nan] * 4, [1, 2, 3, 4]),
        ([1, 2, math.nan, math.nan], [1, 2, 3, 4]),
    ],
)
def test_undefined_is_nan_without_a_warning(
    name: str, pair: tuple[list[float], list[float]]
) -> None:
    assert math.isnan(coefficient(name).value(*pair))


def test_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(InputError, match="equally long"):
        complete([1.0, 2.0], [1.0])


def test_an_unknown_coefficient_is_refused_with_a_hint() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'spearman'"):
        coefficient("spearmann")
