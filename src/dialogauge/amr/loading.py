"""From text to graphs and back: what any parser and any realiser must do.

A parser may fail on a text; it then gives ``None``, which is counted and never an exception. A
:class:`Remembering` parser asks another one for each distinct text once.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from ..encode.cache import Memory, key
from ..errors import UnknownNameError
from .graph import Graph

#: The parser that ships, and the realiser.
_BUILTIN = "builtin"
_EDIT = "edit"
#: How many variables of remembered graphs are kept (some 600 bytes each with edges and words).
_IN_MEMORY = 200_000


class Parser(Protocol):
    """Text to graphs."""

    @property
    def signature(self) -> str:
        """What made the graphs: parser, weights, settings."""

    def parse(self, texts: Sequence[str]) -> list[Graph | None]:
        """The graph of each text; None where there is none to be had."""


class Realiser(Protocol):
    """An edited graph to text."""

    @property
    def signature(self) -> str:
        """What made the texts."""

    def realise(self, original: Graph, edited: Graph) -> str | None:
        """The text of the edited graph, as near to the original's as it can; None if it fails."""


class Counts(msgspec.Struct):
    """What a remembering parser was asked since it was made."""

    texts: int = 0
    parsed: int = 0  # after equal and remembered texts were taken out
    failed: int = 0  # of the parsed ones, those without a graph


class Remembering:
    """A parser that parses equal texts once; graphs are remembered by signature and text.

    Several may share a ``memory``: what one parser made is never given out as another's.
    """

    def __init__(self, parser: Parser, memory: Memory[Graph | None] | None = None) -> None:
        self._parser = parser
        self._memory = memory or Memory[Graph | None](_IN_MEMORY, _size)
        self.counts = Counts()

    @property
    def signature(self) -> str:
        """That of the parser itself."""
        return self._parser.signature

    def parse(self, texts: Sequence[str]) -> list[Graph | None]:
        """The graph of each text, or None."""
        made_by = self.signature
        keys = [key(f"{made_by}\0{text}") for text in texts]
        graphs = self._memory.get(keys)
        new = {each: text for each, text in zip(keys, texts, strict=True) if each not in graphs}
        parsed = dict(zip(new, self._parser.parse(list(new.values())), strict=True)) if new else {}
        self._memory.put(parsed)
        self.counts.texts += len(texts)
        self.counts.parsed += len(parsed)
        self.counts.failed += sum(graph is None for graph in parsed.values())
        graphs.update(parsed)
        return [graphs[each] for each in keys]


def load_parser(name: str | Path = _BUILTIN) -> Remembering:
    """The parser that ships, or the one of a folder that is laid out like amrlib's models."""
    if str(name) == _BUILTIN:
        from .parser.builtin import Builtin

        return Remembering(Builtin.load())
    from .amrlib import seq2seq

    if seq2seq.is_folder(Path(name)):
        return Remembering(seq2seq.AmrlibParser.load(Path(name)))
    raise UnknownNameError("parser or folder of one", str(name), [_BUILTIN])


def load_realiser(name: str | Path = _EDIT) -> Realiser:
    """The realiser that edits the sentence, or the generator of a folder like amrlib's models."""
    if str(name) == _EDIT:
        from .realise import InPlace

        return InPlace()
    from .amrlib import seq2seq

    if seq2seq.is_folder(Path(name)):
        return seq2seq.AmrlibGenerator.load(Path(name))
    raise UnknownNameError("realiser or folder of one", str(name), [_EDIT])


def _size(graph: Graph | None) -> int:
    return 1 + len(graph.concepts) if graph else 1
