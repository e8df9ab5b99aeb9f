"""Other responses in the place of one: foreign, empty, generated, translated, late.

Each of them reads well by itself. What is wrong, if anything is, shows only beside what was said
before: that is what a metric of conversations is for. One is harmless: a good response in other
words (*back-translation*).
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from random import Random

from ..dialogue import normalise
from .manipulation import DoesNotApply, same_text
from .rewriting import Place
from .synonyms import lexicon, meaning

#: The three responses of *Re-evaluating ADEM*, and more that fit everywhere and say nothing.
PAPER = ("I'm sorry, can you repeat?", "I will do", "fantastic! how are you?")
_PHRASES = Path(__file__).with_name("generic.txt").read_text(encoding="utf-8")
GENERIC = (*PAPER, *_PHRASES.splitlines())


def random_response(place: Place, rng: Random) -> str:
    """Any turn of another dialogue stands for the response."""
    return place.pool.turn(rng, place.dialogue).text


def other_response(place: Place, rng: Random) -> str:
    """The response to another context stands for the response."""
    return place.pool.turn(rng, place.dialogue, first=1).text


def echo(place: Place, rng: Random) -> str:
    """The response repeats what was just said to it."""
    if RETURNED.fullmatch(place.context[-1].text):
        raise DoesNotApply("people say it back")
    return place.context[-1].text


#: Greetings and the like, which one answers with the same.
RETURNED = re.compile(
    r"\W*(?:hi|hello|hey|(?:good )?(?:bye|morning|evening|night)|goodbye|thanks|thank you"
    r"|(?:it was |it's been )?(?:nice|great|good) (?:chatting|talking|meeting|to meet))\b"
    r"(?:\W+\w+){0,3}\W*",
    re.IGNORECASE,
)


def generic(place: Place, rng: Random) -> str:
    """The response is a phrase that fits everywhere and says nothing."""
    return rng.choice([phrase for phrase in GENERIC if not same_text(phrase, place.text)])


def generated(place: Place, rng: Random) -> str:
    """A language model's response to the same context."""
    return _reply(place, [turn.text for turn in place.context], rng)


def generated_elsewhere(place: Place, rng: Random) -> str:
    """A language model's response to the context of another dialogue."""
    turns = place.pool.dialogue(rng, place.dialogue).turns
    return _reply(place, [turn.text for turn in turns[: rng.randint(1, len(turns))]], rng)


def _reply(place: Place, context: list[str], rng: Random) -> str:
    text = place.pool.reply(context, rng.getrandbits(31))
    if not text.strip():
        raise DoesNotApply("the language model says nothing")
    return text


#: How many words, by Dice's coefficient, a whole translation shares with what it says again.
SHARED = 0.8


def back_translation(place: Place, rng: Random) -> str:
    """The response says the same in other words, by another language and back.

    A translator that works by rules comes back with other meanings and broken sentences ("time
    flies" as "flies of time"), which is not harmless. So only sentences are taken that say the
    same word for word, in synonyms or without contractions; the others stay as they were.
    """
    parts = _SENTENCES.split(place.text)
    pairs = zip(place.pool.translate(sentences(place.text)), sentences(place.text), strict=True)
    parts[::2] = [_cased(new, old) if _says_the_same(new, old) else old for new, old in pairs]
    text = "".join(parts)
    if same_text(text, place.text):
        raise DoesNotApply("the translation is too different")
    return text


def sentences(text: str) -> list[str]:
    """What is translated of a text at a time.

    >>> sentences("Hello! How are you?")
    ['Hello!', 'How are you?']
    """
    return _SENTENCES.split(text)[::2]


_SPACED = re.compile(r"\s+(?=[.,!?])")
_SENTENCES = re.compile(r"(?<=[.!?])(\s+)")  # in brackets: the blanks are kept


def _cased(new: str, old: str) -> str:
    """A sentence with the first letter, small or not, and the blanks before marks of the other."""
    new = new if _SPACED.search(old) else _SPACED.sub("", new)
    return new[:1].lower() + new[1:] if old[:1].islower() else new


def _says_the_same(first: str, second: str) -> bool:
    """Whether two texts differ, but only in synonyms and contractions.

    >>> _says_the_same("Maybe it's a film.", "perhaps it is a movie.")
    True
    >>> _says_the_same("I like tea.", "I like tea .")
    False
    >>> _says_the_same("Flies of time.", "Time flies.")
    False
    """
    ones, others = _SIGNS.findall(first.lower()), _SIGNS.findall(second.lower())
    if ones == others:
        return False  # blanks and capitals
    names = {it.lower() for it in _SIGNS.findall(second)[1:] if it.istitle() and it.isalpha()}
    if not names <= set(ones):
        return False
    full, other = (_without_contractions(signs) for signs in (ones, others))
    return len(full) == len(other) and all(map(_same_word, full, other))


_SIGNS = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
_CONTRACTED = re.compile(r"(\w+)(n['’]t|['’](?:m|re|ve|ll))|(it|that|he|she|there|what)(['’]s)")
_ENDINGS = {"n't": "not", "'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'s": "is"}
_CLIPPED = {"ca": "can", "wo": "will"}


def _without_contractions(signs: Sequence[str]) -> list[str]:
    full = list[str]()
    for sign in signs:
        match = _CONTRACTED.fullmatch("can't" if sign == "cannot" else sign)
        start, end = [it for it in match.groups() if it] if match else (sign, "")
        full.append(_CLIPPED.get(start, start) if end else start)
        full += [_ENDINGS[end.replace("’", "'")]] if end else []
    return full


_STIFF = frozenset({"good", "well"})  # "sounds well"


@lru_cache(maxsize=20_000)
def _same_word(one: str, other: str) -> bool:
    """Whether two words, in the same form, mean mostly the same one thing."""
    lemmas = lexicon().lemmas
    stiff = {one, other} & _STIFF or set(lemmas(one)) & set(lemmas(other))
    for part in "nvar" if one != other and not stiff else "":
        senses = [meaning(word, part) for word in (one, other)]
        same = senses[0] and senses[1] and senses[0].synset == senses[1].synset
        if same and len({word in lemmas(word, part) for word in (one, other)}) == 1:
            return True
    return one == other


def likeness(first: str, second: str) -> float:
    """Which part of their words two texts share, 0 to 1.

    >>> likeness("I like tea", "I hate tea!")
    0.6666666666666666
    """
    one, other = Counter(normalise(first).split()), Counter(normalise(second).split())
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0


def temporal_skip(place: Place, rng: Random) -> str:
    """The response answers what was said a while ago: it is the speaker's last answer again."""
    earlier = [turn.text for turn in place.context[1:] if turn.speaker == place.turn.speaker]
    if not earlier or not earlier[-1].strip():
        raise DoesNotApply("the speaker has answered nothing before")
    return earlier[-1]
