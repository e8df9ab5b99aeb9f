"""Metrics on the vectors of a text encoder.

``cosim`` asks how near adjacent turns are. The others compare the last turn of turn-level items
with references, as :mod:`.overlap` does, but by the vectors of tokens, so that "car" and
"automobile" are near: embedding average (Foltz et al. 1998), vector extrema (Forgues et al. 2014),
greedy matching (Rus and Lintean 2012) and BERTScore (Zhang et al. 2020).

A turn without a vector (blank, control characters, no sign that the encoder knows) has no score and
stands in no context: the turn before it takes its place. That is one rule for all metrics of turns
(:func:`preceding`), and holds at the border of those that are scored, too (:func:`recent`).

With several references the best counts. NaN means that no reference has a token; a response without
one shares nothing with its references: 0. An encoder is loaded when the first score or signature
needs it, and shared by the metrics of a process.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Sized
from functools import cache
from hashlib import blake2b
from itertools import islice
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..dialogue import Dialogue
from ..encode import Encoder, Tokens
from ..encode.batching import chunks
from ..errors import DialogaugeError
from ..scores import Score
from .functions import NAN, from_last_turns, of_last_turn
from .metric import signature

Floats = NDArray[np.float64]

#: A shipped encoder's name, a folder, or an encoder that is loaded (with a cache on disk, say).
Source = str | Path | Encoder
ENCODER = "dialogue-minilm"

#: How many pairs of response and reference are in memory at a time, and how many characters.
PAIRS, _CHARACTERS = 256, 100_000

#: How many tokens of a response are compared with all of a reference at a time.
_ROWS = 512


@cache
def shared(source: str | Path = ENCODER) -> Encoder:
    """The encoder of that name or folder, loaded once a process."""
    return Encoder.load(source)


class Embedded(msgspec.Struct, frozen=True):
    """A metric that scores dialogues by an encoder's vectors."""

    name: str
    settings: msgspec.Struct
    source: Source
    function: Callable[[Encoder, Sequence[Dialogue]], Iterator[Score]]

    @property
    def trained(self) -> bool:
        """Nothing is but the encoder, which counts if people's ratings chose its weights."""
        return self.encoder.config.taught

    @property
    def encoder(self) -> Encoder:
        """What gives it vectors."""
        return self.source if isinstance(self.source, Encoder) else shared(self.source)

    @property
    def last(self) -> int | None:
        """How many turns at the end of a dialogue it scores; None for all."""
        return getattr(self.settings, "last", None)

    @property
    def signature(self) -> str:
        """Settings and versions, then the encoder's passport."""
        ours = signature(self.name, self.settings, "onnxruntime", "tokenizers")
        return f"{ours}|encoder:{self.encoder.signature}"

    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """One score per dialogue."""
        return list(self.function(self.encoder, dialogues)) if dialogues else []


class Cosim(msgspec.Struct, frozen=True):
    """Settings of :func:`cosim`."""

    last: int = 1000  # the last turns that are scored: no dialogue takes more than seconds


def cosim(settings: Cosim | None = None, encoder: Source = ENCODER) -> Embedded:
    """Cosine of each turn with the one before; of a dialogue, the mean turn.

    A turn of several windows is as near as its farthest one, so that a good beginning hides
    nothing; to the turn after it, it is their mean.
    """
    settings = settings or Cosim()
    last = settings.last

    def scores(encoder: Encoder, dialogues: Sequence[Dialogue]) -> Iterator[Score]:
        read = [recent(encoder, dialogue, last, 1) for dialogue in dialogues]
        stream = encoder.stream(text for texts in read for text in texts)
        for dialogue, texts in zip(dialogues, read, strict=True):
            vectors = np.array(list(islice(stream, len(texts))), dtype=np.float64)
            before = preceding(~np.isnan(vectors[:, 0]), 1)[:, 0]
            earlier = np.where((before < 0)[:, None], NAN, vectors[before])
            windows = encoder.windows(texts)  # remembered
            near = cosines(earlier.repeat(sizes(windows), axis=0), np.concatenate(windows))
            yield from_last_turns(dialogue, weakest(near, windows)[-last:])

    return Embedded("cosim", settings, encoder, scores)


def recent(encoder: Encoder, dialogue: Dialogue, last: int, turns: int) -> list[str]:
    """The last turns of a dialogue, after so many with a vector as their contexts reach back to."""
    texts = [turn.text for turn in dialogue.turns]
    start, missing = max(0, len(texts) - last), turns
    while start and missing:
        start -= 1
        missing -= encoder.hears([texts[start]])[0]
    return texts[start:]


def preceding(has_vector: NDArray[np.bool_], turns: int) -> NDArray[np.int64]:
    """Which turns stand before each, (all turns, turns): those with a vector; -1 for none.

    >>> preceding(np.array([True, False, True, True]), 2).tolist()
    [[-1, -1], [-1, 0], [-1, 0], [0, 2]]
    """
    heard = np.append(np.flatnonzero(has_vector), -1)
    before = (has_vector.cumsum() - has_vector)[:, None] + np.arange(-turns, 0)
    return np.asarray(heard[np.maximum(before, -1)], dtype=np.int64)


def weakest(values: NDArray[np.floating], windows: Sequence[Sized]) -> NDArray[np.floating]:
    """The smallest value of each text, given those of the windows of all texts; NaN if one is.

    >>> weakest(np.array([3.0, 5.0, 4.0]), [["two", "windows"], ["one"]])
    array([3., 4.])
    """
    counts = sizes(windows)
    return np.minimum.reduceat(values, counts.cumsum() - counts) if len(counts) else values


def sizes(windows: Sequence[Sized]) -> NDArray[np.int64]:
    """How many windows each text has."""
    return np.array([len(some) for some in windows], np.int64)


class Plain(msgspec.Struct, frozen=True):
    """The settings of a metric that has nothing to set."""


def embedding_average(encoder: Source = ENCODER) -> Embedded:
    """Cosine of the mean token vectors of the last turn and its best reference, -1 to 1."""
    return against("embedding-average", Plain(), encoder, lambda _: pooled(_mean))


def vector_extrema(encoder: Source = ENCODER) -> Embedded:
    """Cosine of the extreme values per dimension of the last turn and best reference, -1 to 1."""
    return against("vector-extrema", Plain(), encoder, lambda _: pooled(_extreme))


def greedy_matching(encoder: Source = ENCODER) -> Embedded:
    """Mean best cosine of the tokens of the last turn and its best reference, -1 to 1."""
    return against("greedy-matching", Plain(), encoder, lambda _: _greedy)


class Bertscore(msgspec.Struct, frozen=True):
    """Settings of :func:`bertscore`."""

    idf: bool = False  # weigh tokens by their rarity in a corpus
    corpus: str = ""  # its hash; filled in by the metric


def bertscore(
    settings: Bertscore | None = None, corpus: Sequence[str] = (), encoder: Source = ENCODER
) -> Embedded:
    """BERTScore F1 of the last turn against its best reference, -1 to 1; aspects P and R too.

    With ``idf`` the weights come from the texts of ``corpus``, once and for all. The paper takes
    the references of the test set, and then a score depends on what else is scored.
    """
    settings = settings or Bertscore()
    if settings.idf != bool(corpus):
        raise DialogaugeError("bertscore: idf and the texts of a corpus go together")
    texts = tuple(corpus)
    data = msgspec.json.encode([ascii(text) for text in texts])
    frozen = Bertscore(True, blake2b(data, digest_size=8).hexdigest()) if texts else Bertscore()

    @cache
    def compare(encoder: Encoder) -> Compare:
        rarity = _rarity(encoder, texts)
        return lambda response, reference: _bertscore(response, reference, rarity)

    return against("bertscore", frozen, encoder, compare, ("precision", "recall", "f1"))


Compare = Callable[[Tokens, Tokens], Score]  # of a response and a reference, neither empty
_Rarity = Callable[[Tokens], Floats]


def against(
    name: str,
    settings: msgspec.Struct,
    source: Source,
    compare: Callable[[Encoder], Compare],
    aspects: tuple[str, ...] = (),
) -> Embedded:
    """A metric of the last turn of turn-level items, against the best of its references."""
    nothing = Score(0.0, aspects=dict.fromkeys(aspects, 0.0))

    def scores(encoder: Encoder, dialogues: Sequence[Dialogue]) -> Iterator[Score]:
        best: dict[int, Score] = {}
        for at, response, reference in _pairs(encoder, dialogues):
            score = compare(encoder)(response, reference) if response.ids else nothing
            if at not in best or score.value > best[at].value:
                best[at] = score
        for at, dialogue in enumerate(dialogues):
            yield of_last_turn(dialogue, best.get(at, Score(NAN)))

    return Embedded(name, settings, source, scores)


def _pairs(encoder: Encoder, dialogues: Sequence[Dialogue]) -> Iterator[tuple[int, Tokens, Tokens]]:
    """Number of a dialogue, its response, and each reference that has a token."""
    pairs = (
        (at, dialogue.response, reference)
        for at, dialogue in enumerate(dialogues)
        if dialogue.level == "turn"
        for reference in dialogue.references
    )
    for some in chunks(pairs, PAIRS, _CHARACTERS, lambda pair: len(pair[1]) + len(pair[2])):
        which, responses, references = zip(*some, strict=True)
        tokens = iter(encoder.tokens((*responses, *references)))
        responding = list(islice(tokens, len(some)))
        for at, response, reference in zip(which, responding, tokens, strict=True):
            if reference.ids:
                yield at, response, reference


def pooled(pool: Callable[[NDArray[np.floating]], Floats]) -> Compare:
    """The cosine of two texts whose token vectors become one vector each."""
    return lambda *sides: Score(float(cosines(*(pool(side.vectors) for side in sides))))


def _mean(vectors: NDArray[np.floating]) -> Floats:
    return np.asarray(vectors.mean(axis=0, dtype=np.float64))


def _extreme(vectors: NDArray[np.floating]) -> Floats:
    """In each dimension the value of largest magnitude; of equal ones, the positive.

    >>> _extreme(np.array([[1.0, -2.0, 3.0], [-4.0, 1.0, -3.0]]))
    array([-4., -2.,  3.])
    """
    high, low = vectors.max(axis=0), vectors.min(axis=0)
    return np.asarray(np.where(high >= -low, high, low), dtype=np.float64)


def _greedy(response: Tokens, reference: Tokens) -> Score:
    ours, theirs = _matches(response, reference)
    return Score(float((ours.mean() + theirs.mean()) / 2))


def _bertscore(response: Tokens, reference: Tokens, rarity: _Rarity) -> Score:
    ours, theirs = _matches(response, reference)
    precision = float(ours @ rarity(response))
    recall = float(theirs @ rarity(reference))
    agree = precision > 0 and recall > 0  # a harmonic mean is one of positive numbers
    f1 = 2 * precision * recall / (precision + recall) if agree else 0.0
    return Score(f1, aspects={"precision": precision, "recall": recall, "f1": f1})


def _matches(response: Tokens, reference: Tokens) -> tuple[Floats, Floats]:
    """The best cosine of each token of the response, and of each of the reference."""
    ours, theirs = _unit(response.vectors), _unit(reference.vectors).T
    best = []
    for at in range(0, len(ours), _ROWS):
        cosines = ours[at : at + _ROWS] @ theirs
        best.append((cosines.max(axis=1), cosines.max(axis=0)))
    rows, columns = zip(*best, strict=True)
    return np.concatenate(rows), np.maximum.reduce(columns)


def _rarity(encoder: Encoder, texts: Sequence[str]) -> _Rarity:
    """The weight of each token, adding up to 1: all alike, or idf with one added to all counts."""
    counts = Counter(token for ids in encoder.ids(texts) for token in set(ids))

    def weights(tokens: Tokens) -> Floats:
        idf = [math.log((len(texts) + 1) / (counts[token] + 1)) for token in tokens.ids]
        total = math.fsum(idf)
        share = 1 / len(tokens.ids)  # where there is no corpus, or every token is in every text
        return np.array([one / total if total else share for one in idf])

    return weights


def _unit(vectors: NDArray[np.floating]) -> Floats:
    """Vectors of length 1; none of a trained encoder is 0."""
    exact = vectors.astype(np.float64)
    return np.asarray(exact / np.linalg.norm(exact, axis=-1, keepdims=True))


def cosines(left: Floats, right: Floats) -> Floats:
    """Cosines of the last axis; NaN where either is."""
    return np.asarray((_unit(left) * _unit(right)).sum(axis=-1))
