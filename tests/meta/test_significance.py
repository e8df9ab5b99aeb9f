"""Tests of differences: valid under the null, exact where known, and powerful as promised."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scipy import stats

from dialogauge.meta import power
from dialogauge.meta.correlation import coefficient, pearson
from dialogauge.meta.estimate import Resampling
from dialogauge.meta.significance import (
    holm,
    label_test,
    sign_test,
    standardised,
    swap_test,
    williams,
)
from dialogauge.meta.weighted import Codes, Floats, difference

Triple = tuple[Floats, Floats, Floats]


def metrics(
    rng: np.random.Generator, clusters: int, size: int, noise: tuple[float, float]
) -> Triple:
    """Two metrics of the same ratings; truth and errors are shared within a context."""

    def column() -> Floats:
        shared: Floats = rng.normal(size=clusters).repeat(size)
        return shared + rng.normal(size=clusters * size)

    y, common = column(), column()
    a, b = (y + common / 2 + own * column() for own in noise)
    return a, b, np.round(y * 2)


def contexts(clusters: int, size: int) -> Codes:
    return np.arange(clusters).repeat(size)


def test_the_swap_test_is_the_explicit_permutation_test() -> None:
    """Against a plain loop over all 2**7 swaps that correlates the mixed columns anew."""
    rng = np.random.default_rng(0)
    a, b, y = metrics(rng, 7, 3, (1.0, 2.0))
    clusters = contexts(7, 3)
    ra, rb = standardised(a, ranks=True), standardised(b, ranks=True)
    ry = stats.rankdata(y)
    observed = stats.spearmanr(a, y).statistic - stats.spearmanr(b, y).statistic
    extreme = 0
    for number in range(2**7):
        swap = np.array([number >> bit & 1 for bit in range(7)], dtype=bool)[clusters]
        first, second = np.where(swap, rb, ra), np.where(swap, ra, rb)
        value = np.corrcoef(first, ry)[0, 1] - np.corrcoef(second, ry)[0, 1]
        extreme += abs(value) >= abs(observed) - 1e-9
    p = swap_test(a, b, y, clusters, Resampling(resamples=40_000))
    assert p == pytest.approx(extreme / 2**7, abs=0.01)


def test_the_swap_test_holds_its_level_on_clustered_items() -> None:
    rng = np.random.default_rng(11)
    settings = Resampling(resamples=399)
    p = [swap_test(*metrics(rng, 40, 4, (1.0, 1.0)), contexts(40, 4), settings) for _ in range(500)]
    # 500 samples: a true level of 0.05 shows as 0.02 to 0.08 with probability 0.998.
    assert 0.02 <= np.mean(np.array(p) <= 0.05) <= 0.08


def test_ignoring_contexts_would_break_the_level() -> None:
    rng = np.random.default_rng(11)
    settings = Resampling(resamples=399)
    p = [swap_test(*metrics(rng, 40, 4, (1.0, 1.0)), np.arange(160), settings) for _ in range(300)]
    assert np.mean(np.array(p) <= 0.05) > 0.10


def test_the_swap_test_finds_a_better_metric_and_is_symmetric() -> None:
    a, b, y = metrics(np.random.default_rng(2), 80, 3, (0.5, 3.0))
    settings = Resampling(resamples=2000)
    p = swap_test(a, b, y, contexts(80, 3), settings)
    assert p == 1 / 2001
    assert swap_test(b, a, y, contexts(80, 3), settings) == p
    assert swap_test(np.exp(a), b, y, contexts(80, 3), settings) == p


def test_the_swap_test_in_degenerate_cases() -> None:
    a, b, y = metrics(np.random.default_rng(3), 5, 2, (0.5, 3.0))
    settings = Resampling(resamples=200)
    assert swap_test(a, a, y, contexts(5, 2), settings) == 1
    assert swap_test(a, b, y, np.zeros(10, dtype=np.intp), settings) == 1
    assert swap_test(np.ones(10), b, y, contexts(5, 2), settings) == 1
    assert swap_test(a[:0], b[:0], y[:0], np.empty(0, dtype=np.intp), settings) == 1


def test_sign_test_is_exact() -> None:
    # All six differences positive: 2 of 64 sign patterns are as extreme.
    p = sign_test(np.arange(1.0, 7), np.arange(6), Resampling(resamples=50_000))
    assert p == pytest.approx(2 / 64, abs=0.004)
    assert sign_test(np.zeros(6), np.arange(6), Resampling(resamples=100)) == 1
    in_one_context = sign_test(np.ones(6), np.zeros(6, dtype=np.intp), Resampling(resamples=100))
    assert in_one_context == 1


def test_label_test_is_scipys_permutation_test_when_items_stand_alone() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=9), rng.normal(size=7) + 1
    wanted = stats.permutation_test(
        (a, b), lambda x, y: x.mean() - y.mean(), n_resamples=50_000, rng=0
    ).pvalue
    p = label_test(a, b, (np.arange(9), np.arange(7)), Resampling(resamples=5000))
    assert p == pytest.approx(wanted, abs=0.02)
    assert label_test(a, a, (np.arange(9), np.arange(9)), Resampling(resamples=100)) == 1
    far = label_test(np.arange(30.0), np.arange(30.0) + 99, (np.arange(30),) * 2, Resampling())
    assert far == 1 / 10_001


def test_label_test_deals_whole_contexts() -> None:
    # Two contexts a side: one deal in three is as extreme, however many items they hold.
    a, b = np.zeros(40), np.ones(40)
    halves = np.arange(2).repeat(20)
    p = label_test(a, b, (halves, halves), Resampling(resamples=3000))
    assert p == pytest.approx(1 / 3, abs=0.03)


def test_williams_published_and_simulated() -> None:
    steiger = williams(0.4, 0.5, 0.1, 103)
    assert (round(steiger.t, 2), steiger.df, round(steiger.p, 2)) == (-0.89, 100, 0.37)
    rng = np.random.default_rng(1)
    p = []
    for _ in range(1000):
        y = rng.normal(size=40)
        a, b = (y + rng.normal(size=40) for _ in range(2))
        p.append(williams(pearson(a, y), pearson(b, y), pearson(a, b), 40).p)
    assert 0.03 <= np.mean(np.array(p) <= 0.05) <= 0.07


def test_williams_degenerate() -> None:
    assert williams(0.5, 0.5, 1.0, 10).p == 1  # one metric twice
    assert math.isnan(williams(0.5, 0.4, 0.3, 3).p)
    assert math.isnan(williams(math.nan, 0.4, 0.3, 10).p)


def test_holm_by_hand() -> None:
    # 0.01 x 4, 0.02 x 3, 0.03 x 2 (not below 0.06), 0.04 x 1 (not below 0.06)
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([]) == []
    assert holm([0.3]) == [0.3]
    assert holm([0.9, 0.8]) == [1, 1]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_properties(p: list[float]) -> None:
    corrected = holm(p)
    order = np.argsort(p, kind="stable")
    assert all(q >= one for q, one in zip(corrected, p, strict=True))
    assert max(corrected) <= 1
    assert (np.diff(np.array(corrected)[order]) >= 0).all()
    assert corrected[order[0]] == pytest.approx(min(1, len(p) * min(p)))
    assert all(q <= min(1, len(p) * one) + 1e-12 for q, one in zip(corrected, p, strict=True))


@given(st.lists(st.integers(-5, 5), max_size=20), st.booleans())
@hypothesis_settings(deadline=None)
def test_standardised_columns(values: list[int], ranks: bool) -> None:
    found = standardised(np.array(values, dtype=float), ranks=ranks)
    if len(set(values)) > 1:
        assert found.mean() == pytest.approx(0, abs=1e-12)
        assert found.var() == pytest.approx(1)
    else:
        assert not found.any()


def rejections(weight: float, n: int, settings: Resampling) -> tuple[float, float, float]:
    """The share of samples in which a is found better than b; promised and true differences."""
    rng = np.random.default_rng(5)
    spearman = coefficient("spearman")
    found, promised, true = [], [], []
    for _ in range(120):
        y = rng.normal(size=n)
        a, b = y + rng.normal(size=n), weight * y + rng.normal(size=n)
        found.append(swap_test(a, b, y, np.arange(n), settings) <= 0.05)
        both = [spearman.weighted(side, [y]) for side in (a, b)]
        error = power.standard_error(difference(*both), np.arange(n), settings)
        promised.append(power.EFFECT * (error or math.nan))
        true.append(spearman.value(a, y) - spearman.value(b, y))
    return float(np.mean(found)), float(np.mean(promised)), float(np.mean(true))


def test_power_keeps_its_promise_for_differences() -> None:
    share, promised, true = rejections(0.58, 150, Resampling(resamples=300))
    assert promised == pytest.approx(true, rel=0.12)  # the effect is as large as promised ...
    assert 0.70 <= share <= 0.90  # ... and found in about 80 % of samples


def test_power_keeps_its_promise_for_one_correlation() -> None:
    rng = np.random.default_rng(9)
    settings = Resampling(resamples=300)
    spearman, clusters = coefficient("spearman"), contexts(40, 4)
    promised, values, errors = [], [], []
    for _ in range(200):
        x = rng.normal(size=40).repeat(4) + rng.normal(size=160)
        y = rng.normal(size=40).repeat(4) + rng.normal(size=160) + 0.29 * x
        statistic = spearman.weighted(x, [y])
        promised.append(power.power(spearman, x, y, clusters, settings).correlation)
        errors.append(power.standard_error(statistic, clusters, settings))
        values.append(spearman.value(x, y))
    wanted = float(np.mean(np.array(promised, dtype=float)))
    assert wanted == pytest.approx(np.mean(values), rel=0.12)
    found = np.array(values) > 1.96 * np.array(errors, dtype=float)
    assert 0.70 <= found.mean() <= 0.90


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall"])
def test_the_error_of_a_worthless_metric_is_right(name: str) -> None:
    rng = np.random.default_rng(3)
    one, clusters = coefficient(name), contexts(30, 5)
    values, errors = [], []
    for _ in range(300):
        x, y = (rng.normal(size=30).repeat(5) + rng.normal(size=150) for _ in range(2))
        values.append(one.value(x, y))
        errors.append(power.null_error(one, x, y, clusters))
    assert np.mean(np.array(errors, dtype=float)) == pytest.approx(np.std(values), rel=0.1)


@pytest.mark.parametrize("name", ["pearson", "spearman"])
def test_a_good_metric_does_not_make_the_set_look_stronger(name: str) -> None:
    rng = np.random.default_rng(1)
    y, one, clusters = rng.normal(size=3000), coefficient(name), np.arange(3000)
    for x in (y + 0.3 * rng.normal(size=3000), rng.normal(size=3000)):
        found = power.power(one, x, y, clusters, Resampling(resamples=100)).correlation
        assert found == pytest.approx(power.EFFECT / math.sqrt(2999))


def test_power_is_unknown_for_one_context() -> None:
    x = np.arange(5.0)
    found = power.power(coefficient("kendall"), x, x, np.zeros(5, np.intp), Resampling())
    assert found == power.Power(None, None)
    nothing = power.power(coefficient("spearman"), x[:0], x[:0], np.empty(0, np.intp), Resampling())
    assert nothing == power.Power(None, None)
