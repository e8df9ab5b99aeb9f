"""Edited dialogues for the eye: what stands in each line, and one page to review them on.

An :class:`Example` is a dialogue before and after an edit, line by line; a terminal and the page
show the same. The page is one file without scripts that loads nothing and follows the reader's
light or dark setting. Its texts come from transcripts: they are escaped, and characters that act
on their surroundings are written out.
"""

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Literal

import msgspec

from ..printable import printable

Mark = Literal["same", "before", "after", "moved", "taken out", "put in", "gap"]

#: Longer texts are cut: a page is for reading.
LONGEST = 2_000

SIGNS: Mapping[Mark, str] = {
    "same": " ",
    "before": "−",
    "after": "+",
    "moved": "↕",
    "taken out": "−",
    "put in": "+",
    "gap": " ",
}


class Piece(msgspec.Struct, frozen=True, gc=False):
    """Some text of a line, and whether it is what changed."""

    text: str
    changed: bool = False


class Line(msgspec.Struct, frozen=True, gc=False):
    """One turn before or after an edit, or a gap of turns that are not shown."""

    mark: Mark
    speaker: str
    pieces: tuple[Piece, ...]
    place: str = ""  # the turn's number; of a moved one, the old one too


class Example(msgspec.Struct, frozen=True):
    """A dialogue before and after an edit."""

    id: str
    kinds: tuple[str, ...]
    lines: tuple[Line, ...]


class Chapter(msgspec.Struct, frozen=True):
    """A manipulation, what it does and is expected to do, and examples of it."""

    name: str
    about: str
    examples: tuple[Example, ...]


def pieces(text: str, spans: Iterable[tuple[int, int]]) -> tuple[Piece, ...]:
    """A text cut at the spans that changed.

    >>> [(it.text, it.changed) for it in pieces("I hate tea.", [(2, 6)])]
    [('I ', False), ('hate', True), (' tea.', False)]
    """
    found, at = [], 0
    shown = text[:LONGEST]
    for start, end in spans:
        found += [Piece(shown[at:start]), Piece(shown[start:end], True)]
        at = end
    found += [Piece(shown[at:]), Piece("…" if len(text) > LONGEST else "")]
    return tuple(piece for piece in found if piece.text)


def page(title: str, chapters: Iterable[Chapter]) -> Iterator[str]:
    """The page, a part at a time."""
    chapters = list(chapters)
    yield _HEAD.replace("TITLE", _shown(title))
    yield "<nav>" + " ".join(
        f'<a href="#c{at}">{_shown(each.name)}</a> ({len(each.examples)})'
        for at, each in enumerate(chapters)
    )
    yield "</nav>\n"
    for at, chapter in enumerate(chapters):
        yield f'<h2 id="c{at}">{_shown(chapter.name)}</h2>\n<p>{_shown(chapter.about)}</p>\n'
        for number, example in enumerate(chapter.examples, 1):
            yield _example(number, example)
    yield "</main>\n"


def _example(number: int, example: Example) -> str:
    kinds = " · ".join(example.kinds)
    rows = "".join(map(_row, example.lines))
    head = f"{number}. {_shown(example.id)} <small>{_shown(kinds)}</small>"
    return f"<section><h3>{head}</h3>\n<table>\n{rows}</table></section>\n"


def _row(line: Line) -> str:
    tag = {"before": "del", "taken out": "del", "after": "ins", "put in": "ins"}.get(line.mark)
    text = "".join(
        f"<{tag}>{_shown(it.text)}</{tag}>" if tag and it.changed else _shown(it.text)
        for it in line.pieces
    )
    cells = (_shown(line.place), SIGNS[line.mark], _shown(line.speaker[:40]), text)
    style = line.mark.replace(" ", "-")
    return f'<tr class="{style}">' + "".join(f"<td>{it}</td>" for it in cells) + "</tr>\n"


def _shown(text: str) -> str:
    return escape(printable(text, keep="\n\t"))


_HEAD = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>TITLE</title>
<style>
:root { color-scheme: light dark; --ink: #1c1c1c; --paper: #fff; --faint: #777; --line: #ddd;
  --out: #ffd9d6; --in: #cfeed4; --row: #f6f6f6; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e6; --paper: #161616; --faint: #999;
  --line: #3a3a3a; --out: #6b2420; --in: #1f5a2c; --row: #202020; } }
body { color: var(--ink); background: var(--paper); font: 15px/1.45 system-ui, sans-serif; }
main { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
nav { color: var(--faint); } a { color: inherit; }
h2 { margin-top: 3rem; border-bottom: 2px solid var(--line); }
h3 { font-size: 1em; margin: 1.6rem 0 .3rem; } small { color: var(--faint); font-weight: normal; }
table { border-collapse: collapse; width: 100%; }
td { vertical-align: top; padding: .15rem .5rem; white-space: pre-wrap; overflow-wrap: anywhere;
  border-top: 1px solid var(--line); }
td:nth-child(-n+3) { color: var(--faint); white-space: nowrap; }
td:last-child { width: 100%; }
.same td, .gap td { color: var(--faint); }
.before, .after, .moved, .taken-out, .put-in { background: var(--row); }
del { background: var(--out); } ins { background: var(--in); text-decoration: none; }
</style>
<main>
<h1>TITLE</h1>
"""
