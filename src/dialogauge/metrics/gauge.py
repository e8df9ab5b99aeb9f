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
the mean of the turns. What both sides are like as a whole, their mean vectors too, each turn has an
equal part of.

Each conversation is read by the head that was fitted to its like:

- *partner*: a person talks with the judged side, and reacts to it;
- *alone*: nobody reacts, as in a monologue or between two bots, and only the judged side is read;
- *answer*: one answer is to be judged, and only how it answers is read, without aspects. Where it
  is a bot's that has talked with a person before, *reply* adds how that went so far.

What is outside of what was rated counts as its edge, and widens the interval; so does a number that
cannot be had. Text that is not English has no value, and a cause says so.
"""

from collections.abc import Iterator, Mapping, Sequence
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
from . import deam, evidence, relevance
from .metric import signature
from .trained import LAST, TrainedMetric

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

KIND = "gauge"
WEIGHTS = "weights.arrays"
#: The metrics whose scores of turns are read.
READS = ("relevance", "deam")
HEADS = ("partner", "alone", "answer", "reply")
#: The kinds of phrases that turns are held against.
_PHRASES = ("objects", "asks again", "agrees", "greets")
#: Fewer words are read whatever their language may be.
_SURE = 12
#: Digits of a score that are given.
_DIGITS = 6


class Named(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """From where on causes are named."""

    objects: float = 0.6  # likeness of the partner's next turn to objections
    asks_again: float = 0.6  # ... and to questions of who does not understand
    stray: float = 0.0  # below this a turn does not fit what it answers


class Config(msgspec.Struct, frozen=True):
    """The config.json of a fitted model."""

    metric: str
    encoder: str
    encoder_hash: str
    reads: dict[str, str]  # the hashes of the metrics that it reads
    width: int
    heads: dict[str, tuple[str, ...]]  # by name, the numbers that each reads
    aspects: tuple[str, ...]
    named: Named


class Head(NamedTuple):
    """A linear model: numbers and mean vectors in, one output for the whole and each aspect."""

    numbers: tuple[str, ...]
    weights: Floats  # (numbers, outputs)
    centre: Floats  # (numbers,)
    lowest: Floats  # (numbers,), of what was rated
    highest: Floats
    vectors: Floats  # (sides, width, outputs): of the judged side, then of its partners
    middle: Floats  # (sides, width)
    axes: Floats  # (sides, width, components), each of deviation 1 in what was rated
    precision: Floats  # (numbers, numbers), of what was rated
    usual: Floats  # (1 + sides,): how far numbers and vectors of nearly all rated ones lie out
    bias: Floats  # (outputs,)
    spread: Floats  # (outputs,): the deviation of what people say from what is predicted
    errors: Floats  # (2,): the lowest and highest error, in 90 % of conversations

    def judged(self, facts: evidence.Facts, own: Bools) -> tuple[Floats, float]:
        """What each judged turn is worth with the answers to it, (judged turns, outputs).

        Their mean is what the conversation is worth. A partner who begins answers the first.
        Beside it, how many times wider than that of a usual conversation the interval is.
        """
        numbers = [evidence.NUMBERS[name] for name in self.numbers]
        shares = evidence.shares(facts, numbers, own)
        sums = shares.sum(axis=0)
        lost = np.isnan(sums)
        offset = np.where(lost, 0.0, sums - self.centre)
        far = [sqrt(offset @ self.precision @ offset) / self.usual[0]]
        sides = np.stack([own, ~own], axis=1)
        even = sides / np.maximum(1, sides.sum(axis=0))  # (turns, sides)
        side = [0 if number.judged else 1 for number in numbers]
        beyond = sums - sums.clip(self.lowest, self.highest)
        differ = np.where(lost, 0.0, shares - even[:, side] * (self.centre + beyond))
        added: Floats = differ @ self.weights
        for at, parts in enumerate(even.T):
            differ = parts @ (facts.read.vectors - self.middle[at])
            far.append(float(np.linalg.norm(differ @ self.axes[at])) / self.usual[1 + at])
            added += parts[:, None] * (differ @ self.vectors[at]) / max(1.0, far[-1])
        answered = np.maximum(own.cumsum() - 1, 0)
        worth = np.zeros((int(own.sum()), added.shape[1]))
        np.add.at(worth, answered, added)
        return self.bias + len(worth) * worth, max(1.0, *far) + int(lost.sum())

    def share(self, outputs: Floats) -> Floats:
        """The expected share of conversations that people like less."""
        shares: Floats = ndtr(outputs / np.sqrt(1 + self.spread**2))
        return shares


def _read_model(path: Path, config: Config) -> tuple[dict[str, Head], dict[str, Floats]]:
    """The heads of a model, and the vectors of its phrases; another version's is refused."""
    _, arrays = mapped.read(path, KIND)
    exact = {name: array.astype(np.float64) for name, array in arrays.items()}
    try:
        heads = {name: _head(name, config, exact) for name in HEADS}
        phrases = {kind: exact[f"phrases {kind}"] for kind in _PHRASES}
    except KeyError as error:
        raise ModelError(f"{path}: has no {error}: train it again") from None
    if any(each.shape[1:] != (config.width,) for each in phrases.values()):
        raise ModelError(f"{path}: its phrases are not vectors of {config.width} numbers")
    return heads, phrases


def _head(name: str, config: Config, exact: Mapping[str, Floats]) -> Head:
    numbers = config.heads[name]
    unknown = [each for each in numbers if each not in evidence.NUMBERS]
    if unknown:
        raise ModelError(f"the head {name!r} reads {unknown[0]!r}, which is no number here")
    head = Head(numbers, *(exact[f"{name} {field}"] for field in Head._fields[1:]))
    count, outputs, width = len(numbers), len(head.bias), config.width
    shapes = {
        **dict.fromkeys(("centre", "lowest", "highest"), (count,)),
        **{"weights": (count, outputs), "precision": (count, count), "spread": (outputs,)},
        **{"vectors": (2, width, outputs), "middle": (2, width), "usual": (3,), "errors": (2,)},
        "axes": (2, width, head.axes.shape[-1]),
    }
    for field, shape in shapes.items():
        if getattr(head, field).shape != shape:
            raise ModelError(f"the array {name + ' ' + field!r} has not the shape {shape}")
    return head


class Gauge(TrainedMetric):
    """The fitted model, the encoder, and the metrics that it reads with."""

    config: Config
    files: ClassVar[Sequence[str]] = ("config.json", WEIGHTS)
    last = LAST

    def __init__(self, folder: Path, config: Any, name: str = "", encoder: str = "") -> None:
        super().__init__(folder, config, name, encoder)
        self._heads, phrases = _read_model(folder / WEIGHTS, config)
        read = {name: reading(name, encoder) for name in READS}
        for other, metric in read.items():
            if metric.hash != config.reads.get(other):
                raise ModelError(f"{folder}: was fitted to another {other}: train it again")
        self.reader = Reader(read, phrases)

    @property
    def signature(self) -> str:
        """The weights' passport, which has all settings, then the encoder's."""
        ours = signature(self.name, None, "onnxruntime", "tokenizers")
        return f"{ours}|sha256:{self.hash}|encoder:{self.encoder.signature}"

    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """Each dialogue: value, interval, aspects, the judged turns, and what went wrong."""
        read = self.reader.read(dialogues)
        return [self._score(*both) for both in zip(dialogues, read, strict=True)]

    def _score(self, dialogue: Dialogue, shown: "Shown | str") -> Score:
        turns = len(dialogue.turns)
        if isinstance(shown, str):
            return Score(nan, (nan,) * turns, causes=(Cause(turns - 1, shown),))
        if dialogue.level == "turn":
            head, outputs, wide = self._answer(dialogue, shown)
            judged, own = outputs[None], np.arange(len(shown.places)) == len(shown.places) - 1
        else:
            own = shown.facts.read.own
            head = self._heads["partner" if reacts(dialogue, own) else "alone"]
            judged, wide = head.judged(shown.facts, own)
            outputs = judged.mean(axis=0)
        scores = dict(zip(shown.places[own].tolist(), head.share(judged)[:, 0], strict=True))
        low, high = ndtr(outputs[0] + head.errors * wide)
        value, *aspects = head.share(outputs).tolist()
        named = zip(self.config.aspects[: len(aspects)], aspects, strict=True)
        wrong = causes(shown, self.config.named)
        return Score(
            round(value, _DIGITS),
            tuple(round(float(scores.get(at, nan)), _DIGITS) for at in range(turns)),
            {name: round(it, _DIGITS) for name, it in named},
            tuple(cause for cause in wrong if cause.turn in scores),
            (round(float(low), _DIGITS), round(float(high), _DIGITS)),
        )

    def _answer(self, dialogue: Dialogue, shown: "Shown") -> tuple[Head, Floats, float]:
        """What an answer is worth, by which head, and how wide the interval is."""
        read = shown.facts.read
        (outputs,), wide = self._heads["answer"].judged(
            shown.facts, np.arange(len(read.own)) == len(read.own) - 1
        )
        context = read.first(len(read.own) - 1)
        if not context.own.any() or not reacts(dialogue, context.own):
            return self._heads["answer"], outputs, wide
        partner = self._heads["partner"]
        so_far, wider = partner.judged(evidence.Facts(context), context.own)
        outputs = outputs + so_far.mean(axis=0)[: len(outputs)] - partner.bias[: len(outputs)]
        return self._heads["reply"], outputs, max(wide, wider)


class Shown(NamedTuple):
    """What is read of a dialogue, and where in it those turns stand."""

    facts: evidence.Facts
    places: NDArray[np.int64]
    contradicts: frozenset[int]  # turns that are said to


_KINDS: dict[str, tuple[type[msgspec.Struct], type[TrainedMetric]]] = {
    "relevance": (relevance.Config, relevance.Relevance),
    "deam": (deam.Config, deam.Deam),
}


def reading(name: str, encoder: str = "") -> TrainedMetric:
    """One of the metrics that are read."""
    folder = models.find(name)
    models.verify(folder)
    shape, metric = _KINDS[name]
    return metric(folder, models.decode(folder / "config.json", shape), encoder=encoder)


class Reader:
    """Reads dialogues with other metrics, their encoder, and the vectors of phrases."""

    def __init__(self, metrics: Mapping[str, TrainedMetric], phrases: Mapping[str, Floats]) -> None:
        self.metrics, self.phrases = metrics, phrases
        self.encoder = next(iter(metrics.values())).encoder

    def read(self, dialogues: Sequence[Dialogue]) -> Iterator[Shown | str]:
        """What each shows, one after the other; or why nothing can be said of it."""
        said = [each.score(dialogues) for each in self.metrics.values()]
        for each, scores in zip(dialogues, zip(*said, strict=True), strict=True):
            yield self._read(each, scores)

    def _read(self, dialogue: Dialogue, said: Sequence[Score]) -> Shown | str:
        first = max(0, len(dialogue.turns) - LAST)
        texts = [turn.text for turn in dialogue.turns[first:]]
        vectors = self.encoder.vectors(texts).astype(np.float64)
        there = np.flatnonzero(~np.isnan(vectors[:, 0]))
        turns = [dialogue.turns[first + at] for at in there]
        own = np.array([turn.speaker == dialogue.responder for turn in turns], np.bool_)
        if not own.any() or (dialogue.level == "turn" and there[-1] != len(texts) - 1):
            return "says nothing that can be read"
        judged = [turn.text for turn, mine in zip(turns, own, strict=True) if mine]
        if not all(is_english(said, _SURE) for said in ((it.text for it in turns), judged)):
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
        own: Bools,
        scores: Mapping[str, Floats],
    ) -> evidence.Facts:
        texts = [turn.text for turn in turns]
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True).clip(1e-9)
        words = [turn.words for turn in turns]
        names = [turn.speaker for turn in turns]
        return evidence.Facts(evidence.Read(texts, words, unit, names, own, scores, self.phrases))


def reacts(dialogue: Dialogue, own: Bools) -> bool:
    """Whether a person is there whose reactions can be read.

    Of an answer that is to be judged, only where the judged side is called a bot: among people,
    how it went so far says nothing of the answer. A partner who is called a bot, too, is none.
    """
    bots = dialogue.bots
    if len(bots) > 1 or (dialogue.level == "turn" and dialogue.responder not in bots):
        return False
    first = int(own.argmax())
    return bool((~own[first:]).any())


#: What `deam` calls a contradiction.
_OPPOSED = "contradiction"


def causes(shown: Shown, named: Named) -> list[Cause]:
    """What went wrong, at the judged turn that it is about."""
    facts, found = shown.facts, list[tuple[int, str]]()
    own, answers = facts.read.own, facts.answers
    objects, asks_again = facts.like("objects"), facts.like("asks again")
    for at in range(len(own)):
        before = int(facts.before[at])
        if own[at]:
            wrong = {
                "contradicts": shown.places[at] in shown.contradicts,
                "repeats itself": facts.repeats[at],
                "echoes": facts.echoes[at],
                "does not follow": answers[at] < named.stray,
            }
            found += [(at, name) for name, so in wrong.items() if so]
        elif before >= 0:
            reaction = {
                "the partner objects": objects[at] >= named.objects,
                "the partner asks again": asks_again[at] >= named.asks_again or facts.repeats[at],
            }
            found += [(before, name) for name, so in reaction.items() if so]
    return [Cause(int(shown.places[at]), name) for at, name in sorted(set(found))]
