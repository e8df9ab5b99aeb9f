"""Looks at people's ratings, and the log of those that count."""

import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import msgspec
import pytest

import dialogauge as dg
from dialogauge import corpora
from dialogauge.dialogue import Dialogue, Turn
from dialogauge.errors import DialogaugeError, InputError, OutputError
from dialogauge.meta import Resampling
from dialogauge.metrics import by_turn, load
from dialogauge.reproduce import REPRODUCTIONS, final, logged, look
from dialogauge.reproduce.looks import correlations, final_looks, gains, without_repeats
from dialogauge.reproduce.page import Paper, cells
from dialogauge.reproduce.relevance import hits, last_turn, last_turn_and_context, questions
from dialogauge.scores import Score
from dialogauge.train.models.encoder.task import bring
from dialogauge.train.recipe import Chosen

QUICK = Resampling(resamples=100)


class Learnt:
    """A trained metric: the number of words of each turn."""

    name, signature, trained = "learnt", "learnt|weights:1", True

    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        return by_turn("w", lambda each: [len(t.text.split()) for t in each.turns]).score(dialogues)


@pytest.fixture
def _data(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALOGAUGE_DATA", str(data))


@pytest.mark.usefixtures("_data")
def test_a_final_look_is_written_down(tmp_path: Path) -> None:
    with pytest.raises(DialogaugeError, match="fed-turn is a test set and learnt was trained"):
        look([Learnt()], {"fed-turn": "Overall"}, QUICK)
    first = final("mine", [Learnt()], {"fed-turn": "Overall"}, tmp_path, QUICK)
    second = final("mine", [Learnt()], {"fed-turn": "Overall"}, tmp_path, QUICK)
    final("other", [load("random")], {"fed-turn": "Overall"}, tmp_path, QUICK)
    assert [msgspec.json.encode(each) for each in logged(tmp_path, "mine")] == [
        msgspec.json.encode(each) for each in (first, second)
    ]
    (seen,) = first.looks
    assert seen.n == 375
    assert seen.signature == "learnt|weights:1"
    assert seen.spearman.low < seen.spearman.value < seen.spearman.high
    assert "fed-turn" in correlations(first.looks)
    assert logged(tmp_path, "none") == ()


def test_a_page_says_which_encoder_and_no_number_twice() -> None:
    finals = logged(Path(__file__).parents[2] / "docs", "relevance")[:5]
    text = final_looks("relevance", finals)
    assert "| relevance | dialogue-minilm 9ca9513f | 600 | 0.493 " in text
    assert "| relevance | dialogue-minilm ce087a8a | 600 | 0.517 " in text
    assert "| cosine-both-base | base 5fb24bf3 | 600 |" in text
    rows = [line for line in text.splitlines() if line.startswith("| convai2-grade")]
    assert len(rows) == len(set(rows)) == 6
    assert "T01:08:41+00:00, dialogauge 0.1.0; 15 numbers of an earlier look came again" in text
    added = gains(each for one in without_repeats(finals) for each in one.looks)
    assert added.count("convai2-grade | relevance |") == 1


@pytest.mark.usefixtures("_data")
def test_what_a_metric_gains_over_another() -> None:
    both, sets = [load("words-per-turn"), load("random")], {"engage": "engagement"}
    looks = look(both, sets, QUICK, {"words-per-turn": "random", "random": "words-per-turn"})
    one, other = (each.over for each in looks)
    assert one is not None
    assert other is not None
    gap = looks[0].spearman.value - looks[1].spearman.value
    assert (one.metric, other.metric) == ("random", "words-per-turn")
    assert one.difference.value == pytest.approx(gap) == pytest.approx(-other.difference.value)
    assert one.difference.low == -other.difference.high
    assert one.p == other.p
    assert "over random, p = " in gains(looks)
    assert [each.verdict for each in (one, other)] in (
        ["better", "worse"],
        ["worse", "better"],
        2 * ["no difference shown"],
    )
    (alone,) = look(both[:1], sets, QUICK)
    assert alone.over is None


def test_a_log_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        final("mine", [Learnt()], {}, tmp_path / "none")
    (tmp_path / "test-log.jsonl").write_text("{}\n")
    with pytest.raises(InputError, match=r"test-log\.jsonl:1: this is not a line of the log"):
        logged(tmp_path, "mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "test-log.jsonl").mkdir()
    with pytest.raises(OutputError, match="cannot be written"):
        final("mine", [Learnt()], {}, tmp_path / "full")


def test_an_undefined_number_is_a_dash() -> None:
    assert cells(dg.Estimate(float("nan"))) == "–"
    assert cells(dg.Estimate(-0.05, -0.2, 0.1)) == "-0.050 [-0.20, 0.10]"
    assert cells(dg.Estimate(1.0)) == "1.000"


def test_untrained_cosines() -> None:
    chat = Dialogue(
        "1", (Turn("A", "I love bread."), Turn("B", "Me too."), Turn("A", "Bread is great."))
    )
    last, both = (make().score([chat])[0].turns for make in (last_turn, last_turn_and_context))
    assert last[0] != last[0]
    assert -1 < last[2] < both[2] < 2
    assert last_turn().score([Dialogue("2", (Turn("A", "Hi."),))])[0].value != 0


@pytest.mark.usefixtures("_data")
def test_selection_finds_what_really_came_next() -> None:
    asked = questions("personachat", asked=20)
    assert all(len(question) == 20 for question in asked)
    held = {each.id for each in corpora.load("personachat") if corpora.split(each) == "test"}
    assert {question[0].id.rpartition("-")[0] for question in asked} <= held
    true = {id(question[0]) for question in asked}

    class Oracle(Learnt):
        def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
            return [
                Score(1.0, (0.0,) * (len(each.turns) - 1) + (float(id(each) in true),))
                for each in dialogues
            ]

    assert hits(Oracle(), asked) == 1

    class Constant(Learnt):
        def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
            return [Score(1.0, (1.0,) * len(each.turns)) for each in dialogues]

    assert hits(Constant(), asked) == 0  # a tie is no hit


@pytest.mark.usefixtures("_data")
def test_floors_of_an_encoder_that_was_not_taught(tmp_path: Path) -> None:
    """The figures of MiniLM as it was published, within 0.01; nothing here was trained."""
    folder = tmp_path / "minilm"
    bring(Chosen("minilm"), folder, name="minilm", texts=["Hello."], int8=False, command="")
    floors = {
        "convai2-grade": ("coherence", 0.510),
        "empathetic-grade": ("coherence", 0.127),
        "dailydialog-grade": ("coherence", 0.075),
    }
    metric = last_turn_and_context(str(folder))
    for corpus, (aspect, floor) in floors.items():
        (seen,) = look([metric], {corpus: aspect}, QUICK)
        assert seen.spearman.value == pytest.approx(floor, abs=0.01), corpus


def test_every_reproduction_says_what_it_is() -> None:
    assert all(page.__doc__ for page in REPRODUCTIONS.values())


@pytest.mark.parametrize("name", REPRODUCTIONS)
def test_a_page_has_a_text_with_its_tables(name: str) -> None:
    """Three files make a page; what its text names is a property of its class."""
    named = set(re.findall(r"{page\.(\w+)", Paper.read(name).page))
    tables = {
        each
        for each, value in vars(REPRODUCTIONS[name]).items()
        if isinstance(value, property | cached_property) and not each.startswith("_")
    }
    assert named == tables
