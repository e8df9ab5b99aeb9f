"""``dialogauge amr``: the meaning of texts as graphs, printed or drawn."""

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from ..dialogue import mend
from ..errors import InputError
from ..escaping import printable
from .console import Json, Quiet, emit, progress, remark

if TYPE_CHECKING:
    from ..amr import Graph, Parser

#: How many dialogues are parsed together.
_TOGETHER = 32


class _Parsed(msgspec.Struct, frozen=True, omit_defaults=True):
    """A text with its graph, as PENMAN and as a value with words and alignment."""

    text: str
    amr: str | None
    graph: "Graph | None"
    dialogue: str = ""
    turn: int = -1


def run(
    given: Annotated[
        list[str] | None,
        typer.Argument(help="Texts; or transcripts (files, - for standard input), as JSONL."),
    ] = None,
    parser: Annotated[
        str, typer.Option(help="builtin, or the folder of a parser of amrlib.")
    ] = "builtin",
    draw: Annotated[Path | None, typer.Option(help="Draw the graph of one text as SVG.")] = None,
    penman: Annotated[
        Path | None, typer.Option(help="Read one graph in PENMAN instead of parsing.")
    ] = None,
    json: Json = None,
    quiet: Quiet = False,
) -> None:
    """Print what a text says as an AMR graph (PENMAN); of transcripts, one JSON line per turn."""
    if bool(given) == bool(penman):
        raise InputError(
            "one of a text, a transcript and --penman is needed",
            remedy='dialogauge amr "Who told you?"',
        )
    if penman:
        _show([_read(penman)], draw, json)
        return
    from ..amr import load_parser

    given = given or []
    texts = [mend(each, lambda _: None) for each in given if not _is_transcript(each)]
    if draw and (len(texts), len(given)) != (1, 1):
        raise InputError("--draw draws the graph of one text", remedy="give one text, no file")
    loaded = load_parser(parser)
    if texts:
        _show([_row(*each) for each in zip(texts, loaded.parse(texts), strict=True)], draw, json)
    for path in filter(_is_transcript, given):
        _transcript(path, loaded, quiet)
    if failed := loaded.counts.failed:
        remark(f"texts without a graph: {failed:,}", quiet)


def _show(rows: list[_Parsed], draw: Path | None, json: bool | None) -> None:
    if json:
        for row in rows:
            emit(row)
    elif written := [row.amr for row in rows if row.amr]:
        typer.echo(printable("\n\n".join(written), keep="\n"))
    graph = rows[0].graph
    if draw and graph:
        from ..amr.drawing import draw as draw_graph

        draw_graph(graph, draw)


def _transcript(path: str, parser: "Parser", quiet: bool) -> None:
    from ..formats import read

    dialogues = read([path])
    with progress("parsing", dialogues, quiet) as step:
        remaining = map(step, dialogues)
        while some := list(islice(remaining, _TOGETHER)):
            places = [(each.id, turn) for each in some for turn in range(len(each.turns))]
            texts = [turn.text for each in some for turn in each.turns]
            for place, text, graph in zip(places, texts, parser.parse(texts), strict=True):
                emit(_row(text, graph, *place))


def _row(text: str, graph: "Graph | None", dialogue: str = "", turn: int = -1) -> _Parsed:
    from ..amr import encode

    return _Parsed(text, encode(graph) if graph else None, graph, dialogue, turn)


def _read(path: Path) -> _Parsed:
    """The graph of a file; a mistake in it is shown with a caret below the place."""
    from ..amr import NotationError, decode

    try:
        graph = decode(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        problem = getattr(error, "strerror", None) or error
        raise InputError(f"cannot be read: {problem}", file=str(path)) from None
    except NotationError as error:
        for line in error.excerpt.splitlines():
            remark(line)
        raise InputError(error.problem, file=str(path), line=error.line) from None
    return _row(graph.text, graph)


def _is_transcript(given: str) -> bool:
    try:
        return given == "-" or Path(given).is_file()
    except (OSError, ValueError):  # too long for a path, or with a NUL
        return False
