"""``dialogauge amr``: the meaning of texts as graphs, printed or drawn."""

from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
import typer

from ..dialogue import Dialogue, Turn, mend
from ..errors import InputError
from ..escaping import printable
from .console import Json, Quiet, emit, progress, remark

if TYPE_CHECKING:
    from ..amr import Graph, Parser
    from ..cognition import CognitionGraph

#: How many dialogues are parsed together.
_TOGETHER = 32


class _Parsed(msgspec.Struct, frozen=True, omit_defaults=True):
    """A text with its graph, as PENMAN and as a value with words and alignment."""

    text: str
    amr: str | None
    graph: "Graph | None"
    dialogue: str = ""
    turn: int = -1


class _Conversation(msgspec.Struct, frozen=True):
    """A conversation with its cognition graph."""

    dialogue: str
    cognition: "CognitionGraph"


def run(
    given: Annotated[
        list[str] | None,
        typer.Argument(help="Texts; or transcripts (files, - for standard input), as JSONL."),
    ] = None,
    graph: Annotated[
        Literal["amr", "dcg"],
        typer.Option(help="dcg: DCGEval's graph of each conversation, texts being turns of one."),
    ] = "amr",
    parser: Annotated[
        str, typer.Option(help="builtin, or the folder of a parser of amrlib.")
    ] = "builtin",
    draw: Annotated[
        Path | None, typer.Option(help="Draw the graph of one text, or conversation, as SVG.")
    ] = None,
    dialogue: Annotated[
        str, typer.Option(help="With --graph dcg: the conversation of this id alone.")
    ] = "",
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
    if penman and graph == "dcg":
        raise InputError("--graph dcg is made of conversations", remedy="omit --penman")
    if penman:
        _show([_read(penman)], draw, json)
        return
    given = given or []
    if graph == "dcg" and parser != "builtin":
        raise InputError("--graph dcg is made by the built-in parser", remedy="omit --parser")
    if dialogue and graph != "dcg":
        raise InputError("--dialogue chooses a cognition graph", remedy="add --graph dcg")
    if graph == "dcg":
        _conversations(given, dialogue, draw, quiet)
        return
    from ..amr import load_parser

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


def _conversations(given: list[str], id: str, draw: Path | None, quiet: bool) -> None:
    """The cognition graph of each conversation of transcripts, or of one of texts."""
    from ..cognition import cognition_graphs
    from ..cognition.drawing import draw as draw_graph

    chosen = (each for each in _given(given, quiet) if not id or each.id == id)
    first = list(islice(chosen, 2))
    if (id or draw) and not first:
        what = f"there is no conversation {id!r}" if id else "there is no conversation to draw"
        raise InputError(what, remedy="see the ids of the transcript")
    if draw and len(first) > 1:
        remedy = "choose one by its id (--dialogue)"
        raise InputError("--draw draws the graph of one conversation", remedy=remedy)
    remaining, left_out = chain(first, chosen), 0
    while some := list(islice(remaining, _TOGETHER)):
        for each, cognition in zip(some, cognition_graphs(some), strict=True):
            left_out += cognition.left_out
            if draw:
                draw_graph(cognition, each, draw)
            else:
                emit(_Conversation(each.id, cognition))
    if left_out:
        remark(f"concepts of long turns that are left out: {left_out:,}", quiet)


def _given(given: list[str], quiet: bool) -> Iterator[Dialogue]:
    """What is said in a conversation of the texts, and in those of the transcripts."""
    from ..formats import read

    texts = [mend(each, lambda _: None) for each in given if not _is_transcript(each)]
    if texts:
        yield Dialogue("texts", tuple(Turn("AB"[at % 2], text) for at, text in enumerate(texts)))
    if paths := [each for each in given if _is_transcript(each)]:
        dialogues = read(paths)
        with progress("graphs", dialogues, quiet) as step:
            yield from (step(each).spoken for each in dialogues)


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
