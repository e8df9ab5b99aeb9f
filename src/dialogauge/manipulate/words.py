"""Edits of the words of one turn, as MaUdE trains with and as ADEM was attacked with.

MaUdE (Sinha et al., 2020) drops, shuffles and repeats words. *Re-evaluating ADEM* (Sai et al.,
2019) changes a response in ways that a reader hardly minds or minds very much, and finds that the
metric cannot tell one from the other. That a reader minds is what ``expect`` says.

Words that are only put in another order are what stands between blanks, as in MaUdE; reversing and
jumbling move signs too, as ADEM's data does. A sign that stands alone is no word: it is not dropped
or repeated, and an order in which only signs moved is no other order. What depends on what a word
*is* stands in :mod:`.grammar`.
"""

import re
from random import Random

import msgspec

from ..sentence.wordlists import lists
from .edited import PIECES
from .manipulation import DoesNotApply
from .permutations import shuffled
from .rewriting import Place


def drop(place: Place, rng: Random) -> str:
    """Words are left out, each with the same probability.

    Where none is left all of them stand in another order, as in the paper.
    """
    words = _several(place.text.split())
    spoken = _spoken(words)
    gone = _half(spoken, rng)
    if len(gone) == len(spoken):
        return order(place, rng)
    return " ".join(word for at, word in enumerate(words) if at not in gone)


def order(place: Place, rng: Random) -> str:
    """The words stand in a random order."""
    return " ".join(_reordered(_several(place.text.split()), rng))


def cut_off(place: Place, rng: Random) -> str:
    """The turn breaks off in the middle of a sentence."""
    start = max(map(re.Match.end, _ENDS.finditer(place.text.rstrip(_MARKS))), default=0)
    words = list(re.finditer(r"\S+", place.text[start:]))
    leading = [word for word in words[1:-1] if word.group().lower() in _LEADING]
    if not leading:
        raise DoesNotApply("its last sentence has no word that promises another")
    return place.text[: start + rng.choice(leading).end()]


#: Where a sentence ends, and what ends one.
_ENDS, _MARKS = re.compile(r"[.!?]\s+"), " .,;:!?"
#: Words behind which something must come.
_LEADING = lists(__file__, "words")["leading"]


def repeat(place: Place, rng: Random) -> str:
    """Random words are said twice."""
    words = _several(place.text.split())
    return _doubled(words, _half(_spoken(words), rng))


def repeat_one(place: Place, rng: Random) -> str:
    """One word is said until the old length is reached: "i have have have".

    That is what the released code of MaUdE does, with the first or second word, while the paper
    repeats random ones.
    """
    words = _several(place.text.split())
    at = rng.randrange(2)
    return " ".join(words[:at] + [words[at]] * (len(words) - at))


def repeat_half(place: Place, rng: Random) -> str:
    """Half of the words are said twice."""
    words = _several(place.text.split())
    spoken = _spoken(words)
    return _doubled(words, set(rng.sample(spoken, len(spoken) // 2)))


def reverse(place: Place, rng: Random) -> str:
    """The words and signs stand in the opposite order."""
    pieces = _several(_SIGNED.findall(place.text))
    spoken = [pieces[at].casefold() for at in _spoken(pieces)]
    if spoken == spoken[::-1]:
        raise DoesNotApply("there is no other order")
    return _spaced(pieces[::-1])


def jumble(place: Place, rng: Random) -> str:
    """The words and signs stand in a random order."""
    return _spaced(_reordered(_several(_SIGNED.findall(place.text)), rng))


def _several(words: list[str]) -> list[str]:
    if len(_spoken(words)) < 2:
        raise DoesNotApply("it has one word only")
    return words


def _spoken(words: list[str]) -> list[int]:
    """The places of words that are not mere signs."""
    return [at for at, word in enumerate(words) if any(map(str.isalnum, word))]


def _half(places: list[int], rng: Random) -> set[int]:
    """Each of the places with a probability of a half, but one at least."""
    return {at for at in places if rng.random() < 0.5} or {rng.choice(places)}


def _reordered(words: list[str], rng: Random) -> list[str]:
    """The words in an order in which not only signs have moved."""
    keys, spoken = [word.casefold() for word in words], dict.fromkeys(_spoken(words))
    before = [keys[at] for at in spoken]
    order = shuffled(keys, rng)
    if [keys[at] for at in order if at in spoken] == before:
        order = list(range(len(words)))
        places = list(spoken)
        for at, was in zip(places, shuffled(before, rng), strict=True):
            order[at] = places[was]
    return [words[at] for at in order]


def _doubled(words: list[str], chosen: set[int]) -> str:
    return " ".join(f"{word} {word}" if at in chosen else word for at, word in enumerate(words))


#: A word with what is inside it (don't, x.com), or signs.
_SIGNED = re.compile(r"[@#$€£]?\w(?:\S*\w)?%?|[^\w\s]+")
_CLOSING = re.compile(r"[.,;:!?…)\]}]+")


def _spaced(pieces: list[str]) -> str:
    """The pieces with blanks between them, but none before a comma or a stop."""
    parts = pieces[:1]
    for piece in pieces[1:]:
        parts += [piece] if _CLOSING.fullmatch(piece) else [" ", piece]
    return "".join(parts)


class Without(msgspec.Struct, frozen=True):
    """The words of a list are left out."""

    words: frozenset[str]
    called: str
    # "not" and "no" are stop words: without them a text may say the opposite, which is not
    # harmless. True passes over texts that would lose one; False takes them, as the paper does.
    sure: bool = True

    @property
    def about(self) -> str:
        """What is left out."""
        return f"The {self.called} are left out."

    def __call__(self, place: Place, rng: Random) -> str:
        """The text without these words."""
        if self.sure and not self.words.isdisjoint(_NEGATIONS) and _NEGATED.search(place.text):
            raise DoesNotApply("it would lose a negation")
        text = "".join(_unlisted(place.text, self.words))
        if len(text) == len(place.text.rstrip()):
            raise DoesNotApply("it has no such word")
        left = rest_of(text, place.text)
        if len(left.split()) < min(2, len(place.text.split()) - 1):
            raise DoesNotApply("too little would be left")
        return left


def rest_of(text: str, whole: str) -> str:
    """What is left of a text, without signs at its start that stood behind a word."""
    left = text.strip() if _SIGN.match(whole) else text.lstrip(" .,;:!?…'’-\t\n").rstrip()
    if not any(map(str.isalnum, left)):
        raise DoesNotApply("no word would be left")
    return left


_SIGN = re.compile(r"[^\w\s]")
#: "Don ’ t" is how some corpora write it.
_NEGATED = re.compile(r"\b(?:no|not|nor|don|\w+n\s?['’]\s?t)\b", re.I)
_NEGATIONS = frozenset({"no", "not", "nor"})
#: On the list as what is left of "it's" or "I'm"; in capitals it is another word: "6 M", "U.S.".
_FRAGMENTS = frozenset("DMOSTY")
_STOPS = frozenset(".,;:!?")


def _unlisted(text: str, words: frozenset[str]) -> list[str]:
    """The pieces of a text without the listed words, the blank before each, and stray signs."""
    kept: list[str] = []
    blank, gone = "", False
    for match in PIECES.finditer(text):
        piece = match[0]
        if piece.isspace():
            blank = piece
            continue
        if piece.lower().replace("’", "'") in words and piece not in _FRAGMENTS:
            gone = True
        elif not (gone and piece in _STOPS and _stray(piece, kept)):
            kept.append(blank + piece)
            gone = False
        blank = ""
    return kept


def _stray(sign: str, kept: list[str]) -> bool:
    """Whether a sign has nothing to close any more; a comma before the gap goes too."""
    last = kept[-1].strip() if kept else ""
    if last in (",", ";", ":"):
        kept.pop()
        return sign == "?"  # what is left was no question
    return last in _STOPS


def lower_case(place: Place, rng: Random) -> str:
    """The turn is written in small letters."""
    if place.text.islower():
        raise DoesNotApply("it has no capital")
    return place.text.lower()


#: Signs of punctuation; one that stands between two letters or digits belongs to the word.
_MARKS = re.escape(".,;:!?\"'`()[]{}-_*/\\~…–—“”‘’«»¡¿、。！？")
_FACE = r"(?<!\S)[:;=]['-]?[DPpOo](?!\S)"
_PUNCTUATION = re.compile(
    rf"(https?://\S+)|{_FACE}|[{_MARKS}]{{2,}}|(?<!\w)[{_MARKS}]|[{_MARKS}](?!\w)"
)


def no_punctuation(place: Place, rng: Random) -> str:
    """The signs of punctuation are left out."""
    left = _unmarked(place.text)
    if left == place.text:
        raise DoesNotApply("it has no such sign")
    if not left.strip():
        raise DoesNotApply("no word would be left")
    return " ".join(left.split())


def bare(text: str) -> str:
    """A text without its signs of punctuation.

    >>> bare("Well, that's it: see https://a.org/?q")
    "Well that's it see https://a.org/?q"
    """
    return " ".join(_unmarked(text).split())


def _unmarked(text: str) -> str:
    return _PUNCTUATION.sub(lambda match: match[1] or " ", text)
