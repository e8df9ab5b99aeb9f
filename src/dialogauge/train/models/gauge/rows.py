"""Rated conversations as numbers: what they show, what both sides say, and what people thought."""

from collections.abc import Mapping, Sequence
from importlib.resources import files as resources
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from ....dialogue import Dialogue
from ....encode import Encoder
from ....metrics import evidence
from ....metrics.gauge import Shown

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

#: What counts nothing has no rank: it stands this near to the end.
_LEAST = 1e-6
#: Ji et al.'s questions, by what we call the answers; the whole comes first.
ASKED = {
    "overall": "overall",
    "human-like": "not robotic",
    "interesting": "interesting",
    "fun": "fun",
    "consistent": "consistent",
    "fluent": "fluent",
    "not repetitive": "not repetitive",
    "on topic": "topic",
}


class Rows(msgspec.Struct, frozen=True):
    """Conversations that could be read, one beside the other."""

    dialogues: tuple[Dialogue, ...]
    names: tuple[str, ...]  # of the numbers
    numbers: Floats  # (rows, numbers)
    vectors: Floats  # (rows, sides, width): the means of each side's turns
    ratings: Floats  # (rows, outputs)

    @property
    def systems(self) -> NDArray[np.str_]:
        """Who was talked with."""
        return np.array([each.system for each in self.dialogues])

    def named(self, names: Sequence[str]) -> Floats:
        """Some of the numbers, (rows, names)."""
        return self.numbers[:, [self.names.index(name) for name in names]]

    def some(self, which: Bools) -> "Rows":
        """Some of them."""
        kept = tuple(one for one, there in zip(self.dialogues, which, strict=True) if there)
        numbers = {name: getattr(self, name)[which] for name in ("numbers", "vectors", "ratings")}
        return msgspec.structs.replace(self, dialogues=kept, **numbers)


class Sample(NamedTuple):
    """Conversations as numbers, and what each shows."""

    rows: Rows
    facts: Sequence[evidence.Facts]


def phrases(encoder: Encoder) -> dict[str, Floats]:
    """The vectors of the phrases by which reactions are known, each of length 1."""
    kinds = msgspec.toml.decode(
        (resources(__package__) / "phrases.toml").read_bytes(), type=dict[str, list[str]]
    )
    read = {kind: encoder.vectors(texts).astype(np.float64) for kind, texts in kinds.items()}
    return {
        kind: vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        for kind, vectors in read.items()
    }


def rows(
    dialogues: Sequence[Dialogue],
    shown: Sequence[Shown | str],
    asked: Sequence[str],
    numbers: Mapping[str, evidence.Number] = evidence.NUMBERS,
) -> Rows:
    """What conversations show; those that cannot be read, or have but one side, are left out.

    Of single answers (``level="turn"``) only the answer is judged.
    """
    read = [
        (each, it.facts, _judged(each, it.facts))
        for each, it in zip(dialogues, shown, strict=True)
        if not isinstance(it, str) and not it.facts.read.own.all()
    ]
    return Rows(
        tuple(each for each, _, _ in read),
        tuple(numbers),
        np.array(
            [evidence.shares(facts, numbers.values(), own).sum(axis=0) for _, facts, own in read]
        ),
        np.array([_means(facts.read.vectors, own) for _, facts, own in read]),
        np.array([[each.rating(aspect) for aspect in asked] for each, _, _ in read]),
    )


def contexts(shown: Sequence[Shown | str]) -> list[Shown | str]:
    """What was said before each answer."""
    return [it if isinstance(it, str) else _context(it) for it in shown]


def _context(shown: Shown) -> Shown:
    facts = evidence.Facts(shown.facts.read.first(len(shown.places) - 1))
    return Shown(facts, shown.places[:-1], shown.contradicts)


def answers(dialogues: Sequence[Dialogue], each: int, seed: int) -> list[Dialogue]:
    """Some answers of each conversation's judged side, to which it has already said something."""
    rng, cut = np.random.default_rng(seed), []
    for dialogue in dialogues:
        judged = dialogue.responder
        places = [at for at, it in enumerate(dialogue.turns) if it.speaker == judged][1:]
        for at in sorted(rng.permutation(places)[:each].tolist()):
            shorter = dialogue.with_turns(dialogue.turns[: at + 1])
            cut.append(msgspec.structs.replace(shorter, level="turn"))
    return cut


def _judged(dialogue: Dialogue, facts: evidence.Facts) -> Bools:
    own = facts.read.own
    return np.arange(len(own)) == len(own) - 1 if dialogue.level == "turn" else own


def _means(vectors: Floats, own: Bools) -> Floats:
    return np.stack([vectors[side].sum(axis=0) / max(1, side.sum()) for side in (own, ~own)])


def normal(ratings: Floats, weights: Floats) -> Floats:
    """Ratings on a scale on which they are normal, by their weighted ranks; of each column.

    >>> normal(np.array([[3.0], [1.0], [3.0]]), np.ones(3)).round(2).ravel().tolist()
    [0.43, -0.97, 0.43]
    """
    below = np.zeros_like(ratings)
    for column, given in enumerate(ratings.T):
        values, place = np.unique(given, return_inverse=True)
        total = np.bincount(place, weights, len(values))
        below[:, column] = ((total.cumsum() - total / 2) / total.sum())[place]
    scores: Floats = norm.ppf(below.clip(_LEAST, 1 - _LEAST))
    return scores
