"""Cluster bootstrap: weights, intervals, coverage."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scipy import stats

from dialogauge.errors import InputError
from dialogauge.meta import bootstrap, weighted
from dialogauge.meta.bootstrap import codes, draw, interval, intervals, jackknife, point, resample
from dialogauge.meta.estimate import Resampling
from dialogauge.meta.weighted import Codes, Floats

QUICK = Resampling(resamples=2000)
PERCENTILE = Resampling(resamples=2000, method="percentile")


def clustered(rng: np.random.Generator, clusters: int, size: int) -> tuple[Floats, Floats, Codes]:
    """Two unrelated columns whose items resemble each other within a cluster."""
    x, y = (rng.normal(size=clusters).repeat(size) * 2 + rng.normal(size=clusters * size)
            for _ in range(2))  # fmt: skip
    return x, y, np.arange(clusters).repeat(size)


@given(keys=st.lists(st.sampled_from("abcde"), min_size=1, max_size=30), seed=st.integers(0, 99))
@hypothesis_settings(max_examples=50, deadline=None)
def test_a_resample_draws_as_many_clusters_as_there_are_and_keeps_them_whole(
    keys: list[str], seed: int
) -> None:
    clusters = codes(keys)
    for weights in draw(clusters, 7, np.random.default_rng(seed)):
        first = [list(clusters).index(code) for code in range(clusters.max() + 1)]
        assert (weights[first].sum(axis=0) == clusters.max() + 1).all()
        assert (weights == weights[first][clusters]).all()


def test_resamples_do_not_depend_on_the_chunk_size(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    x, y, clusters = clustered(rng, 21, 3)
    statistic = weighted.spearman(x, [y])
    whole = resample(statistic, clusters, 333, 4)
    monkeypatch.setattr(bootstrap, "CHUNK_BYTES", 8 * 63 * 10)
    np.testing.assert_array_equal(whole, resample(statistic, clusters, 333, 4))
    monkeypatch.setattr(bootstrap, "CHUNK_BYTES", 1)
    np.testing.assert_array_equal(whole, resample(statistic, clusters, 333, 4))


def test_the_order_of_items_does_not_matter() -> None:
    rng = np.random.default_rng(8)
    x, y, clusters = clustered(rng, 25, 3)
    order = rng.permutation(len(x))
    keys = [f"context {code}" for code in clusters]
    shuffled = codes(keys[place] for place in order)
    one = interval(weighted.spearman(x, [y]), codes(keys), QUICK)
    two = interval(weighted.spearman(x[order], [y[order]]), shuffled, QUICK)
    assert (two.low, two.high) == pytest.approx((one.low, one.high), abs=1e-12)


def test_other_names_for_the_clusters_change_chance_only() -> None:
    rng = np.random.default_rng(8)
    x, y, clusters = clustered(rng, 60, 3)
    relabelled = rng.permutation(60)[clusters]
    settings = Resampling(resamples=20_000)
    one = interval(weighted.spearman(x, [y]), clusters, settings)
    two = interval(weighted.spearman(x, [y]), relabelled, settings)
    assert (two.low, two.high) == pytest.approx((one.low, one.high), abs=0.01)


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    x, y, clusters = clustered(np.random.default_rng(1), 30, 2)
    statistic = weighted.pearson(x, [y])
    assert interval(statistic, clusters, QUICK) == interval(statistic, clusters, QUICK)
    assert interval(statistic, clusters, QUICK) != interval(
        statistic, clusters, Resampling(resamples=2000, seed=1)
    )


def test_jackknife_leaves_out_each_cluster() -> None:
    x, y, clusters = clustered(np.random.default_rng(2), 9, 3)
    found = jackknife(weighted.spearman(x, [y]), clusters)[0]
    wanted = [stats.spearmanr(x[clusters != one], y[clusters != one]).statistic for one in range(9)]
    np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_a_jackknife_over_groups_gives_about_the_same_interval(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=400)
    statistic, clusters = weighted.mean(np.exp(x)), np.arange(400)
    exact = interval(statistic, clusters, QUICK)
    monkeypatch.setattr(bootstrap, "JACKKNIFE_GROUPS", 100)
    assert jackknife(statistic, clusters).shape == (1, 100)
    grouped = interval(statistic, clusters, QUICK)
    plain = interval(statistic, clusters, PERCENTILE)
    assert abs(grouped.high - exact.high) < abs(plain.high - exact.high) / 2


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_intervals_are_scipys_given_the_same_resamples(method: str) -> None:
    rng = np.random.default_rng(7)
    x = rng.normal(size=50)
    y = np.exp(x + rng.normal(size=50))
    statistic, clusters = weighted.pearson(x, [y]), np.arange(50)
    settings = Resampling(method=method, resamples=3000)  # type: ignore[arg-type]
    ours = interval(statistic, clusters, settings)
    draws = resample(statistic, clusters, 3000, settings.seed)[0]
    theirs = stats.bootstrap(
        (x, y), lambda a, b: stats.pearsonr(a, b).statistic, paired=True, vectorized=False,
        n_resamples=0, method="BCa" if method == "bca" else "percentile",
        bootstrap_result=stats._resampling.BootstrapResult(None, draws, 0.0),
    ).confidence_interval  # fmt: skip
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_ties_between_resamples_and_value_are_halved_as_scipy_halves_them() -> None:
    coins = np.array([0.0] * 9 + [1.0] * 3)
    statistic, clusters = weighted.mean(coins), np.arange(12)
    ours = interval(statistic, clusters, QUICK)
    draws = resample(statistic, clusters, QUICK.resamples, QUICK.seed)[0]
    theirs = stats.bootstrap(
        (coins,), np.mean, n_resamples=0, method="BCa",
        bootstrap_result=stats._resampling.BootstrapResult(None, draws, 0.0),
    ).confidence_interval  # fmt: skip
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_several_statistics_share_their_resamples() -> None:
    x, y, clusters = clustered(np.random.default_rng(3), 30, 2)
    one, two = weighted.spearman(x, [y]), weighted.kendall(x, [y])
    both = intervals({"rho": (one, 60), "tau": (two, 60)}, clusters, QUICK)
    assert both == {"rho": interval(one, clusters, QUICK), "tau": interval(two, clusters, QUICK)}
    assert intervals({}, clusters, QUICK) == {}


def coverage(count: int, ignore: bool) -> float:
    """The share of 95 % intervals that hold the true correlation, 0, on clustered data."""
    rng = np.random.default_rng(2024)
    settings = Resampling(resamples=300, method="percentile")
    held = 0
    for _ in range(count):
        x, y, clusters = clustered(rng, 40, 5)
        its = np.arange(len(x)) if ignore else clusters
        estimate = interval(weighted.spearman(x, [y]), its, settings)
        held += estimate.low <= 0 <= estimate.high
    return held / count


def test_intervals_cover_when_contexts_are_resampled_and_not_when_pairs_are() -> None:
    # 300 samples: a true coverage of 0.95 shows as 0.91 to 0.98 with probability 0.997.
    assert 0.91 <= coverage(300, ignore=False) <= 0.98
    assert coverage(300, ignore=True) < 0.80


def test_one_context_has_no_interval() -> None:
    x = np.arange(5.0)
    estimate = interval(weighted.pearson(x, [x]), np.zeros(5, dtype=np.intp), QUICK)
    assert estimate.value == pytest.approx(1)
    assert math.isnan(estimate.low)
    assert "one context" in estimate.note


def test_no_items_at_all() -> None:
    estimate = interval(weighted.spearman([], [[]]), np.empty(0, dtype=np.intp), QUICK)
    assert math.isnan(estimate.value)
    assert estimate.n == 0


def test_a_degenerate_bca_falls_back_to_percentile_and_says_so() -> None:
    x = np.arange(30.0)
    estimate = interval(weighted.spearman(x, [x**3]), np.arange(30), QUICK)
    assert (estimate.value, estimate.low, estimate.high) == (1, 1, 1)
    assert "percentile" in estimate.note


def test_few_contexts_and_undefined_resamples_are_noted() -> None:
    x, y = np.array([0.0, 0, 0, 1]), np.array([1.0, 2, 4, 3])
    estimate = interval(weighted.spearman(x, [y]), np.arange(4), QUICK)
    assert "undefined in " in estimate.note
    assert "only 4 to resample" in estimate.note
    constant = interval(weighted.spearman(np.ones(4), [y]), np.arange(4), QUICK)
    assert math.isnan(constant.value)
    assert math.isnan(constant.low)


def test_a_mean_and_its_point() -> None:
    values = np.array([1.0, 2, 6])
    assert point(weighted.mean(values), 3)[0] == 3
    assert math.isnan(point(weighted.mean([]), 0)[0])


@pytest.mark.parametrize(
    "wrong", [{"resamples": 5}, {"confidence": 1.0}, {"confidence": 0.2}, {"seed": -1}]
)
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError):
        Resampling(**wrong)  # type: ignore[arg-type]
