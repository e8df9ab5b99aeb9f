"""Baselines that understand nothing: what a metric has to beat.

People like conversations in which the human writes a lot, so a metric may agree with people by
counting words alone. Every evaluation therefore sets these beside the metric.

A *word* is a run of letters and digits, case ignored (:func:`~dialogauge.dialogue.normalise`): thus
"Fine, thanks!" and the tokenised "fine , thanks !" have two words each, and emoji have none.
"""

import math
from collections.abc import Iterator
from hashlib import blake2b
from itertools import chain

import msgspec

from ..dialogue import Dialogue
from ..scores import Score
from .functions import NAN, FunctionMetric, by_dialogue, by_turn
from .metric import signature


def words_per_turn() -> FunctionMetric:
    """Words in each turn; of a dialogue, their mean."""
    return by_turn("words-per-turn", lambda dialogue: (len(turn.words) for turn in dialogue.turns))


def words_per_human_turn() -> FunctionMetric:
    """Mean words in the turns of everyone but the judged side."""

    def mean(dialogue: Dialogue) -> float:
        responder = dialogue.responder
        lengths = [len(turn.words) for turn in dialogue.turns if turn.speaker != responder]
        return sum(lengths) / len(lengths) if lengths else NAN

    return by_dialogue("words-per-human-turn", mean)


def turn_count() -> FunctionMetric:
    """How many turns there are."""
    return by_dialogue("turn-count", lambda dialogue: len(dialogue.turns))


def distinct_1() -> FunctionMetric:
    """Different words as a share of all words, in the dialogue and in each turn."""
    return _distinct(1)


def distinct_2() -> FunctionMetric:
    """Different word pairs as a share of all pairs, in the dialogue and in each turn."""
    return _distinct(2)


def _distinct(n: int) -> FunctionMetric:
    """Distinct-n (Li et al., 2016). The dialogue's value pools the n-grams of its turns.

    That is not the mean of the turns: a bot that repeats one varied sentence is not varied.
    """

    def score(dialogue: Dialogue) -> Score:
        grams = [_ngrams(turn.words, n) for turn in dialogue.turns]
        pooled = list(chain.from_iterable(grams))
        return Score(_distinct_share(pooled), tuple(map(_distinct_share, grams)))

    name = f"distinct-{n}"
    return FunctionMetric(name, signature(name), score)


def _ngrams(words: list[str], n: int) -> list[tuple[str, ...]]:
    return list(zip(*(words[start:] for start in range(n)), strict=False))


def _distinct_share(grams: list[tuple[str, ...]]) -> float:
    return len(set(grams)) / len(grams) if grams else NAN


def context_overlap() -> FunctionMetric:
    """Share of a turn's words that were said before; of a dialogue, the mean turn."""
    return by_turn("context-overlap", _context_overlap)


def _context_overlap(dialogue: Dialogue) -> Iterator[float]:
    """NaN for the first turn, which has no context, and for turns without words."""
    seen: set[str] = set()
    for index, turn in enumerate(dialogue.turns):
        words = turn.words
        yield sum(word in seen for word in words) / len(words) if index and words else NAN
        seen.update(words)


class Chance(msgspec.Struct, frozen=True):
    """Settings of :func:`random`."""

    seed: int = 0


def random(settings: Chance | None = None) -> FunctionMetric:
    """A number from 0 to 1 that depends on nothing but the text and a seed."""
    settings = settings or Chance()

    def score(dialogue: Dialogue) -> Score:
        text = f"{settings.seed} {dialogue.digest}"
        return Score(_draw(text), tuple(_draw(f"{text} {i}") for i in range(len(dialogue.turns))))

    return FunctionMetric("random", signature("random", settings), score)


def _draw(text: str) -> float:
    """Uniform on [0, 1): the first 53 bits of a hash, as many as a float holds."""
    bits = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") >> 11
    return math.ldexp(bits, -53)
