"""Clauses in a UD parse, and verbs that agree with a new subject.

In Universal Dependencies the *predicate* (a verb, or the noun or adjective behind a copula) is the
head of its clause; auxiliaries, copula and subject hang on it. The *finite* word of a clause is the
first of them all, and the one that shows person, number and tense.
"""

from collections.abc import Iterator

import msgspec

from ..language.inflection import Form, inflect, lemma
from ..language.irregular import CLITICS
from ..language.pronouns import Pronoun, readings
from .draft import Draft, Word, word_behind

_AUXILIARIES = frozenset({"aux", "aux:pass", "cop"})
SUBJECTS = frozenset({"nsubj", "nsubj:pass", "nsubj:outer", "csubj", "csubj:pass", "expl"})
_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})

#: Contractions as they are typed without their apostrophe.
_BARE = {"m": "'m", "re": "'re", "s": "'s", "ve": "'ve", "d": "'d", "ll": "'ll"}
#: What is left before *n't*.
CLIPPED = {"ca": "can", "wo": "will", "sha": "shall"}
_PLAIN = frozenset({"do", "have", "are", "am", "is"})


class Person(msgspec.Struct, frozen=True):
    """Person and number of a subject."""

    person: int
    plural: bool

    @property
    def tag(self) -> str:
        """The Penn tag of a present verb behind it."""
        return "VBZ" if self.person == 3 and not self.plural else "VBP"


def of_pronoun(form: Pronoun) -> Person:
    """What a verb agrees with: *you* and *they* always take plural verbs.

    >>> from ..language.pronouns import readings
    >>> of_pronoun(readings("she")[0]).tag, of_pronoun(readings("you")[0]).tag
    ('VBZ', 'VBP')
    """
    return Person(form.person, form.number == "plur" or form.person == 2 or form.text == "they")


def auxiliaries(predicate: Word) -> list[Word]:
    """The auxiliaries and the copula of a predicate."""
    return [word for word in predicate.children if word.dep_ in _AUXILIARIES]


def subject(predicate: Word) -> Word | None:
    """The subject of a predicate."""
    return next((word for word in predicate.children if word.dep_ in SUBJECTS), None)


def finite(predicate: Word) -> Word | None:
    """The finite word of a clause; None in clauses without one ("to go", "seen", "going")."""
    group = auxiliaries(predicate)
    first = group[0] if group else predicate
    if first.tag_ in _FINITE or (not group and _is_past(first)):
        return first
    taken_for_base = first.tag_ == "VB" and (first.lower_ in _PLAIN if group else _has_own(first))
    return first if taken_for_base else None


def _is_past(verb: Word) -> bool:
    """Whether a participle is a past in truth: it has a subject and no auxiliary."""
    own = any(it.dep_ == "nsubj" for it in verb.children)
    return own and verb.tag_ == "VBN" and verb.dep_ in ("ROOT", "conj", "parataxis", "ccomp")


def _has_own(verb: Word) -> bool:
    """Whether a base form is a finite one in truth: it has a subject and is no infinitive."""
    if any(word.tag_ == "TO" for word in verb.children):
        return False
    who = subject(verb)
    if who is None or verb.dep_ == "csubj":
        return False
    may_lead = any(form.case == "nom" for form in readings(who.text))  # *he* and *you*, not *him*
    return verb.dep_ not in ("xcomp", "ccomp") or may_lead


def inverted(predicate: Word) -> bool:
    """Whether the finite word stands before the subject, as in a question."""
    first, who = finite(predicate), subject(predicate)
    return first is not None and who is not None and first.i < who.i and who.dep_ != "expl"


def agree(draft: Draft, predicate: Word, who: Person, *, pronoun: bool) -> None:
    """Put the finite word of a clause, and of clauses that share its subject, into agreement.

    Behind a subject that is no ``pronoun`` some contractions are written out ("the dog will").
    """
    for each in (predicate, *_sharing(predicate)):
        word = finite(each)
        if word is not None and draft.words[word.i]:
            _agree(draft, word, who)
            if not pronoun:
                _write_out(draft, word)


def agree_behind(draft: Draft, who_word: Word, who: Person, *, pronoun: bool) -> None:
    """Put the verb of a subject into agreement, wherever a wrong parse may have hung it."""
    document, place = who_word.doc, who_word.i
    verb = finite(who_word.head) if who_word.dep_ in SUBJECTS else None
    if verb is not None and (verb.i > place or who_word.left_edge.i - verb.i <= 2):
        agree(draft, who_word.head, who, pronoun=pronoun)
        return
    near = [*document[place + 1 : place + 3], *document[max(0, place - 1) : place]]
    following = clitic_behind(who_word) or next((it for it in near if it.tag_ in _FINITE), None)
    if following is not None:
        _agree(draft, following, who)
        if not pronoun:
            _write_out(draft, following)


def clitic_behind(word: Word) -> Word | None:
    """The contracted verb that hangs on a word: "you're"."""
    if word.i + 1 == len(word.doc) or word.whitespace_ or word.nbor().tag_ not in _FINITE:
        return None
    return word.nbor()


def _sharing(predicate: Word) -> Iterator[Word]:
    for word in predicate.children:
        if word.dep_ == "conj" and subject(word) is None:
            yield word
            yield from _sharing(word)


def _agree(draft: Draft, word: Word, who: Person) -> None:
    be = base(word) == "be"
    past = word.tag_ in ("VBD", "VBN")
    if word.tag_ == "MD" or (past and not be) or "Mood=Sub" in str(word.morph):
        return
    tag = "VBD" if word.tag_ == "VBD" else who.tag
    draft.tags[word.i] = tag
    now = draft.words[word.i]
    bare = now.lower() in _BARE
    features = f"Number={'Plur' if who.plural else 'Sing'}|Person={who.person}"
    like = Form(_BARE.get(now.lower(), now), tag, features)
    form = inflect(draft.lemmas.get(word.i) or base(word), like)
    draft.words[word.i] = form.replace("'", "") if bare else form
    if not be or form.lower() != "am" or word_behind(word) not in ("n't", "n’t", "nt"):
        return
    if inverted(word if word.dep_ not in _AUXILIARIES else word.head):  # "aren't I", but "I'm not"
        draft.words[word.i] = "Are" if draft.words[word.i][0].isupper() else "are"
    else:
        draft.words[word.i + 1], draft.gaps[word.i + 1] = "not", " "


def base(word: Word) -> str:
    """The lemma of an auxiliary or verb; of *'s* and *'d* that which the next verb asks for."""
    text = word.lower_.replace("’", "'")
    if text in ("'s", "s"):
        perfect = word.dep_ == "aux" and word.head.tag_ in ("VBN", "VBD")
        been = any(other.lower_ == "been" for other in auxiliaries(word.head))
        return "have" if perfect or been else "be"
    if text in ("'d", "d"):
        if word.i and word.nbor(-1).tag_.startswith("W"):
            return "do"  # "What'd you think?"
        return "would" if word.tag_ == "MD" else "have"
    return CLIPPED.get(text) or lemma(word.text, word.tag_)


def _write_out(draft: Draft, word: Word) -> None:
    """A contraction that English writes behind pronouns only, in full."""
    now = draft.words[word.i].lower().replace("’", "'")
    bare = now in _BARE and not draft.gaps[word.i]
    now = _BARE[now] if bare else now
    if now == "'s":
        draft.words[word.i], draft.gaps[word.i] = inflect(base(word), Form("", "VBZ")), " "
    elif now in ("'re", "'ve", "'m", "'d", "'ll"):
        full = [form for form, short in CLITICS.items() if short == now]
        had = now == "'d" and base(word) == "have"
        draft.words[word.i] = "had" if had else next(it for it in full if it != "had")
        draft.gaps[word.i] = draft.gaps[word.i] or " "
