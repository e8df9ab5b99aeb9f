"""DynaEval (Zhang et al. 2021): telling damaged dialogues from whole ones, and what people say.

Models that do not ship (S-DiCoh, other seeds, one kind of damage only, other pooling) are trained
by ``--retrain``, which keeps their accuracy in ``dynaeval-family.json`` beside the page. A trained
metric's numbers on test sets come from the log of final looks and from nowhere else.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from math import isnan
from pathlib import Path
from statistics import mean, stdev

import msgspec

from .. import corpora
from ..meta import Estimate, Resampling
from ..metrics import Metric, is_trained, load
from ..metrics.functions import AGGREGATES, FunctionMetric, aggregate
from ..report.markdown import table
from ..train.people import TUNING
from .exams import DAMAGE, Accuracy, DamageExam, fitting, held
from .kept import family
from .looks import Final, Look, by_place, correlations, final, final_looks, logged, look, newest
from .page import UNKNOWN, Paper, Request, cells

#: Corpora that a model learnt from -> the metric that ships.
SHIPPED = {"dailydialog": "dynaeval-research", "permissive": "dynaeval"}
#: Set of dialogues -> the corpora that its models learnt from.
WHOLE, APART = "dailydialog", "dailydialog, de-duplicated"
PERMISSIVE = ("personachat", "topical-chat", "self-dialogue")
_SETS = {WHOLE: "dailydialog", APART: "dailydialog", **dict.fromkeys(PERMISSIVE, "permissive")}
HELD = 200  # dialogues of each permissive corpus, at most

#: Trained metrics that meet the test sets (the encoder of cosim is taught), and those of them that
#: score turn by turn.
_TRAINED = ("dynaeval", "dynaeval-so-far", "dynaeval-research", "maude", "relevance")
JUDGED = ("cosim", *_TRAINED)
_TURN_BY_TURN = ("cosim", "maude", "relevance")
_UNTRAINED = "words-per-turn"
#: Metrics of turns that are asked which turn is foreign.
_LOCATE = ("cosim", "relevance", "maude", "dynaeval-so-far", "dynaeval", "dynaeval-research")
#: The score of a turn was chosen by these, on the tuning sets.
_TUNED = ("dynaeval", "dynaeval-so-far")

_TEST = {name: corpora.info(name).aspects for name in ("fed-dialogue", "fed-turn")}
_PLACES = [(corpus, aspect) for corpus, aspects in _TEST.items() for aspect in aspects]
_TEST["dstc9"] = ("overall",)
_AGGREGATED = {"fed-dialogue": ("Overall", "Coherent")}
#: What the two looks of ``--final`` are called in the log.
_LOOK, _AGGREGATED_LOOK = "dynaeval", "dynaeval-aggregated"


class Trial(msgspec.Struct, frozen=True):
    """A trained model's accuracy, by set and kind of damage."""

    seed: int
    accuracy: Mapping[str, Mapping[str, float]]


class DynaevalPage:
    """DynaEval: accuracy on damaged dialogues, and people's ratings of dialogues and turns."""

    def __init__(self, paper: Paper, request: Request) -> None:
        self._paper, self._request = paper, request

    @cached_property
    def _exams(self) -> Mapping[str, Sequence[DamageExam]]:
        return {learnt: make() for learnt, make in EXAMS.items()}

    @cached_property
    def _measured(self) -> Mapping[str, Accuracy]:
        """Chance, cosines, and what ships for the corpora of each exam (it is "dynaeval")."""
        accuracy: dict[str, dict[str, Mapping[str, Estimate]]] = {}
        for learnt, exams in self._exams.items():
            metrics = {"random": "random", "cosim": "cosim", "dynaeval": SHIPPED[learnt]}
            for name, metric in metrics.items():
                for exam in exams:
                    accuracy.setdefault(name, {}).update(exam.accuracy(load(metric)))
        return accuracy

    @cached_property
    def _trials(self) -> Mapping[str, tuple[Trial, ...]]:
        """What was measured of each variant, seed by seed."""
        kind = dict[str, tuple[Trial, ...]]
        return family("dynaeval", self._paper.family, self._request, kind, self._trial)

    def _trial(
        self, trials: dict[str, tuple[Trial, ...]], name: str, seed: int, metric: Metric
    ) -> tuple[Trial, ...]:
        """What there is of a variant when one more model of it is measured."""
        quick = Resampling(resamples=100)  # the spread over seeds is shown, not these intervals
        accuracy = {
            part: {kind: each.value for kind, each in kinds.items()}
            for exam in self._exams[self._paper.family[name].exam]
            for part, kinds in exam.accuracy(metric, quick).items()
        }
        return (*trials.get(name, ())[: seed - 1], Trial(seed, accuracy))

    @cached_property
    def _finals(self) -> tuple[Final, ...]:
        if self._request.final:
            take_final_looks(self._request.docs)
        return logged(self._request.docs, _LOOK)

    @property
    def sizes(self) -> str:
        """How many dialogues and damaged dialogues the exams have."""
        sizes = (each for exam in chain(*self._exams.values()) for each in exam.sizes())
        return "\n".join(f"- {part}: {size}" for part, size in sizes)

    @cached_property
    def accuracy(self) -> dict[str, str]:
        """How often each metric tells a damaged dialogue: what ships, and the mean over seeds."""
        return {
            f"{part}/{name}": cells(
                *(_percent(self._accuracy(name, part, kind)) for kind in DAMAGE),
                *self._over_seeds(f"{name}-{learnt}", part),
            )
            for part, learnt in _SETS.items()
            for name in ("random", "cosim", "s-dicoh", "dynaeval")
        }

    @property
    def located(self) -> str:
        """How often the lowest turn is the foreign one."""
        metrics, rows = [load(name) for name in _LOCATE], []
        for exam in chain(*self._exams.values()):
            shares = [exam.located(metric) for metric in metrics]
            rows += [(part, *(_percent(each[part]) for each in shares)) for part in exam.parts]
        return table(("set", *_LOCATE), rows)

    @cached_property
    def variants(self) -> dict[str, str]:
        """The family on DailyDialog: how many models, and their accuracy."""
        return {
            name: cells(
                len(self._trials.get(name, ())),
                *(*self._over_seeds(name, WHOLE), *self._over_seeds(name, APART)),
            )
            for name in self._paper.family
        }

    @property
    def tuning(self) -> str:
        """People, where anyone may look."""
        return correlations(look([load(name) for name in _TUNED], TUNING))

    @cached_property
    def fed(self) -> dict[str, str]:
        """Every aspect of FED, by every metric."""
        looks = self._finals[-1].looks if self._finals else ()
        seen = by_place(looks)
        beside = {(each.corpus, each.aspect): each for each in looks}
        return {
            "/".join(place): cells(
                seen.get(("cosim", *place), UNKNOWN),
                beside[place].best_trivial if place in beside else UNKNOWN,
                *(seen.get((name, *place), UNKNOWN) for name in _TRAINED),
                beside[place].ceiling if place in beside else UNKNOWN,
            )
            for place in _PLACES
        }

    @property
    def overall(self) -> str:
        """The overall ratings, in every look."""

        def overall(look: Look) -> bool:
            return look.aspect.casefold() == "overall"

        return final_looks(_LOOK, self._finals, overall)

    @cached_property
    def aggregated(self) -> dict[str, str]:
        """Scores of turns made one number in every way."""
        seen = by_place(look(_every_way([load(_UNTRAINED)]), _AGGREGATED))
        seen |= newest(logged(self._request.docs, _AGGREGATED_LOOK))
        return {
            f"{aspect}/{name}": cells(
                *(seen.get((f"{name}-{how}", corpus, aspect), UNKNOWN) for how in AGGREGATES)
            )
            for corpus, aspects in _AGGREGATED.items()
            for aspect in aspects
            for name in (_UNTRAINED, *_TURN_BY_TURN)
        }

    @property
    def misses(self) -> str:
        """What was wanted beside what was measured, and, after a look, why it was missed."""
        rows, missed, seen = [], set(), newest(self._finals)
        for goal in self._paper.wanted:
            damage = goal.of in _SETS
            for metric in [SHIPPED[_SETS[goal.of]]] if damage else SHIPPED.values():
                place = (goal.of, goal.number)
                if damage:
                    ours = self._accuracy("dynaeval", *place)
                else:
                    ours = seen.get((metric, *place), UNKNOWN)
                verdict = goal.verdict(ours, percent=damage)
                numbers = (Estimate(goal.target), ours)
                shown = map(_percent, numbers) if damage else numbers
                rows.append((", ".join(place), metric, *shown, verdict))
                missed |= {goal.of} if verdict.startswith("missed") else set()
        behind = "; ".join(self._behind())
        missed |= {"baselines"} if behind else set()
        nothing = "nowhere" if self._measured and self._trials else "not known yet"
        note = f"Not above CoSim, or in the mean over seeds not above S-DiCoh: {behind or nothing}."
        why = self._paper.why(missed) if self._finals else ""
        return table(("", "metric", "wanted", "measured", ""), rows) + f"\n\n{note}{why}"

    def _behind(self) -> Iterator[str]:
        """Where DynaEval is not above both baselines."""
        for part, learnt in _SETS.items():
            for kind in DAMAGE:
                ours, cosim = (self._accuracy(name, part, kind) for name in ("dynaeval", "cosim"))
                if ours.value <= cosim.value:
                    yield f"{part}, {kind} (CoSim)"
                seeds, theirs = (
                    self._values(f"{name}-{learnt}", part, kind) for name in ("dynaeval", "s-dicoh")
                )
                if seeds and theirs and mean(seeds) <= mean(theirs):
                    yield f"{part}, {kind} (S-DiCoh)"

    def _accuracy(self, name: str, part: str, kind: str) -> Estimate:
        return self._measured.get(name, {}).get(part, {}).get(kind, UNKNOWN)

    def _values(self, variant: str, part: str, kind: str) -> list[float]:
        """A variant's accuracy in percent, seed by seed."""
        accuracy = (trial.accuracy.get(part, {}) for trial in self._trials.get(variant, ()))
        return [100 * kinds[kind] for kinds in accuracy if kind in kinds]

    def _over_seeds(self, variant: str, part: str) -> Iterator[str]:
        """For each kind of damage mean and standard deviation over trained models."""
        for kind in DAMAGE:
            shares = self._values(variant, part, kind)
            spread = f" ± {stdev(shares):.1f}" if len(shares) > 1 else ""
            yield f"{mean(shares):.1f}{spread}" if shares else "–"


def _percent(share: Estimate) -> str:
    """A share with its interval, in percent, as the paper has it.

    >>> _percent(Estimate(0.9189, 0.9101, 0.9277)), _percent(Estimate(0.9)), _percent(UNKNOWN)
    ('91.9 [91.0, 92.8]', '90.0', '–')
    """
    value, low, high = (f"{100 * each:.1f}" for each in (share.value, share.low, share.high))
    if isnan(share.value):
        return "–"
    return value if isnan(share.low) else f"{value} [{low}, {high}]"


def dailydialog() -> list[DamageExam]:
    """The published test part, and those of it that share no text with the training part."""
    test = fitting(corpora.load("dailydialog", "test"))
    apart, _ = corpora.decontaminate(test, {"train": corpora.load("dailydialog", "train")})
    return [DamageExam(test, {WHOLE: test, APART: apart})]


def permissive() -> list[DamageExam]:
    """Held dialogues of the corpora that anyone may learn from."""
    exams = []
    for name in PERMISSIVE:
        some = sorted(fitting(held(name)), key=lambda each: each.digest)[:HELD]  # of any topic
        exams.append(DamageExam(some, {name: some}))
    return exams


#: Corpora that a model learns from together -> its exams.
EXAMS = {"dailydialog": dailydialog, "permissive": permissive}


def take_final_looks(docs: Path) -> None:
    """Every trained metric on every aspect, and turn scores aggregated: the looks that count."""
    metrics = {name: load(name) for name in JUDGED}  # all of them, or no look
    final(_LOOK, list(metrics.values()), _TEST, docs)
    final(_AGGREGATED_LOOK, _every_way(metrics[name] for name in _TURN_BY_TURN), _AGGREGATED, docs)


def _every_way(metrics: Iterable[Metric]) -> list[FunctionMetric]:
    """Each metric in each way of making one number of the turns of a dialogue."""
    return [aggregated(metric, how) for metric in metrics for how in AGGREGATES]


def aggregated(metric: Metric, how: str) -> FunctionMetric:
    """A metric whose score of a dialogue is made anew from those of its turns."""
    return FunctionMetric(
        f"{metric.name}-{how}",
        f"{metric.signature}|aggregate:{how}",
        lambda dialogue: aggregate(metric.score([dialogue])[0], how),
        is_trained(metric),
    )
