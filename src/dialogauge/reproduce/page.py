"""Pages in Markdown: a paper's text with our tables in it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from .. import __version__
from ..meta import Estimate
from .looks import Final, Look


class Request(msgspec.Struct, frozen=True):
    """What is asked of a page."""

    docs: Path  # where the log is; pages, and what is kept for them, in reproductions/
    final: bool = False  # look at the test sets
    tell: Callable[[str], None] | None = None  # train what does not ship, and say what is trained

    def beside(self, name: str) -> Path:
        """A file beside the page."""
        return self.docs / "reproductions" / name


class Section(msgspec.Struct, frozen=True):
    """A heading and what stands below it."""

    title: str
    text: str


def filled(text: str, page: object) -> Iterator[Section]:
    """The sections of a paper's text, each with the page's tables in it, made when it is its turn.

    >>> list(filled("## Sum\\n\\nIt is {page.real}.\\n", 3))
    [Section(title='Sum', text='It is 3.')]
    """
    for part in text.strip().removeprefix("## ").split("\n## "):
        title, _, below = part.partition("\n")
        yield Section(title, below.strip().format(page=page))


def markdown(name: str, sections: Iterable[Section]) -> str:
    """A whole page, which says what made it."""
    parts = [
        f"# Reproduction: {name}\n",
        f"Written by `dialogauge reproduce {name}` (dialogauge {__version__}). Intervals are 95 % "
        "bootstraps over contexts.\n",
    ]
    parts += [f"## {section.title}\n\n{section.text}\n" for section in sections]
    return "\n".join(parts)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown.

    >>> print(table(("metric", "value"), [("cosim", 0.3)]))
    | metric | value |
    | --- | --- |
    | cosim | 0.3 |
    """
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def shown(estimate: Estimate | None) -> str:
    """A number with its interval, for a cell.

    >>> shown(Estimate(0.4823, 0.351, 0.588, n=125)), shown(None)
    ('.482 [.35, .59]', '–')
    """
    return _cell(estimate, lambda number: _short(f"{number:.3f}"), lambda end: _short(f"{end:.2f}"))


def percent(estimate: Estimate | None) -> str:
    """A share with its interval, in percent.

    >>> percent(Estimate(0.9189, 0.9101, 0.9277, n=18302)), percent(None)
    ('91.9 [91.0, 92.8]', '–')
    """
    return _cell(estimate, *[lambda share: f"{100 * share:.1f}"] * 2)


def _cell(
    estimate: Estimate | None, value: Callable[[float], str], end: Callable[[float], str]
) -> str:
    if estimate is None or estimate.value != estimate.value:
        return "–"
    if estimate.low != estimate.low:
        return value(estimate.value)
    return f"{value(estimate.value)} [{end(estimate.low)}, {end(estimate.high)}]"


def _short(number: str) -> str:
    return number.replace("0.", ".", 1) if number.lstrip("-").startswith("0.") else number


def verdict(
    estimate: Estimate | None,
    wanted: float,
    printed: Callable[[Estimate], str] = shown,
    *,
    below: bool = False,
) -> str:
    """Whether a number, as it is printed, is the wanted one or more (or ``below`` it).

    >>> verdict(Estimate(0.9186), 0.919, percent), verdict(Estimate(0.9184), 0.919, percent)
    ('reached', 'missed by 0.1')
    >>> verdict(Estimate(0.42), 0.5), verdict(Estimate(0.42), 0.5, below=True), verdict(None, 0.5)
    ('missed by .080', 'reached', 'not measured yet')
    """
    if estimate is None or estimate.value != estimate.value:
        return "not measured yet"
    short = round(wanted - round(estimate.value, 3), 3)
    reached = short > 0 if below else short <= 0
    return "reached" if reached else f"missed by {printed(Estimate(abs(short)))}"


def correlations(looks: Iterable[Look]) -> str:
    """Looks as a table: the correlation, and everything that must stand beside it."""
    head = ("set", "aspect", "metric", "n", "Spearman", "within systems", "given length")
    beside = ("oracle", "best trivial", "ceiling", "counts as a result")
    return table((*head, *beside), map(_row, looks))


def best_trivial(look: Look) -> str:
    """The best trivial baseline: its correlation and its name."""
    return f"{shown(look.baseline_spearman)} {look.baseline}"


def _row(look: Look) -> Sequence[object]:
    numbers = map(shown, (look.spearman, look.within, look.given_length, look.oracle))
    verdict = "; ".join(look.objections) or "yes"
    start = (look.corpus, look.aspect, look.metric, look.n)
    return (*start, *numbers, best_trivial(look), shown(look.ceiling), verdict)


def final_looks(
    name: str, finals: Sequence[Final], wanted: Callable[[Look], bool] = lambda _: True
) -> str:
    """Every final look of a page, a table each; ``wanted`` says which of the rows."""
    if not finals:
        return f"No look was taken yet: `dialogauge reproduce {name} --final` takes one."
    return "\n\n".join(
        f"{each.date}, dialogauge {each.dialogauge}\n\n{correlations(filter(wanted, each.looks))}"
        for each in finals
    )
