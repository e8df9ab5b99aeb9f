"""A graph as a tree, and the tree as a network learns it: word by word.

:class:`Tree` is a graph as it was written, and the edges that are left over; ``:mode`` and the
*you* that an imperative implies have no word of their own and are put aside. When each node knows
its word (:mod:`.align`), :class:`Reader` reads the tree: the nodes of one word that hang together
form its template, and what joins two words is an edge of the tree, or one beside it.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import count

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
        self.number: dict[str, int] = {}  # of each node in its template
        self.templates, self.heads = [NOTHING] * len(words), [-1] * len(words)
        self.stems, self.labels, self.modes = ([""] * len(words) for _ in range(3))

    def reading(self) -> Reading:
        """The graph, word by word."""
        fragments = self._fragments()
        for at, (root, members) in fragments.items():
            self.templates[at], self.stems[at] = self._template(at, root, members)
            self.modes[at] = next((m for n in members if (m := self.tree.modes.get(n.name))), "")
        for at in self.inside:
            if self.templates[at] == NOTHING:
                self.templates[at] = INSIDE
        again = self._share(self._edges(fragments))
        for first, last in sentences(self.words):
            # What the graph says nothing of was overlooked: it is no lesson.
            if last - first >= 2 and set(self.templates[first : last + 1]) <= {NOTHING}:
                self.templates[first : last + 1] = [UNKNOWN] * (last + 1 - first)
        return Reading(
            tuple(self.templates),
            tuple(self.stems),
            tuple(self.heads),
            tuple(self.labels),
            tuple(again),
            tuple(self.modes),
        )

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

    def _template(self, at: int, root: Node, members: list[Node]) -> tuple[str, str]:
        """What a word brings, and the stem that it writes in its own way."""
        word = self.words[at]
        particles = (w.lemma for w in self.words if w.dep == "compound:prt" and w.head == at)
        particle = next(particles, None)
        numbers, stems = count(), list[str]()

        def part(node: Node) -> Part:
            if node.name in self.names:
                return Part(NAME)
            if node.concept.startswith("="):
                figures = one(word.text) is not None
                return Part(NUMBER if figures and node.concept[1:2].isdigit() else node.concept)
            self.number[node.name] = next(numbers)
            concept = abstracted(node.concept, word.lemma, particle, not stems)
            if concept.startswith("D") and concept[1:2] in ("", "-"):
                stems.append(split_sense(node.concept)[0])
            children = [(c.role, part(c)) for c in node.children if c in members]
            return Part(concept, tuple(children))

        shape = part(root)
        if len(members) > _LARGEST and not self.names & {member.name for member in members}:
            return UNKNOWN, ""
        if any(set(member.concept) & set(" ()") for member in members if member.concept[0] == "="):
            return UNKNOWN, ""  # a template could not be read again
        return write(shape), stems[0] if stems else ""

    def _edges(self, fragments: dict[int, tuple[Node, list[Node]]]) -> list[tuple[Node, str, Node]]:
        """The edges between words; a word at the top hangs from it."""
        edges = []
        for at, (root, _) in fragments.items():
            parent = root.parent
            if parent is None or (parent is self.tree.top and self.sentence_top):
                self.heads[at], self.labels[at] = 0, TOP
            elif parent.word >= 0:
                edges.append((parent, root.role, root))
        for source, role, target in self.tree.again:
            if min(source.word, target.word) >= 0 and fragments[target.word][0] is target:
                edges.append((source, role, target))
        return edges

    def _share(self, edges: list[tuple[Node, str, Node]]) -> list[tuple[int, int, str]]:
        """Give each mention of a pronoun its nearest edge; what is left are further edges."""
        again = []
        for source, role, target in edges:
            label = f"{_role_class(role)}@{self.number.get(source.name, 0)}"
            places = self.mentions.get(target.name, [target.word])
            at = min(places, key=lambda place: self.distance(source.word, place))
            if source.word == at:
                continue
            if self.heads[at] < 0:
                self.heads[at], self.labels[at] = source.word + 1, label
                self.templates[at] = self.templates[target.word]
            else:
                again.append((source.word + 1, at + 1, label))
        for at, template in enumerate(self.templates):  # a first mention without an edge of its own
            if template not in (NOTHING, INSIDE) and self.heads[at] < 0:
                self.templates[at] = NOTHING
        return again


def _role_class(role: str) -> str:
    """A role without the number that only counts: ``:op2`` and ``:snt3`` are ``:op``, ``:snt``."""
    return role.rstrip("0123456789") if role.startswith((":op", ":snt")) else role
