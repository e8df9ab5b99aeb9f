"""What a terminal is shown of scores."""

import math
from collections.abc import Mapping
from io import StringIO

from rich.console import Console
from rich.table import Table

from dialogauge.dialogue import Dialogue, Turn
from dialogauge.meta.means import Means
from dialogauge.report import terminal
from dialogauge.scores import Cause, Score, row_of

CHAT = Dialogue("d1", (Turn("a", "Do you eat meat?"), Turn("b", "Never, I love steak.")))


def printed(*tables: Table) -> str:
    file = StringIO()
    console = Console(file=file, width=100)
    for table in tables:
        console.print(table)
    return file.getvalue()


def shown(score: Score) -> str:
    return printed(terminal.conversation(CHAT, row_of(CHAT, {"deam": score})))


def summed(*scores: Mapping[str, Score]) -> list[list[str]]:
    """The cells of a summary: the names, a dialogue each, the means and their intervals."""
    means, pairs = Means(), [(CHAT, row_of(CHAT, each)) for each in scores]
    for _, row in pairs:
        means.add(row)
    return cells(terminal.summary(pairs, means))


def cells(table: Table) -> list[list[str]]:
    columns = [[str(column.header), *map(str, column.cells)] for column in table.columns]
    return [*map(list, zip(*columns, strict=True))]


def test_a_broken_turn_says_why() -> None:
    page = shown(Score(0.2, (0.9, 0.1), causes=(Cause(1, "contradiction"),)))
    first, second = page.index("Do you eat"), page.index("Never")
    assert first < second < page.index("contradiction")


def test_a_cause_of_a_strangers_metric_cannot_steer_the_terminal() -> None:
    assert "\x1b" not in shown(Score(0.2, (0.9, 0.1), causes=(Cause(1, "\x1b[31mred"),)))


def test_the_words_that_broke_a_turn_are_shown() -> None:
    causes = (Cause(1, "contradiction", ((14, 19),)), Cause(1, "form", ((0, 5), (0, 20))))
    page = shown(Score(0.2, (0.9, 0.1), causes=causes))
    assert page.index("contradiction") < page.index("“steak”") < page.index("form")
    assert "“Never, I love steak.”" in page
    long = shown(Score(0.2, (0.9, 0.1), causes=(Cause(0, "form", ((0, 16),) * 9),)))
    assert long.count("“Do you eat meat?”") == 3


# Where people's judgement lies


def test_an_interval_stands_behind_the_number() -> None:
    assert "d1  deam 0.416 [0.20, 0.71]" in shown(Score(0.416, (0.9, 0.1), interval=(0.2, 0.71)))
    assert "d1  deam 0.416 [–, 0.71]" in shown(Score(0.416, interval=(math.nan, 0.71)))
    assert "[" not in shown(Score(0.416, (0.9, 0.1)))


def test_an_interval_has_a_column_of_its_own() -> None:
    sure, unsure = Score(0.4, interval=(0.2, 0.71)), Score(0.6)
    names, first, second, mean, bounds = summed({"a": sure, "b": unsure}, {"a": unsure, "b": sure})
    assert names == ["dialogue", "turns", "a", "90 %", "b", "90 %"]
    assert first == ["d1", "2", "0.400", "0.20 … 0.71", "0.600", "–"]
    assert second == ["d1", "2", "0.600", "–", "0.400", "0.20 … 0.71"]
    assert mean == ["mean of 2", "", "0.500", "", "0.500", ""]
    assert bounds[3] == bounds[5] == ""
    assert summed({"a": unsure, "b": sure})[0] == ["dialogue", "turns", "a", "b", "90 %"]


# The weakest turn


def test_the_weakest_turn_is_named() -> None:
    causes = (Cause(1, "repeats itself"), Cause(0, "form"), Cause(1, "foreign"))
    broken = Score(0.2, (0.9, 0.1), causes=causes)
    rows = summed({"a": broken}, {"a": Score(0.5, (0.1, 0.9))}, {"a": Score(0.5, (0.5, 0.5))})
    assert [row[-1] for row in rows] == [
        "weakest turn",
        "2 repeats itself, foreign",
        "1",
        "–",  # two are equal
        "",
        "",
    ]


def test_each_metric_has_its_weakest_turn() -> None:
    broken = Score(0.2, (0.9, 0.1), causes=(Cause(1, "form"),))
    names, row, *_ = summed({"a": broken, "b": Score(0.5, (0.1, 0.9)), "c": broken})
    assert names[-2:] == ["weakest by a", "weakest by c"]
    assert row[-2:] == ["2 form", "2 form"]


def test_without_turns_and_causes_no_turn_is_weakest() -> None:
    rows = summed({"a": Score(0.5, (0.1, 0.9)), "b": Score(0.5, causes=(Cause(1, "form"),))})
    assert [len(row) for row in rows] == [4] * 4


# Aspects


def test_aspects_have_a_table_a_metric() -> None:
    parts = Score(0.2, aspects={"fun": 0.126, "sense": math.nan})
    rows = [{"a": parts, "b": Score(0.1)}, {"a": Score(0.1, aspects={"more": 1.0})}]
    (table,) = terminal.aspects([(CHAT, row_of(CHAT, each)) for each in rows])
    assert str(table.title) == "aspects of a"
    assert cells(table) == [
        ["dialogue", "fun", "sense", "more"],
        ["d1", "0.13", "–", "–"],
        ["d1", "–", "–", "1.00"],
    ]
    assert terminal.aspects([(CHAT, row_of(CHAT, {"b": Score(0.1)}))]) == []


def test_names_of_a_strangers_metric_cannot_steer_the_terminal() -> None:
    red = "\x1b[31m[bold]red"
    score = Score(0.2, (0.9, 0.1), {red: 0.5}, (Cause(1, red),))
    pair, means = (CHAT, row_of(CHAT, {"a": score})), Means()
    means.add(pair[1])
    page = printed(terminal.summary([pair], means), *terminal.aspects([pair]))
    assert "\x1b" not in page
    assert page.count("[bold]red") == 2
