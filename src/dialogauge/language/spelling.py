"""Regular English spelling: how an ending is put on a word, and how it comes off again.

The rules are for words that no table knows (*to google*, *a vlog*), so they follow what new words
do: *photos*, not *photoes*; *vlogged*, with the consonant doubled after a short stressed vowel.

    >>> plural("vlog"), third("vlog"), past("vlog"), gerund("vlog")
    ('vlogs', 'vlogs', 'vlogged', 'vlogging')
    >>> comparative("glitchy"), _superlative("Insta-worthy")
    ('glitchier', 'most Insta-worthy')

Each ending has the tag of the Penn Treebank that asks for it (:data:`ENDINGS`). To take one off,
:func:`bases` proposes every word that could have got it, the likeliest first:

    >>> bases("googled", "VBD"), bases("vlogging", "VBG")
    (('google', 'googl'), ('vlog', 'vlogg', 'vlogge'))

A word that does not end in a Latin letter (another script, a sign, an emoji) has no regular form
and comes back as it is.
"""

import re
from unicodedata import normalize

_HISSING = re.compile(r"(s|x|z|ch|sh)$", re.I)
_CONSONANT_Y = re.compile(r"(?<=[^aeiou\W\d_])y$", re.I)
_CONSONANT_O = re.compile(r"[^aeiou\W\d_]o$", re.I)
#: Plural already: *pants*, *headquarters*, *1970s*, but not *bus*, *boss*, *crisis*.
_PLURAL = re.compile(r"([^sui\W]s|fish|people)$", re.I)
#: One syllable, one vowel letter, one consonant that can be doubled (*plan*, *quiz*, not *fix*).
_SHORT = re.compile(r"([^aeiou]*|.*qu)[aeiouy][bdfglmnprtvz]", re.I)
#: A short word behind a prefix keeps its stress: *unplugged*, *re-tagged*.
_PREFIX = re.compile(r"^(un|re|de|mis|over|under|out|up|pre)-?(?=.{3})", re.I)
_SYLLABLE = re.compile(r"[aeiouy]+", re.I)
#: Stems that a word ends in only with a silent e: *googl-e*, *realiz-e*, *creat-e*, *argu-e*.
_SILENT_E = re.compile(
    r"([^aeiourlw\W]l|[iy][sz]|[aeo]z|[^aeiou]at|i?at|[aeiou]r?[cgv]|[rl][cgsv]|n[csv]|dg|[^aeiou]in|[^o]u"
    r"|[aeiou][uo]s|[^aeiou][iu]r|[^aeiou][aiou][kp])$"
)
_LONG = 60  # no word is longer; what is, is no word and has no regular form


def plural(noun: str) -> str:
    """The plural of a noun.

    >>> [plural(noun) for noun in ("taco", "selfie", "latchkey", "hobby", "vax", "DVD", "pants")]
    ['tacos', 'selfies', 'latchkeys', 'hobbies', 'vaxes', 'DVDs', 'pants']
    """
    if _PLURAL.search(noun) and not noun.isupper():
        return noun
    if noun.lower().endswith("man") and not noun.lower().endswith("human"):
        return noun[:-2] + "en"
    return _with_s(noun)


def third(verb: str) -> str:
    """The third person singular of a verb: *goes*, *vetoes*, *tries*."""
    return verb + "es" if _CONSONANT_O.search(verb) else _with_s(verb)


def past(verb: str) -> str:
    """The past tense and past participle of a regular verb: *hoped*, *hopped*, *tried*."""
    if verb[-1:] in "eE":
        return verb + "d"
    return _stem(_CONSONANT_Y.sub("i", verb)) + "ed"


def gerund(verb: str) -> str:
    """The form in *-ing*: *hoping*, *hopping*, *dying*, *seeing*."""
    lower = verb.lower()
    if lower.endswith("ie"):
        return verb[:-2] + "ying"
    if lower.endswith("e") and not lower.endswith(("ee", "oe", "ye")) and _syllables(lower):
        return verb[:-1] + "ing"
    return _stem(verb) + "ing"


def comparative(word: str) -> str:
    """The comparative of an adjective or adverb: *nicer*, *more careful*."""
    return _graded(word) + "er" if _short_enough(word) else f"more {word}"


def _superlative(word: str) -> str:
    """The _superlative of an adjective or adverb: *nicest*, *most careful*."""
    return _graded(word) + "est" if _short_enough(word) else f"most {word}"


#: The Penn tags of inflected forms and the rule for each.
ENDINGS = {
    "NNS": plural,
    "NNPS": plural,
    "VBZ": third,
    "VBD": past,
    "VBN": past,
    "VBG": gerund,
    "JJR": comparative,
    "RBR": comparative,
    "JJS": _superlative,
    "RBS": _superlative,
}

#: What an inflected form may end in and what stood there before.
_UNDONE = {
    "NNS": (("ies", "y"), ("ies", "ie"), ("men", "man"), ("s", ""), ("es", "")),
    "VBZ": (("ies", "y"), ("s", ""), ("es", "")),
    "VBD": (("ied", "y"), ("ed", "e"), ("ed", ""), ("d", "")),
    "VBG": (("ying", "ie"), ("ing", "e"), ("ing", "")),
    "JJR": (("ier", "y"), ("er", "e"), ("er", "")),
    "JJS": (("iest", "y"), ("est", "e"), ("est", "")),
}
_SAME = {"NNPS": "NNS", "VBN": "VBD", "RBR": "JJR", "RBS": "JJS"}


def regular(word: str, tag: str) -> str:
    """The form that a Penn tag names, by rule; other tags name the word itself.

    >>> regular("ghost", "VBD"), regular("ghost", "IN"), regular("кот", "NNS")
    ('ghosted', 'ghost', 'кот')
    """
    ending = ENDINGS.get(tag)
    if ending is None or not _inflects(word, tag):
        return word
    return ending(word)


def bases(form: str, tag: str) -> tuple[str, ...]:
    """The words whose regular form this could be, the likeliest first; none if it is no form."""
    if len(form) > _LONG:
        return ()
    undone = _UNDONE.get(_SAME.get(tag, tag), ())
    stems = [form[: -len(old)] + new for old, new in undone if form.endswith(old)]
    undoubled = [stem[:-1] for stem in stems if stem[-1:] == stem[-2:-1]]
    picnics = [stem[:-1] for stem in stems if stem[-2:].lower() == "ck"]  # picnicked, not backed
    every = dict.fromkeys(undoubled + stems + picnics)
    fitting = [base for base in every if regular(base, tag) == form]
    return tuple(sorted(fitting, key=_implausible))


def _implausible(base: str) -> int:
    """How odd a word would look: one without its silent e, or with one that it needs not.

    The order of sorting is stable: a consonant that came off a double is proposed first.
    """
    if len(base) < 2 or not _syllables(base):
        return 3
    if base.endswith("e"):
        return 0 if _SILENT_E.search(base[:-1]) else 2
    return 1


def _inflects(word: str, tag: str) -> bool:
    """Whether rules apply: the last sign is a Latin letter, or a digit that gets a plural s."""
    if len(word) > _LONG or not word:
        return False
    last = normalize("NFD", word[-1])[0].lower()
    return "a" <= last <= "z" or (tag in ("NNS", "NNPS") and last.isascii() and last.isdigit())


def _with_s(word: str) -> str:
    if _HISSING.search(word):
        return word + "es"
    return _CONSONANT_Y.sub("ie", word) + "s"


def _stem(word: str) -> str:
    """The word as it stands before an ending that begins with a vowel."""
    core = _PREFIX.sub("", word)
    if _SHORT.fullmatch(word) or _SHORT.fullmatch(core):
        return word + word[-1]
    return word + "k" if re.search("[aeiou]c$", word, re.I) else word


def _graded(word: str) -> str:
    return word[:-1] if word[-1:] in "eE" else _stem(_CONSONANT_Y.sub("i", word))


def _short_enough(word: str) -> bool:
    """Whether it takes *-er*: one syllable, or two of which the second is *-y*, *-le* or *-ow*."""
    count = _syllables(word)
    light = word.lower().endswith(("y", "le", "ow")) and not word.lower().endswith("ly")
    return not re.search(r"[\s-]", word) and (count <= 1 or (count == 2 and light))


def _syllables(word: str) -> int:
    """Groups of vowels, less a silent e.

    >>> [_syllables(word) for word in ("nice", "simple", "happy", "beautiful", "be")]
    [1, 2, 2, 3, 1]
    """
    groups = len(_SYLLABLE.findall(word))
    silent = groups > 1 and re.search(r"[^aeiouy\W]e$", word, re.I) and not word.endswith("le")
    return groups - bool(silent)
