"""DynaEval (Zhang et al. 2021): telling damaged dialogues from whole ones, and what people say.

Models that do not ship (S-DiCoh, other seeds, one kind of damage only, other pooling) are trained
by ``--retrain``, which keeps their accuracy in ``dynaeval-family.json`` beside the page. A trained
metric's numbers on test sets come from the log of final looks and from nowhere else.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from statistics import mean

from .. import corpora
from ..meta import Estimate, Resampling
from ..metrics import load
from ..metrics.functions import AGGREGATES
from .aggregated import every_way
from .exams import DAMAGE, DamageExam, fitting, held
from .family import Trial, Trials, over_seeds, trained, values
from .kept import keep, read
from .looks import Final, Look, by_place, final, logged, look, newest
from .page import Request, best_trivial, correlations, final_looks, percent, shown, table, verdict
from .paper import Paper, Variant
from .relevance import TUNING

#: Corpora that a model learnt from -> the metric that ships.
SHIPPED = {"dailydialog": "dynaeval-research", "permissive": "dynaeval"}
#: Set of dialogues -> the corpora that its models learnt from.
WHOLE, APART = "dailydialog", "dailydialog, de-duplicated"
PERMISSIVE = ("personachat", "topical-chat", "self-dialogue")
_SETS = {WHOLE: "dailydialog", APART: "dailydialog", **dict.fromkeys(PERMISSIVE, "permissive")}
HELD = 200  # dialogues of each permissive corpus, at most
_PAPER = tuple(f"paper: {kind}" for kind in DAMAGE)
_COMPARED = ("random", "cosim", "s-dicoh", "dynaeval")

#: Trained metrics that meet the test sets, and those of them that score turn by turn.
TRAINED = ("dynaeval", "dynaeval-so-far", "dynaeval-research", "maude", "relevance")
_TURN_BY_TURN = ("maude", "relevance")
_UNTRAINED_TURN_BY_TURN = ("cosim", "words-per-turn")
#: Metrics of turns that are asked which turn is foreign.
_LOCATE = ("cosim", "relevance", "maude", "dynaeval-so-far", "dynaeval", "dynaeval-research")
#: The score of a turn was chosen by these, on the tuning sets.
_TUNED = ("dynaeval", "dynaeval-so-far")

_TEST = {name: corpora.info(name).aspects for name in ("fed-dialogue", "fed-turn")}
_TEST["dstc9"] = ("overall",)
_AGGREGATED = {"fed-dialogue": ("Overall", "Coherent")}
#: What the two looks of ``--final`` are called in the log.
_LOOK, _AGGREGATED_LOOK = "dynaeval", "dynaeval-aggregated"

Exams = Mapping[str, Sequence[DamageExam]]
#: (metric, set, kind of damage) -> accuracy; what ships is "dynaeval", whatever it learnt from.
Measured = Mapping[tuple[str, str, str], Estimate]


class DynaevalPage:
    """DynaEval: accuracy on damaged dialogues, and people's ratings of dialogues and turns."""

    def __init__(self, paper: Paper, request: Request) -> None:
        self._paper, self._request = paper, request

    @cached_property
    def _exams(self) -> Exams:
        return {learnt: make() for learnt, make in EXAMS.items()}

    @cached_property
    def _measured(self) -> Measured:
        return measure(self._exams)

    @cached_property
    def _trials(self) -> Trials:
        """What was measured of the family, after it was trained if that is wanted."""
        path = self._request.beside("dynaeval-family.json")
        if self._request.tell:
            keep(path, retrained(self._exams, self._paper.family, self._request))
        return read(path, dict[str, tuple[Trial, ...]])

    @cached_property
    def _finals(self) -> tuple[Final, ...]:
        if self._request.final:
            take_final_looks(self._request.docs)
        return logged(self._request.docs, _LOOK)

    @cached_property
    def _untrained(self) -> list[Look]:
        return look([load("cosim")], _TEST)

    @property
    def sizes(self) -> str:
        """How many dialogues and damaged dialogues the exams have."""
        sizes = (each for exam in chain(*self._exams.values()) for each in exam.sizes())
        return "\n".join(f"- {part}: {size}" for part, size in sizes)

    @property
    def accuracy(self) -> str:
        """How often each metric tells a damaged dialogue, beside the paper's."""
        rows = []
        for part, learnt in _SETS.items():
            for name in _COMPARED:
                cells = [percent(self._measured.get((name, part, kind))) for kind in DAMAGE]
                variant = f"{name}-{learnt}"
                cells += [over_seeds(self._trials, variant, part, kind) for kind in DAMAGE]
                paper = self._paper.printed.get(part, {}).get(name, ("", ""))
                rows.append((part, name, *cells, *paper))
        seeds = (f"{kind}, seeds" for kind in DAMAGE)
        return table(("set", "metric", *DAMAGE, *seeds, *_PAPER), rows)

    @property
    def located(self) -> str:
        """How often the lowest turn is the foreign one."""
        metrics, rows = [load(name) for name in _LOCATE], []
        for exam in chain(*self._exams.values()):
            shares = [exam.located(metric) for metric in metrics]
            rows += [(part, *(percent(each[part]) for each in shares)) for part in exam.parts]
        return table(("set", *_LOCATE), rows)

    @property
    def variants(self) -> str:
        """The family on DailyDialog, by what it learns and how it pools."""
        if not self._trials:
            return "Not trained yet: `dialogauge reproduce dynaeval --retrain`."
        rows = []
        for name, variant in self._paper.family.items():
            if variant.about:
                cells = [
                    over_seeds(self._trials, name, part, kind)
                    for part in (WHOLE, APART)
                    for kind in DAMAGE
                ]
                paper = self._paper.printed["variants"].get(name, ("", ""))
                rows.append((variant.about, len(self._trials.get(name, ())), *cells, *paper))
        apart = (f"{kind}, de-duplicated" for kind in DAMAGE)
        return table(("learns, pools", "seeds", *DAMAGE, *apart, *_PAPER), rows)

    @property
    def tuning(self) -> str:
        """People, where anyone may look."""
        return correlations(look([load(name) for name in _TUNED], TUNING))

    @property
    def fed(self) -> str:
        """Every aspect of FED, by every metric."""
        seen, rows = newest(self._finals), []
        for plain in self._untrained:
            paper = self._paper.tables.get(plain.corpus, {}).get(plain.aspect)
            if paper:
                cells = [
                    _spearman(seen.get((name, plain.corpus, plain.aspect))) for name in TRAINED
                ]
                start = (plain.corpus, plain.aspect, shown(plain.spearman), best_trivial(plain))
                rows.append((*start, *cells, shown(plain.ceiling), *_numbers(paper)))
        head = ("set", "aspect", "cosim", "best trivial", *TRAINED, "ceiling")
        return table((*head, "paper: DynaEval", "paper: people"), rows)

    @property
    def overall(self) -> str:
        """The overall ratings, untrained and trained."""
        untrained = correlations(filter(_is_overall, self._untrained))
        return f"Untrained:\n\n{untrained}\n\n{final_looks(_LOOK, self._finals, _is_overall)}"

    @property
    def aggregated(self) -> str:
        """Scores of turns made one number in every way."""
        metrics = [load(name) for name in _UNTRAINED_TURN_BY_TURN]
        seen = by_place(look(list(every_way(metrics)), _AGGREGATED))
        seen |= newest(logged(self._request.docs, _AGGREGATED_LOOK))
        rows: list[Sequence[object]] = []
        for corpus, aspects in _AGGREGATED.items():
            for aspect in aspects:
                for name in (*_UNTRAINED_TURN_BY_TURN, *_TURN_BY_TURN):
                    looks = [seen.get((f"{name}-{how}", corpus, aspect)) for how in AGGREGATES]
                    rows.append((aspect, name, *map(_spearman, looks)))
                for name, numbers in self._paper.tables[f"aggregated, {aspect}"].items():
                    rows.append((aspect, f"paper: {name}", *_numbers(numbers)))
        return table(("aspect", "metric", *AGGREGATES), rows)

    @property
    def misses(self) -> str:
        """What was wanted beside what was measured, and why it was missed."""
        return missed(self._paper, self._measured, self._trials, self._finals)


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


def measure(exams: Exams) -> Measured:
    """Chance, cosines, and what ships for the corpora of each exam."""
    measured: dict[tuple[str, str, str], Estimate] = {}
    for learnt, some in exams.items():
        metrics = {"random": "random", "cosim": "cosim", "dynaeval": SHIPPED[learnt]}
        for name, metric in metrics.items():
            for exam in some:
                for part, kinds in exam.accuracy(load(metric)).items():
                    measured |= {(name, part, kind): each for kind, each in kinds.items()}
    return measured


def retrained(
    exams: Exams, family: Mapping[str, Variant], request: Request
) -> dict[str, list[Trial]]:
    """The family, trained and measured."""
    trials: dict[str, list[Trial]] = {}
    quick = Resampling(resamples=100)  # the spread over seeds is shown, not these intervals
    for name, seed, metric in trained("dynaeval", family, request):
        accuracy = {
            part: {kind: each.value for kind, each in kinds.items()}
            for exam in exams[family[name].exam]
            for part, kinds in exam.accuracy(metric, quick).items()
        }
        trials.setdefault(name, []).append(Trial(seed, accuracy))
    return trials


def take_final_looks(docs: Path) -> None:
    """Every trained metric on every aspect, and turn scores aggregated: the looks that count."""
    metrics = {name: load(name) for name in TRAINED}  # all of them, or no look
    final(_LOOK, list(metrics.values()), _TEST, docs)
    turns = [metrics[name] for name in _TURN_BY_TURN]
    final(_AGGREGATED_LOOK, list(every_way(turns)), _AGGREGATED, docs)


def missed(paper: Paper, measured: Measured, trials: Trials, finals: Sequence[Final]) -> str:
    """What was wanted beside what was measured; misses are explained once there was a look."""
    rows, places = [], set()
    for part, name, metric, wanted, ours in _wanted(paper, measured, finals):
        printed = percent if part in _SETS else shown
        reached = verdict(ours, wanted, printed)
        rows.append((f"{part}, {name}", metric, printed(Estimate(wanted)), printed(ours), reached))
        places |= {part} if reached.startswith("missed") else set()
    behind = "; ".join(_behind(measured, trials))
    places |= {"baselines"} if behind else set()
    nothing = "nowhere" if measured and trials else "not known yet"
    note = f"Not above CoSim, or in the mean over seeds not above S-DiCoh: {behind or nothing}."
    why = paper.why(places) if finals else ""
    return table(("", "metric", "wanted", "measured", ""), rows) + f"\n\n{note}{why}"


def _wanted(
    paper: Paper, measured: Measured, finals: Sequence[Final]
) -> Iterator[tuple[str, str, str, float, Estimate | None]]:
    """Of each number that is wanted: set, kind or aspect, metric, target, ours."""
    seen = newest(finals)
    for part, targets in paper.wanted.items():
        for name, target in targets.items():
            if part in _SETS:
                ours = measured.get(("dynaeval", part, name))
                yield part, name, SHIPPED[_SETS[part]], target, ours
                continue
            for metric in SHIPPED.values():
                row = seen.get((metric, part, name))
                yield part, name, metric, target, row.spearman if row else None


def _behind(measured: Measured, trials: Trials) -> Iterator[str]:
    """Where DynaEval is not above both baselines."""
    for part, learnt in _SETS.items():
        for kind in DAMAGE:
            ours, cosim = (measured.get((name, part, kind)) for name in ("dynaeval", "cosim"))
            if ours and cosim and not ours.value > cosim.value:
                yield f"{part}, {kind} (CoSim)"
            seeds, theirs = (
                values(trials, f"{name}-{learnt}", part, kind) for name in ("dynaeval", "s-dicoh")
            )
            if seeds and theirs and not mean(seeds) > mean(theirs):
                yield f"{part}, {kind} (S-DiCoh)"


def _numbers(numbers: Iterable[float]) -> list[str]:
    return [shown(Estimate(number)) for number in numbers]


def _is_overall(look: Look) -> bool:
    return look.aspect.casefold() == "overall"


def _spearman(look: Look | None) -> str:
    return shown(look.spearman if look else None)
