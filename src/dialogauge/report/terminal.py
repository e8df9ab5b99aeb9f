"""For a terminal: numbers, texts and tables, and scores shown with them.

Texts and names come from data, so every one passes through :func:`~dialogauge.escaping.printable`
and stands in a ``rich.text.Text``, where markup means nothing.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ..dialogue import Dialogue
from ..escaping import printable
from ..meta.estimate import Estimate
from ..meta.means import Means
from ..scores import Cause, Row, Score

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

#: Of the words that broke a turn, so many parts are shown, and so many characters of each.
_PARTS, _QUOTED = 3, 20

#: In place of a score that a row does not have.
_NOTHING = Score(math.nan)


def number(value: float, absent: str = "–", places: int = 3) -> str:
    """A score for the eye; a dash where there is none."""
    return absent if math.isnan(value) else f"{value:.{places}f}"


def interval(estimate: Estimate, places: int) -> str:
    """An interval in a column of its own; empty where there is none."""
    low, high = estimate.low, estimate.high
    return "" if math.isnan(low) else f"{low:.{places}f} … {high:.{places}f}"


def _ends(row: Row, metric: str, between: str) -> str:
    """Where people's judgement lies; empty where the metric does not say."""
    return between.join(number(end, places=2) for end in row.interval(metric) or ())


def text(content: str, limit: int = 0, keep: str = "") -> "Text":
    """Text from data: no control characters, no markup, not longer than the limit."""
    from rich.text import Text

    shown = printable(content[: limit + 1] if limit else content, keep)
    return Text(shown[: limit - 1] + "…" if limit and len(shown) > limit else shown)


def table(*names: str, whole: bool = False) -> "Table":
    """A table without rows, numbers to the right; ``whole``: they are never broken into lines."""
    from rich import box
    from rich.table import Table

    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_footer=False)
    for at, name in enumerate(names):
        grid.add_column(text(name), justify="right" if at else "left", overflow="fold")
        if at and whole:
            grid.columns[at].overflow, grid.columns[at].no_wrap = "ellipsis", True
    return grid


def records(rows: Sequence[Mapping[str, object]]) -> "Table":
    """Rows with the same fields."""
    grid = table(*rows[0])
    for row in rows:
        grid.add_row(*(text(_shown(value)) for value in row.values()))
    for column in grid.columns:
        column.justify = "left"
    return grid


def facts(fields: Mapping[str, object]) -> "Table":
    """Fields and their values, one below the other."""
    from rich.table import Table

    grid = Table(box=None, show_header=False, pad_edge=False)
    for name, value in fields.items():
        grid.add_row(text(name), text(_shown(value)))
    return grid


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "–"
    return f"{value:,}" if isinstance(value, int) else str(value)


class _Column(NamedTuple):
    """A column of the summary: what it shows of a dialogue, and in the two rows below."""

    name: str
    cell: "Callable[[Dialogue, Row], Text | str]"
    mean: str = ""
    bounds: str = ""


def summary(pairs: Sequence[tuple[Dialogue, Row]], means: Means) -> "Table":
    """A row per dialogue and, last, the means and their 95 % intervals.

    Behind a metric stands where people's judgement lies, and last which turn broke, if they say so.
    """
    weakest = [*_weakest_columns(pairs)]
    columns = [*_dialogue_columns(pairs, means), *_metric_columns(pairs, means), *weakest]
    grid = table(*(column.name for column in columns))
    for each in grid.columns[len(columns) - len(weakest) :]:
        each.justify = "left"
    for dialogue, row in pairs:
        grid.add_row(*(column.cell(dialogue, row) for column in columns))
    grid.add_section()
    grid.add_row(*(column.mean for column in columns))
    grid.add_row(*(column.bounds for column in columns))
    return grid


def _dialogue_columns(pairs: Sequence[tuple[Dialogue, Row]], means: Means) -> Iterator[_Column]:
    mean = f"mean of {means.rows:,}"
    yield _Column("dialogue", lambda dialogue, _: text(dialogue.id, 40), mean, "95 % interval")
    if any(dialogue.system for dialogue, _ in pairs):
        yield _Column("system", lambda dialogue, _: text(dialogue.system))
    yield _Column("turns", lambda dialogue, _: str(len(dialogue.turns)))


def _metric_columns(pairs: Sequence[tuple[Dialogue, Row]], means: Means) -> Iterator[_Column]:
    for name, mean in means.estimates().items():
        value = partial(_value, name)
        yield _Column(name, value, number(mean.value), interval(mean, 2) or "–")
        if any(row.interval(name) for _, row in pairs):
            yield _Column("90 %", partial(_likely, name))


def _weakest_columns(pairs: Sequence[tuple[Dialogue, Row]]) -> Iterator[_Column]:
    scored = [(name, score) for _, row in pairs for name, score in row.scores.items()]
    names = dict.fromkeys(name for name, score in scored if score.turns and score.causes)
    for name in names:
        title = f"weakest by {name}" if len(names) > 1 else "weakest turn"
        yield _Column(title, partial(_weakest, name))


def _value(metric: str, _: Dialogue, row: Row) -> str:
    return number(row.value(metric))


def _likely(metric: str, _: Dialogue, row: Row) -> str:
    return _ends(row, metric, " … ") or "–"


def _weakest(metric: str, _: Dialogue, row: Row) -> "Text":
    """The number of the lowest turn, from 1, and what broke there."""
    score = row.scores.get(metric, _NOTHING)
    at = _lowest(score.turns)
    names = dict.fromkeys(cause.name for cause in score.causes if cause.turn == at)
    return text(f"{at + 1} {', '.join(names)}".rstrip() if at >= 0 else "–", 40)


def aspects(pairs: Sequence[tuple[Dialogue, Row]]) -> "list[Table]":
    """Of each metric that judges parts: a row per dialogue and a column per aspect."""
    parts: dict[str, dict[str, None]] = {}
    for _, row in pairs:
        for name, score in row.scores.items():
            if score.aspects:
                parts.setdefault(name, {}).update(dict.fromkeys(score.aspects))
    return [_aspects(pairs, name, [*columns]) for name, columns in parts.items()]


def _aspects(pairs: Sequence[tuple[Dialogue, Row]], metric: str, columns: Sequence[str]) -> "Table":
    grid = _titled(table("dialogue", *columns), f"aspects of {metric}")
    for dialogue, row in pairs:
        values = row.scores.get(metric, _NOTHING).aspects
        cells = (number(values.get(each, math.nan), places=2) for each in columns)
        grid.add_row(text(dialogue.id, 40), *cells)
    return grid


def _titled(grid: "Table", title: str) -> "Table":
    grid.title, grid.title_justify, grid.title_style = text(title), "left", "bold"
    return grid


def conversation(dialogue: Dialogue, row: Row) -> "Table":
    """The turns of one dialogue with their scores; the lowest of each metric is marked."""
    scored = {name: score.turns for name, score in row.scores.items() if score.turns}
    values = "  ".join(_named(row, name) for name in row.scores)
    grid = _titled(table("speaker", "text", *scored), f"{dialogue.id}  {values}")
    grid.columns[1].ratio, grid.columns[1].justify = 1, "left"
    lowest = {name: _lowest(turns) for name, turns in scored.items()}
    why = {name: _reasons(dialogue, row.scores[name].causes) for name in scored}
    for at, turn in enumerate(dialogue.turns):
        cells = [
            text(
                f"{number(turns[at])}{' ◀' if at == lowest[name] else '  '}{why[name].get(at, '')}",
                keep="\n",
            )
            for name, turns in scored.items()
        ]
        style = "dim" if turn.aside else "bold" if at in lowest.values() else ""
        grid.add_row(text(turn.speaker, 20), text(turn.text, 300, keep="\n"), *cells, style=style)
    return grid


def _named(row: Row, metric: str) -> str:
    """A metric's name, the number, and where people's judgement lies, if the metric says."""
    where = _ends(row, metric, ", ")
    return f"{metric} {number(row.value(metric))}{where and f' [{where}]'}"


def _reasons(dialogue: Dialogue, causes: Sequence[Cause]) -> dict[int, str]:
    """What broke at each turn, in lines below its number: the cause, and the words."""
    reasons: dict[int, str] = {}
    for cause in causes:
        said = dialogue.turns[cause.turn].text
        parts = (" ".join(said[start:end].split()) for start, end in cause.spans)
        quoted = "".join(f"\n“{_cut(part)}”" for part in list(parts)[:_PARTS])
        reasons[cause.turn] = f"{reasons.get(cause.turn, '')}\n{cause.name}{quoted}"
    return reasons


def _cut(words: str) -> str:
    return words if len(words) <= _QUOTED else f"{words[: _QUOTED - 1].rstrip()}…"


def _lowest(turns: Sequence[float]) -> int:
    """The one turn that scores lowest, -1 when there is none or several tie."""
    scored = [value for value in turns if not math.isnan(value)]
    if len(scored) < 2 or scored.count(min(scored)) > 1:
        return -1
    return turns.index(min(scored))
