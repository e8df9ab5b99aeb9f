"""What stands for a part that is gone, where grammar wants something in its place.

A frame of AMR may lack an argument; an English verb may not always: "I love pop music" without its
object is "I love something". Subjects and objects are stood for by *someone* or *something*
(*anyone*, *anything* behind a negation or in a question), a clause by *so* ("I think so"), an
infinitive by its *to* ("I want to").
"""

from collections.abc import Collection
from functools import cache

from ..language.lexicon import Lexicon
from ..language.pronouns import readings
from .agreement import SUBJECTS, Person, agree_behind, base, inverted
from .closed import styled
from .draft import Draft, Word
from .negation import is_negative
from .wordlists import lists

_VERBS = lists(__file__, "filling")
_FILLED = frozenset({"nsubj", "nsubj:pass", "obj"})


def fill(draft: Draft, head: Word, places: Collection[int]) -> bool:
    """Put what says nothing into the place of a part; False if nothing can stand there."""
    if not places or sorted(places) != list(range(min(places), max(places) + 1)):
        return False
    if head.dep_ == "ccomp":
        return _so(draft, head, places)
    if head.dep_ == "xcomp":
        return _to(draft, head, places)
    if head.dep_ not in _FILLED or not _can_be_filled(head):
        return False
    open_ = inverted(head.head) or (head.dep_ == "obj" and is_negative(draft, head.head))
    text = ("any" if open_ else "some") + ("one" if _is_person(head) else "thing")
    first = min(places)
    old = "a" if draft.words[first] == "I" and not draft.starts(first) else draft.words[first]
    old = old if draft.text.isupper() else old.capitalize() if old.isupper() else old
    text = styled(text, old) if draft.starts(first) else text
    draft.clear(places)
    draft.words[head.i] = text
    if head.dep_ in SUBJECTS:
        agree_behind(draft, head, Person(3, False), pronoun=False)
    return True


def _can_be_filled(head: Word) -> bool:
    """Whether a noun or pronoun is one that something can stand for."""
    light = head.dep_ == "obj" and base(head.head) in _VERBS["light"] and not readings(head.text)
    before = head.left_edge.nbor(-1) if head.left_edge.i else head
    titled = before.tag_ == "DT" and before.is_title and not before.is_sent_start
    plain = head.tag_.startswith("NN") or (head.tag_ == "PRP" and head.lower_ != "it")
    reflexive = any(form.case == "refl" for form in readings(head.text))
    joined = any(it.dep_ in ("conj", "cop", "expl") for it in head.children)
    outer = any(it.dep_ == "expl" for it in head.head.children)  # "there is a dog"
    return plain and not (light or reflexive or joined or outer or titled)


def _is_person(word: Word) -> bool:
    """Whether a noun or pronoun is somebody."""
    if readings(word.text):
        return str(word.lower_) not in ("it", "its", "they", "them")
    if word.lower_ in ("lot", "lots", "couple", "bunch"):  # "a lot of people"
        return any(it.dep_ == "nmod" and _is_person(it) for it in word.children)
    return word.ent_type_ == "PERSON" or word.lower_ in _people() or base(word) in _people()


@cache
def _people() -> frozenset[str]:
    anybody = "everyone everybody someone somebody anyone anybody nobody"
    return frozenset([*Lexicon.load().below("person"), *f"people folks fan fans {anybody}".split()])


def _so(draft: Draft, clause: Word, places: Collection[int]) -> bool:
    """ "I think so"."""
    verb = clause.head
    asks = any(it.tag_.startswith("W") for it in verb.children)
    if (
        base(verb) not in _VERBS["saying"]
        or min(places) != verb.i + 1
        or asks
        or _goes_on(draft, places)
    ):
        return False
    draft.clear(places)
    draft.behind[verb.i] = "so"
    return True


def _goes_on(draft: Draft, places: Collection[int]) -> bool:
    """Whether words follow, which would be read with what is put there."""
    following = draft.document[max(places) + 1 : max(places) + 2]
    return any(it.is_alpha and it.tag_ != "UH" and not it.is_sent_start for it in following)


def _to(draft: Draft, infinitive: Word, places: Collection[int]) -> bool:
    """ "I want to"."""
    to = next((it for it in infinitive.children if it.tag_ == "TO"), None)
    if (
        to is None
        or base(infinitive.head) not in _VERBS["wanting"]
        or to.i != infinitive.head.i + 1
    ):
        return False
    if _goes_on(draft, places):
        return False  # "he needs to but he is smart"
    draft.clear(set(places) - {to.i})
    return True
