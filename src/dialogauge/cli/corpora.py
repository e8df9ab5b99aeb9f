"""``dialogauge corpora``: what there is, what it is, getting it."""

from typing import Annotated

import msgspec
import typer

from .. import corpora
from . import views
from .console import Json, Quiet, emit, out, remark, wants_table

app = typer.Typer(help="Published corpora and human-judged benchmarks.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="A corpus, as `dialogauge corpora list` names it.")]


@app.command("list")
def list_(json: Json = None) -> None:
    """List the corpora and whether their files are here."""
    rows = list(corpora.listing())
    if not wants_table(json):
        for row in rows:
            emit(row)
        return
    out().print(views.records([msgspec.structs.asdict(row) for row in rows]))


@app.command("show")
def show(name: Name, json: Json = None) -> None:
    """Say what a corpus is, who made it, its licence and its files."""
    corpus = corpora.info(name)
    facts = {
        field: value
        for field, value in msgspec.structs.asdict(corpus).items()
        if field not in ("read", "splits")
    }
    facts["files"] = corpus.files
    if wants_table(json):
        out().print(views.facts(facts))
    else:
        emit(facts)


@app.command("get")
def get(name: Name, json: Json = None, quiet: Quiet = False) -> None:
    """Download the files of a corpus that are not here, and check them (uses the network)."""
    paths = corpora.get(name, tell=lambda text: remark(text, quiet))
    if wants_table(json):
        out().print(views.facts({"files": [str(path) for path in paths]}))
    else:
        emit({"name": name, "files": [str(path) for path in paths]})
