"""Sentences whose graphs are edited and written back: what the tests of the realiser share."""

from benchmarks.sketch import sketch
from msgspec.structs import replace

from dialogauge.amr import Graph, Token, decode, edits
from dialogauge.amr.realise import InPlace
from dialogauge.language import Pipeline


class Writing:
    """The pipeline and the realiser that ships, and the edits of one word's variable."""

    def __init__(self, pipeline: Pipeline) -> None:
        self.pipeline, self.realiser = pipeline, InPlace(pipeline)
        self.realise = self.realiser.realise

    def graph_of(self, text: str) -> Graph:
        return sketch(self.pipeline(text))

    def replaced(self, text: str, word: str, concept: str) -> str | None:
        graph = self.graph_of(text)
        return self.realise(graph, edits.replace_concept(graph, at(graph, word), concept))

    def negated(self, text: str, word: str) -> str | None:
        graph = unnegated(self.graph_of(text))
        return self.realise(graph, edits.negate(graph, at(graph, word)))

    def affirmed(self, text: str, word: str) -> str | None:
        graph = unnegated(self.graph_of(text))
        variable = at(graph, word)
        original = edits.negate(graph, variable)
        return self.realise(original, edits.affirm(original, variable))

    def removed(self, text: str, word: str) -> str | None:
        graph = self.graph_of(text)
        return self.realise(graph, edits.remove(graph, at(graph, word)))

    def exchanged(self, text: str, word: str, concept: str, new: str) -> str | None:
        place = [it.text for it in self.pipeline(text)].index(word)
        graph = self.aligned(f"(x / thing :mod (y / {concept}))", text, y=(place,))
        return self.realise(graph, edits.replace_concept(graph, "y", new))

    def appended(self, text: str, added: str) -> str | None:
        graph = self.graph_of(text)
        return self.realise(graph, edits.append(graph, self.graph_of(added)))

    def aligned(self, notation: str, text: str, **places: tuple[int, ...]) -> Graph:
        tokens = tuple(Token(it.text, it.idx, it.idx + len(it)) for it in self.pipeline(text))
        return replace(decode(notation), text=text, tokens=tokens, aligned=places)


def at(graph: Graph, word: str) -> str:
    """The variable of a word, the name's owner for a name."""
    for variable, places in graph.aligned.items():
        if any(graph.tokens[place].text == word for place in places):
            return variable
    raise AssertionError(f"nothing is aligned to {word!r}")


def unnegated(graph: Graph) -> Graph:
    return replace(graph, edges=tuple(it for it in graph.edges if it.role != ":polarity"))
