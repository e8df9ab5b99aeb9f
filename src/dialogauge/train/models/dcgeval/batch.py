"""Contexts and responses as the network reads them, in training: several responses in a row."""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import torch
from torch import Tensor

from ....atomic import writing
from ....cognition.graph import Utterance
from ....encode import Encoder
from ....metrics.dcgeval import Graph, Line, Lines, Said, maker, meant, padded_graphs
from .network import Inputs
from .rows import Context

_TOGETHER = 4096


class Ranked(NamedTuple):
    """A batch: responses, and their places among contexts and levels."""

    given: Inputs
    places: Tensor  # (contexts, levels, responses), places in the batch; -1: none


class Source:
    """What is read of texts, each once; and what makes lines of it.

    ``work`` keeps what takes minutes: vectors and graphs.
    """

    def __init__(
        self, encoder: Encoder, lines: Lines, texts: Iterable[str], work: Path | None = None
    ) -> None:
        self._lines, distinct = lines, list(dict.fromkeys(texts))
        vectors = _kept(
            work, "vectors", [encoder.hash, *distinct], lambda: _vectors(encoder, distinct)
        )
        graph, found = lines.graph, meant(distinct, "none")
        if graph != "none":
            made_of = [maker(graph), *distinct]
            packed = _kept(work, "meant", made_of, lambda: _meant(distinct, graph))
            found = msgspec.msgpack.decode(packed, type=list[Utterance])
        table = np.frombuffer(vectors, np.float32).reshape(-1, encoder.config.width)
        rows = zip(encoder.ids(distinct), table, found, strict=True)
        self._known = {text: Said("", *each) for text, each in zip(distinct, rows, strict=True)}

    def says(self, text: str) -> bool:
        """Whether a text has a token: others cannot be scored."""
        return bool(self._known[text].ids)

    def lines(self, context: Context, answers: Sequence[str]) -> list[Line]:
        """The lines of some responses to a context."""
        said = [self._said(*turn) for turn in context.turns if self.says(turn[1])]
        return [self._lines.make(said, self._answer(context.speaker, text)) for text in answers]

    def _said(self, speaker: str, text: str) -> Said:
        return self._known[text]._replace(speaker=speaker)

    def _answer(self, speaker: str, text: str) -> Said:
        """A longer response is read in parts; here its beginning."""
        said = self._said(speaker, text)
        return said._replace(ids=said.ids[: self._lines.room])


def _kept(work: Path | None, kind: str, made_of: Sequence[str], make: Callable[[], bytes]) -> bytes:
    """What is made of something, from a file of the run's folder or made and kept there."""
    if work is None:
        return make()
    digest = sha256("\0".join(made_of).encode("utf-8", "replace")).hexdigest()[:16]
    path = work / f"{kind}-{digest}.kept"
    if not path.exists():
        with writing(path) as file:
            file.write(make())
    return path.read_bytes()


def _vectors(encoder: Encoder, texts: Sequence[str]) -> bytes:
    return b"".join(vector.tobytes() for vector in encoder.stream(texts))


def _meant(texts: Sequence[str], graph: Graph) -> bytes:
    """The graphs of texts, some at a time: the parser remembers what it was asked last."""
    some = (texts[at : at + _TOGETHER] for at in range(0, len(texts), _TOGETHER))
    return msgspec.msgpack.encode([each for part in some for each in meant(part, graph)])


def packed(rows: Sequence[Sequence[Line]]) -> Inputs:
    """Rows of responses to one context each; what is read of the context is the same for all."""
    shown = [min(len(line.ids) - line.answer for line in lines) for lines in rows]
    lengths = [own + sum(it.answer for it in lines) for own, lines in zip(shown, rows, strict=True)]
    every = [line for lines in rows for line in lines]
    longest = max(own + it.answer for own, lines in zip(shown, rows, strict=True) for it in lines)
    shape = (len(rows), max(lengths))
    ids, marks, place = np.zeros((3, *shape), np.int64)
    part, take = np.full(shape, -1), np.full((len(every), longest), -1)
    at = 0
    for row, (own, lines) in enumerate(zip(shown, rows, strict=True)):
        first = len(lines[0].ids) - lines[0].answer - own
        context = slice(first, first + own)
        ids[row, :own], marks[row, :own] = lines[0].ids[context], lines[0].marks[context]
        part[row, :own], place[row, :own] = 0, np.arange(own)
        end = own
        for number, line in enumerate(lines, 1):
            here, answer = slice(end, end + line.answer), slice(len(line.ids) - line.answer, None)
            ids[row, here], marks[row, here] = line.ids[answer], line.marks[answer]
            part[row, here], place[row, here] = number, own + np.arange(line.answer)
            take[at, :own] = row * shape[1] + np.arange(own)
            take[at, own : own + line.answer] = row * shape[1] + np.arange(here.start, here.stop)
            end, at = here.stop, at + 1
    text = {"ids": ids, "marks": marks, "part": part, "place": place, "take": take}
    near = {"likeness": np.stack([line.likeness for line in every])}
    return tensors({**text, **near, **padded_graphs(every)})


def tensors(arrays: dict[str, Any]) -> Inputs:
    """Arrays as the network takes them."""
    return Inputs(**{name: torch.from_numpy(each) for name, each in arrays.items()})


def placed(levels: Sequence[Sequence[int]]) -> Tensor:
    """Where the responses of each level stand in the batch: how many each level of each row has.

    >>> placed([[2, 1], [1, 2]]).tolist()
    [[[0, 1], [2, -1]], [[3, -1], [4, 5]]]
    """
    most = max(max(own) for own in levels)
    places, at = np.full((len(levels), len(levels[0]), most), -1), 0
    for row, own in enumerate(levels):
        for level, count in enumerate(own):
            places[row, level, :count] = np.arange(at, at + count)
            at += count
    return torch.from_numpy(places)
