"""A rough graph straight from a UD parse: a node per content word, aligned without fail.

It is no AMR to speak of, but it has frames, arguments, modifiers, names, pronouns, negation and
sentences in the right places, so that a realiser can be tried without the errors of a parser.
"""

from typing import TYPE_CHECKING

from dialogauge.amr import Edge, Graph, Token
from dialogauge.amr.graph import quoted, symbol
from dialogauge.language.inflection import lemma
from dialogauge.language.pronouns import readings

if TYPE_CHECKING:
    from spacy.tokens import Doc
    from spacy.tokens import Token as Word

ROLES = {
    "nsubj": ":ARG0",
    "nsubj:pass": ":ARG1",
    "obj": ":ARG1",
    "ccomp": ":ARG1",
    "xcomp": ":ARG1",
    "iobj": ":ARG2",
    "obl": ":ARG2",
    "nmod:poss": ":poss",
    "conj": ":op2",
}
MODALS = {"can": "possible-01", "could": "possible-01", "may": "possible-01", "ca": "possible-01"}
PEOPLE = {(1, "sing"): "i", (2, "sing"): "you", (1, "plur"): "we", (3, "plur"): "they"}


class Sketch:
    """The graph of one document while it is made."""

    def __init__(self, document: "Doc") -> None:
        self.document = document
        self.concepts: dict[str, str] = {}
        self.edges: list[Edge] = []
        self.aligned: dict[str, list[int]] = {}
        self.node: dict[int, str] = {}  # word -> variable
        self.tokens = [word for word in document if not word.is_space]
        self.place = {word.i: place for place, word in enumerate(self.tokens)}

    def add(self, concept: str, *words: "Word") -> str:
        """A new node for words."""
        variable = f"x{len(self.concepts)}"
        self.concepts[variable] = symbol(concept)
        if words:
            self.aligned[variable] = [self.place[word.i] for word in words]
        for word in words:
            self.node[word.i] = variable
        return variable

    def graph(self) -> Graph:
        """All sentences as one graph."""
        roots = list(filter(None, (self.sentence(span) for span in self.document.sents)))
        top = roots[0] if len(roots) == 1 else self.add("multi-sentence" if roots else "thing")
        if len(roots) > 1:
            snt = (Edge(top, f":snt{at}", root) for at, root in enumerate(roots, 1))
            self.edges[:0] = snt
        tokens = tuple(Token(it.text, it.idx, it.idx + len(it)) for it in self.tokens)
        concepts = {top: self.concepts[top], **self.concepts}
        aligned = {name: tuple(own) for name, own in self.aligned.items()}
        return Graph(top, concepts, tuple(self.edges), self.document.text, tokens, aligned)

    def sentence(self, span: "Doc") -> str | None:
        """The nodes and edges of a sentence; its top."""
        people: dict[str, str] = {}  # one variable for all mentions
        for word in span:
            self.visit(word, people)
        own = [word for word in span if word.i in self.node]
        if not own:
            return None
        own.sort(key=lambda word: len(list(word.ancestors)))  # what is above comes first
        top = self.node[own[0].i]
        linked = {top}
        for word in own:
            variable = self.node[word.i]
            if variable not in linked:
                above = (self.node.get(it.i, "") for it in word.ancestors)
                source = next((it for it in above if it in linked), top)
                self.edges.append(Edge(source, ROLES.get(word.dep_, ":mod"), variable))
                linked.add(variable)
        self.negations(span)
        return top

    def visit(self, word: "Word", people: dict[str, str]) -> None:
        """One word's node, if it has one."""
        if word.i in self.node or word.is_space or word.is_punct:
            return
        person = next(iter(readings(word.text)), None) if word.pos_ == "PRON" else None
        if person is not None:
            concept = PEOPLE.get((person.person, person.number), _third(person.gender))
            variable = people.get(concept) or self.add(concept)
            people[concept] = variable
            self.aligned.setdefault(variable, []).append(self.place[word.i])
            self.node[word.i] = variable
        elif word.tag_.startswith("NNP"):
            self.name(word)
        elif (content := concept_of(word)) is not None:
            particles = [it for it in word.children if it.dep_ == "compound:prt"]
            self.add(content, word, *particles)

    def name(self, word: "Word") -> None:
        """A named person from a run of names."""
        parts = [word]
        for following in self.document[word.i + 1 : word.sent.end]:
            if not following.tag_.startswith("NNP") or following.is_space:
                break
            parts.append(following)
        variable = self.add("person")
        name = self.add("name", *parts)
        self.aligned[variable] = list(self.aligned[name])
        self.node.update({part.i: variable for part in parts})
        self.edges.append(Edge(variable, ":name", name))
        ops = (Edge(name, f":op{at}", quoted(it.text)) for at, it in enumerate(parts, 1))
        self.edges.extend(ops)

    def negations(self, span: "Doc") -> None:
        """Polarity for *not*, *never* and *no*."""
        for word in span:
            if word.lower_ not in ("not", "n't", "n’t", "nt", "never", "no") or word.dep_ == "intj":
                continue
            before = word.doc[word.i - 1] if word.i else word
            modal = before if before.i in self.node and before.tag_ == "MD" else word.head
            at = modal.head if word.lower_ == "no" and word.dep_ == "det" else modal
            if at.i in self.node and self.node[at.i] in self.concepts:
                edge = Edge(self.node[at.i], ":polarity", "-")
                if edge not in self.edges:
                    self.edges.append(edge)


def _third(gender: str) -> str:
    return {"masc": "he", "fem": "she"}.get(gender, "it")


def concept_of(word: "Word") -> str | None:
    """The concept of a content word."""
    base = lemma(word.text, word.tag_).lower()
    if word.tag_ == "MD":
        return MODALS.get(word.lower_)
    if word.pos_ == "VERB":
        particles = (it.lower_ for it in word.children if it.dep_ == "compound:prt")
        return "-".join([base, *particles, "01"])
    if word.tag_.startswith("W"):
        return "amr-unknown"
    if word.pos_ in ("NOUN", "ADJ", "NUM") or (word.pos_ == "ADV" and base not in _FUNCTION):
        return base
    return None


_FUNCTION = frozenset({"not", "n't", "nt", "never", "so", "too", "just", "then", "there"})


def sketch(document: "Doc") -> Graph:
    """The rough graph of a document."""
    return Sketch(document).graph()
