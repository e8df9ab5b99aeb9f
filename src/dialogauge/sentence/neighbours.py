"""Words of a parse, and the words beside them."""

from typing import Any, TypeAlias

#: spaCy's ``Token`` and ``Doc``, whose own types take a checker a minute to read.
Word: TypeAlias = Any
Doc: TypeAlias = Any


def word_before(word: Word) -> str:
    """The last word in small letters; empty at the start of a text."""
    return str(word.nbor(-1).lower_) if word.i else ""


def word_behind(word: Word) -> str:
    """The next word in small letters; empty at the end of a text."""
    return str(word.nbor().lower_) if word.i + 1 < len(word.doc) else ""


def following_word(word: Word) -> Word:
    """The next word, at the end of a text the word itself."""
    return word.nbor() if word.i + 1 < len(word.doc) else word


def is_last(word: Word) -> bool:
    """Whether nothing follows, or a mark."""
    return word.i + 1 == len(word.doc) or bool(word.nbor().is_punct)
