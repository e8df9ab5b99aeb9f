"""Excerpts as numbers: tokens of distinct texts, and conversations as rows of them.

A group is one excerpt: how it was said, and each of its damaged forms. What is the same in all of
them is one text. Each text has a bare one, without punctuation. Of turns that moved, the texts
moved, not the speakers: who speaks when would tell.
"""

from collections.abc import Sequence
from typing import Protocol, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from ....errors import InputError
from ....manipulate.words import bare
from ...vectors import Ints
from .damage import CAUSES, Damaged, Span, cause_of, restated
from .material import Excerpt

_NAMES = tuple(CAUSES)
Bools = NDArray[np.bool_]
T = TypeVar("T")


class Worse(msgspec.Struct, frozen=True):
    """A damaged form of an excerpt."""

    name: str  # the manipulation
    cause: int
    turns: Ints  # places in the texts
    speakers: Ints
    broken: Bools  # of each turn
    changed: dict[int, Bools]  # of broken turns that have changed tokens: which of them
    instead: dict[int, int]  # of some broken turns: what says the same the right way round


class Group(msgspec.Struct, frozen=True):
    """An excerpt as people said it, other words for its turns, and its damaged forms."""

    id: str
    turns: Ints
    speakers: Ints
    same: tuple[Ints, ...]  # of each turn: places of texts that say the same
    worse: tuple[Worse, ...]


class Rows(msgspec.Struct, frozen=True):
    """Distinct texts as tokens, one after the other, and groups of conversations."""

    texts: tuple[str, ...]
    tokens: Ints
    ends: Ints
    groups: tuple[Group, ...]
    bare: Ints  # of each text, the place of the one without punctuation

    def start(self, text: int) -> int:
        """The place of a text's first token."""
        return int(self.ends[text - 1]) if text else 0

    def length(self, text: int) -> int:
        """How many tokens a text has."""
        return int(self.ends[text]) - self.start(text)

    def ids(self, text: int) -> Ints:
        """The tokens of a text."""
        return self.tokens[self.start(text) : self.ends[text]]


class Tokenizing(Protocol):
    """What texts are cut into, special tokens left out; an encoder of ours is one."""

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The numbers of each text's tokens."""

    def spans(self, texts: Sequence[str]) -> list[list[Span]]:
        """The characters of each text's tokens."""


class _Reading:
    """Texts as they are met, each tokenized once; and bare."""

    def __init__(self, tokenizing: Tokenizing) -> None:
        self._tokenizing = tokenizing
        self._places: dict[str, int] = {}

    def place(self, text: str) -> int:
        """The number of a text."""
        return self._places.setdefault(text, len(self._places))

    def marked(self, text: str, spans: Sequence[Span]) -> Bools:
        """Which tokens of a text share a character with a span."""
        offsets = np.array(self._tokenizing.spans([text])[0]).reshape(-1, 2)
        marks = np.zeros(len(offsets), np.bool_)
        for start, end in spans:
            marks |= (offsets[:, 0] < end) & (offsets[:, 1] > start)
        return marks

    def rows(self, groups: Sequence[Group]) -> Rows:
        """All texts that were met, tokenized."""
        said = [bare(text) or text for text in self._places]  # of which nothing is left, as it is
        without = np.array([self.place(text) for text in said], np.int64)
        without = np.concatenate([without, np.arange(len(without), len(self._places))])
        texts = tuple(self._places)
        read = self._tokenizing.ids(texts)
        ends = np.cumsum([len(ids) for ids in read]).astype(np.int64)
        tokens = np.fromiter((token for ids in read for token in ids), np.int64, int(ends[-1]))
        return Rows(texts, tokens, ends, tuple(groups), without)


def make(excerpts: Sequence[Excerpt], tokenizing: Tokenizing) -> Rows:
    """Excerpts that have a damaged form, as rows."""
    damaged = [each for each in excerpts if each.worse]
    if not damaged:
        raise InputError(
            "no excerpt can be damaged: there is nothing to learn",
            field="settings.excerpts",
            remedy="name longer conversations, or let excerpts be shorter (shortest)",
        )
    reading = _Reading(tokenizing)
    return reading.rows([_group(each, reading) for each in damaged])


def spread(some: Sequence[T], most: int) -> list[T]:
    """At most so many, evenly spread.

    >>> spread(range(10), 3)
    [0, 4, 9]
    """
    places = np.linspace(0, len(some) - 1, min(most, len(some)))
    return [some[int(at)] for at in places]


def _group(excerpt: Excerpt, reading: _Reading) -> Group:
    names = dict[str, int]()
    who = [names.setdefault(speaker, len(names)) for speaker, _ in excerpt.turns]
    return Group(
        excerpt.id,
        np.array([reading.place(text) for _, text in excerpt.turns]),
        np.array(who),
        tuple(
            np.array([reading.place(it) for it in texts if bare(it) != bare(text)], np.int64)
            for (_, text), texts in zip(excerpt.turns, excerpt.same, strict=True)
        ),
        tuple(_worse(_in_turn(each, excerpt), names, reading) for each in excerpt.worse),
    )


def _in_turn(damaged: Damaged, excerpt: Excerpt) -> Damaged:
    """What moved, said by who spoke in that place."""
    if damaged.name not in CAUSES["order"] or len(damaged.turns) != len(excerpt.turns):
        return damaged
    places = zip(excerpt.turns, damaged.turns, strict=True)
    turns = tuple((speaker, text) for (speaker, _), (_, text) in places)
    return msgspec.structs.replace(damaged, turns=turns)


def _worse(damaged: Damaged, names: dict[str, int], reading: _Reading) -> Worse:
    broken = np.zeros(len(damaged.turns), np.bool_)
    changed, instead = dict[int, Bools](), dict[int, int]()
    for each in damaged.broken:
        broken[each.turn] = True
        marks = reading.marked(damaged.turns[each.turn][1], each.spans)
        if marks.any():
            changed[each.turn] = marks
        if again := restated(damaged, each):
            instead[each.turn] = reading.place(again)
    return Worse(
        damaged.name,
        _NAMES.index(cause_of(damaged.name)),
        np.array([reading.place(text) for _, text in damaged.turns]),
        np.array([names.setdefault(speaker, len(names)) for speaker, _ in damaged.turns]),
        broken,
        changed,
        instead,
    )
