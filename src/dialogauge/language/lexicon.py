"""A lexicon of English that ships with us: senses, synonyms, antonyms, kinds and base forms.

It is an extract of WordNet 3.0 (Princeton University; see ``WORDNET-LICENSE`` beside this file),
made by ``scripts/build_lexicon.py``. WordNet groups words that mean one thing into a *synset*; a
word's *senses* are the synsets it is in, the commonest first. Antonymy holds between words, not
meanings: *rise* is opposed to *fall* in one sense and to *set* in another. Above a synset is what
it is a kind of (a *dog* is a *canine*), the class of an instance (*Paris* is a *national capital*)
or, for an adjective, the head of its cluster: *quick* has no antonym of its own, but its head
*fast* has.

    >>> lexicon = Lexicon.load()
    >>> lexicon.synonyms("quick", "a")[:3]
    ('speedy', 'flying', 'fast')
    >>> lexicon.antonyms("rose", "v")
    ('fall', 'set')
    >>> lexicon.antonyms("quick", "a"), lexicon.antonyms("quick", "a", indirect=True)
    ((), ('slow', 'unhurried', 'inactive', 'unintelligent', 'unexcitable'))
    >>> lexicon.of_same_kind("dog")[:2], lexicon.of_same_kind("Monday", level=1)[:2]
    (('cat', 'fox'), ('Saturday', 'Friday'))
    >>> lexicon.lemmas("mice"), lexicon.lemmas("went")
    (('mouse',), ('go',))

**The file** ``lexicon.zst`` is zstd-packed text: a JSON header, then sections whose lengths in
lines the header gives. A reader skips sections it does not know, so new ones leave the format at
version 1. Lines of a section are numbered from 0; ``_`` stands for a blank.

=========  ==================================================================================
synsets    part of speech (n, v, a, r) and the words: ``n car auto automobile machine motorcar``
senses     a word and its synsets by rank, with how often annotators chose it: ``car 2958:71 ...``;
           sorted, so that a word is found by bisection and the file is ready when it is read
antonyms   synset, word in it, synset, word in it (from 0): a directed link
irregular  part of speech, inflected form, base forms: ``n mice mouse``
above      a line per synset: its hypernyms, classes or head; most have one, some none
=========  ==================================================================================
"""

import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from itertools import islice
from pathlib import Path

import msgspec

from ..errors import DataError, UnknownNameError

SHA256 = "b52d335fcdb4dc63600abd70717ea86f96b4c244ca0c3b6ec44a05aa28ebe21d"
FILE = Path(__file__).with_name("lexicon.zst")

#: Parts of speech, in the order in which they are tried.
PARTS = {"n": "noun", "v": "verb", "a": "adjective", "r": "adverb"}

#: Endings of regular forms and what stands there in the base form (WordNet's "morphy").
_ENDINGS = {
    pos: [pair.split(":") for pair in pairs.split()]
    for pos, pairs in {
        "n": "s: ses:s ves:f xes:x zes:z ches:ch shes:sh men:man ies:y",
        "v": "s: ies:y es:e es: ed:e ed: ing:e ing:",
        "a": "er: est: er:e est:e",
        "r": "",
    }.items()
}

#: How many words' senses are remembered: more than a conversation has, less than a corpus.
_REMEMBERED = 50_000


class Sense(msgspec.Struct, frozen=True):
    """One meaning of a word. ``words`` are all that share it, ``antonyms`` this word's own."""

    word: str
    pos: str
    rank: int  # 1 is the commonest of the word's senses of this part of speech
    count: int  # how often annotators chose it in WordNet's sample of texts
    words: tuple[str, ...]
    antonyms: tuple[str, ...]
    synset: int  # the number of the meaning: senses that share it are synonyms


class Lexicon:
    """Look-up in the shipped lexicon; get it with :meth:`load`.

    Words may be inflected and in any case. ``pos`` (n, v, a, r) narrows to one part of speech; a
    word the lexicon does not know has no senses. Answers come commonest sense first.
    """

    def __init__(self, sections: dict[str, list[str]]) -> None:
        self._synsets = sections["synsets"]
        self._senses = sections["senses"]
        self._above = sections["above"]
        self._senses_of = lru_cache(_REMEMBERED)(self._look_up)
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
        """The lexicon, read at the first call (a seventh of a second) and kept."""
        return Lexicon(_read(file))

    def senses(self, word: str, pos: str | None = None) -> tuple[Sense, ...]:
        """Every sense of a word and of its base forms.

        Within one part of speech in WordNet's order; across several, by how often each is used.
        """
        senses = [
            sense
            for part in _parts(pos)
            for form in self._forms(_joined(word), part)
            for sense in self._senses_of(form, part)
        ]
        return tuple(senses if pos else sorted(senses, key=lambda sense: -sense.count))

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

    def substitutes(self, word: str, pos: str | None = None) -> tuple[str, ...]:
        """Its synonyms, the one most likely to be said in its place first.

        The rank is the chance that the word has a sense times the chance that this sense is said
        with the other word, both from how often annotators chose them.

        >>> Lexicon.load().synonyms("begin", "v")[:3], Lexicon.load().substitutes("begin", "v")[:3]
        (('get down', 'get', 'start out'), ('start', 'commence', 'set out'))
        """
        senses = self.senses(word, pos)
        own = {sense.word for sense in senses}
        scores = defaultdict[str, float](float)
        for sense in senses:
            uses = {name: self._use(name, sense.synset) for name in sense.words}
            for name in uses.keys() - own:
                scores[name] += (sense.count + 1 / sense.rank) * uses[name] / sum(uses.values())
        others = [name for name in scores if name.lower() not in own]
        return tuple(sorted(others, key=lambda name: (-scores[name], name)))

    def antonyms(
        self, word: str, pos: str | None = None, *, indirect: bool = False
    ) -> tuple[str, ...]:
        """Its opposites, those of its commonest sense first.

        ``indirect`` adds, behind them, the opposites of its synonyms and of the adjective that
        heads its cluster.
        """
        senses = self.senses(word, pos)
        names = [name for sense in senses for name in sense.antonyms]
        if indirect:
            names += [name for sense in senses for name in self._indirect(sense)]
        return tuple(dict.fromkeys(names))

    def of_same_kind(self, word: str, pos: str = "n", level: int = 2) -> tuple[str, ...]:
        """Something else of the same kind as the word in its commonest sense, the commonest first.

        ``level`` is how far up the common kind may be: at 1 a *dog* has the other canines beside
        it, at 2 the *cat* as another carnivore. Words whose own commonest sense is another are left
        out, and so are names beside plain words. For adjectives, whose kind is their cluster, the
        answers are mostly near in meaning.
        """
        senses = self.senses(word, pos)
        if not senses:
            return ()
        above, kin = {senses[0].synset}, set[int]()
        line = set(above)  # of descent: what the word is itself a kind of
        for steps in range(1, level + 1):
            above = {parent for synset in above for parent in self._parents(synset)}
            line |= above
            kin |= self._descendants(above, steps)
        own = {name.lower() for sense in senses for name in sense.words}
        proper = senses[0].word not in senses[0].words  # it is there in capitals
        names = self._commonest(kin - line, pos)
        fit = (name for name in names if name[0].isupper() == proper)
        return tuple(name for name in fit if name.lower() not in own)

    def below(self, word: str, pos: str = "n") -> tuple[str, ...]:
        """Everything that is a kind or an instance of the word in its commonest sense.

        Words whose own commonest sense is another are left out; the commonest come first.

        >>> Lexicon.load().below("weekday")[:3], "Lima" in Lexicon.load().below("location")
        (('Monday', 'Saturday', 'Friday'), True)
        """
        reached, edge = set[int](), {sense.synset for sense in self.senses(word, pos)[:1]}
        while edge:
            edge = self._descendants(edge, 1) - reached
            reached |= edge
        return self._commonest(reached, pos)

    def _forms(self, word: str, pos: str) -> Iterator[str]:
        """WordNet's morphy: the word, then what it may be a form of; not all of them are words."""
        bases = self._irregular.get((pos, word))
        if bases is None:
            fitting = ((old, new) for old, new in _ENDINGS[pos] if word.endswith(old))
            bases = tuple(word.removesuffix(old) + new for old, new in fitting)
        yield from dict.fromkeys((word, *bases))

    def _look_up(self, lemma: str, pos: str) -> list[Sense]:
        """The senses of a base form by rank; none when it is not a word."""
        senses: list[Sense] = []
        for rank, (synset, count) in enumerate(self._ranked(lemma, pos), 1):
            words = self._synsets[synset].split()[1:]
            places = (place for place, word in enumerate(words) if word.lower() == lemma)
            antonyms = tuple(name for place in places for name in self._opposed(synset, place))
            names = tuple(map(_spaced, words))
            senses.append(Sense(_spaced(lemma), pos, rank, count, names, antonyms, synset))
        return senses

    def _ranked(self, lemma: str, pos: str) -> list[tuple[int, int]]:
        """The synsets of a base form by rank, with its count in each."""
        key = lemma + " "
        place = bisect_left(self._senses, key)
        if place == len(self._senses) or not self._senses[place].startswith(key):
            return []
        fields = (field.partition(":") for field in self._senses[place].split()[1:])
        uses = ((int(number), int(count or 0)) for number, _, count in fields)
        return [use for use in uses if self._synsets[use[0]][0] == pos]

    def _use(self, name: str, synset: int) -> float:
        """How much a synset is said with a word: its count, and where it has none its rank."""
        ranked = enumerate(self._ranked(_joined(name), self._synsets[synset][0]), 1)
        uses = (count + 1 / rank for rank, (number, count) in ranked if number == synset)
        return next(uses, 0.0)

    def _indirect(self, sense: Sense) -> Iterator[str]:
        """The opposites of a sense's synonyms, then of its head's."""
        heads = self._parents(sense.synset) if sense.pos == "a" else []
        for synset in (sense.synset, *heads):
            for index in range(len(self._synsets[synset].split()) - 1):
                yield from self._opposed(synset, index)

    def _parents(self, synset: int) -> list[int]:
        return [int(number) for number in self._above[synset].split()]

    @cached_property
    def _children(self) -> dict[int, list[int]]:
        """The synsets below each; turned round when first asked for."""
        children = defaultdict[int, list[int]](list)
        for synset, line in enumerate(self._above):
            for parent in line.split():
                children[int(parent)].append(synset)
        return dict(children)

    def _descendants(self, synsets: set[int], steps: int) -> set[int]:
        for _ in range(steps):
            synsets = {child for above in synsets for child in self._children.get(above, ())}
        return synsets

    def _commonest(self, synsets: Iterable[int], pos: str) -> tuple[str, ...]:
        """The words whose commonest sense is one of these, the most chosen first."""
        uses = [
            (-count, _spaced(name))
            for synset in synsets
            for name in self._synsets[synset].split()[1:]
            for first, count in self._ranked(name.lower(), pos)[:1]
            if first == synset
        ]
        return tuple(dict.fromkeys(name for _, name in sorted(uses)))

    def _opposed(self, synset: int, index: int) -> Iterator[str]:
        """The opposites of one word of a synset."""
        for other, place in self._antonyms.get((synset, index), ()):
            yield _spaced(self._synsets[other].split()[place + 1])


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

    lines = iter(ZstdDecompressor().decompress(packed).decode("ascii").splitlines())
    lengths = json.loads(next(lines))["sections"]
    return {name: list(islice(lines, length)) for name, length in lengths.items()}


_REMEDY = "install dialogauge again"
