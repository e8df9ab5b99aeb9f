"""Edited dialogues for the eye: line by line, on a terminal or on one page to review them.

The page is one file without scripts that loads nothing. Its texts come from transcripts: they are
escaped, and characters that act on their surroundings are written out.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from .. import atomic
from ..dialogue import Dialogue, Turn
from ..escaping import printable
from ..manipulate.edited import Change, Edited
from ..manipulate.manipulation import Tally
from .terminal import text

if TYPE_CHECKING:
    from rich.console import RenderableType

_Mark = Literal["same", "before", "after", "moved", "taken out", "put in", "gap"]


class _Look(msgspec.Struct, frozen=True):
    """How a line looks: its sign, its style on a terminal and that of what changed, its tag."""

    sign: str
    style: str
    changed: str
    tag: str = ""


_LOOKS: Mapping[_Mark, _Look] = {
    "same": _Look(" ", "dim", "dim"),
    "gap": _Look(" ", "dim", "dim"),
    "moved": _Look("↕", "yellow", "yellow"),
    "before": _Look("−", "", "red strike", "del"),
    "taken out": _Look("−", "", "red strike", "del"),
    "after": _Look("+", "", "bold green", "ins"),
    "put in": _Look("+", "", "bold green", "ins"),
}


class _Piece(msgspec.Struct, frozen=True, gc=False):
    """Some text of a line, and whether it is what changed."""

    text: str
    changed: bool = False


class _Line(msgspec.Struct, frozen=True, gc=False):
    """One turn before or after an edit, or a gap of turns that are not shown."""

    mark: _Mark
    speaker: str
    pieces: tuple[_Piece, ...]
    place: str = ""  # the turn's number; of a moved one, the old one too


class Example(msgspec.Struct, frozen=True):
    """A dialogue before and after an edit."""

    id: str
    kinds: tuple[str, ...]
    lines: tuple[_Line, ...]


#: Longer texts are cut: a page is for reading.
_LONGEST = 2_000
#: Of a long dialogue the turns this near to a change are shown.
_NEAR = 4


def example(original: Dialogue, edited: Edited) -> Example:
    """A dialogue before and after an edit, as lines."""
    kinds = dict.fromkeys(change.kind for change in edited.changes)
    return Example(edited.dialogue.id, tuple(kinds), tuple(_near(_lines(original, edited))))


def _lines(original: Dialogue, edited: Edited) -> list[_Line]:
    changed = {it.turn: it for it in edited.changes if it.turn is not None}
    used = {it.was for it in edited.changes if it.was is not None}
    gone = [it for it in edited.changes if it.turn is None]
    rest = (was for was in range(len(original.turns)) if was not in used)
    lines: list[_Line] = []

    def taken_out(change: Change) -> _Line:
        return _before("taken out", change, original.turns[change.was or 0])

    for at, turn in enumerate(edited.dialogue.turns):
        change = changed.get(at)
        if change is None:
            was = next(rest)
            while gone and (gone[0].was or 0) < was:
                lines.append(taken_out(gone.pop(0)))
            lines.append(_Line("same", turn.speaker, _pieces(turn.text, ()), str(at + 1)))
        else:
            lines += _of_change(change, turn)
    return [*lines, *map(taken_out, gone)]


def _of_change(change: Change, turn: Turn) -> Iterator[_Line]:
    now = str((change.turn or 0) + 1)
    after = _pieces(change.after, [span.after for span in change.spans])
    if change.was is None:
        yield _Line("put in", turn.speaker, after, now)
    elif change.before == change.after:
        whole = _pieces(change.after, [(0, len(change.after))])
        yield _Line("moved", turn.speaker, whole, f"{change.was + 1} → {now}")
    else:
        yield _before("before", change, turn)
        yield _Line("after", turn.speaker, after, now)


def _before(mark: _Mark, change: Change, turn: Turn) -> _Line:
    pieces = _pieces(change.before, [span.before for span in change.spans])
    return _Line(mark, turn.speaker, pieces, str((change.was or 0) + 1))


def _near(lines: list[_Line]) -> Iterator[_Line]:
    """The lines, runs of unchanged ones far from any change left out."""
    changed = [at for at, line in enumerate(lines) if line.mark != "same"]
    kept = {near for at in changed for near in range(at - _NEAR, at + _NEAR + 1)}
    for near, places in groupby(range(len(lines)), kept.__contains__):
        some = [lines[at] for at in places]
        gap = _Line("gap", "", (_Piece(f"… {len(some)} more turns …"),))
        yield from some if near else [gap]


def _pieces(text: str, spans: Iterable[tuple[int, int]]) -> tuple[_Piece, ...]:
    """A text cut at the spans that changed.

    >>> [(it.text, it.changed) for it in _pieces("I hate tea.", [(2, 6)])]
    [('I ', False), ('hate', True), (' tea.', False)]
    """
    parts, at = [], 0
    shown = text[:_LONGEST]
    for start, end in spans:
        parts += [_Piece(shown[at:start]), _Piece(shown[start:end], True)]
        at = end
    parts += [_Piece(shown[at:]), _Piece("…" if len(text) > _LONGEST else "")]
    return tuple(piece for piece in parts if piece.text)


def shown(example: Example) -> "RenderableType":
    """An example for a terminal."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE, show_header=False, pad_edge=False, expand=True)
    title = text(f"{example.id}  {' · '.join(example.kinds)}", 200)
    title.stylize("bold")
    table.title, table.title_justify, table.title_style = title, "left", ""
    for name in ("place", "sign", "speaker"):
        table.add_column(name, style="dim", no_wrap=True)
    table.add_column("text", overflow="fold", ratio=1)
    for line in example.lines:
        look = _LOOKS[line.mark]
        turn = Text(style=look.style)
        for piece in line.pieces:
            part = text(piece.text, keep="\n")
            if piece.changed:
                part.stylize(look.changed)
            turn.append_text(part)
        table.add_row(text(line.place), text(look.sign), text(line.speaker, 20), turn)
    return table


#: How many examples of each manipulation a page shows.
ON_A_PAGE = 50


class Review:
    """A page to review edits on: so many examples of each manipulation."""

    def __init__(self) -> None:
        self._examples: dict[str, list[Example]] = defaultdict(list)
        self.left_out = 0

    def add(self, name: str, example: Example) -> None:
        """Take an example, unless there are enough of its kind."""
        if len(self._examples[name]) < ON_A_PAGE:
            self._examples[name].append(example)
        else:
            self.left_out += 1

    def write(self, path: Path, about: Callable[[str], str]) -> None:
        """Write the page; ``about`` says what a manipulation does."""
        with atomic.writing(path) as file:
            for part in self._page(about):
                file.write(part.encode("utf-8", "replace"))

    def _page(self, about: Callable[[str], str]) -> Iterator[str]:
        yield Path(__file__).with_name("edits.html").read_text("utf-8")
        yield "<nav>" + " ".join(
            f'<a href="#c{at}">{_escaped(name)}</a> ({len(examples)})'
            for at, (name, examples) in enumerate(self._examples.items())
        )
        yield "</nav>\n"
        for at, (name, examples) in enumerate(self._examples.items()):
            yield f'<h2 id="c{at}">{_escaped(name)}</h2>\n<p>{_escaped(about(name))}</p>\n'
            for place, example in enumerate(examples, 1):
                yield _section(place, example)
        yield "</main>\n"


def _section(number: int, example: Example) -> str:
    rows = "".join(map(_row, example.lines))
    kinds = _escaped(" · ".join(example.kinds))
    head = f"{number}. {_escaped(example.id)} <small>{kinds}</small>"
    return f"<section><h3>{head}</h3>\n<table>\n{rows}</table></section>\n"


def _row(line: _Line) -> str:
    look = _LOOKS[line.mark]
    turn = "".join(
        f"<{look.tag}>{_escaped(it.text)}</{look.tag}>"
        if look.tag and it.changed
        else _escaped(it.text)
        for it in line.pieces
    )
    cells = (_escaped(line.place), look.sign, _escaped(line.speaker[:40]), turn)
    style = line.mark.replace(" ", "-")
    return f'<tr class="{style}">' + "".join(f"<td>{it}</td>" for it in cells) + "</tr>\n"


def _escaped(text: str) -> str:
    return escape(printable(text, keep="\n\t"))


def account(tally: Tally) -> list[dict[str, object]]:
    """A row for each manipulation: how often it was asked and applied, and why it was not."""
    reasons: dict[str, list[str]] = defaultdict(list)
    for (name, why), times in tally.refused.most_common():
        reasons[name].append(f"{why} ({times:,})")
    return [
        {
            "manipulation": name,
            "asked": asked,
            "applied": tally.applied[name],
            "not": "; ".join(reasons[name]) or "–",
        }
        for name, asked in tally.asked.items()
    ]
