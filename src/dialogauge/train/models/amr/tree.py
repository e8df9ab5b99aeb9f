"""A graph as a tree, and the tree as a network learns it: word by word.

:class:`Tree` is a graph as it was written, and the edges that are left over; ``:mode`` and the
*you* that an imperative implies have no word of their own and are put aside. When each node knows
its word (:mod:`.align`), :class:`Reader` reads the tree: the nodes of one word that hang together
form its template, and what joins two words is an edge of the tree, or one beside it.
"""

from collections.abc import Callable, Iterable, Sequence

import msgspec

from ....amr.graph import Edge, Graph, unquoted
from ....amr.parser.assembling import TOP
from ....amr.parser.numbers import one
from ....amr.parser.rules import sentences
from ....amr.parser.templates import (
    INSIDE,
    NAME,
    NOTHING,
    NUMBER,
    Part,
    abstracted,
    split_sense,
    write,
)
from ....amr.parser.words import Word

#: More nodes than this for one word are an error of alignment.
_LARGEST = 6
#: The template of a word from which nothing is learned.
UNKNOWN = "?"


class Node:
    """A node or a constant in a graph written as a tree."""

    def __init__(self, name: str, concept: str, parent: "Node | None", role: str) -> None:
        self.name, self.concept, self.parent, self.role = name, concept, parent, role
        self.children: list[Node] = []
        self.word = -1
        self.called = ""  # the name, where it has one
        self.in_name = role == ":name" or (parent is not None and parent.role == ":name")
        if parent:
            parent.children.append(self)


class Tree:
    """A graph as it was written: a tree, and the edges that are left over."""

    def __init__(self, graph: Graph) -> None:
        self.top = Node(graph.top, graph.concepts[graph.top], None, TOP)
        self.nodes: dict[str, Node] = {graph.top: self.top}
        self.again: list[tuple[Node, str, Node]] = []
        self.modes: dict[str, str] = {}
        edges = [edge for edge in graph.edges if edge.role != ":wiki"]
        while edges:
            left = [edge for edge in edges if not self._placed(edge, graph.concepts)]
            if len(left) == len(edges):
                break
            edges = left
        self._take_modes()
        for node in self.nodes.values():
            if node.role == ":name" and node.parent and node.concept == "name":
                parts = [unquoted(child.concept[1:]) for child in node.children]
                node.parent.called = " ".join(parts)

    def _placed(self, edge: Edge, concepts: dict[str, str]) -> bool:
        source, role, target = edge.source, edge.role, edge.target
        nodes = self.nodes
        if source in nodes and target not in concepts:
            name = f"{source}{role}{target}"
            nodes[name] = Node(name, f"={target}", nodes[source], role)
        elif source in nodes and target in nodes:
            self.again.append((nodes[source], role, nodes[target]))
        elif source in nodes:
            nodes[target] = Node(target, concepts[target], nodes[source], role)
        elif target in nodes:
            nodes[source] = Node(source, concepts[source], nodes[target], f"{role}-of")
        else:
            return False
        return True

    def _take_modes(self) -> None:
        """``:mode`` and the *you* that an imperative implies have no word: put them aside."""
        for node in list(self.nodes.values()):
            if node.role != ":mode" or not node.parent:
                continue
            mode = node.concept[1:]
            for child in node.parent.children:
                if child.concept == "you" and not child.children and mode == "imperative":
                    mode += child.role
                    self.remove(child)
                    break
            self.modes[node.parent.name] = mode
            self.remove(node)

    def remove(self, node: Node) -> None:
        """Take a leaf out."""
        if node.parent:
            node.parent.children.remove(node)
        del self.nodes[node.name]
        self.again = [each for each in self.again if node not in (each[0], each[2])]

    def alignable(self) -> list[str]:
        """The concepts and constants that a word may bring, names in one piece."""
        return [
            f"{node.concept} {node.called}" if node.called else node.concept
            for node in self.nodes.values()
            if not node.in_name
        ]


class Reading(msgspec.Struct, frozen=True):
    """A graph as it is learned; words count from 1, because 0 is the top of everything."""

    templates: tuple[str, ...]
    stems: tuple[str, ...]  # what D stands for
    heads: tuple[int, ...]
    labels: tuple[str, ...]  # role, and the number of the node it starts from: ":ARG1@0"
    again: tuple[tuple[int, int, str], ...]  # further edges: from, to, label
    modes: tuple[str, ...]


class Reader:
    """Reads an aligned tree; each node knows its word, -1 where it has none."""

    def __init__(
        self, words: Sequence[Word], tree: Tree, distance: Callable[[int, int], int]
    ) -> None:
        self.words, self.tree, self.distance = words, tree, distance
        self.inside: set[int] = set()  # words that continue a name or a number
        self.names: set[str] = set()  # nodes whose name is written in the text
        self.mentions: dict[str, list[int]] = {}  # pronoun -> the words that mention it
        self.sentence_top = tree.top.concept == "multi-sentence"

    def reading(self) -> Reading:
        """The graph, word by word."""
        size = len(self.words)
        fragments = self._fragments()
        templates, stems, modes = [NOTHING] * size, [""] * size, [""] * size
        number: dict[str, int] = {}  # of each node in its template
        for at, (root, members) in fragments.items():
            templates[at], stems[at] = self._template(at, root, members, number)
            modes[at] = next((m for n in members if (m := self.tree.modes.get(n.name))), "")
        for at in self.inside:
            if templates[at] == NOTHING:
                templates[at] = INSIDE
        heads, labels, again = self._edges(fragments, number, templates)
        self._forget_silent(templates)
        return Reading(
            tuple(templates), tuple(stems), tuple(heads), tuple(labels), tuple(again), tuple(modes)
        )

    def _forget_silent(self, templates: list[str]) -> None:
        """A sentence of which the graph says nothing was overlooked: it is no lesson."""
        for first, last in sentences(self.words):
            if last - first >= 2 and set(templates[first : last + 1]) <= {NOTHING}:
                templates[first : last + 1] = [UNKNOWN] * (last + 1 - first)

    def _fragments(self) -> dict[int, tuple[Node, list[Node]]]:
        """For each word the connected nodes that it brought: the topmost, and all."""
        fragments: dict[int, tuple[Node, list[Node]]] = {}
        for node in self._in_order(self.tree.top):
            if node.word < 0:
                continue
            if node.word not in fragments:
                fragments[node.word] = (node, [node])
            elif node.parent in fragments[node.word][1]:
                fragments[node.word][1].append(node)
            else:
                node.word = -2  # not connected to the word's other nodes: lost
        return fragments

    def _in_order(self, node: Node) -> Iterable[Node]:
        yield node
        for child in node.children:
            yield from self._in_order(child)

    def _template(
        self, at: int, root: Node, members: list[Node], number: dict[str, int]
    ) -> tuple[str, str]:
        word = self.words[at]
        particle = next(
            (w.lemma for w in self.words if w.dep == "compound:prt" and w.head == at), None
        )
        stems: list[str] = []

        def part(node: Node) -> Part:
            if node.name in self.names:
                return Part(NAME)
            if node.concept.startswith("="):
                figures = one(word.text) is not None
                return Part(NUMBER if figures and node.concept[1:2].isdigit() else node.concept)
            number[node.name] = len(number_here)
            number_here.append(node)
            concept = abstracted(node.concept, word.lemma, particle, not stems)
            if concept.startswith("D") and concept[1:2] in ("", "-"):
                stems.append(split_sense(node.concept)[0])
            children = [(c.role, part(c)) for c in node.children if c in members]
            return Part(concept, tuple(children))

        number_here: list[Node] = []
        shape = part(root)
        if len(members) > _LARGEST and not self.names & {member.name for member in members}:
            return UNKNOWN, ""
        if any(set(member.concept) & set(" ()") for member in members if member.concept[0] == "="):
            return UNKNOWN, ""  # a template could not be read again
        return write(shape), stems[0] if stems else ""

    def _edges(
        self,
        fragments: dict[int, tuple[Node, list[Node]]],
        number: dict[str, int],
        templates: list[str],
    ) -> tuple[list[int], list[str], list[tuple[int, int, str]]]:
        heads = [-1] * len(self.words)
        labels = [""] * len(self.words)
        edges: list[tuple[int, int, str, Node]] = []
        for at, (root, _) in fragments.items():
            parent = root.parent
            if parent is None or (parent is self.tree.top and self.sentence_top):
                heads[at], labels[at] = 0, TOP
            elif parent.word >= 0:
                label = f"{_role_class(root.role)}@{number.get(parent.name, 0)}"
                edges.append((parent.word, at, label, root))
        for source, role, target in self.tree.again:
            if min(source.word, target.word) >= 0 and fragments[target.word][0] is target:
                label = f"{_role_class(role)}@{number.get(source.name, 0)}"
                edges.append((source.word, target.word, label, target))
        again = self._share(edges, heads, labels, templates)
        return heads, labels, again

    def _share(
        self,
        edges: list[tuple[int, int, str, Node]],
        heads: list[int],
        labels: list[str],
        templates: list[str],
    ) -> list[tuple[int, int, str]]:
        """Give each mention of a pronoun its nearest edge; what is left are further edges."""
        again = []
        for source, at, label, node in edges:
            places = self.mentions.get(node.name, [at])
            nearest = min(places, key=lambda place: self.distance(source, place))
            if source == nearest:
                continue
            if heads[nearest] < 0:
                heads[nearest], labels[nearest] = source + 1, label
                templates[nearest] = templates[at]
            else:
                again.append((source + 1, nearest + 1, label))
        for at, template in enumerate(templates):  # a first mention without an edge of its own
            if template not in (NOTHING, INSIDE) and heads[at] < 0:
                templates[at] = NOTHING
        return again


def _role_class(role: str) -> str:
    """A role without the number that only counts: ``:op2`` and ``:snt3`` are ``:op``, ``:snt``."""
    return role.rstrip("0123456789") if role.startswith((":op", ":snt")) else role
