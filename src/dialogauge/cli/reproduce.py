"""``dialogauge reproduce``: a published table, made again."""

from pathlib import Path
from typing import Annotated

import typer

from .. import atomic
from ..errors import UnknownNameError
from .console import Quiet, remark


def run(
    name: Annotated[str, typer.Argument(help="What to make again; none lists them.")] = "",
    final: Annotated[
        bool,
        typer.Option("--final", help="Look at the test sets too; every number is logged."),
    ] = False,
    retrain: Annotated[
        bool, typer.Option("--retrain", help="Train the models that do not ship; takes hours.")
    ] = False,
    docs: Annotated[
        Path, typer.Option(help="Where the log is, and pages under reproductions/.")
    ] = Path("docs"),
    quiet: Quiet = False,
) -> None:
    """Make a published table again, print it, and write its page if there is a folder of docs.

    Test sets are looked at with --final only: date, weights and every number are appended to
    test-log.jsonl in the folder of docs.
    """
    from ..reproduce import REPRODUCTIONS, Request, markdown, sections

    if not name:
        for each, page in REPRODUCTIONS.items():
            typer.echo(f"{each}: {(page.__doc__ or '').partition(chr(10))[0]}")
        return
    if name not in REPRODUCTIONS:
        raise UnknownNameError("reproduction", name, REPRODUCTIONS)
    request = Request(docs, final, (lambda what: remark(what, quiet)) if retrain else None)
    path = request.beside(f"{name}.md")
    if docs.is_dir():
        with atomic.reporting(path):
            path.parent.mkdir(exist_ok=True)
    done = []
    for title, below in sections(name, request):
        remark(title, quiet)
        done.append((title, below))
    text = markdown(name, done)
    typer.echo(text)
    if docs.is_dir():
        with atomic.writing(path) as file:
            file.write(text.encode())
        remark(f"written: {path}", quiet)
