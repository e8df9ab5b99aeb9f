"""`gauge`: how well it agrees with people that it never met, what was tried, and where it fails.

Conversations of the training corpus are asked only of its held fifth. What was tried is measured by
``--retrain`` and kept in ``gauge-choices.json`` and ``gauge-systems.json`` beside the page. Numbers
on test sets come from the log of final looks and from nowhere else.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from statistics import fmean

import numpy as np
from msgspec.structs import replace
from scipy.stats import rankdata

from .. import contrast, corpora, formats
from ..dialogue import Dialogue, Turn
from ..meta import Estimate, evaluate
from ..meta.correlation import coefficient
from ..metrics import TRIVIAL, Metric, load
from ..report.markdown import table
from ..scores import Score, Scores
from ..scoring import score
from ..train.models.gauge.rows import ASKED, Floats
from ..train.models.gauge.task import Settings, gather
from ..train.people import TUNING
from . import choices, kept
from .exams import held
from .looks import Final, Look, correlations, covered, final, final_looks, gains, logged, look
from .meaning import kinds, lowest
from .page import UNKNOWN, Paper, Request
from .relevance import last_turn_and_context

_CORPUS, _OTHER = "ji2022", "convai2018"
#: Test sets of conversations, and of answers, each with what is untrained there.
_WHOLE = {"fed-dialogue": ("Overall", "Coherent"), "dstc9": ("overall", "coherent")}
_ANSWERS = {"fed-turn": "Overall", "convai2-grade": "coherence", "empathetic-grade": "coherence"}
#: Where it was not taught: healthy conversations of people, and how many of each are asked.
_ELSEWHERE = ("personachat", "topical-chat", "self-dialogue", "dailydialog", "schema-guided")
_EACH = 100
_ASSISTANT = Path("examples") / "assistant.jsonl"  # long answers, with lists, tables and code
_FIRST_WORDS = 5
_TWINS, _PAIRS = (Path("examples") / f"{name}.contrasts" for name in ("twins", "minimal-pairs"))
_PARTS = 5  # of conversations by length
_SPEARMAN = coefficient("spearman").value


class GaugePage:
    """`gauge`: people's ratings, what was tried, what it must not be, and where not to trust it."""

    def __init__(self, paper: Paper, request: Request) -> None:
        self._paper, self._request = paper, request
        self._metric = load("gauge")

    @cached_property
    def _held(self) -> list[Dialogue]:
        sides, _, _ = gather(_CORPUS)
        return [*sides["valid"], *sides["test"]]

    @cached_property
    def _others(self) -> list[Dialogue]:
        return [each.spoken for each in corpora.load(_OTHER)]

    @cached_property
    def _said(self) -> Mapping[str, list[Score]]:
        """Scores of conversations that were not learnt from."""
        held = [row.scores["gauge"] for row in self._scores.rows]
        return {_CORPUS: held, _OTHER: self._metric.score(self._others)}

    @cached_property
    def _scores(self) -> Scores:
        return score(self._held, self._metric)

    @cached_property
    def _on_held(self) -> dict[str, Estimate]:
        trivial = score(self._held, TRIVIAL)
        seen = evaluate(self._scores, "gauge", self._held, "overall", baselines=trivial)
        confounds = seen.confounds
        best = confounds.baseline
        return {
            "pooled": seen.headline,
            "within systems": confounds.within,
            "given length": confounds.given_length,
            f"best trivial ({best.name if best else ''})": best.correlation if best else UNKNOWN,
        }

    @property
    def size(self) -> str:
        """How many conversations are held."""
        return f"{len(self._held):,}"

    @property
    def held(self) -> str:
        """The held fifth: the whole, then each aspect."""
        said = self._said[_CORPUS]
        aspects = []
        for ours, theirs in list(ASKED.items())[1:]:
            value = [each.aspects.get(ours, np.nan) for each in said]
            real = [each.rating(theirs) for each in self._held]
            aspects.append((ours, f"{_SPEARMAN(*_both(value, real)):.3f}"))
        return (
            table(("overall", "Spearman"), self._on_held.items())
            + "\n\n"
            + table(("aspect", "Spearman"), aspects)
        )

    @cached_property
    def _tuning(self) -> list[Look]:
        cosim, floor = load("cosim"), last_turn_and_context()
        return [
            *look([cosim, self._metric], {_OTHER: "overall"}, over={"gauge": "cosim"}),
            *look([floor, self._metric], TUNING, over={"gauge": floor.name}),
        ]

    @property
    def tuning(self) -> str:
        """People, where anyone may look."""
        return f"{correlations(self._tuning)}\n\n{gains(self._tuning)}"

    @cached_property
    def _choices(self) -> tuple[dict[str, choices.Marks], dict[str, choices.Apart]]:
        paths = [self._request.beside(f"gauge-{name}.json") for name in ("choices", "systems")]
        if self._request.tell:
            self._request.tell("measuring what was tried")
            for path, numbers in zip(paths, choices.measured(), strict=True):
                kept.keep(path, numbers)
        return (
            kept.read(paths[0], dict[str, choices.Marks]),
            kept.read(paths[1], dict[str, choices.Apart]),
        )

    @property
    def tried(self) -> str:
        """Every choice beside the one that was taken."""
        rows = (
            (
                name,
                *(f"{each:.3f} ({inside:.3f})" for each, inside in it.pairs),
                f"{it.mean:.3f}",
            )
            for name, it in self._choices[0].items()
        )
        return table(("variant", "run 1 → 2", "run 2 → 1", "both → ConvAI 2018", "mean"), rows)

    @property
    def apart(self) -> str:
        """Each system by a fit that never met it."""
        systems = self._choices[1]
        rows = [(name, f"{it.count:,}", f"{it.spearman:.3f}") for name, it in systems.items()]
        apart = {*Settings().random, choices.POOLED}
        usual = [it.spearman for name, it in systems.items() if name not in apart]
        rows += [(f"mean of {len(usual)} that answer", "", f"{fmean(usual):.3f}")] if usual else []
        return table(("system", "n", "Spearman"), rows)

    @property
    def cut(self) -> str:
        """What is left when the partner's turns are cut to their first words."""
        rows = []
        for name, dialogues in ((_CORPUS, self._held), (_OTHER, self._others)):
            real = [each.rating("overall") for each in dialogues]
            before = [each.value for each in self._said[name]]
            after = [each.value for each in self._metric.score([_cut(it) for it in dialogues])]
            told = [f"{_SPEARMAN(*_both(each, real)):.3f}" for each in (before, after)]
            rows.append((name, *told, f"{_SPEARMAN(*_both(before, after)):.3f}"))
        return table(("set", "as it is", "cut", "one with the other"), rows)

    @property
    def curve(self) -> str:
        """Value, and what people said, by how many words the judged side has."""
        rows = []
        for name, dialogues in ((_CORPUS, self._held), (_OTHER, self._others)):
            words = np.array([_words(each) for each in dialogues])
            said = np.array([each.value for each in self._said[name]])
            real = rankdata([each.rating("overall") for each in dialogues]) / len(dialogues)
            for part in np.array_split(np.argsort(words, kind="stable"), _PARTS):
                told = said[part][~np.isnan(said[part])].mean()
                span = f"{words[part].min():,} to {words[part].max():,}"
                rows.append((name, span, f"{told:.2f}", f"{real[part].mean():.2f}"))
        return table(("set", "words of the judged side", "mean value", "people: mean share"), rows)

    @property
    def coverage(self) -> str:
        """How often the interval holds where people put a conversation among those of its set."""
        usual = [each for each in self._held if each.system not in Settings().random]
        there = covered(self._scores, "gauge", usual, "overall")
        rows = [(f"{_CORPUS}, held fifth", len(usual), _percent(there))]
        ours = (each for each in self._tuning if each.metric == "gauge")
        rows += [(each.corpus, each.n, _percent(each.covered)) for each in ours]
        rows += [
            (f"{it.corpus}, {it.aspect} (final look)", it.n, _percent(it.covered))
            for it in self._newest
        ]
        return table(("set", "n", "in the interval"), rows)

    @property
    def twins(self) -> str:
        """Our own twins and minimal pairs: how many are told, and located."""
        metrics, parts = [load(name) for name in ("cosim", "deam", "gauge")], []
        for path in (_TWINS, _PAIRS):
            if not path.exists():
                return "Run it in the project's folder to see its examples."
            counts = kinds(metrics, list(contrast.read(path)))
            head = (path.stem, "n", "cosim", "deam", "gauge", "located by gauge")
            parts.append(table(head, ((kind, *numbers) for kind, numbers in counts.items())))
        return "\n\n".join(parts)

    @property
    def elsewhere(self) -> str:
        """Healthy conversations of people, and the same with one answer from another."""
        rows = []
        for corpus, chosen in _healthy():
            worse, places = zip(*_exchanged(chosen), strict=True)
            good, bad = self._metric.score(chosen), self._metric.score(list(worse))
            known = [each for each in good if each.interval]
            wide = fmean(high - low for low, high in (it.interval or (0, 0) for it in known))
            told = fmean(two.value < one.value for one, two in zip(good, bad, strict=True))
            hit = fmean(lowest(it) == at for it, at in zip(bad, places, strict=True))
            chance = fmean(1 / sum(not np.isnan(value) for value in it.turns) for it in known)
            alarms = fmean(len(it.causes) for it in known)
            value = fmean(it.value for it in known)
            numbers = (value, wide, alarms, told, hit, chance)
            rows.append((corpus, len(chosen), *(f"{each:.2f}" for each in numbers)))
        head = ("corpus", "n", "mean value", "mean width", "causes named", "exchanged answer told")
        return table((*head, "located", "by chance"), rows)

    @cached_property
    def _finals(self) -> tuple[Final, ...]:
        if self._request.final:
            whole: list[Metric] = [load("cosim"), self._metric]
            final("gauge", whole, _WHOLE, self._request.docs, over={"gauge": "cosim"})
            floor = last_turn_and_context()
            over = {"gauge": floor.name}
            final("gauge", [floor, self._metric], _ANSWERS, self._request.docs, over=over)
        return logged(self._request.docs, "gauge")

    @property
    def _newest(self) -> list[Look]:
        """What the last look at each test set saw of `gauge`."""
        ours = (it for one in self._finals for it in one.looks if it.metric == "gauge")
        return list({(it.corpus, it.aspect): it for it in ours}.values())

    @property
    def finals(self) -> str:
        """People, on the test sets, in every look."""
        return final_looks("gauge", self._finals)

    @property
    def gain(self) -> str:
        """What is gained over the untrained cosine."""
        looks = [each for one in self._finals for each in one.looks]
        return gains(looks) if looks else "No look was taken yet."

    @property
    def verdicts(self) -> str:
        """What was wanted beside what was measured, and why it was missed."""
        measured = {("held fifth", name): number for name, number in self._on_held.items()} | {
            (each.corpus, f"{each.aspect}{how}"): number
            for each in (*self._tuning, *self._newest)
            if each.metric == "gauge"
            for how, number in (("", each.spearman), (", within systems", each.within))
        }
        return self._paper.verdicts(measured)


def _both(some: Sequence[float], others: Sequence[float]) -> tuple[Floats, Floats]:
    """Two columns without the rows in which either is undefined."""
    both = np.array([some, others], np.float64)
    there = ~np.isnan(both).any(axis=0)
    return both[0, there], both[1, there]


def _words(dialogue: Dialogue) -> int:
    judged = dialogue.responder
    return sum(len(turn.words) for turn in dialogue.turns if turn.speaker == judged)


def _cut(dialogue: Dialogue) -> Dialogue:
    """The partner's turns end after so many words."""
    judged = dialogue.responder
    turns = (
        it if it.speaker == judged else replace(it, text=" ".join(it.text.split()[:_FIRST_WORDS]))
        for it in dialogue.turns
    )
    return dialogue.with_turns(tuple(turns))


def _exchanged(dialogues: Sequence[Dialogue]) -> Iterator[tuple[Dialogue, int]]:
    """Each with an answer in its middle that is another one's, and where."""
    for dialogue, other in zip(dialogues, (*dialogues[1:], dialogues[0]), strict=True):
        at, foreign = _middle(dialogue), other.turns[_middle(other)]
        turns = list(dialogue.turns)
        turns[at] = Turn(turns[at].speaker, foreign.text)
        yield dialogue.with_turns(tuple(turns)), at


def _middle(dialogue: Dialogue) -> int:
    own = [at for at, it in enumerate(dialogue.turns) if it.speaker == dialogue.responder]
    return own[len(own) // 2]


def _percent(share: Estimate | None) -> str:
    return f"{100 * share.value:.0f} %" if share else ""


def _healthy() -> Iterator[tuple[str, list[Dialogue]]]:
    """Conversations in which nothing went wrong, by where they are from."""
    for corpus in _ELSEWHERE:
        fitting = [it for it in held(corpus, shortest=6) if len(it.turns) <= 40]
        yield corpus, sorted(fitting, key=lambda it: it.digest)[:_EACH]  # of any topic
    if _ASSISTANT.exists():
        yield str(_ASSISTANT), [each.spoken for each in formats.read(str(_ASSISTANT))]
