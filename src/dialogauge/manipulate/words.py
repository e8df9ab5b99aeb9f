"""Edits of the words of one turn, as MaUdE trains with and as ADEM was attacked with.

MaUdE (Sinha et al., 2020) makes bad responses out of good ones by dropping, shuffling and repeating
words. *Re-evaluating ADEM* (Sai et al., 2019) changes a response in ways that a reader hardly
minds (no punctuation, no stop words, other words for the same) or minds very much (only the nouns,
the words backwards) and finds that the metric cannot tell one from the other. That a reader minds
is what ``expect`` says.

Words that are only put in another order are what stands between blanks, as in MaUdE; reversing and
jumbling take signs for words too, as ADEM's data does. What depends on what a word *is* asks the
pipeline of :mod:`..language`.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

import msgspec

from ..language import stopwords
from .manipulation import DoesNotApply, Expect, Manipulation
from .orders import shuffled
from .rewriting import Place, Rewrite, Rewriting

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

    from ..language import Lexicon, Pipeline, Sense

#: The longest text that is tagged for an edit, in characters: some seconds of work.
LONGEST = 100_000


class Drop(msgspec.Struct, frozen=True):
    """Words are left out, each with the same probability."""

    p: float = 0.5

    def __call__(self, place: Place, rng: Random) -> str:
        """The words that are left; where none is, as in the paper, all of them in another order."""
        words = _several(place.text)
        kept = [word for word in words if rng.random() >= self.p]
        if len(kept) == len(words):
            del kept[rng.randrange(len(kept))]
        return " ".join(kept) if kept else order(place, rng)


def order(place: Place, rng: Random) -> str:
    """The words stand in a random order."""
    words = _several(place.text)
    return " ".join(words[at] for at in shuffled([word.casefold() for word in words], rng))


class Repeat(msgspec.Struct, frozen=True):
    """Random words are said twice."""

    p: float = 0.5
    # The paper repeats random words. The released code takes the first or second word, keeps what
    # is before it and says it until the old length is reached: "i have have have".
    prefix: bool = False

    def __call__(self, place: Place, rng: Random) -> str:
        """The words with some repeated."""
        words = _several(place.text)
        if self.prefix:
            at = rng.randrange(2)
            return " ".join(words[:at] + [words[at]] * (len(words) - at))
        chosen = {at for at in range(len(words)) if rng.random() < self.p}
        return _doubled(words, chosen or {rng.randrange(len(words))})


def repeat_half(place: Place, rng: Random) -> str:
    """Half of the words are said twice."""
    words = _several(place.text)
    return _doubled(words, set(rng.sample(range(len(words)), len(words) // 2)))


def reverse(place: Place, rng: Random) -> str:
    """The words and signs stand in the opposite order."""
    return _spaced(_signed(place.text)[::-1])


def jumble(place: Place, rng: Random) -> str:
    """The words and signs stand in a random order."""
    pieces = _signed(place.text)
    return _spaced([pieces[at] for at in shuffled([it.casefold() for it in pieces], rng)])


def _several(text: str) -> list[str]:
    words = text.split()
    if len(words) < 2:
        raise DoesNotApply("it has one word only")
    return words


def _doubled(words: list[str], chosen: set[int]) -> str:
    return " ".join(f"{word} {word}" if at in chosen else word for at, word in enumerate(words))


#: A word with what is inside it (don't, x.com), or signs.
_SIGNED = re.compile(r"[@#$€£]?\w(?:\S*\w)?%?|[^\w\s]+")
_CLOSING = re.compile(r"[.,;:!?…)\]}]+")


def _signed(text: str) -> list[str]:
    pieces = _SIGNED.findall(text)
    if len(pieces) < 2:
        raise DoesNotApply("it has one word only")
    return pieces


def _spaced(pieces: list[str]) -> str:
    """The pieces with blanks between them, but none before a comma or a stop."""
    parts = pieces[:1]
    for piece in pieces[1:]:
        parts += [piece] if _CLOSING.fullmatch(piece) else [" ", piece]
    return "".join(parts)


class Without(msgspec.Struct, frozen=True):
    """The words of a list are left out."""

    words: frozenset[str]
    told: str

    @property
    def about(self) -> str:
        """What is left out."""
        return self.told

    def __call__(self, place: Place, rng: Random) -> str:
        """The text without these words."""
        text = "".join(_unlisted(place.text, self.words))
        if len(text) == len(place.text.rstrip()):
            raise DoesNotApply("it has no such word")
        return _rest(text, place.text)


def _rest(text: str, whole: str) -> str:
    """What is left of a text, without signs at its start that stood behind a word."""
    left = text.strip() if _SIGN.match(whole) else text.lstrip(" .,;:!?…'’-\t\n").rstrip()
    if not any(map(str.isalnum, left)):
        raise DoesNotApply("no word would be left")
    return left


_SIGN = re.compile(r"[^\w\s]")


_PIECES = re.compile(r"\s+|[^\W_]+(?:['’][^\W_]+)*|.", re.DOTALL)


def _unlisted(text: str, words: frozenset[str]) -> Iterator[str]:
    """The pieces of a text without the listed words and the blank before each."""
    blank = ""
    for found in _PIECES.finditer(text):
        piece = found[0]
        if piece.isspace():
            blank = piece
            continue
        if piece.lower().replace("’", "'") not in words:
            yield blank + piece
        blank = ""


#: Signs of punctuation; one that stands between two letters or digits belongs to the word.
_MARKS = re.escape(".,;:!?\"'`()[]{}-_*/\\~…–—“”‘’«»¡¿、。！？")
_PUNCTUATION = re.compile(rf"(https?://\S+)|[{_MARKS}]{{2,}}|(?<!\w)[{_MARKS}]|[{_MARKS}](?!\w)")


def no_punctuation(place: Place, rng: Random) -> str:
    """The signs of punctuation are left out."""
    bare = _PUNCTUATION.sub(lambda found: found[1] or " ", place.text)
    if bare == place.text:
        raise DoesNotApply("it has no such sign")
    if not bare.strip():
        raise DoesNotApply("no word would be left")
    return " ".join(bare.split())


def tagger() -> "Pipeline":
    """The pipeline that ships, one per process; it remembers texts: ``pipe`` many beforehand."""
    from ..language import shared

    return shared()


def tagged(text: str) -> "Doc":
    """What a text consists of."""
    if len(text) > LONGEST:
        raise DoesNotApply("it is too long to tag")
    return tagger()(text)


class Only(msgspec.Struct, frozen=True):
    """Only words of some parts of speech are left."""

    tags: tuple[str, ...]  # how the Penn tags of such words begin
    told: str

    @property
    def about(self) -> str:
        """What is left."""
        return self.told

    def __call__(self, place: Place, rng: Random) -> str:
        """These words; the parts of a contraction stay together where both are left."""
        kept = [word for word in tagged(place.text) if word.tag_.startswith(self.tags)]
        if not any(sign.isalnum() for word in kept for sign in word.text):
            raise DoesNotApply("no word would be left")
        parts = [kept[0].text]
        for word, following in pairwise(kept):
            joined = following.i == word.i + 1 and not word.whitespace_
            parts += [following.text] if joined else [" ", following.text]
        return "".join(parts)


def no_entities(place: Place, rng: Random) -> str:
    """The names of people, places, works and the like are left out."""
    document = tagged(place.text)
    named = [word.i for word in document if word.ent_type_ or _owned(word)]
    if not named:
        raise DoesNotApply("it has no such word")
    from ..amr.draft import Draft

    draft = Draft(document.text, document)
    draft.clear(named)
    return _rest(draft.written()[0], place.text)


def _owned(word: "Token") -> bool:
    """Whether a word is the 's behind a name."""
    return bool(word.tag_ == "POS" and word.i and word.nbor(-1).ent_type_)


class Synonyms(msgspec.Struct, frozen=True):
    """Words that carry the content are said with other words for the same."""

    # The paper puts a synonym for every word that has one, whatever sense it is a synonym in. That
    # is not harmless ("music" becomes "euphony"), so only words are taken that mean mostly one
    # thing, and for them a word that means mostly that thing too. False is the paper's rule.
    sure: bool = True

    def __call__(self, place: Place, rng: Random) -> str:
        """The text in other words, each in the form of the one it stands for."""
        from ..amr.draft import Draft
        from ..language.inflection import Form, inflect

        document = tagged(place.text)
        draft = Draft(document.text, document)
        found = {word: self._other(word) for word in document if _has_content(word)}
        if not any(found.values()):
            raise DoesNotApply("it has no such word")
        for word, other in found.items():
            if other:
                draft.words[word.i] = inflect(other, Form.of(word))
        return draft.written()[0]

    def _other(self, word: "Token") -> str | None:
        find = equivalent if self.sure else likeliest
        other = find(word.lemma_.lower(), _PARTS[word.tag_[0]])
        return None if other is None or _beside(word, other) else other


def _beside(word: "Token", found: str) -> bool:
    """Whether the other word stands there already: "roughly about"."""
    return any(near.lower_ == found for near in word.doc[max(0, word.i - 2) : word.i + 3])


_PARTS = {"N": "n", "V": "v", "J": "a", "R": "r"}
#: Words with a grammar of their own: "let's", "going to", "used to", "the one".
_STIFF_WORDS = "be do have go let use one well need want like get make keep kind sort"
_STIFF = frozenset(_STIFF_WORDS.split())


def _has_content(word: "Token") -> bool:
    """Whether a word names something that another word can name, and is nobody's name."""
    if word.tag_[:1] not in _PARTS or word.tag_ in ("NNP", "NNPS", "RP") or word.ent_type_:
        return False
    plain = word.lower_ not in stopwords.NLTK and word.lemma_.lower() not in _STIFF
    alone = word.dep_ not in ("compound", "fixed", "flat", "compound:prt", "aux", "cop")
    return plain and alone and not any(it.dep_ in _JOINED for it in word.children)


_JOINED = frozenset({"compound:prt", "fixed", "flat", "compound"})


@lru_cache(maxsize=20_000)
def equivalent(word: str, part: str) -> str | None:
    """A word for the same that can hardly be taken for anything else.

    >>> equivalent("movie", "n"), equivalent("buy", "v"), equivalent("music", "n")
    ('film', 'purchase', None)
    """
    meaning = _meaning(word, part)
    if meaning is None:
        return None
    own = set(_lexicon().lemmas(word, part))
    fit = [
        (other.count, name)
        for name in meaning.words
        if name.isalpha() and name.islower() and len(name) > 3 and name not in own
        if (other := _meaning(name, part)) and other.synset == meaning.synset
        if other.count >= max(4, meaning.count / 5)  # what is rare stands out
    ]
    return max(fit)[1] if fit else None


def _meaning(word: str, part: str) -> "Sense | None":
    """The sense that a word has more often than all others together."""
    senses = _lexicon().senses(word, part)
    often = senses and 2 * senses[0].count >= sum(sense.count for sense in senses)
    return senses[0] if often else None


@lru_cache(maxsize=20_000)
def likeliest(word: str, part: str) -> str | None:
    """The first of all synonyms, of whatever sense."""
    return next(iter(_lexicon().substitutes(word, part)), None)


def _lexicon() -> "Lexicon":
    from ..language.lexicon import Lexicon

    return Lexicon.load()


_ADEM = "ADEM re-evaluation"
_ROWS: tuple[tuple[str, Rewrite, Expect, str], ...] = (
    ("word-drop", Drop(), "lower", "MaUdE"),
    ("word-order", order, "lower", "MaUdE"),
    ("word-repeat", Repeat(), "lower", "MaUdE"),
    ("reverse", reverse, "lower", _ADEM),
    ("jumble", jumble, "lower", _ADEM),
    ("repeat-half", repeat_half, "lower", _ADEM),
    (
        "nouns-pronouns-verbs",
        Only(("NN", "PRP", "WP", "VB"), "Only nouns, pronouns and verbs are left."),
        "lower",
        _ADEM,
    ),
    ("only-nouns", Only(("NN",), "Only nouns are left."), "lower", _ADEM),
    ("no-entities", no_entities, "same", _ADEM),
    # Readers forgave this one: 4.2 of 5 on average, though "not" is on the list.
    (
        "no-stopwords",
        Without(stopwords.NLTK, "The 179 stop words of NLTK are left out."),
        "same",
        _ADEM,
    ),
    (
        "no-25-stopwords",
        Without(stopwords.ADEM, "The 25 commonest stop words are left out."),
        "same",
        _ADEM,
    ),
    ("no-punctuation", no_punctuation, "same", _ADEM),
    ("synonyms", Synonyms(), "same", _ADEM),
)

#: Edits of the words of a turn.
WORDS = tuple(
    Manipulation(name, Rewriting(name, rewrite), expect, source)
    for name, rewrite, expect, source in _ROWS
)
#: Those of them that need the extra ``language``.
TAGGED = frozenset({"nouns-pronouns-verbs", "only-nouns", "no-entities", "synonyms"})
