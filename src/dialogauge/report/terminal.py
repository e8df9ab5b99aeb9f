"""For a terminal: numbers, texts and tables, and scores shown with them.

Texts and names come from data, so every one passes through :func:`~dialogauge.escaping.printable`
and stands in a ``rich.text.Text``, where markup means nothing.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..dialogue import Dialogue
from ..escaping import printable
from ..meta.estimate import Estimate
from ..meta.means import Means
from ..scores import Cause, Row

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

#: Of the words that broke a turn, so many parts are shown, and so many characters of each.
_PARTS, _QUOTED = 3, 20


def number(value: float, absent: str = "–") -> str:
    """A score for the eye; a dash where there is none."""
    return absent if math.isnan(value) else f"{value:.3f}"


def interval(estimate: Estimate, places: int) -> str:
    """An interval in a column of its own; empty where there is none."""
    low, high = estimate.low, estimate.high
    return "" if math.isnan(low) else f"{low:.{places}f} … {high:.{places}f}"


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


def summary(pairs: Sequence[tuple[Dialogue, Row]], means: Means) -> "Table":
    """A row per dialogue and, last, the means and their 95 % intervals."""
    estimates = means.estimates()
    systems = any(dialogue.system for dialogue, _ in pairs)
    grid = table("dialogue", *(("system",) if systems else ()), "turns", *estimates)
    for dialogue, row in pairs:
        system = (text(dialogue.system),) if systems else ()
        values = (number(row.value(name)) for name in estimates)
        grid.add_row(text(dialogue.id, 40), *system, str(len(dialogue.turns)), *values)
    grid.add_section()
    blanks = ("", "") if systems else ("",)
    values = (number(it.value) for it in estimates.values())
    grid.add_row(f"mean of {means.rows:,}", *blanks, *values)
    grid.add_row("95 % interval", *blanks, *(interval(it, 2) or "–" for it in estimates.values()))
    return grid


def conversation(dialogue: Dialogue, row: Row) -> "Table":
    """The turns of one dialogue with their scores; the lowest of each metric is marked."""
    scored = {name: score.turns for name, score in row.scores.items() if score.turns}
    values = (f"{name} {number(row.value(name))}" for name in row.scores)
    grid = table("speaker", "text", *scored)
    grid.title, grid.title_justify = text(f"{dialogue.id}  {'  '.join(values)}"), "left"
    grid.title_style = "bold"
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
