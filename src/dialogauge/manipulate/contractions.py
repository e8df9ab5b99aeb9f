"""Contractions: the same words said short or in full, where that changes nothing else.

*'s* may be *is*, *has* or a possessive and *'d* *had* or *would*: what is not clear stays. A form
of *be* is short only before what it belongs to ("I'm here", but "here I am"), and a question that
begins with *don't* has no full form.
"""

import re
from collections.abc import Callable, Iterator
from random import Random
from typing import TYPE_CHECKING

from ..language.irregular import NEGATIVES
from ..sentence.agreement import CLIPPED, SUBJECTS
from ..sentence.negation import contractions as style
from .grammar import tagged
from .manipulation import DoesNotApply
from .rewriting import Place

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

#: From where to where a text is replaced, and by what.
_Edit = tuple[int, int, str]
#: The short form of a verb, and whom it stands behind.
_SHORT = {
    "am": ("'m", "i"),
    "are": ("'re", "you we they"),
    "is": ("'s", "it that he she"),
    "have": ("'ve", "i you we they"),
    "will": ("'ll", "i you he she it we they"),
}
_FULL = {short: (verb, {*who.split(), "there"}) for verb, (short, who) in _SHORT.items()}
_DENIED = frozenset(NEGATIVES) - {"am", "may", "might", "must", "shall", "ought", "need", "dare"}
_AUXILIARY = frozenset({"aux", "aux:pass", "cop"})
#: As some corpora write it, and titles and verses that stand between quotes.
_APART = re.compile(r"\w ['’] ?\w|\w ['’]\w")


def contractions(place: Place, rng: Random) -> str:
    """Contractions are said in full, or full forms are contracted: don't, do not."""
    if _APART.search(place.text) or style(place.text) == "bare":
        raise DoesNotApply("it writes contractions in its own way")
    document = tagged(place.text)
    ways: list[Callable[[Doc], Iterator[_Edit]]] = [_in_full, _in_short]
    for way in rng.sample(ways, len(ways)):
        if edits := list(way(document)):
            return _written(document.text, edits)
    raise DoesNotApply("it has nothing to contract")


def _written(text: str, edits: list[_Edit]) -> str:
    """The text with each edit that does not overlap one before it."""
    parts, last = list[str](), 0
    for start, end, new in sorted(edits):
        if start >= last:
            parts += [text[last:start], new]
            last = end
    return "".join(parts) + text[last:]


def _in_full(document: "Doc") -> Iterator[_Edit]:
    for word in document[1:]:
        before, short = word.nbor(-1), word.lower_.replace("’", "'")
        if before.whitespace_ or word.text.isupper():
            continue
        if short == "n't" and not _is_asked(word):
            verb = CLIPPED.get(before.lower_, before.lower_)
            if verb in _DENIED:
                full = "cannot" if verb == "can" else f"{verb} not"
                yield before.idx, word.idx + len(word), _cased(full, before)
        elif short in _FULL and before.lower_ in _FULL[short][1] and _is_clear(word):
            yield word.idx, word.idx + len(word), f" {_FULL[short][0]}"


def _is_asked(negation: "Token") -> bool:
    """Whether the subject follows: "Don't you know"."""
    behind = negation.doc[negation.i + 1 : negation.i + 2]
    pronoun = any(it.tag_ in ("PRP", "EX", "DT") and it.lower_ not in ("no", "a") for it in behind)
    head = negation.head
    inverted = any(it.dep_ in SUBJECTS and negation.i < it.i < head.i for it in head.children)
    return inverted or (pronoun and "?" in negation.sent.text)


def _is_clear(word: "Token") -> bool:
    """Whether a short verb is what it seems: *'s* is *is* before no participle and no bare noun."""
    if word.lower_[1:] != "s":
        return word.dep_ in _AUXILIARY or word.lower_[1:] in ("m", "re")
    behind = word.nbor() if word.i + 1 < len(word.doc) else word
    bare = behind.tag_.startswith("NN") and behind.head.i == behind.i
    return (
        word.tag_ == "VBZ"
        and word.lemma_ == "be"
        and behind.tag_ not in ("VBN", "VBD")
        and not bare
    )


def _in_short(document: "Doc") -> Iterator[_Edit]:
    sign = "’" if style(document.text) == "curly" else "'"
    for word in document[1:]:
        before = word.nbor(-1)
        if word.text.isupper() or word.i + 1 == len(document):
            continue
        if word.lower_ == "not" and before.lower_ in _DENIED and _can_take_not(word):
            short = NEGATIVES[before.lower_].replace("'", sign)
            yield before.idx, word.idx + len(word), _cased(short, before)
        elif before.whitespace_ == " " and _is_shortened(word, before):
            end = _SHORT[word.lower_][0].replace("'", sign)
            yield word.idx - 1, word.idx + len(word), end


def _can_take_not(word: "Token") -> bool:
    verb, behind = word.nbor(-1), word.nbor()
    plain = verb.tag_ in ("MD", "VBP", "VBZ", "VBD", "VB") and behind.lower_ not in ("only", "just")
    return plain and verb.whitespace_ in ("", " ")


def _is_shortened(word: "Token", before: "Token") -> bool:
    """Whether a verb stands between its subject and what it belongs to."""
    if word.lower_ not in _SHORT or before.lower_ not in _SHORT[word.lower_][1].split():
        return False
    led = before.dep_ in SUBJECTS and before.tag_ in ("PRP", "DT")
    behind = word.nbor()
    return led and word.dep_ in _AUXILIARY and word.head.i > word.i and not behind.is_punct


def _cased(text: str, like: "Token") -> str:
    return text[:1].upper() + text[1:] if like.text[:1].isupper() else text
