"""A lexicon of English that ships with us: senses, synonyms, antonyms and base forms.

It is an extract of WordNet 3.0 (Princeton University; see ``WORDNET-LICENSE`` beside this file),
made by ``scripts/build_lexicon.py``. WordNet groups words that mean one thing into a *synset*; a
word's *senses* are the synsets it is in, the commonest first. Antonymy holds between words, not
meanings: *rise* is opposed to *fall* in one sense and to *set* in another.

    >>> lexicon = Lexicon.load()
    >>> lexicon.synonyms("quick", "a")[:3]
    ('speedy', 'flying', 'fast')
    >>> lexicon.antonyms("rose", "v")
    ('fall', 'set')
    >>> lexicon.lemmas("mice"), lexicon.lemmas("went")
    (('mouse',), ('go',))

**The file** ``lexicon.zst`` is zstd-packed text: a JSON header, then sections whose lengths in
lines the header gives. A reader skips sections it does not know, so new ones (hypernyms, say) leave
the format at version 1. Lines of a section are numbered from 0; ``_`` stands for a blank.

=========  ==================================================================================
synsets    part of speech (n, v, a, r) and the words: ``n car auto automobile machine motorcar``
senses     a word and its synsets by rank, with how often annotators chose it: ``car 2958:71 ...``
antonyms   synset, word in it, synset, word in it (from 0): a directed link
irregular  part of speech, inflected form, base forms: ``n mice mouse``
=========  ==================================================================================
"""

import json
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

import msgspec

from ..errors import DataError, UnknownNameError

SHA256 = "88301c56f794fd748daf0630336c233e0394c0a0d15bd4413fb991aa22aaa27f"
FILE = Path(__file__).with_name("lexicon.zst")

#: Parts of speech, in the order in which they are tried.
PARTS = {"n": "noun", "v": "verb", "a": "adjective", "r": "adverb"}

#: Endings of regular forms and what stands there in the base form (WordNet's "morphy").
ENDINGS = {
    "n": "s: ses:s ves:f xes:x zes:z ches:ch shes:sh men:man ies:y",
    "v": "s: ies:y es:e es: ed:e ed: ing:e ing:",
    "a": "er: est: er:e est:e",
    "r": "",
}
_ENDINGS = {
    pos: tuple((old, new) for old, _, new in (pair.partition(":") for pair in pairs.split()))
    for pos, pairs in ENDINGS.items()
}


class Sense(msgspec.Struct, frozen=True):
    """One meaning of a word. ``words`` are all that share it, ``antonyms`` this word's own."""

    word: str
    pos: str
    rank: int  # 1 is the commonest of the word's senses of this part of speech
    count: int  # how often annotators chose it in WordNet's sample of texts
    words: tuple[str, ...]
    antonyms: tuple[str, ...]


class Lexicon:
    """Look-up in the shipped lexicon; get it with :meth:`load`.

    Words may be inflected and in any case. ``pos`` (n, v, a, r) narrows to one part of speech; a
    word the lexicon does not know has no senses. Answers come commonest sense first.
    """

    def __init__(self, sections: dict[str, list[str]]) -> None:
        self._synsets = sections["synsets"]
        self._senses = dict(line.split(" ", 1) for line in sections["senses"])
        self._irregular: dict[tuple[str, str], tuple[str, ...]] = {}
        for line in sections["irregular"]:
            pos, form, *bases = line.split()
            self._irregular[pos, form] = tuple(bases)
        self._antonyms: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for line in sections["antonyms"]:
            synset, word, opposite, other = map(int, line.split())
            self._antonyms.setdefault((synset, word), []).append((opposite, other))

    @staticmethod
    @cache
    def load(file: Path = FILE) -> "Lexicon":
        """The lexicon, read at the first call (a fifth of a second) and kept."""
        return Lexicon(_read(file))

    def senses(self, word: str, pos: str | None = None) -> tuple[Sense, ...]:
        """Every sense of a word and of its base forms.

        Within one part of speech in WordNet's order; across several, by how often each is used.
        """
        found = [
            sense
            for part in _parts(pos)
            for form in self._forms(_joined(word), part)
            for sense in self._senses_of(form, part)
        ]
        return tuple(found if pos else sorted(found, key=lambda sense: -sense.count))

    def lemmas(self, word: str, pos: str | None = None) -> tuple[str, ...]:
        """The base forms a word may have, itself among them when it is one.

        >>> Lexicon.load().lemmas("better", "a"), Lexicon.load().lemmas("zzz")
        (('better', 'good', 'well'), ())
        """
        return tuple(dict.fromkeys(sense.word for sense in self.senses(word, pos)))

    def synonyms(self, word: str, pos: str | None = None) -> tuple[str, ...]:
        """Other words for it, those of its commonest sense first."""
        senses = self.senses(word, pos)
        own = {sense.word for sense in senses}
        names = (name for sense in senses for name in sense.words)
        return tuple(dict.fromkeys(name for name in names if name.lower() not in own))

    def antonyms(self, word: str, pos: str | None = None) -> tuple[str, ...]:
        """Its opposites, those of its commonest sense first."""
        names = (name for sense in self.senses(word, pos) for name in sense.antonyms)
        return tuple(dict.fromkeys(names))

    def antonym_links(self) -> Iterator[tuple[str, str, str]]:
        """Every directed link between two words' senses: (word, part of speech, opposite)."""
        for (synset, word), opposites in self._antonyms.items():
            for opposite in opposites:
                yield self._word(synset, word), self._synsets[synset][0], self._word(*opposite)

    def _forms(self, word: str, pos: str) -> Iterator[str]:
        """WordNet's morphy: the word, then what it may be a form of; not all of them are words."""
        bases = self._irregular.get((pos, word))
        if bases is None:
            fitting = ((old, new) for old, new in _ENDINGS[pos] if word.endswith(old))
            bases = tuple(word.removesuffix(old) + new for old, new in fitting)
        yield from dict.fromkeys((word, *bases))

    def _senses_of(self, lemma: str, pos: str) -> list[Sense]:
        """The senses of a base form by rank; none when it is not a word."""
        found: list[Sense] = []
        for field in self._senses.get(lemma, "").split():
            number, _, count = field.partition(":")
            part, *words = self._synsets[int(number)].split()
            if part == pos:
                antonyms = tuple(self._opposites(int(number), words, lemma))
                names, rank = tuple(map(_spaced, words)), len(found) + 1
                found.append(Sense(_spaced(lemma), pos, rank, int(count or 0), names, antonyms))
        return found

    def _opposites(self, synset: int, words: list[str], lemma: str) -> Iterator[str]:
        for index, word in enumerate(words):
            if word.lower() == lemma:
                yield from (self._word(*link) for link in self._antonyms.get((synset, index), ()))

    def _word(self, synset: int, index: int) -> str:
        return _spaced(self._synsets[synset].split()[index + 1])


def _parts(pos: str | None) -> tuple[str, ...]:
    if pos is None:
        return tuple(PARTS)
    if pos not in PARTS:
        raise UnknownNameError("part of speech", pos, PARTS)
    return (pos,)


def _joined(word: str) -> str:
    return "_".join(word.lower().split())


def _spaced(word: str) -> str:
    return word.replace("_", " ")


def _read(file: Path) -> dict[str, list[str]]:
    """The sections of a lexicon file whose sha256 is the one we know."""
    try:
        packed = file.read_bytes()
    except OSError as error:
        raise DataError(f"{file}: cannot read the lexicon: {error.strerror} ({_REMEDY})") from None
    if sha256(packed).hexdigest() != SHA256:
        raise DataError(f"{file}: the lexicon is damaged: its sha256 is wrong ({_REMEDY})")
    from zstandard import ZstdDecompressor

    first, *lines = ZstdDecompressor().decompress(packed).decode("ascii").splitlines()
    sections: dict[str, list[str]] = {}
    for name, length in json.loads(first)["sections"].items():
        sections[name], lines = lines[:length], lines[length:]
    return sections


_REMEDY = "install dialogauge again"
