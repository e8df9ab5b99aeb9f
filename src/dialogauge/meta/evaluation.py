"""One metric against people: every number of a meta-evaluation in one value.

:func:`evaluate` reads scores and rated dialogues and asks four things of a correlation: how sure
is it, how well do people themselves agree, what else explains it, and what could these items have
shown at all. All intervals come from the same resamples of contexts.
"""

from collections.abc import Sequence

import msgspec
import numpy as np

from ..dialogue import Dialogue, Level
from ..scores import Scores
from .agreement import Human, human
from .bootstrap import intervals
from .confounds import Confounds, confounds
from .correlation import CORRELATIONS, coefficient, complete
from .estimate import Estimate, Resampling
from .items import column, rated
from .power import Power, power


class Evaluation(msgspec.Struct, frozen=True):
    """Everything that is known of how a metric agrees with people on one aspect."""

    metric: str
    aspect: str
    level: Level
    n: int
    contexts: int
    unrated: int  # dialogues that nobody rated on this aspect
    unscored: int  # rated dialogues for which the metric gave no number
    correlations: dict[str, Estimate]
    human: Human | str
    confounds: Confounds
    power: Power
    signatures: dict[str, str]
    settings: Resampling

    @property
    def headline(self) -> Estimate:
        """The correlation in the coefficient of the settings."""
        return self.correlations[self.settings.coefficient]

    @property
    def objections(self) -> tuple[str, ...]:
        """Why the correlation does not count as a result; empty when it does."""
        objections = []
        baseline = self.confounds.baseline
        if not self.headline.low > 0:
            objections.append("its interval is not above 0")
        if baseline is None:
            objections.append("there is no trivial baseline to compare it with")
        elif not (baseline.difference.value > 0 and baseline.p < 0.05):
            objections.append(f"it is not shown to be better than {baseline.name}")
        if not self.confounds.given_length.low > 0:
            objections.append("given length, its interval is not above 0")
        if not self.confounds.given_length_within.low > 0:
            objections.append("given length and within systems, its interval is not above 0")
        return tuple(objections)


def evaluate(
    scores: Scores,
    metric: str,
    dialogues: Sequence[Dialogue],
    aspect: str,
    *,
    baselines: Scores | None = None,
    settings: Resampling | None = None,
) -> Evaluation:
    """Set a metric's scores against people's mean ratings of one aspect.

    ``baselines`` are scores by trivial metrics, of which the best is printed beside the metric
    (the metric itself, should it be among them, is left out).
    """
    settings = settings or Resampling()
    every = rated(dialogues, aspect)
    x = column(scores, metric, every.dialogues)
    kept = np.flatnonzero(complete(x))
    x, items = x[kept], every.take(kept)
    baselines = baselines or Scores({}, ())
    passports = {name: it for name, it in baselines.signatures.items() if name != metric}
    trivial = {name: column(baselines, name, items.dialogues) for name in passports}
    chosen = coefficient(settings.coefficient)
    statistics = {
        name: (one.weighted(x, [items.ratings]), len(items)) for name, one in CORRELATIONS.items()
    }
    return Evaluation(
        metric=metric,
        aspect=aspect,
        level=items.level,
        n=len(items),
        contexts=len(np.unique(items.clusters)),
        unrated=len(dialogues) - len(every),
        unscored=len(every) - len(items),
        correlations=intervals(statistics, items.clusters, settings),
        human=human(chosen.weighted, items.matrix, items.clusters, settings),
        confounds=confounds(chosen, x, items, trivial, settings),
        power=power(chosen, x, items.ratings, items.clusters, settings),
        signatures={metric: scores.signatures[metric]} | passports,
        settings=settings,
    )
