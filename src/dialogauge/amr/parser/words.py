"""What the built-in parser sees of a text: its words, how they hang together, their vectors.

Training and parsing read a text through this one module, so that they see the same. A long text is
cut into :class:`Piece` values at the ends of sentences, because the encoder reads some hundred
words at a time and meaning rarely crosses a sentence.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from ...encode import Encoder
from ...sentence.draft import Doc

#: The longest piece in words; beyond it a cut is made where a sentence ends, or else anywhere.
LONGEST = 72

#: Letters of a longer word say nothing more about it.
_LETTERS = 60


class Word(msgspec.Struct, frozen=True):
    """One word of a piece, as the language pipeline describes it."""

    text: str
    lemma: str  # lower case
    pos: str  # universal tag
    tag: str  # Penn tag
    dep: str  # relation to its head
    head: int  # place in the piece; its own place if it has none there
    entity: str  # kind of name, with B- or I-
    start: int  # characters in the text
    end: int


class Piece(msgspec.Struct, frozen=True):
    """Words that are parsed together."""

    words: tuple[Word, ...]
    vectors: NDArray[np.float32]  # (words, width)


def pieces(document: Doc) -> Iterator[tuple[Word, ...]]:
    """The words of a document, in groups of whole sentences of at most :data:`LONGEST` words."""
    group: list[Any] = []
    for sentence in document.sents:
        words = [word for word in sentence if not word.is_space]
        if group and len(group) + len(words) > LONGEST:
            yield _described(group)
            group = []
        group += words
        while len(group) > LONGEST:
            yield _described(group[:LONGEST])
            group = group[LONGEST:]
    if group:
        yield _described(group)


def is_inverted(words: Sequence[Word], word: Word) -> bool:
    """Whether a word is an auxiliary before its subject, as in *did you*."""
    if word.pos != "AUX":
        return False
    head = words[word.head]
    starts = [
        other.start
        for other in words
        if other.dep.startswith("nsubj") and words[other.head] is head
    ]
    return bool(starts) and word.start < min(starts)


def with_vectors(groups: Sequence[tuple[Word, ...]], encoder: Encoder) -> list[Piece]:
    """Each word with the mean of its word pieces' vectors; zeros where the encoder saw none."""
    texts = [" ".join(word.text[:_LETTERS] for word in words) for words in groups]
    each = zip(groups, encoder.tokens(texts), encoder.spans(texts), strict=True)
    return [
        Piece(words, _means(words, tokens.vectors, spans, encoder.config.width))
        for words, tokens, spans in each
    ]


def _means(
    words: Sequence[Word],
    vectors: NDArray[np.float32],
    spans: Sequence[tuple[int, int]],
    width: int,
) -> NDArray[np.float32]:
    out = np.zeros((len(words), width), dtype=np.float32)
    if len(vectors):
        ends = np.cumsum([min(len(word.text), _LETTERS) + 1 for word in words])
        owners = np.searchsorted(ends, [start for start, _ in spans[: len(vectors)]], side="right")
        seen, firsts, counts = np.unique(owners, return_index=True, return_counts=True)
        out[seen] = np.add.reduceat(vectors, firsts, axis=0) / counts[:, None]
    return out


def _described(group: Sequence[Any]) -> tuple[Word, ...]:
    places = {word.i: at for at, word in enumerate(group)}
    return tuple(
        Word(
            text=word.text,
            lemma=(word.lemma_ or word.text).lower(),
            pos=word.pos_,
            tag=word.tag_,
            dep=word.dep_,
            head=places.get(word.head.i, at),
            entity=f"{word.ent_iob_}-{word.ent_type_}" if word.ent_type_ else "O",
            start=word.idx,
            end=word.idx + len(word.text),
        )
        for at, word in enumerate(group)
    )
