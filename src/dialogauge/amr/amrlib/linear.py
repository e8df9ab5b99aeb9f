"""Graphs as amrlib's models write them: one line, and concepts instead of variables.

``( tell-01 :ARG0 ( you ) :ARG1 ( person_0 ...`` : the first mention opens a node, the same word
again refers to it, and ``_0``, ``_1`` tell apart two nodes with the same concept. The models obey
no grammar, so brackets may be missing, roles may lead nowhere and strings may never end.
Whatever makes sense is kept, and the rest is dropped; a line that does not even begin like a graph
is none.

    >>> from dialogauge.amr import encode
    >>> print(encode(delinearised("( want-01 :ARG0 ( i ) :ARG1 ( go-02 :ARG0 i :polarity -")))
    (w / want-01
          :ARG0 (i / i)
          :ARG1 (g / go-02
                :ARG0 i
                :polarity -))
"""

import re
from itertools import pairwise

from ..edits import fresh
from ..graph import Graph, encode, is_constant, is_role, quoted, symbol, upright

_LEXEME = re.compile(r'"[^"]*"?|[()/]|[^\s()/"]+')
_CONSTANT = re.compile(r'[-+]|".*|[-+]?\d.*')
_MODES = frozenset({"interrogative", "imperative", "expressive"})
_COUNTER = re.compile(r"_\d+$")


def linearised(graph: Graph) -> str:
    """A graph in PENMAN on one line: what amrlib's generators read."""
    return re.sub(r"\s+", " ", encode(graph))


def delinearised(line: str) -> Graph | None:
    """The graph of a line that a model wrote, or None."""
    lexemes = [*_LEXEME.findall(line), ")"]
    if lexemes[0] != "(" or not _is_concept(lexemes[1]):
        return None
    read = _Line(lexemes[1])
    for before, lexeme in pairwise(lexemes[1:]):
        read.take(lexeme, bracketed=before == "(")
    return read.graph()


class _Line:
    """What was understood of a line so far."""

    def __init__(self, top: str) -> None:
        self._variables: dict[str, str] = {}  # concept with its counter -> variable
        self._concepts: dict[str, str] = {}
        self._branches: list[tuple[str, str, str]] = []
        self._open = [self._variable(top)]
        self._role = ""

    def take(self, lexeme: str, bracketed: bool) -> None:
        if lexeme == ")":
            if len(self._open) > 1:  # the top stays open, whatever comes
                self._open.pop()
        elif lexeme.startswith(":"):
            self._role = lexeme if is_role(lexeme) else ""
        elif lexeme not in ("(", "/") and self._role:
            self._lead(lexeme, bracketed)

    def _lead(self, lexeme: str, bracketed: bool) -> None:
        """The last role leads to a concept, or to a constant."""
        source, role, self._role = self._open[-1], self._role, ""
        if _is_concept(lexeme) and not (role == ":mode" and lexeme in _MODES):
            is_new = lexeme not in self._variables
            target = self._variable(lexeme)
            if is_new or bracketed:  # a new one without its bracket has lost it
                self._open.append(target)
        else:
            target = _constant(lexeme)
        self._branches.append((source, role, target))

    def _variable(self, lexeme: str) -> str:
        if lexeme not in self._variables:
            concept = symbol(_COUNTER.sub("", lexeme))
            self._variables[lexeme] = fresh(concept, self._concepts)
            self._concepts[self._variables[lexeme]] = concept
        return self._variables[lexeme]

    def graph(self) -> Graph:
        edges = tuple(upright(branch, self._concepts) for branch in self._branches)
        return Graph(next(iter(self._concepts)), self._concepts, edges)


def _is_concept(lexeme: str) -> bool:
    return not (lexeme in ("", "(", ")", "/") or lexeme[0] == ":" or _CONSTANT.fullmatch(lexeme))


def _constant(lexeme: str) -> str:
    """A constant that PENMAN can hold."""
    if lexeme.startswith('"'):
        return quoted(lexeme.strip('"'))
    return lexeme if is_constant(lexeme) else quoted(lexeme)
