"""Tables in Markdown hold their shape whatever the data is."""

import math

import pytest

from dialogauge.meta import Estimate
from dialogauge.report.markdown import cell, table


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("plain", "plain"),
        ("a|b", r"a\|b"),
        ("one\ntwo\x1b", r"one\ntwo\x1b"),
        (12_345, "12,345"),
        (True, "True"),
        (0.25, "0.25"),
        (None, ""),
        (Estimate(0.4823, 0.351, 0.588, n=125), "0.482 [0.35, 0.59]"),
        (Estimate(-0.1, n=3), "-0.100"),
        (Estimate(math.nan, n=2), "–"),
    ],
)
def test_a_cell_shows_a_value_in_one_way(value: object, shown: str) -> None:
    assert cell(value) == shown


def test_numbers_stand_to_the_right_when_asked() -> None:
    lines = table(("what", "share", "n"), [("x", 0.5, 10)], numbers=True).splitlines()
    assert lines == ["| what | share | n |", "| --- | ---: | ---: |", "| x | 0.5 | 10 |"]


def test_a_table_without_rows_is_its_head() -> None:
    assert table(("a", "b"), []).splitlines() == ["| a | b |", "| --- | --- |"]
