"""What an edit did: the difference between two graphs as a list of small values.

Variables say what is the same: an edit keeps the variables of all that stays. A difference of a
kind that has no name here is one that cannot be written back: the answer is then None.

    >>> from dialogauge.amr import decode
    >>> from .edits import negate, replace_concept
    >>> old = decode("(h / hate-01 :ARG0 (s / she) :ARG1 (d / dog))")
    >>> difference(old, replace_concept(negate(old, "h"), "d", "cat"))
    [Replaced(variable='d', old='dog', new='cat'), Negated(variable='h')]
    >>> difference(old, old)
    []
"""

import re
from collections.abc import Iterator

import msgspec

from .graph import Graph
from .questions import MULTI_SENTENCE, connected, is_negation, names, negated, sentences


class _Exchange(msgspec.Struct, frozen=True):
    variable: str
    old: str
    new: str


class Replaced(_Exchange, frozen=True):
    """Another concept at a variable."""


class Renamed(_Exchange, frozen=True):
    """Another name at a variable, or a name where there was none (``old`` is empty)."""


class Requantified(_Exchange, frozen=True):
    """Another constant at the end of an edge: a number, a date."""


class _Turn(msgspec.Struct, frozen=True):
    variable: str


class Negated(_Turn, frozen=True):
    """A ``:polarity -`` more."""


class Affirmed(_Turn, frozen=True):
    """A ``:polarity -`` less."""


class Removed(msgspec.Struct, frozen=True):
    """A variable that is gone with all that was below it."""

    variable: str
    below: frozenset[str]


class Shortened(msgspec.Struct, frozen=True):
    """Sentences that are gone."""

    tops: tuple[str, ...]


class Appended(msgspec.Struct, frozen=True):
    """A text that was put behind."""

    text: str


Change = Replaced | Renamed | Requantified | Negated | Affirmed | Removed | Shortened | Appended


def difference(old: Graph, new: Graph) -> list[Change] | None:
    """The changes that lead from one graph to another; None if one of them has no name."""
    appended = _appended(old, new)
    if appended is None or not _explained(old, new):
        return None
    return [
        *_renamed(old, new),
        *_replaced(old, new),
        *_requantified(old, new),
        *_polarity(old, new),
        *_removed(old, new),
        *appended,
    ]


def _replaced(old: Graph, new: Graph) -> Iterator[Replaced]:
    named = {change.variable for change in _renamed(old, new)}
    for variable, concept in old.concepts.items():
        now = new.concepts.get(variable, concept)
        if now != concept and variable not in named:
            yield Replaced(variable, concept, now)


def _renamed(old: Graph, new: Graph) -> Iterator[Renamed]:
    before = names(old)
    for variable, name in names(new).items():
        if variable in old.concepts and before.get(variable, "") != name:
            yield Renamed(variable, before.get(variable, ""), name)


def _requantified(old: Graph, new: Graph) -> Iterator[Change]:
    before, after = _constants(old), _constants(new)
    for key, values in before.items():
        if key in after and len(values) == len(after[key]) == 1 and values != after[key]:
            yield Requantified(key[0], values[0], after[key][0])


def _constants(graph: Graph) -> dict[tuple[str, str], list[str]]:
    """The constants at the ends of edges, names and polarity aside."""
    constants: dict[tuple[str, str], list[str]] = {}
    for edge in graph.edges:
        name = graph.concepts.get(edge.source) == "name"
        if edge.target not in graph.concepts and not name and edge.role != ":polarity":
            constants.setdefault((edge.source, edge.role), []).append(edge.target)
    return constants


def _polarity(old: Graph, new: Graph) -> Iterator[Change]:
    before, after = set(negated(old)), set(negated(new))
    for variable in old.concepts:
        if variable in after - before:
            yield Negated(variable)
        elif variable in before - after and variable in new.concepts:
            yield Affirmed(variable)


def _removed(old: Graph, new: Graph) -> Iterator[Change]:
    gone = old.concepts.keys() - new.concepts.keys()
    tops = tuple(top for top in sentences(old) if top in gone and top != old.top)
    if tops:
        yield Shortened(tops)
        gone -= _reached(old, gone, tops)
    if old.concepts[old.top] == MULTI_SENTENCE:
        gone.discard(old.top)
    exchanged = {it.variable for it in (*_renamed(old, new), *_replaced(old, new))}
    roots = [
        edge.target if edge.target in gone else edge.source
        for edge in old.edges
        if (edge.source in gone) != (edge.target in gone)
        and edge.target in old.concepts
        and not (edge.role == ":name" and edge.source in exchanged)  # its name went with it
    ]
    for root in dict.fromkeys(roots):
        if root in gone:
            below = _reached(old, gone, (root,))
            gone -= below
            yield Removed(root, frozenset(below))


def _reached(graph: Graph, among: set[str], start: tuple[str, ...]) -> set[str]:
    """What hangs together with some variables among those that are gone."""
    inside = {variable for variable in among if graph.concepts[variable] != MULTI_SENTENCE}
    return connected(graph.edges, start, inside)


def _appended(old: Graph, new: Graph) -> list[Change] | None:
    """What text was put behind; None for new variables that are no text."""
    if new.text == old.text:
        fresh = new.concepts.keys() - old.concepts.keys()
        fresh -= {edge.target for edge in new.edges if edge.role == ":name"}
        return None if fresh else []
    if new.text.startswith(old.text) and (text := new.text[len(old.text) :].strip()):
        return [Appended(text)]
    return None


def _explained(old: Graph, new: Graph) -> bool:
    """Whether no edge between what stays has gone or come, but as the changes above say."""
    if old.top not in new.concepts and old.concepts[old.top] != MULTI_SENTENCE:
        return False
    both = old.concepts.keys() & new.concepts.keys()
    return _comparable(old, both) == _comparable(new, both)


def _comparable(graph: Graph, both: set[str]) -> set[tuple[str, str, str]]:
    return {
        (it.source, re.sub(r"^:op.*", ":op", it.role), it.target if it.target in both else "")
        for it in graph.edges
        if it.source in both
        and (it.target in both or it.target not in graph.concepts)
        and not is_negation(it)
        and not it.role.startswith(":snt")
        and graph.concepts[it.source] != "name"
    }
