"""``dialogauge score``: transcripts in, scores out."""

from itertools import chain, tee
from pathlib import Path
from typing import Annotated, Literal

import typer

from .. import metrics
from ..dialogue import Dialogue
from ..errors import DialogaugeError
from ..formats import FORMATS, Dialogues, read
from ..meta.means import Means
from ..report import terminal
from ..scores import Row
from ..scores.files import header_line, row_line
from ..scoring import Run, score_to
from .console import (
    EncoderName,
    Json,
    MetricNames,
    Quiet,
    chosen_metrics,
    console,
    emit,
    not_read,
    progress,
    put,
    records,
    remark,
    wants_table,
)

#: How many dialogues a terminal is shown; the others are in the summary, and in --out.
_SHOWN = 40


def run(
    paths: Annotated[
        list[str] | None, typer.Argument(help="Files, folders, globs; - is standard input.")
    ] = None,
    metric: MetricNames = None,
    encoder: EncoderName = None,
    to: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write to .jsonl, .csv or .parquet.")
    ] = None,
    turns: Annotated[bool, typer.Option("--turns", help="Show each turn with its scores.")] = False,
    aggregate: Annotated[
        str | None, typer.Option(help=f"Turns to dialogue: {', '.join(metrics.AGGREGATES)}.")
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(help=f"Force a format: {', '.join(FORMATS)}."),
    ] = None,
    columns: Annotated[
        str | None, typer.Option(help="What a table's columns hold, e.g. id=chat,text=message.")
    ] = None,
    on_error: Annotated[
        Literal["stop", "skip"], typer.Option(help="What to do with a bad record.")
    ] = "stop",
    rejects: Annotated[
        Path | None, typer.Option(help="Where skipped records go (default: rejects.jsonl).")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace finished or half-finished work.")
    ] = False,
    json: Json = None,
    quiet: Quiet = False,
    list_metrics: Annotated[bool, typer.Option("--list", help="List the metrics.")] = False,
) -> None:
    """Score dialogues, whole and turn by turn.

    Prints a table on a terminal and JSONL in a pipe. With --out the scores are written as they
    come, and the same command goes on where a killed one stopped.
    """
    if list_metrics:
        first, second = ("metric", "") if wants_table(json) else ("name", "about")
        records([{first: each, second: metrics.describe(each)} for each in metrics.names()], json)
        return
    if not paths:
        raise DialogaugeError("name what to score: a file, a folder, a glob, or - for stdin")
    default = to.with_suffix(".rejects.jsonl") if to else Path("rejects.jsonl")
    rejects = (rejects or default) if on_error == "skip" else None
    dialogues = read(
        paths, format=format, on_error=on_error, rejects=rejects, columns=_columns(columns)
    )
    as_table = to is None and wants_table(json)
    chosen = chosen_metrics(metric or [metrics.DEFAULT])
    scoring = Run.of(chosen, aggregate, turns or not as_table, encoder)
    if to is not None:
        _to_file(to, dialogues, scoring, force, json, quiet)
    elif as_table:
        _to_terminal(dialogues, scoring, quiet)
    else:
        _to_pipe(dialogues, scoring)
    _account(dialogues, rejects, quiet)
    not_read(scoring.unread, quiet)


def _columns(given: str | None) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in given.split(",")] if given else []
    if any(not equals for _, equals, _ in pairs):
        raise DialogaugeError("--columns is written as id=chat_id,speaker=who,text=message")
    return {ours.strip(): theirs.strip() for ours, _, theirs in pairs}


def _to_file(
    to: Path, dialogues: Dialogues, run: Run, force: bool, json: bool | None, quiet: bool
) -> None:
    means = Means()
    with progress("scoring", dialogues, quiet) as step:

        def advance(row: Row) -> None:
            means.add(step(row))

        try:
            count = score_to(to, dialogues, run, force=force, advance=advance)
        except KeyboardInterrupt:
            remark(f"interrupted; the same command goes on from {to}.partial", quiet)
            raise
    _silence(means, quiet)
    if json:
        summary = {"out": str(to), "dialogues": count, "means": means.estimates()}
        emit({**summary, "unread": run.unread})
    else:
        remark(f"{to}: {count:,} dialogues; mean {means}", quiet)


def _to_terminal(dialogues: Dialogues, run: Run, quiet: bool) -> None:
    means = Means()
    shown: list[tuple[Dialogue, Row]] = []
    given, scored = tee(dialogues)
    rows = chain.from_iterable(run.batches(scored))
    with progress("scoring", dialogues, quiet) as step:
        for dialogue, row in zip(given, rows, strict=True):
            means.add(step(row))
            if len(shown) < _SHOWN:
                shown.append((dialogue, row))
    terminals = console()
    if run.turns:
        for dialogue, row in shown:
            terminals.print(terminal.conversation(dialogue, row))
    terminals.print(terminal.summary(shown, means))
    for table in terminal.aspects(shown):
        terminals.print(table)
    _silence(means, quiet)
    if means.rows > len(shown):
        terminals.print(f"{means.rows - len(shown):,} more dialogues: --out FILE keeps them all")


def _silence(means: Means, quiet: bool) -> None:
    problem = "could score none of these (does it need references and level 'turn'?)"
    for name in means.silent():
        remark(f"{name} {problem}", quiet)


def _to_pipe(dialogues: Dialogues, run: Run) -> None:
    header = header_line(run.signatures)
    for batch in run.batches(dialogues):
        put(header + b"".join(map(row_line, batch)))
        header = b""  # once, and not before there is a row to follow it


def _account(dialogues: Dialogues, rejects: Path | None, quiet: bool) -> None:
    """Say what was not as it should be."""
    counts = dialogues.counts
    if counts.skipped:
        remark(f"{counts.skipped:,} bad records skipped; they are in {rejects}", quiet)
    if counts.replaced:
        remark(f"{counts.replaced:,} characters were not Unicode and became U+FFFD", quiet)
