"""The built-in parser: text -> AMR in milliseconds, without torch.

::

    text ─► words ─► tagger.onnx ─► templates ─► linker.onnx ─► edges ─► roles.onnx ─► plan ─► graph
           (spaCy,                 (deciding)                (deciding)           (deciding,
            encoder)                                                               assembling)

The tagger chooses for each word the small piece of graph that it brings (:mod:`.templates`), the
linker which pieces hang together, and only of those the third network tells the role. Each text is
parsed by itself, whatever else is in the batch.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np

from ... import models
from ...encode import Encoder
from ...encode.session import Session
from ...errors import ModelError
from ...language import Pipeline, shared
from ..graph import Graph
from .assembling import Plan, assemble
from .deciding import Edges, Links, Scores, edges, plan, templates
from .features import Arrays, arrays
from .inventory import Inventory
from .words import Piece, Word, pieces, with_vectors

FILES = ("config.json", "tagger.onnx", "linker.onnx", "roles.onnx", "inventory.json")
#: How many words go through the networks together, padding included.
_WORDS_PER_BATCH = 500
#: How many texts are looked at together: while the networks run on these, the next are tagged.
_CHUNK = 250

_Words = tuple[Word, ...]
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class Counts(msgspec.Struct):
    """What a parser was given since it was loaded."""

    texts: int = 0
    empty: int = 0  # texts without any word: they have no graph


class Config(msgspec.Struct, frozen=True):
    """The config.json of a parser."""

    encoder: str
    encoder_hash: str


class Builtin:
    """The parser that ships."""

    def __init__(self, folder: Path, pipeline: Pipeline, encoder: Encoder) -> None:
        self.pipeline, self.encoder = pipeline, encoder
        self.counts = Counts()
        self.inventory = Inventory.load(folder / "inventory.json")
        self._hash = models.fingerprint(folder, FILES)
        networks = (Session(folder / f"{name}.onnx") for name in ("tagger", "linker", "roles"))
        self._tagger, self._linker, self._roles = networks

    @classmethod
    def load(cls, name: str | Path = "amr") -> "Builtin":
        """The parser that ships, or one from a folder."""
        folder = models.open_folder(name)
        if models.kind(folder) != "amr":
            raise ModelError(f"{folder}: this is a {models.kind(folder)!r}, not an AMR parser")
        config = models.decode(folder / "config.json", Config)
        encoder = Encoder.load(config.encoder)
        encoder.require(config.encoder_hash, folder)
        return cls(folder, shared(), encoder)

    @property
    def signature(self) -> str:
        """What made the graphs: parser, pipeline and encoder."""
        return f"builtin|sha256:{self._hash}|{self.pipeline.signature}|{self.encoder.signature}"

    def parse(self, texts: Sequence[str]) -> list[Graph | None]:
        """The graph of each text; None where there is no word."""
        chunks = [texts[start : start + _CHUNK] for start in range(0, len(texts), _CHUNK)]
        graphs: list[Graph | None] = []
        for chunk, groups in zip(chunks, _ahead(self._read, chunks), strict=True):
            graphs += self._assembled(chunk, groups)
        self.counts.texts += len(texts)
        self.counts.empty += sum(graph is None for graph in graphs)
        return graphs

    def _read(self, texts: Sequence[str]) -> list[list[_Words]]:
        """The words of each text, in pieces."""
        return [list(pieces(document)) for document in self.pipeline.pipe(texts)]

    def _assembled(
        self, texts: Sequence[str], groups: Sequence[Sequence[_Words]]
    ) -> Iterator[Graph | None]:
        """The graphs of texts in pieces."""
        every = [words for group in groups for words in group]
        plans = iter(self._plans(with_vectors(every, self.encoder)))
        for text, group in zip(texts, groups, strict=True):
            yield assemble([next(plans) for _ in group], text, self.inventory.spellings)

    def _plans(self, inputs: Sequence[Piece]) -> list[Plan]:
        """What is decided about each piece; pieces of similar length go together."""
        out: dict[int, Plan] = {}
        for rows, plans in self._tagger.over(lambda rows: self._batch(rows, inputs), _rows(inputs)):
            out.update(zip(rows, plans, strict=True))
        return [out[row] for row in range(len(inputs))]

    def _batch(self, rows: list[int], every: Sequence[Piece]) -> tuple[list[int], list[Plan]]:
        """Everything that is decided about some pieces: templates, edges, roles."""
        batch = [every[row] for row in rows]
        inputs = arrays(batch, self.inventory)
        states, tags, modes = self._tagger.run_all(("states", "templates", "modes"), inputs)
        chosen = np.zeros(inputs["mask"].shape, dtype=np.int64)
        each = [(row, piece.words, len(piece.words) + 1) for row, piece in enumerate(batch)]
        for row, words, end in each:
            chosen[row, 1:end] = templates(tags[row, 1:end], words, self.inventory)
        given = {name: inputs[name] for name in ("pairs", "near", "mask")}
        given |= {"states": states, "chosen": chosen}
        arcs, again, linked = self._linker.run_all(("arcs", "again", "linked"), given)
        drawn = []
        for row, words, end in each:
            links = Links(arcs[row, :end, :end], again[row, :end, :end])
            drawn.append(edges(words, chosen[row, 1:end], links, self.inventory))
        plans = []
        for (row, words, end), scores in zip(
            each, self._scored(drawn, linked, inputs), strict=True
        ):
            own = (chosen[row, 1:end], drawn[row], scores, modes[row, 1:end])
            plans.append(plan(words, *own, self.inventory))
        return rows, plans

    def _scored(self, drawn: Sequence[Edges], linked: Scores, inputs: Arrays) -> list[Scores]:
        """The scores of the roles of the edges of each piece, (edges, labels)."""
        every = [piece.tree + piece.beside for piece in drawn]
        where = [(row, *edge) for row, own in enumerate(every) for edge in own]
        text, source, target = np.array(where).T
        given = {"source": linked[text, source], "target": linked[text, target]}
        pairs = inputs["pairs"][text, source, target]
        scores = self._roles.run("roles", {**given, "pairs": pairs})
        return np.split(scores, np.cumsum([len(own) for own in every])[:-1])


def _rows(inputs: Sequence[Piece]) -> Iterator[list[int]]:
    """Batches of pieces, by length."""
    order = sorted(range(len(inputs)), key=lambda row: len(inputs[row].words))
    batch: list[int] = []
    for row in order:
        if batch and (len(batch) + 1) * (len(inputs[row].words) + 1) > _WORDS_PER_BATCH:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def _ahead(work: Callable[[_Item], _Result], items: Sequence[_Item]) -> Iterator[_Result]:
    """``map(work, items)``, the next one always begun in another thread."""
    if len(items) < 2:
        yield from map(work, items)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as thread:
        begun = thread.submit(work, items[0])
        for item in items[1:]:
            result = begun.result()
            begun = thread.submit(work, item)
            yield result
        yield begun.result()
