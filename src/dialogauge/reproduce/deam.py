"""DEAM (Ghazarian et al. 2022): damaged meaning told, located and named, and what people say.

The paper's comparison is one classifier taught by different negatives. These models do not ship;
``--retrain`` trains them and keeps how they tell each other's negatives in ``deam-family.json``
beside the page. Numbers on test sets come from the log of final looks and from nowhere else.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from statistics import mean
from typing import cast

from .. import contrast, corpora
from ..contrast import Contrast
from ..corpora.overlap import Side
from ..manipulate import translation
from ..meta import Estimate, Resampling, evaluate
from ..metrics import Metric, load
from ..metrics.catalogue import from_folder
from ..metrics.deam import Deam
from ..report.markdown import table
from ..scoring import score
from ..train.models.deam.damage import CAUSES, cause_of, names
from ..train.written import contrasts
from . import meaning
from .kept import family, place
from .looks import Final, correlations, final, final_looks, gains, logged, look, newest
from .meaning import Case, Verdicts
from .page import UNKNOWN, Paper, Request, cells

_SIDES: tuple[Side, ...] = ("train", "valid", "test")
#: Corpora that what ships was taught by, and held dialogues of each that are damaged.
_TAUGHT = ("personachat", "topical-chat", "self-dialogue")
_HELD = 40
#: Metrics that take the exam of meaning, ours last.
_ASKED = ("cosim", "relevance", "maude", "dynaeval", "deam")
#: What damages the meaning of what is said, and leaves its topic and its form.
MEANING = tuple(
    name
    for cause in ("contradiction", "coreference", "irrelevancy", "engagement", "speaker")
    for name in CAUSES[cause]
)
#: People's ratings of whole conversations: to choose by, and to be judged by.
_TUNING = {"ji2022": ("consistent", "overall"), "convai2018": ("overall",)}
_TEST = {"fed-dialogue": ("Coherent", "Overall"), "dstc9": ("coherent", "overall")}
#: Readers of one size of data, and what is measured of them.
_READERS = ("joint", "ours")
_READ = (
    *("told, meaning", "right turn, meaning", "told, all", "right turn, all"),
    *("causes, F1", "changed words, F1"),
    *(f"{corpus}, {aspect}" for corpus, aspects in _TUNING.items() for aspect in aspects),
)
_QUICK = Resampling(resamples=200)
_PLACES = [(corpus, aspect) for corpus, aspects in _TEST.items() for aspect in aspects]
#: What the looks of ``--final`` are called in the log.
_LOOK, _FAMILY_LOOK = "deam", "deam-family"
_TWINS, _PAIRS = (Path("examples") / f"{name}.contrasts" for name in ("twins", "minimal-pairs"))
_NOT_HERE = "Run it in the project's folder to see its examples."


class DeamPage:
    """DEAM: damage told, located and named, one classifier with many negatives, and people."""

    def __init__(self, paper: Paper, request: Request) -> None:
        self._paper, self._request = paper, request
        self._metric = cast(Deam, load("deam"))

    @cached_property
    def _cases(self) -> list[Case]:
        return meaning.cases(_TAUGHT, _HELD)

    @cached_property
    def _verdicts(self) -> Mapping[str, Verdicts]:
        return {name: meaning.examine(load(name), self._cases) for name in _ASKED}

    @cached_property
    def _negatives(self) -> dict[str, tuple[str, ...]]:
        """Whose negatives -> the manipulations that make them."""
        variants = self._paper.family.items()
        return {
            name: tuple(variant.settings["excerpts"]["damage"])
            for name, variant in variants
            if variant.exam == "negatives" and "damage" in variant.settings.get("excerpts", {})
        }

    @cached_property
    def _family(self) -> dict[str, dict[str, Estimate]]:
        """Who learnt from whose negatives -> the share told of whose; of readers :data:`_READ`."""

        def measure(_: object, name: str, _seed: int, metric: Metric) -> dict[str, Estimate]:
            own = self._read(cast(Deam, metric)) if name in _READERS else {}
            return self._told(metric) | own

        kind = dict[str, dict[str, Estimate]]
        return family("deam", self._paper.family, self._request, kind, measure)

    def _told(self, metric: Metric) -> dict[str, Estimate]:
        return meaning.told(metric, self._cases, self._negatives, _QUICK)

    def _read(self, metric: Deam) -> dict[str, Estimate]:
        """How a reader does on all damage, and with people where anyone may look."""
        verdicts = meaning.examine(metric, self._cases, _QUICK)
        means = (_mean(verdicts, of, some) for some in (MEANING, names()) for of in ("told", "hit"))
        words = mean(meaning.words_f1(metric.changed, self._cases).values())
        numbers = [Estimate(each) for each in (*means, verdicts.cause_f1, words)]
        people = [each.spearman for each in look([metric], _TUNING, _QUICK)]
        return dict(zip(_READ, numbers + people, strict=True))

    @cached_property
    def _finals(self) -> tuple[Final, ...]:
        if self._request.final:
            take_final_looks(self._paper, self._request)
        return logged(self._request.docs, _LOOK)

    @property
    def statistics(self) -> str:
        """The conversations that there are to learn from, and how long they are."""
        rows = []
        for name in _TAUGHT:
            spoken = [each.spoken for each in corpora.load(name)]
            sides = [corpora.split(each) for each in spoken]
            texts = [turn.text for each in spoken for turn in each.turns]
            words = sum(len(text.split()) for text in texts)
            sizes = (f"{count:,}" for count in map(sides.count, _SIDES))
            rows.append((name, *sizes, f"{words / len(spoken):.0f}", f"{words / len(texts):.0f}"))
        head = ("corpus", "train", "valid", "test", "words of a conversation", "of an utterance")
        return table(head, rows)

    @property
    def sizes(self) -> str:
        """How many conversations and damaged ones the exam has."""
        whole = {case.better.id for case in self._cases}
        return f"{len(whole):,} conversations, {len(self._cases):,} damaged ones"

    @property
    def kinds(self) -> str:
        """How often each metric tells each damage."""
        return self._by_name("told")

    @property
    def places(self) -> str:
        """How often its lowest turn is a broken one."""
        return self._by_name("hit")

    def _by_name(self, of: str) -> str:
        rows = [
            (
                *(cause_of(name), name, self._verdicts["deam"].marks[name].n),
                *(getattr(self._verdicts[metric].marks[name], of) for metric in _ASKED),
            )
            for name in names()
            if name in self._verdicts["deam"].marks
        ]
        means = [
            ("", label, "", *(f"{_mean(self._verdicts[it], of, some):.3f}" for it in _ASKED))
            for label, some in (("mean, meaning", MEANING), ("mean, all", names()))
        ]
        return table(("cause", "damage", "n", *_ASKED), rows + means)

    @property
    def chance(self) -> str:
        """How often guessing would find a broken turn."""
        marks = self._verdicts["deam"].marks
        chances = (marks[name].chance for name in MEANING if name in marks)
        return (
            f"{mean(chances):.2f} of meaning, {mean(it.chance for it in marks.values()):.2f} of all"
        )

    @property
    def alarms(self) -> str:
        """How many causes are named where nothing is broken."""
        return f"{self._verdicts['deam'].alarms:.2f}"

    @property
    def named(self) -> str:
        """How well causes are named."""
        return f"{self._verdicts['deam'].cause_f1:.3f}"

    @property
    def harmless(self) -> str:
        """How each harmless edit is taken."""
        translate = translation.apertium() if translation.available() else None
        answers = meaning.harmless(self._metric, self._cases, translate)
        rows = (
            (name, it.n, it.above, f"{it.moved:.2f}", f"{it.risen:.2f}")
            for name, it in answers.items()
        )
        head = ("edit of every turn", "n", "above the damaged", "moved by, in SD", "above itself")
        return table(head, rows)

    @property
    def words(self) -> str:
        """How well the changed words are marked."""
        return f"{mean(self._words.values()):.3f}"

    @cached_property
    def _words(self) -> dict[str, float]:
        return meaning.words_f1(self._metric.changed, self._cases)

    @property
    def twins(self) -> str:
        """Our own twin conversations: told, located, named."""
        if not _TWINS.exists():
            return _NOT_HERE
        rows, right = [], 0
        for pair in contrast.read(_TWINS):
            good, bad = self._metric.score([pair.better, pair.worse])
            told, there = bad.value < good.value, meaning.lowest(bad) in _changed(pair)
            right += told and there
            called = ", ".join(f"{it.turn + 1}: {it.name}" for it in bad.causes) or "nothing"
            said = f"{good.value:.2f}", f"{bad.value:.2f}"
            rows.append((pair.better.id, *said, _yes(told), _yes(there), called))
        head = ("pair", "good", "bad", "told", "located", "called")
        return f"{table(head, rows)}\n\nBoth told and located: {right} of {len(rows)}."

    @property
    def pairs(self) -> str:
        """Our own minimal pairs: how many of each kind every metric tells, and ours locates."""
        if not _PAIRS.exists():
            return _NOT_HERE
        return self._kinds(list(contrast.read(_PAIRS)))

    @property
    def written(self) -> str:
        """The same of conversations that were written to teach, of which these were held out."""
        return self._kinds(list(contrasts("test")))

    def _kinds(self, pairs: Sequence[Contrast]) -> str:
        counts = meaning.kinds([load(name) for name in _ASKED], pairs)
        head = ("kind", "n", *_ASKED, f"located by {_ASKED[-1]}")
        return table(head, ((kind, *numbers) for kind, numbers in counts.items()))

    @cached_property
    def heat(self) -> dict[str, str]:
        """How often who learnt from the negatives of a row tells those of a column."""
        shares = {name: self._family.get(name, {}) for name in self._paper.family}
        shares["deam"] = self._told(self._metric)
        return {
            name: cells(*(own.get(each, UNKNOWN) for each in self._negatives))
            for name, own in shares.items()
        }

    @property
    def readers(self) -> str:
        """Readers of one size of data beside each other, and what ships."""
        both = {name: self._family.get(name, {}) for name in _READERS}
        both["deam"] = self._read(self._metric)
        rows = [(it, *(own.get(it, UNKNOWN) for own in both.values())) for it in _READ]
        return table(("", *both), rows)

    @cached_property
    def negatives(self) -> dict[str, str]:
        """People's ratings and the same classifier, by whose negatives it was taught."""
        seen = newest(self._finals) | newest(logged(self._request.docs, _FAMILY_LOOK))
        everybody = (*_ASKED, *self._paper.family)
        return {
            name: cells(*(seen.get((name, *place), UNKNOWN) for place in _PLACES))
            for name in everybody
        }

    @property
    def tuning(self) -> str:
        """People, where anyone may look."""
        return correlations(look([load(name) for name in ("cosim", "deam")], _TUNING))

    @property
    def finals(self) -> str:
        """People, on the test sets, in every look."""
        return final_looks(_LOOK, self._finals)

    @property
    def figures(self) -> str:
        """Figures 5 and 6, once they were drawn."""
        drawn = (f"![FED, {aspect}]({_figure(aspect)})" for aspect in _TEST["fed-dialogue"])
        return "\n".join(drawn) if self._finals else "Figures 5 and 6 are drawn by `--final`."

    @property
    def gain(self) -> str:
        """What is gained over the untrained cosine."""
        return gains(self._finals[-1].looks) if self._finals else "No look was taken yet."

    @property
    def verdicts(self) -> str:
        """What was wanted beside what was measured, and why it was missed."""
        rows, missed = [], set()
        for goal in self._paper.wanted:
            ours = self._measured(goal.of, goal.number)
            verdict = goal.verdict(ours)
            label = f"{goal.of}, {goal.number}"
            rows.append((label, f"{goal.sign} {goal.target}", ours, verdict))
            missed |= {goal.of} if verdict.startswith("missed") else set()
        return table(("number", "to reach", "measured", ""), rows) + self._paper.why(missed)

    def _measured(self, of: str, number: str) -> Estimate:
        own = self._verdicts["deam"]
        if of in ("told", "hit"):
            if number in own.marks:
                return getattr(own.marks[number], of)  # type: ignore[no-any-return]
            return Estimate(_mean(own, of, names())) if number == "all" else UNKNOWN
        if of == "named":
            return Estimate(own.cause_f1)
        if of == "marked":
            return Estimate(mean(self._words.values()))
        return newest(self._finals).get(("deam", of, number), UNKNOWN)


def _mean(verdicts: Verdicts, of: str, some: Sequence[str]) -> float:
    marks = verdicts.marks
    return float(mean(getattr(marks[name], of).value for name in some if name in marks))


def _changed(pair: Contrast) -> set[int | None]:
    return {change.turn for change in pair.changes}


def _yes(answer: bool) -> str:
    return "yes" if answer else "no"


def take_final_looks(paper: Paper, request: Request) -> None:
    """What ships, and the family where it was trained, on the test sets."""
    metrics = [load(name) for name in _ASKED]
    over = {name: "cosim" for name in _ASKED if name != "cosim"}
    final(_LOOK, metrics, _TEST, request.docs, over=over)
    folders = {name: place("deam", request, name) for name in paper.family}
    trained = [from_folder(folder, name) for name, folder in folders.items() if folder.is_dir()]
    if trained:
        final(_FAMILY_LOOK, trained, _TEST, request.docs)
    _draw(metrics[-1], request)


def _draw(metric: Metric, request: Request) -> None:
    """What the metric says of FED's dialogues and what people do, beside the page."""
    from ..report.figures import scatter

    dialogues = corpora.load("fed-dialogue")
    scores = score(dialogues, metric)
    for aspect in _TEST["fed-dialogue"]:
        seen, path = (
            evaluate(scores, metric.name, dialogues, aspect),
            request.beside(_figure(aspect)),
        )
        scatter(seen, scores, dialogues, path)


def _figure(aspect: str) -> str:
    return f"deam-fed-{aspect.lower()}.svg"
