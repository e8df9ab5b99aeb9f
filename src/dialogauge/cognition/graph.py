"""The dialogue cognition graph (DCGEval, Li et al. 2024): what is said, by whom, in which order.

Four abilities that its authors ask of a judge, in one graph of a conversation:

- *core semantics*: the concepts of each utterance's AMR graph, linked as they are there. Constants
  are nodes, too: without "-" the graph would not know that something is denied;
- *temporal*: a node for each utterance, linked to the next one and to the top of its AMR graph;
- *role*: "I" and "you" are one node for each speaker, the same in all utterances;
- *commonsense*: the vector of a concept in ConceptNet, and the means of its neighbours'
  (:class:`.concepts.Concepts`), which is what a network reads of a node.

    >>> from dialogauge.dialogue import Turn
    >>> chat = Dialogue("d", (Turn("Ann", "I love coffee."), Turn("Bob", "You drink tea!")))
    >>> graph = cognition_graph(chat)
    >>> [node.label for node in graph.nodes if node.kind == "speaker"]
    ['Ann']
    >>> sorted(graph.labels(near="Ann"))
    ['drink-01', 'love-01']
"""

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Literal, NamedTuple
from zlib import crc32

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..amr import Graph as Amr
from ..amr import load_parser
from ..amr.graph import unquoted
from ..amr.loading import Remembering
from ..amr.questions import UNKNOWN
from ..dialogue import Dialogue

Floats = NDArray[np.float32]
Kind = Literal["concept", "name", "number", "negative", "question", "speaker", "utterance"]
#: What a judge of conversations must be able to do; each can be taken away.
Ability = Literal["commonsense", "core-semantics", "temporal", "role"]

#: Nodes of one utterance that are read; a sentence has about eight.
_NODES = 64
#: Without core semantics so many of an utterance's nodes are left.
_LEFT = 0.7
_KINDS: dict[str, Kind] = {"-": "negative", UNKNOWN: "question"}


class Node(msgspec.Struct, frozen=True):
    """Something that is spoken of, a speaker, or an utterance."""

    label: str
    kind: Kind
    turn: int = -1  # of a speaker: none


class CognitionGraph(msgspec.Struct, frozen=True):
    """A conversation; edges join places of nodes and have no direction."""

    nodes: tuple[Node, ...]
    edges: tuple[tuple[int, int], ...]
    left_out: int = 0  # nodes beyond those that are read of an utterance
    weights: tuple[float, ...] = ()  # of each edge; none: all weigh 1

    def labels(self, near: str) -> set[str]:
        """What stands beside the nodes of a label."""
        named = {at for at, node in enumerate(self.nodes) if node.label == near}
        pairs = [*self.edges, *((end, start) for start, end in self.edges)]
        return {self.nodes[end].label for start, end in pairs if start in named}


class Utterance(NamedTuple):
    """What one says: nodes, of which ``i`` and ``you`` are roles, and edges between them."""

    nodes: tuple[tuple[str, Kind], ...]
    edges: tuple[tuple[int, int], ...]
    top: int  # -1 where nothing is said
    left_out: int = 0


@cache
def parser() -> Remembering:
    """The parser that ships, loaded once a process."""
    return load_parser()


def cognition_graph(
    dialogue: Dialogue, *, without: frozenset[Ability] = frozenset()
) -> CognitionGraph:
    """The graph of a conversation, perhaps ``without`` some of the abilities."""
    return cognition_graphs([dialogue], without=without)[0]


def cognition_graphs(
    dialogues: Sequence[Dialogue], *, without: frozenset[Ability] = frozenset()
) -> list[CognitionGraph]:
    """The graphs of conversations, whose texts are parsed together."""
    said = iter(utterances([turn.text for each in dialogues for turn in each.turns]))
    return [
        joined([next(said) for _ in each.turns], [turn.speaker for turn in each.turns], without)
        for each in dialogues
    ]


def utterances(texts: Sequence[str]) -> list[Utterance]:
    """What each text says."""
    return [utterance(graph) for graph in parser().parse(texts)]


def utterance(graph: Amr | None) -> Utterance:
    """What the AMR graph of an utterance says, without the names of its relations."""
    if graph is None:
        return Utterance((), (), -1)
    places = {variable: at for at, variable in enumerate(graph.concepts)}
    nodes = [(concept, _KINDS.get(concept, "concept")) for concept in graph.concepts.values()]
    edges = list[tuple[int, int]]()
    for edge in graph.edges:
        end = places.get(edge.target)
        if end is None:
            end = len(nodes)
            nodes.append(_constant(edge.target))
        edges.append((places[edge.source], end))
    kept = nodes[:_NODES]
    inside = tuple((one, other) for one, other in edges if max(one, other) < len(kept))
    top = places[graph.top]
    top = top if top < len(kept) else 0
    return Utterance(tuple(kept), inside, top, len(nodes) - len(kept))


def _constant(text: str) -> tuple[str, Kind]:
    plain = unquoted(text)
    if text in _KINDS:
        return text, _KINDS[text]
    return plain, "name" if text.startswith('"') else "number"


def joined(
    said: Sequence[Utterance],
    speakers: Sequence[str],
    without: frozenset[Ability] = frozenset(),
) -> CognitionGraph:
    """The graph of some utterances, each with its speaker."""
    nodes, edges = list[Node](), list[tuple[int, int]]()
    people, last = dict[str, int](), -1
    for turn, each in enumerate(said):
        own = _scrambled(each) if "core-semantics" in without else each
        places = list[int]()
        for label, kind in own.nodes:
            meant = kind == "concept" and "role" not in without
            who = _person(label, turn, speakers) if meant else None
            if who is None:
                places.append(len(nodes))
                nodes.append(Node(label, kind, turn))
                continue
            if who not in people:
                people[who] = len(nodes)
                nodes.append(Node(who, "speaker"))
            places.append(people[who])
        edges += [(places[one], places[other]) for one, other in own.edges]
        if "temporal" not in without:
            nodes.append(Node(f"utterance {turn + 1}", "utterance", turn))
            here = len(nodes) - 1
            edges += [(last, here)] if turn else []
            edges += [(here, places[own.top])] if own.top >= 0 else []
            last = here
    return CognitionGraph(tuple(nodes), tuple(edges), sum(each.left_out for each in said))


def _person(concept: str, turn: int, speakers: Sequence[str]) -> str | None:
    """Who is meant by "I" or "you" in a turn; nobody by anything else.

    "You" is who spoke last before, or else who speaks next.
    """
    if concept == "i":
        return speakers[turn]
    if concept != "you":
        return None
    others = [*reversed(speakers[:turn]), *speakers[turn:]]
    return next((each for each in others if each != speakers[turn]), None)


def _scrambled(said: Utterance) -> Utterance:
    """The same without its meaning: fewer nodes, as many edges anywhere between them."""
    key = crc32("\0".join(label for label, _ in said.nodes).encode("utf-8", "replace"))
    rng = Random(key)  # noqa: S311  (no secret)
    kept = [node for node in said.nodes if rng.random() < _LEFT] or list(said.nodes[:1])
    draws = len(said.edges) if len(kept) > 1 else 0
    edges = ((rng.randrange(len(kept)), rng.randrange(len(kept))) for _ in range(draws))
    return Utterance(tuple(kept), tuple(edges), min(0, said.top) if kept else -1)


#: Numbers that tell a network what a node is. Of what is said, whether it is in the response.
_CODES = {
    (kind, here): 1 + 2 * at + here
    for at, kind in enumerate(("concept", "name", "number", "negative", "question"))
    for here in (False, True)
}
#: Who answers, who is answered, anybody else; then utterances, by how long ago they were said.
_ME = 1 + len(_CODES)
_FIRST, _FURTHEST = _ME + 3, 7
COUNT = _FIRST + _FURTHEST + 1


def codes(graph: CognitionGraph, speakers: Sequence[str], temporal: bool = True) -> list[int]:
    """What each node is, as a number: see :data:`_CODES`; the last utterance is the response."""
    last, me = len(speakers) - 1, speakers[-1]
    other = next((each for each in reversed(speakers) if each != me), None)
    numbers = list[int]()
    for node in graph.nodes:
        if node.kind == "speaker":
            numbers.append(_ME + (0 if node.label == me else 1 if node.label == other else 2))
        elif node.kind == "utterance":
            numbers.append(_FIRST + min(last - node.turn, _FURTHEST))
        else:
            numbers.append(_CODES[node.kind, temporal and node.turn == last])
    return numbers


def adjacency(graph: CognitionGraph) -> Floats:
    """What the link of two nodes weighs, either way round; 0 between a node and itself."""
    matrix = np.zeros((len(graph.nodes),) * 2, np.float32)
    weights = graph.weights or (1.0,) * len(graph.edges)
    for (one, other), weight in zip(graph.edges, weights, strict=True):
        if one != other:
            matrix[one, other] = matrix[other, one] = weight
    return matrix
