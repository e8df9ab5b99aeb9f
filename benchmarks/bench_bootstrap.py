"""10,000 cluster-bootstrap resamples of Spearman on DSTC9, against a loop over scipy's bootstrap.

Data: 2,200 dialogues, 11 rated aspects, the number of turns as the metric; found as the corpora
are (``DIALOGAUGE_DATA``). scipy is measured on fewer resamples and scaled linearly; its fixed cost
of some microseconds is scaled along.
"""

import time

import numpy as np
from scipy import stats

from dialogauge import corpora
from dialogauge.meta.bootstrap import codes, resample
from dialogauge.meta.correlation import CORRELATIONS
from dialogauge.meta.weighted import Codes, Floats

from .timing import Bench

RESAMPLES = 10_000
SCIPY_RESAMPLES = 200


def main() -> None:
    dialogues = corpora.load("dstc9")
    aspects = sorted({aspect for one in dialogues for aspect in one.ratings})
    turns = np.array([len(one.turns) for one in dialogues], dtype=np.float64)
    columns = [filled(np.array([one.rating(aspect) for one in dialogues])) for aspect in aspects]
    clusters = codes(one.context_key for one in dialogues)
    what = f"{RESAMPLES:,} cluster resamples of {{}} on DSTC9 ({len(turns):,} x {len(aspects)})"
    peer = f"a loop over scipy's bootstrap (scaled from {SCIPY_RESAMPLES} resamples)"
    for name in ("spearman", "pearson"):
        ours = min(_ours(name, turns, columns, clusters) for _ in range(3))
        theirs = _scipy(name, turns, columns) * RESAMPLES / SCIPY_RESAMPLES
        Bench(what.format(name), ours, peer, theirs, target=20).show()


def filled(column: Floats) -> Floats:
    """Two or three ratings are missing; all dialogues are wanted, and only the time matters."""
    return np.asarray(np.where(np.isnan(column), np.nanmean(column), column))


def _ours(name: str, x: Floats, columns: list[Floats], clusters: Codes) -> float:
    start = time.perf_counter()
    draws = resample(CORRELATIONS[name].weighted(x, columns), clusters, RESAMPLES, seed=0)
    np.quantile(draws, [0.025, 0.975], axis=1)
    return time.perf_counter() - start


def _scipy(name: str, x: Floats, columns: list[Floats]) -> float:
    measure = {"spearman": stats.spearmanr, "pearson": stats.pearsonr}[name]
    start = time.perf_counter()
    for y in columns:
        stats.bootstrap(
            (x, y),
            lambda a, b: measure(a, b).statistic,
            n_resamples=SCIPY_RESAMPLES,
            method="percentile",
            paired=True,
            vectorized=False,
            rng=0,
        )
    return time.perf_counter() - start
