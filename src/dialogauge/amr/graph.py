r"""AMR graphs: what a sentence says, as a value.

A graph has variables, each with a concept, and edges between them or to constants. It is frozen:
an edit (:mod:`.edits`) gives a new one. Each variable knows the words it came from (``aligned``),
so that a change of the graph can be written back into the sentence.

    >>> dog = "(d / dog :ARG0-of (b / bark-01))"
    >>> graph = decode(f"(h / hate-01 :polarity - :ARG0 (s / she) :ARG1 {dog})")
    >>> graph.edges[-1]
    Edge(source='b', role=':ARG0', target='d')
    >>> print(encode(graph))
    (h / hate-01
          :polarity -
          :ARG0 (s / she)
          :ARG1 (d / dog
                :ARG0-of (b / bark-01)))

Edges are stored the right way round (``:ARG0``, never ``:ARG0-of``); PENMAN turns an edge around
only where it has to, because it writes a graph as a tree. The tree follows the order of the
variables and edges, so a graph that was read is written much as it was. Edges that say the same the
other way round (``:mod``, ``:domain``) are kept as they were given.
"""

import heapq
import re
from collections import defaultdict
from collections.abc import Iterator

import msgspec

from ..errors import InputError
from .notation import read

#: How far a level is indented.
_INDENT = 6
#: The roles that end in -of and are not others turned around.
_UPRIGHT = frozenset({":consist-of", ":prep-on-behalf-of", ":prep-out-of"})

_SYMBOL = re.compile(r'[^\s"()/:~#][^\s"()/:~]*')
_STRING = re.compile(r'"(?:[^"\\\n]|\\[^\n])*"')
_ROLE = re.compile(r':[^\s"()/:~]+')
_ILLEGAL = re.compile(r'[\s"()/:~\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+')


class Token(msgspec.Struct, frozen=True):
    """A word of a text: ``text[start:end]``."""

    text: str
    start: int
    end: int


class Edge(msgspec.Struct, frozen=True):
    """A relation; ``target`` is a variable, or a constant such as ``-``, ``3`` or ``"Oscar"``."""

    source: str
    role: str
    target: str


class Graph(msgspec.Struct, frozen=True):
    """One sentence or utterance; treat its dictionaries as frozen too."""

    top: str
    concepts: dict[str, str]  # variable -> concept, in order of first mention
    edges: tuple[Edge, ...] = ()
    text: str = ""
    tokens: tuple[Token, ...] = ()
    aligned: dict[str, tuple[int, ...]] = {}  # variable -> places in tokens


class _Branch(msgspec.Struct, frozen=True):
    """An edge as it is written below a variable."""

    role: str  # ends in "-of" where the edge is turned around
    target: str
    opens: bool  # the target is a variable, and this is where it is written out


def encode(graph: Graph) -> str:
    """The graph in PENMAN, indented as in the AMR releases."""
    tree = branches(graph)
    parts = [f"({graph.top} / {graph.concepts[graph.top]}"]
    waiting: list[Iterator[_Branch]] = [iter(tree[graph.top])]  # of the nodes that are open
    while waiting:
        branch = next(waiting[-1], None)
        if branch is None:
            waiting.pop()
            parts.append(")")
            continue
        parts.append(f"\n{' ' * (_INDENT * len(waiting))}{branch.role} ")
        if branch.opens:
            parts.append(f"({branch.target} / {graph.concepts[branch.target]}")
            waiting.append(iter(tree[branch.target]))
        else:
            parts.append(branch.target)
    return "".join(parts)


def decode(text: str) -> Graph:
    """One graph in PENMAN; :class:`~.notation.NotationError` shows where a text is not one.

    ``# ::snt`` becomes the graph's text, ``# ::tok`` its tokens, ``hate-01~e.5`` an alignment.
    """
    written = read(text)
    edges = tuple(upright(branch, written.concepts) for branch in written.branches)
    comments = written.comments
    words = comments.get("tok") or (comments.get("snt", "") if written.places else "")
    sentence, tokens = _located(comments.get("snt", ""), words.split())
    aligned = {
        variable: inside
        for variable, places in written.places.items()
        if (inside := tuple(place for place in places if place < len(tokens)))
    }
    return Graph(written.top, written.concepts, edges, sentence, tokens, aligned)


def upright(branch: tuple[str, str, str], concepts: dict[str, str]) -> Edge:
    """A branch as an edge the right way round; one to a constant cannot be turned."""
    source, role, target = branch
    while {source, target} <= concepts.keys() and is_turned(role):
        source, role, target = target, role.removesuffix("-of"), source
    return Edge(source, role, target)


def branches(graph: Graph) -> dict[str, list[_Branch]]:
    """The graph as a tree: what is written below each variable, in the order of the edges."""
    opening = _opening(graph)
    tree: dict[str, list[_Branch]] = {variable: [] for variable in graph.concepts}
    for number, edge in enumerate(graph.edges):
        if opening.get(edge.source) == number:
            tree[edge.target].append(_Branch(f"{edge.role}-of", edge.source, True))
        else:
            opens = opening.get(edge.target) == number
            tree[edge.source].append(_Branch(edge.role, edge.target, opens))
    return tree


def _opening(graph: Graph) -> dict[str, int]:
    """The number of the edge that leads to each variable but the top.

    Of the variables in reach the first comes next, and by an edge that need not be turned if there
    is one.
    """
    rank = {variable: number for number, variable in enumerate(graph.concepts)}
    touching: dict[str, list[tuple[int, bool, int, str]]] = defaultdict(list)
    for number, edge in enumerate(graph.edges):
        if edge.target in rank:
            touching[edge.source].append((rank[edge.target], False, number, edge.target))
            touching[edge.target].append((rank[edge.source], True, number, edge.source))
    opening = {graph.top: -1}
    queue = list(touching[graph.top])
    heapq.heapify(queue)
    while queue:
        _, _, number, variable = heapq.heappop(queue)
        if variable not in opening:
            opening[variable] = number
            for step in touching[variable]:
                heapq.heappush(queue, step)
    if lost := [variable for variable in rank if variable not in opening]:
        raise InputError(f"not connected: nothing leads from {graph.top} to {lost[0]}")
    return opening


def check(graph: Graph) -> Graph:
    """The graph itself if PENMAN can hold it; else :class:`~dialogauge.errors.InputError`."""
    if graph.top not in graph.concepts:
        raise InputError(f"the top {graph.top!r} has no concept")
    for variable, concept in graph.concepts.items():
        if not (_SYMBOL.fullmatch(variable) and is_constant(concept)):
            raise InputError(f"not PENMAN: ({variable} / {concept})")
    for edge in graph.edges:
        shown = f"{edge.source} {edge.role} {edge.target}"
        if edge.source not in graph.concepts:
            raise InputError(f"an edge starts at no variable: {shown}")
        if not (is_role(edge.role) and is_constant(edge.target)):
            raise InputError(f"not PENMAN: {shown}")
        if edge.target in graph.concepts and is_turned(edge.role):
            raise InputError(f"an edge is stored the wrong way round: {shown}")
    for variable, places in graph.aligned.items():
        if variable not in graph.concepts:
            raise InputError(f"an alignment of {variable!r}, which is not in the graph")
        if not all(0 <= place < len(graph.tokens) for place in places):
            raise InputError(f"{variable} is aligned beyond the {len(graph.tokens)} tokens")
    branches(graph)
    return graph


def is_constant(text: str) -> bool:
    """Whether a text may stand as a concept or as the end of an edge."""
    return bool(_SYMBOL.fullmatch(text) or _STRING.fullmatch(text))


def is_role(text: str) -> bool:
    """Whether a text may stand on an edge."""
    return _ROLE.fullmatch(text) is not None


def is_turned(role: str) -> bool:
    """Whether a role leads the other way round.

    >>> is_turned(":ARG0-of"), is_turned(":consist-of")
    (True, False)
    """
    return role.endswith("-of") and role not in _UPRIGHT


def symbol(text: str) -> str:
    """Any text as a legal concept: what PENMAN keeps for itself becomes a hyphen.

    >>> symbol("and/or"), symbol("#metoo"), symbol("(:")
    ('and-or', 'metoo', '-')
    """
    return _ILLEGAL.sub("-", text).strip("-#") or "-"


def quoted(text: str) -> str:
    r"""Any text as a string constant, such as a part of a name.

    >>> print(quoted('Oscar'), quoted('the "boss"'))
    "Oscar" "the \"boss\""
    """
    flat = re.sub(r"[\s\x00-\x1f\x7f-\x9f\ud800-\udfff]+", " ", text)
    return '"' + flat.replace("\\", "\\\\").replace('"', '\\"') + '"'


def unquoted(constant: str) -> str:
    """The text of a constant; the inverse of :func:`quoted`.

    >>> unquoted(quoted('the "boss"')), unquoted("3")
    ('the "boss"', '3')
    """
    return re.sub(r"\\(.)", r"\1", constant[1:-1]) if constant.startswith('"') else constant


def _located(text: str, words: list[str]) -> tuple[str, tuple[Token, ...]]:
    """A text and where its words are in it; if they are not, the text is the words."""
    tokens, end = [], 0
    text = text or " ".join(words)
    for word in words:
        start = text.find(word, end)
        if start < 0:
            return _located("", words)
        end = start + len(word)
        tokens.append(Token(word, start, end))
    return text, tuple(tokens)
