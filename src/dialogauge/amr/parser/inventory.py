"""What the built-in parser learned by heart: its templates, roles, and the words it has seen.

The inventory is made from the training graphs (:mod:`dialogauge.train.models.amr`) and ships beside
the network as JSON. The network chooses among templates by context; the lexicon says which of them
a known word has had, so that a sense is not taken from another word.
"""

import re
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from ... import models
from .templates import INSIDE, NOTHING, without_negation
from .words import Word

#: What a template that a word was never seen with costs it, in log probability: all of it for a
#: word that was seen KNOWN times or more; and more still if the template is another word's own.
UNSEEN, KNOWN, FOREIGN = 4.0, 4, 6.0
#: How much the share of a template among a word's occurrences counts beside the network.
_TRUST = 0.3
#: What it costs a word to bring nothing: lost nodes are worse than wrong ones.
_SILENT = 0.3
#: What speaks for a negation in a rare word whose rest after *un-* is a known stem.
_NEGATED = 3.0
#: How many words' weights are kept in memory (3 kB each).
_REMEMBERED = 4000
#: Endings and what stands in a stem instead: *quickly* -> *quick*, *decision* -> *decide*.
_ENDINGS = (
    ("ically", "ic"), ("ably", "able"), ("ily", "y"), ("ly", ""), ("ization", "ize"),
    ("isation", "ize"), ("ication", "ify"), ("ation", "ate"), ("ation", "e"), ("ation", ""),
    ("ision", "ide"), ("ition", "ite"), ("ition", ""), ("tion", "te"), ("tion", "t"),
    ("sion", "d"), ("sion", "se"), ("ion", "e"), ("ion", ""), ("iness", "y"), ("ness", ""),
    ("ment", ""), ("ance", ""), ("ence", ""), ("ance", "e"), ("al", ""), ("al", "e"),
    ("ability", "able"), ("ity", ""), ("ity", "e"), ("er", ""), ("er", "e"), ("or", ""),
    ("or", "e"), ("ist", ""), ("ing", ""), ("ing", "e"), ("ed", ""), ("ed", "e"), ("y", ""),
    ("ful", ""), ("less", ""), ("ive", ""), ("ive", "e"), ("s", ""),
)  # fmt: skip

#: The number of the first template that is one: before it are nothing, inside, unknown.
FIRST = 3
_NAMED = re.compile(r"\([a-z-]+ :name NAME\)")
_OWN = re.compile(r"\([LPD](-\d\d)?[ )]|NAME|=NUM")


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """One template a word has had: its number, what D stood for, how often."""

    template: int
    stem: str
    count: int


class Inventory(msgspec.Struct, frozen=True, dict=True):
    """The contents of inventory.json."""

    pos: tuple[str, ...]
    tags: tuple[str, ...]
    deps: tuple[str, ...]
    entities: tuple[str, ...]
    lemmas: tuple[str, ...]
    templates: tuple[str, ...]
    labels: tuple[str, ...]
    modes: tuple[str, ...]
    lexicon: dict[str, tuple[Entry, ...]]
    stems: tuple[str, ...]  # of frames
    spellings: dict[str, str] = {}  # of words of names that are not a capital and small letters

    @classmethod
    def load(cls, path: Path) -> "Inventory":
        """The inventory of a model."""
        return models.decode(path, cls)

    @cached_property
    def numbers(self) -> dict[str, dict[str, int]]:
        """For each list of names, the number of each."""
        lists = ("pos", "tags", "deps", "entities", "lemmas", "templates", "labels", "modes")
        return {name: {each: at for at, each in enumerate(getattr(self, name))} for name in lists}

    @cached_property
    def known_stems(self) -> frozenset[str]:
        """The stems of all frames."""
        return frozenset(self.stems)

    @cached_property
    def productive(self) -> NDArray[np.bool_]:
        """Whether a word that was never seen may have the template: it is not another word's."""
        bare = (NOTHING, INSIDE, "?")
        return np.array([text in bare or bool(_OWN.search(text)) for text in self.templates])

    @cached_property
    def named(self) -> NDArray[np.int64]:
        """The numbers of the templates that are a name and nothing more."""
        return self._where(lambda text: _NAMED.fullmatch(text) is not None)

    @cached_property
    def asking(self) -> NDArray[np.int64]:
        """The numbers of the templates that ask."""
        return self._where(lambda text: "amr-unknown" in text)

    def weights(self, word: Word) -> NDArray[np.float32]:
        """What to add to the network's log probabilities of the templates for one word."""
        alone = word.lemma in self.lexicon or without_negation(word.lemma)
        return self._weighed(word.lemma if alone else "")

    @cached_property
    def _weighed(self) -> Callable[[str], NDArray[np.float32]]:
        return lru_cache(_REMEMBERED)(self._weigh)

    def _weigh(self, lemma: str) -> NDArray[np.float32]:
        counts = np.zeros(len(self.templates), dtype=np.float32)
        for entry in self.lexicon.get(lemma, ()):
            counts[entry.template] += entry.count
        total = counts.sum()
        out = np.full(len(self.templates), -UNSEEN * min(1.0, total / KNOWN), dtype=np.float32)
        out[~self.productive] -= FOREIGN
        out[self.negating] += self._negation(lemma, total)
        seen = counts > 0
        out[seen] = _TRUST * np.log(counts[seen] / total)
        out[:FIRST] = np.maximum(out[:FIRST], -1.0)
        out[0] -= _SILENT
        return out

    @cached_property
    def negating(self) -> NDArray[np.int64]:
        """The numbers of the templates of words that contain a negation."""
        return self._where(lambda text: ":polarity =-" in text)

    def _where(self, fits: Callable[[str], bool]) -> NDArray[np.int64]:
        numbers = [number for number, text in enumerate(self.templates) if fits(text)]
        return np.array(numbers, dtype=np.int64)

    def _negation(self, lemma: str, seen: float) -> float:
        """What a word's form says for or against a negation in it."""
        rests = without_negation(lemma)
        if not rests and not lemma.endswith("less"):
            return -FOREIGN
        likely = lemma.startswith("un") and seen < KNOWN
        is_stem = any(stem in self.known_stems for rest in rests for stem in _stems(rest))
        return _NEGATED if likely and is_stem else 0.0

    def stem(self, word: Word, template: int) -> str:
        """What ``D`` stands for in a word's template."""
        entries = self.lexicon.get(word.lemma, ())
        same = [entry for entry in entries if entry.template == template and entry.stem]
        if having := same or [entry for entry in entries if entry.stem]:
            return max(having, key=lambda entry: entry.count).stem
        negates = ":polarity" in self.templates[template]
        for lemma in (*(without_negation(word.lemma) if negates else ()), word.lemma):
            if stem := next((each for each in _stems(lemma) if each in self.known_stems), ""):
                return stem
        return word.lemma


def _stems(lemma: str) -> Iterator[str]:
    """What a word may be derived from."""
    yield lemma
    for ending, instead in _ENDINGS:
        if lemma.endswith(ending):
            yield lemma.removesuffix(ending) + instead
