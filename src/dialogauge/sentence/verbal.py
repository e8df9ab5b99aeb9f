"""Another verb in the place of one: its form, its particle, and what it takes beside it."""

from collections.abc import Sequence

from ..language.inflection import Form
from .agreement import auxiliaries, base, inverted
from .draft import Draft, Word, following_word, word_before, word_behind
from .lexical import PARTICLES, worded
from .negation import is_negative
from .valency import fits, lacks_object
from .wordlists import lists

_IDIOMS = frozenset({("on", "come"), ("of", "speaking"), ("to", "according")})
_IDIOMS |= {("forward", "look"), ("forward", "looking")}
_WORDS = lists(__file__, "verbal")


def replace_verb(draft: Draft, verb: Word, places: Sequence[int], new: str) -> bool:
    """A verb in the form of another; its particle goes where that of the old one was."""
    if verb.pos_ == "AUX" or verb.text[0] in "'’" or (word_behind(verb), verb.lower_) in _IDIOMS:
        return False
    form = draft.form(verb.i)
    form = form if form.tag.startswith("VB") else Form(form.text, "VB")
    if form.tag != "VBG" and any(base(it) == "have" for it in auxiliaries(verb)):
        form = Form(form.text, "VBN")
    wording = worded(new, form)
    if verb.lower_ in _WORDS["do"] and not any(it.dep_ == "obj" for it in verb.children):
        return False  # it stands for another verb: "I do"
    if _stands_for_all(verb) or (wording and wording.particle and word_behind(verb) in PARTICLES):
        return False
    if wording is None or _half_modal(verb) or not fits(verb, wording.lemma):
        return False
    old = list(filter(_is_particle, verb.children))
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


def _is_particle(word: Word) -> bool:
    """Whether a word is a particle, or an adverb that is as good as one: "passed away"."""
    near = word.dep_ == "advmod" and word.i == word.head.i + 1
    return word.dep_ == "compound:prt" or (near and word.lower_ in _WORDS["particles"])


def _stands_for_all(verb: Word) -> bool:
    """Whether a verb is one of a set sentence: "How come?", "Agreed.", "What's it called?"."""
    if verb.lower_ == "come" and word_before(verb) == "how":
        return True
    if verb.lower_ == "called" and any(it.dep_ == "aux:pass" for it in verb.children):
        return True
    return verb.tag_ in ("VBN", "VBD") and all(it.is_punct for it in verb.subtree if it != verb)


def _half_modal(verb: Word) -> bool:
    """Whether a verb says no more than a modal: "have to", "used to", "gonna"."""
    following = [it.tag_ for it in verb.doc[verb.i + 1 : verb.i + 3]]
    if base(verb) in ("make", "let", "help") and "VB" in following:
        return True  # "makes you want"
    infinitives = (it for it in verb.children if it.dep_ == "xcomp")
    to = any(it.tag_ == "TO" for infinitive in infinitives for it in infinitive.children)
    return to and verb.lower_ in _WORDS["halves"]


def _behind_object(verb: Word) -> int:
    """The place behind which a particle goes: a pronoun object comes before it."""
    following = following_word(verb)
    pronoun = following.tag_ == "PRP" and following.dep_ in ("obj", "iobj")
    return int(following.i if pronoun else verb.i)
