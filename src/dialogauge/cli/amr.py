"""``dialogauge amr``: the meaning of texts as graphs, printed or drawn."""

from itertools import islice
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
    if penman:
        _show([_read(penman)], draw, json)
        return
    given = given or []
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
    from ..cognition import cognition_graph
    from ..formats import read

    texts = [mend(each, lambda _: None) for each in given if not _is_transcript(each)]
    paths = [each for each in given if _is_transcript(each)]
    spoken = tuple(Turn("AB"[at % 2], text) for at, text in enumerate(texts))
    said = [Dialogue("texts", spoken)] if texts else []
    every = (each for some in (said, read(paths) if paths else ()) for each in some)
    chosen = (each for each in every if not id or each.id == id)
    drawn = 0
    with progress("graphs", chosen, quiet) as step:
        for conversation in map(step, chosen):
            own = conversation.spoken
            graph = cognition_graph(own)
            drawn += 1
            if draw and drawn > 1:
                remedy = "choose one by its id (--dialogue)"
                raise InputError("--draw draws the graph of one conversation", remedy=remedy)
            if draw:
                from ..cognition.drawing import draw as draw_graph

                draw_graph(graph, own, draw)
            else:
                emit(_Conversation(conversation.id, graph))
    if id and not drawn:
        raise InputError(f"there is no conversation {id!r}", remedy="see the ids of the transcript")


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
