"""Another verb in the place of one: its form, its particle, and what it takes beside it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..language.inflection import Form
from .agreement import auxiliaries, base, inverted
from .draft import Draft
from .lexical import PARTICLES, worded
from .negation import is_negative
from .neighbours import following_word, word_before, word_behind
from .valency import fits, lacks_object

if TYPE_CHECKING:
    from spacy.tokens import Token as Word


def replace_verb(draft: Draft, verb: "Word", places: Sequence[int], new: str) -> bool:
    """A verb in the form of another; its particle goes where that of the old one was."""
    if verb.pos_ == "AUX" or verb.text[0] in "'’" or (word_behind(verb), verb.lower_) in _IDIOMS:
        return False
    form = draft.form(verb.i)
    form = form if form.tag.startswith("VB") else Form(form.text, "VB")
    if form.tag != "VBG" and any(base(it) == "have" for it in auxiliaries(verb)):
        form = Form(form.text, "VBN")
    wording = worded(new, form)
    if verb.lower_ in _DO and not any(it.dep_ == "obj" for it in verb.children):
        return False  # it stands for another verb: "I do"
    if _stands_for_all(verb) or (wording and wording.particle and word_behind(verb) in PARTICLES):
        return False
    if wording is None or _half_modal(verb) or not fits(verb, wording.lemma):
        return False
    old = [it for it in verb.children if it.dep_ == "compound:prt" or _is_particle(it)]
    own = {verb.i, *(it.i for it in old)}
    if any(place not in own and draft.document[place].lower_ not in PARTICLES for place in places):
        return False
    draft.words[verb.i] = wording.word
    draft.lemmas[verb.i] = wording.lemma
    if lacks_object(verb, wording.lemma):
        asked = inverted(verb) or is_negative(draft, verb)
        draft.behind[verb.i] = "anything" if asked else "something"
    draft.clear(it.i for it in old[1:])
    if old:
        draft.words[old[0].i] = wording.particle
    elif wording.particle:
        place = _behind_object(verb)
        draft.behind[place] = f"{draft.behind[place]} {wording.particle}".strip()
    return True


def _is_particle(word: "Word") -> bool:
    """Whether an adverb is as good as a particle: "passed away"."""
    near = word.dep_ == "advmod" and word.i == word.head.i + 1
    return near and word.lower_ in ("away", "off", "up", "down", "out")


_IDIOMS = frozenset({("on", "come"), ("of", "speaking"), ("to", "according"), ("forward", "look")})
_IDIOMS |= {("forward", "looking")}
_DO = frozenset({"do", "does", "did", "done", "doing"})


def _stands_for_all(verb: "Word") -> bool:
    """Whether a verb is one of a set sentence: "How come?", "Agreed.", "What's it called?"."""
    how = verb.lower_ == "come" and word_before(verb) == "how"
    how = how or (verb.lower_ == "called" and any(it.dep_ == "aux:pass" for it in verb.children))
    return how or (
        verb.tag_ in ("VBN", "VBD") and all(it.is_punct for it in verb.subtree if it != verb)
    )


def _half_modal(verb: "Word") -> bool:
    """Whether a verb says no more than a modal: "have to", "used to", "gonna"."""
    to = any(
        it.dep_ == "xcomp" and any(x.tag_ == "TO" for x in it.children) for it in verb.children
    )
    helping = base(verb) in ("make", "let", "help")
    if helping and "VB" in [it.tag_ for it in _next(verb, 2)]:
        return True  # "makes you want"
    halves = ("have", "has", "had", "used", "got", "going", "gon", "wan", "supposed", "ought")
    return to and verb.lower_ in halves


def _next(word: "Word", count: int) -> list["Word"]:
    return list(word.doc[word.i + 1 : word.i + 1 + count])


def _behind_object(verb: "Word") -> int:
    """The place behind which a particle goes: a pronoun object comes before it."""
    following = following_word(verb)
    pronoun = following.tag_ == "PRP" and following.dep_ in ("obj", "iobj")
    return int(following.i if pronoun else verb.i)
