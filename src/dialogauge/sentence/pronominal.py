"""Pronouns in the place of others, nouns in the place of pronouns, and the other way round.

A pronoun has a case that its place asks for (he, him, his, himself), verbs agree with it, and all
its mentions in a sentence change together; a noun is said once and then taken up by *it*.
"""

from collections.abc import Collection, Sequence

from ..language.concept_names import PRONOUNS
from ..language.inflection import Form
from ..language.pronouns import PRONOUNS as FORMS
from ..language.pronouns import Pronoun, readings
from .agreement import SUBJECTS, Person, agree, agree_behind, clitic_behind, of_pronoun, subject
from .draft import Draft, Word, capital, word_before, word_behind
from .lexical import parted, worded
from .wordlists import lists

_WORDS = lists(__file__, "pronominal")
#: Words that stand for a noun with all that belongs to it, and have no case.
STANDING = _WORDS["things"] | _WORDS["people"] | _WORDS["several"]
_STANDS = frozenset({"nsubj", "nsubj:pass", "obj", "obl", "iobj", "nmod", "conj"})


def stands_alone(word: Word) -> bool:
    """Whether a word stands for a noun: "that is true", "like anything", but not "that dog"."""
    own = [it for it in word.children if it.dep_ not in ("case", "punct", "advmod", "cc")]
    degree = word.i + 1 < len(word.doc) and word.nbor().tag_ in ("JJ", "RB") and word.whitespace_
    if degree and word.dep_ not in SUBJECTS:
        return False  # "all that familiar"
    return word.lower_ in STANDING and word.dep_ in _STANDS and not own


def replace_pronoun(draft: Draft, words: Sequence[Word], new: str) -> bool:
    """Another pronoun or a noun for the mentions of a pronoun."""
    cases = [_case_of(word) for word in words]
    if not all(cases) or any(_in_phrase(draft, word) for word in words):
        return False
    if new not in PRONOUNS and any(_fixed(word) for word in words):
        return False
    if any(word_before(word) == new for word in words):
        return False  # "that that"
    later = new if new in PRONOUNS else "it"  # a noun is said once
    news = [new, *[later] * (len(words) - 1)]
    return all(_put(draft, *each) for each in zip(words, cases, news, strict=True))


def _fixed(word: Word) -> bool:
    """Whether a pronoun belongs to a phrase that wants a pronoun: "oh my god", "isn't it?"."""
    following = word_behind(word)
    swears = word.lower_ == "my" and following in ("god", "gosh", "goodness", "bad")
    return swears or (following == "?" and word_before(word) in _WORDS["tags"])


def _in_phrase(draft: Draft, word: Word) -> bool:
    """Whether a pronoun belongs to a title or to the noun behind it: "you guys", "we all"."""
    if word.dep_ in ("det", "vocative", "discourse", "compound"):
        return True
    if word.lower_ == "its" and not (word.head.i > word.i and word.head.tag_.startswith("NN")):
        return True  # written for "it's"
    if word.text[0].isupper() and not word.text.isupper() and not draft.starts(word.i):
        return True  # in a title
    if word.lower_ == "ya" and draft.starts(word.i):
        return True  # yes
    before = [it.lower_ for it in word.doc[max(0, word.i - 2) : word.i]]
    shared = before[-1:] == ["of"] and before[0] in _WORDS["sharing"]  # "either of us"
    return shared or word_behind(word) in ("guys", "all", "both", "two", "folks")


def mentions(draft: Draft, places: Sequence[int], old: str, taken: Collection[int]) -> list[Word]:
    """The words for a pronoun's variable: those it is aligned to, and others of the same person.

    One variable stands for all mentions in a sentence, but a parser may have aligned only one.
    """
    aligned = {it for it in places if draft.words[it] and _is(old, draft, it)}
    spans = {(sent.start, sent.end) for sent in (draft.document[it].sent for it in aligned)}
    words = [word for start, end in sorted(spans) for word in draft.document[start:end]]
    free = (it for it in words if it.i not in taken)  # possessives and reflexives mean the same
    again = {it.i for it in free if it.tag_ == "PRP$" or it.lower_.endswith(("self", "selves"))}
    return [it for it in words if it.i in aligned | again and _is(old, draft, it.i)]


def _is(concept: str, draft: Draft, place: int) -> bool:
    return any(form in _row(concept) for form in readings(draft.document[place].text))


def _row(concept: str) -> list[Pronoun]:
    """The forms of the person that a concept of AMR is."""
    nominative = [it for it in FORMS if it.case == "nom" and it.text.lower() == concept]
    keys = {(it.person, it.number, it.gender) for it in nominative}
    others = ("one", "one's", "oneself", "y'all", "thou", "y'all's")
    forms = [it for it in FORMS if (it.person, it.number, it.gender) in keys]
    forms = [it for it in forms if it.text not in others]
    return [it for it in forms if concept != "you" or not it.text.startswith("th")]


def _case_of(word: Word) -> str:
    """The case of a pronoun: from its form where that says it, else from its place; or nothing."""
    if stands_alone(word):
        return "nom" if word.dep_ in SUBJECTS else "acc"
    cases = {form.case for form in readings(word.text)}
    if "nom" in cases and clitic_behind(word) is not None:
        return "nom"
    if len(cases) == 1:
        return cases.pop()
    owning = word.tag_ == "PRP$" or word.dep_ == "nmod:poss" or cases <= {"gen", "poss"}
    if "gen" in cases and owning:
        return "gen" if "poss" not in cases or word.i < word.head.i else "poss"
    if "acc" not in cases:
        return ""
    head = word.head if word.dep_ == "conj" else word
    return "nom" if "nom" in cases and head.dep_ in SUBJECTS else "acc"


def _put(draft: Draft, word: Word, case: str, new: str) -> bool:
    """A pronoun or a noun in the place of a pronoun of some case, with agreement."""
    if new in PRONOUNS:
        case = "refl" if case == "acc" and _returns(draft, word, new) else case
        text, who = _pronoun(new, case)
    else:
        text = _noun_phrase(new, case)
        who = Person(3, new in ("people", "police", "cattle") or new in _WORDS["several"])
    several = any(it.lower_ in ("both", "all") for it in word.head.children)
    if not text or (several and case == "nom" and who.tag == "VBZ"):
        return False  # "those are both good"
    shown = word.text != "I" or draft.starts(word.i)
    if shown and word.text[0].isupper() and (len(word.text) == 1 or not word.text.isupper()):
        text = capital(text)
    if text == "I" and ("i" in draft.text.split() or draft.text.islower()):
        text = "i"
    draft.words[word.i] = text.upper() if len(word.text) > 1 and word.text.isupper() else text
    if case == "nom" and not is_coordinated(word):
        agree_behind(draft, word, who, pronoun=new in PRONOUNS or new == "that")
    return True


def _pronoun(concept: str, case: str) -> tuple[str, Person]:
    """A pronoun in some case, and what verbs agree with."""
    form = next(it for it in _row(concept) if it.case == case)
    return form.text, of_pronoun(form)


def _returns(draft: Draft, word: Word, new: str) -> bool:
    """Whether an object is the subject of its verb as well: "I see myself"."""
    who = subject(word.head) if word.dep_ in ("obj", "iobj") else None
    if who is None or who.tag_ != "PRP" or new == "it":
        return False
    return any(form in _row(new) for form in readings(draft.words[who.i]))


def is_coordinated(head: Word) -> bool:
    """Whether a subject has others beside it: "he and I"."""
    return any(it.dep_ == "conj" and it.tag_.startswith(("NN", "PRP")) for it in head.children)


def _noun_phrase(concept: str, case: str) -> str:
    """A noun as a phrase of its own, in some case."""
    if concept in STANDING:
        return _standing(concept, case)
    word, particle = parted(concept)
    wording = worded(concept, Form("dog", "NN"))
    if wording is None or particle:
        return ""
    if case == "refl":
        return "itself"
    phrase = word if word[0].isupper() else f"the {wording.word}"
    return phrase if case in ("nom", "acc") else phrase + ("'" if phrase.endswith("s") else "'s")


def _standing(word: str, case: str) -> str:
    """A word that stands for a noun, in some case; there is no genitive of *that*."""
    if case in ("nom", "acc"):
        return word
    if case == "refl":
        return "itself" if word in _WORDS["things"] else "themselves"
    return f"{word}'s" if word.endswith(("one", "body", "thing")) else ""


def pronoun_for(draft: Draft, noun: Word, new: str) -> bool:
    """A pronoun, or *that*, in the place of a name or of a noun with no more than an article."""
    owner = next((it for it in noun.children if it.dep_ == "case" and it.tag_ == "POS"), None)
    function = ("det", "case", "punct", "cop", "nsubj", "aux", "mark", "cc")
    name_parts = ("flat", "compound") if is_name(noun) else ()
    if any(it.dep_ not in (*function, *name_parts) for it in noun.children):
        return False
    if not noun.tag_.startswith("NN") or noun.dep_ in ("compound", "amod", "flat", "ROOT"):
        return False
    case = "gen" if owner is not None else "nom" if noun.dep_ in SUBJECTS else "acc"
    if new in STANDING:
        text, who = _standing(new, case), Person(3, new in _WORDS["several"])
    else:
        text, who = _pronoun(new, case)
    if not text:
        return False
    gone = [it.i for it in noun.children if it.dep_ in ("det", *name_parts) or it == owner]
    first = min([noun.i, *gone])
    initial = draft.starts(first) and draft.words[first][:1].isupper()
    draft.clear(gone)
    draft.words[noun.i] = capital(text) if initial else text
    if case == "nom" and not is_coordinated(noun):
        agree(draft, noun.head, who, pronoun=True)
    return True


def is_name(noun: Word) -> bool:
    """Whether a noun is a name by itself, not a part of one."""
    return noun.tag_.startswith("NNP") and noun.dep_ not in ("compound", "flat", "amod", "nmod")
