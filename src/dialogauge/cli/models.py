"""``dialogauge models``: what ships, what it is, whether it is whole."""

import shlex
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from .. import models
from ..escaping import printable
from ..report import terminal
from .console import Json, facts, records, show

app = typer.Typer(help="Encoders and trained metrics.", no_args_is_help=True)

Name = Annotated[
    str, typer.Argument(help="A model, as `dialogauge models list` names it, or its folder.")
]


@app.command("list")
def list_(json: Json = None) -> None:
    """List the models that ship."""
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
        str, typer.Argument(help="minilm, a Hugging Face folder, or a hub name (uses the network).")
    ],
    to: Annotated[Path, typer.Option("--out", "-o", help="The model folder to write.")],
    int8: Annotated[bool, typer.Option("--int8", help="Int8, independent of the batch.")] = False,
    texts: Annotated[
        str, typer.Option(help="A corpus or transcript to calibrate and measure on.")
    ] = "self-dialogue",
    max_tokens: Annotated[
        int, typer.Option(min=4, help="Of a window; longer texts have several.")
    ] = 128,
    json: Json = None,
) -> None:
    """Make a model folder of any Hugging Face encoder (needs the extra train)."""
    from ..train import require_extra

    require_extra()
    from ..train.models.encoder.task import TEXTS, bring, sample
    from ..train.recipe import Chosen

    command = shlex.join(
        ["dialogauge", "models", "import", backbone, "--out", to.name, "--texts", texts]
        + ["--max-tokens", str(max_tokens)] * (max_tokens != 128)
        + ["--int8"] * int8
    )
    chosen, some = Chosen(backbone, max_tokens), sample(texts, 2 * TEXTS)
    imported = bring(chosen, to, name=to.name, texts=some, int8=int8, command=command)
    facts(msgspec.structs.asdict(imported), json)
