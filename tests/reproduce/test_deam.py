"""DEAM's page: what it measures of what ships, what it has from elsewhere, and what it misses."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dialogauge.meta import Estimate
from dialogauge.reproduce import deam
from dialogauge.reproduce.deam import DeamPage
from dialogauge.reproduce.page import UNKNOWN, Paper, Request
from dialogauge.train.models.deam.damage import names

pytest.importorskip("spacy", reason="needs the extra: language")

PAPER = Paper.read("deam")


@pytest.fixture(scope="module")
def page(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeamPage]:
    """Of three conversations."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIALOGAUGE_DATA", str(data))
        patch.setattr(deam, "_TAUGHT", ("personachat",))
        patch.setattr(deam, "_HELD", 3)
        patch.setattr(deam, "_ASKED", ("cosim", "deam"))
        yield DeamPage(PAPER, Request(tmp_path_factory.mktemp("docs")))


def test_each_damage_has_a_row(page: DeamPage) -> None:
    told, hits = page.kinds.splitlines(), page.places.splitlines()
    assert page.sizes.startswith("3 conversations, ")
    assert len(told) == len(hits) == 2 + len(page._verdicts["deam"].marks) + 2
    assert any("| negation |" in line for line in told)
    for number in (page.named, page.words, page.alarms):
        assert float(number) >= 0


def test_our_own_pairs_are_counted(page: DeamPage) -> None:
    *rows, every = page.pairs.splitlines()[2:]
    assert len(rows) == 12
    assert "| all | 120 |" in every
    assert page.twins.count("| contradiction-") == 5
    assert "Both told and located: " in page.twins


def test_what_was_not_trained_here_is_not_there(page: DeamPage) -> None:
    assert set(page.heat) == {*PAPER.family, "deam"}
    assert set(page.heat["mesgar"]) <= set("–| ")
    assert "0." in page.heat["deam"] or "1." in page.heat["deam"]


def test_a_goal_that_nothing_measures_is_not_reached(page: DeamPage) -> None:
    assert page._measured("told", "no-such-damage") is UNKNOWN
    assert page._measured("fed-dialogue", "Overall") is UNKNOWN
    assert page._measured("hit", "all") == Estimate(
        deam._mean(page._verdicts["deam"], "hit", names())
    )
    for goal in PAPER.wanted:
        assert goal.of in {"told", "hit", "named", "marked", *deam._TEST}
        if goal.of in ("told", "hit") and goal.number != "all":
            assert goal.number in names()
