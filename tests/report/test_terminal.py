"""What a terminal is shown of scores."""

from io import StringIO

from rich.console import Console

from dialogauge.dialogue import Dialogue, Turn
from dialogauge.report import terminal
from dialogauge.scores import Cause, Score, row_of


def shown(score: Score) -> str:
    chat = Dialogue("d1", (Turn("a", "Do you eat meat?"), Turn("b", "Never, I love steak.")))
    file = StringIO()
    console = Console(file=file, width=100)
    console.print(terminal.conversation(chat, row_of(chat, {"deam": score})))
    return file.getvalue()


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
