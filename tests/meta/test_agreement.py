"""People against people: published alphas, analysis of variance, simulated truth."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scipy import stats

from dialogauge.errors import UnknownNameError
from dialogauge.meta import agreement, weighted
from dialogauge.meta.agreement import ceiling, human, human_level, intraclass, krippendorff
from dialogauge.meta.bootstrap import point
from dialogauge.meta.estimate import Raters, Resampling
from dialogauge.meta.weighted import Floats

N = math.nan
#: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, example C and D.
FOUR_OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
        [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
    ]
).T
SETTINGS = Resampling(resamples=500)


@pytest.mark.parametrize(
    ("level", "value"),
    [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)],
)
def test_krippendorffs_four_observers(level: str, value: float) -> None:
    assert krippendorff(FOUR_OBSERVERS, level) == pytest.approx(value, abs=5e-4)


def test_krippendorffs_two_observers() -> None:
    binary = [[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]]
    assert krippendorff(np.array(binary).T, "nominal") == pytest.approx(0.095, abs=5e-4)
    names = ["aabbdcccedda", "babbbccceddd"]
    coded = np.array([[ord(letter) for letter in observer] for observer in names])
    assert krippendorff(coded.T, "nominal") == pytest.approx(0.692, abs=5e-4)


def naive_alpha(ratings: Floats) -> float:
    """Interval alpha from all pairs of ratings, with no table of coincidences."""
    rows = [row[~np.isnan(row)] for row in ratings]
    rows = [row for row in rows if len(row) > 1]
    everything = np.concatenate(rows)
    n = len(everything)
    observed = sum(((row[:, None] - row) ** 2).sum() / (len(row) - 1) for row in rows) / n
    expected = ((everything[:, None] - everything) ** 2).sum() / (n * (n - 1))
    return float(1 - observed / expected)


@given(seed=st.integers(0, 10_000))
@hypothesis_settings(max_examples=60, deadline=None)
def test_alpha_properties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ratings = rng.integers(1, 6, (8, 4)).astype(float)
    ratings[rng.random((8, 4)) < 0.2] = N
    ratings[0] = [1, 2, 3, 5]
    assert krippendorff(ratings, "interval") == pytest.approx(naive_alpha(ratings), abs=1e-12)
    shuffled = rng.permuted(ratings[rng.permutation(8)], axis=1)
    for level in agreement.DISAGREEMENTS:
        assert krippendorff(shuffled, level) == pytest.approx(krippendorff(ratings, level))
    scaled, monotone = 3 * ratings + 2, np.exp(ratings)
    assert krippendorff(scaled, "interval") == pytest.approx(krippendorff(ratings, "interval"))
    assert krippendorff(monotone, "ordinal") == pytest.approx(krippendorff(ratings, "ordinal"))
    assert krippendorff(2 * ratings, "ratio") == pytest.approx(krippendorff(ratings, "ratio"))
    assert krippendorff(-(ratings**2), "nominal") == pytest.approx(krippendorff(ratings, "nominal"))


def test_alpha_in_degenerate_cases() -> None:
    assert krippendorff(np.array([[1.0, 1], [2, 2]]), "ordinal") == 1
    assert math.isnan(krippendorff(np.array([[3.0, 3], [3, 3]])))  # no variation: undefined
    assert math.isnan(krippendorff(np.array([[1.0, N], [2, N]])))
    assert math.isnan(krippendorff(np.empty((0, 0))))
    assert krippendorff(np.array([[0.0, 0], [0, 1], [1, 1]]), "ratio") < 1
    with pytest.raises(UnknownNameError):
        krippendorff(FOUR_OBSERVERS, "cardinal")


def test_intraclass_is_the_analysis_of_variance() -> None:
    ratings = np.random.default_rng(0).normal(size=(20, 4)) + np.arange(20)[:, None] / 5
    f = stats.f_oneway(*ratings).statistic
    assert point(intraclass(ratings), 20)[0] == pytest.approx((f - 1) / (f + 3))


def test_intraclass_with_unequal_numbers_of_ratings() -> None:
    rows = [(1.0, 2.0), (3.0, 3.0, 5.0), (2.0,), (6.0, 4.0, 5.0, 5.0, 4.0), (1.0, 1.0)]
    sizes, everything = [len(row) for row in rows], np.concatenate(rows)
    n, total = len(rows), len(everything)
    between = sum(len(row) * (np.mean(row) - everything.mean()) ** 2 for row in rows) / (n - 1)
    inner = sum(((np.array(row) - np.mean(row)) ** 2).sum() for row in rows) / (total - n)
    size = (total - sum(k**2 for k in sizes) / total) / (n - 1)
    wanted = (between - inner) / (between + (size - 1) * inner)
    assert point(intraclass(agreement.matrix(rows)), n)[0] == pytest.approx(wanted)


def test_intraclass_of_resamples_is_that_of_the_resampled_data() -> None:
    rng = np.random.default_rng(1)
    ratings = rng.normal(size=(15, 3)) + rng.normal(size=15)[:, None]
    ratings[rng.random((15, 3)) < 0.2] = N
    weights = rng.multinomial(15, [1 / 15] * 15, size=5).T.astype(float)
    found = intraclass(ratings)(weights)[0]
    for value, column in zip(found, weights.T, strict=True):
        again = np.repeat(ratings, column.astype(int), axis=0)
        assert value == pytest.approx(point(intraclass(again), 15)[0])


@pytest.mark.parametrize("raters", ["anonymous", "people"])
def test_the_ceiling_is_the_correlation_of_truth_with_the_observed_mean(
    raters: Raters,
) -> None:
    rng = np.random.default_rng(4)
    truth = rng.normal(size=6000)
    ratings = truth[:, None] + rng.normal(size=(6000, 5)) * 1.5
    if raters == "anonymous":  # unequal numbers of ratings: two to five
        ratings[np.arange(5) >= rng.integers(2, 6, 6000)[:, None]] = N
    found = point(ceiling(ratings, raters), 6000)[0]
    actual = np.corrcoef(truth, np.nanmean(ratings, axis=1))[0, 1]
    assert found == pytest.approx(actual, abs=0.015)


def test_severe_people_are_harmless_but_severe_strangers_are_noise() -> None:
    rng = np.random.default_rng(5)
    truth = rng.normal(size=500)
    ratings = truth[:, None] + 0.3 * rng.normal(size=(500, 3)) + np.array([0, 2, 4])
    people, strangers = (point(ceiling(ratings, who), 500)[0] for who in ("people", "anonymous"))
    assert people > 0.97
    assert strangers < 0.6


def test_raters_who_disagree_have_a_ceiling_of_zero() -> None:
    ratings = np.array([[1.0, 5], [5, 1], [1, 5], [5, 1]])
    assert point(ceiling(ratings, "anonymous"), 4)[0] == 0
    assert math.isnan(point(ceiling(np.full((4, 2), 3.0), "anonymous"), 4)[0])


def test_human_level_of_people_is_the_mean_over_raters() -> None:
    rng = np.random.default_rng(6)
    ratings = rng.normal(size=(40, 4)) + rng.normal(size=40)[:, None]
    ratings[3, 0] = N
    found = point(human_level(weighted.spearman, ratings, "people"), 40)[0]
    wanted = []
    for seat in range(4):
        rows = ratings[~np.isnan(ratings[:, seat])]
        rest = np.nanmean(np.delete(rows, seat, axis=1), axis=1)
        wanted.append(stats.spearmanr(rows[:, seat], rest).statistic)
    assert found == pytest.approx(np.mean(wanted))


def test_human_level_of_strangers_does_not_depend_on_seats() -> None:
    rng = np.random.default_rng(7)
    ratings = rng.normal(size=(40, 4)) + rng.normal(size=40)[:, None]
    ratings[rng.random((40, 4)) < 0.2] = N
    one = point(human_level(weighted.pearson, ratings, "anonymous"), 40)[0]
    two = point(human_level(weighted.pearson, rng.permuted(ratings, axis=1), "anonymous"), 40)[0]
    pairs = [
        (row[seat], np.nanmean(np.delete(row, seat)))
        for row in ratings
        for seat in range(4)
        if not np.isnan(row[seat]) and (~np.isnan(row)).sum() > 1
    ]
    assert one == pytest.approx(two)
    assert one == pytest.approx(np.corrcoef(np.array(pairs).T)[0, 1])


def test_means_only_are_a_sentence() -> None:
    clusters = np.arange(3)
    ratings = agreement.matrix([(2.0,), (3.0,), (1.0, N)])
    assert human(weighted.spearman, ratings, clusters, SETTINGS) == agreement.ONLY_MEANS
    nothing = human(weighted.spearman, np.empty((0, 0)), clusters[:0], SETTINGS)
    assert nothing == agreement.ONLY_MEANS


def test_human_counts_the_items_with_several_ratings() -> None:
    ratings = agreement.matrix([(2, 3), (3, 3, 4), (1,), (1, 2), (4, 5)])
    found = human(weighted.spearman, ratings, np.arange(5), SETTINGS)
    assert isinstance(found, agreement.Human)
    assert (found.level.n, found.ceiling.n, found.alpha.n) == (4, 4, 4)
    assert found.raters == pytest.approx(2)
