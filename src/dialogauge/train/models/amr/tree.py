"""A graph as it was written: a tree, and the edges that are left over.

``:mode`` and the *you* that an imperative implies have no word of their own and are put aside.
"""

from ....amr.graph import Edge, Graph, unquoted
from ....amr.parser.assembling import TOP


class Node:
    """A node or a constant in a graph written as a tree."""

    def __init__(self, name: str, concept: str, parent: "Node | None", role: str) -> None:
        self.name, self.concept, self.parent, self.role = name, concept, parent, role
        self.children: list[Node] = []
        self.word = -1
        self.called = ""  # the name, where it has one
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


def alignable(tree: Tree) -> list[str]:
    """The concepts and constants of a graph that a word may bring, names in one piece."""
    return [
        f"{node.concept} {node.called}" if node.called else node.concept
        for node in tree.nodes.values()
        if node.role != ":name" and not (node.parent and node.parent.role == ":name")
    ]
