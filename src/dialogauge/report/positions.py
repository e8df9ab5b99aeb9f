"""Where in a conversation an utterance stands, as a picture: linear discriminants of vectors."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .figures import COLOURS, drawing

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: How much of the mean variance is added to each direction, so that few points do not overfit.
_RIDGE = 0.1


def discriminants(vectors: Floats, groups: Ints, count: int = 2) -> Floats:
    """The ``count`` directions along which groups differ most for their width, (items, count).

    >>> rng = np.random.default_rng(0)
    >>> groups = np.repeat([0, 1, 2], 50)
    >>> points = rng.normal(size=(150, 5))
    >>> points[:, 3] += 4.0 * groups
    >>> first = discriminants(points, groups)[:, 0]
    >>> bool(abs(np.corrcoef(first, groups)[0, 1]) > 0.9)
    True
    """
    from scipy.linalg import eigh

    centred = vectors - vectors.mean(axis=0)
    within = np.zeros((vectors.shape[1],) * 2)
    between = np.zeros_like(within)
    for group in np.unique(groups):
        own = centred[groups == group]
        middle = own.mean(axis=0)
        within += (own - middle).T @ (own - middle)
        between += len(own) * np.outer(middle, middle)
    within += _RIDGE * np.trace(within) / len(within) * np.eye(len(within))
    _, directions = eigh(between, within)
    places: Floats = centred @ directions[:, ::-1][:, :count]
    return places


def draw(points: Floats, groups: Ints, path: Path) -> None:
    """A point for each utterance and a large one for each group's middle."""
    names = np.unique(groups)
    with drawing(path, (6.2, 4.4)) as figure:
        axes = figure.add_subplot()
        for group in names:
            own, colour = points[groups == group], COLOURS[int(group) % len(COLOURS)]
            axes.scatter(own[:, 0], own[:, 1], s=4, color=colour, alpha=0.25, linewidths=0)
            label = f"fifth {group + 1}" if len(names) == 5 else str(group)
            x, y = own.mean(axis=0)
            axes.scatter(x, y, s=90, color=colour, edgecolor="white", label=label, zorder=3)
        axes.set_xlabel("first discriminant")
        axes.set_ylabel("second")
        figure.legend(loc="outside right upper", frameon=False)
