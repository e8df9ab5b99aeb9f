"""Which draft is kept: the one that surprises least, so that a sentence does not give itself away.

How surprising a text is, is asked of the bigrams of the pool's dialogues: that costs microseconds,
and halves what a language model makes of an exchanged word. With an empty pool nothing is known,
and what was drawn first is taken.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from math import log
from weakref import WeakKeyDictionary

from ..pool import Pool
from .graphs import Sheet, Talk

#: How many words of the pool are counted, at most.
_BACKGROUND = 300_000
#: An edit fits when it makes its turn no more surprising than this, in nats by the word,
_SURPRISE = 0.08
#: or no shorter than this, in parts of the turn's beginning by the word (from 25 words to 16).
_SHORT = 0.025
#: or not so many times as long.
_LONG = 1.5
#: Of so many turns that none fits, the best is taken.
_FEW = 3

_TOKENS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[.,!?;]")
START, END = "<s>", "</s>"


class Bigrams:
    """How often words stand beside each other."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._words, self._pairs = Counter[str](), Counter[tuple[str, str]]()
        self._size = 0
        for text in texts:
            words = tokens(text)
            self._words.update(words)
            self._pairs.update(pairwise(words))
            self._size += len(words)
            if self._size > _BACKGROUND:
                break

    def surprise(self, text: str) -> float:
        """-log p of a text by the word, in nats."""
        words = tokens(text)
        return sum(self.step(*pair) for pair in pairwise(words)) / (len(words) - 1)

    def between(self, word: str, before: str, behind: str) -> float:
        """-log p of a word and its successor at a place."""
        return self.step(before, word) + self.step(word, behind)

    def step(self, one: str, other: str) -> float:
        """-log p of a word behind another; what was never seen is taken by its frequency."""
        alone = (self._words[other] + 0.5) / (self._size + 20_000)
        return -log((self._pairs[one, other] + 4 * alone) / (self._words[one] + 4))


def tokens(text: str) -> list[str]:
    """The words and marks of a text between its ends.

    >>> tokens("It's fine.")
    ['<s>', "it's", 'fine', '.', '</s>']
    """
    return [START, *_TOKENS.findall(text.lower()), END]


_KNOWN: "WeakKeyDictionary[Pool, Bigrams]" = WeakKeyDictionary()


def bigrams(pool: Pool) -> Bigrams:
    """Those of a pool's dialogues, counted once."""
    if pool not in _KNOWN:
        _KNOWN[pool] = Bigrams(turn.text for it in pool.dialogues for turn in it.turns)
    return _KNOWN[pool]


#: How much a draft takes away from a turn's fluency; up to 1 it fits.
Measure = Callable[[Sheet], float]


def surprising(talk: Talk, plausible: bool) -> Measure:
    """How much more surprising a turn is than it was at first."""
    if not plausible:
        return anything
    model = bigrams(talk.pool)
    return lambda it: (model.surprise(it.text) - model.surprise(it.original.text)) / _SURPRISE


def shortened(draft: Sheet) -> float:
    """How much more surprising a turn is by the word because it is shorter.

    The first words of a text are the ones that nobody expects.
    """
    now, before = _lengths(draft)
    return (1 / now - 1 / before) / _SHORT


def lengthened(draft: Sheet) -> float:
    """How many times as long a turn is as it was."""
    now, before = _lengths(draft)
    return now / before / _LONG


def _lengths(draft: Sheet) -> list[int]:
    """How many words a turn has, and had at first."""
    return [max(1, len(text.split())) for text in (draft.text, draft.original.text)]


def anything(draft: Sheet) -> float:
    """Whatever can be written fits."""
    return 0.0


def first(drafts: Iterable[Sheet | None]) -> Sheet | None:
    """The first draft that could be written."""
    return next((draft for draft in drafts if draft is not None), None)


def chosen(drafts: Iterable[Sheet], measure: Measure) -> Sheet | None:
    """The first draft that fits, or else the one that fits best."""
    others = list[Sheet]()
    for draft in drafts:
        if measure(draft) <= 1:
            return draft
        others.append(draft)
    return min(others, key=measure, default=None)


def keep(
    talk: Talk, drafts: Iterable[Sheet | None], wanted: int, measure: Measure, few: int = _FEW
) -> int:
    """Keep so many drafts as are wanted, the best of every few, and count them."""
    kept = 0
    for draft, base in _in_order(talk, drafts, measure, few):
        if talk.sheets[draft.at] is base:  # a draft of a turn that was changed since is stale
            talk.sheets[draft.at] = draft
            kept += 1
        if kept == wanted:
            break
    return kept


def _in_order(
    talk: Talk, drafts: Iterable[Sheet | None], measure: Measure, size: int
) -> Iterator[tuple[Sheet, Sheet]]:
    """The drafts and what they are drafts of: of every few the first that fits, or the best.

    The others come last. The order does not depend on how many are taken, which is what makes a
    ladder of it.
    """
    few, last = list[tuple[Sheet, Sheet]](), list[tuple[Sheet, Sheet]]()
    for draft in filter(None, drafts):
        few.append((draft, talk.sheets[draft.at]))
        if len(few) == size or measure(draft) <= 1:
            best = min(few, key=lambda it: measure(it[0]))
            last += [it for it in few if it is not best]
            few = []
            yield best
    yield from sorted(few + last, key=lambda it: measure(it[0]))
