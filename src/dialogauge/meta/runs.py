"""Two runs, no people: does a metric score one higher than the other?

A run is a table of scores: one bot before and after a change, or one system of a file (see
:func:`of_system`) beside another. The answer pairs what can be paired, because two answers to one
question differ by far less than two answers to two.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

import msgspec
import numpy as np

from ..errors import InputError, UnknownNameError
from ..scores import Row, Scores
from .bootstrap import bounded, codes, interval, intervals, resample
from .estimate import Estimate, Resampling
from .significance import label_test, sign_test
from .weighted import Floats, mean

_PairedBy = Literal["id", "context", "nothing"]
Rows = Sequence[Row]


class _Difference(msgspec.Struct, frozen=True):
    """The two means, the first less the second, and the two-sided p of the permutation test."""

    first: Estimate
    second: Estimate
    difference: Estimate
    p: float


class RunComparison(msgspec.Struct, frozen=True):
    """A metric's means on two runs, and how they were compared."""

    metric: str
    result: _Difference
    paired_by: _PairedBy
    unpaired: tuple[int, int]  # rows of each run that found no partner and took no part
    unscored: tuple[int, int]  # rows of each run without a number
    notes: tuple[str, ...]
    signatures: tuple[str, str]
    settings: Resampling


def of_system(scores: Scores, system: str) -> Scores:
    """The rows of one system."""
    systems = {row.system for row in scores.rows}
    if system not in systems:
        raise UnknownNameError("system", system, systems)
    return Scores(scores.signatures, tuple(row for row in scores.rows if row.system == system))


def compare_runs(
    first: Scores, second: Scores, metric: str, settings: Resampling | None = None
) -> RunComparison:
    """Compare a metric's means on two runs.

    Rows are paired by id or, where that pairs more, by context (several answers to one are
    averaged); the test swaps the two sides in whole contexts. When nothing pairs, contexts are
    dealt anew to the two runs instead; a note says so.
    """
    settings = settings or Resampling()
    runs = (_scored(first, metric, "first"), _scored(second, metric, "second"))
    paired_by, sides = _paired(*runs)
    notes = []
    if first.signatures[metric] != second.signatures[metric]:
        notes.append(f"the runs were scored by different versions of {metric}")
    if paired_by == "nothing":
        notes.append("no ids or contexts in common: compared as independent samples")
    test = _independent if paired_by == "nothing" else _dependent
    return RunComparison(
        metric=metric,
        result=test(*sides, metric, settings),
        paired_by=paired_by,
        unpaired=(len(runs[0]) - sum(map(len, sides[0])), len(runs[1]) - sum(map(len, sides[1]))),
        unscored=(len(first) - len(runs[0]), len(second) - len(runs[1])),
        notes=tuple(notes),
        signatures=(first.signatures[metric], second.signatures[metric]),
        settings=settings,
    )


def _scored(scores: Scores, metric: str, which: str) -> Rows:
    if metric not in scores.signatures:
        raise UnknownNameError("scored metric", metric, scores.signatures)
    rows = [row for row in scores.rows if np.isfinite(row.value(metric))]
    if not rows:
        raise InputError(f"the {which} run has no number for {metric}", remedy="score it again")
    return rows


def _paired(first: Rows, second: Rows) -> tuple[_PairedBy, tuple[list[Rows], list[Rows]]]:
    """What pairs the runs, and each side's rows pair by pair (row by row if nothing does)."""
    best: _PairedBy = "nothing"
    sides: tuple[list[Rows], list[Rows]] = ([], [])
    fields: tuple[_PairedBy, ...] = ("id", "context")
    for field in fields:
        one, other = _grouped(first, field), _grouped(second, field)
        shared = sorted(one.keys() & other.keys())
        if len(shared) > len(sides[0]):
            best, sides = field, ([one[it] for it in shared], [other[it] for it in shared])
    if best == "nothing":
        return best, ([[row] for row in first], [[row] for row in second])
    return best, sides


def _grouped(rows: Rows, field: str) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[getattr(row, field)].append(row)
    return groups


def _means(pairs: Sequence[Rows], metric: str) -> Floats:
    return np.array([np.mean([row.value(metric) for row in rows]) for rows in pairs])


def _dependent(
    first: list[Rows], second: list[Rows], metric: str, settings: Resampling
) -> _Difference:
    a, b = _means(first, metric), _means(second, metric)
    clusters = codes(rows[0].context for rows in first)
    statistics = {
        "first": (mean(a), len(a)),
        "second": (mean(b), len(b)),
        "difference": (mean(a - b), len(a)),
    }
    p = sign_test(a - b, clusters, settings)
    return _Difference(**intervals(statistics, clusters, settings), p=p)


def _independent(
    first: list[Rows], second: list[Rows], metric: str, settings: Resampling
) -> _Difference:
    sides = (_means(first, metric), _means(second, metric))
    clusters = tuple(codes(rows[0].context for rows in side) for side in (first, second))
    plain = msgspec.structs.replace(settings, method="percentile")
    seeds = (settings.seed, settings.seed + 1)  # two samples, hence two streams
    draws, estimates = [], []
    for side, contexts, seed in zip(sides, clusters, seeds, strict=True):
        draws.append(resample(mean(side), contexts, settings.resamples, seed)[0])
        estimates.append(interval(mean(side), contexts, settings))
    n = len(sides[0]) + len(sides[1])
    less = estimates[0].value - estimates[1].value
    gap = Estimate(less, n=n, note="one context cannot be resampled")
    if min(contexts.max() for contexts in clusters) > 0:
        gap = bounded(less, draws[0] - draws[1], np.empty(0), n, plain)
    p = label_test(*sides, (clusters[0], clusters[1]), settings)
    return _Difference(estimates[0], estimates[1], gap, p)
