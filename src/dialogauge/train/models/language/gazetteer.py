"""Known names by kind, from the lexicon: for a model to learn from, and to look words up in.

A few dozen annotated documents hold a thousand names; WordNet holds eighteen thousand. They stand
in for names of a treebank (:func:`renamed`): a sentence about Helsinki is as good a one about Lima.
And they say what a word is known to name (:func:`roles`); whether "Anna" names anyone here, the
part of the pipeline that sees this beside the letters has to learn.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from msgspec.structs import replace

from ....language.lexicon import Lexicon
from .treebank import Sentence

#: The words at the top of what each kind of name can name.
_TOPS = {
    "PERSON": ("person",),
    "LOC": ("location", "body of water", "land"),
    "ORG": ("organization", "institution"),
}

_Gazetteer = Mapping[tuple[str, int], Sequence[tuple[str, ...]]]


@cache
def gazetteer() -> _Gazetteer:
    """Names by kind and number of words.

    >>> ("Peru",) in gazetteer()["LOC", 1], ("Marie", "Curie") in gazetteer()["PERSON", 2]
    (True, True)
    """
    lexicon = Lexicon.load()
    names: dict[tuple[str, int], list[tuple[str, ...]]] = {}
    for kind, tops in _TOPS.items():
        for name in dict.fromkeys(name for top in tops for name in lexicon.below(top)):
            words = tuple(name.split(" "))
            if not all(word[:1].isupper() and word.isalpha() for word in words):
                continue
            names.setdefault((kind, len(words)), []).append(words)
            if kind == "PERSON" and len(words) == 2:  # a given name
                names.setdefault((kind, 1), []).append(words[:1])
    return names


@cache
def roles() -> Mapping[str, str]:
    """What the words of known names do in them, by their letters in lower case.

    ``G`` begins a person's name and ``S`` ends one; ``L`` and ``O`` are the whole name of a place
    or an organization, ``l`` and ``o`` a part of one.

    >>> roles()["anna"], roles()["peru"], roles()["agency"], "why" in roles()
    ('GS', 'L', 'o', False)
    """
    parts: dict[str, set[str]] = {}
    for (kind, length), names in gazetteer().items():
        for name in names:
            for place, word in enumerate(map(str.lower, name)):
                if len(word) > 1 and (role := _role(kind, place, length)):
                    parts.setdefault(word, set()).add(role)
    return {word: "".join(sorted(each)) for word, each in parts.items()}


def _role(kind: str, place: int, length: int) -> str:
    if kind == "PERSON":
        return "S" if place == length - 1 else "G" if place == 0 else ""
    return kind[0] if length == 1 else kind[0].lower()


def patterns() -> list[dict[str, Any]]:
    """The roles of words as patterns for spaCy's ``attribute_ruler``: they become ``ENT_ID``."""
    words: dict[str, list[str]] = {}
    for word, role in roles().items():
        words.setdefault(role, []).append(word)
    return [
        {"patterns": [[{"LOWER": {"IN": sorted(forms)}}]], "attrs": {"ENT_ID": role}}
        for role, forms in sorted(words.items())
    ]


def renamed(sentence: Sentence, rng: np.random.Generator) -> Sentence:
    """The sentence with another name of the same kind and length where one stands."""
    words = list(sentence.words)
    for start, end in spans(sentence):
        others = gazetteer().get(((words[start].name or "")[2:], end - start))
        if others:
            other = others[int(rng.integers(len(others)))]
            pairs = zip(words[start:end], other, strict=True)
            words[start:end] = [replace(word, form=form, lemma=form) for word, form in pairs]
    return Sentence(sentence.document, tuple(words))


def spans(sentence: Sentence) -> Iterator[tuple[int, int]]:
    """Where the names of a sentence begin and end."""
    marks = [word.name or "" for word in sentence.words]
    for start, mark in enumerate(marks):
        if mark.startswith("B-"):
            end = start + 1
            while end < len(marks) and marks[end].startswith("I-"):
                end += 1
            yield start, end
