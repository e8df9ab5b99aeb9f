"""More texts with names than the treebank with names has.

    python scripts/build_silver_names.py FILE

AMR graphs, which a parser wrote for sentences of news and talk, say of each name what it names:
``person``, ``city``, ``company``. Where the name stands is found by its letters. What nobody knows
is left open, not called "no name": a proper noun that no graph explains is marked ``None``. FILE
becomes one sentence of a treebank a line, for ``--names`` of the training command.
"""

import calendar
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from spacy.tokens import Doc

from .... import language
from ....amr.files import read
from ....amr.graph import Graph, unquoted
from .gazetteer import spans
from .task import treebank_folder
from .treebank import Sentence, Word

Marks = list[str | None]
Span = tuple[int, int]

FILES = ("bamboo_sts.amr.gz", "deam_parsed_train.txt.gz", "qald-9-amr-train.txt")
#: What an AMR calls by a name, as a type of name. Every other concept is MISC; those of the last
#: line are names of some kind or none.
CONCEPTS = {
    "PERSON": "person family",
    "LOC": "country city state continent world-region country-region county province island river "
    "mountain sea lake ocean bay valley desert city-district district town village territory "
    "local-region peninsula airport road street bridge park stadium building facility hotel palace "
    "museum station canyon port square worship-place theater location planet moon star "
    "constellation",
    "ORG": "organization government-organization company political-party team publication military "
    "criminal-organization university school research-institute newspaper magazine league network "
    "union band broadcaster agency club college bank court party market international-organization",
    "": "religious-group ethnic-group nationality regional-group name thing political-movement "
    "url-entity date-entity language-entity market-sector disease",
}
KIND_OF = {concept: kind for kind, concepts in CONCEPTS.items() for concept in concepts.split()}
#: Proper nouns that name nothing: see KINDS of dialogauge.language.treebank.
CALENDAR = frozenset(map(str.lower, (*calendar.day_name, *calendar.month_name)))


def main(out: str) -> None:
    """Write the sentences to a file."""
    folder = treebank_folder().with_name("amr")
    count = Counter[str]()
    with Path(out).open("wb") as file:
        for sentence in graph_sentences(folder):
            file.write(msgspec.json.encode(sentence) + b"\n")
            count.update((sentence.words[start].name or "")[2:] for start, _ in spans(sentence))
    print(dict(count), out)


def graph_sentences(folder: Path) -> Iterator[Sentence]:
    """The sentences of the graphs that have a name in them, each once."""
    graphs = {" ".join(graph.text.split()): graph for f in FILES for graph in read(folder / f)}
    graphs.pop("", None)
    for document, graph in zip(language.load().pipe(graphs), graphs.values(), strict=True):
        sentence = parsed(document)
        marks = graph_marks(sentence, list(graph_names(graph)))
        if any(marks):
            yield with_marks(sentence, marks)


def graph_names(graph: Graph) -> Iterator[tuple[str, str]]:
    """The letters of each name of a graph, without blanks, and its kind."""
    parts: dict[str, list[tuple[int, str]]] = {}
    for edge in graph.edges:
        if edge.role.startswith(":op") and graph.concepts.get(edge.source) == "name":
            parts.setdefault(edge.source, []).append((int(edge.role[3:]), unquoted(edge.target)))
    for edge in graph.edges:
        if edge.role == ":name" and edge.target in parts:
            letters = "".join(part for _, part in sorted(parts[edge.target]))
            yield letters, KIND_OF.get(graph.concepts[edge.source], "MISC")


def graph_marks(sentence: Sentence, names: Sequence[tuple[str, str]]) -> Marks:
    """The names of a graph where their letters stand, the longest first."""
    words = sentence.words
    kinds: dict[Span, str] = {}
    taken = set[int]()
    for letters, kind in sorted(names, key=lambda name: -len(name[0])):
        for start, end in runs(words, letters):
            if taken.isdisjoint(range(start, end)):
                taken.update(range(start, end))
                kinds[start, end] = kind
    marks: Marks = [None if is_proper(word) else "" for word in words]
    for (start, end), kind in sorted(kinds.items()):
        goes_on = end < len(words) and is_proper(words[end]) and end not in taken
        while kind == "PERSON" and start and marks[start - 1] is None and start - 1 not in taken:
            start -= 1  # noqa: PLW2901 (in the treebank "President" is part of the name)
        put(marks, (start, end), "" if goes_on else kind)
    return marks


def runs(words: Sequence[Word], letters: str) -> Iterator[Span]:
    """Where the letters of a name stand as whole words."""
    for start in range(len(words)):
        end, rest = start, letters
        while rest and end < len(words) and rest.startswith(words[end].form):
            rest = rest.removeprefix(words[end].form)
            end += 1
        if not rest:
            yield start, end


def parsed(document: Doc) -> Sentence:
    """A document of the pipeline as a sentence of a treebank."""
    words = (
        Word(
            form=token.text,
            lemma=token.lemma_,
            upos=token.pos_,
            xpos=token.tag_,
            morph=str(token.morph),
            head=token.head.i,
            dep="root" if token.dep_ == "ROOT" else token.dep_,
            space=bool(token.whitespace_),
        )
        for token in document
    )
    return Sentence("silver", tuple(words))


def is_proper(word: Word) -> bool:
    """Whether a word is a proper noun that may name something."""
    return word.xpos in ("NNP", "NNPS") and word.form.lower() not in CALENDAR


def put(marks: Marks, span: Span, kind: str) -> None:
    """Mark a name; without a kind it is left open."""
    for place in range(*span):
        marks[place] = f"{'B' if place == span[0] else 'I'}-{kind}" if kind else None


def with_marks(sentence: Sentence, marks: Marks) -> Sentence:
    """A sentence whose words carry marks of names."""
    pairs = zip(sentence.words, marks, strict=True)
    words = (msgspec.structs.replace(word, name=mark) for word, mark in pairs)
    return Sentence("silver", tuple(words))


if __name__ == "__main__":
    main(*sys.argv[1:])
