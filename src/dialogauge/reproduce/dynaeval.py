"""DynaEval (Zhang et al. 2021): telling damaged dialogues from whole ones, and what people say.

Models that do not ship (S-DiCoh, other seeds, one kind of damage only, other pooling) are trained
by ``--retrain``, which keeps their accuracy in ``dynaeval-family.json`` beside the page. A trained
metric's numbers on test sets come from the log of final looks and from nowhere else.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean, stdev

import msgspec

from .. import corpora
from ..dialogue import Dialogue
from ..errors import UnknownNameError
from ..meta import Estimate
from ..metrics import Metric, is_trained, load
from ..metrics.functions import AGGREGATES, aggregate
from ..scores import Score
from .damage import (
    APART,
    EPOCHS,
    EXAMS,
    KEPT,
    KINDS,
    PERMISSIVE,
    SAMPLE,
    WHOLE,
    Accuracy,
    Exams,
    Kept,
    read_kept,
    retrained,
)
from .kept import Tell
from .looks import Final, Look, final, logged, look
from .page import Section, correlations, shown, table
from .relevance import TUNING

#: Corpora that a model learnt from -> the metric that ships; set -> those corpora.
SHIPPED = {"dailydialog": "dynaeval-research", "permissive": "dynaeval"}
SETS = {WHOLE: "dailydialog", APART: "dailydialog", **dict.fromkeys(PERMISSIVE, "permissive")}

#: Trained metrics that meet the test sets, and those of them that score turn by turn.
TRAINED = ("dynaeval", "dynaeval-so-far", "dynaeval-research", "maude", "relevance")
TURN_BY_TURN = ("maude", "relevance")
#: Metrics of turns that are asked which turn is foreign.
LOCATE = ("cosim", "relevance", "maude", "dynaeval-so-far", "dynaeval", "dynaeval-research")
#: The score of a turn was chosen by these, on the tuning sets.
TUNED = ("dynaeval", "dynaeval-so-far")
UNTRAINED_TURN_BY_TURN = ("cosim", "words-per-turn")

TEST = {name: corpora.info(name).aspects for name in ("fed-dialogue", "fed-turn")}
TEST["dstc9"] = ("overall",)
AGGREGATED = {"fed-dialogue": ("Overall", "Coherent")}
#: What the two looks of ``--final`` are called in the log.
LOOK, AGGREGATED_LOOK = "dynaeval", "dynaeval-aggregated"

#: (set, metric) -> the paper's accuracy, UR and SS (Table 2); its ConvAI2 is our PersonaChat.
PAPER_ACCURACY = {
    (WHOLE, "random"): ("50.17", "49.62"),
    (WHOLE, "cosim"): ("69.59", "63.80"),
    (WHOLE, "s-dicoh"): ("83.67 ± 0.41", "84.92 ± 0.70"),
    (WHOLE, "dynaeval"): ("91.89 ± 0.58", "91.65 ± 0.62"),
    ("personachat", "random"): ("50.25", "50.25"),
    ("personachat", "cosim"): ("68.79", "92.93"),
    ("personachat", "s-dicoh"): ("66.80 ± 1.93", "90.35 ± 0.08"),
    ("personachat", "dynaeval"): ("85.23 ± 0.96", "98.65 ± 0.29"),
}
METRICS = ("random", "cosim", "s-dicoh", "dynaeval")

#: Variant -> what it is, and the paper's accuracy, UR and SS (Tables 2 and 4).
VARIANTS = {
    "dynaeval-dailydialog": ("both kinds, mean", ("94.30 ± 0.07 *", "90.37 ± 0.37 *")),
    "dynaeval-max": ("both kinds, max", ("94.17 ± 0.16 *", "90.75 ± 0.24 *")),
    "dynaeval-both": ("both kinds, mean and max", ("94.19 ± 0.04 *", "90.64 ± 0.06 *")),
    "dynaeval-ur": ("UR only, mean", ("91.89 ± 0.58", "")),
    "dynaeval-ss": ("SS only, mean", ("", "91.65 ± 0.62")),
    "dynaeval-alone": ("both kinds, mean; turns are not compared, as in the paper", ("", "")),
    "s-dicoh-alone": ("S-DiCoh, both kinds; turns are not compared", ("", "")),
}

#: Aspect -> the paper's DynaEval, and how well its people agree (Table 3).
PAPER_FED = {
    "fed-dialogue": {
        "Coherent": (0.423, 0.809),
        "Error recovery": (0.311, 0.840),
        "Consistent": (0.352, 0.562),
        "Diverse": (0.332, 0.789),
        "Depth": (0.439, 0.833),
        "Likeable": (0.398, 0.838),
        "Understanding": (0.361, 0.809),
        "Flexible": (0.389, 0.816),
        "Informative": (0.396, 0.806),
        "Inquisitive": (0.388, 0.769),
        "Overall": (0.482, 0.830),
    },
    "fed-turn": {
        "Interesting": (0.289, 0.819),
        "Engaging": (0.255, 0.798),
        "Specific": (0.272, 0.790),
        "Relevant": (0.265, 0.753),
        "Correct": (0.216, 0.780),
        "Semantically appropriate": (0.233, 0.682),
        "Understandable": (0.185, 0.522),
        "Fluent": (0.096, 0.714),
        "Overall": (0.264, 0.820),
    },
}
#: The paper's turn metric -> aspect -> mean, sum, max, product (Tables 5-7). It prints the same row
#: for both aspects of GPT-2.
PAPER_AGGREGATED = {
    ("USR", "Overall"): (0.288, 0.166, 0.094, 0.212),
    ("USR", "Coherent"): (0.194, 0.111, 0.021, 0.158),
    ("BERT-R", "Overall"): (0.231, 0.248, 0.224, -0.021),
    ("BERT-R", "Coherent"): (0.222, 0.221, 0.229, 0.041),
    ("GPT-2", "Overall"): (-0.002, 0.123, -0.086, -0.120),
    ("GPT-2", "Coherent"): (-0.002, 0.123, -0.086, -0.120),
}

#: What is wanted: accuracy on the whole test part of DailyDialog; correlations on test sets.
WANTED_ACCURACY = {"UR": 0.919, "SS": 0.917}
WANTED = {
    ("fed-dialogue", "Overall"): 0.50,
    ("fed-dialogue", "Coherent"): 0.43,
    ("fed-turn", "Overall"): 0.34,
    ("dstc9", "overall"): 0.20,
}

#: Our best guess; it is about the figures of the look of 2026-11-16.
WHY = """

Why, as far as we can tell:

- *FED's dialogues.* People's ratings there go with how much the human writes (words per human
  turn, above), which a network that learns to hear damage has no reason to count. The corpora
  that anyone may learn from are talks about films, news and facts; DailyDialog's small talk is
  nearer to FED's, and what was learnt from it is far ahead there, though not on DSTC9.
- *FED's turns.* What a turn adds to the mean over all turns is divided by their number, so that
  turns of long and short dialogues do not compare. `maude`, which reads eight turns and no more,
  does better. On the tuning sets, whose dialogues are mostly short, what a turn adds is the
  better score.
- *CoSim and S-DiCoh.* Both networks are told how turns agree, which is most of what there is to
  know: with it they differ by tenths, without it (the last rows of Tables 2 and 4) the graph is
  worth six points of UR. Orders of PersonaChat and Topical-Chat are told by cosines alone in 99
  of 100.

What we would try next: small talk with a free licence; a turn's share times the number of turns;
the encoder's last layers tuned on the same damage."""

#: Metric -> its accuracy; what ships is called "dynaeval", whatever it learnt from.
Measured = Mapping[str, Accuracy]


def dynaeval(docs: Path, take_final_look: bool, retrain: Tell | None = None) -> Iterator[Section]:
    """DynaEval: accuracy on damaged dialogues, and people's ratings of dialogues and turns."""
    exams = {learnt: make() for learnt, make in EXAMS.items()}
    path = docs / "reproductions" / KEPT
    if retrain:
        retrained(exams, docs, path, retrain)
    kept, measured = read_kept(path), measure(exams)
    yield Section("Damaged dialogues (the paper's Table 2)", _accuracy(exams, measured, kept))
    yield Section("Which turn is foreign", _located(exams))
    yield Section("One kind of damage, and pooling (Tables 2 and 4)", _variants(kept))
    tuned = [metric for metric in map(_shipped, TUNED) if metric]
    yield Section("People, where anyone may look", correlations(look(tuned, TUNING)))
    if take_final_look:
        final_looks(docs)
    finals, untrained = logged(docs, LOOK), look([load("cosim")], TEST)
    yield Section("People's ratings of FED (Table 3)", _fed(untrained, finals))
    yield Section("Overall, with what must stand beside it", _overall(untrained, finals))
    yield Section("Scores of turns, aggregated (Tables 5-7)", _aggregated(docs))
    yield Section("Where we miss", _misses(measured, kept, finals))


def measure(exams: Exams) -> Measured:
    """Chance, cosines, and what ships for the corpora of each exam."""
    found: dict[str, dict[str, Mapping[str, Estimate]]] = {}
    for learnt, its in exams.items():
        metrics = {"random": load("random"), "cosim": load("cosim")}
        shipped = _shipped(SHIPPED[learnt])
        metrics |= {"dynaeval": shipped} if shipped else {}
        for exam in its:
            for name, metric in metrics.items():
                found.setdefault(name, {}).update(exam.accuracy(metric))
    return found


def _shipped(name: str) -> Metric | None:
    try:
        return load(name)
    except UnknownNameError:  # not trained yet: its cells stay empty
        return None


def final_looks(docs: Path) -> None:
    """Every trained metric on every aspect, and turn scores aggregated: the looks that count."""
    trained = {name: load(name) for name in TRAINED}  # all of them, or no look
    final(LOOK, list(trained.values()), TEST, docs)
    turns = [trained[name] for name in TURN_BY_TURN]
    final(AGGREGATED_LOOK, list(_every_way(turns)), AGGREGATED, docs)


class Aggregated(msgspec.Struct, frozen=True):
    """A metric whose score of a dialogue is made anew from those of its turns."""

    metric: Metric
    how: str

    @property
    def name(self) -> str:
        """Both names."""
        return f"{self.metric.name}-{self.how}"

    @property
    def signature(self) -> str:
        """The metric's, and the way."""
        return f"{self.metric.signature}|aggregate:{self.how}"

    @property
    def trained(self) -> bool:
        """Whether the metric is, and so must keep away from test sets."""
        return is_trained(self.metric)

    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """One score per dialogue."""
        return [aggregate(score, self.how) for score in self.metric.score(dialogues)]


def _every_way(metrics: Iterable[Metric]) -> Iterator[Aggregated]:
    return (Aggregated(metric, how) for metric in metrics for how in AGGREGATES)


def _accuracy(exams: Exams, measured: Measured, kept: Kept) -> str:
    rows = []
    for part, learnt in SETS.items():
        for name in METRICS:
            found = measured.get(name, {}).get(part, {})
            trials = f"{name}-{learnt}"
            cells = [percent(found.get(kind)) for kind in KINDS]
            cells += [over_seeds(kept, trials, part, kind) for kind in KINDS]
            rows.append((part, name, *cells, *PAPER_ACCURACY.get((part, name), ("", ""))))
    sizes = [
        f"{part}: {dialogues:,} dialogues, {', '.join(f'{n:,} {kind}' for kind, n in made.items())}"
        for its in exams.values()
        for exam in its
        for part, dialogues, made in exam.sizes()
    ]
    note = (
        "Accuracy in percent: how often a damaged dialogue scores below its original. *UR* "
        "replaces a turn by another dialogue's, *SS* puts one speaker's turns in another order; "
        "each distinct damaged dialogue counts once, at most 20 of a kind for a dialogue. "
        f"DailyDialog is its published test part, scored by {SHIPPED['dailydialog']}; "
        "*de-duplicated* leaves out dialogues that share two adjacent turns or a long turn with "
        "the training part. The others are held dialogues of our split, scored by "
        f"{SHIPPED['permissive']}. *Seeds* are models trained by `--retrain` on fewer dialogues "
        f"({', '.join(f'{name} {count:,} of each' for name, count in SAMPLE.items())}) and for "
        f"{EPOCHS} epochs, mean ± standard deviation. The paper's models learn one kind of damage "
        "each; its EmpatheticDialogues cannot be had.\n\n"
    )
    head = ("set", "metric", *KINDS, *(f"{kind}, seeds" for kind in KINDS))
    paper = tuple(f"paper: {kind}" for kind in KINDS)
    return note + "\n".join(f"- {size}" for size in sizes) + "\n\n" + table((*head, *paper), rows)


def _located(exams: Exams) -> str:
    known = {name: _shipped(name) for name in LOCATE}
    rows = []
    for its in exams.values():
        for exam in its:
            found = {name: exam.located(metric) for name, metric in known.items() if metric}
            for part in exam.parts:
                rows.append((part, *(percent(found.get(name, {}).get(part)) for name in LOCATE)))
    note = (
        "How often, in percent, the lowest turn of a dialogue with one foreign turn (UR) is that "
        "turn, which is not the first. One such dialogue is made of each of the above.\n\n"
    )
    return note + table(("set", *LOCATE), rows)


def _variants(kept: Kept) -> str:
    if not kept:
        return "Not trained yet: `dialogauge reproduce dynaeval --retrain`."
    rows = []
    for name, (told, paper) in VARIANTS.items():
        cells = [over_seeds(kept, name, part, kind) for part in (WHOLE, APART) for kind in KINDS]
        rows.append((told, len(kept.get(name, ())), *cells, *paper))
    note = (
        "DynaEval trained on DailyDialog: by what damage it learns, and how utterances are pooled. "
        "Accuracy in percent, mean ± standard deviation over seeds. * the paper's pooling was "
        "measured on EmpatheticDialogues, one model for each kind of damage.\n\n"
    )
    head = ("learns, pools", "seeds", *KINDS, *(f"{kind}, de-duplicated" for kind in KINDS))
    return note + table((*head, *(f"paper: {kind}" for kind in KINDS)), rows)


def _fed(untrained: Sequence[Look], finals: Sequence[Final]) -> str:
    found = _newest(finals)
    rows = []
    for plain in untrained:
        if plain.corpus in PAPER_FED:
            cells = [found.get((name, plain.corpus, plain.aspect)) for name in TRAINED]
            best = f"{shown(plain.baseline_spearman)} {plain.baseline}"
            row = (plain.corpus, plain.aspect, shown(plain.spearman), best)
            paper = PAPER_FED[plain.corpus][plain.aspect]
            published = [shown(Estimate(each)) for each in paper]
            rows.append((*row, *map(_spearman, cells), shown(plain.ceiling), *published))
    note = (
        "Spearman's correlation with the mean rating. A turn is scored by how much better the "
        "dialogue up to it is with it than without it; *dynaeval-so-far*, as in the paper, by that "
        "dialogue, which is all that it does differently. *Ceiling* is what a metric that knows "
        "the truth would reach; the paper's *people* is their agreement. Trained metrics come from "
        "the last final look.\n\n"
    )
    head = ("set", "aspect", "cosim", "best trivial", *TRAINED, "ceiling")
    return note + table((*head, "paper: DynaEval", "paper: people"), rows)


def _overall(untrained: Sequence[Look], finals: Sequence[Final]) -> str:
    parts = [f"Untrained:\n\n{correlations(filter(_is_overall, untrained))}"]
    for each in finals:
        looks = filter(_is_overall, each.looks)
        parts.append(f"{each.date}, dialogauge {each.dialogauge}\n\n{correlations(looks)}")
    if not finals:
        parts.append("No look was taken yet: `dialogauge reproduce dynaeval --final` takes one.")
    return "\n\n".join(parts)


def _aggregated(docs: Path) -> str:
    untrained = look(list(_every_way(map(load, UNTRAINED_TURN_BY_TURN))), AGGREGATED)
    found = {(each.metric, each.corpus, each.aspect): each for each in untrained}
    found |= _newest(logged(docs, AGGREGATED_LOOK))
    rows: list[Sequence[object]] = []
    for corpus, aspects in AGGREGATED.items():
        for aspect in aspects:
            for name in (*UNTRAINED_TURN_BY_TURN, *TURN_BY_TURN):
                looks = [found.get((f"{name}-{how}", corpus, aspect)) for how in AGGREGATES]
                rows.append((aspect, name, *map(_spearman, looks)))
            for (name, its), values in PAPER_AGGREGATED.items():
                if its == aspect:
                    cells = [shown(Estimate(value)) for value in values]
                    rows.append((aspect, f"paper: {name}", *cells))
    note = (
        "Spearman's correlation on FED dialogues of turn scores, made one number of a dialogue. "
        "Trained metrics come from the last final look.\n\n"
    )
    return note + table(("aspect", "metric", *AGGREGATES), rows)


def _misses(measured: Measured, kept: Kept, finals: Sequence[Final]) -> str:
    """What was wanted beside what was measured; the verdict is that of the printed numbers."""
    rows = []
    ours = measured.get("dynaeval", {}).get(WHOLE, {})
    for kind, wanted in WANTED_ACCURACY.items():
        told = verdict(ours.get(kind), wanted, percent)
        name, target = SHIPPED[SETS[WHOLE]], percent(Estimate(wanted))
        rows.append((f"{WHOLE}, {kind}", name, target, percent(ours.get(kind)), told))
    looks = _newest(finals)
    for (corpus, aspect), wanted in WANTED.items():
        for name in SHIPPED.values():
            seen = looks.get((name, corpus, aspect))
            told = verdict(seen.spearman if seen else None, wanted)
            target = shown(Estimate(wanted))
            rows.append((f"{corpus}, {aspect}", name, target, _spearman(seen), told))
    told = "; ".join(_behind(measured, kept)) or ("nowhere" if ours and kept else "not known yet")
    note = f"\n\nNot above CoSim, or in the mean over seeds not above S-DiCoh: {told}."
    return table(("", "metric", "wanted", "measured", ""), rows) + note + (WHY if finals else "")


def _behind(measured: Measured, kept: Kept) -> Iterator[str]:
    """Where DynaEval is not above both baselines."""
    for part, learnt in SETS.items():
        for kind in KINDS:
            ours, cosim = (
                measured.get(name, {}).get(part, {}).get(kind) for name in ("dynaeval", "cosim")
            )
            if ours and cosim and not ours.value > cosim.value:
                yield f"{part}, {kind} (CoSim)"
            seeds, theirs = (
                _values(kept, f"{name}-{learnt}", part, kind) for name in ("dynaeval", "s-dicoh")
            )
            if seeds and theirs and not mean(seeds) > mean(theirs):
                yield f"{part}, {kind} (S-DiCoh)"


def verdict(
    found: Estimate | None, wanted: float, printed: Callable[[Estimate], str] = shown
) -> str:
    """Whether a number, as it is printed, is the wanted one or more.

    >>> verdict(Estimate(0.9186), 0.919, percent), verdict(Estimate(0.9184), 0.919, percent)
    ('reached', 'missed by 0.1')
    >>> verdict(Estimate(0.42), 0.5), verdict(None, 0.5)
    ('missed by .080', 'not measured yet')
    """
    if found is None or found.value != found.value:
        return "not measured yet"
    short = round(wanted - round(found.value, 3), 3)
    return "reached" if short <= 0 else f"missed by {printed(Estimate(short))}"


def percent(estimate: Estimate | None) -> str:
    """A share with its interval, in percent.

    >>> percent(Estimate(0.9189, 0.9101, 0.9277, n=18302)), percent(None)
    ('91.9 [91.0, 92.8]', '–')
    """
    if estimate is None or estimate.value != estimate.value:
        return "–"
    value = f"{100 * estimate.value:.1f}"
    if estimate.low != estimate.low:
        return value
    return f"{value} [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]"


def over_seeds(kept: Kept, variant: str, part: str, kind: str) -> str:
    """Mean and standard deviation over trained models, in percent.

    >>> from .damage import Trial
    >>> trials = [Trial(seed, {"set": {"UR": 0.9 + seed / 100}}) for seed in (1, 2, 3)]
    >>> over_seeds({"mine": trials}, "mine", "set", "UR")
    '92.0 ± 1.0'
    """
    values = [100 * value for value in _values(kept, variant, part, kind)]
    if not values:
        return "–"
    return f"{mean(values):.1f}" + (f" ± {stdev(values):.1f}" if len(values) > 1 else "")


def _values(kept: Kept, variant: str, part: str, kind: str) -> list[float]:
    found = (trial.accuracy.get(part, {}).get(kind) for trial in kept.get(variant, ()))
    return [value for value in found if value is not None]


def _newest(finals: Sequence[Final]) -> dict[tuple[str, str, str], Look]:
    """The last final look's rows, by metric, set and aspect."""
    looks = finals[-1].looks if finals else ()
    return {(each.metric, each.corpus, each.aspect): each for each in looks}


def _is_overall(look: Look) -> bool:
    return look.aspect.casefold() == "overall"


def _spearman(look: Look | None) -> str:
    return shown(look.spearman) if look else "–"
