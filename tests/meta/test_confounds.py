"""Confounds: oracles, correlations within systems, trivial baselines."""

import math

import numpy as np
import pytest
from scipy import stats

from dialogauge.dialogue import Dialogue, Turn
from dialogauge.meta import confounds
from dialogauge.meta.bootstrap import codes, point
from dialogauge.meta.correlation import CORRELATIONS, coefficient
from dialogauge.meta.estimate import Estimate, Resampling
from dialogauge.meta.items import Items, rated
from dialogauge.meta.weighted import Codes, Floats, Statistic

SETTINGS = Resampling(resamples=500)
SPEARMAN = coefficient("spearman")


def simpson(systems: int = 4, each: int = 30) -> tuple[Floats, Floats, list[str]]:
    """A metric that knows the system and, within it, is wrong way round."""
    rng = np.random.default_rng(0)
    level = np.arange(systems).repeat(each) * 10.0
    truth = rng.normal(size=systems * each)
    names = [f"s{number}" for number in np.arange(systems).repeat(each)]
    return level - truth, level + truth, names


def items_of(ratings: Floats, systems: list[str], words: list[int] | None = None) -> Items:
    words = words or [3] * len(ratings)
    dialogues = [
        Dialogue(f"d{i}", (Turn("bot", "word " * count),), name, ratings={"good": (rating,)})
        for i, (rating, name, count) in enumerate(zip(ratings, systems, words, strict=True))
    ]
    return rated(dialogues, "good")


def test_within_systems_sees_through_simpsons_paradox() -> None:
    x, y, systems = simpson()
    found = confounds.confounds(SPEARMAN, x, items_of(y, systems), {}, SETTINGS)
    assert stats.spearmanr(x, y).statistic > 0.8
    assert found.within.value < -0.99
    assert found.oracle.value > 0.9
    assert set(found.systems) == {"s0", "s1", "s2", "s3"}
    assert all(one.value < -0.99 and one.n == 30 for one in found.systems.values())


@pytest.mark.parametrize("name", CORRELATIONS)
def test_within_is_the_weighted_mean_of_each_systems_own(name: str) -> None:
    rng = np.random.default_rng(1)
    systems = ["a"] * 10 + ["b"] * 25 + ["tiny"] * 2
    x, y = rng.normal(size=37), rng.normal(size=37)
    one = coefficient(name)

    def build(its: Codes) -> Statistic:
        return one.weighted(x[its], [y[its]])

    found = point(confounds.within_statistic(systems, build), 37)[0]
    own = [one.value(x[:10], y[:10]), one.value(x[10:35], y[10:35])]
    assert found == pytest.approx((10 * own[0] + 25 * own[1]) / 35)


def test_within_does_not_depend_on_what_differs_between_systems() -> None:
    rng = np.random.default_rng(2)
    systems = ["a"] * 20 + ["b"] * 20
    x, y = rng.normal(size=40), rng.normal(size=40)
    shift = np.array([0.0] * 20 + [100.0] * 20)

    def value(side: Floats) -> float:
        statistic = confounds.within_statistic(
            systems, lambda its: SPEARMAN.weighted(side[its], [y[its]])
        )
        return float(point(statistic, 40)[0])

    assert value(x) == pytest.approx(value(5 * x + shift))


def test_split_half_is_honest_where_in_sample_flatters() -> None:
    rng = np.random.default_rng(3)
    y = rng.normal(size=200)
    systems = [f"s{number}" for number in rng.integers(0, 40, 200)]  # names mean nothing
    inside = SPEARMAN.value(confounds.oracle(y, systems), y)
    honest = confounds.split_half_oracle(SPEARMAN, y, systems, np.arange(200), 0)
    assert inside > 0.3
    assert abs(honest) < 0.1


def test_split_half_is_deterministic_and_splits_contexts() -> None:
    _, y, systems = simpson()
    clusters = codes(range(120))
    one, two = (confounds.split_half_oracle(SPEARMAN, y, systems, clusters, 1) for _ in range(2))
    assert one == two > 0.9
    assert math.isnan(confounds.split_half_oracle(SPEARMAN, y, systems, clusters * 0, 1))


def test_one_system_has_no_oracle() -> None:
    x, y, _ = simpson()
    found = confounds.confounds(SPEARMAN, x, items_of(y, [""] * 120), {}, SETTINGS)
    assert math.isnan(found.oracle.value)
    assert math.isnan(found.oracle_split_half.value)
    assert found.within.value == pytest.approx(SPEARMAN.value(x, y))
    assert isinstance(found.system_level, str)
    assert "1 system here" in found.system_level


@pytest.mark.parametrize(("systems", "given"), [(4, False), (5, True), (8, True)])
def test_systems_are_correlated_from_five_on(systems: int, given: bool) -> None:
    x, y, names = simpson(systems)
    found = confounds.system_level(SPEARMAN, x, y, names, SETTINGS)
    assert isinstance(found, Estimate) is given
    if isinstance(found, Estimate):
        assert found.value == pytest.approx(1)
        assert found.n == systems
    else:
        assert "fewer than 5" in found


def test_the_best_baseline_may_be_negative_and_is_turned_round() -> None:
    rng = np.random.default_rng(4)
    y = rng.normal(size=150)
    x = y + rng.normal(size=150)
    baselines = {
        "noise": rng.normal(size=150),
        "minus": -y + 0.1 * rng.normal(size=150),
        "constant": np.ones(150),
    }
    items = items_of(y, ["a"] * 150)
    found = confounds.best_baseline(SPEARMAN, x, items, baselines, SETTINGS)
    assert found is not None
    assert found.name == "minus"
    assert found.correlation.value < -0.9
    assert found.difference.value == pytest.approx(
        SPEARMAN.value(x, y) + SPEARMAN.value(baselines["minus"], y)
    )
    assert found.difference.high < 0
    assert found.p < 0.01


def test_a_baseline_that_misses_items_is_compared_on_the_rest() -> None:
    rng = np.random.default_rng(5)
    y = rng.normal(size=60)
    x, partly = y + rng.normal(size=60), y + rng.normal(size=60)
    partly[:10] = math.nan
    items = items_of(y, ["a"] * 60)
    found = confounds.best_baseline(SPEARMAN, x, items, {"partly": partly}, SETTINGS)
    assert found is not None
    assert found.correlation.n == found.difference.n == 50
    wanted = SPEARMAN.value(x[10:], y[10:]) - SPEARMAN.value(partly[10:], y[10:])
    assert found.difference.value == pytest.approx(wanted)


def test_no_baseline_and_only_undefined_baselines() -> None:
    x, y, systems = simpson()
    items = items_of(y, systems)
    assert confounds.best_baseline(SPEARMAN, x, items, {}, SETTINGS) is None
    constant = {"constant": np.ones(120), "missing": np.full(120, math.nan)}
    assert confounds.best_baseline(SPEARMAN, x, items, constant, SETTINGS) is None


def test_a_metric_that_is_length_leaves_nothing_given_length() -> None:
    rng = np.random.default_rng(6)
    words = [int(count) for count in rng.integers(1, 30, 100)]
    y = np.array(words) + rng.normal(size=100) * 4
    x = np.array(words, dtype=float)
    items = items_of(y, ["a", "b"] * 50, words)
    found = confounds.confounds(SPEARMAN, x, items, {}, SETTINGS)
    assert math.isnan(found.given_length.value)
    noisy = confounds.confounds(SPEARMAN, x + rng.normal(size=100), items, {}, SETTINGS)
    assert abs(noisy.given_length.value) < 0.25
    assert SPEARMAN.value(x, y) > 0.8
