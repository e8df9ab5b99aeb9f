"""Changes of a graph: each gives a new one, whole and connected, and leaves the old as it was.

What stays keeps its variable and its words (``aligned``), so that the difference between two graphs
can be found by comparing variables, and be written back into the sentence.

    >>> from dialogauge.amr import decode, encode
    >>> graph = decode("(h / hate-01 :ARG0 (s / she) :ARG1 (d / dog :mod (s2 / small)))")
    >>> print(encode(remove(negate(graph, "h"), "s2")))
    (h / hate-01
          :polarity -
          :ARG0 (s / she)
          :ARG1 (d / dog))
"""

import re
from collections import defaultdict
from collections.abc import Collection
from itertools import chain, count

from msgspec.structs import replace

from ..errors import InputError
from .graph import Edge, Graph, Token, is_constant, quoted
from .questions import MULTI_SENTENCE, below, known, number, snt_edges

_SERIES = re.compile(r"(:snt|:op)\d+")


def replace_concept(graph: Graph, variable: str, concept: str) -> Graph:
    """The graph with another concept at a variable."""
    known(graph, variable)
    if not is_constant(concept):
        raise InputError(f"{concept!r} is no concept", remedy="graph.symbol makes one of any text")
    return replace(graph, concepts={**graph.concepts, variable: concept})


def negate(graph: Graph, variable: str) -> Graph:
    """The graph with ``:polarity -`` at a variable; if it is there already, the graph itself."""
    known(graph, variable)
    new = Edge(variable, ":polarity", "-")
    if new in graph.edges:
        return graph
    own = (place for place, edge in enumerate(graph.edges) if edge.source == variable)
    place = next(own, len(graph.edges))
    return replace(graph, edges=(*graph.edges[:place], new, *graph.edges[place:]))


def affirm(graph: Graph, variable: str) -> Graph:
    """The graph without ``:polarity -`` at a variable: the inverse of :func:`negate`."""
    known(graph, variable)
    gone = Edge(variable, ":polarity", "-")
    return replace(graph, edges=tuple(edge for edge in graph.edges if edge != gone))


def remove(graph: Graph, variable: str) -> Graph:
    """The graph without a variable and what is below it; what the rest refers to stays.

    The numbers of ``:op`` and ``:snt`` close up; where one sentence of several is left, it stands
    alone. The top cannot be removed.
    """
    if known(graph, variable) == graph.top:
        raise InputError(f"{variable} is the top of the graph; nothing would be left")
    gone = set(below(graph, variable))
    while needed := {
        edge.target
        for edge in graph.edges
        if edge.source not in gone and edge.target in gone and edge.target != variable
    }:
        gone.difference_update(chain.from_iterable(below(graph, each) for each in needed))
    bereft = {edge.source for edge in graph.edges if edge.target in gone} - gone
    return _alone(renumber(_without(graph, gone), bereft))


def append(graph: Graph, other: Graph) -> Graph:
    """Both graphs as one ``multi-sentence``; its text and words are those of both, joined.

    The variables of the first graph stay; those of the other are renamed where they clash.

    >>> from dialogauge.amr import decode, encode
    >>> both = append(decode("(g / go-01 :ARG0 (s / she))"), decode("(s / stay-01)"))
    >>> print(encode(both))
    (m / multi-sentence
          :snt1 (g / go-01
                :ARG0 (s / she))
          :snt2 (s2 / stay-01))
    """
    first = graph if graph.concepts[graph.top] == MULTI_SENTENCE else _wrapped(graph, other)
    second = rename(other, first)
    tops = [second.top]
    if _only_sentences(second):
        tops = [edge.target for edge in snt_edges(second)]
        second = _without(second, {second.top})
    start = 1 + max((number(edge.role) for edge in snt_edges(first)), default=0)
    added = [Edge(first.top, f":snt{place}", top) for place, top in enumerate(tops, start)]
    edges = (*first.edges, *added, *second.edges)
    return renumber(replace(_joined(first, second), edges=edges), {first.top})


def renumber(graph: Graph, at: Collection[str] | None = None) -> Graph:
    """The graph with ``:snt`` and ``:op`` counted from 1 without gaps, at these variables or all.

    >>> from dialogauge.amr import decode, encode
    >>> print(encode(renumber(decode("(a / and :op2 (b / bread) :op4 (s / salt))"))))
    (a / and
          :op1 (b / bread)
          :op2 (s / salt))
    """
    series: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, edge in enumerate(graph.edges):
        match = _SERIES.fullmatch(edge.role)
        if match and (at is None or edge.source in at):
            series[edge.source, match[1]].append(place)
    edges = list(graph.edges)
    for (_, prefix), places in series.items():
        ordered = sorted(places, key=lambda place: number(graph.edges[place].role))
        for new, place in enumerate(ordered, 1):
            edges[place] = replace(edges[place], role=f"{prefix}{new}")
    return replace(graph, edges=tuple(edges))


def rename(graph: Graph, beside: Graph) -> Graph:
    """The graph with other names for the variables that also stand in the graph ``beside`` it.

    A bare constant that would be read as one of the other's variables becomes a string.
    """
    taken, used = _names(beside), _names(beside) | _names(graph)
    new = {variable: variable for variable in graph.concepts}
    for variable in (each for each in graph.concepts if each in taken):
        new[variable] = fresh(graph.concepts[variable], used)
        used.add(new[variable])

    def end(target: str) -> str:
        clash = target not in new and target in beside.concepts
        return quoted(target) if clash else new.get(target, target)

    return replace(
        graph,
        top=new[graph.top],
        concepts={new[variable]: concept for variable, concept in graph.concepts.items()},
        edges=tuple(Edge(new[it.source], it.role, end(it.target)) for it in graph.edges),
        aligned={new[variable]: places for variable, places in graph.aligned.items()},
    )


def fresh(concept: str, taken: Collection[str]) -> str:
    """A new variable for a concept, named as AMR names them.

    >>> fresh("dog", {"d", "d2"}), fresh("7-up", ())
    ('d3', 'x')
    """
    letter = concept[:1].lower()
    letter = letter if "a" <= letter <= "z" else "x"
    names = chain([letter], (f"{letter}{place}" for place in count(2)))
    return next(name for name in names if name not in taken)


def _names(graph: Graph) -> set[str]:
    """Everything that would clash with a new variable."""
    return {*graph.concepts, *(edge.target for edge in graph.edges)}


def _without(graph: Graph, gone: Collection[str]) -> Graph:
    """The graph less some variables; if the top is one of them, the caller mends it."""
    kept = [it for it in graph.edges if it.source not in gone and it.target not in gone]
    return replace(
        graph,
        concepts={name: it for name, it in graph.concepts.items() if name not in gone},
        edges=tuple(kept),
        aligned={name: it for name, it in graph.aligned.items() if name not in gone},
    )


def _only_sentences(graph: Graph) -> bool:
    """Whether the top only holds sentences together: nothing else starts or ends there."""
    own = {edge for edge in graph.edges if graph.top in (edge.source, edge.target)}
    return bool(own) and own == set(snt_edges(graph))


def _alone(graph: Graph) -> Graph:
    """A multi-sentence graph that has one sentence left, as that sentence."""
    ends = {edge.target for edge in snt_edges(graph)}
    if not _only_sentences(graph) or len(ends) != 1:
        return graph
    return replace(_without(graph, {graph.top}), top=ends.pop())


def _wrapped(graph: Graph, other: Graph) -> Graph:
    """A graph as the only sentence of a multi-sentence graph."""
    top = fresh(MULTI_SENTENCE, _names(graph) | _names(other))
    return replace(
        graph,
        top=top,
        concepts={top: MULTI_SENTENCE, **graph.concepts},
        edges=(Edge(top, ":snt1", graph.top), *graph.edges),
    )


def _joined(first: Graph, second: Graph) -> Graph:
    """Concepts, text, tokens and alignments of both; the edges of the first."""
    gap = " " if first.text and second.text else ""
    shift = len(first.text + gap)
    moved = (Token(it.text, it.start + shift, it.end + shift) for it in second.tokens)
    places = len(first.tokens)
    aligned = {name: tuple(it + places for it in own) for name, own in second.aligned.items()}
    return replace(
        first,
        concepts={**first.concepts, **second.concepts},
        text=first.text + gap + second.text,
        tokens=(*first.tokens, *moved),
        aligned={**first.aligned, **aligned},
    )
