"""DCGEval: how well each turn follows, by its words and by the graph of what is known and meant.

A network ranks responses (after Li et al. 2024, ``train/models/dcgeval/network.py``): it reads the
tokens of the last turns and of the response together, and the cognition graph of both
(:mod:`dialogauge.cognition`). The same network without the graph is QuantiDCE (Ye et al. 2021),
and with a graph of keywords it is GRADE (Huang et al. 2020). A score is between 0 and 1; 4 s + 1 is
the papers' scale from 1 to 5.

A turn of several windows follows as well as the one of them that follows worst. Of a context the
last tokens are read that there is room for, and of an utterance the first 64 nodes of its graph.
A turn without a token has no score, nor has one that nothing was said before.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from ..cognition import Ability, Concepts, keywords
from ..cognition.graph import (
    Utterance,
    adjacency,
    codes,
    joined,
    parser,
    utterance,
    utterances,
)
from ..dialogue import Dialogue, Turn
from ..encode.batching import batches
from ..encode.encoder import Encoder
from ..encode.windows import split
from ..knowledge import Distances, load_store
from ..knowledge.shipped import BRIDGE, NAME, STORE, VECTORS
from ..language.stopwords import is_english
from ..models import fingerprint, open_folder
from ..scores import Score
from .functions import NAN, from_last_turns
from .trained import LAST, TrainedMetric
from .vectors import preceding, recent

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
#: DCGEval's, GRADE's, or none.
Graph = Literal["dcg", "keywords", "none"]

#: Numbers of :func:`likeness`.
LIKENESS = 4
#: Cosines of turns are mostly near this, and differ by about one over that.
_USUAL, _SCALE = 0.3, 5.0
#: Marks of a token: whose it is (another's, the answerer's, the response's), and whether it begins
#: a turn.
MARKS = 6
#: A response has a third of the room.
_ANSWER = 3
#: Padded tokens of responses that are read together.
_BUDGET = 1024
#: Fewer words are read whatever their language may be.
_SURE = 12


class Config(msgspec.Struct, frozen=True):
    """The config.json of a trained network."""

    metric: str
    encoder: str
    encoder_hash: str
    width: int
    turns: Annotated[int, Meta(ge=1)]  # of a context
    tokens: Annotated[int, Meta(ge=16, le=4096)]  # of a context and its response
    graph: Graph
    without: tuple[Ability, ...]


class Said(NamedTuple):
    """A text, by whom it was said, and what is read of it."""

    speaker: str
    ids: Sequence[int]
    vector: Floats
    meant: Utterance


class Asked(NamedTuple):
    """A response, or a part of a long one, and what was said before it."""

    context: Sequence[Said]
    answer: Said


class Line(NamedTuple):
    """A context and a response to it, as the network reads them."""

    ids: Ints  # (tokens,), those of the response last
    marks: Ints  # (tokens,)
    answer: int  # how many tokens are the response's
    likeness: Floats  # (LIKENESS,)
    concepts: Floats  # (nodes, parts, width)
    codes: Ints  # (nodes,)
    links: Floats  # (nodes, nodes)


class Lines:
    """What makes a line of what was said."""

    def __init__(self, tokens: int, graph: Graph, without: Iterable[Ability] = ()) -> None:
        self.tokens, self.graph, self.without = tokens, graph, frozenset(without)
        known = "commonsense" not in self.without
        self.concepts = Concepts(known=known) if graph != "none" else None
        self._distances = Distances(load_store()) if graph == "keywords" else None
        #: Tokens of a response that are read at once; a longer one is read in parts.
        self.room = tokens // _ANSWER

    def make(self, context: Sequence[Said], answer: Said) -> Line:
        """The line of a response and what was said before it."""
        ids, marks = _tokens(context, answer, self.tokens - self.room)
        concepts, kinds, links = self._graph([*context, answer])
        return Line(ids, marks, len(answer.ids), likeness(context, answer), concepts, kinds, links)

    def size(self, asked: Asked) -> int:
        """How many tokens a line has."""
        before = sum(len(each.ids) for each in asked.context)
        return min(before, self.tokens - self.room) + len(asked.answer.ids)

    def _graph(self, said: Sequence[Said]) -> tuple[Floats, Ints, Floats]:
        if self.concepts is None:
            return np.zeros((1, 1, 1), np.float32), np.zeros(1, np.int64), np.zeros((1, 1), "f4")
        speakers, meant_ = [each.speaker for each in said], [each.meant for each in said]
        if self._distances:  # its nodes are told apart by their words alone
            graph = keywords.linked(meant_, self._distances)
            numbers = codes(graph, speakers, temporal=False)
        else:
            graph = joined(meant_, speakers, self.without)
            numbers = codes(graph, speakers, "temporal" not in self.without)
        if not numbers:
            nothing = np.zeros((1, self.concepts.parts, self.concepts.width), np.float32)
            return nothing, np.zeros(1, np.int64), np.zeros((1, 1), np.float32)
        known = self.concepts.of(graph.nodes)
        return known, np.array(numbers, np.int64), adjacency(graph)


def _tokens(context: Sequence[Said], answer: Said, room: int) -> tuple[Ints, Ints]:
    """The ids and marks of the last tokens of a context and of all of a response's.

    How much of a context is read does not depend on the response.
    """
    ids, marks = list[int](), list[int]()
    for said in (*context, answer):
        whose = 2 if said is answer else int(said.speaker == answer.speaker)
        ids += said.ids
        marks += [2 * whose + (at == 0) for at in range(len(said.ids))]
    first = max(0, len(ids) - len(answer.ids) - room)
    return np.array(ids[first:], np.int64), np.array(marks[first:], np.int64)


def likeness(context: Sequence[Said], answer: Said) -> Floats:
    """How near a response is to what was said; about 0 is usual, and 0 what is not there.

    The cosine with the turn before, the mean of those with all turns, the highest with an earlier
    turn of the same speaker, and of another.
    """
    own = np.array([each.speaker == answer.speaker for each in context], bool)
    turns = np.array([unit(each.vector) for each in context])
    near = (turns @ unit(answer.vector) - _USUAL) * _SCALE
    highest = [near[some].max() if some.any() else 0.0 for some in (own, ~own)]
    return np.array([near[-1], near.mean(), *highest], np.float32)


def unit(vector: Floats) -> Floats:
    """The vector, of length 1."""
    return vector / max(float(np.linalg.norm(vector)), 1e-6)


def padded_graphs(lines: Sequence[Line]) -> dict[str, Any]:
    """The graphs of lines as inputs of the network."""
    most, (_, parts, width) = max(len(line.codes) for line in lines), lines[0].concepts.shape
    concepts = np.zeros((len(lines), most, parts, width), np.float32)
    codes_ = np.zeros((len(lines), most), np.int64)
    links = np.zeros((len(lines), most, most), np.float32)
    for at, line in enumerate(lines):
        count = len(line.codes)
        concepts[at, :count], codes_[at, :count] = line.concepts, line.codes
        links[at, :count, :count] = line.links
    return {"concepts": concepts, "codes": codes_, "links": links}


def padded_lines(lines: Sequence[Line]) -> dict[str, Any]:
    """Lines as inputs of the network, each a row by itself."""
    longest = max(len(line.ids) for line in lines)
    shape, places = (len(lines), longest), np.arange(longest)
    ids, marks = np.zeros((2, *shape), np.int64)
    part, take = np.full((2, *shape), -1, np.int64)
    for at, line in enumerate(lines):
        count = len(line.ids)
        ids[at, :count], marks[at, :count] = line.ids, line.marks
        part[at, :count] = places[:count] >= count - line.answer
        take[at, :count] = at * longest + places[:count]
    place = np.broadcast_to(places, shape).copy()
    near = np.stack([line.likeness for line in lines])
    text = {"ids": ids, "marks": marks, "part": part, "place": place, "take": take}
    return {**text, "likeness": near, **padded_graphs(lines)}


def meant(texts: Sequence[str], graph: Graph) -> list[Utterance]:
    """What a graph has of each text."""
    if graph == "none":
        return [utterance(None)] * len(texts)
    return keywords.utterances(texts) if graph == "keywords" else utterances(texts)


def maker(graph: Graph) -> str:
    """What finds it."""
    return keywords.signature() if graph == "keywords" else f"amr:{parser().signature}"


def read(encoder: Encoder, texts: Sequence[str], graph: Graph) -> dict[str, Said]:
    """What is read of each text, whoever says it."""
    distinct = list(dict.fromkeys(texts))
    own = (encoder.ids(distinct), encoder.vectors(distinct), meant(distinct, graph))
    rows = zip(*own, strict=True)
    return {text: Said("", *each) for text, each in zip(distinct, rows, strict=True)}


class DcgEval(TrainedMetric):
    """A trained network, the encoder whose tokens it reads, and what it knows of concepts."""

    config: Config
    last = LAST

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._lines = Lines(self.config.tokens, self.config.graph, self.config.without)

    @property
    def signature(self) -> str:
        """That of the network, and what made its graphs."""
        if self.config.graph == "none":
            return super().signature
        known = fingerprint(open_folder(NAME), (STORE, VECTORS, BRIDGE))
        return f"{super().signature}|{maker(self.config.graph)}|concepts:{known}"

    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """One score per dialogue: the mean of its turns'."""
        shown = [self._shown(dialogue) for dialogue in dialogues]
        parts = self._parts(turn.text for turns in shown for turn in turns)
        known = read(
            self.encoder,
            [*parts, *(it for some in parts.values() for it in some)],
            self.config.graph,
        )
        asked = [list(self._asked(turns, known, parts)) for turns in shown]
        values = iter(self._values([part for some in asked for own in some for part in own]))
        return [
            from_last_turns(dialogue, _worst(some, values)[-LAST:])
            for dialogue, some in zip(dialogues, asked, strict=True)
        ]

    def _shown(self, dialogue: Dialogue) -> Sequence[Turn]:
        """The turns that are read; none where they are not English."""
        count = len(recent(self.encoder, dialogue, LAST, self.config.turns))
        turns = dialogue.turns[len(dialogue.turns) - count :]
        return turns if is_english((turn.text for turn in turns), _SURE) else ()

    def _parts(self, texts: Iterable[str]) -> dict[str, list[str]]:
        """The parts of each text that are judged one by one."""
        distinct, room = list(dict.fromkeys(texts)), self._lines.room
        spans = self.encoder.spans(distinct)
        return {
            text: [text[start:end] for start, end in split(text[: own[-1][1]], own, room)]
            if len(own) > room
            else [text]
            for text, own in zip(distinct, spans, strict=True)
        }

    def _asked(
        self, turns: Sequence[Turn], known: dict[str, Said], parts: dict[str, list[str]]
    ) -> Iterator[list[Asked]]:
        """What is asked of each turn: its parts; nothing where it cannot be scored."""
        said = [known[turn.text]._replace(speaker=turn.speaker) for turn in turns]
        heard = np.array([bool(each.ids) for each in said], bool)
        for turn, own, before in zip(turns, said, preceding(heard, self.config.turns), strict=True):
            context = [said[at] for at in before if at >= 0]
            pieces = parts[turn.text] if context and own.ids else []
            answers = (known[piece]._replace(speaker=turn.speaker) for piece in pieces)
            yield [Asked(context, answer) for answer in answers if answer.ids]

    def _values(self, asked: Sequence[Asked]) -> Floats:
        """The score of each; lines are made when they are read, for their graphs are large."""
        values = np.full(len(asked), np.nan)
        chunks = list(batches([self._lines.size(each) for each in asked], _BUDGET))
        inputs = (padded_lines([self._lines.make(*asked[at]) for at in chunk]) for chunk in chunks)
        for chunk, logits in zip(chunks, self.predict_all(inputs), strict=True):
            values[chunk] = 1 / (1 + np.exp(-logits))
        return values.round(6)


def _worst(asked: Sequence[Sequence[Asked]], values: Iterator[float]) -> list[float]:
    """The value of each turn: that of its worst part."""
    return [min([float(next(values)) for _ in own], default=NAN) for own in asked]
