"""Closed classes: determiners, interjections, adverbs before the verb.

They have no forms to inflect, but each has its place. A determiner is one for the number of its
noun (*this*, *these*); an adjective takes its place with an article (*that dog*, *the big dog*) and
gives way to it with one; an interjection, and an adverb before the verb, go for others of their
kind only. Each function writes into the draft and says whether it could.
"""

from ..language.concept_names import lemma
from ..language.inflection import Form
from .agreement import inverted
from .draft import Draft, Word, article_of, capital, following_word, word_before
from .lexical import MASS, PARTICLES, adverb, worded
from .wordlists import lists

_WORDS = lists(__file__, "classes")

#: Singular or mass, plural.
_POINTING = {"this": "these", "that": "those"}
_DETERMINERS = _WORDS["any"] | _WORDS["one"] | {*_POINTING, *_POINTING.values()}


def replace_closed(draft: Draft, word: Word, new: str) -> bool | None:
    """Another concept for a word where one of both is of a closed class; None if none is."""
    plain = lemma(new)
    if word.tag_ == "UH" or word.dep_ == "discourse":
        return _interject(draft, word, plain)
    if word.tag_ == "DT" and word.dep_ == "det":
        return _determine(draft, word, new)
    if plain in _DETERMINERS and word.dep_ in ("amod", "compound"):
        return _determiner_for(draft, word, plain)
    if word.tag_ == "RB" and word.lower_ in _WORDS["middle"] and word.dep_ == "advmod":
        return _adverb(draft, word, plain)
    return None


def _interject(draft: Draft, word: Word, new: str) -> bool:
    fits = any({word.lower_, new} <= _WORDS[kind] for kind in ("interjections", "greetings"))
    beside = {it.lower_ for it in word.doc[max(0, word.i - 1) : word.i + 2]}
    if not fits or new in beside:
        return False
    draft.words[word.i] = styled(new, draft.words[word.i])
    return True


def styled(new: str, old: str) -> str:
    """A word with the capitals of another.

    >>> styled("wow", "Oh"), styled("wow", "YES"), styled("those", "a")
    ('Wow', 'WOW', 'those')
    """
    if len(old) > 1 and old.isupper():
        return new.upper()
    return capital(new) if old[:1].isupper() else new


def _determine(draft: Draft, old: Word, new: str) -> bool:
    """A determiner or an adjective in the place of a determiner."""
    noun, text = old.head, old.lower_
    if text not in _DETERMINERS or not noun.tag_.startswith("NN") or noun.i < old.i:
        return False
    title = noun.text[0].isupper() and old.i and old.nbor(-1).text[0].isupper()
    if title or (old.text[0].isupper() and not draft.starts(old.i)):
        return False
    phrase = _determiner(lemma(new), noun)
    adverbial = noun.dep_.startswith(("obl", "nmod:"))  # "that night"
    bound = text == "no" or (adverbial and all(it.dep_ != "case" for it in noun.children))
    if phrase is None and not bound and (how := worded(new, Form("good", "JJ"))):
        many = noun.tag_ in ("NNS", "NNPS") or noun.lower_ in MASS
        pointing = text in {*_POINTING, *_POINTING.values()}
        article = "the" if pointing else "" if many else article_of(how.word)
        phrase = f"{article} {how.word}".strip()
    if phrase is None:
        return False
    draft.words[old.i] = styled(phrase, draft.words[old.i])
    return True


def _determiner(word: str, noun: Word) -> str | None:
    """The form of a determiner before a noun; None if it cannot stand there."""
    many = noun.tag_ in ("NNS", "NNPS") or (noun.tag_ == "NNP" and noun.lower_.endswith("s"))
    for one, several in _POINTING.items():
        if word in (one, several):
            return several if many else one
    if word in _WORDS["any"]:
        return word if noun.lower_ != "one" else None
    return word if word in _WORDS["one"] and not many and noun.lower_ not in MASS else None


def _determiner_for(draft: Draft, old: Word, new: str) -> bool:
    """A determiner in the place of a modifier, and of the article before it."""
    noun = old.head
    form = _determiner(new, noun)
    others = [it for it in noun.lefts if it.i != old.i and it.dep_ != "case"]
    articles = [it for it in others if it.lower_ in ("a", "an", "the")]
    if form is None or others != articles or list(old.children) or noun.i < old.i:
        return False
    if old.tag_.startswith("NNP") or old.lower_ in PARTICLES:
        return False
    first = min([old, *articles], key=lambda it: it.i)
    if any(it.dep_ in ("cop", "nsubj") and it.i > first.i for it in noun.children):
        return False
    text = styled(form, draft.words[first.i])
    draft.clear([*(it.i for it in articles), old.i])
    draft.words[old.i] = text
    return True


def _adverb(draft: Draft, old: Word, new: str) -> bool | None:
    """An adverb before a verb for another one."""
    form = new if new in _WORDS["middle"] else adverb(new)
    verbal = old.head.tag_.startswith(("VB", "JJ")) and old.i < old.head.i
    before_it = verbal and following_word(old).tag_.startswith(("VB", "MD", "JJ"))
    if form not in _WORDS["middle"] or not before_it or form == old.lower_:
        return None  # "just so we can"
    if word_before(old) in ("not", "n't", "n’t") or inverted(old.head):
        return False  # "not even", "Can he still hear?"
    draft.words[old.i] = styled(form, draft.words[old.i])
    return True
