"""``dialogauge manipulate``: dialogues in, damaged (or harmlessly changed) ones out."""

import sys
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .. import atomic
from ..corpora.inputs import Held, dialogues
from ..errors import DialogaugeError, InputError, OutputError
from ..formats import FORMATS
from ..report import terminal
from .console import Json, Quiet, console, progress, put, records, remark, user_names, wants_table

if TYPE_CHECKING:
    from ..contrast import Counts
    from ..dialogue import Dialogue
    from ..manipulate.pool import Pool
    from ..variants import Variant

_Paths = Annotated[
    list[str] | None,
    typer.Argument(help="Files, folders, globs, - for standard input, or a corpus."),
]
_What = Annotated[
    list[str] | None,
    typer.Option("--with", "-w", help="Manipulations, papers or all; with commas for several."),
]
_Number = Annotated[
    int, typer.Option(min=1, help="For each dialogue: edits of each kind, or contrasts.")
]
_Severity = Annotated[
    int | None, typer.Option(min=1, max=5, help="How hard: 1 to 5 fifths of a dialogue.")
]
_Sample = Annotated[
    int | None, typer.Option(min=1, help="Edit so many dialogues only, drawn at random.")
]
_Contrasts = Annotated[
    bool, typer.Option("--contrasts", help="Pairs of a better and a worse dialogue instead.")
]
_From = Annotated[
    str | None, typer.Option("--pool", help="Where foreign turns come from (default: the input).")
]
_Model = Annotated[
    str | None, typer.Option(help="Writes replies: smollm2, or a folder (extra train).")
]
_Translator = Annotated[
    str | None, typer.Option(help="There and back: apertium, or two models, THERE,BACK.")
]
_To = Annotated[
    Path | None, typer.Option("--out", "-o", help="Write JSONL here instead of printing it.")
]
_Html = Annotated[Path | None, typer.Option(help="Write a page to review the edits by eye.")]
_Format = Annotated[str | None, typer.Option(help=f"Force a format: {', '.join(FORMATS)}.")]


def run(
    paths: _Paths = None,
    what: _What = None,
    n: _Number = 1,
    seed: Annotated[int, typer.Option(help="The same seed gives the same edits.")] = 0,
    severity: _Severity = None,
    sample: _Sample = None,
    contrasts: _Contrasts = False,
    pool: _From = None,
    language_model: _Model = None,
    translator: _Translator = None,
    to: _To = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
    show: Annotated[bool, typer.Option("--show", help="Show each edit, before and after.")] = False,
    html: _Html = None,
    format: _Format = None,
    list_all: Annotated[bool, typer.Option("--list", help="List the manipulations.")] = False,
    json: Json = None,
    quiet: Quiet = False,
) -> None:
    """Damage dialogues, or change them without harm, in every known way.

    Prints each edit before and after on a terminal and edited dialogues as JSONL in a pipe. What
    was asked, what applied and why the rest did not is counted at the end. Ctrl-C keeps what is
    finished.
    """
    from .. import variants
    from ..contrast import Counts, Drawing
    from ..manipulate.mixtures import chosen, mixed

    if list_all:
        records(variants.listing(), json)
        return
    names = user_names(what, "name what to do with --with (dialogauge manipulate --list)")
    mixture = mixed(names, severity) if contrasts else None
    manipulations = [] if contrasts else chosen(names, severity)
    for path in filter(None, (to, html)):
        _check(path, force)
    if not paths:
        raise InputError("name what to edit: a file, a folder, a glob, a corpus, or - for stdin")
    given = dialogues(paths, format=format)
    material = _pool(dialogues([pool]) if pool else given, seed, language_model, translator)
    if sample is not None:
        given = Held(variants.sample(given, sample, seed))
    seen = show or (to is None and html is None and wants_table(json))
    hidden = quiet or (seen and sys.stdout.isatty())  # a bar among what is shown would break it
    counts = Counts()
    with progress("editing", given, hidden) as step:
        rest = (Drawing(n, seed), map(step, given), material, counts)
        made = variants.pairs(mixture, *rest) if mixture else variants.edits(manipulations, *rest)
        stopped = _fill(made, to, html, seen)
    if not quiet:
        _account(counts)
    if stopped:
        remark("stopped; what was finished is kept", quiet)
        raise stopped


def _pool(
    dialogues: "Iterable[Dialogue]", seed: int, model: str | None, translator: str | None
) -> "Pool":
    """Where foreign turns, replies and translations come from."""
    from ..manipulate.pool import Pool
    from ..train import writers
    from ..variants import POOL, sample

    reply = writers.replies(model) if model else None
    translate = writers.translator(translator) if translator else None
    return Pool(sample(dialogues, POOL, seed), reply=reply, translate=translate)


def _check(path: Path, force: bool) -> None:
    """An error now and not after the work."""
    if path.exists() and not force:
        raise OutputError(f"{path} exists: name another file, or say --force to replace it")
    if not path.parent.is_dir():
        raise OutputError(f"{path}: cannot be written: there is no folder {path.parent}")


def _fill(
    variants: "Iterable[Variant]", to: Path | None, html: Path | None, seen: bool
) -> KeyboardInterrupt | DialogaugeError | None:
    """Write and show every edit; what ended it before its time, which keeps those before.

    An error before the first edit is just an error: there is nothing to keep.
    """
    from ..report.edits import ON_A_PAGE, Review, example, shown
    from ..variants import about

    review, stopped, begun = Review(), None, False
    with atomic.writing(to) if to else nullcontext() as file:
        write = file.write if file else None if seen or html else put
        try:
            for variant in variants:
                begun = True
                if write:
                    write(variant.line + b"\n")
                if seen or html:
                    lines = example(variant.original, variant.edited)
                    review.add(variant.name, lines)
                if seen:
                    console().print(shown(lines))
        except (KeyboardInterrupt, DialogaugeError) as problem:
            if isinstance(problem, OutputError) or not begun:
                raise
            stopped = problem
    if html:
        review.write(html, about)
        if review.left_out:
            remark(f"{html}: {ON_A_PAGE} of each kind; {review.left_out:,} more are not shown")
    return stopped


def _account(counts: "Counts") -> None:
    """Say what was asked, what applied, and why the rest did not."""
    from ..report.edits import account

    if rows := account(counts.tally):
        console(stderr=True).print(terminal.records(rows))
    for cause, times in counts.causes.most_common():
        remark(f"{times:,} contrasts by {cause}")
    if counts.without:
        remark(f"{counts.without:,} of {counts.dialogues:,} dialogues: nothing applied")
