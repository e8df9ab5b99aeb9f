"""Cluster bootstrap: intervals that resample contexts, not pairs.

Four systems that answer one context give four ratings that rise and fall together; resampling
items as if they were independent makes intervals too short. So contexts are drawn with
replacement, each with all its items. A resample is a count per cluster, an item weighs what its
cluster counts, and a :data:`~.weighted.Statistic` does the rest.

    >>> from .weighted import mean
    >>> coins = np.array([0.0, 0, 0, 1, 1, 1, 1, 1])
    >>> print(interval(mean(coins), codes(range(8)), Resampling(method="percentile")))
    0.625 [0.25, 1.00] n=8
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from .estimate import Estimate, Resampling
from .weighted import Codes, Floats, Statistic, stack

#: Weights of one chunk of resamples. Small enough for the processor's cache, far below memory.
CHUNK_BYTES = 2 * 2**20

#: Groups that the jackknife leaves out at most: more would cost more than the resamples.
JACKKNIFE_GROUPS = 2_500

#: Below this many contexts an interval is known to be too short, and says so.
_FEW_CLUSTERS = 10


def codes(keys: Iterable[Hashable]) -> Codes:
    """A whole number per item, equal for items of one cluster; the order of items is no matter.

    >>> codes(["b", "a", "b"])
    array([1, 0, 1])
    """
    keys = list(keys)
    order = {key: code for code, key in enumerate(sorted(set(keys)))}  # type: ignore[type-var]
    return np.array([order[key] for key in keys], dtype=np.intp)


def cluster_count(clusters: Codes) -> int:
    """How many clusters there are."""
    return int(clusters.max(initial=-1)) + 1


def chunks(total: int, rows: int, size: int) -> Iterator[range]:
    """The numbers below ``total`` in chunks: ``rows`` floats for each make ``size`` bytes."""
    step = max(1, size // (8 * max(rows, 1)))
    return (range(start, min(start + step, total)) for start in range(0, total, step))


def draw(clusters: Codes, resamples: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Weights of random resamples in chunks of ``(items, some resamples)``."""
    size = cluster_count(clusters)
    for some in chunks(resamples, len(clusters), CHUNK_BYTES):
        width = len(some)
        drawn = rng.integers(size, size=(width, size))
        drawn *= width
        drawn += np.arange(width)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=size * width).reshape(size, width)
        yield counts.astype(np.float64)[clusters]


def resample(statistic: Statistic, clusters: Codes, resamples: int, seed: int) -> Floats:
    """The statistic of random resamples, ``(columns, resamples)``; the same for the same seed."""
    rng = np.random.default_rng(seed)
    return np.concatenate([statistic(some) for some in draw(clusters, resamples, rng)], axis=1)


def point(statistic: Statistic, items: int) -> Floats:
    """The statistic of the data as they are, one number per column."""
    return statistic(np.ones((items, 1)))[:, 0]


def jackknife(statistic: Statistic, clusters: Codes) -> Floats:
    """The statistic without each cluster in turn, ``(columns, clusters)``.

    Above :data:`JACKKNIFE_GROUPS` clusters are left out in groups of equal size; the acceleration
    that is computed from them does not depend on the size.
    """
    groups = clusters % JACKKNIFE_GROUPS
    left_out = chunks(cluster_count(groups), len(groups), CHUNK_BYTES)
    parts = [statistic((groups[:, None] != some).astype(np.float64)) for some in left_out]
    return np.concatenate(parts, axis=1)


def interval(statistic: Statistic, clusters: Codes, settings: Resampling) -> Estimate:
    """The estimate of a statistic with one column."""
    return estimates(statistic, [len(clusters)], clusters, settings)[0]


def intervals(
    statistics: Mapping[str, tuple[Statistic, int]], clusters: Codes, settings: Resampling
) -> dict[str, Estimate]:
    """An estimate for each named statistic of one column (with its n), from shared resamples."""
    if not statistics:
        return {}
    together = stack([statistic for statistic, _ in statistics.values()])
    sizes = [n for _, n in statistics.values()]
    return dict(zip(statistics, estimates(together, sizes, clusters, settings), strict=True))


def estimates(
    statistic: Statistic, sizes: Sequence[int], clusters: Codes, settings: Resampling
) -> list[Estimate]:
    """An estimate for each column of a statistic; ``sizes`` are their n."""
    values = point(statistic, len(clusters))
    count = cluster_count(clusters)
    if count < 2:
        note = "one context cannot be resampled" if count else "no items"
        return [Estimate(float(v), n=n, note=note) for v, n in zip(values, sizes, strict=True)]
    draws = resample(statistic, clusters, settings.resamples, settings.seed)
    bca = settings.method == "bca"
    left_out = jackknife(statistic, clusters) if bca else np.empty((len(values), 0))
    few = f"only {count} to resample: the interval is too short" if count < _FEW_CLUSTERS else ""
    bounds = []
    for column in zip(values, draws, left_out, sizes, strict=True):
        estimate = bounded(*column, settings)
        note = "; ".join(filter(None, (estimate.note, few)))
        bounds.append(msgspec.structs.replace(estimate, note=note))
    return bounds


def bounded(
    value: float, draws: Floats, left_out: Floats, n: int, settings: Resampling
) -> Estimate:
    """An estimate from a value, its resamples and (for BCa) its jackknife."""
    defined = draws[~np.isnan(draws)]
    if np.isnan(value):
        return Estimate(float(value), n=n, note="undefined on these items")
    if len(defined) < len(draws) / 2:
        return Estimate(float(value), n=n, note="no interval: undefined in most resamples")
    notes = []
    if len(defined) < len(draws):
        notes.append(f"undefined in {len(draws) - len(defined):,} of {len(draws):,} resamples")
    levels = np.array([1 - settings.confidence, 1 + settings.confidence]) / 2
    if settings.method == "bca":
        corrected = _bca_levels(value, defined, left_out, levels)
        if corrected is None:
            notes.append("percentile interval, because BCa is undefined here")
        levels = levels if corrected is None else corrected
    low, high = np.quantile(defined, levels)
    return Estimate(float(value), float(low), float(high), n, "; ".join(notes))


def _bca_levels(
    value: float, draws: Floats, left_out: Floats, levels: NDArray[np.float64]
) -> Floats | None:
    """Efron's corrected levels: bias from the resamples, acceleration from the jackknife."""
    from scipy.special import ndtr, ndtri

    # A resample equal to the value is half below it: with ties this keeps the bias at 0.
    below = np.mean(draws < value) + np.mean(draws == value) / 2
    change = left_out.mean() - left_out if left_out.size else left_out
    spread = (change**2).sum()
    if not 0 < below < 1 or not spread > 1e-20 or np.isnan(left_out).any():
        return None
    bias, acceleration = ndtri(below), (change**3).sum() / (6 * spread**1.5)
    shifted = bias + ndtri(levels)
    return np.asarray(ndtr(bias + shifted / (1 - acceleration * shifted)))
