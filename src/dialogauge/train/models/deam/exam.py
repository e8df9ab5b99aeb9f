"""The exam: held conversations and their damaged forms, what is told of them, and where."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ...classifying import macro_f1
from ...loop import on_device
from .batch import Form, Source, inputs
from .damage import CAUSES, is_written
from .rows import Group, Worse, spread

#: Held turns that may be called broken although nobody damaged them.
_WRONGLY = 0.05

Floats = NDArray[np.float64]


class Answer(NamedTuple):
    """What the network says of one damaged form."""

    worse: Worse
    told: bool  # it scores below the undamaged one
    hit: bool  # its worst turn is a broken one
    cause: int  # of its worst turn
    tokens: float  # F1 of the changed tokens, NaN where none are known


class Exam(msgspec.Struct, frozen=True):
    """All answers, and the logits of turns that people said and nobody damaged."""

    answers: tuple[Answer, ...]
    whole: Floats

    @property
    def named(self) -> float:
        """The logit from which on a turn may be called broken."""
        return float(np.quantile(self.whole, 1 - _WRONGLY)) if len(self.whole) else 0.0

    def measures(self) -> dict[str, float]:
        """Means over manipulations, the one to select by first; then each."""
        told, hit, tokens = (self._by_name(of) for of in ("told", "hit", "tokens"))
        measures = {
            "score": (_mean(told.values()) + _mean(hit.values())) / 2,
            "told": _mean(told.values()),
            "hit": _mean(hit.values()),
            "cause F1": self.cause_f1(),
            "token F1": _mean(tokens.values()),
        }
        for name in told:
            measures |= {f"told {name}": told[name], f"hit {name}": hit[name]}
        return measures

    def cause_f1(self) -> float:
        """The mean over causes of F1, each manipulation weighed alike."""
        share = np.zeros((len(CAUSES), len(CAUSES)))  # (is, called)
        counts = defaultdict[str, int](int)
        for answer in self.answers:
            counts[answer.worse.name] += 1
        for answer in self.answers:
            share[answer.worse.cause, answer.cause] += 1 / counts[answer.worse.name]
        return macro_f1(share)

    def _by_name(self, of: str) -> Mapping[str, float]:
        values = defaultdict[str, list[float]](list)
        for answer in self.answers:
            values[answer.worse.name].append(float(getattr(answer, of)))
        return {name: float(np.nanmean(some)) for name, some in values.items() if _known(some)}


def _known(values: Sequence[float]) -> bool:
    return not np.isnan(values).all()


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return float(np.mean(numbers)) if numbers else 0.0


def examine(network: nn.Module, source: Source, asked: int) -> Exam:
    """The exam of so many groups, and as many written ones, with every damaged form of each."""
    network.eval()
    by_origin: tuple[list[Group], list[Group]] = [], []
    for group in source.rows.groups:
        by_origin[_is_written(group)].append(group)
    answers, undamaged = list[Answer](), list[Floats]()
    for group in (it for some in by_origin for it in spread(some, asked)):
        forms = [Form(group.turns, group.speakers, (), 0)]
        forms += [Form(each.turns, each.speakers, (each,), 0) for each in group.worse]
        with torch.no_grad():
            told, first = _answers(network, source, forms)
        answers += told
        if not _is_written(group):
            undamaged.append(first)
    return Exam(tuple(answers), np.concatenate([*undamaged, np.zeros(0)]))


def _is_written(group: Group) -> bool:
    return is_written(each.name for each in group.worse)


def _answers(
    network: nn.Module, source: Source, forms: Sequence[Form]
) -> tuple[list[Answer], Floats]:
    batch = on_device(inputs(source, forms), network)
    outputs = network(*batch.read)
    tokens, turns, causes = (each.float().cpu().numpy() for each in outputs)
    there = batch.broken.cpu().numpy() >= 0
    values = -np.logaddexp(0, turns).mean(1, where=there)  # as a conversation is scored
    worst = np.where(there, turns, -np.inf).argmax(1)
    changed = batch.changed.cpu().numpy()
    answers = [
        Answer(
            form.worse[0],
            bool(values[row] < values[0]),
            bool(form.worse[0].broken[worst[row]]),
            int(causes[row, worst[row]].argmax()),
            _f1(tokens[row] > 0, changed[row]),
        )
        for row, form in enumerate(forms)
        if form.worse
    ]
    return answers, turns[0][there[0]].astype(np.float64)


def _f1(guessed: NDArray[np.bool_], changed: NDArray[np.float32]) -> float:
    """F1 of the tokens that are known to be changed or not; NaN where none is changed."""
    known, real = changed >= 0, changed > 0
    if not real.any():
        return float("nan")
    both = float((guessed & real).sum())
    return 2 * both / float((guessed & known).sum() + real.sum())
