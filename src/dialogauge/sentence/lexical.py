"""The word for a concept in the place of another word: part of speech, form, particle.

A concept has no part of speech (``discuss-01`` is "discussed" and "discussion"), a place in a
sentence has: what goes there must be a word that English has of that class, or be derived from one
by a common suffix that gives a known word. Else there is no word for it: None.

    >>> from ..language.inflection import Form
    >>> worded("discuss-01", Form("won", "VBD")).word, worded("discuss-01", Form("talk", "NN")).word
    ('discussed', 'discussion')
    >>> worded("give-up-08", Form("stops", "VBZ"))
    Wording(word='gives', lemma='give', particle='up')
    >>> worded("happy", Form("runs", "VBZ")) is None
    True
"""

import re
from functools import lru_cache

import msgspec

from ..language.concept_names import is_frame, lemma
from ..language.inflection import Form, inflect
from ..language.lexicon import Lexicon
from .wordlists import lists

_WORDS = lists(__file__, "lexical")
PARTICLES, UNCOUNTABLE = _WORDS["particles"], _WORDS["uncounted"]
MASS = UNCOUNTABLE | _WORDS["both"]
_CLOSED = tuple(lists(__file__, "closed").values())
#: Suffixes of nouns: of those who do, and of what is done or is so; the commonest first.
_DOERS = ("er", "or", "ist")
_DEEDS = ("ion", "ation", "ment", "ance", "ence", "al", "ure", "ness", "ity")
#: How often a verb must be a noun to be one as it is.
_USED = 10

_CLASSES = {"NN": "n", "VB": "v", "JJ": "a", "RB": "r"}
_SPECIAL = re.compile(
    r".+-9\d|.+-(?:quantity|entity)|.*(\w)\1\1.*|amr-.+|\w|.*[^\w'’.-].*|\W+|multi-sentence|and|or|name"
)
_SMALL = "zero one two three four five six seven eight nine ten eleven twelve"


class Wording(msgspec.Struct, frozen=True):
    """A word in its form, its lemma, and the particle of a verb."""

    word: str
    lemma: str
    particle: str = ""


def worded(concept: str, like: Form) -> Wording | None:
    """A concept in the form and class of another word; None if there is no word for it."""
    place = _CLASSES.get(like.tag[:2])
    if place is None or _SPECIAL.fullmatch(concept) or concept in _WORDS["loose"]:
        return None
    head, particle = parted(concept)
    head = _listed(head, "v" if is_frame(concept) else "n")
    old = like.text.lower()
    if old in _WORDS["loose"] or (like.tag == "NNS" and head in UNCOUNTABLE):
        return None
    if (particle and place != "v") or not _exchangeable(old, head, place):
        return None
    if place == "n" and head[0].isupper():
        return Wording(inflect(head, like) if like.tag in ("NNS", "NNPS") else head, head)
    derived = _derived(head, is_frame(concept), place, like)
    return derived and Wording(derived[1], derived[0], particle)


def _listed(word: str, place: str) -> str:
    """A word as the lexicon has it, where a tagger's lemma has an *e* too many or too few.

    >>> _listed("raine", "v"), _listed("rid", "v"), _listed("actresse", "n")
    ('rain', 'rid', 'actress')
    """
    if Lexicon.load().senses(word) or word[:1].isupper():
        return word
    near = word[:-1] if word.endswith("e") or word[-1:] == word[-2:-1] else f"{word}e"
    return near if is_word(near, place) else word


def _exchangeable(old: str, new: str, place: str) -> bool:
    if {old, new} & _WORDS["fixed"]:
        return False
    if place == "a" and is_word(new, "a") and is_word(old, "a"):
        old, new = ("" if word in _WORDS["adjectives"] else word for word in (old, new))
    return all((old in closed) == (new in closed) for closed in _CLOSED)


def parted(concept: str) -> tuple[str, str]:
    """The word of a concept, and the particle if it is a verb with one.

    >>> parted("give-up-08"), parted("self-esteem"), parted("New_York"), parted("work-out-02")
    (('give', 'up'), ('self-esteem', ''), ('New York', ''), ('work', 'out'))
    """
    word = lemma(concept).replace("_", " ")
    head, _, last = word.rpartition("-")
    if is_frame(concept) and head and "-" not in head and last in PARTICLES:
        return head, last
    return word, ""


def _derived(word: str, frame: bool, place: str, like: Form) -> tuple[str, str] | None:
    """The lemma and the form of a word, or of one made from it, in a class."""
    if place == "r" and like.text.lower().endswith("ly") and is_word(adverb(word), "r"):
        word = adverb(word)
    if place == "n" and frame and _is_doer(like.text) and (doers := _made(word, _DOERS)):
        return doers[0], inflect(doers[0], like)
    if is_word(word, place):
        return word, inflect(word, like)
    return _MADE[place](word, frame, like) if place in _MADE else None


def _adjective(word: str, frame: bool, like: Form) -> tuple[str, str] | None:
    """A participle: *interested* or *interesting*, as the old word was."""
    tag = "VBG" if like.text.lower().endswith("ing") else "VBN"
    participle = inflect(word, Form("", tag))
    own = (it for it in Lexicon.load().senses(participle, "a") if it.word == participle)
    is_used = frame and like.tag == "JJ" and any(sense.count for sense in own)
    return (word, inflect(word, Form(like.text, tag))) if is_used else None


def _from_adjective(word: str, _: bool, like: Form) -> tuple[str, str] | None:
    """An adverb in *-ly*."""
    if not is_word(word, "a") or like.tag != "RB" or like.text.lower() in _WORDS["flat"]:
        return None
    form = adverb(word)
    return (form, inflect(form, like)) if is_word(form, "r") else None


def _noun(word: str, frame: bool, like: Form) -> tuple[str, str] | None:
    """A noun from a verb or an adjective: *winner*, *discussion*, *happiness*, *winning*."""
    if not Lexicon.load().senses(word):
        return None if frame or word.endswith("ly") else (word, inflect(word, like))
    doer = _is_doer(like.text)
    for noun in _made(word, _DOERS if doer else _DEEDS) if frame else ():
        if like.tag == "NN" or not noun.endswith(("ness", "ity")):
            return noun, inflect(noun, like)
    if frame and not doer and sum(it.count for it in Lexicon.load().senses(word, "n")) >= _USED:
        return word, inflect(word, like)  # "use" is a noun as well, if more often a verb
    gerund = inflect(word, Form("going", "VBG"))
    light = word in ("have", "be", "do", "get", "let", "go", "make")
    plain = frame and not doer and like.tag == "NN" and is_word(word, "v") and not light
    return (gerund, inflect(gerund, like)) if plain else None


def _is_doer(noun: str) -> bool:
    return noun.lower().rstrip("s").endswith(_DOERS)


_MADE = {"a": _adjective, "r": _from_adjective, "n": _noun}


def _made(word: str, suffixes: tuple[str, ...]) -> list[str]:
    """The nouns that suffixes make of a word, known ones only."""
    spelled = (noun for suffix in suffixes for noun in _suffixed(word, suffix))
    listed = [noun for noun in spelled if is_word(noun, "n")]
    senses = Lexicon.load().senses  # nobody says *possibleness*, which is listed, too
    return [noun for noun in listed if any(sense.count for sense in senses(noun, "n"))]


def agent(concept: str, like: Form) -> str | None:
    """Who does what a frame says, where English has a noun for it.

    >>> agent("sing-01", Form("teachers", "NNS")), agent("like-01", Form("teacher", "NN"))
    ('singers', None)
    """
    doers = _made(lemma(concept), _DOERS)
    return inflect(doers[0], like) if doers else None


def _suffixed(word: str, suffix: str) -> list[str]:
    """A word with a suffix, in the spellings that may be right."""
    stem = word[:-1] if word.endswith(("e", "y")) else word
    doubled = word + word[-1:] if suffix in _DOERS else word
    inner = f"{word[:-1]}i" if word.endswith("y") else word
    return [word + suffix, stem + suffix, doubled + suffix, inner + suffix]


def adverb(word: str) -> str:
    """The adverb of an adjective.

    >>> [adverb(word) for word in ("happy", "gentle", "basic", "real", "full")]
    ['happily', 'gently', 'basically', 'really', 'fully']
    """
    for ending, new in (("y", "ily"), ("le", "ly"), ("ic", "ically"), ("ll", "lly")):
        if word.endswith(ending):
            return word.removesuffix(ending) + new
    return f"{word}ly"


@lru_cache(maxsize=20_000)
def is_word(word: str, place: str) -> bool:
    """Whether a lemma is used in a class: listed, and in no small part of its uses."""
    senses = Lexicon.load().senses
    own = [sense.count for sense in senses(word, place) if sense.word == word.lower()]
    every = sum(sense.count for sense in senses(word) if sense.word == word.lower())
    return bool(own) and sum(own) * 6 >= every


def numeral(old: str, new: str) -> str | None:
    """A number as the old one was written: in words or in figures.

    >>> numeral("three", "5"), numeral("3", "12"), numeral("a few", "5")
    ('five', '12', None)
    """
    if old.isdigit() and new.isdigit():
        return new
    small = _SMALL.split()
    if old.lower() in small and new.isdigit():
        return small[int(new)] if int(new) < len(small) else new
    return None
