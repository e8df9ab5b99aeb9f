"""Known names by kind, from the lexicon: to put other names where a treebank has one.

A few dozen annotated documents hold a thousand names; WordNet holds eighteen thousand. A sentence
about Helsinki is as good a sentence about Lima, and a model that has seen both learns that places
stand there, not that Helsinki does.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import msgspec
import numpy as np

from .lexicon import Lexicon
from .treebank import Sentence

#: The words at the top of what each kind of name can name.
TOPS = {
    "PERSON": ("person",),
    "LOC": ("location", "body of water", "land"),
    "ORG": ("organization", "institution"),
}

Gazetteer = Mapping[tuple[str, int], Sequence[tuple[str, ...]]]


@cache
def gazetteer() -> Gazetteer:
    """Names by kind and number of words.

    >>> ("Peru",) in gazetteer()["LOC", 1], ("Marie", "Curie") in gazetteer()["PERSON", 2]
    (True, True)
    """
    lexicon = Lexicon.load()
    found: dict[tuple[str, int], list[tuple[str, ...]]] = {}
    for kind, tops in TOPS.items():
        for name in dict.fromkeys(name for top in tops for name in _names(lexicon, top)):
            words = tuple(name.split(" "))
            found.setdefault((kind, len(words)), []).append(words)
            if kind == "PERSON" and len(words) == 2:  # a given name
                found.setdefault((kind, 1), []).append(words[:1])
    return found


def _names(lexicon: Lexicon, top: str) -> Iterator[str]:
    """The names of what is below a word's commonest sense, each by its own commonest sense."""
    first = lexicon.senses(top, "n")[0].synset
    reached, edge = set[int](), {first}
    while edge:
        reached |= edge
        edge = lexicon._descendants(edge, 1) - reached
    for _, name in lexicon._commonest(reached, "n"):
        if all(part[:1].isupper() and part.isalpha() for part in name.split(" ")):
            yield name


def renamed(sentence: Sentence, rng: np.random.Generator) -> Sentence:
    """The sentence with another name of the same kind and length where one stands."""
    words = list(sentence.words)
    for start, end in _spans(sentence):
        others = gazetteer().get(((words[start].name or "")[2:], end - start))
        if others:
            other = others[int(rng.integers(len(others)))]
            for place, form in zip(range(start, end), other, strict=True):
                words[place] = msgspec.structs.replace(words[place], form=form, lemma=form)
    return Sentence(sentence.document, tuple(words))


def _spans(sentence: Sentence) -> Iterator[tuple[int, int]]:
    marks = [word.name or "" for word in sentence.words]
    for start, mark in enumerate(marks):
        if mark.startswith("B-"):
            end = start + 1
            while end < len(marks) and marks[end].startswith("I-"):
                end += 1
            yield start, end
