"""How ConceptNet 4 names its concepts, so that a word can be looked up.

Its makers dropped stop words and put every word into its base form, verbs before nouns and without
regard to context: *the United States* became ``unite state`` and *a tall building* ``tall build``.
Such a name is a key: it is never written into a text. The rules were found from the names; a text
is tried as it is first (:func:`forms`), for the makers' base forms were not always ours.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from ..language import Lexicon

#: Function words that do not occur inside the names of ConceptNet 4 but for a few slips.
_LIST = """
    a about all am an and anyone anything are as at be been being but by can cannot could did do
    does doing each either for from had has have having he her here hers herself him himself his i
    if in into is it its itself just may me might mine more most must my myself neither nor of on
    one or ought our ours ourselves shall she should so some somebody someone something such than
    that the their theirs them themselves then there these they thing things this those to too us
    very was we were what when where which while who whom whose will with would you your yours
    yourselves
"""
_STOP_WORDS = frozenset(_LIST.split())

#: What a contraction leaves beside its word ("she'll", "won't").
_CLITICS = frozenset({"ca", "d", "ll", "m", "re", "s", "sha", "t", "ve", "wo"})

_NEGATION = re.compile("n['’]t\\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:[.&+-][^\W_]+)*")


def words(text: str) -> list[str]:
    """The words of a text in lower case; hyphens stay, apostrophes divide.

    >>> words("The dentist's X-ray!")
    ['the', 'dentist', 's', 'x-ray']
    """
    return [word.lower() for word in _WORD.findall(text)]


def content_words(text: str) -> list[str]:
    """The words that say what a text is about: of letters, and neither stop words nor clitics.

    >>> content_words("I'm going to the cinema at 8")
    ['going', 'cinema']
    """
    return [
        word
        for word in words(_NEGATION.sub("", text))
        if word.replace("-", "").isalpha() and word not in _STOP_WORDS and word not in _CLITICS
    ]


def normal(text: str) -> str:
    """A text as ConceptNet 4 would name it; stop words stay when there is nothing else.

    >>> normal("The United States"), normal("went swimming"), normal("to be"), normal("!")
    ('unite state', 'go swim', 'to be', '')
    """
    every = words(text)
    kept = [word for word in every if word not in _STOP_WORDS]
    return " ".join(map(base_form, kept)) or " ".join(every)


def plain(text: str) -> str:
    """A text as a name: lower case, one blank between words, no quotes around it."""
    return " ".join(text.lower().replace("_", " ").split()).strip("\"'‘’“”.,;:!?()")


def forms(text: str) -> Iterator[str]:
    """The names under which a text may be known: as it is, in its normal form, other base forms.

    >>> list(forms("Found")), list(forms("ice_creams"))
    (['found', 'find'], ['ice creams', 'ice cream'])
    """
    name = plain(text)
    others = Lexicon.load().lemmas(name) if name and " " not in name else ()
    yield from dict.fromkeys(each for each in (name, normal(name), *others) if each)


@lru_cache(maxsize=50_000)
def base_form(word: str) -> str:
    """A word without its ending: of a verb, else of a noun, else of an adjective.

    >>> [base_form(word) for word in ("building", "geese", "happier", "people", "zzz")]
    ['build', 'goose', 'happy', 'person', 'zzz']
    """
    lexicon = Lexicon.load()
    if word == "people":  # WordNet has it as a word of its own
        return "person"
    for pos in "vna":
        bases = lexicon.lemmas(word, pos)
        if bases and word not in bases:
            return bases[0]
    return word
