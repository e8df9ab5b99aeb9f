"""The command line: one small module per command. Each parses, reads, makes one call, writes.

Exit codes: 0 well; 1 a comparison or gate that says no; 2 a user's mistake, told in one line;
130 interrupted.
"""

import sys

import typer

from ..errors import DialogaugeError
from . import compare, corpora, meta, score
from .console import remark

app = typer.Typer(
    name="dialogauge",
    help="Score conversations, and say how far each score can be trusted.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("score")(score.run)
app.command("meta")(meta.run)
app.command("compare")(compare.run)
app.add_typer(corpora.app, name="corpora")


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
        remark(f"dialogauge: {error}")
        sys.exit(2)
    except KeyboardInterrupt:
        remark("dialogauge: interrupted")
        sys.exit(130)
    except BrokenPipeError:  # the reader of a pipe has seen enough
        sys.stdout = None
        sys.exit(0)
