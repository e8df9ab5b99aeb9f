"""The model: ridge regression on numbers and on components of mean vectors."""

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from ....metrics.gauge import Head
from ...recipe import AtLeastOne, Count, Positive, Share
from .rows import NUMBERS, Bools, Floats, Rows, normal

#: What was rated reaches from the lowest to the highest number, but for so many on each side.
_EDGE = 0.005


class Fitting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a head is fitted."""

    numbers: tuple[str, ...] = NUMBERS
    components: Count = 40  # of the vectors of each side
    sides: tuple[int, ...] = (0, 1)  # whose vectors are read: the judged side's, its partners'
    penalty: Positive = 0.1  # of numbers, for each conversation
    vector_penalty: Positive = 1.5  # of components
    random: Share = 0.2  # how much a conversation with the system that answers at random counts
    folds: AtLeastOne = 5


def fit(rows: Rows, how: Fitting, weights: Floats) -> Head:
    """A head that knows nothing of its errors yet; ``weights`` are those of conversations."""
    share = weights / weights.sum()
    numbers = _numbers(rows, how.numbers)
    centre = share @ np.nan_to_num(numbers) / (share @ ~np.isnan(numbers))
    numbers = np.where(np.isnan(numbers), centre, numbers)
    scale = np.sqrt(share @ (numbers - centre) ** 2) + 1e-9
    lowest, highest = np.quantile(numbers, [_EDGE, 1 - _EDGE], axis=0)
    columns = [(numbers.clip(lowest, highest) - centre) / scale]
    penalties = [np.full(len(how.numbers), how.penalty)]
    middle = np.einsum("n,nsw->sw", share, rows.vectors)
    axes = {at: _axes(rows.vectors[:, at] - middle[at], how, share) for at in how.sides}
    for at, some in axes.items():
        columns.append((rows.vectors[:, at] - middle[at]) @ some)
        penalties.append(np.full(some.shape[1], how.vector_penalty))
    design, target = np.hstack(columns), normal(rows.ratings, weights)
    bias = share @ target
    square = (design * share[:, None]).T @ design + np.diag(np.concatenate(penalties))
    solved = np.linalg.solve(square, (design * share[:, None]).T @ (target - bias))
    plain, *parts = np.split(solved, np.cumsum([each.shape[1] for each in columns])[:-1])
    vectors = np.zeros((*middle.shape, len(bias)))
    for (at, some), own in zip(axes.items(), parts, strict=True):
        vectors[at] = some @ own
    offset = numbers - centre
    covariance = (offset * share[:, None]).T @ offset + np.diag(how.penalty * scale**2)
    return Head(
        how.numbers,
        plain / scale[:, None],
        centre,
        lowest,
        highest,
        vectors,
        middle,
        bias,
        np.zeros(len(bias)),
        np.zeros(2),
        np.linalg.inv(covariance) / len(rows.dialogues),
    )


def _numbers(rows: Rows, names: Sequence[str]) -> Floats:
    return rows.numbers[:, [NUMBERS.index(name) for name in names]]


def _axes(vectors: Floats, how: Fitting, share: Floats) -> Floats:
    """The first principal axes, (width, components), each of deviation 1."""
    axes = np.linalg.svd(vectors, full_matrices=False)[2][: how.components].T
    scaled: Floats = axes / (np.sqrt(share @ (vectors @ axes) ** 2) + 1e-9)
    return scaled


def predict(head: Head, rows: Rows) -> Floats:
    """What a head says of each conversation, (rows, outputs), as the metric does."""
    numbers = _numbers(rows, head.numbers)
    numbers = np.where(np.isnan(numbers), head.centre, numbers.clip(head.lowest, head.highest))
    said: Floats = head.bias + (numbers - head.centre) @ head.weights
    said += np.einsum("nsw,swo->no", rows.vectors - head.middle, head.vectors)
    return said


def wide(head: Head, rows: Rows) -> Floats:
    """How many times wider than usual each interval is, as the metric says it."""
    offset = _numbers(rows, head.numbers) - head.centre
    lost = np.isnan(offset)
    offset = np.where(lost, 0.0, offset)
    unusual = np.einsum("nf,fg,ng->n", offset, head.precision, offset) + lost.sum(axis=1)
    return np.asarray(np.sqrt(1 + unusual))


def folds(count: int, parts: int, seed: int) -> Iterator[Bools]:
    """Which rows are held out, part by part."""
    part = np.random.default_rng(seed).permutation(count) % parts
    for at in range(parts):
        yield part == at


def weigh(rows: Rows, random: Sequence[str], how: Fitting) -> Floats:
    """How much each conversation counts; ``random`` are systems that answer at random."""
    return np.where(np.isin(rows.systems, list(random)), how.random, 1.0)


def crossed(rows: Rows, how: Fitting, weights: Floats, seed: int) -> tuple[Floats, Floats]:
    """What others' fits say of each conversation, and how wide their intervals are."""
    said, widths = np.zeros(rows.ratings.shape), np.zeros(len(rows.dialogues))
    for held in folds(len(said), how.folds, seed):
        head = fit(rows.some(~held), how, weights[~held])
        said[held] = predict(head, rows.some(held))
        widths[held] = wide(head, rows.some(held))
    return said, widths


def finished(rows: Rows, how: Fitting, weights: Floats, seed: int, level: float = 0.9) -> Head:
    """A head that knows its errors, from conversations that it was not fitted to.

    The interval is that of split conformal prediction, each error measured in units of how unusual
    its conversation is.
    """
    said, widths = crossed(rows, how, weights, seed)
    wrong = normal(rows.ratings, weights) - said
    spread = np.sqrt((weights / weights.sum()) @ wrong**2)
    usual = weights == weights.max()
    errors = wrong[usual, 0] / widths[usual]
    outside = (1 - level) / 2
    rank = np.ceil((len(errors) + 1) * (1 - outside)) / len(errors)
    ends = np.quantile(errors, [1 - min(1.0, rank), min(1.0, rank)])
    return fit(rows, how, weights)._replace(spread=spread, errors=ends)
