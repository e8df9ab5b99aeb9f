"""Word vectors for the language pipeline, from the encoder that ships.

    python scripts/build_word_vectors.py FOLDER

A treebank is small: most words of a chat are not in it. The encoder has read a great deal more, and
what it says of a word alone, cut down to its principal components, tells the tagger, the parser and
the names which words are alike. The words are those of the treebanks' training parts, of
Self-dialogue and Topical-Chat, and the whole words of the encoder's own vocabulary. FOLDER becomes
a blank spaCy pipeline with vectors, as ``[initialize] vectors`` of a spaCy config wants it.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterable

import msgspec
import numpy as np
import spacy
from numpy.typing import NDArray
from spacy.vectors import Vectors

from .... import corpora, models
from ....encode import Encoder
from .task import treebank_folder
from .treebank import ewt, gum

Vector = NDArray[np.float32]

ENCODER = "dialogue-minilm"
CORPORA = ("self-dialogue", "topical-chat")
WIDTH = 64
ROWS = 24_000
#: A word is taken if the treebanks have it this often, or the conversations.
OFTEN_IN_TREEBANKS, OFTEN = 2, 10

WORD = re.compile(r"n't|'[a-z]+|[^\W\d_]+(?:\.[a-z])*|[^\w\s]")


def main(folder: str) -> None:
    """Write the blank pipeline with vectors."""
    words = vocabulary()
    vectors = principal(np.asarray(Encoder.load(ENCODER).vectors(words), dtype=np.float32))
    nlp = spacy.blank("en")
    table = Vectors(strings=nlp.vocab.strings, data=vectors, keys=words)
    for row, word in enumerate(words):  # spaCy looks a word up as it is written
        for spelling in (word.capitalize(), word.upper()):
            if spelling not in table:
                table.add(spelling, row=row)
    nlp.vocab.vectors = table
    nlp.to_disk(folder)
    print(f"{len(words)} words, {WIDTH} dimensions: {folder}")


def vocabulary() -> list[str]:
    """The commonest words first, then the encoder's own."""
    folder = treebank_folder()
    sentences = (*ewt(folder, "train"), *gum(folder, "train"))
    in_treebanks = Counter(word.form.lower() for s in sentences for word in s.words)
    count = in_treebanks + Counter(conversation_words())
    common = (
        word
        for word, times in count.most_common()
        if times >= OFTEN or in_treebanks[word] >= OFTEN_IN_TREEBANKS
    )
    words = dict.fromkeys([*common, *encoder_words()])
    return [word for word in words if word != "\ufeff"][:ROWS]


def conversation_words() -> Iterable[str]:
    """Every word of the conversations."""
    for name in CORPORA:
        for dialogue in corpora.load(name):
            for turn in dialogue.turns:
                yield from WORD.findall(turn.text.lower().replace("n't", " n't"))


def encoder_words() -> list[str]:
    """The whole words of the encoder's vocabulary."""
    file = models.open_folder(ENCODER) / "tokenizer.json"
    vocabulary = msgspec.json.decode(file.read_bytes())["model"]["vocab"]
    return [word for word in vocabulary if re.fullmatch(r"[^\W\d_]{2,}", word)]


def principal(vectors: Vector) -> Vector:
    """The first components of centred vectors, each row of length 1."""
    centred = vectors - vectors.mean(axis=0)
    directions = np.linalg.svd(centred, full_matrices=False)[2][:WIDTH]
    kept: Vector = centred @ directions.T
    kept /= np.linalg.norm(kept, axis=1, keepdims=True) + 1e-8
    return kept


if __name__ == "__main__":
    main(*sys.argv[1:])
