"""DCGEval (Li et al. 2024): answers judged by text and cognition graph, beside its rivals.

What nothing was taught, and scores that authors released, may be set against people anywhere;
numbers of trained metrics on test sets come from the log of final looks and from nowhere else. The
network without each of its parts does not ship: ``--retrain`` trains it so and keeps in
``dcgeval-family.json`` how it agrees with people on tuning sets, and which errors it tells.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from statistics import fmean

from ..meta import Estimate, Resampling
from ..meta.correlation import CORRELATIONS
from ..metrics import Metric, load
from ..report.markdown import table
from ..train.people import TUNING
from . import abilities, released
from .kept import family
from .looks import Final, Look, correlations, final, final_looks, gains, logged, look
from .page import UNKNOWN, Paper, Request, cells
from .relevance import last_turn_and_context

_TEST = {"convai2-grade": "coherence", "empathetic-grade": "coherence"}
#: Metrics that were taught nothing, most of which need a reference.
_PLAIN = (
    *("bleu", "rouge-l", "meteor", "bertscore"),
    *("embedding-average", "vector-extrema", "greedy-matching"),
)
_TRAINED = ("bert-ruber", "maude", "dynaeval", "relevance", "deam", "gauge", "dcgeval")
#: Authors whose scores are released -> what each set is called there.
_RELEASED = {"quantidce": ("convai2", "empathetic"), "grade": ("convai2", "empathetic")}
#: Corpora whose held dialogues are answered wrongly, and how many wrong answers of each kind.
_TALK, _WRONG = ("self-dialogue", "topical-chat", "personachat"), 300
#: Tuning sets that it was not fitted to.
_TUNING = {name: aspect for name, aspect in TUNING.items() if name != "dailydialog-grade"}
_QUICK = Resampling(resamples=200)


class DcgEvalPage:
    """Its tables: rivals on both test sets, its parts, and four kinds of errors."""

    def __init__(self, paper: Paper, request: Request) -> None:
        self._paper, self._request = paper, request
        self._floor = last_turn_and_context()

    @cached_property
    def _finals(self) -> tuple[Final, ...]:
        if self._request.final:
            every = [self._floor, *map(load, _TRAINED)]
            final("dcgeval", every, _TEST, self._request.docs, over={"dcgeval": self._floor.name})
        return logged(self._request.docs, "dcgeval")

    @cached_property
    def _looks(self) -> dict[tuple[str, str], Look]:
        """What was seen of each metric on each test set the last time."""
        plain = look([load(name) for name in _PLAIN], _TEST)
        seen = [*plain, *(each for one in self._finals for each in one.looks)]
        return {(each.metric, each.corpus): each for each in seen}

    @property
    def rivals(self) -> Mapping[str, str]:
        """Table 1: by metric, three coefficients and their mean on each set."""
        ours = {name for name, _ in self._looks}
        return {name: self._row(name) for name in (*_PLAIN, self._floor.name, *_TRAINED, *ours)} | {
            f"{name} released": _released(name) for name in _RELEASED
        }

    def _row(self, name: str) -> str:
        return cells(
            *(each for corpus in _TEST for each in _numbers(self._looks.get((name, corpus))))
        )

    @cached_property
    def _tuning(self) -> list[Look]:
        every = [self._floor, load("relevance"), load("dcgeval")]
        return look(every, _TUNING, over={"dcgeval": self._floor.name})

    @property
    def tuning(self) -> str:
        """People, where anyone may look."""
        return f"{correlations(self._tuning)}\n\n{gains(self._tuning)}"

    @cached_property
    def _wrong(self) -> dict[str, abilities.Pairs]:
        return abilities.cases(_TALK, _WRONG)

    @property
    def errors(self) -> str:
        """Table 3: how often each kind of wrong answer is told."""
        metrics = (self._floor, *(load(name) for name in ("relevance", "deam", "gauge", "dcgeval")))
        rows = [(each.name, *abilities.told(each, self._wrong).values()) for each in metrics]
        counts = (f"{len(pairs):,}" for pairs in self._wrong.values())
        return table(("metric", *abilities.ERRORS), [("*pairs*", *counts), *rows])

    @cached_property
    def _family(self) -> dict[str, dict[str, Estimate]]:
        """Which part was left out -> agreement with people, and errors told."""

        def measure(_: object, name: str, _seed: int, metric: Metric) -> dict[str, Estimate]:
            people = [each.spearman.value for each in look([metric], _TUNING, _QUICK)]
            errors = abilities.told(metric, self._wrong, _QUICK)
            return {"people": Estimate(fmean(people)), **errors}

        kind = dict[str, dict[str, Estimate]]
        return family("dcgeval", self._paper.family, self._request, kind, measure)

    @property
    def parts(self) -> Mapping[str, str]:
        """Table 2: the network without each part."""
        names = ("people", *abilities.ERRORS)
        numbers = {name: self._family.get(name, {}) for name in self._paper.family}
        return {
            name: cells(*(own.get(each, UNKNOWN) for each in names))
            for name, own in numbers.items()
        }

    @property
    def finals(self) -> str:
        """People, on the test sets, in every look."""
        looks = [each for one in self._finals for each in one.looks]
        return final_looks("dcgeval", self._finals) + (f"\n\n{gains(looks)}" if looks else "")

    @property
    def verdicts(self) -> str:
        """What was wanted beside what was measured, and why it was missed."""
        measured = {(corpus, metric): _mean(each) for (metric, corpus), each in self._looks.items()}
        told = abilities.told(load("dcgeval"), self._wrong)
        measured |= {("errors", error): share for error, share in told.items()}
        return self._paper.verdicts(measured)


def _numbers(seen: Look | None) -> Iterator[object]:
    """Three coefficients and their mean."""
    if seen is None:
        return iter((UNKNOWN,) * 4)
    return iter((seen.pearson, seen.spearman, seen.kendall, _mean(seen)))


def _mean(seen: Look) -> Estimate:
    return Estimate(fmean(each.value for each in (seen.pearson, seen.spearman, seen.kendall)))


def _released(name: str) -> str:
    """The same of scores that the authors released."""
    numbers = list[object]()
    for called in _RELEASED[name]:
        pairs = released.load(f"{name}:{called}")
        given = [each.value(pairs.metric, pairs.people) for each in CORRELATIONS.values()]
        numbers += [Estimate(each) for each in (*given, fmean(given))]
    return cells(*numbers)
