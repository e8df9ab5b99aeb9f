"""Scores that authors published with their metrics: the regression tests of our statistics.

Each is a pair of aligned arrays, what the metric said and what people said, from files exactly as
released; the correlations computed from them must be those that the papers print.
"""

from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..corpora.access import locate
from ..corpora.catalogue import released
from ..corpora.reading import number, place, text_lines
from ..errors import InputError

Numbers = NDArray[np.float64]


class Pairs(msgspec.Struct, frozen=True):
    """``metric[i]`` and ``people[i]`` are of the same item."""

    metric: Numbers
    people: Numbers


def load(name: str) -> Pairs:
    """What a metric's authors released: its scores and the people's, aligned."""
    source = released()[name]
    return read(locate(source.metric, name), locate(source.people, name))


def read(metric: tuple[Path, ...], people: tuple[Path, ...]) -> Pairs:
    """The aligned numbers of these files."""
    scores, labels = _numbers(metric), _numbers(people)
    if len(scores) != len(labels):
        problem = f"{len(scores)} scores, but {len(labels)} human ones"
        raise InputError(problem, file=str(metric[-1]), line=min(len(scores), len(labels)) + 1)
    return Pairs(metric=scores, people=labels)


def _numbers(paths: tuple[Path, ...]) -> Numbers:
    """The number that ends each line; DEAM's lines begin with the conversation."""
    values = []
    for path in paths:
        for line, text in text_lines(path):
            with place(path, line):
                values.append(number(text.rpartition("</UTT>")[2]))
    return np.array(values, dtype=np.float64)
