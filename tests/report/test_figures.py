"""Figures: written whole, the same twice, and safe whatever the names are."""

import math
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import msgspec
import numpy as np
import pytest
from matplotlib.axes import Axes

from dialogauge.dialogue import Dialogue, Turn
from dialogauge.errors import OutputError
from dialogauge.meta import Estimate, Evaluation, Resampling, evaluate
from dialogauge.report import figures
from dialogauge.report.figures import Mark, forest, mark, scatter
from dialogauge.scores import Score, Scores, row_of

HOSTILE = r"$\frac{1}{$ & <b> \x1b".replace(r"\x1b", "\x1b")


def chats(systems: int = 3, count: int = 30) -> list[Dialogue]:
    rng = np.random.default_rng(0)
    return [
        Dialogue(
            f"d{i}",
            (Turn("user", "And then?"), Turn("bot", "We left " + "early " * (i % 5))),
            f"bot {i % systems}",
            ratings={"good": (float(rng.integers(1, 6)), float(rng.integers(1, 6)))},
        )
        for i in range(count)
    ]


def judged(dialogues: list[Dialogue], metric: str = "gauge") -> tuple[Scores, Evaluation]:
    rng = np.random.default_rng(1)
    rows = tuple(
        row_of(one, {metric: Score(one.rating("good") + rng.normal())}) for one in dialogues
    )
    scores = Scores({metric: "v1"}, rows)
    return scores, evaluate(scores, metric, dialogues, "good", settings=Resampling(resamples=200))


def words(path: Path) -> str:
    """All text of an SVG, which must be well-formed."""
    return " ".join(ElementTree.fromstring(path.read_text("utf-8")).itertext())


def test_a_scatter_names_what_it_shows(tmp_path: Path) -> None:
    dialogues = chats()
    scores, evaluation = judged(dialogues)
    scatter(evaluation, scores, dialogues, tmp_path / "one.svg")
    text = words(tmp_path / "one.svg")
    for wanted in ("gauge", "people: good", "bot 0", "bot 2", f"Spearman {evaluation.headline}"):
        assert wanted in text
    assert "within systems" in text


def test_every_item_is_one_point_where_it_belongs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialogues = chats(systems=9, count=40)
    scores, evaluation = judged(dialogues)
    drawn: list[tuple[float, float]] = []
    original = Axes.scatter

    def spy(axes: Axes, x: list[float], y: list[float], **look: Any) -> Any:
        drawn.extend(zip(x, y, strict=True))
        return original(axes, x, y, **look)

    monkeypatch.setattr(Axes, "scatter", spy)
    scatter(evaluation, scores, dialogues, tmp_path / "one.svg")
    people = [one.rating("good") for one in dialogues]
    assert sorted(drawn) == sorted(zip(scores.column("gauge"), people, strict=True))


@pytest.mark.parametrize("ending", [".svg", ".png", ".SVG"])
def test_the_same_figure_has_the_same_bytes(tmp_path: Path, ending: str) -> None:
    dialogues = chats()
    scores, evaluation = judged(dialogues)
    for name in ("one", "two"):
        scatter(evaluation, scores, dialogues, tmp_path / (name + ending))
        forest([mark(evaluation)] * 3, tmp_path / f"forest-{name}{ending}", title="all")
    assert (tmp_path / f"one{ending}").read_bytes() == (tmp_path / f"two{ending}").read_bytes()
    first, second = (tmp_path / f"forest-{name}{ending}" for name in ("one", "two"))
    assert first.read_bytes() == second.read_bytes()
    magic = b"\x89PNG" if ending == ".png" else b"<?xml"
    assert first.read_bytes().startswith(magic)
    assert len(list(tmp_path.iterdir())) == 4  # nothing half-written is left behind


def test_a_forest_shows_intervals_ceiling_and_oracle(tmp_path: Path) -> None:
    marks = [
        Mark("first", Estimate(0.4, 0.3, 0.5, 100), ceiling=0.8, oracle=0.6),
        Mark("second", Estimate(-0.1, -0.3, 0.1, 90)),
        Mark("third", Estimate(math.nan, n=2)),
        Mark("fourth", Estimate(0.2, n=7)),
    ]
    forest(marks, tmp_path / "forest.svg", title="Four of them")
    text = words(tmp_path / "forest.svg")
    for wanted in ("first", "0.400 [0.30, 0.50] n=100", "0.200 n=7", "undefined", "human ceiling",
                   "oracle: knows the system only", "Four of them"):  # fmt: skip
        assert wanted in text


def test_names_are_neither_mathematics_nor_markup_nor_control(tmp_path: Path) -> None:
    dialogues = [
        msgspec.structs.replace(one, system=f"{HOSTILE} {one.system} 日本 \ud800")
        for one in chats()
    ]
    scores, evaluation = judged(dialogues, metric="gauge$_1$")
    scatter(evaluation, scores, dialogues, tmp_path / "one.svg")
    scatter(evaluation, scores, dialogues, tmp_path / "one.png")
    forest([Mark(HOSTILE * 20, Estimate(0.1, 0, 0.2, 3))], tmp_path / "two.svg", title=HOSTILE)
    for name in ("one.svg", "two.svg"):
        text = words(tmp_path / name)
        assert r"$\frac{1}{$ & <b> \x1b" in text
        assert "\x1b" not in text
    assert "gauge$_1$" in words(tmp_path / "one.svg")
    assert "…" in words(tmp_path / "two.svg")


@pytest.mark.parametrize("count", [1, 2, 3])
def test_very_few_items_can_be_drawn(tmp_path: Path, count: int) -> None:
    dialogues = chats(count=count)
    scores, evaluation = judged(dialogues)
    scatter(evaluation, scores, dialogues, tmp_path / "one.svg")
    forest([mark(evaluation)], tmp_path / "two.svg")
    forest([], tmp_path / "none.svg")
    assert words(tmp_path / "one.svg")


def test_matplotlib_is_left_as_it_was(tmp_path: Path) -> None:
    before = dict(mpl.rcParams)
    dialogues = chats()
    scores, evaluation = judged(dialogues)
    scatter(evaluation, scores, dialogues, tmp_path / "one.png")
    assert dict(mpl.rcParams) == before


def test_the_users_own_style_does_not_leak_in(tmp_path: Path) -> None:
    marks = [Mark("first", Estimate(0.4, 0.3, 0.5, 100))]
    forest(marks, tmp_path / "one.svg")
    with mpl.rc_context({"font.size": 30, "lines.linewidth": 9}):
        forest(marks, tmp_path / "two.svg")
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_a_figure_that_cannot_be_written_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"ends in \.svg or \.png"):
        forest([], tmp_path / "figure.pdf")
    with pytest.raises(OutputError, match="cannot be written"):
        forest([], tmp_path / "nowhere" / "figure.svg")
    assert list(tmp_path.iterdir()) == []
    assert set(figures.FORMATS) == {".svg", ".png"}
