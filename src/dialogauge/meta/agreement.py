"""How well people agree with each other: what a metric can hope for.

Ratings are a matrix of items x raters, NaN where a rater gave none. *Human level*: how well does
one rater predict the mean of the others? *Human ceiling*: how well would a metric that knows the
truth predict the observed mean, which is the truth plus the raters' noise? *Krippendorff's alpha*:
how far are raters from agreeing by chance?

Published columns are often seats, not people. With ``raters="anonymous"`` nothing here depends on
which rating stands in which seat; with ``"people"`` a column is one person throughout.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from ..errors import UnknownNameError
from .bootstrap import intervals
from .estimate import Estimate, Raters, Resampling
from .weighted import Codes, Factory, Floats, Statistic, average, pearson, select

ONLY_MEANS = "Only mean ratings were published: how well people agree is not known."


class Human(msgspec.Struct, frozen=True):
    """Agreement among raters."""

    level: Estimate
    ceiling: Estimate
    alpha: Estimate  # Krippendorff's, ordinal; without an interval
    raters: float  # per item, on average


def human(factory: Factory, ratings: Floats, clusters: Codes, settings: Resampling) -> Human | str:
    """Level, ceiling and alpha of a matrix of ratings; a sentence where only means are known."""
    given = (~np.isnan(ratings)).sum(axis=1)
    several = int((given > 1).sum())
    if not several:
        return ONLY_MEANS
    statistics = {
        "level": (human_level(factory, ratings, settings.raters), several),
        "ceiling": (ceiling(ratings, settings.raters), several),
    }
    both = intervals(statistics, clusters, settings)
    alpha = Estimate(krippendorff(ratings, "ordinal"), n=several)
    return Human(**both, alpha=alpha, raters=float(given.mean()))


def matrix(ratings: Sequence[Sequence[float]]) -> Floats:
    """Items x raters from one tuple of numbers per item, padded with NaN.

    >>> matrix([(1, 2), (3,)])
    array([[ 1.,  2.],
           [ 3., nan]])
    """
    result = np.full((len(ratings), max(map(len, ratings), default=0)), np.nan)
    for row, given in zip(result, ratings, strict=True):
        row[: len(given)] = given
    return result


def human_level(factory: Factory, ratings: Floats, raters: Raters) -> Statistic:
    """One rater against the mean of the rest.

    ``people``: the mean over raters of each one's correlation with the rest. ``anonymous``: every
    rating of every item, set against the mean of that item's others, in one correlation.
    """
    given = ~np.isnan(ratings)
    others = given.sum(axis=1)[:, None] - 1
    with np.errstate(all="ignore"):
        rest = (np.nansum(ratings, axis=1)[:, None] - ratings) / others
    if raters == "anonymous":
        items, seats = np.nonzero(given & (others > 0))
        return select(items, factory(ratings[items, seats], [rest[items, seats]]))
    return _mean_over(zip(ratings.T, rest.T, strict=True), factory)


def _mean_over(pairs: Iterable[tuple[Floats, Floats]], factory: Factory) -> Statistic:
    """The mean correlation over pairs of columns, each on the items that have both."""
    parts = []
    for one, other in pairs:
        both: Codes = np.flatnonzero(~np.isnan(one + other))
        if len(both) > 2:
            parts.append(select(both, factory(one[both], [other[both]])))
    return average(parts)


def ceiling(ratings: Floats, raters: Raters) -> Statistic:
    """The square root of the reliability of the mean rating.

    That of one rating is stepped up to that of the mean of k by Spearman-Brown,
    ``k r / (1 + (k - 1) r)``, with the harmonic mean of the k. ``r`` is the one-way intraclass
    correlation when raters are anonymous (a rater's severity is then noise), and the mean
    correlation over pairs of raters when they are people. Less agreement than by chance: 0.
    """
    given = (~np.isnan(ratings)).sum(axis=1).astype(np.float64)
    inverse = np.divide(1.0, given, out=np.zeros_like(given), where=given > 0)
    seats = ratings.T
    pairs = ((seats[at], seats[before]) for at in range(len(seats)) for before in range(at))
    single = intraclass(ratings) if raters == "anonymous" else _mean_over(pairs, pearson)

    def statistic(weights: Floats) -> Floats:
        with np.errstate(all="ignore"):
            noise = (inverse @ weights) / ((given > 0) @ weights)  # 1 / harmonic mean of k
            one = np.maximum(single(weights), 0)
            return np.asarray(np.sqrt(one / (one + (1 - one) * noise)))

    return statistic


def intraclass(ratings: Floats) -> Statistic:
    """The one-way intraclass correlation ICC(1), for any number of ratings per item."""
    there = ~np.isnan(ratings)
    given = there.sum(axis=1).astype(np.float64)
    filled = np.where(there, ratings - (ratings[there].mean() if there.any() else 0), 0)
    total = filled.sum(axis=1)
    between = np.divide(total**2, given, out=np.zeros_like(given), where=given > 0)
    terms = np.stack([given > 0, given, given**2, total, between, (filled**2).sum(axis=1)])

    def statistic(weights: Floats) -> Floats:
        items, count, squares, sums, explained, everything = terms @ weights
        with np.errstate(all="ignore"):
            variance_between = (explained - sums**2 / count) / (items - 1)
            variance_within = (everything - explained) / (count - items)
            size = (count - squares / count) / (items - 1)
            spread = variance_between + (size - 1) * variance_within
            value = (variance_between - variance_within) / spread
            usable = (count > items) & (items > 1) & (spread > 1e-12 * everything)
            return np.asarray(np.where(usable, value, np.nan)[None])

    return statistic


def _ratio(one: Floats, other: Floats) -> Floats:
    total = np.abs(one + other)
    return np.divide(one - other, total, out=np.zeros_like(total), where=total > 0) ** 2


#: Level of measurement -> how far apart two ratings are: categories, ranks (how many ratings lie
#: between), numbers, and amounts with a true zero (relative to the sum).
DISAGREEMENTS: Mapping[str, Callable[[Floats, Floats], Floats]] = {
    "nominal": lambda one, other: (one != other).astype(np.float64),
    "ordinal": lambda one, other: (one - other) ** 2,
    "interval": lambda one, other: (one - other) ** 2,
    "ratio": _ratio,
}


def krippendorff(ratings: ArrayLike, level: str = "ordinal") -> float:
    """Krippendorff's alpha: 1 minus observed over expected disagreement; NaN where undefined.

    ``ratings`` is items x raters with NaN for missing; items with one rating take no part.

    >>> two = np.array([[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]]).T
    >>> round(krippendorff(two, "nominal"), 3)  # Krippendorff (2011), example A
    0.095
    """
    if level not in DISAGREEMENTS:
        raise UnknownNameError("level of measurement", level, DISAGREEMENTS)
    table = np.asarray(ratings, dtype=np.float64)
    table = table[(~np.isnan(table)).sum(axis=1) > 1]
    there = ~np.isnan(table)
    values, codes = np.unique(table[there], return_inverse=True)
    counts = np.zeros((len(table), len(values)))  # how often each value was given to each item
    np.add.at(counts, (np.nonzero(there)[0], codes), 1)
    size = counts.sum(axis=1, keepdims=True)
    # Pairs of ratings within an item, each item weighing as many ratings as it has. A rating is
    # also paired with itself here, which costs nothing: it does not disagree with itself.
    pairs = (counts / (size - 1)).T @ counts
    margin = counts.sum(axis=0)
    if level == "ordinal":  # half of a value's own ratings lie below it
        values = np.cumsum(margin) - margin / 2
    apart = DISAGREEMENTS[level](values[:, None], values[None, :])
    expected = (np.outer(margin, margin) * apart).sum() / max(margin.sum() - 1, 1)
    return float(1 - (pairs * apart).sum() / expected) if expected > 0 else float("nan")
