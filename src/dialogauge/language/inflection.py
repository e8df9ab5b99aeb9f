"""From a form to its lemma, and from a lemma to the form of another token.

A manipulation that puts one word in the place of another must keep what the old word said by its
form: tense, number, person, degree, and whether it was shouted or began the sentence.

    >>> lemma("went", "VBD"), lemma("mice", "NNS"), lemma("wo", "MD"), lemma("don't", "VBP")
    ('go', 'mouse', 'will', 'do')
    >>> inflect("buy", Form("sold", "VBD")), inflect("good", Form("Worst", "JJS"))
    ('bought', 'Best')
    >>> inflect("be", Form("go", "VBP", "Number=Sing|Person=1")), inflect("have", Form("is", "VBZ"))
    ('am', 'has')

Three sources, asked in this order: **our own tables** (:mod:`.irregular`); **lemminflect's look-up
tables** (made from the SPECIALIST lexicon, the commoner spelling first); the **rules** of
:mod:`.spelling`. lemminflect also has models for unknown words, but they are pickles: we never call
what would load them.

Tags are those of the Penn Treebank. They tell neither *am* from *are* nor *was* from *were*: for
these the features of Universal Dependencies say person, number and mood, and where a token has
none, its text does if it is a form of *be* itself.
"""

import re
from functools import lru_cache
from typing import Any

import msgspec

from ..errors import MissingExtraError
from . import irregular
from .spelling import ENDINGS, bases, regular

_VERBS = frozenset({"VB", "VBP", "VBZ", "VBD", "VBN", "VBG", "MD"})
_PLURALS = frozenset({"NNS", "NNPS"})
_CLASSES = {"N": "NOUN", "V": "VERB", "M": "AUX", "J": "ADJ", "R": "ADV"}
_LONG = 60  # no English word is longer: what is comes back as it is


class Form(msgspec.Struct, frozen=True):
    """The form of a token: how it is written, its Penn tag, its features in the notation of UD."""

    text: str
    tag: str
    features: str = ""

    @classmethod
    def of(cls, token: Any) -> "Form":
        """The form of a token of spaCy."""
        return cls(token.text, token.tag_, str(token.morph))

    def has(self, *features: str) -> bool:
        """Whether it has all these features.

        >>> Form("was", "VBD", "Number=Sing|Person=3").has("Person=3", "Number=Sing")
        True
        """
        return set(features) <= set(self.features.split("|"))


def lemma(form: str, tag: str) -> str:
    """The lemma of a token with this Penn tag; without tables or rules for it, the form itself.

    Proper nouns and acronyms keep their case; other words come back in small letters.

    >>> lemma("saw", "VBD"), lemma("saw", "VB"), lemma("Americans", "NNPS"), lemma("'d", "MD")
    ('see', 'saw', 'American', 'would')
    """
    if len(form) > _LONG:
        return form
    if tag.startswith("NNP"):
        return _lemma(form, tag)
    base = _lemma(_plain(form), tag)
    return _recased(base, form) if tag.startswith("N") and _keeps_case(form) else base


def inflect(lemma: str, like: Form) -> str:
    """The lemma in the form of another token: its tense, number, person, degree and case style.

    A contracted token gives a contracted form where there is one:

    >>> [inflect("have", like) for like in (Form("'re", "VBP"), Form("didn't", "VBD"))]
    ["'ve", "hadn't"]
    >>> inflect("walk", Form("'S", "VBZ")), inflect("pick up", Form("Left", "VBD"))
    ('Walks', 'Picked up')
    """
    if len(lemma) > _LONG:
        return lemma
    form = _be(like) if lemma.lower() == "be" else _inflected(lemma, like.tag)
    return _styled(_contracted(form, _plain(like.text)), like.text)


def _be(like: Form) -> str:
    """The form of *be*, which agrees in person and number."""
    text = {"'m": "am", "weren't": "were"}.get(written := _plain(like.text), written)
    if like.tag == "VBP":
        first = like.has("Person=1", "Number=Sing") or (not like.features and text == "am")
        return "am" if first else "are"
    if like.tag == "VBD":
        many = any(like.has(feature) for feature in ("Number=Plur", "Person=2", "Mood=Sub"))
        return "were" if many or (not like.features and text == "were") else "was"
    return {"VBZ": "is", "VBG": "being", "VBN": "been"}.get(like.tag, "be")


@lru_cache(maxsize=50_000)
def _inflected(lemma: str, tag: str) -> str:
    """The form that a tag names, in the case of the lemma."""
    if tag not in ENDINGS or not lemma.strip():
        return lemma
    key = lemma.lower()
    chosen = irregular.FORMS.get((key, tag)) or _unchanged(key, tag) or _looked_up(key, tag)
    if chosen is None and (parts := _head(lemma, tag)):
        before, head, after = parts
        return before + _inflected(head, tag) + after
    return regular(lemma, tag) if chosen is None else _recased(chosen, lemma)


def _unchanged(lemma: str, tag: str) -> str | None:
    """Itself, for a word whose form is written like its lemma."""
    if tag in _PLURALS:
        same = lemma in irregular.UNCHANGED or lemma.endswith("fish")
    else:
        same = lemma in (irregular.MODALS if tag in _VERBS else irregular.DEGREES)
    return lemma if same else None


def _looked_up(lemma: str, tag: str) -> str | None:
    """The commonest spelling in lemminflect's tables, hyphens as in the lemma if it has that."""
    forms: tuple[str, ...] = _tables().getInflection(lemma, tag, inflect_oov=False)
    if tag == "NNPS" and not forms:
        forms = _tables().getInflection(lemma, "NNS", inflect_oov=False)
    if tag in _PLURALS:  # a form like the lemma is that of an uncountable noun
        forms = tuple(form for form in forms if form.lower() != lemma)
    hyphens = lemma.count("-")
    best = min(forms, key=lambda form: form.count("-") != hyphens, default=None)
    return best and best.lower()


#: Inside a noun of several words, what follows one of these does not inflect: *sons-in-law*.
_LINKS = re.compile(r"[ -](?:in|of|at|on|to|de|for|with)[ -]")
_PREFIXED = re.compile(r"(re|under|un|over|out|mis|pre|co|de|dis|fore|inter)-?(?=...)", re.I)


def _head(lemma: str, tag: str) -> tuple[str, str, str] | None:
    """What stands before the part that inflects, that part, and what follows it.

    >>> _head("come up", "VBD"), _head("ex-wife", "NNS"), _head("man of God", "NNS")
    (('', 'come', ' up'), ('ex-', 'wife', ''), ('', 'man', ' of God'))
    """
    verb, graded = tag in _VERBS, tag[:2] in ("JJ", "RB")
    if graded or not (border := re.search(r"\b[ -]\b", lemma)):
        prefix = _PREFIXED.match(lemma) if verb else None
        rest = lemma[prefix.end() :] if prefix else ""
        return (lemma[: -len(rest)], rest, "") if rest and _looked_up(rest.lower(), tag) else None
    first = border if verb and border[0] == " " else _LINKS.search(lemma)
    if first:
        return "", lemma[: first.start()], lemma[first.start() :]
    last = max(lemma.rfind(" "), lemma.rfind("-")) + 1
    return lemma[:last], lemma[last:], ""


@lru_cache(maxsize=50_000)
def _lemma(form: str, tag: str) -> str:
    listed = irregular.LEMMAS.get((form.lower(), tag)) or irregular.LEMMAS.get(
        (form.lower(), tag[:2])
    )
    if listed:
        return listed
    if tag in _VERBS and form in irregular.POSITIVES:
        positive = irregular.POSITIVES[form]
        return _lemma(positive, "MD" if positive in irregular.CLIPPED else tag)
    return _uninflected(form, tag) if tag in ENDINGS and not _DECADE.search(form) else form


_DECADE = re.compile(r"\d0s$")


def _uninflected(form: str, tag: str) -> str:
    """The base of an inflected form: one that gives the form back is better than one that may."""
    listed: tuple[str, ...] = _tables().getLemma(form, _CLASSES[tag[0]], lemmatize_oov=False)
    proposed = dict.fromkeys(base.lower() for base in listed)
    for base in proposed:
        if _inflected(base, tag) == form.lower():
            return _recased(base, form)
    if proposed and not (tag in _PLURALS and form.lower() in proposed):
        return _recased(next(iter(proposed)), form)
    by_rule = bases(form, tag)
    listed_bases = [base for base in by_rule if _tables().getAllInflections(base.lower())]
    return next(iter([*listed_bases, *by_rule]), form)


def _contracted(form: str, like: str) -> str:
    """The form as short as the other token is, where English has such a form."""
    if like in irregular.CLIPPED.values():
        return irregular.CLIPPED.get(form, form)
    if like in irregular.CLITICS.values():
        return irregular.CLITICS.get(form, form)
    return irregular.NEGATIVES.get(form, form) if like in irregular.POSITIVES else form


def _plain(text: str) -> str:
    """In small letters and with straight apostrophes."""
    return text.lower().replace("’", "'").replace("`", "'") if len(text) <= _LONG else text


def _styled(form: str, like: str) -> str:
    """The form with the capitals of another token, if that has any."""
    letters = [sign for sign in like[:_LONG] if sign.isalpha()]
    if len(letters) > 1 and all(letter.isupper() for letter in letters):
        return form.upper()
    return form[:1].upper() + form[1:] if letters and letters[0].isupper() else form


def _keeps_case(form: str) -> bool:
    """Whether capitals belong to the word: *iPhones*, *DVDs*, *EPM*, but not *Dogs* or *VERY*."""
    if form.isupper():
        return 1 < len(form) <= _ACRONYM and not _tables().getAllLemmas(form.lower())
    return any(sign.isupper() for sign in form[1:_LONG])


def _recased(word: str, like: str) -> str:
    """The word with the capitals of another form of it.

    >>> _recased("dvds", "DVD"), _recased("children", "Child"), _recased("better", "Good")
    ('DVDs', 'Children', 'Better')
    """
    if len(like) > _ACRONYM and like.isupper():
        return word.upper()
    unlike = (at for at, (a, b) in enumerate(zip(word, like.lower(), strict=False)) if a != b)
    shared = next(unlike, min(len(word), len(like)))
    return like[:shared] + word[shared:] if shared else _styled(word, like[:1])


_ACRONYM = 4  # letters; longer words in capitals are shouted


@lru_cache(maxsize=1)
def _tables() -> Any:
    """lemminflect, of which only the look-up tables are used."""
    try:
        import lemminflect
    except ImportError:
        raise MissingExtraError("inflection", "language") from None
    return lemminflect
