"""Pages in Markdown: a title, and sections of text and tables."""

from collections.abc import Iterable, Sequence

import msgspec

from .. import __version__
from ..meta import Estimate
from .looks import Look


class Section(msgspec.Struct, frozen=True):
    """A heading and what stands below it."""

    title: str
    text: str


def page(name: str, sections: Iterable[Section]) -> str:
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


def shown(estimate: Estimate) -> str:
    """A number with its interval, for a cell.

    >>> shown(Estimate(0.4823, 0.351, 0.588, n=125))
    '.482 [.35, .59]'
    """
    if estimate.value != estimate.value:
        return "–"
    value = _short(f"{estimate.value:.3f}")
    if estimate.low != estimate.low:
        return value
    return f"{value} [{_short(f'{estimate.low:.2f}')}, {_short(f'{estimate.high:.2f}')}]"


def correlations(looks: Iterable[Look]) -> str:
    """Looks as a table: the correlation, and everything that must stand beside it."""
    head = ("set", "aspect", "metric", "n", "Spearman", "within systems", "given length")
    beside = ("oracle", "best trivial", "ceiling", "counts as a result")
    return table((*head, *beside), map(_cells, looks))


def _cells(look: Look) -> Sequence[object]:
    best = f"{shown(look.baseline_spearman)} {look.baseline}"
    numbers = map(shown, (look.spearman, look.within, look.given_length, look.oracle))
    verdict = "; ".join(look.objections) or "yes"
    start = (look.corpus, look.aspect, look.metric, look.n)
    return (*start, *numbers, best, shown(look.ceiling), verdict)


def _short(number: str) -> str:
    return number.replace("0.", ".", 1) if number.lstrip("-").startswith("0.") else number
