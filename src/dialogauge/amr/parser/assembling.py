"""From what was decided for each word to a graph.

A :class:`Plan` says for each word its template, the word it hangs from and with what role, and the
edges beside this tree. :func:`assemble` fills the templates with the words, counts ``:op1``,
``:op2``, joins the mentions of one pronoun, and keeps for each variable the words it came from.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from ..edits import fresh
from ..graph import Edge, Graph, Token, is_turned, quoted, symbol
from . import naming, numbers
from .templates import INSIDE, NAME, NOTHING, NUMBER, Part, read, split_sense
from .words import Word

TOP = ":top"
#: Concepts whose mentions in one sentence are one node.
SHARED = frozenset({"i", "you", "he", "she", "it", "we", "they"})


class Plan(msgspec.Struct, frozen=True):
    """What was decided for the words of a piece; heads count from 1, 0 is the top."""

    words: tuple[Word, ...]
    templates: tuple[str, ...]
    stems: tuple[str, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]
    again: tuple[tuple[int, int, str], ...]
    modes: tuple[str, ...]


def assemble(
    plans: Sequence[Plan], text: str = "", spellings: Mapping[str, str] | None = None
) -> Graph | None:
    """The graph of a text from the plans of its pieces; None if no word brings anything.

    ``spellings`` are those of words of names, by their small letters.
    """
    builder = _Builder(spellings or {})
    for plan in plans:
        first = len(builder.tokens)
        builder.tokens += [Token(word.text, word.start, word.end) for word in plan.words]
        _Piece(builder, plan, first).build()
    return builder.graph(text)


class _Builder:
    """A graph in the making."""

    def __init__(self, spellings: Mapping[str, str]) -> None:
        self.spellings = spellings
        self.concepts: dict[str, str] = {}
        self.edges: list[Edge] = []
        self.aligned: dict[str, tuple[int, ...]] = {}
        self.tokens: list[Token] = []
        self.tops: list[str] = []

    def variable(self, concept: str, places: Sequence[int]) -> str:
        """A new variable for a concept."""
        name = fresh(concept, self.concepts)
        self.concepts[name] = concept
        if places:
            self.aligned[name] = tuple(places)
        return name

    def graph(self, text: str) -> Graph | None:
        """What was built; several sentences under one top."""
        tops = list(dict.fromkeys(self.tops))
        if not tops:
            return None
        edges = list(dict.fromkeys(edge for edge in self.edges if edge.source != edge.target))
        edges = [self._second(edge, edges) for edge in edges]
        concepts, top = self.concepts, tops[0]
        if len(tops) > 1:
            top = self.variable("multi-sentence", ())
            concepts = {top: concepts[top], **concepts}
            edges[:0] = [Edge(top, f":snt{at}", each) for at, each in enumerate(tops, 1)]
        return Graph(top, concepts, tuple(edges), text, tuple(self.tokens), self.aligned)

    def _second(self, edge: Edge, edges: Sequence[Edge]) -> Edge:
        """*And* at the beginning joins what was said before: its only part is the second."""
        if edge.role != ":op1" or self.concepts[edge.source] not in ("and", "or"):
            return edge
        alone = sum(other.source == edge.source and other.role[:3] == ":op" for other in edges) == 1
        first = min(self.aligned.get(edge.source, (0,)))
        before = first < min(self.aligned.get(edge.target, (0,)))
        return Edge(edge.source, ":op2", edge.target) if alone and before else edge


class _Piece:
    """The sentences of a plan, in the making."""

    def __init__(self, builder: _Builder, plan: Plan, first: int) -> None:
        self.builder, self.plan, self.first = builder, plan, first
        self.nodes: dict[int, list[str]] = {}  # word -> its variables, the top of its part first
        self.shared: dict[str, str] = {}  # pronoun -> its variable in this sentence
        self.counts = Counter[tuple[str, str]]()
        self.below: dict[int, list[int]] = {}
        for at, (head, template) in enumerate(zip(plan.heads, plan.templates, strict=True)):
            if template not in (NOTHING, INSIDE, "?"):
                self.below.setdefault(head - 1, []).append(at)

    def build(self) -> None:
        """The tree of each sentence, then the edges beside the trees."""
        for top in self.below.get(-1, ()):
            self.shared = {}
            waiting = [top]
            while waiting:
                at = waiting.pop()
                self._grow(at, top)
                waiting += reversed(self.below.get(at, ()))
            if self.nodes.get(top):
                self.builder.tops.append(self.nodes[top][0])
        for source, target, label in self.plan.again:
            if self.nodes.get(source - 1) and self.nodes.get(target - 1):
                self._link(source - 1, self.nodes[target - 1][0], label, is_node=True)

    def _grow(self, at: int, top: int) -> None:
        """Fill the template of a word and hang it from its head."""
        plan = self.plan
        shape = read(plan.templates[at])
        self.nodes[at] = []
        if not shape.is_node and at != top:
            start = self._link(plan.heads[at] - 1, self._constant(shape, at), plan.labels[at])
            self._also(start, at)
            return
        if not shape.is_node:  # a bare number or negation: something must stand for it
            shape = Part(symbol(plan.words[at].lemma))
        root = self._fill(shape, at)
        if at != top:
            self._link(plan.heads[at] - 1, root, plan.labels[at], is_node=True)
        if plan.modes[at]:
            self._mark(at)

    def _fill(self, part: Part, at: int) -> str:
        """The variable of a node of the template, with everything below it."""
        concept = self._concept(part.concept, at)
        if concept in SHARED and not part.children and concept in self.shared:
            variable = self.shared[concept]
            self._also(variable, at)
        else:
            variable = self.builder.variable(concept, self._places(at))
        if concept in SHARED:
            self.shared.setdefault(concept, variable)
        self.nodes[at].append(variable)
        for role, child in part.children:
            if child.concept == NAME:
                self._edge(variable, role, self._name(at))
            elif child.is_node:
                self._edge(variable, role, self._fill(child, at), is_node=True)
            else:
                self._edge(variable, role, self._constant(child, at))
        return variable

    def _name(self, at: int) -> str:
        places = self._places(at)
        variable = self.builder.variable("name", places)
        words = [msgspec.structs.astuple(self.builder.tokens[place]) for place in places]
        for number, word in enumerate(naming.parts(words, self.builder.spellings), 1):
            self.builder.edges.append(Edge(variable, f":op{number}", quoted(word)))
        return variable

    def _places(self, at: int) -> tuple[int, ...]:
        return tuple(self.first + place for place in span(self.plan.templates, at))

    def _concept(self, concept: str, at: int) -> str:
        stem, sense = split_sense(concept)
        words = self.plan.words
        if stem == "L":
            return symbol(words[at].lemma) + sense
        if stem == "D":
            return symbol(self.plan.stems[at] or words[at].lemma) + sense
        if stem == "P":
            particles = [w.lemma for w in words if w.dep == "compound:prt" and w.head == at]
            return symbol("-".join([words[at].lemma, *particles[:1]])) + sense
        return concept

    def _constant(self, part: Part, at: int) -> str:
        if part.concept != NUMBER:
            return part.concept[1:]
        texts = [self.plan.words[place].text for place in span(self.plan.templates, at)]
        return numbers.value(texts) or numbers.value(texts[:1]) or quoted(texts[0])

    def _link(self, source: int, target: str, label: str, *, is_node: bool = False) -> str:
        """An edge from a word's node, which the label names by its number; that node."""
        role, _, number = label.partition("@")
        variables = self.nodes.get(source)
        if not variables:
            return ""
        start = variables[min(int(number or 0), len(variables) - 1)]
        self._edge(start, role, target, is_node=is_node)
        return start

    def _also(self, variable: str, at: int) -> None:
        """A variable stands for one more word: another mention, or that of a constant."""
        if variable:
            places = self.builder.aligned.get(variable, ())
            self.builder.aligned[variable] = tuple(sorted({*places, *self._places(at)}))

    def _edge(self, source: str, role: str, target: str, *, is_node: bool = False) -> None:
        if role in (":op", ":snt"):
            self.counts[source, role] += 1
            role = f"{role}{self.counts[source, role]}"
        if is_node and self.builder.concepts.get(target) == "never":
            self.builder.concepts[target] = "ever"
            self.builder.edges.append(Edge(source, ":polarity", "-"))
        if is_node and is_turned(role):
            source, role, target = target, role.removesuffix("-of"), source
        self.builder.edges.append(Edge(source, role, target))

    def _mark(self, at: int) -> None:
        """The mode of a sentence, with the *you* that an imperative implies."""
        mode, _, role = self.plan.modes[at].partition(":")
        concepts = self.builder.concepts
        frames = [node for node in self.nodes[at] if split_sense(concepts[node])[1]]
        node = (frames or self.nodes[at])[0]
        self.builder.edges.append(Edge(node, ":mode", mode))
        if role:
            you = self.shared.get("you") or self.builder.variable("you", ())
            self.shared["you"] = you
            self.builder.edges.append(Edge(node, f":{role}", you))


def span(templates: Sequence[str], at: int) -> Iterator[int]:
    """A word and those after it that continue it."""
    yield at
    while at + 1 < len(templates) and templates[at + 1] == INSIDE:
        at += 1
        yield at
