"""Statistics of a resample, computed from how often each item was drawn.

A bootstrap resample is nothing but a vector of counts: item 3 twice, item 4 never. Every
statistic here is therefore a function of *weights* with the shape ``(items, resamples)``, one
column per resample, and returns ``(columns, resamples)``. The data are sorted once, when the
statistic is made; no resample is ever sorted, nor even built. The same function gives the point
value (all weights 1) and the jackknife (one cluster's weights 0).

    >>> double = spearman([1, 2, 3, 4], [[1, 2, 4, 3]])
    >>> double(np.array([[1.0, 1], [1, 2], [1, 0], [1, 2]]))  # the data; then items 1 2 2 4 4
    array([[0.8, 1. ]])

An undefined value (a constant side, fewer than three items) is NaN, without a warning.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
Statistic = Callable[[Floats], Floats]  # (items, resamples) -> (columns, resamples)
Factory = Callable[[ArrayLike, Sequence[ArrayLike]], Statistic]  # x and columns -> correlations

#: Kendall's quadratic form holds a matrix of this many distinct points squared (36 MB).
_KENDALL_POINTS = 3_000


def pearson(x: ArrayLike, columns: Sequence[ArrayLike]) -> Statistic:
    """Pearson's correlation of ``x`` with each column, from weighted sums of products."""
    values = np.stack([_standardised(column) for column in (x, *columns)])
    first, rest = values[:1], values[1:]
    terms = np.concatenate([values, values**2, first * rest])  # one matrix product does it all

    def statistic(weights: Floats) -> Floats:
        total = weights.sum(axis=0)
        with np.errstate(all="ignore"):
            moments = (terms @ weights) / total
            mean, square, product = np.split(moments, [len(values), 2 * len(values)])
            variance = square - mean**2
            # What rounding leaves of a variance that is 0 is no variance.
            variance[variance <= 1e-13 * square] = np.nan
            covariance = product - mean[:1] * mean[1:]
            return _defined(covariance / np.sqrt(variance[:1] * variance[1:]), total)

    return statistic


def spearman(x: ArrayLike, columns: Sequence[ArrayLike]) -> Statistic:
    """Spearman's correlation (average ranks) of ``x`` with each column.

    The average rank of a tie group follows from the counts of the groups below it, so ranks come
    from a cumulative sum over groups. Ranks are kept doubled and centred, hence whole numbers:
    every sum below is exact.
    """
    from scipy.sparse import vstack

    codes, rows = _groups(x)
    grouped = [_groups(column)[1] for column in columns]
    ends = np.cumsum([matrix.shape[0] for matrix in grouped])[:-1]
    stacked: Any = vstack(grouped, format="csr")

    def statistic(weights: Floats) -> Floats:
        total = weights.sum(axis=0)
        counts = rows @ weights
        ranks = _centred_ranks(counts)
        spread = np.einsum("gr,gr,gr->r", counts, ranks, ranks)
        ranked = ranks[codes]
        ranked *= weights
        per_group = zip(
            np.split(stacked @ weights, ends), np.split(stacked @ ranked, ends), strict=True
        )
        result = [_rank_correlation(counts, sums, spread) for counts, sums in per_group]
        return _defined(np.array(result), total)

    return statistic


def kendall(x: ArrayLike, columns: Sequence[ArrayLike]) -> Statistic:
    """Kendall's tau-b of ``x`` with each column.

    With ``S[i, j] = sign(x_i - x_j) sign(y_i - y_j)`` over distinct points, concordant minus
    discordant pairs are ``w'Sw / 2``, and the pairs not tied in x are ``(N² - Σ N_g²) / 2`` over
    its tie groups. Above :data:`_KENDALL_POINTS` distinct points each resample is built and given
    to scipy instead: the same value, some milliseconds per resample.
    """
    return stack([_kendall(np.asarray(x, float), np.asarray(each, float)) for each in columns])


def mean(values: ArrayLike) -> Statistic:
    """The mean."""
    row = np.asarray(values, dtype=np.float64)[None]

    def statistic(weights: Floats) -> Floats:
        with np.errstate(all="ignore"):
            return np.asarray((row @ weights) / weights.sum(axis=0))

    return statistic


def partial(factory: Factory, x: ArrayLike, y: ArrayLike, given: ArrayLike) -> Statistic:
    """The correlation of ``x`` and ``y`` once what ``given`` explains is taken from both.

    A covariate that does not vary explains nothing. Where it determines x or y, nothing is left to
    correlate: NaN.
    """
    of_x, of_y = factory(x, [y, given]), factory(y, [given])

    def statistic(weights: Floats) -> Floats:
        xy, xz = of_x(weights)
        xz, yz = np.nan_to_num(xz), np.nan_to_num(of_y(weights)[0])
        left_x, left_y = 1 - xz**2, 1 - yz**2
        with np.errstate(all="ignore"):
            value = (xy - xz * yz) / np.sqrt(left_x * left_y)
        return np.asarray(np.where(np.minimum(left_x, left_y) > 1e-9, value, np.nan)[None])

    return statistic


def within(groups: Sequence[Codes], build: Callable[[Codes], Statistic]) -> Statistic:
    """The size-weighted mean of a correlation over groups of items, computed in each by itself.

    ``build`` makes the statistic of one group's items. A group in which it is undefined takes no
    part (in a resample, too).
    """
    parts = [select(items, build(items)) for items in groups]
    return average(parts, lambda weights: np.array([weights[some].sum(axis=0) for some in groups]))


def average(parts: Sequence[Statistic], sizes: Statistic = lambda _: np.ones((1, 1))) -> Statistic:
    """The mean over those of the statistics that are defined in a resample, weighed by sizes."""
    together = stack(parts) if parts else lambda weights: np.full((1, weights.shape[1]), np.nan)

    def statistic(weights: Floats) -> Floats:
        values = together(weights)
        shares = np.where(np.isnan(values), 0, sizes(weights) if parts else 0)
        with np.errstate(all="ignore"):
            mean = (np.nan_to_num(values) * shares).sum(axis=0) / shares.sum(axis=0)
        return np.asarray(mean[None])

    return statistic


def select(items: Codes, statistic: Statistic) -> Statistic:
    """The statistic over some of the items (or over items repeated)."""
    return lambda weights: statistic(weights[items])


def stack(statistics: Sequence[Statistic]) -> Statistic:
    """Several statistics as the rows of one: they then share the same resamples."""
    return lambda weights: np.concatenate([statistic(weights) for statistic in statistics])


def difference(first: Statistic, second: Statistic) -> Statistic:
    """The difference of two statistics in the same resample."""
    return lambda weights: first(weights) - second(weights)


def _standardised(values: ArrayLike) -> Floats:
    """Centred and scaled, so that sums of squares neither cancel nor overflow."""
    array = np.asarray(values, dtype=np.float64)
    centred = array - (array.mean() if array.size else 0)
    scale = np.abs(centred).max(initial=0)
    return np.asarray(centred / scale if scale > 0 else centred)


def _groups(values: ArrayLike) -> tuple[Codes, Any]:
    """The tie group of each item, and the sparse (groups, items) matrix that sums over groups."""
    from scipy.sparse import csr_matrix

    unique, codes = np.unique(np.asarray(values, dtype=np.float64), return_inverse=True)
    n = len(codes)
    matrix = csr_matrix((np.ones(n), (codes, np.arange(n))), shape=(len(unique), n))
    return codes.astype(np.intp), matrix


def _centred_ranks(counts: Floats) -> Floats:
    """Twice the average rank less its mean: whole numbers that sum to 0 over the resample."""
    below = np.cumsum(counts, axis=0)
    ranks = 2 * below - counts
    if len(below):
        ranks -= below[-1]
    return np.asarray(ranks)


def _rank_correlation(counts: Floats, sums: Floats, spread: Floats) -> Floats:
    """From a column's group counts and the other side's summed ranks in each group."""
    ranks = _centred_ranks(counts)
    covariance = np.einsum("gr,gr->r", ranks, sums)
    own = np.einsum("gr,gr,gr->r", counts, ranks, ranks)
    with np.errstate(all="ignore"):
        return np.asarray(covariance / np.sqrt(spread * own))


def _kendall(x: Floats, y: Floats) -> Statistic:
    points, codes = np.unique(np.stack([x, y]), axis=1, return_inverse=True)
    if points.shape[1] > _KENDALL_POINTS:
        return _kendall_slow(x, y)
    rows, sides = _groups(codes)[1], (_groups(x)[1], _groups(y)[1])
    signs = np.ones((points.shape[1],) * 2, dtype=np.float32)
    for side in points:
        signs *= np.sign(side[:, None] - side[None, :])

    def statistic(weights: Floats) -> Floats:
        total = weights.sum(axis=0)
        counts = rows @ weights
        # Whole numbers below 2**24 are exact in float32, at half the cost.
        pairs = np.einsum("pr,pr->r", counts, signs @ counts.astype(np.float32), dtype=np.float64)
        untied = [total**2 - ((side @ weights) ** 2).sum(axis=0) for side in sides]
        with np.errstate(all="ignore"):
            return _defined((pairs / np.sqrt(untied[0] * untied[1]))[None], total)

    return statistic


def _kendall_slow(x: Floats, y: Floats) -> Statistic:
    from scipy.stats import kendalltau

    def one(weights: Floats) -> float:
        drawn = np.repeat(np.arange(len(x)), weights.astype(np.intp))
        return float(kendalltau(x[drawn], y[drawn]).statistic) if len(drawn) > 2 else np.nan

    return lambda weights: np.array([[one(column) for column in weights.T]])


def _defined(values: Floats, total: Floats) -> Floats:
    """NaN where the resample has fewer than three items; rounding never leaves [-1, 1]."""
    values = np.where(np.isfinite(values) & (total >= 3), values, np.nan)
    return np.clip(values, -1, 1)
