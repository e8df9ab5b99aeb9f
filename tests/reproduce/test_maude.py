"""The exam of MaUdE's page: which responses are judged, and what is made of the scores."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra: train")

from dialogauge.dialogue import Dialogue, Turn
from dialogauge.errors import InputError, MissingExtraError
from dialogauge.meta import Estimate
from dialogauge.report.figures import discriminants, positions
from dialogauge.reproduce import Request, kept
from dialogauge.reproduce.exams import RESPONSES, ResponseExam, Responses
from dialogauge.reproduce.kept import Measurement, keep, read
from dialogauge.reproduce.maude import MaudePage
from dialogauge.reproduce.page import Paper, filled

PAPER = Paper.read("maude")


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
def exam() -> ResponseExam:
    return ResponseExam(CHATS, KINDS)


def test_each_kind_stands_beside_its_own_response(exam: ResponseExam) -> None:
    assert len(exam.contexts) == 24
    assert set(exam.responses) == set(KINDS)
    for row, (context, gold) in enumerate(zip(exam.contexts, exam.responses["gold"], strict=True)):
        chat = CHATS[row // 2]
        assert [turn.text for turn in chat.turns[: row % 2 + 1]] == context
        assert gold == chat.turns[row % 2 + 1].text
        foreign = exam.responses["random-utterance"][row]
        assert foreign not in {turn.text for turn in chat.turns}
        assert sorted(exam.responses["word-order"][row].split()) == sorted(gold.split())
        assert len(exam.responses["prefix-repeat"][row].split()) == len(gold.split())
        assert len(exam.responses["word-repeat"][row].split()) > len(gold.split())


def test_deltas_are_means_of_differences(exam: ResponseExam) -> None:
    scores = exam.scores(Longest())  # type: ignore[arg-type]
    measured = exam.measure(scores)
    assert measured.deltas["gold"].value == 0
    assert measured.deltas["word-order"].value == pytest.approx(0)
    assert measured.deltas["word-drop"].value > 0.2
    assert measured.deltas["word-repeat"].value < -0.2
    assert measured.behind.value == 0
    worse = {kind: each if kind == "gold" else scores["gold"] for kind, each in scores.items()}
    gap = np.mean([measured.deltas[kind].value for kind in KINDS[1:5]])
    assert exam.measure(worse, scores).behind.value == pytest.approx(gap)


Numbers = Mapping[str, Mapping[str, Estimate]]


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Numbers], MaudePage]:
    """The page, where the exam gives these numbers."""
    (tmp_path / "reproductions").mkdir()

    def measuring(numbers: Numbers) -> MaudePage:
        monkeypatch.setattr(MaudePage, "_measured", lambda _: numbers)
        return MaudePage(PAPER, Request(tmp_path))

    return measuring


def table(page: MaudePage, title: str) -> str:
    """The text of the section whose title begins so."""
    (start,) = (at for at in PAPER.page.removeprefix("## ").split("\n## ") if at.startswith(title))
    ((_, text),) = filled(start, page)
    return text


def cells(text: str) -> dict[str, list[str]]:
    """The first cell of each row of a table -> the others."""
    rows = (line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|"))
    return {name: others for name, *others in rows}


def test_verdicts_follow_the_numbers(page: Callable[[Numbers], MaudePage]) -> None:
    numbers = {
        "gold": {"score": Estimate(0.9)},
        "back-translation": {"delta": Estimate(0.1)},
        "word-order": {"delta": Estimate(0.8)},
        "word-drop": {"delta": Estimate(0)},
        "dailydialog": {"delta": Estimate(0.2)},
    }
    text = page(numbers).verdicts
    told = {name: others[-1] for name, others in cells(text).items()}
    assert told["score of gold"] == told["delta of word-order"] == "reached"
    assert told["delta of back-translation"] == "missed by 0.030"
    assert told["delta of word-drop"] == "missed by 0.300"
    assert told["zero-shot dailydialog"] == "missed by 0.151"
    assert told["delta of word-repeat"] == "not measured yet"
    assert "*Broken words.*" in text
    assert "*Foreign responses*" in text
    assert "*Repeated words.*" not in text  # not measured


def test_what_is_reached_is_not_excused(page: Callable[[Numbers], MaudePage]) -> None:
    every = {kind: {"score": Estimate(1.0), "delta": Estimate(1.0)} for kind in RESPONSES}
    every |= {
        "back-translation": {"delta": Estimate(0.0)},
        "dailydialog": {"delta": Estimate(0.5)},
    }
    text = page(every).verdicts
    assert text.count("| reached |") == 8
    assert text.endswith("|")


def test_every_kind_has_a_row_beside_the_paper(page: Callable[[Numbers], MaudePage]) -> None:
    half = {"score": Estimate(0.5, n=24), "delta": Estimate(0.5)}
    made = page(dict.fromkeys(RESPONSES, half))
    lines = table(made, "Kinds of responses").splitlines()
    assert made.responses == 24
    assert "| word-order | 0.500 | 0.500 | 0.182 | 0.727 |" in lines
    assert "| prefix-repeat | 0.500 | 0.500 |  |  |" in lines


def test_a_row_survives_where_its_part_is_missing(
    page: Callable[[Numbers], MaudePage], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "reproductions" / "maude-rows.json"
    half = {"score": Estimate(0.5, 0.4, 0.6, n=24), "delta": Estimate(0.06)}
    everything = dict.fromkeys(RESPONSES, half)
    page(everything).kinds  # noqa: B018  (apertium and SmolLM2 are there)
    first = read(path, dict[str, Measurement])
    assert {name: each.using for name, each in first.items() if "extra" not in each.using} == {
        "back-translation": "apertium",
        "generated": "SmolLM2",
        "random-generated": "SmolLM2",
    }
    old = {name: msgspec.structs.replace(each, date="2026-01-02") for name, each in first.items()}
    keep(path, old)
    fresh = {"score": Estimate(0.7, n=24), "delta": Estimate(0.2)}
    without = page({"gold": fresh, "word-drop": half})  # neither of the two, nor broken words
    rows = cells(table(without, "Kinds of responses"))
    assert rows["gold"][0] == "0.700"
    name = "back-translation (measured on 2026-01-02 by dialogauge 0.1.0 with apertium; not here)"
    assert rows[name] == ["0.500 [0.40, 0.60]", "0.060", "0.838", "0.071"]
    assert any(row.startswith("generated (") and "SmolLM2; not here" in row for row in rows)
    assert cells(without.verdicts)[f"delta of {name}"] == ["< 0.07", "0.060", "reached"]
    after = read(path, dict[str, Measurement])
    assert after["back-translation"].numbers["score"].value == 0.5
    assert after["word-drop"].date == "2026-01-02"  # the same again
    assert after["gold"].numbers["score"].value == 0.7
    assert after["gold"].date > "2026-01-02"

    def no_torch(_: MaudePage) -> Numbers:
        raise MissingExtraError("training", "train")

    bare = page({})
    monkeypatch.setattr(MaudePage, "_measured", no_torch)
    assert sum("with the extra train; not here" in row for row in bare.kinds.values()) == 6
    assert bare.responses == 24
    assert path.read_bytes() == msgspec.json.format(msgspec.json.encode(after), indent=1) + b"\n"


def test_nothing_is_kept_without_a_folder(page: Callable[[Numbers], MaudePage]) -> None:
    nowhere = Path("no-such-folder")
    made = page({"gold": {"score": Estimate(0.5)}})
    made._request = Request(nowhere)
    assert made.kinds["gold"] == "gold | 0.500 | –"
    assert not nowhere.exists()


def test_what_retraining_measured_is_kept(
    page: Callable[[Numbers], MaudePage], tmp_path: Path
) -> None:
    path = tmp_path / "reproductions" / "maude-family.json"
    kind = dict[str, Responses]
    assert read(path, kind) == {}
    assert page({}).models["nli"] == " | ".join(["–"] * len(RESPONSES))
    assert page({}).behind["nli"] == "–"
    measured = {"maude": Responses({"gold": Estimate(0.9)}, {}, Estimate(0.0, -0.1, 0.1, n=3))}
    keep(path, measured)
    assert msgspec.json.encode(read(path, kind)) == msgspec.json.encode(measured)
    assert page({}).models["maude"].startswith("0.900 | – |")
    assert "| maude | 0.900 | – |" in table(page({}), "The family")
    assert "| all | 0.900 | – |" in table(page({}), "Policies")
    path.write_text("[")
    with pytest.raises(InputError, match=r"maude-family\.json: cannot be read"):
        read(path, kind)


def test_a_stopped_training_loses_no_number(
    exam: ResponseExam, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each model is compared with the first, MaUdE, and written down at once."""

    def stopped(*_: object) -> Iterator[tuple[str, int, Longest]]:
        yield "maude", 1, Longest()
        yield "nli", 1, Longest()
        raise KeyboardInterrupt

    monkeypatch.setattr(kept, "_trained", stopped)
    page = MaudePage(PAPER, Request(tmp_path, tell=lambda _: None))
    page._exam = exam
    with pytest.raises(KeyboardInterrupt):
        page.models  # noqa: B018
    numbers = read(tmp_path / "reproductions" / "maude-family.json", dict[str, Responses])
    assert list(numbers) == ["maude", "nli"]
    assert numbers["nli"].behind.value == 0
    assert numbers["nli"].deltas["word-drop"].value > 0.2


def test_positions_are_drawn(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(5), 30)
    points = rng.normal(size=(150, 6)) + 3 * np.eye(6)[groups]
    path = tmp_path / "positions.svg"
    positions(discriminants(points, groups), groups, path)
    assert path.read_text().count("fifth ") >= 5 or "<svg" in path.read_text()
