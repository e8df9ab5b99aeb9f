"""``dialogauge corpora``: what there is, what it is, getting it."""

from typing import Annotated

import msgspec
import typer

from .. import corpora
from .console import Json, Quiet, facts, records, remark, wants_table

app = typer.Typer(help="Published corpora and human-judged benchmarks.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="A corpus, as `dialogauge corpora list` names it.")]


@app.command("list")
def list_(json: Json = None) -> None:
    """List the corpora and whether their files are here."""
    records(list(corpora.listing()), json)


@app.command("show")
def show(name: Name, json: Json = None) -> None:
    """Say what a corpus is, who made it, its licence and its files."""
    corpus = corpora.info(name)
    fields = msgspec.structs.asdict(corpus)
    shown = {name: fields[name] for name in fields if name not in ("read", "splits")}
    facts(shown | {"files": corpus.files}, json)


@app.command("get")
def get(name: Name, json: Json = None, quiet: Quiet = False) -> None:
    """Download the files of a corpus that are not here, and check them (uses the network)."""
    paths = corpora.get(name, tell=lambda text: remark(text, quiet))
    files = [str(path) for path in paths]
    facts({"files": files} if wants_table(json) else {"name": name, "files": files}, json)
