"""What a text can do without, and what not.

An edit that is called damage has to take something that is missed, and one that is called harmless
must not. These questions about single words and names, asked of the parse, draw the line.
"""

import re
from typing import TYPE_CHECKING

from ..language import stopwords

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

#: As some corpora write it; such a "don" and "t" are taken for nouns.
_DO_NOT = re.compile(r"\w*n ['’] t", re.I)
_NEGATION = re.compile(r"n['’]?t|not|never|no")
_FILLER = re.compile(r"well|yeah?|ye[sp]|ok(?:ay)?|oh|h(?:i|ey|ello)|lol|(?:ha)+|please")
_DETERMINERS = frozenset({"det", "nmod:poss"})


def is_torn(word: "Token", kept: "list[Token]") -> bool:
    """Whether a word is the rest of one that goes: the 's of "that's", of "1930's"."""
    around = (word.doc[word.i : word.i + 3], word.doc[max(0, word.i - 2) : word.i + 1])
    if word.tag_.startswith("NN") and any(_DO_NOT.fullmatch(each.text) for each in around):
        return True
    if not word.i or (kept and kept[-1].i == word.i - 1):
        return False
    before = word.nbor(-1)
    return not before.whitespace_ and before.text[-1:].isalnum()


def is_missed(word: "Token") -> bool:
    """Whether a text is worse without a word: a negation; no sign, stop word, adverb, "yeah"."""
    if _NEGATION.fullmatch(word.lower_):
        return True
    spoken = any(map(str.isalnum, word.text)) and word.tag_ not in ("UH", "RB")
    return spoken and word.lower_ not in stopwords.NLTK and not _FILLER.fullmatch(word.lower_)


def is_name(span: "Span", cased: bool) -> bool:
    """Whether what is tagged as a name can be one; ``cased``: names have capitals here."""
    do_not = _DO_NOT.fullmatch(span.doc[span.start : span.start + 3].text)
    return not do_not and not (cased and span.text.islower())


def is_spare(name: "Span", cased: bool) -> bool:
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


def is_owned(word: "Token") -> bool:
    """Whether a word is the 's behind a name."""
    return bool(word.tag_ == "POS" and word.i and word.nbor(-1).ent_type_)
