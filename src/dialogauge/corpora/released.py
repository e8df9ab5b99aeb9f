"""Scores that authors published with their metrics: the regression tests of our statistics.

Each is a pair of aligned arrays, what the metric said and what people said, from files exactly as
released; the correlations computed from them must be those that the papers print.
"""

from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .reading import number, place, text_lines

Numbers = NDArray[np.float64]


class Source(msgspec.Struct, frozen=True):
    """Files with the metric's scores, and as many with the people's, line by line."""

    metric: tuple[str, ...]
    people: tuple[str, ...]
    about: str

    @property
    def files(self) -> tuple[str, ...]:
        """All of them."""
        return self.metric + self.people


class Released(msgspec.Struct, frozen=True):
    """``metric[i]`` and ``people[i]`` are of the same item."""

    metric: Numbers
    people: Numbers


def _deam(predictions: str, labels: str) -> Source:
    return Source(
        metric=(f"human/deam/{predictions}_orig_preds.txt",),
        people=(f"human/deam/{labels}.txt",),
        about="DEAM (Ghazarian et al. 2022): released predictions and averaged labels",
    )


def _grade(scores: str, dataset: str, *systems: str) -> Source:
    folders = [f"human/grade/{dataset}/{system}" for system in systems]
    return Source(
        metric=tuple(f"{folder}/{scores}" for folder in folders),
        people=tuple(f"{folder}/human_score.txt" for folder in folders),
        about="GRADE (Huang et al. 2020) and QuantiDCE (Ye et al. 2021): released score files",
    )


_CONVAI2 = ("convai2", "bert_ranker", "dialogGPT", "transformer_generator", "transformer_ranker")
_EMPATHETIC = ("empatheticdialogues", "transformer_generator", "transformer_ranker")
_DAILYDIALOG = ("dailydialog_EVAL", "transformer_generator", "transformer_ranker")

RELEASED: dict[str, Source] = {
    "deam:fed-coherence": _deam("fed_test_coherence", "fed_test_coherence"),
    "deam:fed-overall": _deam("fed_test_overall", "fed_test_overall"),
    "deam:dstc9-coherence": _deam("dstc9_test_coherence", "dstc9_test_coherence_averaged"),
    "deam:dstc9-overall": _deam("dstc9_test_overall", "dstc9_test_overall_averaged"),
    "grade:convai2": _grade("grade_score.txt", *_CONVAI2),
    "grade:empathetic": _grade("grade_score.txt", *_EMPATHETIC),
    "grade:dailydialog": _grade("grade_score.txt", *_DAILYDIALOG),
    "quantidce:convai2": _grade("mlr_score.txt", *_CONVAI2),
    "quantidce:empathetic": _grade("mlr_score.txt", *_EMPATHETIC),
    "quantidce:dailydialog": _grade("mlr_score.txt", *_DAILYDIALOG),
}


def read(metric: tuple[Path, ...], people: tuple[Path, ...]) -> Released:
    """The aligned numbers of these files."""
    scores, labels = _numbers(metric), _numbers(people)
    if len(scores) != len(labels):
        problem = f"{len(scores)} scores, but {len(labels)} human ones"
        raise InputError(problem, file=str(metric[-1]), line=min(len(scores), len(labels)) + 1)
    return Released(metric=scores, people=labels)


def _numbers(paths: tuple[Path, ...]) -> Numbers:
    """The number that ends each line; DEAM's lines begin with the conversation."""
    values = []
    for path in paths:
        for line, text in text_lines(path):
            with place(path, line):
                values.append(number(text.rpartition("</UTT>")[2]))
    return np.array(values, dtype=np.float64)
