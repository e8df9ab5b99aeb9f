"""Accuracy on contrast pairs."""

import math

import pytest

from dialogauge.errors import InputError
from dialogauge.meta import Resampling, discriminate

SETTINGS = Resampling(resamples=500)


def test_ties_count_one_half_and_missing_pairs_not_at_all() -> None:
    better = [3.0, 2, 1, math.nan, 5, 4]
    worse = [1.0, 2, 3, 1, math.nan, 0]
    found = discriminate(better, worse, list("abcdef"), settings=SETTINGS)
    assert found.accuracy.value == pytest.approx((1 + 0.5 + 0 + 1) / 4)
    assert (found.accuracy.n, found.ties, found.dropped) == (4, 1, 2)
    assert found.causes == {}


def test_each_cause_has_its_own_accuracy() -> None:
    better, worse = [2.0, 2, 1, 1], [1.0, 1, 2, 1]
    causes = ["shuffle", "shuffle", "negate", ""]
    found = discriminate(better, worse, list("abcd"), causes, SETTINGS)
    assert {name: one.value for name, one in found.causes.items()} == {
        "": 0.5, "negate": 0.0, "shuffle": 1.0
    }  # fmt: skip
    assert found.accuracy.value == pytest.approx(2.5 / 4)


def test_pairs_of_one_dialogue_are_resampled_together() -> None:
    better, worse = [1.0] * 50 + [0.0] * 50, [0.0] * 50 + [1.0] * 50
    alone = discriminate(better, worse, list(range(100)), settings=SETTINGS).accuracy
    together = discriminate(
        better, worse, [i // 10 for i in range(100)], settings=SETTINGS
    ).accuracy
    assert together.value == alone.value == 0.5
    assert together.high - together.low > 2 * (alone.high - alone.low)


def test_infinite_scores_compare_and_turning_round_gives_the_rest() -> None:
    better, worse = [math.inf, 1.0, 2.0], [0.0, -math.inf, 3.0]
    found = discriminate(better, worse, [1, 2, 3], settings=SETTINGS).accuracy.value
    turned = discriminate(worse, better, [1, 2, 3], settings=SETTINGS).accuracy.value
    assert found == pytest.approx(2 / 3)
    assert found + turned == pytest.approx(1)


def test_no_pairs() -> None:
    found = discriminate([math.nan], [1.0], ["a"], settings=SETTINGS)
    assert math.isnan(found.accuracy.value)
    assert found.dropped == 1
    with pytest.raises(InputError, match="equally long"):
        discriminate([1.0], [1.0, 2.0], ["a"])
