"""``dialogauge models``: what there is, what it is, whether it is whole, how to get more."""

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import asdict

from .. import atomic, models
from ..errors import InputError
from ..escaping import printable
from ..importing.download import download
from ..importing.filling import Filled, fill, free, unfilled
from ..importing.plan import Plan
from ..report import terminal
from .console import Json, Quiet, console, facts, records, remark, show

app = typer.Typer(help="Encoders and trained metrics.", no_args_is_help=True)

Name = Annotated[
    str, typer.Argument(help="A model, as `dialogauge models list` names it, or its folder.")
]


@app.command("list")
def list_(json: Json = None) -> None:
    """List the models that ship or were imported."""
    records(list(models.describe()), json)


@app.command("show")
def _show_(name: Name, json: Json = None) -> None:
    """Check a model and print its card: data, licences, command, results."""
    folder = models.open_folder(name)
    card = models.card(folder)
    value = {"name": name, "folder": str(folder), "kind": models.kind(folder), "card": card}
    show(value, json, lambda: [printable(card, keep="\n")])


@app.command("verify")
def verify(name: Name, json: Json = None) -> None:
    """Check every file of a model against its manifest."""
    folder = models.open_folder(name)
    files = models.verify(folder).files
    value = {"name": name, "folder": str(folder), "files": files}
    show(value, json, lambda: [terminal.facts({"folder": folder, "verified": list(files)})])


@app.command("import")
def _import_(
    backbone: Annotated[
        str,
        typer.Argument(
            help="mpnet (the encoder base), or minilm, a Hugging Face folder or a hub name."
        ),
    ],
    to: Annotated[
        Path | None, typer.Option("--out", "-o", help="The model folder to write.")
    ] = None,
    source: Annotated[
        Path | None, typer.Option("--from", help="Where mpnet's model.safetensors lies already.")
    ] = None,
    int8: Annotated[bool, typer.Option("--int8", help="Int8, independent of the batch.")] = False,
    texts: Annotated[
        str | None,
        typer.Option(
            help="A corpus or transcript to calibrate and measure on.",
            show_default="self-dialogue",
        ),
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option(min=4, help="Of a window; longer texts have several.", show_default="128"),
    ] = None,
    json: Json = None,
    quiet: Quiet = False,
) -> None:
    """Get the weights of a model that ships without them, or make a model folder of any encoder.

    mpnet is downloaded (438 MB, uses the network) or read --from a folder, checked by its hash, and
    becomes the encoder base, 112 MB, in the user's model folder; that takes a few seconds and needs
    no extra. Any other Hugging Face encoder needs --out and the extra train, and takes a minute.
    """
    if (folder := unfilled(backbone)) is not None:
        if int8 or texts is not None or max_tokens is not None:
            problem = f"{backbone}: ships as int8 for windows of one size, calibrated"
            remedy = "leave out --int8, --texts and --max-tokens, or name its folder with --out"
            raise InputError(problem, remedy=remedy)
        facts(asdict(_filled(folder, source, to, quiet)), json)
        return
    if source is not None or to is None:
        remedy = "name mpnet, or --out and no --from"
        raise InputError(f"{backbone}: no model ships without weights of that name", remedy=remedy)
    from ..train import require_extra

    require_extra()
    from ..train.models.encoder.task import TEXTS, bring, sample
    from ..train.recipe import Chosen

    calibrated = texts or "self-dialogue"
    command = shlex.join(
        ["dialogauge", "models", "import", backbone, "--out", to.name, "--texts", calibrated]
        + ["--max-tokens", str(max_tokens)] * (max_tokens not in (None, 128))
        + ["--int8"] * int8
    )
    chosen, some = Chosen(backbone, max_tokens or 128), sample(calibrated, 2 * TEXTS)
    imported = bring(chosen, to, name=to.name, texts=some, int8=int8, command=command)
    facts(asdict(imported), json)


def _filled(folder: Path, source: Path | None, to: Path | None, quiet: bool) -> Filled:
    """A model with its weights, which are downloaded unless they are here."""
    out = free(to or models.home() / folder.name, folder)
    if source is not None:
        return fill(folder, source, out)
    published = Plan.load(folder).source
    part = out.with_name(f".{published.name}.safetensors")
    size = f"{published.bytes / 1e6:,.0f} MB"
    about = f"{published.repository} ({published.licence}), {size}, to {part}"
    remark(f"downloading {about}", quiet)
    with _bar(published.bytes, quiet) as advance:
        download(published, part, advance)
    filled = fill(folder, part, out)
    with atomic.reporting(part):
        part.unlink()
    return filled


@contextmanager
def _bar(size: int, quiet: bool) -> Iterator[Callable[[int], None]]:
    """A bar over the bytes of a download."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich import progress

    columns = (
        progress.BarColumn(),
        progress.DownloadColumn(),
        progress.TransferSpeedColumn(),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task("downloading", total=size)
        yield lambda there: bar.update(task, completed=there)
