"""MaUdE (Sinha et al. 2020): what each kind of bad response costs, and what people say.

Scores are taken on held dialogues (the test split) that no training saw. Models that do not ship
are trained by ``--retrain``, which keeps what it measured in ``maude-family.json`` beside the page;
what needs a translator or a language model is kept in ``maude-rows.json``.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import isnan
from pathlib import Path

import numpy as np

from .. import formats
from ..dialogue import Dialogue
from ..errors import MissingExtraError
from ..meta import Estimate
from ..metrics import Metric, load
from ..metrics.maude import Maude
from .exams import RESPONSES, ResponseExam, Responses, held
from .family import trained
from .kept import Remembered, keep, read, remembered
from .looks import Final, final, logged, look
from .page import Request, correlations, final_looks, shown, table, verdict
from .paper import Paper

#: Corpora whose training dialogues were learnt from, and ones that were not.
_TRAINED = ("self-dialogue", "topical-chat", "personachat")
_ZERO_SHOT = ("dailydialog", "cmu-dog", "schema-guided")
_DIALOGUES = 60  # of each corpus

_TUNING = {"usr-topical": "Overall", "engage": "engagement"}
_TEST = {"fed-turn": "Overall", "fed-dialogue": "Overall"}

#: What a row needs beside the extra ``train``, which all of them do.
_NEEDS = {
    "back-translation": "apertium",
    "generated": "SmolLM2",
    "random-generated": "SmolLM2",
}
_NOT_TRAINED = "Not trained yet: `dialogauge reproduce maude --retrain`."


class MaudePage:
    """MaUdE: what broken and foreign responses cost, zero-shot, and against people."""

    def __init__(self, paper: Paper, request: Request) -> None:
        self._paper, self._request, self._metric = paper, request, _maude(load("maude"))

    @cached_property
    def _exam(self) -> ResponseExam:
        return ResponseExam(_held(_TRAINED), RESPONSES)

    @cached_property
    def _rows(self) -> Remembered:
        """Kinds of responses, and corpora that were not trained on, measured now or earlier."""
        try:
            numbers = self._measured()
        except MissingExtraError:
            numbers = {}
        using = {name: _NEEDS.get(name, "the extra train") for name in numbers}
        return remembered(self._request.beside("maude-rows.json"), numbers, using)

    def _measured(self) -> dict[str, dict[str, Estimate]]:
        at_home = self._exam.measure(self._exam.scores(self._metric))
        numbers = {
            kind: {"score": score, "delta": at_home.deltas[kind]}
            for kind, score in at_home.scores.items()
        }
        for corpus in _ZERO_SHOT:
            exam = ResponseExam(_held([corpus]), ("gold", "random-utterance"))
            abroad = exam.measure(exam.scores(self._metric))
            given, other = abroad.scores["gold"], abroad.scores["random-utterance"]
            delta = abroad.deltas["random-utterance"]
            numbers[corpus] = {"given": given, "random": other, "delta": delta}
        return numbers

    @cached_property
    def _family(self) -> dict[str, Responses]:
        """What was measured of the family, after it was trained if that is wanted."""
        path = self._request.beside("maude-family.json")
        if self._request.tell:
            every = trained("maude", self._paper.family, self._request)
            scores = {name: self._exam.scores(_maude(metric)) for name, _, metric in every}
            ours = scores["maude"]
            keep(path, {name: self._exam.measure(each, ours) for name, each in scores.items()})
        return read(path, dict[str, Responses])

    @cached_property
    def _finals(self) -> tuple[Final, ...]:
        if self._request.final:
            final("maude", [self._metric], _TEST, self._request.docs)
        return logged(self._request.docs, "maude")

    @property
    def responses(self) -> int:
        """How many responses the exam has."""
        gold = self._rows.number("gold", "score")
        return gold.n if gold else 0

    @property
    def kinds(self) -> str:
        """Score and delta of each kind of response, beside the paper's."""
        scores = self._paper.tables["all"]["maude"]
        paper = [(f"{each:.3f}", f"{scores[0] - each:.3f}") for each in scores]
        paper += [("", "")] * (len(RESPONSES) - len(paper))
        rows = []
        for kind, published in zip(RESPONSES, paper, strict=True):
            ours = [shown(self._rows.number(kind, name)) for name in ("score", "delta")]
            rows.append((self._rows.label(kind), *ours, *published))
        return table(("response", "score", "delta", "paper: score", "delta"), rows)

    @property
    def zero_shot(self) -> str:
        """The given and a random response of corpora that were not trained on."""
        columns = ("given", "random", "delta")
        rows = [
            (self._rows.label(name), *(shown(self._rows.number(name, each)) for each in columns))
            for name in _ZERO_SHOT
        ]
        for name, (given, other) in self._paper.tables["zero-shot"].items():
            numbers = (given, other, given - other)
            rows.append((f"paper: {name}", *(f"{each:.3f}" for each in numbers)))
        return table(("corpus", *columns), rows)

    @property
    def family(self) -> str:
        """The family beside the paper's, with how far each is behind MaUdE."""
        if not self._family:
            return _NOT_TRAINED
        rows = [
            (name, *_cells(each), "" if name == "maude" else shown(each.behind))
            for name, each in self._family.items()
            if name in self._paper.tables["all"] or name == "maude, as released"
        ]
        rows += [
            (f"paper: {name}", *_published(scores), "")
            for name, scores in self._paper.tables["all"].items()
        ]
        return table(("model", *RESPONSES, "behind maude"), rows)

    @property
    def policies(self) -> str:
        """MaUdE trained on negatives of one sort, beside the paper's."""
        if not self._family:
            return _NOT_TRAINED
        rows = []
        for policy in ("all", "semantics", "syntax"):
            ours = self._family.get("maude" if policy == "all" else f"maude, {policy}")
            if ours:
                rows.append((policy, *_cells(ours)))
            rows.append((f"paper: {policy}", *_published(self._paper.tables[policy]["maude"])))
        return table(("negatives", *RESPONSES), rows)

    @property
    def tuning(self) -> str:
        """People, where anyone may look."""
        return correlations(look([self._metric], _TUNING))

    @property
    def finals(self) -> str:
        """People, on the test sets."""
        return final_looks("maude", self._finals)

    @property
    def verdicts(self) -> str:
        """What was to be reached, what was, which of the two it is, and why it was missed."""
        rows, missed = [], set()
        for name, number, sign, wanted, estimate in self._wanted():
            reached = verdict(estimate, wanted, below=sign == "<")
            rows.append((number, f"{sign} {wanted}", shown(estimate), reached))
            missed |= {name} if reached.startswith("missed") else set()
        return table(("number", "to reach", "measured", ""), rows) + self._paper.why(missed)

    def _wanted(self) -> Iterator[tuple[str, str, str, float, Estimate | None]]:
        """Of each number that is wanted: what it is of, what it is, sign, target, ours."""
        wanted, rows = self._paper.wanted, self._rows
        for name, target in wanted["score"].items():
            number = rows.number(name, "score")
            yield name, f"score of {rows.label(name)}", "≥", target, number
        for name, target in wanted["delta"].items():
            sign, number = "<" if name == "back-translation" else ">", rows.number(name, "delta")
            yield name, f"delta of {rows.label(name)}", sign, target, number
        for name, target in wanted["zero-shot"].items():
            yield name, f"zero-shot {rows.label(name)}", ">", target, rows.number(name, "delta")
        for each in self._finals[-1].looks if self._finals else ():
            target = wanted["look"][each.corpus]
            yield each.corpus, each.corpus, "≥", target, each.spearman

    @property
    def positions(self) -> str:
        """How many utterances are drawn, beside the page, where they stand in a conversation."""
        from ..report.figures import discriminants, positions

        dialogues = [each for each in _held(_TRAINED) if len(each.turns) >= 10]
        texts = [turn.text for each in dialogues for turn in each.turns]
        fifths = [np.arange(len(each.turns)) * 5 // len(each.turns) for each in dialogues]
        vectors = self._metric.encoder.vectors(texts).astype(np.float64)
        there = ~np.isnan(vectors[:, 0])
        bins, path = np.concatenate(fifths)[there], self._request.beside("maude-positions.svg")
        if path.parent.is_dir():
            positions(discriminants(vectors[there], bins), bins, path)
        return f"{int(there.sum()):,} utterances of {len(dialogues)} held dialogues"

    @property
    def examples(self) -> str:
        """Our own example conversations with the score of each turn."""
        path = Path("examples") / "chats.jsonl"
        if not path.exists():
            return "Run it in the project's folder to see its examples."
        parts = []
        for dialogue in list(formats.read([str(path)]))[:3]:
            score = self._metric.score([dialogue])[0]
            rows = [
                (turn.speaker, _escaped(turn.text), "" if isnan(value) else f"{value:.2f}")
                for turn, value in zip(dialogue.turns, score.turns, strict=True)
            ]
            text = table(("", "", "score"), rows)
            parts.append(f"**{dialogue.id}**: {score.value:.2f}\n\n{text}")
        return "\n\n".join(parts)


def _held(corpora: Sequence[str]) -> list[Dialogue]:
    return [each for name in corpora for each in held(name)[:_DIALOGUES]]


def _maude(metric: Metric) -> Maude:
    assert isinstance(metric, Maude)  # noqa: S101  (for the type checker)
    return metric


def _cells(measured: Responses) -> list[str]:
    """The score of gold and the deltas of the others."""
    numbers = {**measured.deltas, "gold": measured.scores["gold"]}
    return [shown(numbers.get(kind)) for kind in RESPONSES]


def _published(scores: Sequence[float]) -> list[str]:
    gold, *others = scores
    cells = [f"{gold:.3f}", *(f"{gold - each:.3f}" for each in others)]
    return cells + [""] * (len(RESPONSES) - len(cells))


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
