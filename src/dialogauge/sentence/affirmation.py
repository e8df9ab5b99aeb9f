"""Sentences without *not*.

To affirm a clause its negation goes. A *do* that is no longer needed gives its tense back to the
verb, *no* gives way to an article where the noun wants one, and words that live on negation
(*any*, *yet*, *at all*) are replaced. What is not negated, or not in one of these ways, is refused
(False).
"""

import re

from ..language.inflection import Form, inflect
from ..language.lexicon import Lexicon
from .agreement import CLIPPED, auxiliaries, base, inverted, subject
from .draft import Draft, Word, article_of, following_word, is_last, word_before, word_behind
from .lexical import MASS
from .negation import NEGATIONS, NOT, like
from .wordlists import lists, named

#: Negative words, and what says the same of something that is.
_POSITIVE = named(__file__, "positive")
#: Words that want a negation before them, and what they become when it goes.
_WANTING = named(__file__, "wanting")
_PREFIX = re.compile(r"(?:un|in|im|ir|il|dis|non-?)(?=\w{3})", re.I)
#: What nobody says without a negation before it: "not until today", "not in a long time".
_LIVING = re.compile(
    r"[^.!?]*?\b(?:until|till|in (?:a (?:long|very long) time|a while|ages|years|forever))\b", re.I
)
_PHRASES = lists(__file__, "affirmation")["phrases"]


def affirm(draft: Draft, word: Word) -> bool:
    """Take the negation of what a word says away; False if none is found or it cannot go."""
    predicate = word.head if word.dep_ in ("aux", "aux:pass", "cop") else word
    negation = _negation(draft, word, predicate)
    if negation is None:
        return _without_prefix(draft, word)
    text = negation.lower_
    asking = following_word(predicate).tag_.startswith("W")
    unsure = asking and predicate.lower_ in ("sure", "certain")
    if unsure or word_behind(negation) in ("only", "just"):
        return False  # "not sure why", "not only ... but"
    if _LIVING.match(draft.text, negation.idx) or (text, negation.head.tag_) == ("without", "VBG"):
        return False
    if text in NOT and not _affirm_finite(draft, predicate, negation):
        return False
    if text == "no" and not _without_no(draft, negation):
        return False
    if text in _POSITIVE:
        draft.words[negation.i] = like(_POSITIVE[text], draft, negation)
    elif text == "never":
        draft.clear([negation.i])
    _mend_wanting(draft, predicate, negation.i)
    return True


def _negation(draft: Draft, word: Word, predicate: Word) -> Word | None:
    """The word that negates: behind the auxiliaries, among the dependents, or theirs."""
    if word.lower_ in _POSITIVE:
        return word
    near = [it.nbor() for it in auxiliaries(predicate) if it.i + 1 < len(it.doc)]
    own = [it for it in [*near, *predicate.children, *word.children] if it.lower_ in NEGATIONS]
    if own:
        return next((it for it in own if draft.words[it.i]), None)
    below = [it for child in predicate.children for it in (child, *child.children)]
    for it in [*predicate.children, *word.children, *below]:
        if (it.lower_ == "no" and it.dep_ == "det") or it.lower_ in _POSITIVE:
            return it
    return None


def _affirm_finite(draft: Draft, predicate: Word, negation: Word) -> bool:
    """Clear *not*; with it a *do* that stands only because of it."""
    before = predicate.doc[negation.i - 1] if negation.i else None
    draft.clear([negation.i])
    if before is None or before.dep_ not in ("aux", "cop", "aux:pass", "ROOT"):
        return True
    if base(before) != "do" or before.i == predicate.i or before.dep_ != "aux":
        return _unclipped(draft, before)
    if not inverted(predicate) and predicate.tag_ == "VB" and predicate.i > before.i:
        _give_back(draft, predicate, before)
    return True


def _unclipped(draft: Draft, word: Word) -> bool:
    """ "ca", "wo" and "ai" are nothing without "n't"."""
    full = CLIPPED.get(word.lower_)
    last = word.i + 2 >= len(word.doc) or word.doc[word.i + 2].is_punct
    if last and word.text[0] in "'’":  # "I'm not."
        full = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will"}.get(word.lower_, "is")
        draft.gaps[word.i] = " "
    if word.lower_ == "ai":
        return False
    if full:
        draft.words[word.i] = like(full, draft, word)
    return True


def _give_back(draft: Draft, verb: Word, do: Word) -> None:
    """The tense of *do* to its verb."""
    who = subject(verb)
    asked = "Mood=Imp" in str(do.morph) or (who is None and do.tag_ != "VBD")
    tag = "VB" if asked else draft.tag(do.i)
    if tag == "VBP" and who is not None and who.lower_ in ("he", "she", "it"):
        tag = "VBZ"  # "he don't"
    form = Form(draft.words[verb.i], tag, str(do.morph))
    draft.words[verb.i] = inflect(draft.lemma(verb.i), form)
    draft.clear([do.i])


def _without_no(draft: Draft, no: Word) -> bool:
    """ "no money" without "no"; a singular noun that can be counted gets an article."""
    noun = no.head
    if word_behind(no) in _PHRASES or any(it.dep_ == "nmod:poss" for it in noun.children):
        return False
    if noun.tag_ == "NN" and noun.lower_ not in MASS and not noun.lower_.endswith(("ing", "ness")):
        draft.words[no.i] = like(article_of(draft.slot(no.i + 1)), draft, no)
    else:
        draft.clear([no.i])
    return True


def _without_prefix(draft: Draft, word: Word) -> bool:
    """ "unhappy" as "happy"; the part that is left must be a word."""
    prefix = _PREFIX.match(draft.words[word.i])
    rest = draft.words[word.i][prefix.end() :] if prefix else ""
    if not rest or not Lexicon.load().senses(rest.lower()):
        return False
    draft.words[word.i] = like(rest, draft, word)
    return True


def _mend_wanting(draft: Draft, predicate: Word, start: int) -> None:
    """Replace words behind a negation that cannot do without it, but for clauses beside its own."""
    clauses = (it for it in predicate.children if it.dep_ in ("parataxis", "conj", "ccomp"))
    beside = [it for it in clauses if it.i > predicate.i and inverted(it)]
    outside = {word.i for clause in beside for word in clause.subtree}
    for word in (it for it in predicate.subtree if it.i not in outside):
        new = _WANTING.get(word.lower_)
        if new is None or word.i < start or not draft.words[word.i]:
            continue
        if word.lower_ == "much" and not _is_amount(word):
            continue
        either = word.lower_ == "either" and word.dep_ not in ("advmod", "discourse")
        if either and not is_last(word):
            continue
        if word.lower_ == "yet" and word.dep_ == "cc":
            continue
        if word.lower_ in ("ever", "even") and word.i + 1 != predicate.i:
            continue
        draft.words[word.i] = new
    for word in predicate.subtree:
        if word.lower_ == "all" and word.i > start and draft.words[word.i - 1].lower() == "at":
            draft.clear([word.i - 1, word.i])


def _is_amount(much: Word) -> bool:
    """Whether *much* stands by itself: "I don't know much", but not "so much", "much better"."""
    own = [it for it in much.children if it.lower_ not in ("at", "all")]
    if own or word_before(much) in ("as", "so", "too", "very", "how", "that"):
        return False
    return much.dep_ == "obj" or (much.dep_ == "advmod" and bool(much.head.i < much.i))
