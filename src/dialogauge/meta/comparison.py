"""Which metric agrees better with people: several metrics on the items that all of them scored."""

from collections.abc import Sequence
from itertools import combinations

import msgspec
import numpy as np

from ..dialogue import Dialogue
from ..errors import InputError
from ..scores import Scores
from .bootstrap import estimates
from .correlation import coefficient, complete, pearson
from .estimate import Estimate, Resampling
from .items import Items, column, rated
from .significance import Williams, holm, swap_test, williams
from .weighted import Floats


class Pair(msgspec.Struct, frozen=True, omit_defaults=True):
    """Two metrics on the same items; ``difference`` is the first's correlation less the second's.

    ``p`` is the paired permutation test that swaps whole contexts, ``p_corrected`` Holm's over
    all pairs of the table. ``williams`` is there for Pearson when no items share a context.
    """

    first: str
    second: str
    difference: Estimate
    p: float
    p_corrected: float
    williams: Williams | None = None


class Comparison(msgspec.Struct, frozen=True):
    """Several metrics against people's ratings of one aspect, best first."""

    aspect: str
    n: int
    contexts: int
    unscored: int  # rated dialogues that at least one of the metrics could not score
    correlations: dict[str, Estimate]
    pairs: tuple[Pair, ...]
    signatures: dict[str, str]
    settings: Resampling


def compare(
    entrants: Sequence[tuple[Scores, str]],
    dialogues: Sequence[Dialogue],
    aspect: str,
    settings: Resampling | None = None,
) -> Comparison:
    """Set metrics, each a column of some scores, against people and against each other."""
    settings = settings or Resampling()
    if len(entrants) < 2:
        raise InputError("a comparison needs two metrics")
    every = rated(dialogues, aspect)
    labels = _labels([metric for _, metric in entrants])
    table = {
        label: column(scores, metric, every.dialogues)
        for label, (scores, metric) in zip(labels, entrants, strict=True)
    }
    kept = np.flatnonzero(complete(*table.values()))
    items = every.take(kept)
    table = {label: values[kept] for label, values in table.items()}
    columns = coefficient(settings.coefficient).weighted(items.ratings, list(table.values()))
    values = estimates(columns, [len(items)] * len(table), items.clusters, settings)
    by_label = dict(zip(table, values, strict=True))
    order = sorted(labels, key=lambda label: (-np.nan_to_num(by_label[label].value, nan=-2), label))
    passports = [scores.signatures[metric] for scores, metric in entrants]
    return Comparison(
        aspect=aspect,
        n=len(items),
        contexts=len(np.unique(items.clusters)),
        unscored=len(every) - len(items),
        correlations={label: by_label[label] for label in order},
        pairs=_pairs({label: table[label] for label in order}, items, settings),
        signatures=dict(zip(labels, passports, strict=True)),
        settings=settings,
    )


def _pairs(table: dict[str, Floats], items: Items, settings: Resampling) -> tuple[Pair, ...]:
    """Every pair of columns, the better one first, with Holm's correction over all."""
    correlation, y, clusters = coefficient(settings.coefficient), items.ratings, items.clusters
    first, second = np.triu_indices(len(table), 1)
    columns = correlation.weighted(y, list(table.values()))

    def differences(weights: Floats) -> Floats:
        values = columns(weights)
        return values[first] - values[second]

    gaps = estimates(differences, [len(items)] * len(first), clusters, settings)
    couples = list(combinations(table, 2))
    p = [
        swap_test(table[a], table[b], y, clusters, settings, ranks=correlation.ranks)
        for a, b in couples
    ]
    alone = correlation.name == "pearson" and len(np.unique(clusters)) == len(clusters)
    return tuple(
        Pair(
            first=a,
            second=b,
            difference=gaps[place],
            p=p[place],
            p_corrected=corrected,
            williams=_williams(table[a], table[b], y) if alone else None,
        )
        for place, ((a, b), corrected) in enumerate(zip(couples, holm(p), strict=True))
    )


def _williams(a: Floats, b: Floats, y: Floats) -> Williams:
    return williams(pearson(a, y), pearson(b, y), pearson(a, b), len(y))


def _labels(names: Sequence[str]) -> list[str]:
    """The names, numbered where one occurs again.

    >>> _labels(["bleu", "gauge", "bleu"])
    ['bleu', 'gauge', 'bleu#2']
    """
    before = [names[:at].count(name) for at, name in enumerate(names)]
    return [f"{name}#{n + 1}" if n else name for name, n in zip(names, before, strict=True)]
