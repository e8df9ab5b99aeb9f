"""The arithmetic of int8 weights: what training's quantiser and an import on any machine share.

Only operations that IEEE 754 rounds in one way, on rows in one order: the same bits everywhere.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

#: GELU's minimum is -0.16997: what follows one is shifted up by this and uses all 256 steps.
GELU_SHIFT = 0.1701
#: How much of an outlier moves from the activations to the weights, chosen by cosine to fp32.
_SMOOTHING = 0.5


def int8(matrix: Floats, axis: int) -> tuple[NDArray[np.int8], Floats]:
    """The matrix as int8 and the scale of each column (axis 0) or row (axis 1).

    >>> whole, scale = int8(np.array([[1.0, 0.0], [-0.5, 0.0]], np.float32), axis=0)
    >>> whole.tolist(), scale.shape
    ([[127, 0], [-64, 0]], (1, 2))
    """
    scale = np.abs(matrix).max(axis=axis, keepdims=True) / 127
    scale = np.where(scale == 0, 1, scale).astype(np.float32)
    return np.clip(np.round(matrix / scale), -127, 127).astype(np.int8), scale


def int8_columns(matrix: Floats, smooth: Floats) -> tuple[NDArray[np.int8], Floats]:
    """The weights of a product whose inputs are divided by ``smooth``."""
    return int8(matrix * smooth[:, None], axis=0)


def inverse(smooth: Floats) -> Floats:
    """What inputs are multiplied with, so that they are divided."""
    return (1 / smooth).astype(np.float32)


def smoothing(largest: Floats, matrices: Sequence[Floats], shift: float) -> Floats:
    """By what to divide each channel of an input, given its largest value and its products."""
    weights = np.maximum.reduce([np.abs(matrix).max(axis=1) for matrix in matrices])
    inputs = np.maximum(largest + shift, 1e-5)
    smooth = inputs**_SMOOTHING / np.maximum(weights, 1e-5) ** (1 - _SMOOTHING)
    return np.asarray(smooth / np.exp(np.log(smooth).mean()), dtype=np.float32)


def excess(whole: NDArray[np.int8], scale: Floats, smooth: Floats) -> Floats:
    """What the shift of a product's inputs adds to each column of it."""
    total = GELU_SHIFT * (whole * scale / smooth[:, None]).sum(axis=0)
    return np.asarray(total, dtype=np.float32)
