"""What every command shares: where output goes, progress, and errors as one line.

A table on a terminal, JSON in a pipe, ``--json`` anywhere. Whatever comes out of a transcript is
hostile text: it is shown through :func:`~dialogauge.escaping.printable`, never as markup.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec
import typer

from ..errors import DialogaugeError
from ..escaping import harmless_json, printable
from ..report import terminal

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from ..corpora.inputs import Input
    from ..scoring import Unread

Json = Annotated[
    bool | None,
    typer.Option("--json/--table", help="Default: a table on a terminal, JSON in a pipe."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar and no remarks.")]
MetricNames = Annotated[
    list[str] | None,
    typer.Option("--metric", "-m", help="A metric; repeat it or use commas for several."),
]
EncoderName = Annotated[
    str | None,
    typer.Option(
        "--encoder", help="Another encoder, for metrics that read one: base, or a folder."
    ),
]
Resamples = Annotated[int, typer.Option(help="Bootstrap resamples.")]
Seed = Annotated[int, typer.Option(help="Of resampling and permutation.")]

T = TypeVar("T")


def console(stderr: bool = False) -> "Console":
    """Standard output, or standard error for progress and remarks; colours on a terminal only."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)


def wants_table(json: bool | None) -> bool:
    """A table for a person at a terminal, data for everything else, unless they say."""
    return sys.stdout.isatty() if json is None else not json


def emit(value: Any) -> None:
    """One line of JSON on standard output."""
    put(msgspec.json.encode(value) + b"\n")


def put(lines: bytes) -> None:
    """Lines of JSON on standard output; on a terminal what could act on it is escaped."""
    if sys.stdout.isatty():
        lines = harmless_json(lines.decode()).encode()
    sys.stdout.buffer.write(lines)
    sys.stdout.buffer.flush()


def show(value: Any, json: bool | None, shown: "Callable[[], Iterable[RenderableType]]") -> None:
    """What stands for a value on a terminal, or the value as one line of JSON."""
    if wants_table(json):
        for part in shown():
            console().print(part)
    else:
        emit(value)


def facts(fields: Mapping[str, object], json: bool | None) -> None:
    """Fields one below the other, or as one line of JSON."""
    show(fields, json, lambda: [terminal.facts(fields)])


def records(rows: Sequence[Mapping[str, object]], json: bool | None) -> None:
    """Rows with the same fields as a table, or a line of JSON each."""
    if wants_table(json):
        console().print(terminal.records(rows))
    else:
        for row in rows:
            emit(row)


def remark(text: str, quiet: bool = False) -> None:
    """A line on standard error."""
    if not quiet:
        console(stderr=True).print(printable(text), soft_wrap=True)


def not_read(unread: "Unread", quiet: bool) -> None:
    """Say what was not read, because it was too long or not known."""
    from ..encode.reader import WINDOWS

    if unread.texts:
        count = "1 text" if unread.texts == 1 else f"{unread.texts:,} texts"
        reasons = f"beyond its {WINDOWS} windows, or signs that it does not know"
        remark(
            f"the encoder did not read {unread.characters:,} characters of {count}: {reasons}",
            quiet,
        )
    if unread.turns:
        each = ", ".join(f"{name} {turns:,}" for name, turns in unread.turns.items())
        remark(f"turns too far from the end of long dialogues to be scored: {each}", quiet)
    if unread.compared:
        each = ", ".join(f"{name} {count:,}" for name, count in unread.compared.items())
        remark(f"characters behind the beginnings of texts that are compared: {each}", quiet)


def listed(values: list[str] | None) -> list[str]:
    """``["a,b", "c"]`` as ``["a", "b", "c"]``."""
    return [part for value in values or () for part in value.split(",") if part]


def user_names(values: list[str] | None, otherwise: str) -> list[str]:
    """The names that a user chose; ``otherwise`` says what to do when there is none."""
    names = listed(values)
    if not names:
        raise DialogaugeError(otherwise)
    if any(":" in name for name in names):
        sys.path.insert(0, str(Path.cwd()))  # a module of the user's own lies where they stand
    return names


def chosen_metrics(values: list[str] | None) -> list[str]:
    """The metrics that a user chose; at least one."""
    return user_names(values, "name a metric with --metric (dialogauge score --list shows them)")


@contextmanager
def progress(label: str, dialogues: "Input", quiet: bool) -> Iterator[Callable[[T], T]]:
    """A bar over what there is to read; what it yields counts one more and gives it back."""
    if quiet or not sys.stderr.isatty():
        yield lambda it: it
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[count]:,} dialogues"),
        TimeRemainingColumn(),
    )
    count = 0
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=dialogues.size or None, count=0)

        def step(it: T) -> T:
            nonlocal count
            count += 1
            if count % 64 == 0:
                bar.update(task, completed=dialogues.tell(), count=count)
            return it

        yield step
