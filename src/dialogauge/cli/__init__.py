"""The command line: one small module per command. Each parses, reads, makes one call, writes.

Exit codes: 0 well; 1 a comparison or gate that says no; 2 a user's mistake, told in one line;
130 interrupted (a run with --out goes on later).
"""

import os
import sys
from typing import NoReturn

import typer

from ..errors import DialogaugeError
from . import amr, compare, concepts, corpora, manipulate, meta, models, reproduce, score, train
from .console import remark

app = typer.Typer(
    name="dialogauge",
    help="Score conversations, and say how far each score can be trusted.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for _module in (score, meta, compare, train, concepts, amr, manipulate, reproduce):
    app.command(_module.__name__.rpartition(".")[2])(_module.run)
app.add_typer(corpora.app, name="corpora")
app.add_typer(models.app, name="models")


@app.callback(invoke_without_command=True)
def _version(
    version: bool = typer.Option(False, "--version", help="Print the version and leave."),
) -> None:
    if version:
        from .. import __version__

        typer.echo(f"dialogauge {__version__}")
        raise typer.Exit


def main() -> None:
    """Run a command; a user's mistake is one line and exit code 2."""
    try:
        app()
    except DialogaugeError as error:
        _leave(str(error))
    except OSError as error:  # what is left: a device that fails, or standard output is full
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the last flush is harmless
        _leave(f"{error.filename or 'standard output'}: {error.strerror or error}")


def _leave(problem: str) -> NoReturn:
    remark(f"dialogauge: {problem}")
    sys.exit(2)
