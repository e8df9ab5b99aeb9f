"""How good a pipeline is, on text that people have annotated.

Two ways of asking, as in the CoNLL 2018 shared task:

- *gold tokens*: the words and sentences of the treebank are given, and each word is right or wrong;
- *raw text*: only the letters are given. A word counts if it stands on the same letters as one of
  the treebank's, and what is right is divided by the words found (precision) and by the words there
  are (recall); the harmonic mean of the two, F1, is printed.

Punctuation counts in both, and an arc's label counts with its subtype (``nsubj:pass``). A sentence
or a name is right if its first and last letter are, and the name's type.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from . import chat
from .treebank import Sentence, document, ewt, gum

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

Span = tuple[int, int]
Change = Callable[[Sentence], Sentence]

#: What is asked of a word; its place answers for the head.
QUESTIONS: dict[str, Callable[["Token"], Any]] = {
    "UPOS": lambda token: token.pos_,
    "Penn": lambda token: token.tag_,
    "lemma": lambda token: token.lemma_,
    "UAS": lambda token: _span(token.head),
    "LAS": lambda token: (_span(token.head), token.dep_),
}


class Row(msgspec.Struct, frozen=True):
    """One line of the table, in percent."""

    what: str
    scores: dict[str, float]


class F1(msgspec.Struct):
    """Right ones, found ones, and ones there are."""

    right: int = 0
    found: int = 0
    there: int = 0

    def add(self, found: set[Any], there: set[Any]) -> None:
        """Count the overlap of two sets."""
        self.right += len(found & there)
        self.found += len(found)
        self.there += len(there)

    @property
    def percent(self) -> float:
        """The harmonic mean of precision and recall.

        >>> F1(right=3, found=4, there=6).percent
        60.0
        """
        return 200 * self.right / max(1, self.found + self.there)


def tidy(sentence: Sentence) -> Sentence:
    """As it stands."""
    return sentence


def plain(sentence: Sentence) -> Sentence:
    """Lower-cased, without punctuation."""
    return chat.bare(chat.lower(sentence, None), None)


CHANGES: dict[str, Change] = {"as it stands": tidy, "lower case, no punctuation": plain}


def table(nlp: "Language", folder: Path, part: str = "test") -> Iterator[Row]:
    """Every number of the card, on EWT and on GUM's held-out documents."""
    sentences = list(ewt(folder, part))
    for name, change in CHANGES.items():
        changed = [change(sentence) for sentence in sentences]
        yield Row(f"EWT {part}, gold tokens, {name}", on_gold_tokens(nlp, changed))
        yield Row(f"EWT {part}, raw text, {name}", on_raw_text(nlp, documents(changed)))
    held_out = list(gum(folder, part))
    yield Row(f"GUM {part}, gold tokens", names(nlp, documents(held_out), raw=False))
    yield Row(f"GUM {part}, raw text", names(nlp, documents(held_out), raw=True))
    yield Row(f"GUM {part}, raw text, words", on_raw_text(nlp, documents(held_out)))


def documents(sentences: Iterable[Sentence]) -> list[list[Sentence]]:
    """Sentences grouped by the document they stand in."""
    return [list(run) for _, run in groupby(sentences, key=lambda sentence: sentence.document)]


def on_gold_tokens(nlp: "Language", sentences: Sequence[Sentence]) -> dict[str, float]:
    """The share of words that are right, one sentence at a time."""
    golds = [document(nlp.vocab, [sentence]) for sentence in sentences]
    right = dict.fromkeys(QUESTIONS, 0)
    for gold, found in zip(golds, nlp.pipe(map(bare_words, golds)), strict=True):
        for name, ask in QUESTIONS.items():
            right[name] += sum(ask(a) == ask(b) for a, b in zip(gold, found, strict=True))
    words = sum(map(len, golds))
    return {name: 100 * count / words for name, count in right.items()}


def on_raw_text(nlp: "Language", runs: Sequence[Sequence[Sentence]]) -> dict[str, float]:
    """F1 of words, sentences and what is asked of words, one document at a time."""
    golds = [document(nlp.vocab, run) for run in runs]
    counts = {name: F1() for name in ("words", "sentences", *QUESTIONS)}
    for gold, found in zip(golds, nlp.pipe(gold.text for gold in golds), strict=True):
        counts["sentences"].add(_sentences(found), _sentences(gold))
        counts["words"].add({_span(t) for t in _words(found)}, {_span(t) for t in gold})
        for name, ask in QUESTIONS.items():
            answers = {(_span(token), ask(token)) for token in _words(found)}
            counts[name].add(answers, {(_span(token), ask(token)) for token in gold})
    return {name: count.percent for name, count in counts.items()}


def names(nlp: "Language", runs: Sequence[Sequence[Sentence]], *, raw: bool) -> dict[str, float]:
    """F1 of names: with their type, whatever their type, and of each type; and of sentences."""
    golds = [document(nlp.vocab, run) for run in runs]
    given = (gold.text if raw else bare_words(gold) for gold in golds)
    counts = {"names": F1(), "names, untyped": F1(), "sentences": F1()}
    for gold, found in zip(golds, nlp.pipe(given), strict=True):
        mine, theirs = _names(found), _names(gold)
        counts["names"].add(mine, theirs)
        counts["names, untyped"].add({n[:2] for n in mine}, {n[:2] for n in theirs})
        for kind in sorted({name[2] for name in mine | theirs}):
            of = counts.setdefault(kind, F1())
            of.add({n for n in mine if n[2] == kind}, {n for n in theirs if n[2] == kind})
        counts["sentences"].add(_sentences(found), _sentences(gold))
    return {name: count.percent for name, count in counts.items()}


def bare_words(gold: "Doc") -> "Doc":
    """The words of a document without anything that is known of them."""
    from spacy.tokens import Doc

    spaces = [bool(token.whitespace_) for token in gold]
    return Doc(gold.vocab, words=[token.text for token in gold], spaces=spaces)


def markdown(rows: Iterable[Row]) -> str:
    """The rows as a table; a cell is empty where something was not asked."""
    rows = list(rows)
    columns = list(dict.fromkeys(name for row in rows for name in row.scores))
    lines = [["", *columns], ["---"] + ["---:"] * len(columns)]
    for row in rows:
        cells = (row.scores.get(name) for name in columns)
        lines.append([row.what, *("" if cell is None else f"{cell:.1f}" for cell in cells)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _words(found: "Doc") -> Iterator["Token"]:
    return (token for token in found if not token.is_space)


def _span(token: "Token") -> Span:
    return token.idx, token.idx + len(token)


def _sentences(found: "Doc") -> set[Span]:
    spans = set()
    for sentence in found.sents:
        words = [token for token in sentence if not token.is_space]
        if words:
            spans.add((words[0].idx, _span(words[-1])[1]))
    return spans


def _names(found: "Doc") -> set[tuple[int, int, str]]:
    return {(name.start_char, name.end_char, name.label_) for name in found.ents}
