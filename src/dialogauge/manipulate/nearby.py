"""A response of another dialogue about the same things: on the topic, and beside the point.

A random response is told by its topic. One that speaks of the same people and things is told only
by what it says of them, here and elsewhere: another answer, another opinion, another fact.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from math import log
from random import Random
from weakref import WeakKeyDictionary

from ..dialogue import Dialogue, normalise
from ..language.stopwords import NLTK
from .manipulation import DoesNotApply
from .pool import Pool
from .rewriting import Place

#: Words that stand in more than one turn of so many say little of what it is about.
_COMMON = 50
#: Of the nearest so many one is drawn, and it is at most so many times as long, or as short.
_NEAREST, _LONGER = 5, 2.0
#: It and what it stands for share no more of their words than this, or both may say the same.
_ALIKE = 0.5
#: A turn of so many words that two dialogues share makes them one.
_LONG = 6


class Topics:
    """Which turns of a pool's dialogues, but for the first ones, have a word."""

    def __init__(self, dialogues: Iterable[Dialogue]) -> None:
        self.texts: list[tuple[int, str]] = []  # the dialogue's number, and what is said
        self.dialogues = list(dialogues)
        self._having = defaultdict[str, list[int]](list)
        for number, dialogue in enumerate(self.dialogues):
            for turn in dialogue.turns[1:]:
                for word in _content(turn.text):
                    self._having[word].append(len(self.texts))
                self.texts.append((number, turn.text))

    def nearest(self, text: str) -> list[int]:
        """The turns that share most with a text, rare words counting more, the nearest first."""
        most, near = max(1, len(self.texts) // _COMMON), Counter[int]()
        for word in sorted(_content(text)):
            having = self._having.get(word, ())
            if len(having) <= most:
                weight = log(len(self.texts) / len(having)) if having else 0.0
                for at in having:
                    near[at] += weight  # type: ignore[assignment]
        return sorted(near, key=lambda at: (-near[at], at))


_KNOWN: "WeakKeyDictionary[Pool, Topics]" = WeakKeyDictionary()


def _topics(pool: Pool) -> Topics:
    """Those of a pool, read once."""
    if pool not in _KNOWN:
        _KNOWN[pool] = Topics(pool.dialogues)
    return _KNOWN[pool]


def near_response(place: Place, rng: Random) -> str:
    """A turn of another dialogue that speaks of the same things stands for the response."""
    topics = _topics(place.pool)
    here = {normalise(turn.text) for turn in place.dialogue.turns}
    fitting = list[str]()
    for at in topics.nearest(place.text):
        number, text = topics.texts[at]
        new = normalise(text) not in here and _fits(text, place.text)
        if new and not _is_same(topics.dialogues[number], here):
            fitting.append(text)
            if len(fitting) == _NEAREST:
                break
    if not fitting:
        raise DoesNotApply("the pool says nothing about the same")
    return rng.choice(fitting)


def _fits(text: str, old: str) -> bool:
    """Whether a text is about as long as another, and does not say the same."""
    words, said = _content(text), _content(old)
    size, other = len(text.split()), len(old.split())
    alike = len(words & said) > _ALIKE * min(len(words), len(said))
    return other <= size * _LONGER <= other * _LONGER**2 and not alike


def _is_same(dialogue: Dialogue, texts: set[str]) -> bool:
    """Whether a dialogue has one of some texts that nobody says twice: it is the same one."""
    said = (normalise(turn.text) for turn in dialogue.turns)
    return any(text in texts for text in said if len(text.split()) >= _LONG)


def _content(text: str) -> set[str]:
    """The words of a text that say what it is about."""
    return set(normalise(text).split()) - NLTK
