"""MaUdE (Sinha et al. 2020): what each kind of bad response costs, and what people say.

Scores are taken on held dialogues (the test split) that no training saw. Models that do not ship
are trained by ``--retrain``, which keeps what it measured in ``maude-family.json`` beside the page;
what needs a translator or a language model is kept in ``maude-rows.json``.
"""

from collections.abc import Sequence
from functools import cached_property
from math import isnan
from pathlib import Path
from typing import cast

import numpy as np

from .. import formats
from ..dialogue import Dialogue
from ..errors import MissingExtraError
from ..meta import Estimate
from ..metrics import Metric, load
from ..metrics.maude import Maude
from ..report.markdown import table
from .exams import RESPONSES, Floats, ResponseExam, Responses, held
from .kept import Remembered, family, remembered
from .looks import Final, correlations, final, final_looks, logged, look, newest
from .page import UNKNOWN, Paper, Request, cells

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


class MaudePage:
    """MaUdE: what broken and foreign responses cost, zero-shot, and against people."""

    def __init__(self, paper: Paper, request: Request) -> None:
        self._paper, self._request = paper, request
        self._metric = cast("Maude", load("maude"))

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
        """What was measured of the family; MaUdE, which the others are compared with, is first."""
        every: list[dict[str, Floats]] = []

        def measure(_numbers: object, _name: str, _seed: int, metric: Metric) -> Responses:
            every.append(self._exam.scores(cast("Maude", metric)))
            return self._exam.measure(every[-1], every[0])

        kind = dict[str, Responses]
        return family("maude", self._paper.family, self._request, kind, measure)

    @cached_property
    def _finals(self) -> tuple[Final, ...]:
        if self._request.final:
            final("maude", [self._metric], _TEST, self._request.docs)
        return logged(self._request.docs, "maude")

    @property
    def responses(self) -> int:
        """How many responses the exam has."""
        return self._rows.number("gold", "score").n

    @property
    def kinds(self) -> dict[str, str]:
        """Score and delta of each kind of response."""
        return {kind: self._row(kind, "score", "delta") for kind in RESPONSES}

    @property
    def zero_shot(self) -> dict[str, str]:
        """The given and a random response of corpora that were not trained on."""
        return {name: self._row(name, "given", "random", "delta") for name in _ZERO_SHOT}

    def _row(self, name: str, *columns: str) -> str:
        return cells(self._rows.label(name), *(self._rows.number(name, each) for each in columns))

    @property
    def models(self) -> dict[str, str]:
        """The family: the score of gold and the deltas of other kinds."""
        numbers = {
            name: {**each.deltas, "gold": each.scores["gold"]}
            for name, each in self._family.items()
        }
        return {
            name: cells(*(numbers.get(name, {}).get(kind, UNKNOWN) for kind in RESPONSES))
            for name in self._paper.family
        }

    @property
    def behind(self) -> dict[str, str]:
        """How far each of the family is behind MaUdE."""
        behind = {name: each.behind for name, each in self._family.items()}
        return {name: cells(behind.get(name, UNKNOWN)) for name in self._paper.family}

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
        rows, missed, seen = [], set(), newest(self._finals)
        for goal in self._paper.wanted:
            look = seen.get(("maude", goal.of, goal.number))
            ours = look or self._rows.number(goal.of, goal.number)
            verdict = goal.verdict(ours)
            label = goal.label.format(self._rows.label(goal.of))
            rows.append((label, f"{goal.sign} {goal.target}", ours, verdict))
            missed |= {goal.of} if verdict.startswith("missed") else set()
        return table(("number", "to reach", "measured", ""), rows) + self._paper.why(missed)

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
                (turn.speaker, turn.text, None if isnan(value) else f"{value:.2f}")
                for turn, value in zip(dialogue.turns, score.turns, strict=True)
            ]
            text = table(("", "", "score"), rows)
            parts.append(f"**{dialogue.id}**: {score.value:.2f}\n\n{text}")
        return "\n\n".join(parts)


def _held(corpora: Sequence[str]) -> list[Dialogue]:
    return [each for name in corpora for each in held(name)[:_DIALOGUES]]
