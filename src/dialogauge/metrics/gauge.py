"""What people would think of a conversation, learnt from people who rated theirs.

A linear model of what a conversation shows (:mod:`.evidence`) and of what both sides say (the means
of their turns' vectors). It was fitted to the ratings of people who talked with bots
(``train/models/gauge/``), on a scale on which ratings are normal. ``value`` is the share of rated
conversations that people would like less, so that one half is ordinary; ``aspects`` are the same
for each question that people were asked, and ``interval`` holds the share that they really give
nine times in ten, as often as it did in conversations that were not learnt from.

**One side is judged** (:attr:`~dialogauge.dialogue.Dialogue.responder`); what its partners say
after a turn is evidence about that turn. Only judged turns have a score: the share that would be
if all turns added what this one and the answers to it add. On the scale of the model, the value is
the mean of the turns.

There are three heads, and each conversation is read by the one that was fitted to its like:

- *partner*: a person talks with the judged side, and reacts to it;
- *alone*: nobody reacts, as in a monologue or between two bots, and only the judged side is read;
- *answer*: one answer is to be judged, and only how it answers is read. Where it is a bot's that
  has talked with a person, how that went so far is added. It has no aspects.

What is outside of what was rated counts as its edge, and widens the interval; so does a number that
cannot be had. Text that is not English has no value, and a cause says so.
"""

from collections.abc import Mapping, Sequence
from math import nan, sqrt
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from ..dialogue import Dialogue, Turn
from ..errors import ModelError
from ..knowledge import mapped
from ..language.stopwords import is_english
from ..scores import Cause, Score
from . import evidence
from .metric import signature
from .trained import LAST, TrainedMetric

Floats = NDArray[np.float64]

KIND = "gauge"
WEIGHTS = "weights.arrays"
#: Fewer words are read whatever their language may be.
_SURE = 12
#: Digits of a score that are given.
_DIGITS = 6


class Config(msgspec.Struct, frozen=True):
    """The config.json of a fitted model."""

    metric: str
    encoder: str
    encoder_hash: str
    reads: dict[str, str]  # other metrics that it reads: models, and their hashes
    width: int
    heads: dict[str, tuple[str, ...]]  # "partner", "alone", "answer": the numbers that each reads
    aspects: tuple[str, ...]
    causes: dict[str, float]  # from which likeness or share on each is named


class Head(NamedTuple):
    """A linear model: numbers and mean vectors in, one output for the whole and each aspect."""

    numbers: tuple[str, ...]
    weights: Floats  # (numbers, outputs)
    centre: Floats  # (numbers,)
    lowest: Floats  # (numbers,), of what was rated
    highest: Floats
    vectors: Floats  # (sides, width, outputs): of the judged side, then of its partners
    middle: Floats  # (sides, width)
    bias: Floats  # (outputs,)
    spread: Floats  # (outputs,): the deviation of what people say from what is predicted
    errors: Floats  # (2,): the lowest and highest error, in 90 % of conversations
    precision: Floats  # (numbers, numbers): how unusual numbers are

    def added(self, facts: evidence.Facts, own: NDArray[np.bool_]) -> tuple[Floats, float]:
        """What each turn adds to each output, (turns, outputs), and how unusual the whole is."""
        shares = evidence.shares(facts, self.numbers, own)
        sums = shares.sum(axis=0)
        lost = np.isnan(sums)
        offset = np.where(lost, 0.0, sums - self.centre)
        unusual = float(offset @ self.precision @ offset) + float(lost.sum())
        sides = np.stack([own, ~own], axis=1)
        even = sides / np.maximum(1, sides.sum(axis=0))  # (turns, sides)
        side = [0 if evidence.NUMBERS[name].own else 1 for name in self.numbers]
        beyond = sums - sums.clip(self.lowest, self.highest)
        differ = np.where(lost, 0.0, shares - even[:, side] * (self.centre + beyond))
        added: Floats = differ @ self.weights
        for at, (weights, middle) in enumerate(zip(self.vectors, self.middle, strict=True)):
            added += even[:, at, None] * ((facts.read.vectors - middle) @ weights)
        return added, unusual

    def judged(self, facts: evidence.Facts, own: NDArray[np.bool_]) -> tuple[Floats, float]:
        """What each judged turn is worth with the answers to it, (judged turns, outputs).

        Their mean is what the conversation is worth. A partner who begins answers the first.
        Beside it, how many times wider than that of a usual conversation the interval is.
        """
        added, unusual = self.added(facts, own)
        answered = np.maximum(own.cumsum() - 1, 0)
        sums = np.zeros((int(own.sum()), added.shape[1]))
        np.add.at(sums, answered, added)
        return self.bias + len(sums) * sums, sqrt(1 + unusual)

    def share(self, outputs: Floats) -> Floats:
        """The expected share of conversations that people like less."""
        shares: Floats = ndtr(outputs / np.sqrt(1 + self.spread**2))
        return shares


def read_heads(path: Path, config: Config) -> tuple[dict[str, Head], dict[str, Floats]]:
    """The heads of a model, and the vectors of its phrases."""
    _, arrays = mapped.read(path, KIND)
    exact = {name: array.astype(np.float64) for name, array in arrays.items()}
    fields = Head._fields[1:]
    try:
        heads = {
            name: Head(tuple(numbers), *(exact[f"{name} {field}"] for field in fields))
            for name, numbers in config.heads.items()
        }
    except KeyError as error:
        raise ModelError(f"{path}: has no {error}: train it again") from None
    marked = "phrases "
    phrases = {
        name.removeprefix(marked): array for name, array in exact.items() if name.startswith(marked)
    }
    return heads, phrases


class Gauge(TrainedMetric):
    """The fitted model, the encoder, and the metrics that it reads with."""

    config: Config
    files: ClassVar[Sequence[str]] = ("config.json", WEIGHTS)
    last = LAST

    def __init__(self, folder: Path, config: Any, name: str = "", encoder: str = "") -> None:
        super().__init__(folder, config, name, encoder)
        self._heads, phrases = read_heads(folder / WEIGHTS, config)
        read = {name: reading(name, encoder) for name in config.reads}
        for other, metric in read.items():
            if metric.hash != config.reads[other]:
                raise ModelError(f"{folder}: was fitted to another {other}: train it again")
        self._reader = Reader(read, phrases)

    @property
    def signature(self) -> str:
        """The weights' passport, which has all settings, then the encoder's."""
        ours = signature(self.name, None, "onnxruntime", "tokenizers")
        return f"{ours}|sha256:{self.hash}|encoder:{self.encoder.signature}"

    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """Each dialogue: value, interval, aspects, the judged turns, and what went wrong."""
        read = self._reader.read(dialogues)
        return [self._score(*both) for both in zip(dialogues, read, strict=True)]

    def _score(self, dialogue: Dialogue, read: "Shown | str") -> Score:
        turns = len(dialogue.turns)
        if isinstance(read, str):
            return Score(nan, (nan,) * turns, causes=(Cause(turns - 1, read),))
        facts, places, own = read.facts, read.places, read.facts.read.own
        reacted = reacts(dialogue, own)
        head = self._heads["partner" if reacted else "alone"]
        judged, wide = head.judged(facts, own)
        whole = judged.mean(axis=0)
        scores = dict(zip(places[own].tolist(), head.share(judged)[:, 0], strict=True))
        if dialogue.level == "turn":
            last, so_far = np.arange(len(own)) == len(own) - 1, whole[:1] - head.bias[:1]
            head = self._heads["answer"]
            (whole,), wide = head.judged(facts, last)
            scores = scores if reacted else {}
            whole = whole + so_far if reacted else whole
            scores[turns - 1] = head.share(whole)[0]
        low, high = ndtr(whole[0] + head.errors * wide)
        value, *aspects = head.share(whole).tolist()
        named = zip(self.config.aspects[: len(aspects)], aspects, strict=True)
        return Score(
            round(value, _DIGITS),
            tuple(round(float(scores.get(at, nan)), _DIGITS) for at in range(turns)),
            {name: round(it, _DIGITS) for name, it in named},
            tuple(causes(read, self.config.causes)),
            (round(float(low), _DIGITS), round(float(high), _DIGITS)),
        )


class Shown(NamedTuple):
    """What is read of a dialogue, and where in it those turns stand."""

    facts: evidence.Facts
    places: NDArray[np.int64]
    contradicts: frozenset[int]  # turns that are said to


def reading(model: str, encoder: str = "") -> TrainedMetric:
    """A metric that is read, by name or folder."""
    from .catalogue import from_folder  # which knows this module

    return from_folder(model, encoder=encoder)


class Reader:
    """Reads dialogues with other metrics, their encoder, and the vectors of phrases."""

    def __init__(self, metrics: Mapping[str, TrainedMetric], phrases: Mapping[str, Floats]) -> None:
        self.metrics, self.phrases = metrics, phrases
        self.encoder = next(iter(metrics.values())).encoder

    def read(self, dialogues: Sequence[Dialogue]) -> list[Shown | str]:
        """What each shows; or why nothing can be said of it."""
        said = [each.score(dialogues) for each in self.metrics.values()]
        return [self._read(*both) for both in zip(dialogues, zip(*said, strict=True), strict=True)]

    def _read(self, dialogue: Dialogue, said: Sequence[Score]) -> Shown | str:
        first = max(0, len(dialogue.turns) - LAST)
        texts = [turn.text for turn in dialogue.turns[first:]]
        vectors = self.encoder.vectors(texts).astype(np.float64)
        there = np.flatnonzero(~np.isnan(vectors[:, 0]))
        turns = [dialogue.turns[first + at] for at in there]
        own = np.array([turn.speaker == dialogue.responder for turn in turns], np.bool_)
        if not own.any() or (dialogue.level == "turn" and there[-1] != len(texts) - 1):
            return "says nothing that can be read"
        if not is_english((turn.text for turn in turns), _SURE):
            return "not English"
        places = there + first
        known = zip(self.metrics, said, strict=True)
        scores = {name: np.array(score.turns)[places] for name, score in known}
        opposed = [it.turn for score in said for it in score.causes if it.name == _OPPOSED]
        facts = self._facts(turns, vectors[there], own, scores)
        return Shown(facts, places, frozenset(opposed))

    def _facts(
        self,
        turns: Sequence[Turn],
        vectors: Floats,
        own: NDArray[np.bool_],
        scores: Mapping[str, Floats],
    ) -> evidence.Facts:
        texts = [turn.text for turn in turns]
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True).clip(1e-9)
        ids, words = self.encoder.ids(texts), [turn.words for turn in turns]
        return evidence.Facts(evidence.Read(texts, words, ids, unit, own, scores, self.phrases))


def reacts(dialogue: Dialogue, own: NDArray[np.bool_]) -> bool:
    """Whether a person is there whose reactions can be read.

    Of an answer that is to be judged, only where the judged side is called a bot: among people,
    how it went so far says nothing of the answer. A partner who is called a bot, too, is none.
    """
    bots = dialogue.bots
    if len(bots) > 1 or (dialogue.level == "turn" and dialogue.responder not in bots):
        return False
    first = int(own.argmax())
    return bool((~own[first:]).any())


#: Why a judged turn went wrong: by how its partner took it, or by what it says.
_REACTIONS = {"the partner objects": "objects", "the partner asks again": "asks again"}
_AGAIN, _ITSELF, _ECHO, _CONTRADICTS = "says it again", "repeats itself", "echoes", "contradicts"
STRAY = "does not follow"
#: What `deam` calls a contradiction.
_OPPOSED = "contradiction"


def causes(shown: Shown, named: dict[str, float]) -> list[Cause]:
    """What went wrong, at the judged turn that it is about."""
    facts, places, fits = shown.facts, shown.places, shown.facts.fits
    own, found = facts.read.own, dict[tuple[int, str], None]()
    reactions = {cause: facts.like(kind) for cause, kind in _REACTIONS.items()}
    long = np.array([len(words) >= named["words"] for words in facts.read.words])
    for at in range(len(own)):
        before = int(facts.before[at])
        if own[at]:
            wrong = [_CONTRADICTS] if places[at] in shown.contradicts else []
            if long[at] and facts.repeats[at] >= named[_ITSELF]:
                wrong.append(_ITSELF)
            if long[at] and facts.echoes[at] >= named[_ECHO]:
                wrong.append(_ECHO)
            if before >= 0 and not wrong and fits[at] < named[STRAY]:
                wrong.append(STRAY)
            found |= {(at, cause): None for cause in wrong}
            continue
        if before < 0:
            continue
        for cause, like in reactions.items():
            if like[at] >= named[cause]:
                found[before, cause] = None
        if long[at] and facts.repeats[at] >= named[_AGAIN]:
            found[before, "the partner asks again"] = None
    return [Cause(int(places[at]), cause) for at, cause in sorted(found)]
