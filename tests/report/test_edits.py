"""Edits for the eye: what stands in each line, what a page holds, what is counted."""

from collections import Counter
from pathlib import Path

import pytest

from dialogauge.dialogue import Dialogue, Turn
from dialogauge.manipulate.edited import rearranged, rewritten
from dialogauge.manipulate.manipulation import Tally
from dialogauge.report import edits

CHAT = Dialogue("d", tuple(Turn("ab"[at % 2], f"turn {at} here") for at in range(12)))


def test_the_lines_of_an_edit() -> None:
    edited = rewritten(CHAT, {6: "turn 6 there"}, "word")
    lines = edits.example(CHAT, edited).lines
    marks = [line.mark for line in lines]
    assert marks == ["gap", *["same"] * 4, "before", "after", *["same"] * 4, "gap"]
    before, after = lines[5:7]
    assert [piece.text for piece in before.pieces if piece.changed] == ["here"]
    assert [piece.text for piece in after.pieces if piece.changed] == ["there"]
    assert (before.place, after.place) == ("7", "7")


def test_turns_that_go_come_and_move() -> None:
    order: list[int | Turn] = [1, 0, 2, 4, Turn("b", "foreign"), *range(5, 12)]
    marks = Counter(line.mark for line in edits.example(CHAT, rearranged(CHAT, order, "mix")).lines)
    assert (marks["taken out"], marks["put in"], marks["moved"]) == (1, 1, 1)


def test_a_page_holds_so_many_of_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edits, "ON_A_PAGE", 2)
    review = edits.Review()
    for text in ("one", "two", "three"):
        edited = rewritten(CHAT, {1: f"<b>{text}</b>"}, "word")
        review.add("swap", edits.example(CHAT, edited))
    review.write(tmp_path / "page.html", lambda name: f"about {name}")
    page = (tmp_path / "page.html").read_text()
    assert review.left_out == 1
    assert page.startswith("<!doctype html>")
    assert "<title>Edited dialogues</title>" in page
    assert "<p>about swap</p>" in page
    assert page.count("<section>") == 2
    assert "TITLE" not in page
    assert "<b>" not in page


def test_what_was_asked_is_counted() -> None:
    tally = Tally()
    tally.asked.update(permute=12_000, echo=2)
    tally.applied.update(permute=11_000)
    tally.refused.update({("permute", "too short"): 1_000, ("echo", "no reply"): 2})
    assert edits.account(tally) == [
        {"manipulation": "permute", "asked": 12_000, "applied": 11_000, "not": "too short (1,000)"},
        {"manipulation": "echo", "asked": 2, "applied": 0, "not": "no reply (2)"},
    ]
