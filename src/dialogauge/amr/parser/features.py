"""Pieces of text as the arrays that the parser's networks take.

Position 0 is the top, to which whole sentences attach; the words follow. ``pairs`` says for each
two words how they stand in the dependency tree, ``near`` how far they are apart.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .inventory import Inventory
from .words import Piece, Word

Arrays = dict[str, NDArray[np.generic]]

#: Distances beyond this many words are all the same.
FAR = 12

#: Relations of two words that do not depend on the name of a dependency.
_UNRELATED, _SELF, _SIBLING, _ABOVE, _BELOW, _TOP_ROOT, _TOP_OTHER, _FIRST_DEP = range(8)


def pair_kinds(inventory: Inventory) -> int:
    """How many kinds of pairs there are."""
    return _FIRST_DEP + 2 * len(inventory.deps)


def arrays(pieces: Sequence[Piece], inventory: Inventory) -> Arrays:
    """A batch of pieces, padded to the longest."""
    size = max(len(piece.words) for piece in pieces) + 1
    shape = (len(pieces), size)
    width = pieces[0].vectors.shape[1]
    out: Arrays = {
        "vectors": np.zeros((*shape, width), dtype=np.float32),
        "kinds": np.zeros((*shape, 5), dtype=np.int64),
        "pairs": np.zeros((*shape, size), dtype=np.int64),
        "mask": np.zeros(shape, dtype=np.float32),
    }
    for row, piece in enumerate(pieces):
        end = len(piece.words) + 1
        out["vectors"][row, 1:end] = piece.vectors
        out["kinds"][row, 1:end] = kinds(piece.words, inventory)
        out["pairs"][row, :end, :end] = pairs(piece.words, inventory)
        out["mask"][row, :end] = 1
    at = np.arange(size)
    out["near"] = np.clip(at[None, :] - at[:, None], -FAR, FAR) + FAR
    return out


def kinds(words: Sequence[Word], inventory: Inventory) -> NDArray[np.int64]:
    """For each word the numbers of its tags, relation, kind of name and lemma, (words, 5)."""
    lists = [inventory.numbers[name] for name in ("pos", "tags", "deps", "entities", "lemmas")]
    names = [(word.pos, word.tag, word.dep, word.entity, word.lemma) for word in words]
    return np.array(
        [[of.get(name, 0) for of, name in zip(lists, own, strict=True)] for own in names]
    )


def pairs(words: Sequence[Word], inventory: Inventory) -> NDArray[np.int64]:
    """How each two words stand in the dependency tree, (1 + words, 1 + words)."""
    size = len(words)
    numbers = inventory.numbers["deps"]
    heads = np.array([word.head for word in words])
    deps = np.array([numbers.get(word.dep, 0) for word in words])
    at = np.arange(size)
    own = heads == at  # the head of a sentence
    siblings = (heads[:, None] == heads) & ~own[:, None] & ~own
    relations = np.where(siblings, _SIBLING, _UNRELATED)
    above = heads[heads]
    relations[above, at] = _ABOVE
    relations[at, above] = _BELOW
    relations[heads, at] = _FIRST_DEP + deps
    relations[at, heads] = _FIRST_DEP + len(numbers) + deps
    relations[at, at] = _SELF
    out = np.zeros((size + 1, size + 1), dtype=np.int64)
    out[1:, 1:] = relations
    out[0, 1:] = out[1:, 0] = np.where(own, _TOP_ROOT, _TOP_OTHER)
    return out
