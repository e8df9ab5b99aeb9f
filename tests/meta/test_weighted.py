"""Weighted statistics equal scipy's on the data that the weights stand for."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dialogauge.meta import weighted
from dialogauge.meta.bootstrap import point
from dialogauge.meta.correlation import CORRELATIONS
from dialogauge.meta.weighted import Floats

FACTORIES = {
    "pearson": weighted.pearson,
    "spearman": weighted.spearman,
    "kendall": weighted.kendall,
}


@st.composite
def resampled(draw: st.DrawFn, top: int = 4) -> tuple[Floats, list[Floats], Floats]:
    """Heavily tied x, some columns, and weights of cluster resamples: (items, resamples)."""
    n = draw(st.integers(3, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    x = rng.integers(0, draw(st.integers(1, top)) + 1, n).astype(float)
    columns = [rng.integers(0, top, n) / 3 for _ in range(draw(st.integers(1, 3)))]
    clusters = rng.integers(0, draw(st.integers(1, n)), n)
    size = clusters.max() + 1
    drawn = rng.integers(0, size, (5, size))
    counts = np.array([np.bincount(one, minlength=size) for one in drawn])
    return x, columns, counts[:, clusters].T.astype(float)


def explicit(name: str, x: Floats, y: Floats, weights: Floats) -> float:
    """The coefficient of the resample, built item by item."""
    items = np.repeat(np.arange(len(x)), weights.astype(int))
    return CORRELATIONS[name].value(x[items], y[items])


@pytest.mark.parametrize("name", FACTORIES)
@given(sample=resampled())
@settings(max_examples=150, deadline=None)
def test_equals_scipy_on_the_resampled_data(
    name: str, sample: tuple[Floats, list[Floats], Floats]
) -> None:
    x, columns, weights = sample
    found = FACTORIES[name](x, columns)(weights)
    wanted = [[explicit(name, x, y, column) for column in weights.T] for y in columns]
    np.testing.assert_allclose(found, wanted, atol=1e-12, rtol=0)


@pytest.mark.parametrize("name", FACTORIES)
def test_equals_scipy_without_ties_and_at_any_scale(name: str) -> None:
    rng = np.random.default_rng(5)
    x, y = 1e6 + rng.normal(size=300), rng.normal(size=300) * 1e-8
    weights = rng.multinomial(300, [1 / 300] * 300, size=4).T.astype(float)
    found = FACTORIES[name](x, [y])(weights)[0]
    wanted = [explicit(name, x, y, column) for column in weights.T]
    np.testing.assert_allclose(found, wanted, atol=1e-11, rtol=0)


def test_kendall_has_a_slow_path_with_the_same_values(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 9, 60).astype(float), rng.normal(size=60)
    weights = rng.multinomial(60, [1 / 60] * 60, size=8).T.astype(float)
    fast = weighted.kendall(x, [y])(weights)
    monkeypatch.setattr(weighted, "_KENDALL_POINTS", 10)
    slow = weighted.kendall(x, [y])(weights)
    np.testing.assert_allclose(fast, slow, atol=1e-12)


@pytest.mark.parametrize("name", FACTORIES)
@pytest.mark.parametrize("n", [0, 1, 2])
def test_fewer_than_three_items_are_undefined(name: str, n: int) -> None:
    x = np.arange(n, dtype=float)
    assert np.isnan(FACTORIES[name](x, [x, x])(np.ones((n, 2)))).all()
    assert np.isnan(point(weighted.partial(FACTORIES[name], x, x, x), n)[0])


@pytest.mark.parametrize("name", FACTORIES)
def test_a_constant_side_is_undefined(name: str) -> None:
    x, constant = np.arange(5.0), np.full(5, 0.1)
    found = FACTORIES[name](x, [constant, x])(np.ones((5, 1)))
    assert np.isnan(found[0, 0])
    assert found[1, 0] == pytest.approx(1)
    assert np.isnan(FACTORIES[name](constant, [x])(np.ones((5, 1)))).all()
    only_one_item = np.array([[0.0], [0], [5], [0], [0]])
    assert np.isnan(FACTORIES[name](x, [x])(only_one_item)).all()


def residual(y: Floats, given: Floats) -> Floats:
    design = np.stack([np.ones(len(y)), given], axis=1)
    fitted: Floats = design @ np.linalg.lstsq(design, y, rcond=None)[0]
    return y - fitted


def test_partial_is_the_textbook_formula() -> None:
    rng = np.random.default_rng(0)
    z = rng.normal(size=50)
    x, y = z + rng.normal(size=50), z + rng.normal(size=50)
    for name, measure in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr)):
        xy, xz, yz = (measure(a, b).statistic for a, b in ((x, y), (x, z), (y, z)))
        wanted = (xy - xz * yz) / math.sqrt((1 - xz**2) * (1 - yz**2))
        statistic = weighted.partial(FACTORIES[name], x, y, z)
        assert point(statistic, 50)[0] == pytest.approx(wanted, abs=1e-12)


def test_partial_is_the_correlation_of_residuals() -> None:
    rng = np.random.default_rng(1)
    z = rng.normal(size=80)
    x, y = (z + rng.normal(size=80) for _ in range(2))
    ranks = [stats.rankdata(column) for column in (x, y, z)]
    for name, (a, b, c) in (("pearson", [x, y, z]), ("spearman", ranks)):
        statistic = weighted.partial(FACTORIES[name], x, y, z)
        wanted = stats.pearsonr(residual(a, c), residual(b, c)).statistic
        assert point(statistic, 80)[0] == pytest.approx(wanted, abs=1e-12)


def test_partial_of_resamples_equals_partial_of_the_resampled_data() -> None:
    rng = np.random.default_rng(3)
    x, y, z = (rng.integers(0, 5, 40).astype(float) for _ in range(3))
    weights = rng.multinomial(40, [1 / 40] * 40, size=6).T.astype(float)
    found = weighted.partial(weighted.spearman, x, y, z)(weights)[0]
    for value, column in zip(found, weights.T, strict=True):
        items = np.repeat(np.arange(40), column.astype(int))
        again = weighted.partial(weighted.spearman, x[items], y[items], z[items])
        assert value == pytest.approx(point(again, 40)[0], abs=1e-12)


def test_partial_in_degenerate_cases() -> None:
    x, y, z = np.arange(6.0), np.array([2.0, 1, 4, 3, 6, 5]), np.array([3.0, 1, 2, 6, 4, 5])
    plain = point(weighted.spearman(x, [y]), 6)[0]
    constant = weighted.partial(weighted.spearman, x, y, np.ones(6))
    determined = weighted.partial(weighted.spearman, x, y, x)
    assert point(constant, 6)[0] == pytest.approx(plain)
    assert np.isnan(point(determined, 6)[0])
    assert np.isnan(point(weighted.partial(weighted.pearson, np.ones(6), y, z), 6)[0])


def test_within_is_the_size_weighted_mean_over_groups() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=30), rng.normal(size=30)
    x[20:] = 7.0  # the third group is constant and takes no part
    groups = [np.arange(8), np.arange(8, 20), np.arange(20, 30)]
    statistic = weighted.within(groups, lambda its: weighted.spearman(x[its], [y[its]]))
    each = [stats.spearmanr(x[its], y[its]).statistic for its in groups[:2]]
    assert point(statistic, 30)[0] == pytest.approx((8 * each[0] + 12 * each[1]) / 20)
    assert np.isnan(point(weighted.within([], lambda _: weighted.mean([])), 30)[0])


@given(sample=resampled(top=6), seed=st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_invariance(sample: tuple[Floats, list[Floats], Floats], seed: int) -> None:
    """Order of items, monotone transformations (ranks), straight lines (Pearson), signs."""
    x, columns, weights = sample
    y = columns[0]
    order = np.random.default_rng(seed).permutation(len(x))
    for name, factory in FACTORIES.items():
        value = factory(x, [y])(weights)
        same = {
            "shuffled": factory(x[order], [y[order]])(weights[order]),
            "symmetric": factory(y, [x])(weights),
            "flipped": -factory(-x, [y])(weights),
            "line": factory(3 * x - 7, [0.1 * y + 2])(weights),
        }
        if name != "pearson":
            same["monotone"] = factory(np.exp(x), [y**3])(weights)
        for what, other in same.items():
            np.testing.assert_allclose(value, other, atol=1e-11, err_msg=f"{name} {what}")
