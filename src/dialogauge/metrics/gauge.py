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

Where there is no partner who could react (a monologue, two bots, one answer to be judged), another
head reads the judged side alone. An answer of a bot that has talked with a person is judged by
itself and by how it went so far.

What is outside of what was rated counts as its edge, and widens the interval. Text that is not
English has no value, and a cause says so.
"""

from collections.abc import Mapping, Sequence
from math import nan, sqrt
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from .. import models
from ..dialogue import Dialogue, Turn
from ..errors import ModelError
from ..knowledge import mapped
from ..language.stopwords import is_english
from ..scores import Cause, Score
from . import evidence
from .metric import signature
from .relevance import Config as RelevanceConfig
from .relevance import Relevance
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
    relevance: str  # the model that says how well turns follow, and its hash
    relevance_hash: str
    width: int
    heads: dict[str, tuple[str, ...]]  # "partner" and "alone": the numbers that each reads
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

    def added(self, facts: evidence.Facts) -> tuple[Floats, float]:
        """What each turn adds to each output, (turns, outputs), and how unusual the whole is."""
        shares = evidence.shares(facts, self.numbers)
        sums = shares.sum(axis=0)
        offset = sums - self.centre
        unusual = float(offset @ self.precision @ offset)
        own = facts.read.own
        sides = np.stack([own, ~own], axis=1)
        even = sides / np.maximum(1, sides.sum(axis=0))  # (turns, sides)
        side = [0 if evidence.NUMBERS[name].own else 1 for name in self.numbers]
        beyond = sums - sums.clip(self.lowest, self.highest)
        added = (shares - even[:, side] * (self.centre + beyond)) @ self.weights
        for at, (weights, middle) in enumerate(zip(self.vectors, self.middle, strict=True)):
            added += even[:, at, None] * ((facts.read.vectors - middle) @ weights)
        return added, unusual


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
    """The fitted model, and the encoder and the head of `relevance` that it reads with."""

    config: Config
    files: ClassVar[Sequence[str]] = ("config.json", WEIGHTS)
    last = LAST

    def __init__(self, folder: Path, config: Any, name: str = "", encoder: str = "") -> None:
        super().__init__(folder, config, name, encoder)
        self._heads, phrases = read_heads(folder / WEIGHTS, config)
        follows = reading(config.relevance, encoder)
        if follows.hash != config.relevance_hash:
            raise ModelError(f"{folder}: was fitted to another {config.relevance}: train it again")
        self._reader = Reader(follows, phrases)

    @property
    def signature(self) -> str:
        """The weights' passport, which has all settings, then the encoder's."""
        ours = signature(self.name, None, "onnxruntime", "tokenizers")
        return f"{ours}|sha256:{self.hash}|encoder:{self.encoder.signature}"

    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """Each dialogue: value, interval, aspects, the judged turns, and what went wrong."""
        read = self._reader.read(dialogues)
        return [self._score(*both) for both in zip(dialogues, read, strict=True)]

    def _score(self, dialogue: Dialogue, read: "Places | str") -> Score:
        turns = len(dialogue.turns)
        if isinstance(read, str):
            return Score(nan, (nan,) * turns, causes=(Cause(turns - 1, read),))
        facts, places = read
        own = facts.read.own
        reacted = reacts(dialogue, own)
        head = self._heads["partner" if reacted else "alone"]
        added, unusual = head.added(facts)
        judged = _judged(added, own, head.bias)  # (judged turns, outputs)
        whole = judged.mean(axis=0)
        if dialogue.level == "turn":
            whole = self._answer(facts, whole if reacted else None)
            judged[-1] = whole
        wide = sqrt(1 + unusual)
        low, high = ndtr(whole[0] + head.errors * wide)
        scores = dict(zip(places[own].tolist(), _share(judged, head)[:, 0], strict=True))
        value, *aspects = _share(whole, head).tolist()
        return Score(
            round(value, _DIGITS),
            tuple(round(float(scores.get(at, nan)), _DIGITS) for at in range(turns)),
            dict(zip(self.config.aspects, (round(it, _DIGITS) for it in aspects), strict=True)),
            tuple(causes(facts, places, self.config.causes)),
            (round(float(low), _DIGITS), round(float(high), _DIGITS)),
        )

    def _answer(self, facts: evidence.Facts, so_far: Floats | None) -> Floats:
        """What an answer is worth by itself, beside how the conversation went, if a person spoke.

        By itself it is judged as if the bot said nothing else.
        """
        head = self._heads["alone"]
        alone: Floats = _judged(head.added(facts)[0], facts.read.own, head.bias)[-1]
        if so_far is not None:
            alone += so_far - head.bias
        return alone


class Places(NamedTuple):
    """What is read of a dialogue, and where in it those turns stand."""

    facts: evidence.Facts
    places: NDArray[np.int64]


def reading(model: str, encoder: str = "") -> Relevance:
    """The head that says how well turns follow, by name or folder."""
    folder = models.find(model)
    models.verify(folder)
    config = models.decode(folder / "config.json", RelevanceConfig)
    return Relevance(folder, config, encoder=encoder)


class Reader:
    """Reads dialogues with a head of `relevance`, its encoder, and the vectors of phrases."""

    def __init__(self, relevance: Relevance, phrases: Mapping[str, Floats]) -> None:
        self.relevance, self.encoder, self.phrases = relevance, relevance.encoder, phrases

    def read(self, dialogues: Sequence[Dialogue]) -> list[Places | str]:
        """What each shows; or why nothing can be said of it."""
        follows = [score.turns for score in self.relevance.score(dialogues)]
        return [self._read(*both) for both in zip(dialogues, follows, strict=True)]

    def _read(self, dialogue: Dialogue, follows: Sequence[float]) -> Places | str:
        first = max(0, len(dialogue.turns) - LAST)
        texts = [turn.text for turn in dialogue.turns[first:]]
        vectors = self.encoder.vectors(texts).astype(np.float64)
        there = np.flatnonzero(~np.isnan(vectors[:, 0]))
        turns = [dialogue.turns[first + at] for at in there]
        own = np.array([turn.speaker == dialogue.responder for turn in turns], np.bool_)
        if not own.any():
            return "says nothing that can be read"
        if dialogue.level == "turn" and there[-1] != len(texts) - 1:
            return "says nothing that can be read"
        if not is_english((turn.text for turn in turns), _SURE):
            return "not English"
        return Places(
            self._facts(turns, vectors[there], own, follows, there + first), there + first
        )

    def _facts(
        self,
        turns: Sequence[Turn],
        vectors: Floats,
        own: NDArray[np.bool_],
        follows: Sequence[float],
        places: NDArray[np.int64],
    ) -> evidence.Facts:
        texts = [turn.text for turn in turns]
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True).clip(1e-9)
        known = np.array([follows[at] for at in places.tolist()])
        ids, words = self.encoder.ids(texts), [turn.words for turn in turns]
        return evidence.Facts(evidence.Read(texts, words, ids, unit, own, known, self.phrases))


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


def _judged(added: Floats, own: NDArray[np.bool_], bias: Floats) -> Floats:
    """What each judged turn is worth with the answers to it, (judged turns, outputs).

    Their mean is what the conversation is worth. A partner who begins answers the first.
    """
    answered = np.maximum(own.cumsum() - 1, 0)
    sums = np.zeros((int(own.sum()), added.shape[1]))
    np.add.at(sums, answered, added)
    worth: Floats = bias + len(sums) * sums
    return worth


def _share(outputs: Floats, head: Head) -> Floats:
    """The expected share of conversations that people like less."""
    shares: Floats = ndtr(outputs / np.sqrt(1 + head.spread**2))
    return shares


#: Why a judged turn went wrong: by how its partner took it, or by what it says.
_REACTIONS = {"the partner objects": "objects", "the partner asks again": "asks again"}
_AGAIN, _ITSELF, _ECHO, _STRAY = "says it again", "repeats itself", "echoes", "does not follow"


def causes(
    facts: evidence.Facts, places: NDArray[np.int64], named: dict[str, float]
) -> list[Cause]:
    """What went wrong, at the judged turn that it is about."""
    own, found = facts.read.own, dict[tuple[int, str], None]()
    reactions = {cause: facts.like(kind) for cause, kind in _REACTIONS.items()}
    long = np.array([len(words) >= named["words"] for words in facts.read.words])
    for at in range(len(own)):
        if own[at]:
            found |= {(at, cause): None for cause in _of_turn(facts, at, named, bool(long[at]))}
            continue
        before = int(facts.before[at])
        if before < 0:
            continue
        for cause, like in reactions.items():
            if like[at] >= named[cause]:
                found[before, cause] = None
        if long[at] and facts.repeats[at] >= named[_AGAIN]:
            found[before, "the partner asks again"] = None
    return [Cause(int(places[at]), cause) for at, cause in sorted(found)]


def _of_turn(facts: evidence.Facts, at: int, named: dict[str, float], long: bool) -> list[str]:
    """What a judged turn does wrong by itself."""
    wrong = []
    if long and facts.repeats[at] >= named[_ITSELF]:
        wrong.append(_ITSELF)
    if long and facts.echoes[at] >= named[_ECHO]:
        wrong.append(_ECHO)
    if facts.before[at] >= 0 and facts.read.follows[at] < named[_STRAY]:
        wrong.append(_STRAY)
    return wrong
