"""gauge's page: its tables of few conversations, and what it does not measure twice."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dialogauge import corpora
from dialogauge.dialogue import Dialogue
from dialogauge.errors import InputError
from dialogauge.reproduce import gauge, kept
from dialogauge.reproduce.choices import POOLED, Apart, Marks
from dialogauge.reproduce.gauge import GaugePage
from dialogauge.reproduce.page import Paper, Request
from dialogauge.train.models.gauge.task import gather

PAPER = Paper.read("gauge")
FEW = 40


@pytest.fixture(scope="module")
def page(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GaugePage]:
    """Of few conversations of each set."""
    docs = tmp_path_factory.mktemp("docs")
    load = corpora.load

    def few(name: str) -> list[Dialogue]:
        rated = list(load(name))
        return rated[:: max(1, len(rated) // FEW)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIALOGAUGE_DATA", str(data))
        patch.setattr(corpora, "load", few)
        patch.setattr(gauge, "TUNING", {"multiref": "appropriateness"})
        patch.setattr(gauge, "_ELSEWHERE", ("personachat",))
        patch.setattr(gauge, "_EACH", 3)
        page = GaugePage(PAPER, Request(docs))
        every = [each.spoken for each in few("ji2022")]
        page.__dict__["_held"] = every  # a cached property
        kept.keep(page._request.beside("gauge-choices.json"), {"as it ships": Marks(*[0.5] * 6)})
        systems = {"Bot": Apart(9, 0.4), "QualityControl": Apart(9, 0.0), POOLED: Apart(18, 0.6)}
        kept.keep(page._request.beside("gauge-systems.json"), systems)
        yield page


def rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("| ")]


def test_each_table_has_its_rows(page: GaugePage) -> None:
    assert len(rows(page.held)) == 2 + 1 + 4 + 7 + 1
    assert "convai2018 | overall | gauge" in page.tuning
    assert "multiref | appropriateness | gauge" in page.tuning
    assert len(rows(page.cut)) == 2 + 2
    assert len(rows(page.curve)) == 2 + 10
    assert [line.split(" | ")[0] for line in rows(page.coverage)[2:]] == [
        "| ji2022, held fifth",
        "| convai2018",
        "| multiref",
    ]
    assert "| personachat | 3 |" in page.elsewhere
    assert "| mean of 1 that answer |  | 0.400 |" in page.apart
    assert "| all | 120 |" in page.twins
    assert "| all | 20 |" in page.twins


def test_what_was_tried_is_shown_as_it_was_kept(page: GaugePage) -> None:
    assert "| as it ships | 0.500 (0.500) |" in page.tried


def test_every_goal_is_measured_or_said_not_to_be(page: GaugePage) -> None:
    verdicts = page.verdicts
    assert verdicts.count("not measured yet") == sum(
        goal.of not in ("held fifth", "convai2018") for goal in PAPER.wanted
    )
    assert page.finals.startswith("No look was taken yet")
    assert page.gain == "No look was taken yet."


def test_only_a_training_set_is_learnt_from() -> None:
    with pytest.raises(InputError, match="never trained on"):
        gather("convai2018")
