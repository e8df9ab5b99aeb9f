"""Templates: the small piece of graph that one word brings along.

``teacher`` brings ``(person :ARG0-of (D-01))``: a person who teaches. A template is written as
PENMAN without variables, with marks where the word's own material goes:

======== ====================================================================================
``L``    the lemma: ``L-01`` is *tell-01* for *told*
``P``    the lemma and its particle: ``P-03`` is *sign-up-03* for *signed ... up*
``D``    a related stem, known or found by its ending: ``D-02`` is *quick-02* for *quickly*
``NAME`` the words of a name, as ``(n / name :op1 "New" :op2 "York")``
``=NUM`` the number that the words mean; ``=x`` any other constant
======== ====================================================================================

    >>> shape = read("(person :ARG0-of (D-01))")
    >>> shape
    Part(concept='person', children=((':ARG0-of', Part(concept='D-01', children=())),))
    >>> write(shape)
    '(person :ARG0-of (D-01))'
"""

import re
from functools import cache
from itertools import takewhile

import msgspec

#: A word that brings nothing, and a word that continues the name or number before it.
NOTHING, INSIDE = "-", "I"
NAME, NUMBER = "NAME", "=NUM"

#: Beginnings that negate: *unhappy* is ``(happy-01 :polarity -)``.
NEGATIVE = ("un", "in", "im", "il", "ir", "dis", "non", "mis")

_SENSE = re.compile(r"(.+)-(\d\d)")
_TOKENS = re.compile(r"[()]|[^\s()]+")


class Part(msgspec.Struct, frozen=True):
    """A node of a template, or a constant (``=x``) or name, with what hangs below it."""

    concept: str
    children: tuple[tuple[str, "Part"], ...] = ()

    @property
    def is_node(self) -> bool:
        """Whether it becomes a node with a variable, to which other words may attach."""
        return self.concept != NAME and not self.concept.startswith("=")


@cache
def read(text: str) -> Part:
    """A template from its text."""
    part, rest = _read(_TOKENS.findall(text))
    if rest:
        raise ValueError(f"text after the template: {text}")
    return part


def _read(tokens: list[str]) -> tuple[Part, list[str]]:
    if tokens[0] != "(":
        return Part(tokens[0]), tokens[1:]
    concept, rest = tokens[1], tokens[2:]
    children = []
    while rest[0] != ")":
        role = rest[0]
        child, rest = _read(rest[1:])
        children.append((role, child))
    return Part(concept, tuple(children)), rest[1:]


def write(part: Part) -> str:
    """The text of a template."""
    if not part.is_node:
        return part.concept
    inner = "".join(f" {role} {write(child)}" for role, child in part.children)
    return f"({part.concept}{inner})"


def split_sense(concept: str) -> tuple[str, str]:
    """Stem and sense of a concept.

    >>> split_sense("tell-01"), split_sense("boa")
    (('tell', '-01'), ('boa', ''))
    """
    match = _SENSE.fullmatch(concept)
    return (match[1], f"-{match[2]}") if match else (concept, "")


def abstracted(concept: str, lemma: str, particle: str | None, related: bool) -> str:
    """A concept with the word's own material marked; ``related``: a similar stem counts as ``D``.

    >>> abstracted("tell-01", "tell", None, True), abstracted("quick-02", "quickly", None, True)
    ('L-01', 'D-02')
    """
    stem, sense = split_sense(concept)
    if stem == lemma:
        return f"L{sense}"
    if particle and stem == f"{lemma}-{particle}":
        return f"P{sense}"
    if related and alike(stem, lemma):
        return f"D{sense}"
    return concept


def alike(stem: str, lemma: str) -> bool:
    """Whether two words begin alike, as *decide* and *decision* do, but for a negation.

    >>> alike("decide", "decision"), alike("quick", "quickly"), alike("person", "personally")
    (True, True, True)
    >>> alike("cat", "dog"), alike("have", "handle"), alike("legal", "illegal")
    (False, False, True)
    """
    for form in (lemma, *without_negation(lemma)):
        same = common_start(stem, form)
        if same >= max(3, 0.6 * min(len(stem), len(form)), 0.4 * len(form)):
            return True
    return False


def without_negation(lemma: str) -> list[str]:
    """What a negated word negates, if its beginning is one that negates.

    >>> without_negation("unhappy"), without_negation("happy")
    (['happy'], [])
    """
    return [lemma.removeprefix(start) for start in NEGATIVE if lemma.startswith(start)]


def common_start(one: str, other: str) -> int:
    """How many first letters two words share."""
    both = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return len(list(both))
