"""The model: ridge regressions on numbers and on each side's mean vector, added up.

They are fitted each by itself and not together. Together, the vectors learn what the numbers leave
of the ratings at hand, which holds for these people and bots; by itself each learns what goes
with good conversations, and errs in its own way, so that the sum holds for others
(``dialogauge reproduce gauge``, What was tried).
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Literal, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta

from ....metrics.evidence import NUMBERS
from ....metrics.gauge import Head
from ...recipe import Count, Positive, Share
from .rows import Bools, Floats, Rows, Sample, normal

#: Learns from conversations, each of a weight, what to say of others.
Model = Callable[[Sample, Floats], Callable[[Sample], Floats]]
#: What was rated reaches from the lowest to the highest number, but for so many on each side.
_EDGE = 0.005
#: What lies further out than this share of what was rated is not usual.
_USUAL = 0.99


class Fitting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a head is fitted."""

    numbers: tuple[str, ...] = tuple(NUMBERS)
    sides: tuple[Literal[0, 1], ...] = (
        0,
        1,
    )  # whose vectors are read: the judged side's, its partners'
    vectors: Share = 0.25  # how much each side's vectors count beside the numbers
    components: Count = 40  # of vectors, by which it is known what is usual
    penalty: Positive = 0.1  # of numbers, for each conversation
    vector_penalty: Positive = 3.0  # of vectors, in parts of their mean variance
    random: Share = 0.2  # how much a conversation with the system that answers at random counts
    folds: Annotated[int, Meta(ge=2)] = 5


def fit(rows: Rows, how: Fitting, weights: Floats) -> Head:
    """A head that knows nothing of its errors yet; ``weights`` are those of conversations."""
    share = weights / weights.sum()
    numbers = rows.named(how.numbers)
    centre = share @ np.nan_to_num(numbers) / (share @ ~np.isnan(numbers))
    numbers = np.where(np.isnan(numbers), centre, numbers)
    scale = np.sqrt(share @ (numbers - centre) ** 2) + 1e-9
    lowest, highest = np.quantile(numbers, [_EDGE, 1 - _EDGE], axis=0)
    middle = np.einsum("n,nsw->sw", share, rows.vectors)
    away, target = rows.vectors - middle, normal(rows.ratings, weights)
    bias = share @ target
    wanted = target - bias
    plain = _ridge((numbers.clip(lowest, highest) - centre) / scale, wanted, share, how.penalty)
    parts = [(plain, (numbers.clip(lowest, highest) - centre) / scale, 1.0)]
    for at in how.sides:
        penalty = how.vector_penalty * (share @ away[:, at] ** 2).mean()
        own = _ridge(away[:, at], wanted, share, penalty)
        parts.append((own, away[:, at], how.vectors))
    added = [_scaled(*part, share) for part in parts]
    index = sum(design @ own for own, (_, design, _) in zip(added, parts, strict=True))
    slope = share @ (index * wanted) / (share @ index**2 + 1e-9)
    plain, *others = (own * slope for own in added)
    vectors = np.zeros((*middle.shape, len(bias)))
    every = np.zeros((*middle.shape, how.components))
    for at, own in zip(how.sides, others, strict=True):
        vectors[at], every[at] = own, _axes(away[:, at], how, share)
    offset = numbers - centre
    covariance = (offset * share[:, None]).T @ offset + np.diag(how.penalty * scale**2)
    head = Head(
        how.numbers,
        **{"weights": plain / scale[:, None], "centre": centre},
        **{"lowest": lowest, "highest": highest},
        **{"vectors": vectors, "middle": middle, "axes": every},
        precision=np.linalg.inv(covariance),
        usual=np.ones(1 + len(middle)),
        **{"bias": bias, "spread": np.zeros(len(bias)), "errors": np.zeros(2)},
    )
    usual = np.quantile(_far(head, rows), _USUAL, axis=0)
    return head._replace(usual=np.where(usual > 0, usual, 1.0))


def _ridge(design: Floats, wanted: Floats, share: Floats, penalty: float) -> Floats:
    """Weights, (columns, outputs)."""
    square = (design * share[:, None]).T @ design + penalty * np.eye(design.shape[1])
    return np.asarray(np.linalg.solve(square, (design * share[:, None]).T @ wanted))


def _scaled(own: Floats, design: Floats, counts: float, share: Floats) -> Floats:
    """Weights whose predictions have that deviation."""
    return np.asarray(own * counts / (np.sqrt(share @ (design @ own) ** 2) + 1e-9))


def _axes(vectors: Floats, how: Fitting, share: Floats) -> Floats:
    """The first principal axes, (width, components), each of deviation 1."""
    axes = np.linalg.svd(vectors, full_matrices=False)[2][: how.components].T
    scaled: Floats = axes / (np.sqrt(share @ (vectors @ axes) ** 2) + 1e-9)
    return scaled


def predict(head: Head, rows: Rows) -> Floats:
    """What a head says of each conversation, (rows, outputs), as the metric does."""
    numbers = rows.named(head.numbers)
    numbers = np.where(np.isnan(numbers), head.centre, numbers.clip(head.lowest, head.highest))
    said: Floats = head.bias + (numbers - head.centre) @ head.weights
    inside = 1 / np.maximum(1.0, _far(head, rows)[:, 1:])
    offset = (rows.vectors - head.middle) * inside[:, :, None]
    said += np.einsum("nsw,swo->no", offset, head.vectors)
    return said


def wide(head: Head, rows: Rows) -> Floats:
    """How many times wider than usual each interval is, as the metric says it."""
    lost = np.isnan(rows.named(head.numbers)).sum(axis=1)
    return np.asarray(np.maximum(1.0, _far(head, rows).max(axis=1)) + lost)


def _far(head: Head, rows: Rows) -> Floats:
    """How far out numbers and vectors of both sides lie, 1 at the edge of what is usual."""
    offset = np.nan_to_num(rows.named(head.numbers) - head.centre)
    numbers = np.einsum("nf,fg,ng->n", offset, head.precision, offset)
    parts = np.einsum("nsw,swc->nsc", rows.vectors - head.middle, head.axes)
    far: Floats = np.sqrt(np.hstack([numbers[:, None], (parts**2).sum(axis=2)])) / head.usual
    return far


def folds(rows: Rows, parts: int, seed: int) -> Iterator[Bools]:
    """Which rows are held out, part by part; those of one conversation are together."""
    _, place = np.unique([each.id for each in rows.dialogues], return_inverse=True)
    part = np.random.default_rng(seed).permutation(int(place.max()) + 1) % parts
    for at in range(parts):
        yield part[place] == at


def weigh(rows: Rows, random: Sequence[str], how: Fitting) -> Floats:
    """How much each conversation counts; ``random`` are systems that answer at random."""
    return np.where(np.isin(rows.systems, list(random)), how.random, 1.0)


class Said(NamedTuple):
    """What was said of rows by fits that did not know them, and how wide their intervals are."""

    outputs: Floats  # (rows, outputs)
    widths: Floats  # (rows,)


def crossed(rows: Rows, how: Fitting, weights: Floats, seed: int) -> Said:
    """What fits to the other parts say of each row."""
    said, widths = np.zeros(rows.ratings.shape), np.zeros(len(rows.dialogues))
    for held in folds(rows, how.folds, seed):
        head = fit(rows.some(~held), how, weights[~held])
        said[held] = predict(head, rows.some(held))
        widths[held] = wide(head, rows.some(held))
    return Said(said, widths)


def calibrated(
    head: Head, said: Said, real: Floats, weights: Floats, usual: Bools, level: float = 0.9
) -> Head:
    """A head that knows its errors, from what was said of conversations that were not known.

    Its interval is that of cross-conformal prediction, each error measured in units of the width
    that its conversation has; ``usual`` are the rows that it is to hold for.
    """
    wrong = real - said.outputs
    spread = np.sqrt((weights / weights.sum()) @ wrong**2)
    errors = wrong[usual, 0] / said.widths[usual]
    outside = (1 - level) / 2
    rank = min(1.0, np.ceil((len(errors) + 1) * (1 - outside)) / len(errors))
    return head._replace(spread=spread, errors=np.quantile(errors, [1 - rank, rank]))
