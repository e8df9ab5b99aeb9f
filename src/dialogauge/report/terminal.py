"""Scores for a terminal: a table of dialogues, a conversation with its turns marked, means."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..dialogue import Dialogue
from ..meta import Estimate
from ..printable import printable
from ..scores import Row

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

Pairs = Sequence[tuple[Dialogue, Row]]


class Means:
    """Running mean and spread of each metric: memory does not grow with the dialogues."""

    def __init__(self) -> None:
        self.rows = 0
        self._moments: dict[str, tuple[int, float, float]] = {}

    def add(self, row: Row) -> None:
        """Take a row into account; a score of NaN is not counted."""
        self.rows += 1
        for name in row.scores:
            value = row.judged(name)
            n, mean, spread = self._moments.get(name, (0, 0.0, 0.0))
            if not math.isnan(value):  # Welford's update
                n += 1
                step = value - mean
                mean += step / n
                spread += step * (value - mean)
            self._moments[name] = n, mean, spread

    def estimates(self) -> dict[str, Estimate]:
        """Each metric's mean with its 95 % interval (Student's t)."""
        return {name: _mean(*moments) for name, moments in self._moments.items()}

    def silent(self) -> list[str]:
        """The metrics that gave no number at all."""
        return [name for name, (n, _, _) in self._moments.items() if not n]

    def __str__(self) -> str:
        return ", ".join(f"{name} {estimate}" for name, estimate in self.estimates().items())


def _mean(n: int, mean: float, spread: float) -> Estimate:
    from scipy.special import stdtrit

    if n < 2:
        return Estimate(mean if n else math.nan, n=n)
    margin = float(stdtrit(n - 1, 0.975)) * math.sqrt(spread / (n - 1) / n)
    return Estimate(mean, mean - margin, mean + margin, n)


def summary(pairs: Pairs, means: Means) -> "Table":
    """A row per dialogue and, last, the means and their 95 % intervals."""
    estimates = means.estimates()
    systems = any(dialogue.system for dialogue, _ in pairs)
    table = _table("dialogue", *(("system",) if systems else ()), "turns", *estimates)
    for dialogue, row in pairs:
        system = (text(dialogue.system),) if systems else ()
        values = (number(row.judged(name)) for name in estimates)
        table.add_row(text(dialogue.id, 40), *system, str(len(dialogue.turns)), *values)
    table.add_section()
    blanks = ("", "") if systems else ("",)
    table.add_row(
        f"mean of {means.rows:,}", *blanks, *(number(it.value) for it in estimates.values())
    )
    table.add_row("95 % interval", *blanks, *(_interval(it) for it in estimates.values()))
    return table


def conversation(dialogue: Dialogue, row: Row) -> "Table":
    """The turns of one dialogue with their scores; the lowest of each metric is marked."""
    scored = {name: score.turns for name, score in row.scores.items() if score.turns}
    title = f"{dialogue.id}  " + "  ".join(
        f"{name} {number(row.judged(name))}" for name in row.scores
    )
    table = _table("speaker", "text", *scored)
    table.title, table.title_justify, table.title_style = text(title), "left", "bold"
    table.columns[1].ratio, table.columns[1].justify = 1, "left"
    lowest = {name: _lowest(turns) for name, turns in scored.items()}
    for at, turn in enumerate(dialogue.turns):
        cells = [
            text(number(turns[at]) + (" ◀" if at == lowest[name] else "  "))
            for name, turns in scored.items()
        ]
        style = "dim" if turn.aside else "bold" if at in lowest.values() else ""
        table.add_row(text(turn.speaker, 20), text(turn.text, 300, keep="\n"), *cells, style=style)
    return table


def _lowest(turns: Sequence[float]) -> int:
    """The one turn that scores lowest, -1 when there is none or several tie."""
    scored = [value for value in turns if not math.isnan(value)]
    if len(scored) < 2 or scored.count(min(scored)) > 1:
        return -1
    return turns.index(min(scored))


def listing(kind: str, rows: Mapping[str, str]) -> "Table":
    """Names and what they are."""
    table = _table(kind, "")
    table.columns[1].justify = "left"
    for name, about in rows.items():
        table.add_row(text(name), text(about))
    return table


def records(rows: Sequence[Mapping[str, object]]) -> "Table":
    """Rows with the same fields."""
    table = _table(*rows[0])
    for row in rows:
        table.add_row(*(text(shown(value)) for value in row.values()))
    for column in table.columns:
        column.justify = "left"
    return table


def facts(fields: Mapping[str, object]) -> "Table":
    """Fields and their values, one below the other."""
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    for name, value in fields.items():
        table.add_row(text(name), text(shown(value)))
    return table


def shown(value: object) -> str:
    """A value for the eye."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "–"
    return f"{value:,}" if isinstance(value, int) else str(value)


def number(value: float) -> str:
    """A score for the eye; a dash where there is none."""
    return "–" if math.isnan(value) else f"{value:.3f}"


def text(content: str, limit: int = 0, keep: str = "") -> "Text":
    """Text from data: no control characters, no markup, not longer than the limit."""
    from rich.text import Text

    shown = printable(content[: limit + 1] if limit else content, keep)
    return Text(shown[: limit - 1] + "…" if limit and len(shown) > limit else shown)


def _interval(estimate: Estimate) -> str:
    return "–" if math.isnan(estimate.low) else f"{estimate.low:.2f} … {estimate.high:.2f}"


def _table(*names: str) -> "Table":
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_footer=False)
    for at, name in enumerate(names):
        table.add_column(text(name), justify="right" if at else "left", overflow="fold")
    return table
