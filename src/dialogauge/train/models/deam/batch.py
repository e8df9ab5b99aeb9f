"""Batches: groups of conversations as tensors, the first of each group as people said it.

Being edited must tell nothing. Turns are said in other words, too (``Mixing``), now and then, and
most often those that are damaged in a form; a group may do without punctuation. All that is the
same in every form of a group, so that a damaged one differs from the first in its broken turns and
in nothing else.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ....metrics.deam import copies
from ...recipe import AtLeastOne, Share
from ...vectors import Ints
from .damage import LEANING, OFTEN
from .rows import Group, Rows, Worse

Floats = NDArray[np.float32]


class Mixing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is drawn of a group."""

    forms: AtLeastOne = 5  # damaged forms, by as many manipulations as there are
    more: Share = 0.5  # how often a form is damaged in one more place, and then in yet another
    again: Share = 0.5  # how often a turn that a form damages is reworded elsewhere
    said: Share = 0.15  # how often any other turn is
    bare: Share = 0.15  # how often a group has no punctuation


class Form(NamedTuple):
    """One conversation of a batch."""

    turns: Ints
    speakers: Ints
    worse: Sequence[Worse]  # what damages it; of several, each in turns of its own
    first: int  # the place of its undamaged form in the batch


class Inputs(NamedTuple):
    """Conversations as tensors: what the network reads, then what it has to say."""

    tokens: Tensor  # (rows, tokens, width): states of tokens; or (rows, tokens): their numbers
    sentences: Tensor  # (rows, turns, width)
    owner: Tensor  # (rows, tokens): the turn that it belongs to, -1 of none
    speakers: Tensor  # (rows, turns), -1 where there is no turn
    counted: Tensor  # (rows, turns, 2)
    changed: Tensor  # (rows, tokens): 1, 0, or -1 where it does not count
    broken: Tensor  # (rows, turns): 1, 0, or -1 where there is no turn
    cause: Tensor  # (rows, turns), -1 of a turn that is not broken
    first: Tensor  # (rows,)

    @property
    def read(self) -> tuple[Tensor, ...]:
        """What the network reads."""
        return tuple(self[:5])


class Source(NamedTuple):
    """Rows, and what is read of some of their texts.

    That is something of each token, one text behind the other, and a vector of each text.
    """

    rows: Rows
    read: Callable[[Sequence[int]], tuple[NDArray[Any], Floats]]


def drawn(
    source: Source, groups: Sequence[int] | Ints, mixing: Mixing, rng: np.random.Generator
) -> Inputs:
    """A batch of some groups, each undamaged and in some damaged forms."""
    every = list[Form]()
    for at in groups:
        every += forms(source.rows, source.rows.groups[at], mixing, rng, len(every))
    return inputs(source, every)


def forms(
    rows: Rows, group: Group, mixing: Mixing, rng: np.random.Generator, first: int = 0
) -> list[Form]:
    """A group undamaged, which will be the ``first`` of its batch, and in some damaged forms."""
    chosen = _some(group, mixing.forms, rng)
    said = _said(group, chosen, mixing, rng)
    every = [Form(said, group.speakers, (), first)]
    every += [_damaged(group, said, each, mixing, rng, first) for each in chosen]
    return [_bare(form, rows) for form in every] if rng.random() < mixing.bare else every


def inputs(source: Source, every: Sequence[Form]) -> Inputs:
    """Conversations as tensors; a text that stands in several of them is read once."""
    texts = sorted({int(text) for form in every for text in form.turns})
    tokens, sentences = source.read(texts)
    page = _Page(source.rows, every, texts)
    for row in range(len(every)):
        page.write(row)
    arrays = (page.owner, page.speakers, page.counted, page.changed, page.broken, page.cause)
    first = np.array([form.first for form in every])
    read = tokens[page.places], sentences[page.texts]
    return Inputs(*map(torch.from_numpy, (*read, *arrays, first)))


class _Page:
    """The padded arrays of a batch, written row by row."""

    def __init__(self, rows: Rows, forms: Sequence[Form], texts: Sequence[int]) -> None:
        self.rows, self.forms = rows, forms
        self._numbers = {text: at for at, text in enumerate(texts)}
        self._starts = np.cumsum([0, *map(rows.length, texts)])
        lengths = [sum(rows.length(text) for text in form.turns) for form in forms]
        tokens = (len(forms), max(lengths))
        turns = (len(forms), max(len(form.turns) for form in forms))
        self.places, self.owner = np.zeros(tokens, np.int64), np.full(tokens, -1)
        self.changed, self.broken = (np.full(it, -1.0, np.float32) for it in (tokens, turns))
        self.speakers, self.cause = np.full(turns, -1), np.full(turns, -1)
        self.texts = np.zeros(turns, np.int64)
        self.counted = np.zeros((*turns, 2), np.float32)

    def write(self, row: int) -> None:
        """Fill one row."""
        form, rows = self.forms[row], self.rows
        own = slice(len(form.turns))
        self.texts[row, own] = [self._numbers[int(text)] for text in form.turns]
        self.speakers[row, own] = form.speakers
        self.broken[row, own] = 0
        self.counted[row, own] = copies(
            [rows.ids(text).tolist() for text in form.turns], form.speakers
        )
        for worse in form.worse:
            self.broken[row, own][worse.broken] = 1
            self.cause[row, own][worse.broken] = worse.cause
        end = 0
        for turn, number in enumerate(self.texts[row, own]):
            places = np.arange(self._starts[number], self._starts[number + 1])
            here = slice(end, end := end + len(places))
            self.places[row, here] = places
            self.owner[row, here], self.changed[row, here] = turn, _marks(form, turn)


def _marks(form: Form, turn: int) -> Floats | float:
    """Which tokens of a turn are changed: none, some, or it does not count."""
    for worse in form.worse:
        if worse.broken[turn]:
            marks = worse.changed.get(turn)
            return -1.0 if marks is None else marks.astype(np.float32)
    return 0.0


def _some(group: Group, forms: int, rng: np.random.Generator) -> list[Worse]:
    """Some damaged forms, by as many manipulations as there are, before a second one of any."""
    by_name = defaultdict[str, list[Worse]](list)
    for at in rng.permutation(len(group.worse)):
        by_name[group.worse[at].name].append(group.worse[at])
    often = np.array([OFTEN.get(name, 1.0) for name in by_name])
    order = np.argsort(rng.exponential(size=len(often)) / often)  # drawn in proportion
    rounds = zip_longest(*(list(by_name.values())[at] for at in order))
    return [each for some in rounds for each in some if each is not None][:forms]


def _said(group: Group, chosen: Sequence[Worse], mixing: Mixing, rng: np.random.Generator) -> Ints:
    """The turns of a group where nothing is broken, some in other words."""
    rates = np.full(len(group.turns), mixing.said)
    again = [each for each in chosen if len(each.turns) == len(rates)]
    for each in again:
        rates[each.broken] = mixing.again
    turns = group.turns.copy()
    for at in np.flatnonzero(rng.random(len(rates)) < rates):
        if len(group.same[at]):
            turns[at] = rng.choice(group.same[at])
    for turn, text in (item for each in again for item in each.instead.items()):
        if rng.random() < mixing.again:
            turns[turn] = text
    return turns


def _damaged(
    group: Group, said: Ints, worse: Worse, mixing: Mixing, rng: np.random.Generator, first: int
) -> Form:
    """A damaged form, perhaps in several places; what nobody rewrote, as the group says it."""
    turns, every = _in_words(worse, group, said), [worse]
    while rng.random() < mixing.more and (other := _another(every, group, rng)):
        turns = np.where(other.broken, other.turns, turns)
        every.append(other)
    return Form(turns, worse.speakers, every, first)


def _in_words(worse: Worse, group: Group, said: Ints) -> Ints:
    """The turns of a form as the group says them, where they stood or wherever they moved to.

    A turn with changed words is what it is, even if somebody else says the same.
    """
    words = dict(zip(group.turns.tolist(), said.tolist(), strict=True))
    turns = [
        text if at in worse.changed else words.get(text, text)
        for at, text in enumerate(worse.turns.tolist())
    ]
    if len(turns) != len(group.turns):
        return np.array(turns)
    return np.where(worse.turns == group.turns, said, turns)


def _bare(form: Form, rows: Rows) -> Form:
    """The same without punctuation."""
    turns = rows.bare[form.turns]
    return form._replace(turns=turns, worse=[_unmarked(each, form, rows) for each in form.worse])


def _unmarked(worse: Worse, form: Form, rows: Rows) -> Worse:
    """Which tokens are changed, where punctuation is left out."""
    changed = {}
    for turn, marks in worse.changed.items():
        whole, left = rows.ids(form.turns[turn]), rows.ids(rows.bare[form.turns[turn]])
        kept = subsequence(left, whole)
        if kept is not None and marks[kept].any():
            changed[turn] = marks[kept]
    return msgspec.structs.replace(worse, changed=changed)


def subsequence(some: Ints, whole: Ints) -> Ints | None:
    """The places in ``whole`` of all that is in ``some``, in order; None if it is not all there.

    >>> subsequence(np.array([5, 7]), np.array([5, 6, 7])).tolist()
    [0, 2]
    """
    places, at = np.zeros(len(some), np.int64), 0
    for number, token in enumerate(some):
        while at < len(whole) and whole[at] != token:
            at += 1
        if at == len(whole):
            return None
        places[number] = at
        at += 1
    return places


def _another(every: Sequence[Worse], group: Group, rng: np.random.Generator) -> Worse | None:
    """One more damage, in turns that are neither broken nor beside one that is."""
    if not _in_place(every[0], group) or LEANING & {each.name for each in every}:
        return None
    near = np.convolve(np.any([each.broken for each in every], axis=0), np.ones(3), "same") > 0
    causes = {each.cause for each in every}
    fitting = [
        each
        for each in group.worse
        if each.cause not in causes
        and each.name not in LEANING
        and _in_place(each, group)
        and not (each.broken & near).any()
    ]
    return fitting[rng.integers(len(fitting))] if fitting else None


def _in_place(worse: Worse, group: Group) -> bool:
    """Whether nothing but the broken turns is other than it was."""
    if len(worse.turns) != len(group.turns):
        return False
    return bool((worse.turns == group.turns)[~worse.broken].all())
