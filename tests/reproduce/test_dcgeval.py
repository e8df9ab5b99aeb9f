"""DCGEval's page, as far as it needs no weights: what authors released, and what is left out."""

from pathlib import Path

import pytest

from dialogauge.reproduce.dcgeval import DcgEvalPage
from dialogauge.reproduce.page import Paper, Request

PAPER = Paper.read("dcgeval")


def test_released_scores_are_those_of_the_paper(data: Path, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIALOGAUGE_DATA", str(data))
        page = DcgEvalPage(PAPER, Request(tmp_path))
        page.__dict__["_looks"] = {}  # a cached property: nothing was seen
        rows = page.rivals
    assert rows["quantidce released"].startswith("0.554 | 0.554 | 0.395 | 0.501 | 0.412 | 0.393")
    assert rows["grade released"].startswith("0.496 | 0.503 | 0.356 | 0.452 | 0.350 | 0.344")
    assert set(rows["dcgeval"].split(" | ")) == {"–"}


def test_each_part_that_is_left_out_is_a_model_of_the_family(tmp_path: Path) -> None:
    page = DcgEvalPage(PAPER, Request(tmp_path))
    assert set(page.parts) == set(PAPER.family)
    assert len({str(each.settings) + each.recipe for each in PAPER.family.values()}) == len(
        page.parts
    )
    assert "No look was taken yet" in page.finals
