"""What every command shares: where output goes, progress, and errors as one line.

A table on a terminal, JSON in a pipe, ``--json`` anywhere. Whatever comes out of a transcript is
hostile text: it is shown through :func:`~dialogauge.printable.printable`, never as markup.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from ..printable import printable

if TYPE_CHECKING:
    from rich.console import Console

    from ..formats import Dialogues

Json = Annotated[
    bool | None,
    typer.Option("--json/--table", help="Default: a table on a terminal, JSON in a pipe."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar and no remarks.")]
MetricNames = Annotated[
    list[str] | None,
    typer.Option("--metric", "-m", help="A metric; repeat it or use commas for several."),
]


def out() -> "Console":
    """Standard output; colours only on a terminal."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)


def err() -> "Console":
    """Standard error, for progress and remarks."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def wants_table(json: bool | None) -> bool:
    """A table for a person at a terminal, data for everything else, unless they say."""
    return sys.stdout.isatty() if json is None else not json


def emit(value: Any) -> None:
    """One line of JSON on standard output."""
    sys.stdout.buffer.write(msgspec.json.encode(value) + b"\n")
    sys.stdout.buffer.flush()


def remark(text: str, quiet: bool = False) -> None:
    """A line on standard error."""
    if not quiet:
        err().print(printable(text), soft_wrap=True)


def listed(values: list[str] | None) -> list[str]:
    """``["a,b", "c"]`` as ``["a", "b", "c"]``."""
    return [part for value in values or () for part in value.split(",") if part]


@contextmanager
def progress(label: str, dialogues: "Dialogues", quiet: bool) -> Iterator[Callable[[], None]]:
    """A bar over the bytes of the input; call the result once per dialogue."""
    if quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[count]:,} dialogues"),
        TimeRemainingColumn(),
    )
    count = 0
    with Progress(*columns, console=err(), transient=True) as bar:
        task = bar.add_task(label, total=dialogues.size or None, count=0)

        def step() -> None:
            nonlocal count
            count += 1
            if count % 64 == 0:
                bar.update(task, completed=dialogues.tell(), count=count)

        yield step
