"""Word vectors for the language pipeline, from the encoder that ships.

A treebank is small: most words of a chat are not in it. The encoder has read a great deal more, and
what it says of a word alone, cut down to its principal components, tells the tagger, the parser and
the names which words are alike. The words are those of the treebanks' training parts and of
conversations, and the whole words of the encoder's own vocabulary.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from .... import corpora, models
from ....encode import Encoder
from .treebank import ewt, gum

_Vectors = NDArray[np.float32]

#: A word is taken if the treebanks have it this often, or the conversations.
_OFTEN_IN_TREEBANKS, _OFTEN = 2, 10

_WORD = re.compile(r"n't|'[a-z]+|[^\W\d_]+(?:\.[a-z])*|[^\w\s]")


def write_vectors(
    folder: Path, treebank: Path, encoder: str, talk: Sequence[str], count: int, width: int
) -> dict[str, float]:
    """A blank spaCy pipeline with vectors, as ``[initialize] vectors`` of a config wants it.

    ``talk`` names corpora of conversations, ``count`` says how many words have a vector at most.
    """
    import spacy
    from spacy.vectors import Vectors

    chosen = _vocabulary(treebank, encoder, talk)[:count]
    rows = np.asarray(Encoder.load(encoder).vectors(chosen), dtype=np.float32)
    nlp = spacy.blank("en")
    data = _principal(rows, width)
    table = Vectors(strings=nlp.vocab.strings, data=data, keys=chosen)
    for row, word in enumerate(chosen):  # spaCy looks a word up as it is written
        for spelling in (word.capitalize(), word.upper()):
            if spelling not in table:
                table.add(spelling, row=row)
    nlp.vocab.vectors = table
    nlp.to_disk(folder)
    return {"words": len(chosen), "width": data.shape[1]}


def _vocabulary(treebank: Path, encoder: str, talk: Sequence[str]) -> list[str]:
    """The commonest words first, then the encoder's own."""
    sentences = (*ewt(treebank, "train"), *gum(treebank, "train"))
    in_treebanks = Counter(word.form.lower() for s in sentences for word in s.words)
    count = in_treebanks + Counter(_conversation_words(talk))
    common = (
        word
        for word, times in count.most_common()
        if times >= _OFTEN or in_treebanks[word] >= _OFTEN_IN_TREEBANKS
    )
    every = dict.fromkeys([*common, *_encoder_words(encoder)])
    return [word for word in every if word != "\ufeff"]


def _conversation_words(names: Sequence[str]) -> Iterable[str]:
    """Every word of the conversations."""
    turns = (turn for name in names for chat in corpora.load(name) for turn in chat.turns)
    for turn in turns:
        yield from _WORD.findall(turn.text.lower().replace("n't", " n't"))


def _encoder_words(encoder: str) -> list[str]:
    """The whole words of the encoder's vocabulary."""
    file = models.open_folder(encoder) / "tokenizer.json"
    vocabulary = msgspec.json.decode(file.read_bytes())["model"]["vocab"]
    return [word for word in vocabulary if re.fullmatch(r"[^\W\d_]{2,}", word)]


def _principal(vectors: _Vectors, width: int) -> _Vectors:
    """The first components of centred vectors, each row of length 1."""
    centred = vectors - vectors.mean(axis=0)
    directions = np.linalg.svd(centred, full_matrices=False)[2][:width]
    kept: _Vectors = centred @ directions.T
    kept /= np.linalg.norm(kept, axis=1, keepdims=True) + 1e-8
    return kept
