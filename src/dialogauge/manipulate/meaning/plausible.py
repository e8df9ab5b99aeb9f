"""What can take the place of what: of its kind, but of another meaning.

A person for a person, a verb for one that takes the same arguments, a name for one of its class.
"""

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...knowledge import Space, load_space
from ...language.concept_names import is_frame, lemma
from ...language.lexicon import Lexicon
from .items import Item, is_noun

#: Words whose vectors are nearer to each other say nearly the same.
_ALIKE = 0.45


def exchangeable(old: Item, new: Item) -> bool:
    """Whether an item may take another's place: of its kind, and of another meaning."""
    if old.name or new.name:
        shared = set(old.name.lower().split()) & set(new.name.lower().split())
        same_class = (old.concept, old.form) == (new.concept, new.form)
        return bool(old.name and new.name) and same_class and not shared
    alike_built = (old.roles, old.behind) == (new.roles, new.behind)
    if "-" in lemma(new.concept) or (is_frame(new.concept) and not alike_built):
        return False
    return _is_person(old) == _is_person(new) and not alike(old.word, new.word)


def nouns(old: str, candidates: Iterable[Item]) -> list[Item]:
    """The nouns and names that a pronoun can stand for: *he* for persons, *it* for things."""
    if old in ("i", "you", "we"):
        return []
    wanted = {"he": (True,), "she": (True,), "it": (False,)}.get(old, (True, False))
    return [
        it for it in candidates if (it.name or is_noun(it.concept)) and _is_person(it) in wanted
    ]


def pronouns(old: str, others: Iterable[str], *, asked: bool = True) -> list[str]:
    """The pronouns that can stand where a pronoun stood: no thing for a person that speaks.

    In a statement *you* and *we* may be anybody, and others who may be say the same.

    >>> pronouns("you", ["i", "it", "she"]), pronouns("you", ["i", "she"], asked=False)
    (['i', 'she'], ['she'])
    """
    anybody = () if asked else _ANYBODY.get(old, ())
    return [
        it for it in others if it not in anybody and (it != "it" or old not in ("i", "you", "we"))
    ]


_ANYBODY = {"you": ("i", "we", "they"), "we": ("i", "you")}


def _is_person(item: Item) -> bool:
    """Whether an item is a person."""
    if is_frame(item.concept):
        return False
    return item.concept == "person" or (not item.name and item.word.lower() in _persons())


@lru_cache
def _persons() -> frozenset[str]:
    return frozenset(Lexicon.load().below("person")) | {"person", "people", "guy", "kid"}


@lru_cache(maxsize=20_000)
def alike(one: str, other: str) -> bool:
    """Whether two words say nearly the same."""
    if other in _synonyms(one):
        return True
    return float(np.nan_to_num(_vector(one) @ _vector(other))) > _ALIKE


@lru_cache(maxsize=20_000)
def _synonyms(word: str) -> frozenset[str]:
    return frozenset(Lexicon.load().synonyms(word))


@lru_cache(maxsize=20_000)
def _vector(word: str) -> NDArray[np.float32]:
    """A word's vector, NaN where it has none."""
    vector: NDArray[np.float32] = _space().of([word])[0]
    return vector


@lru_cache
def _space() -> Space:
    """The vectors without the encoder, which would take longer than they are worth."""
    return Space(load_space().vectors)
