"""An edit for the eye: the dialogue line by line, before and after, on a terminal."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from ..dialogue import Dialogue, Turn
from ..manipulate.edited import Change, Edited
from ..manipulate.manipulation import Tally
from ..report.edits import SIGNS, Example, Line, Mark, pieces
from .views import text

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

#: Of a long dialogue the turns this near to a change are shown.
NEAR = 4
STYLES: dict[Mark, tuple[str, str]] = {  # of the line, and of what changed in it
    "same": ("dim", "dim"),
    "gap": ("dim", "dim"),
    "moved": ("yellow", "yellow"),
    "before": ("", "red strike"),
    "taken out": ("", "red strike"),
    "after": ("", "bold green"),
    "put in": ("", "bold green"),
}


def example(original: Dialogue, edited: Edited) -> Example:
    """A dialogue before and after an edit, as lines."""
    kinds = dict.fromkeys(change.kind for change in edited.changes)
    return Example(edited.dialogue.id, tuple(kinds), tuple(_near(_lines(original, edited))))


def _lines(original: Dialogue, edited: Edited) -> list[Line]:
    changed = {it.turn: it for it in edited.changes if it.turn is not None}
    used = {it.was for it in edited.changes if it.was is not None}
    gone = [it for it in edited.changes if it.turn is None]
    rest = (was for was in range(len(original.turns)) if was not in used)
    lines: list[Line] = []
    for at, turn in enumerate(edited.dialogue.turns):
        change = changed.get(at)
        if change is None:
            was = next(rest)
            while gone and (gone[0].was or 0) < was:
                lines.append(_taken_out(gone.pop(0), original))
            lines.append(Line("same", turn.speaker, pieces(turn.text, ()), str(at + 1)))
        else:
            lines += _of_change(change, turn)
    return [*lines, *(_taken_out(change, original) for change in gone)]


def _of_change(change: Change, turn: Turn) -> Iterator[Line]:
    now = str((change.turn or 0) + 1)
    if change.was is None:
        yield Line("put in", turn.speaker, pieces(change.after, _after(change)), now)
    elif change.before == change.after:
        whole = pieces(change.after, [(0, len(change.after))])
        yield Line("moved", turn.speaker, whole, f"{change.was + 1} → {now}")
    else:
        was = str(change.was + 1)
        yield Line("before", turn.speaker, pieces(change.before, _before(change)), was)
        yield Line("after", turn.speaker, pieces(change.after, _after(change)), now)


def _taken_out(change: Change, original: Dialogue) -> Line:
    was = change.was or 0
    speaker = original.turns[was].speaker
    return Line("taken out", speaker, pieces(change.before, _before(change)), str(was + 1))


def _before(change: Change) -> list[tuple[int, int]]:
    return [span.before for span in change.spans]


def _after(change: Change) -> list[tuple[int, int]]:
    return [span.after for span in change.spans]


def _near(lines: list[Line]) -> Iterator[Line]:
    """The lines, runs of unchanged ones far from any change left out."""
    marks = [at for at, line in enumerate(lines) if line.mark != "same"]
    kept = {near for at in marks for near in range(at - NEAR, at + NEAR + 1)}
    hidden = 0
    for at, line in enumerate(lines):
        if at not in kept:
            hidden += 1
            continue
        if hidden:
            yield _gap(hidden)
        hidden = 0
        yield line
    if hidden:
        yield _gap(hidden)


def _gap(hidden: int) -> Line:
    return Line("gap", "", pieces(f"… {hidden} more turns …", ()))


def shown(example: Example) -> "RenderableType":
    """An example for a terminal."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE, show_header=False, pad_edge=False, expand=True)
    title = text(f"{example.id}  {' · '.join(example.kinds)}", 200)
    title.stylize("bold")
    table.title, table.title_justify, table.title_style = title, "left", ""
    for name in ("place", "sign", "speaker"):
        table.add_column(name, style="dim", no_wrap=True)
    table.add_column("text", overflow="fold", ratio=1)
    for line in example.lines:
        _add(table, line)
    return table


def _add(table: "Table", line: Line) -> None:
    from rich.text import Text

    style, mark = STYLES[line.mark]
    said = Text(style=style)
    for piece in line.pieces:
        part = text(piece.text, keep="\n")
        if piece.changed:
            part.stylize(mark)
        said.append_text(part)
    table.add_row(text(line.place), text(SIGNS[line.mark]), text(line.speaker, 20), said)


class Count(msgspec.Struct, frozen=True):
    """What became of one manipulation."""

    name: str
    asked: int
    applied: int
    refused: dict[str, int]


def counts(tally: Tally) -> list[Count]:
    """A row for each manipulation that was asked for."""
    rows = []
    for name, asked in tally.asked.items():
        reasons = {why: n for (whose, why), n in tally.refused.most_common() if whose == name}
        rows.append(Count(name, asked, tally.applied[name], reasons))
    return rows
