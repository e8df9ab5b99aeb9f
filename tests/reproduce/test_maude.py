"""The exam of MaUdE's page: which responses are judged, and what is made of the scores."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra: train")

from dialogauge.dialogue import Dialogue, Turn
from dialogauge.errors import InputError
from dialogauge.meta import Estimate
from dialogauge.report.positions import discriminants, draw
from dialogauge.reproduce.kept import keep, kept
from dialogauge.reproduce.maude import family_table, kinds_table, verdicts
from dialogauge.reproduce.responses import KINDS as ORDER
from dialogauge.reproduce.responses import Exam, Measured


class Longest:
    """Stands in for MaUdE: a response is as good as it is long."""

    def follow(
        self, contexts: Sequence[Sequence[str]], responses: Sequence[str]
    ) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        del contexts
        return np.array([len(text.split()) / 10 if text else np.nan for text in responses])


CHATS = [
    Dialogue(
        f"d{at}",
        (
            Turn("A", f"Is there any news of ship {at} today?"),
            Turn("B", f"None at all of ship {at}, not since Monday."),
            Turn("A", f"Then call the harbour of town {at} please."),
        ),
    )
    for at in range(12)
]
KINDS = ("gold", "random-utterance", "word-drop", "word-order", "word-repeat", "prefix-repeat")


@pytest.fixture(scope="module")
def exam() -> Exam:
    return Exam(CHATS, KINDS)


def test_each_kind_stands_beside_its_own_response(exam: Exam) -> None:
    assert len(exam) == 24
    assert set(exam.said) == set(KINDS)
    for row, (context, gold) in enumerate(zip(exam.contexts, exam.said["gold"], strict=True)):
        chat = CHATS[row // 2]
        assert [turn.text for turn in chat.turns[: row % 2 + 1]] == context
        assert gold == chat.turns[row % 2 + 1].text
        foreign = exam.said["random-utterance"][row]
        assert foreign not in {turn.text for turn in chat.turns}
        assert sorted(exam.said["word-order"][row].split()) == sorted(gold.split())
        assert len(exam.said["prefix-repeat"][row].split()) == len(gold.split())
        assert len(exam.said["word-repeat"][row].split()) > len(gold.split())


def test_deltas_are_means_of_differences(exam: Exam) -> None:
    scores = exam.scores(Longest())  # type: ignore[arg-type]
    found = exam.measure(scores, scores)
    assert found.deltas["gold"].value == 0
    assert found.deltas["word-order"].value == pytest.approx(0)
    assert found.deltas["word-drop"].value > 0.2
    assert found.deltas["word-repeat"].value < -0.2
    assert found.behind.value == 0
    worse = {kind: each if kind == "gold" else scores["gold"] for kind, each in scores.items()}
    gap = np.mean([found.deltas[kind].value for kind in KINDS[1:5]])
    assert exam.measure(worse, scores).behind.value == pytest.approx(gap)


def test_verdicts_follow_the_numbers() -> None:
    measured = Measured(
        {"gold": Estimate(0.9)},
        {"back-translation": Estimate(0.1), "word-order": Estimate(0.8), "word-drop": Estimate(0)},
        Estimate(0),
    )
    abroad = {"dailydialog": Measured({}, {"random-utterance": Estimate(0.2)}, Estimate(0))}
    lines = verdicts(measured, abroad, ()).splitlines()
    told = {line.split(" | ")[0].strip("| "): line.split(" | ")[-1].strip("| ") for line in lines}
    assert told["score of gold"] == told["delta of word-order"] == "reached"
    assert told["delta of back-translation"] == told["delta of word-drop"] == "missed"
    assert told["zero-shot dailydialog"] == "missed"
    assert told["delta of word-repeat"] == "not measured"


def test_every_kind_has_a_row_beside_the_paper() -> None:
    every = {kind: Estimate(0.5) for kind in ORDER}
    lines = kinds_table(Measured(every, every, Estimate(0)), 24).splitlines()
    assert "| word-order | .500 | .500 | 0.182 | 0.727 |" in lines
    assert "| prefix-repeat | .500 | .500 |  |  |" in lines


def test_what_retraining_measured_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "reproductions" / "maude-family.json"
    assert kept(path, dict[str, Measured]) == {}
    assert "--retrain" in family_table({})
    found = {"maude": Measured({"gold": Estimate(0.9)}, {}, Estimate(0.0, -0.1, 0.1, n=3))}
    keep(path, found)
    assert msgspec.json.encode(kept(path, dict[str, Measured])) == msgspec.json.encode(found)
    assert "| maude | .900 |" in family_table(found)
    path.write_text("[")
    with pytest.raises(InputError, match=r"maude-family\.json: cannot be read"):
        kept(path, dict[str, Measured])


def test_positions_are_drawn(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(5), 30)
    points = rng.normal(size=(150, 6)) + 3 * np.eye(6)[groups]
    path = tmp_path / "positions.svg"
    draw(discriminants(points, groups), groups, path)
    assert path.read_text().count("fifth ") >= 5 or "<svg" in path.read_text()
