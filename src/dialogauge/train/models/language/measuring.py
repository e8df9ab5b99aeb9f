"""How good a pipeline is, on text that people have annotated.

Two ways of asking, as in the CoNLL 2018 shared task:

- *gold tokens*: the words and sentences of the treebank are given, and each word is right or wrong;
- *raw text*: only the letters are given. A word counts if it stands on the same letters as one of
  the treebank's, and what is right is divided by the words found (precision) and by the words there
  are (recall); the harmonic mean of the two, F1, is printed.

Punctuation counts in both, and an arc's label counts with its subtype (``nsubj:pass``). A sentence
or a name is right if its first and last letter are, and the name's type.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ....language.pipeline import OURS, load
from ... import card
from ...recipe import data_folder
from . import chat
from .treebank import Sentence, document, ewt, gum

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

Span = tuple[int, int]
Change = Callable[[Sentence], Sentence]

#: What the numbers of the table mean.
LEGEND = """\
In percent. *Gold tokens*: words and sentences given (for GUM: words only). *Raw text*: F1 over
letters, as the CoNLL 2018 script counts. Punctuation counts, labels count with their subtypes. A
name is right if its letters and its type are.
"""

#: What is asked of a word; its place answers for the head.
_QUESTIONS: dict[str, Callable[["Token"], Any]] = {
    "UPOS": lambda token: token.pos_,
    "Penn": lambda token: token.tag_,
    "lemma": lambda token: token.lemma_,
    "UAS": lambda token: _span(token.head),
    "LAS": lambda token: (_span(token.head), token.dep_),
}


class Measured(msgspec.Struct, frozen=True):
    """One line of the table, in percent."""

    what: str
    scores: dict[str, float]


class F1(msgspec.Struct):
    """Right ones, predicted ones, and ones there are."""

    right: int = 0
    predicted: int = 0
    gold: int = 0

    def add(self, predicted: set[Any], gold: set[Any]) -> None:
        """Count the overlap of two sets."""
        self.right += len(predicted & gold)
        self.predicted += len(predicted)
        self.gold += len(gold)

    @property
    def percent(self) -> float:
        """The harmonic mean of precision and recall.

        >>> F1(right=3, predicted=4, gold=6).percent
        60.0
        """
        return 200 * self.right / max(1, self.predicted + self.gold)


def _tidy(sentence: Sentence) -> Sentence:
    """As it stands."""
    return sentence


def plain(sentence: Sentence) -> Sentence:
    """Lower-cased, without punctuation."""
    return chat.bare(chat.lower(sentence, None), None)


_CHANGES: dict[str, Change] = {"as it stands": _tidy, "lower case, no punctuation": plain}


def table(nlp: "Language", folder: Path, part: str = "test") -> Iterator[Measured]:
    """Every number of the card, on EWT and on GUM's held-out documents."""
    sentences = list(ewt(folder, part))
    for name, change in _CHANGES.items():
        changed = [change(sentence) for sentence in sentences]
        yield Measured(f"EWT {part}, gold tokens, {name}", on_gold_tokens(nlp, changed))
        yield Measured(f"EWT {part}, raw text, {name}", on_raw_text(nlp, documents(changed)))
    held_out = list(gum(folder, part))
    yield Measured(f"GUM {part}, gold tokens", names(nlp, documents(held_out), raw=False))
    yield Measured(f"GUM {part}, raw text", names(nlp, documents(held_out), raw=True))
    yield Measured(f"GUM {part}, raw text, words", on_raw_text(nlp, documents(held_out)))


def documents(sentences: Iterable[Sentence]) -> list[list[Sentence]]:
    """Sentences grouped by the document they stand in."""
    return [list(run) for _, run in groupby(sentences, key=lambda sentence: sentence.document)]


def on_gold_tokens(nlp: "Language", sentences: Sequence[Sentence]) -> dict[str, float]:
    """The share of words that are right, one sentence at a time."""
    golds = [document(nlp.vocab, [sentence]) for sentence in sentences]
    right = dict.fromkeys(_QUESTIONS, 0)
    for gold, parsed in zip(golds, nlp.pipe(map(bare_words, golds)), strict=True):
        for name, ask in _QUESTIONS.items():
            right[name] += sum(ask(a) == ask(b) for a, b in zip(gold, parsed, strict=True))
    words = sum(map(len, golds))
    return {name: 100 * count / words for name, count in right.items()}


def on_raw_text(nlp: "Language", runs: Sequence[Sequence[Sentence]]) -> dict[str, float]:
    """F1 of words, sentences and what is asked of words, one document at a time."""
    golds = [document(nlp.vocab, run) for run in runs]
    counts = {name: F1() for name in ("words", "sentences", *_QUESTIONS)}
    for gold, parsed in zip(golds, nlp.pipe(gold.text for gold in golds), strict=True):
        counts["sentences"].add(_sentences(parsed), _sentences(gold))
        counts["words"].add({_span(t) for t in _words(parsed)}, {_span(t) for t in gold})
        for name, ask in _QUESTIONS.items():
            answers = {(_span(token), ask(token)) for token in _words(parsed)}
            counts[name].add(answers, {(_span(token), ask(token)) for token in gold})
    return {name: count.percent for name, count in counts.items()}


def names(nlp: "Language", runs: Sequence[Sequence[Sentence]], *, raw: bool) -> dict[str, float]:
    """F1 of names: with their type, whatever their type, and of each type; and of sentences."""
    golds = [document(nlp.vocab, run) for run in runs]
    given = (gold.text if raw else bare_words(gold) for gold in golds)
    counts = {"names": F1(), "names, untyped": F1(), "sentences": F1()}
    for gold, parsed in zip(golds, nlp.pipe(given), strict=True):
        mine, theirs = _names(parsed), _names(gold)
        counts["names"].add(mine, theirs)
        counts["names, untyped"].add({n[:2] for n in mine}, {n[:2] for n in theirs})
        for kind in sorted({name[2] for name in mine | theirs}):
            of = counts.setdefault(kind, F1())
            of.add({n for n in mine if n[2] == kind}, {n for n in theirs if n[2] == kind})
        counts["sentences"].add(_sentences(parsed), _sentences(gold))
    return {name: count.percent for name, count in counts.items()}


def bare_words(gold: "Doc") -> "Doc":
    """The words of a document without anything that is known of them."""
    from spacy.tokens import Doc

    spaces = [bool(token.whitespace_) for token in gold]
    return Doc(gold.vocab, words=[token.text for token in gold], spaces=spaces)


def markdown(lines: Sequence[Measured]) -> str:
    """The lines as a table; a cell is empty where something was not asked."""
    columns = list(dict.fromkeys(name for line in lines for name in line.scores))
    rows = []
    for line in lines:
        cells = (line.scores.get(name) for name in columns)
        rows.append([line.what, *("" if cell is None else f"{cell:.1f}" for cell in cells)])
    return card.table(["", *columns], rows, align="---:")


def summary(lines: Iterable[Measured]) -> dict[str, float]:
    """A few of the numbers: words, tags and arcs of raw text as it stands, and names."""
    scores: dict[str, float] = {}
    for line in lines:
        if "raw text, as it stands" in line.what or line.what.endswith("raw text"):
            scores |= line.scores
    return {name: scores[name] for name in ("words", "UPOS", "LAS", "names")}


def _words(parsed: "Doc") -> Iterator["Token"]:
    return (token for token in parsed if not token.is_space)


def _span(token: "Token") -> Span:
    return token.idx, token.idx + len(token)


def _sentences(parsed: "Doc") -> set[Span]:
    spans = set()
    for sentence in parsed.sents:
        words = [token for token in sentence if not token.is_space]
        if words:
            spans.add((words[0].idx, _span(words[-1])[1]))
    return spans


def _names(parsed: "Doc") -> set[tuple[int, int, str]]:
    return {(name.start_char, name.end_char, name.label_) for name in parsed.ents}


def main() -> None:
    """Print the table of the pipeline that ships, or of the one in a folder."""
    options = argparse.ArgumentParser(description="Measure an English pipeline on the treebanks.")
    options.add_argument("folder", nargs="?", default=OURS, help="of a spaCy pipeline")
    options.add_argument("--part", choices=("dev", "test"), default="test")
    given = options.parse_args()
    nlp = load(given.folder).nlp
    print(markdown(list(table(nlp, data_folder("treebank"), given.part))), end="")


if __name__ == "__main__":
    main()
