"""What else could explain a correlation: the system's name, or something trivial.

If people like one system better, a metric that only recognises the system correlates with them
without judging a single answer. So every correlation is printed beside: an *oracle* that knows
only which system spoke; the same correlation *within* systems, where the oracle has nothing to
say; the same with *length* held constant; and the best of the *trivial baselines*.
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from .bootstrap import cluster_count, codes, interval, intervals
from .correlation import Correlation, complete
from .estimate import Estimate, Resampling
from .items import Items
from .significance import swap_test
from .weighted import Codes, Floats, Statistic, difference, partial, select, within

#: A correlation over fewer systems than this says nothing.
_MIN_SYSTEMS = 5

#: Random halves over which the split-half oracle is averaged.
_SPLITS = 200


class _Baseline(msgspec.Struct, frozen=True):
    """The best trivial baseline, and whether the metric beats it.

    ``difference`` is the metric's correlation less the baseline's, the baseline turned round when
    it correlates negatively; ``p`` is the paired permutation test of that difference.
    """

    name: str
    correlation: Estimate
    difference: Estimate
    p: float


class Confounds(msgspec.Struct, frozen=True):
    """What else could explain a correlation."""

    oracle: Estimate
    oracle_split_half: Estimate
    within: Estimate
    systems: dict[str, Estimate]
    system_level: Estimate | str
    given_length: Estimate
    given_length_within: Estimate
    baseline: _Baseline | None


def confounds(
    correlation: Correlation,
    x: Floats,
    items: Items,
    baselines: Mapping[str, Floats],
    settings: Resampling,
) -> Confounds:
    """Everything this module knows of the correlation of ``x`` with the items' ratings."""
    y, systems, clusters, n = items.ratings, items.systems, items.clusters, len(items)

    def pooled(places: Codes) -> Statistic:
        return correlation.weighted(x[places], [y[places]])

    def given_length(places: Codes) -> Statistic:
        return partial(correlation.weighted, x[places], y[places], items.words[places])

    inside = sum(len(items) for items in groups(systems).values() if len(items) > 2)
    statistics = {
        # In-sample, hence a little too good; held fixed while items are resampled.
        "oracle": (correlation.weighted(oracle(y, systems), [y]), n),
        "within": (within_statistic(systems, pooled), inside),
        "given_length": (given_length(np.arange(n)), n),
        "given_length_within": (within_statistic(systems, given_length), inside),
    }
    split_half = split_half_oracle(correlation, y, systems, clusters, settings.seed)
    own = {
        name: (select(places, pooled(places)), len(places))
        for name, places in groups(systems).items()
    }
    return Confounds(
        **intervals(statistics, clusters, settings),
        oracle_split_half=Estimate(split_half, n=n),
        systems=intervals(own, clusters, settings),
        system_level=system_level(correlation, x, y, systems, settings),
        baseline=best_baseline(correlation, x, items, baselines, settings),
    )


def groups(systems: Sequence[str]) -> dict[str, Codes]:
    """System -> the places of its items, systems in alphabetical order."""
    names = np.asarray(systems, dtype=object)
    return {name: np.flatnonzero(names == name) for name in sorted(set(systems))}


def oracle(ratings: Floats, systems: Sequence[str]) -> Floats:
    """Each item's prediction by someone who knows only its system: that system's mean rating.

    >>> oracle(np.array([1.0, 3, 5]), ["a", "a", "b"])
    array([2., 2., 5.])
    """
    system = codes(systems)
    sums = np.bincount(system, weights=ratings)
    return np.asarray((sums / np.bincount(system))[system])


def split_half_oracle(
    correlation: Correlation, ratings: Floats, systems: Sequence[str], clusters: Codes, seed: int
) -> float:
    """The honest oracle: system means from one half of the contexts, tested on the other.

    The mean over :data:`_SPLITS` random splits and both directions. An item whose system is absent
    from the other half is left out; a split in which the oracle is constant is, too.
    """
    rng = np.random.default_rng(seed)
    system = codes(systems)
    size = cluster_count(clusters)
    values = []
    for _ in range(_SPLITS if size > 1 else 0):
        first = (rng.permutation(size) < size // 2)[clusters]
        for learnt, tested in ((first, ~first), (~first, first)):
            values.append(correlation.value(*_predicted(ratings, system, learnt, tested)))
    defined = [value for value in values if not np.isnan(value)]
    return float(np.mean(defined)) if defined else float("nan")


def _predicted(
    ratings: Floats, system: Codes, learnt: NDArray[np.bool_], tested: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    count = np.bincount(system[learnt], minlength=system.max() + 1)
    sums = np.bincount(system[learnt], weights=ratings[learnt], minlength=system.max() + 1)
    means = np.divide(sums, count, out=np.full(len(sums), np.nan), where=count > 0)
    return means[system[tested]], ratings[tested]


def within_statistic(systems: Sequence[str], build: Callable[[Codes], Statistic]) -> Statistic:
    """The pooled-within-system correlation: each system's own, averaged by number of items.

    Nothing that differs between systems, neither level nor scale, can enter. Systems with fewer
    than three items, or where either side is constant, take no part.
    """
    return within([items for items in groups(systems).values() if len(items) > 2], build)


def system_level(
    correlation: Correlation,
    x: Floats,
    ratings: Floats,
    systems: Sequence[str],
    settings: Resampling,
) -> Estimate | str:
    """The correlation of the systems' means, or why it cannot be given.

    Here the systems are the sample, so the interval resamples systems.
    """
    members = groups(systems)
    if len(members) < _MIN_SYSTEMS:
        count = f"{len(members)} system{'s' if len(members) != 1 else ''}"
        return (
            f"No correlation over systems: {count} here, and with fewer than {_MIN_SYSTEMS} "
            "any order is likely by chance."
        )
    means = np.array([(x[items].mean(), ratings[items].mean()) for items in members.values()])
    statistic = correlation.weighted(means[:, 0], [means[:, 1]])
    return interval(statistic, codes(range(len(members))), settings)


def best_baseline(
    correlation: Correlation,
    x: Floats,
    items: Items,
    baselines: Mapping[str, Floats],
    settings: Resampling,
) -> _Baseline | None:
    """The baseline with the largest correlation, whatever its sign; None when all are undefined.

    Choosing after the fact favours the baseline, which is the side that should be favoured. The
    metric is compared with it on the items both could score.
    """
    values = {name: correlation.value(one, items.ratings) for name, one in baselines.items()}
    defined = {name: value for name, value in values.items() if not np.isnan(value)}
    if not defined:
        return None
    name = max(defined, key=lambda name: (abs(defined[name]), name))
    places = np.flatnonzero(complete(baselines[name]))
    x, y, other = x[places], items.ratings[places], baselines[name][places]
    helpful = np.sign(defined[name]) * other
    statistics = {
        "correlation": correlation.weighted(other, [y]),
        "difference": difference(correlation.weighted(x, [y]), correlation.weighted(helpful, [y])),
    }
    chosen = {key: (select(places, one), len(places)) for key, one in statistics.items()}
    p = swap_test(x, helpful, y, items.clusters[places], settings, ranks=correlation.ranks)
    return _Baseline(name, **intervals(chosen, items.clusters, settings), p=p)
