"""Which word a variable stands for, where a parser does not say.

The rules of amrlib's word aligner, with a longer list of words: a concept goes to the first free
word that is equal to it (as written, as lemma, or by the list of ``words.toml``), else to the free
word that begins like it with at least :data:`_ALIKE` letters. Constants are aligned through their
variable.

    >>> from dialogauge.amr import decode
    >>> graph = decode("(t / tell-01 :polarity - :ARG0 (y / you) :ARG2 (i / i))")
    >>> align(graph, ["you", "do", "n't", "tell", "me"], ["you", "do", "not", "tell", "i"])
    {'t': (2, 3), 'y': (0,), 'i': (4,)}
"""

from collections.abc import Iterator, Sequence

import msgspec

from ...language.concept_names import lemma
from ...sentence.wordlists import named
from ..graph import Edge, Graph, unquoted
from ..parser.numbers import value
from ..parser.templates import common_start

#: How many first letters must be equal where a word is not the concept's own.
_ALIKE = 4

#: Words whose concept has another name.
_MEANS = named(__file__, "means")
_YEAR = "january february march april may june july august september october november december"
_MONTHS = {month: str(number) for number, month in enumerate(_YEAR.split(), 1)}


class _Match(msgspec.Struct, frozen=True):
    """A word found for a variable's concept, or for a constant of it."""

    variable: str
    constant: Edge | None  # the edge that leads to the constant
    place: int


def align(graph: Graph, words: Sequence[str], lemmas: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """The places of each variable's words; a word belongs to one variable."""
    places_of: dict[str, list[int]] = {variable: [] for variable in graph.concepts}
    for match in matches(graph, words, lemmas):
        places_of[match.variable].append(match.place)
    return {variable: tuple(sorted(places)) for variable, places in places_of.items() if places}


def matches(graph: Graph, words: Sequence[str], lemmas: Sequence[str]) -> Iterator[_Match]:
    """A word for each concept and constant that has one."""
    free = {
        place: _names(word.lower(), own.lower())
        for place, (word, own) in enumerate(zip(words, lemmas, strict=True))
    }
    wanted = list(_wanted(graph))
    for rule in (_equal, _alike):  # no likeness may take a word from its equal
        left = []
        for variable, constant, name in wanted:
            place = rule(name, free)
            if place is None:
                left.append((variable, constant, name))
            else:
                del free[place]
                yield _Match(variable, constant, place)
        wanted = left


def _wanted(graph: Graph) -> Iterator[tuple[str, Edge | None, str]]:
    """What a word is wanted for, and its name."""
    for variable, concept in graph.concepts.items():
        yield variable, None, lemma(concept).lower()
        for edge in graph.edges:
            if edge.source == variable and edge.target not in graph.concepts:
                yield variable, edge, unquoted(edge.target).lower()


def _names(word: str, own: str) -> set[str]:
    """Everything that a graph may call a word."""
    more = (_MEANS.get(word), _MONTHS.get(word), value([word]))
    return {word, own, *filter(None, more)}


def _equal(name: str, free: dict[int, set[str]]) -> int | None:
    return next((place for place, names in free.items() if name in names), None)


def _alike(name: str, free: dict[int, set[str]]) -> int | None:
    likeness = {
        place: max(common_start(name, other) for other in names) for place, names in free.items()
    }
    best = max(likeness, key=likeness.__getitem__, default=None)
    return best if best is not None and likeness[best] >= _ALIKE else None
