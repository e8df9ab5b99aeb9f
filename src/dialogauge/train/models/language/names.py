"""More texts with names than the treebank with names has.

AMR graphs, which a parser wrote for sentences of news and talk, say of each name what it names:
``person``, ``city``, ``company``. Where the name stands is found by its letters. What nobody knows
is left open, not called "no name": a proper noun that no graph explains is marked ``None``.
"""

import calendar
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ....amr.files import read
from ....amr.graph import Graph, unquoted
from ....atomic import writing
from ....language.pipeline import Pipeline
from ....sentence.wordlists import lists
from .gazetteer import spans
from .treebank import Sentence, Word

if TYPE_CHECKING:
    from spacy.tokens import Token

_Marks = list[str | None]
_Span = tuple[int, int]

#: The type of name that a concept of ``words.toml`` has. Every other concept is MISC.
_KIND_OF = {name: kind for kind, names in lists(__file__, "names").items() for name in names}
#: Proper nouns that name nothing: see KINDS of :mod:`.treebank`.
_CALENDAR = frozenset(map(str.lower, (*calendar.day_name, *calendar.month_name)))


def write_silver(path: Path, files: Sequence[Path], pipeline: Pipeline) -> dict[str, float]:
    """Write the sentences of the graphs that have a name in them; how many, and of which kinds."""
    count = Counter[str]()
    with writing(path) as file:
        for sentence in _sentences(files, pipeline):
            file.write(msgspec.json.encode(sentence) + b"\n")
            count["sentences"] += 1
            count.update((sentence.words[start].name or "")[2:] for start, _ in spans(sentence))
    return dict(count)


def _sentences(files: Sequence[Path], pipeline: Pipeline) -> Iterator[Sentence]:
    """Each sentence once, read by a pipeline."""
    graphs = {" ".join(graph.text.split()): graph for f in files for graph in read(f)}
    graphs.pop("", None)
    for document, graph in zip(pipeline.pipe(graphs), graphs.values(), strict=True):
        words = [_word(token) for token in document]
        marks = _graph_marks(words, list(_graph_names(graph)))
        if any(marks):
            pairs = zip(words, marks, strict=True)
            named = (msgspec.structs.replace(word, name=mark) for word, mark in pairs)
            yield Sentence("silver", tuple(named))


def _graph_names(graph: Graph) -> Iterator[tuple[str, str]]:
    """The letters of each name of a graph, without blanks, and its kind."""
    parts: dict[str, list[tuple[int, str]]] = {}
    for edge in graph.edges:
        if edge.role.startswith(":op") and graph.concepts.get(edge.source) == "name":
            parts.setdefault(edge.source, []).append((int(edge.role[3:]), unquoted(edge.target)))
    for edge in graph.edges:
        if edge.role == ":name" and edge.target in parts:
            letters = "".join(part for _, part in sorted(parts[edge.target]))
            yield letters, _KIND_OF.get(graph.concepts[edge.source], "MISC")


def _graph_marks(words: Sequence[Word], names: Sequence[tuple[str, str]]) -> _Marks:
    """The names of a graph where their letters stand, the longest first."""
    kinds: dict[_Span, str] = {}
    taken = set[int]()
    for letters, kind in sorted(names, key=lambda name: -len(name[0])):
        for start, end in _runs(words, letters):
            if taken.isdisjoint(range(start, end)):
                taken.update(range(start, end))
                kinds[start, end] = kind
    marks: _Marks = [None if _is_proper(word) else "" for word in words]
    for (start, end), kind in sorted(kinds.items()):
        goes_on = end < len(words) and _is_proper(words[end]) and end not in taken
        while kind == "PERSON" and start and marks[start - 1] is None and start - 1 not in taken:
            start -= 1  # noqa: PLW2901 (in the treebank "President" is part of the name)
        for place in range(start, end):
            mark = f"{'B' if place == start else 'I'}-{kind}"
            marks[place] = mark if kind and not goes_on else None
    return marks


def _runs(words: Sequence[Word], letters: str) -> Iterator[_Span]:
    """Where the letters of a name stand as whole words."""
    for start in range(len(words)):
        end, rest = start, letters
        while rest and end < len(words) and rest.startswith(words[end].form):
            rest = rest.removeprefix(words[end].form)
            end += 1
        if not rest:
            yield start, end


def _word(token: "Token") -> Word:
    """A token of the pipeline as a word of a treebank."""
    return Word(
        form=token.text,
        lemma=token.lemma_,
        upos=token.pos_,
        xpos=token.tag_,
        morph=str(token.morph),
        head=token.head.i,
        dep="root" if token.dep_ == "ROOT" else token.dep_,
        space=bool(token.whitespace_),
    )


def _is_proper(word: Word) -> bool:
    """Whether a word is a proper noun that may name something."""
    return word.xpos in ("NNP", "NNPS") and word.form.lower() not in _CALENDAR
