"""Is metric A better than metric B on the same items?

The answer is a paired permutation test that swaps whole contexts: if A and B were equally good,
it would not matter which of the two each context's numbers came from.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
"""

from collections.abc import Callable, Sequence

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from .bootstrap import chunks, cluster_count
from .estimate import Resampling
from .weighted import Codes, Floats

#: Random signs of one chunk of permutations.
CHUNK_BYTES = 16 * 2**20


class Williams(msgspec.Struct, frozen=True):
    """Williams' t, its degrees of freedom and the two-sided p."""

    t: float
    df: int
    p: float


def standardised(values: ArrayLike, *, ranks: bool) -> Floats:
    """Mean 0 and variance 1, of the (average) ranks when asked; a constant becomes zeros."""
    from scipy.stats import rankdata

    array = np.asarray(rankdata(values) if ranks else values, dtype=np.float64)
    if not array.size:
        return array
    centred = array - array.mean()
    spread = np.sqrt((centred**2).mean())
    return np.asarray(centred / spread if spread > 1e-12 * np.abs(array).max() else 0 * centred)


def swap_test(
    a: Floats, b: Floats, y: Floats, clusters: Codes, settings: Resampling, *, ranks: bool = True
) -> float:
    """Two-sided p of the paired permutation test on ``corr(a, y) - corr(b, y)``.

    A and B are first brought to one scale: standardised ranks (or, for Pearson, standardised
    values). Each permutation then swaps the two columns in every context with probability 1/2,
    all items of a context together, and correlates both mixed columns with y anew. They are not
    ranked again; their means and variances follow the swap, because a correlation divides by them
    and treating them as constant would make the test timid for good metrics. All sums are sums
    over contexts, so a permutation costs one row of a matrix product. Of a constant column nothing
    can be shown: 1.
    """
    a, b, y = (standardised(side, ranks=ranks) for side in (a, b, y))
    if not (a.any() and b.any() and y.any()):
        return 1.0
    size = cluster_count(clusters)
    parts = np.stack([a * y, a, a**2, b * y, b, b**2])
    sums = np.stack([np.bincount(clusters, weights=part, minlength=size) for part in parts])
    kept, swapped = sums, np.concatenate([sums[3:], sums[:3]])

    def difference(signs: Floats) -> Floats:  # (contexts, permutations) of 0 and 1
        mixed = kept.sum(axis=1)[:, None] + (swapped - kept) @ signs
        return _mixed_correlation(mixed[:3], len(a)) - _mixed_correlation(mixed[3:], len(a))

    return _two_sided(difference, size, settings)


def sign_test(differences: Floats, clusters: Codes, settings: Resampling) -> float:
    """Two-sided p of the paired permutation test on a mean difference, swapping whole contexts."""
    size = int(clusters.max(initial=-1)) + 1
    sums = np.bincount(clusters, weights=differences, minlength=size)
    return _two_sided(lambda signs: sums.sum() - 2 * (sums @ signs), size, settings)


def label_test(a: Floats, b: Floats, clusters: tuple[Codes, Codes], settings: Resampling) -> float:
    """Two-sided p of the unpaired permutation test on a difference of means.

    Contexts, not items, are dealt anew to the two sides, each side keeping its number of contexts.
    """
    sides = list(zip((a, b), clusters, strict=True))
    sums = np.concatenate([np.bincount(codes, weights=side) for side, codes in sides])
    sizes = np.concatenate([np.bincount(codes) for _, codes in sides]).astype(np.float64)
    first = cluster_count(clusters[0])
    rng = np.random.default_rng(settings.seed)

    def difference(chosen: Codes) -> float:
        total, count = sums[chosen].sum(), sizes[chosen].sum()
        return float(total / count - (sums.sum() - total) / (sizes.sum() - count))

    observed = abs(difference(np.arange(first)))
    extreme = sum(
        abs(difference(rng.permutation(len(sums))[:first])) >= observed * (1 - 1e-9)
        for _ in range(settings.resamples)
    )
    return (1 + extreme) / (1 + settings.resamples)


def williams(ay: float, by: float, ab: float, n: int) -> Williams:
    """Williams' t-test of two Pearson correlations with y, from those two and that of a and b.

    It assumes independent, roughly normal items: none may share a context.

    >>> test = williams(0.4, 0.5, 0.1, 103)  # Steiger (1980), case A
    >>> round(test.t, 2), test.df, round(test.p, 2)
    (-0.89, 100, 0.37)
    """
    from scipy.stats import t as student

    if n < 4 or np.isnan([ay, by, ab]).any():
        return Williams(float("nan"), max(n - 3, 0), float("nan"))
    determinant = 1 - ay**2 - by**2 - ab**2 + 2 * ay * by * ab
    middle = (ay + by) / 2
    spread = 2 * (n - 1) / (n - 3) * determinant + middle**2 * (1 - ab) ** 3
    if spread < 1e-12:  # one metric twice
        return Williams(0.0, n - 3, 1.0)
    t = (ay - by) * np.sqrt((n - 1) * (1 + ab) / spread)
    return Williams(float(t), n - 3, float(2 * student.sf(abs(t), n - 3)))


def holm(p: Sequence[float]) -> list[float]:
    """Holm's correction: p values for which 5 % holds over the whole family, in their order."""
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    steps = values[order] * np.arange(len(values), 0, -1)
    corrected = np.empty_like(values)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return [float(value) for value in corrected]


def _mixed_correlation(sums: Floats, n: int) -> Floats:
    """The correlation with a standardised y, from the sums of products, values and squares."""
    product, total, squares = sums / max(n, 1)
    variance = squares - total**2
    with np.errstate(all="ignore"):
        return np.asarray(np.where(variance > 1e-12, product / np.sqrt(variance), 0.0))


def _two_sided(difference: Callable[[Floats], Floats], size: int, settings: Resampling) -> float:
    """The share of random swaps at least as extreme as none, with the +1 correction."""
    rng = np.random.default_rng(settings.seed)
    observed = abs(float(difference(np.zeros((size, 1)))[0]))
    extreme = 0
    for some in chunks(settings.resamples, size, CHUNK_BYTES):
        swaps = rng.integers(2, size=(len(some), size)).T.astype(np.float64)
        # A swap that gives the observed value must not be lost to rounding.
        extreme += int((np.abs(difference(swaps)) >= observed * (1 - 1e-9) - 1e-12).sum())
    return (1 + extreme) / (1 + settings.resamples)
