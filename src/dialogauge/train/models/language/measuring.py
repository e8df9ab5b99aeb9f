"""How good a pipeline is, on text that people have annotated.

Two ways of asking, as in the CoNLL 2018 shared task. *Gold tokens*: the words and sentences of the
treebank are given, and each word is right or wrong. *Raw text*: only the letters are given; a word
counts if it stands on the same letters as one of the treebank's, and F1 is printed. Punctuation
counts in both, and an arc's label counts with its subtype (``nsubj:pass``). A sentence or a name is
right if its first and last letter are, and the name's type.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....language.pipeline import OURS, load
from ... import card
from ...recipe import data_folder
from . import chat
from .treebank import Sentence, document, ewt, gum

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

_Span = tuple[int, int]
#: What an annotation says, by the kind of thing that it says.
Facts = Mapping[str, set[Any]]

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


def f1(pairs: Iterable[tuple[Facts, Facts]]) -> dict[str, float]:
    """F1 in percent of each kind of fact, over pairs of what was predicted and what is so.

    >>> f1([({"words": {1, 2, 3, 4}}, {"words": {2, 3, 4, 5, 6, 7}})])
    {'words': 60.0}
    """
    right, sizes = Counter[str](), Counter[str]()
    for predicted, gold in pairs:
        for name in {**predicted, **gold}:
            mine, theirs = predicted.get(name, set()), gold.get(name, set())
            right[name] += len(mine & theirs)
            sizes[name] += len(mine) + len(theirs)
    return {name: 200 * right[name] / max(1, size) for name, size in sizes.items()}


def plain(sentence: Sentence) -> Sentence:
    """Lower-cased, without punctuation."""
    return chat.bare(chat.lower(sentence, None), None)


def table(nlp: "Language", folder: Path, part: str = "test") -> dict[str, dict[str, float]]:
    """Every line of the card, on EWT and on GUM's held-out documents."""
    sentences, held_out = list(ewt(folder, part)), documents(gum(folder, part))
    lines = {}
    ways = {"as it stands": sentences, "lower case, no punctuation": list(map(plain, sentences))}
    for name, written in ways.items():
        lines[f"EWT {part}, gold tokens, {name}"] = on_gold_tokens(nlp, written)
        lines[f"EWT {part}, raw text, {name}"] = on_raw_text(nlp, documents(written))
    lines[f"GUM {part}, gold tokens"] = names(nlp, held_out, raw=False)
    lines[f"GUM {part}, raw text"] = names(nlp, held_out, raw=True)
    lines[f"GUM {part}, raw text, words"] = on_raw_text(nlp, held_out)
    return lines


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
    return f1(_facts_of(nlp, runs, _word_facts, raw=True))


def names(nlp: "Language", runs: Sequence[Sequence[Sentence]], *, raw: bool) -> dict[str, float]:
    """F1 of names: with their type, whatever their type, and of each type; and of sentences."""
    return f1(_facts_of(nlp, runs, _name_facts, raw=raw))


def _facts_of(
    nlp: "Language",
    runs: Sequence[Sequence[Sentence]],
    facts: Callable[["Doc"], Facts],
    *,
    raw: bool,
) -> Iterator[tuple[Facts, Facts]]:
    golds = [document(nlp.vocab, run) for run in runs]
    given = (gold.text if raw else bare_words(gold) for gold in golds)
    for gold, parsed in zip(golds, nlp.pipe(given), strict=True):
        yield facts(parsed), facts(gold)


def _word_facts(parsed: "Doc") -> Facts:
    words = [token for token in parsed if not token.is_space]
    answers = {
        name: {(_span(token), ask(token)) for token in words} for name, ask in _QUESTIONS.items()
    }
    return {"words": set(map(_span, words)), "sentences": _sentences(parsed), **answers}


def _name_facts(parsed: "Doc") -> Facts:
    every = {(name.start_char, name.end_char, name.label_) for name in parsed.ents}
    kinds = sorted({name[2] for name in every})
    return {
        "names": every,
        "names, untyped": {name[:2] for name in every},
        "sentences": _sentences(parsed),
        **{kind: {name for name in every if name[2] == kind} for kind in kinds},
    }


def bare_words(gold: "Doc") -> "Doc":
    """The words of a document without anything that is known of them."""
    from spacy.tokens import Doc

    spaces = [bool(token.whitespace_) for token in gold]
    return Doc(gold.vocab, words=[token.text for token in gold], spaces=spaces)


def markdown(lines: Mapping[str, Mapping[str, float]]) -> str:
    """The lines as a table; a cell is empty where something was not asked."""
    columns = list(dict.fromkeys(name for scores in lines.values() for name in scores))
    rows = [
        [what, *(f"{scores[name]:.1f}" if name in scores else "" for name in columns)]
        for what, scores in lines.items()
    ]
    return card.table(["", *columns], rows, numbers=True)


def summary(lines: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """A few of the numbers: words, tags and arcs of raw text as it stands, and names."""
    scores: dict[str, float] = {}
    for what, numbers in lines.items():
        if what.endswith(("raw text, as it stands", "raw text")):
            scores |= numbers
    return {name: scores[name] for name in ("words", "UPOS", "LAS", "names")}


def _span(token: "Token") -> _Span:
    return token.idx, token.idx + len(token)


def _sentences(parsed: "Doc") -> set[_Span]:
    runs = ([token for token in sentence if not token.is_space] for sentence in parsed.sents)
    return {(words[0].idx, _span(words[-1])[1]) for words in runs if words}


def main() -> None:
    """Print the table of the pipeline that ships, or of the one in a folder."""
    options = argparse.ArgumentParser(description="Measure an English pipeline on the treebanks.")
    options.add_argument("folder", nargs="?", default=OURS, help="of a spaCy pipeline")
    options.add_argument("--part", choices=("dev", "test"), default="test")
    given = options.parse_args()
    nlp = load(given.folder).nlp
    print(markdown(table(nlp, data_folder("treebank"), given.part)), end="")


if __name__ == "__main__":
    main()
