"""Fitting the bridge from a sentence encoder's vectors to those of the concepts (ridge)."""

from collections.abc import Sequence

import msgspec
import numpy as np

from ....encode import Encoder
from ....knowledge.space import Bridge, unit
from ....knowledge.vectors import Floats, Vectors

_SAMPLE = 12_000
_PENALTIES = (0.1, 0.3, 1.0, 3.0, 10.0)


class Fitted(msgspec.Struct, frozen=True):
    """How near mapped vectors come to the concepts' own, on concepts it was not fitted to."""

    concepts: int
    tested: int
    penalty: float
    cosine: float  # mean cosine of a mapped vector to its concept's own
    shuffled: float  # and to another concept's


def fit_bridge(vectors: Vectors, rng: np.random.Generator, encoder: str) -> tuple[Bridge, Fitted]:
    """A bridge fitted to a sample of the concepts; a tenth chooses the penalty, another tests."""
    loaded = Encoder.load(encoder)
    numbers = rng.permutation(len(vectors))[:_SAMPLE]
    inputs = unit(loaded.vectors([vectors.names[int(number)] for number in numbers]))
    numbers, inputs = numbers[~np.isnan(inputs[:, 0])], inputs[~np.isnan(inputs[:, 0])]
    targets = vectors.rows(numbers)
    fit, pick, test = np.split(np.arange(len(numbers)), _tenths(len(numbers)))
    maps = {penalty: _ridge(inputs[fit], targets[fit], penalty) for penalty in _PENALTIES}
    best = max(maps, key=lambda each: _cosine(inputs[pick], targets[pick], *maps[each]))
    weights, bias = maps[best]
    bridge = Bridge(weights, bias, encoder, loaded.hash)
    near = _cosine(inputs[test], targets[test], weights, bias)
    far = _cosine(inputs[test], np.roll(targets[test], 1, axis=0), weights, bias)
    return bridge, Fitted(len(numbers), len(test), best, near, far)


def _ridge(inputs: Floats, targets: Floats, penalty: float) -> tuple[Floats, Floats]:
    centre, middle = inputs.mean(axis=0), targets.mean(axis=0)
    moved = (inputs - centre).astype(np.float64)
    square = moved.T @ moved + penalty * np.identity(moved.shape[1])
    weights = np.linalg.solve(square, moved.T @ (targets - middle)).astype(np.float32)
    return weights, middle - centre @ weights


def _cosine(inputs: Floats, targets: Floats, weights: Floats, bias: Floats) -> float:
    mapped = unit(inputs @ weights + bias)
    return float(np.einsum("nd,nd->n", mapped, unit(targets)).mean())


def _tenths(count: int) -> Sequence[int]:
    return [count - 2 * (count // 10), count - count // 10]
