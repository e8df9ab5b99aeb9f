"""What can be asked of a graph.

Each question is one small function of a graph, most of them also of one of its variables; answers
are variables or edges in the order of the graph. *Below* a variable is what PENMAN writes inside
its brackets.

    >>> from dialogauge.amr import decode
    >>> graph = decode("(t / tell-01 :polarity - :ARG0 (y / you) :ARG2 (i / i))")
    >>> frames(graph), pronouns(graph), negated(graph), depth(graph)
    (['t'], ['y', 'i'], ['t'], 2)
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable

from ..errors import InputError
from ..language.concept_names import PRONOUNS, is_frame
from .graph import Edge, Graph, Token, branches, unquoted

#: The concept that holds several sentences together, and the one that a question asks for.
MULTI_SENTENCE, UNKNOWN = "multi-sentence", "amr-unknown"

_NUMBERED = re.compile(r":(?:snt|op|ARG)(\d+)")


def frames(graph: Graph) -> list[str]:
    """The variables whose concept is a frame."""
    return [variable for variable, concept in graph.concepts.items() if is_frame(concept)]


def pronouns(graph: Graph) -> list[str]:
    """The variables of personal pronouns."""
    return [variable for variable, concept in graph.concepts.items() if concept in PRONOUNS]


def negated(graph: Graph) -> list[str]:
    """The variables with ``:polarity -``."""
    denied = {edge.source for edge in graph.edges if is_negation(edge)}
    return [variable for variable in graph.concepts if variable in denied]


def is_negation(edge: Edge) -> bool:
    """Whether an edge is ``:polarity -``."""
    return (edge.role, edge.target) == (":polarity", "-")


def outgoing(graph: Graph, variable: str) -> list[Edge]:
    """The edges that start at a variable."""
    known(graph, variable)
    return [edge for edge in graph.edges if edge.source == variable]


def incoming(graph: Graph, variable: str) -> list[Edge]:
    """The edges that end at a variable."""
    known(graph, variable)
    return [edge for edge in graph.edges if edge.target == variable]


def arguments(graph: Graph, variable: str) -> list[Edge]:
    """The core arguments of a frame, ``:ARG0`` first."""
    return _numbered(outgoing(graph, variable), ":ARG")


def operands(graph: Graph, variable: str) -> list[Edge]:
    """The parts of a conjunction, name or quantity: ``:op1``, ``:op2``."""
    return _numbered(outgoing(graph, variable), ":op")


def sentences(graph: Graph) -> list[str]:
    """The tops of the sentences: what ``:snt1``, ``:snt2`` lead to, or the top of the only one."""
    return list(dict.fromkeys(edge.target for edge in snt_edges(graph))) or [graph.top]


def snt_edges(graph: Graph) -> list[Edge]:
    """The ``:snt`` edges of a multi-sentence graph in their order, of any other none."""
    if graph.concepts[graph.top] != MULTI_SENTENCE:
        return []
    numbered = _numbered(outgoing(graph, graph.top), ":snt")
    return [edge for edge in numbered if edge.target in graph.concepts]


def mode(graph: Graph, variable: str) -> str:
    """``imperative``, ``interrogative``, ``expressive``, or nothing."""
    return next((it.target for it in outgoing(graph, variable) if it.role == ":mode"), "")


def names(graph: Graph) -> dict[str, str]:
    """The variables that have a name, and the name.

    >>> from dialogauge.amr import decode
    >>> names(decode('(c / city :name (n / name :op1 "New" :op2 "York"))'))
    {'c': 'New York'}
    """
    named = {}
    for edge in graph.edges:
        if edge.role == ":name" and edge.target in graph.concepts:
            parts = operands(graph, edge.target)
            named[edge.source] = " ".join(unquoted(part.target) for part in parts)
    return named


def words(graph: Graph, variable: str) -> list[Token]:
    """The words of the text that a variable stands for."""
    known(graph, variable)
    return [graph.tokens[place] for place in graph.aligned.get(variable, ())]


def below(graph: Graph, variable: str) -> list[str]:
    """A variable and everything that is written out inside its brackets."""
    known(graph, variable)
    tree, reached = branches(graph), [variable]
    for each in reached:  # grows while it is walked
        reached.extend(branch.target for branch in tree[each] if branch.opens)
    return reached


def connected(
    edges: Iterable[Edge], start: Iterable[str], inside: Collection[str], ends: Collection[str] = ()
) -> set[str]:
    """What edges join to some variables without leaving ``inside``, or passing one of ``ends``."""
    near: dict[str, list[str]] = defaultdict(list)
    for edge in edges:
        near[edge.source].append(edge.target)
        near[edge.target].append(edge.source)
    reached = set(start)
    waiting = list(reached)
    while waiting:
        new = {other for other in near[waiting.pop()] if other in inside} - reached
        reached |= new
        waiting += new.difference(ends)
    return reached


def name_of(graph: Graph, variable: str) -> str:
    """The ``name`` node of a variable; empty if it has none."""
    ends = (it.target for it in graph.edges if (it.source, it.role) == (variable, ":name"))
    return next(ends, "")


def depth(graph: Graph, variable: str = "") -> int:
    """How many brackets are open at the deepest place of a graph, or below a variable."""
    tree = branches(graph)
    level, deepest = [known(graph, variable or graph.top)], 0
    while level:
        level = [branch.target for each in level for branch in tree[each] if branch.opens]
        deepest += 1
    return deepest


def known(graph: Graph, variable: str) -> str:
    """The variable itself, or an error if the graph has none of that name."""
    if variable not in graph.concepts:
        raise InputError(f"the graph has no variable {variable!r}")
    return variable


def number(role: str) -> int:
    """The number of ``:op2``, ``:snt2`` or ``:ARG2``; other roles have 0."""
    match = _NUMBERED.fullmatch(role)
    return int(match[1]) if match else 0


def _numbered(edges: list[Edge], prefix: str) -> list[Edge]:
    series = [edge for edge in edges if re.fullmatch(rf"{prefix}\d+", edge.role)]
    return sorted(series, key=lambda edge: number(edge.role))
