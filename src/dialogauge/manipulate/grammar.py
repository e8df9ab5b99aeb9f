"""Edits of the words of one turn by what they are: parts of speech, names, words for the same.

What a word is says the pipeline of :mod:`..language`; these edits need its extra. An edit that is
called damage has to take something that is missed, and one that is called harmless must not.
"""

import re
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

import msgspec

from ..language import stopwords
from .manipulation import DoesNotApply
from .rewriting import Place
from .synonyms import PARTS, equivalent, has_content, likeliest
from .words import rest_of

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

#: The longest text that is tagged for an edit, in characters: some seconds of work.
LONGEST = 100_000


def tagged(text: str) -> "Doc":
    """What a text consists of, by the pipeline that ships; it remembers texts."""
    from ..language import shared

    if len(text) > LONGEST:
        raise DoesNotApply("it is too long to tag")
    return shared()(text)


class Only(msgspec.Struct, frozen=True):
    """Only words of some parts of speech are left."""

    tags: tuple[str, ...]  # how the Penn tags of such words begin
    called: str

    @property
    def about(self) -> str:
        """What is left."""
        return f"Only {self.called} are left."

    def __call__(self, place: Place, rng: Random) -> str:
        """These words; the parts of a contraction stay together where both are left."""
        document = tagged(place.text)
        kept: list[Token] = []
        for word in document:
            if word.tag_.startswith(self.tags) and not word.is_space and not _is_torn(word, kept):
                kept.append(word)
        if not any(sign.isalnum() for word in kept for sign in word.text):
            raise DoesNotApply("no word would be left")
        left = {word.i for word in kept}
        if not any(_is_missed(word) for word in document if word.i not in left):
            raise DoesNotApply("nobody would miss what goes")
        parts = [kept[0].text]
        for word, following in pairwise(kept):
            joined = following.i == word.i + 1 and not word.whitespace_
            parts += [following.text] if joined else [" ", following.text]
        return "".join(parts)


NOUNS = Only(("NN",), "nouns")
NOUNS_PRONOUNS_VERBS = Only(("NN", "PRP", "WP", "VB"), "nouns, pronouns and verbs")


class Nameless(msgspec.Struct, frozen=True):
    """The names of people, places, works and the like are left out."""

    # The paper leaves out every name, needed or not: "I live in." True takes only texts in which
    # a sentence can do without each name, "a Beatles fan", "Hey, Tom": one dialogue in six has one.
    sure: bool = False

    def __call__(self, place: Place, rng: Random) -> str:
        """The text without names."""
        document = tagged(place.text)
        cased = not place.text.islower()
        ends = (span for span in document.ents if not (cased and span.text.islower()))
        names = [it for it in ends if not _DO_NOT.fullmatch(document[it.start : it.start + 3].text)]
        if not names:
            raise DoesNotApply("it has no such word")
        if self.sure and not all(_is_spare(name, cased) for name in names):
            raise DoesNotApply("a name would be missed")
        from ..sentence.draft import Draft

        draft = Draft(document.text, document)
        draft.clear(word.i for name in names for word in name)
        owned = (word for word in document if word.tag_ == "POS" and word.i)
        draft.clear(word.i for word in owned if word.nbor(-1).ent_type_)
        return rest_of(draft.written()[0], place.text)


def synonyms(place: Place, rng: Random, *, sure: bool = True) -> str:
    """Words that carry the content are said with other words for the same.

    The paper puts a synonym for every word that has one, whatever sense it is a synonym in. That
    is not harmless ("music" becomes "euphony"), so only words are taken that mean mostly one
    thing, and for them a word that means mostly that thing too. ``sure=False`` is the paper's rule.
    """
    from ..language.inflection import Form, inflect
    from ..sentence.draft import Draft

    document = tagged(place.text)
    draft = Draft(document.text, document)
    changed = False
    for word in filter(has_content, document):
        find = equivalent if sure else likeliest
        other = find(word.lemma_.lower(), PARTS[word.tag_[0]])
        near = document[max(0, word.i - 2) : word.i + 3]
        if other and all(it.lower_ != other for it in near):  # not "roughly about"
            draft.words[word.i] = inflect(other, Form.of(word))
            changed = True
    if not changed:
        raise DoesNotApply("it has no such word")
    return draft.written()[0]


#: As some corpora write it; such a "don" and "t" are taken for nouns.
_DO_NOT = re.compile(r"\w*n ['’] t", re.I)
_NEGATION = re.compile(r"n['’]?t|not|never|no")
_FILLER = re.compile(r"well|yeah?|ye[sp]|ok(?:ay)?|oh|h(?:i|ey|ello)|lol|(?:ha)+|please")
_DETERMINERS = frozenset({"det", "nmod:poss"})


def _is_torn(word: "Token", kept: "list[Token]") -> bool:
    """Whether a word is the rest of one that goes: the 's of "that's", of "1930's"."""
    around = (word.doc[word.i : word.i + 3], word.doc[max(0, word.i - 2) : word.i + 1])
    if word.tag_.startswith("NN") and any(_DO_NOT.fullmatch(each.text) for each in around):
        return True
    if not word.i or (kept and kept[-1].i == word.i - 1):
        return False
    before = word.nbor(-1)
    return not before.whitespace_ and before.text[-1:].isalnum()


def _is_missed(word: "Token") -> bool:
    """Whether a text is worse without a word: a negation; no sign, stop word, adverb, "yeah"."""
    if _NEGATION.fullmatch(word.lower_):
        return True
    spoken = any(map(str.isalnum, word.text)) and word.tag_ not in ("UH", "RB")
    return spoken and word.lower_ not in stopwords.NLTK and not _FILLER.fullmatch(word.lower_)


def _is_spare(name: "Span", cased: bool) -> bool:
    """Whether a name only says which one, or whom one speaks to."""
    inside = range(name.start, name.end)
    if any(it.i not in inside and not it.is_punct for word in name for it in word.children):
        return False
    before = name.doc[name.start - 1] if name.start else None
    if name.root.dep_ == "compound":
        return _is_detail(name, before, cased)
    apart = before is None or before.is_punct
    ends = name.end == len(name.doc) or name.doc[name.end].is_punct
    return name.root.dep_ in ("vocative", "appos") and apart and ends


def _is_detail(name: "Span", before: "Token | None", cased: bool) -> bool:
    """Whether the noun behind a name stands without it: "at the Nashville airport", not "at N. a."

    A capital there, or a name before, means that this is one part of a longer name.
    """
    head = name.root.head
    if head.i != name.end or not head.is_lower or (before and before.tag_ in ("IN", "NNP")):
        return False
    several = cased and head.tag_ == "NNS"
    return several or any(it.dep_ in _DETERMINERS for it in head.children)
