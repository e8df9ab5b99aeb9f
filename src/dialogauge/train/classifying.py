"""A small classifier and how well it ranks: ridge logistic regression, folds that keep groups."""

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import rankdata

Floats = NDArray[np.float64]

FOLDS = 5
_RIDGE = 10.0  # penalty on standardised features
_RESAMPLES = 1000


def out_of_fold(features: Floats, labels: Floats, groups: Sequence[Hashable]) -> Floats:
    """The score of each row by a classifier that has not seen its group."""
    numbers = {group: at for at, group in enumerate(dict.fromkeys(groups))}
    order = np.random.default_rng(0).permutation(len(numbers))
    folds = np.array([order[numbers[group]] % FOLDS for group in groups])
    scores = np.zeros(len(labels))
    for fold in range(FOLDS):
        held = folds == fold
        centre, spread = features[~held].mean(0), features[~held].std(0) + 1e-9
        weights = _fitted((features[~held] - centre) / spread, labels[~held])
        scores[held] = (features[held] - centre) / spread @ weights[1:] + weights[0]
    return scores


def _fitted(features: Floats, labels: Floats) -> Floats:
    """Intercept and weights of a logistic regression with a ridge."""
    rows = np.hstack([np.ones((len(features), 1)), features])
    penalty = np.full(rows.shape[1], _RIDGE)
    penalty[0] = 0.0
    signs = 2 * labels - 1

    def loss(weights: Floats) -> tuple[float, Floats]:
        margins = signs * (rows @ weights)
        value = np.logaddexp(0, -margins).sum() + (penalty * weights**2).sum() / 2
        slope = -(signs * expit(-margins)) @ rows + penalty * weights
        return float(value), slope

    found: Floats = minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B").x
    return found


def ranked(lower: Floats, higher: Floats, groups: Sequence[Hashable]) -> tuple[float, float, float]:
    """The area under the curve with its 95 % interval; both sides are resampled by group."""
    members: dict[Hashable, list[int]] = {}
    for at, group in enumerate(groups):
        members.setdefault(group, []).append(at)
    own = [np.array(places) for places in members.values()]
    rng = np.random.default_rng(0)
    drawn = []
    for _ in range(_RESAMPLES):
        chosen = np.concatenate([own[at] for at in rng.integers(len(own), size=len(own))])
        drawn.append(area(lower[chosen], higher[chosen]))
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(low), area(lower, higher), float(high)


def area(lower: Floats, higher: Floats) -> float:
    """How often one of the higher scores above one of the lower; ties count half.

    >>> area(np.array([1.0, 2.0]), np.array([2.0, 3.0]))
    0.875
    """
    ranks = rankdata(np.concatenate([lower, higher]))[len(lower) :]
    return float((ranks.sum() - len(higher) * (len(higher) + 1) / 2) / len(lower) / len(higher))


def macro_f1(shares: Floats) -> float:
    """The mean of F1 over the classes that occur, of shares (is, called).

    >>> macro_f1(np.array([[1.0, 1.0], [0.0, 2.0]]))
    0.7333333333333334
    """
    real, called = shares.sum(1), shares.sum(0)
    occurring = np.flatnonzero(real)
    return float(np.mean([2 * shares[at, at] / (real[at] + called[at]) for at in occurring]))
