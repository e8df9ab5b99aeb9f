r"""Files of AMR graphs, as they are published.

- PENMAN with the sentence in ``# ::snt`` (the AMR releases): a graph ends at a blank line, or where
  the next one's comments begin.
- One conversation a line, as DEAM stores its parses: graphs joined by ``</UTT>``, line breaks as
  the two characters ``\n``, the conversation's name before ``</CONV>`` in the first sentence.

Both may be gzipped. A graph that is broken, as the last one of a file that was cut, is counted.
"""

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from ..errors import InputError
from .graph import Graph, decode
from .notation import NotationError

_UTTERANCE, _CONVERSATION = "</UTT>", "</CONV>"


class Counts(msgspec.Struct):
    """What was read of a file, and what could not be."""

    graphs: int = 0
    broken: int = 0
    first_broken: str = ""


def read(path: Path, counts: Counts | None = None) -> Iterator[Graph]:
    """The graphs of a file in order; the broken ones are only counted."""
    for conversation in conversations(path, counts):
        yield from conversation


def conversations(path: Path, counts: Counts | None = None) -> Iterator[list[Graph]]:
    """The graphs of each conversation; in a file of sentences each is one of its own."""
    counts = counts if counts is not None else Counts()
    text = _text(path)
    if _UTTERANCE in text:
        for line in text.splitlines():
            blocks = [block.replace(r"\n", "\n") for block in line.split(_UTTERANCE)]
            yield [graph for block in blocks for graph in _decoded(block, counts)]
    else:
        for block in re.split(r"\n(?:[ \t]*\n|(?<=\)\n)(?=#))", text):
            if graphs := list(_decoded(block, counts)):
                yield graphs


def _decoded(block: str, counts: Counts) -> Iterator[Graph]:
    if not re.search(r"^\s*[^#\s]", block, re.MULTILINE):
        return  # nothing but comments
    try:
        graph = decode(block)
    except NotationError as error:
        counts.broken += 1
        counts.first_broken = counts.first_broken or error.summary
        return
    counts.graphs += 1
    *_, sentence = graph.text.split(_CONVERSATION)
    yield msgspec.structs.replace(graph, text=sentence)


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
        return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", file=str(path)) from None
