"""The items of an utterance: what can be exchanged with an item of another one.

DEAM sorts the nodes of a graph into four types: a *concept* is a frame, an *arg* what an ``:ARG``
leads to, an *op* a part of a conjunction, a *mod* a modifier; a node is of the first type that fits
it. Pronouns, question words and nodes without a word of their own are no items. A name is one item
with all its words.
"""

import re
from collections.abc import Iterator
from functools import lru_cache, reduce

import msgspec

from ...amr import Edge, Graph, edits, questions
from ...amr.graph import quoted
from ...language import concept_names
from ...language.lexicon import Lexicon
from ...language.stopwords import NLTK
from ...sentence.lexical import is_word
from ...sentence.wordlists import lists

_WORDS = lists(__file__, "items")
_ROLES = ((":ARG", "arg"), (":op", "op"), (":mod", "mod"))
_SPECIAL = re.compile(r".*-9\d|.*[^\w-].*|.*\d.*")


class Item(msgspec.Struct, frozen=True):
    """A node that can be exchanged; ``name`` is empty where it has none."""

    at: int  # the place of the turn
    variable: str
    type: str
    concept: str
    name: str = ""
    form: str = ""  # the word itself, as it is written; of a name, its article
    roles: frozenset[str] = frozenset()  # of a frame, its arguments; with a star those of clauses
    behind: str = ""  # what kind of word stands behind it

    @property
    def word(self) -> str:
        """What it is called."""
        return self.name or concept_names.lemma(self.concept).replace("_", " ")


def all_nouns(graph: Graph, at: int) -> list[Item]:
    """Every noun and name of a graph, wherever it stands."""
    named = questions.names(graph)
    return [
        Item(at, variable, "noun", concept, named.get(variable, ""))
        for variable, concept in graph.concepts.items()
        if variable in named or (variable in graph.aligned and is_noun(concept))
    ]


def named(graph: Graph, at: int) -> list[Item]:
    """Every name of a graph, wherever it stands."""
    return [
        Item(at, variable, "name", graph.concepts[variable], name, _article(graph, variable))
        for variable, name in questions.names(graph).items()
    ]


def is_noun(concept: str) -> bool:
    """Whether a concept is mostly a noun."""
    return not concept_names.is_frame(concept) and _is_content(concept) and is_word(concept, "n")


def items(graph: Graph, at: int) -> Iterator[Item]:
    """Every item of a graph, in its order."""
    roles: dict[str, list[str]] = {}
    arguments: dict[str, list[str]] = {}
    for edge in graph.edges:
        roles.setdefault(edge.target, []).append(edge.role)
        if edge.role.startswith(":ARG"):
            clause = concept_names.is_frame(graph.concepts.get(edge.target, ""))
            arguments.setdefault(edge.source, []).append(edge.role + "*" * clause)
    named = questions.names(graph)
    for variable, concept in graph.concepts.items():
        type_ = _type(concept, roles.get(variable, []))
        if type_ and variable in named:
            yield Item(at, variable, type_, concept, named[variable], _article(graph, variable))
        elif type_ and _is_content(concept) and (form := _form(graph, variable)):
            own = frozenset(arguments.get(variable, ()))
            behind = _behind(graph, graph.aligned[variable][-1])
            yield Item(at, variable, type_, concept, "", form, own, behind)


def _form(graph: Graph, variable: str) -> str:
    """The word of a variable; nothing for one that has none, in a title, or for an adverb."""
    place = graph.aligned.get(variable, (-1,))[0]
    if place < 0:
        return ""
    form, before = graph.tokens[place].text, graph.tokens[place - 1].text if place else "."
    title = form[:1].isupper() and before[-1:] not in ".!?…" and not graph.text.isupper()
    return "" if title or form.lower().endswith("ly") else form


def _behind(graph: Graph, place: int) -> str:
    """The kind of word behind a place: a mark, something that begins an object, or the word."""
    word = graph.tokens[place + 1].text.lower() if place + 1 < len(graph.tokens) else "."
    if not any(map(str.isalnum, word)):
        return "."
    return "object" if word not in NLTK or word in _WORDS["determiners"] else word


def _article(graph: Graph, variable: str) -> str:
    """The article before a name: "the U.S." has one, "Canada" none."""
    nodes = (variable, questions.name_of(graph, variable))
    places = [place for node in nodes for place in graph.aligned.get(node, ())]
    first = min(places, default=0)
    before = graph.tokens[first - 1].text.lower() if first else ""
    return before if before == "the" else ""


def _type(concept: str, roles: list[str]) -> str:
    if concept_names.is_frame(concept):
        return "concept"
    types = (type_ for start, type_ in _ROLES if any(role.startswith(start) for role in roles))
    return next(types, "")


@lru_cache(maxsize=20_000)
def _is_content(concept: str) -> bool:
    """Whether a concept is a word of some content that the lexicon knows."""
    lemma = concept_names.lemma(concept)
    if concept in concept_names.PRONOUNS or {lemma, concept} & _WORDS["empty"]:
        return False
    plain = len(lemma) > 1 and not _SPECIAL.fullmatch(lemma) and not re.search(r"-9\d$", concept)
    return plain and bool(Lexicon.load().senses(lemma.partition("-")[0]))


def exchanged(graph: Graph, old: Item, new: Item) -> Graph:
    """The graph with another item in the place of one, wherever that one stands."""
    if old.name:
        called = [it for it, name in questions.names(graph).items() if name == old.name]
        return reduce(lambda graph, it: renamed(graph, it, new.name), called, graph)
    for variable, concept in graph.concepts.items():
        if concept == old.concept and variable in graph.aligned:
            graph = edits.replace_concept(graph, variable, new.concept)
    return graph


def renamed(graph: Graph, variable: str, name: str) -> Graph:
    """The graph with another name at a variable, which may have had none."""
    node = questions.name_of(graph, variable)
    concepts, edges = dict(graph.concepts), list(graph.edges)
    if not node:
        node = edits.fresh("name", {*concepts, *(edge.target for edge in edges)})
        concepts[node] = "name"
        edges.append(Edge(variable, ":name", node))
    kept = [edge for edge in edges if edge.source != node]
    words = [Edge(node, f":op{at}", quoted(word)) for at, word in enumerate(name.split(), 1)]
    return msgspec.structs.replace(graph, concepts=concepts, edges=(*kept, *words))
