"""``dialogauge concepts``: what ConceptNet says of a word; building a store of a release."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from ..errors import InputError
from ..report import terminal
from .console import Json, facts, remark, show

if TYPE_CHECKING:
    from rich.table import Table

    from ..knowledge import Reading, Space
    from ..knowledge.describing import About


def run(
    words: Annotated[list[str] | None, typer.Argument(help="Words; quote a phrase.")] = None,
    relation: Annotated[
        str | None, typer.Option("--relation", "-r", help="Only edges of one, such as UsedFor.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many of each.")] = 10,
    store: Annotated[Path | None, typer.Option(help="A store made by --build.")] = None,
    vectors: Annotated[
        Path | None, typer.Option(help="Other vectors: Numberbatch, as text or saved.")
    ] = None,
    build: Annotated[
        list[Path] | None,
        typer.Option(help="Make a store of a ConceptNet file (repeat for several); needs --out."),
    ] = None,
    to: Annotated[Path | None, typer.Option("--out", "-o", help="The store to write.")] = None,
    json: Json = None,
) -> None:
    """Print the neighbours, antonyms and nearest vectors of words in ConceptNet."""
    if build:
        _build(build, to, json)
        return
    if not words:
        raise InputError("no word was given", remedy="dialogauge concepts WORD, or --build FILE")
    from ..knowledge import Store, load_store
    from ..knowledge.describing import describe

    graph = Store.open(store) if store else load_store()
    space = _space(vectors)
    for word in words:
        about = describe(word, graph, space, relation=relation, limit=limit)
        show(about, json, partial(_shown, about))


def _build(files: list[Path], to: Path | None, json: bool | None) -> None:
    from ..knowledge import build

    if to is None:
        raise InputError("where shall the store go?", remedy="--out FILE")
    built = build(files, to)
    _account(built.reading)
    fields = msgspec.structs.asdict(built)
    reading = msgspec.structs.asdict(fields.pop("reading"))
    facts(fields | reading | {"store": str(to)}, json)


def _account(reading: "Reading") -> None:
    if reading.malformed:
        remark(f"{reading.malformed:,} malformed lines skipped; first: {reading.first_malformed}")


def _space(path: Path | None) -> "Space":
    from ..knowledge import Reading, Space, load_space, load_vectors

    if path is None:
        return load_space()
    reading = Reading()
    space = Space(load_vectors(path, reading))
    _account(reading)
    return space


def _shown(about: "About") -> "Iterator[Table]":
    fields: dict[str, object] = {
        "word": about.word,
        "concepts": ", ".join(about.concepts) or "not in the store",
        "antonyms": about.antonyms,
        "nearest": [f"{near.concept} {near.cosine:.2f}" for near in about.nearest],
        "vector": about.vector,
    }
    yield terminal.facts(fields)
    if edges := [*about.neighbours, *about.denied]:
        yield terminal.records([msgspec.structs.asdict(edge) for edge in edges])
