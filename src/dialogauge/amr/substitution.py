"""Another word, name or number in the place of one, in its form.

A place in a sentence wants a number, a tense, a degree; the new word takes them from the old one.
Each function writes into the draft and says whether it could.
"""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from ..language.inflection import Form
from ..language.lexicon import Lexicon
from .agreement import SUBJECTS, Person, agree, auxiliaries, word_behind
from .draft import Draft, capital
from .lexical import (
    MASS,
    PARTICLES,
    UNCOUNTABLE,
    Wording,
    agent,
    is_word,
    numeral,
    parted,
    worded,
)
from .pronominal import is_coordinated, is_name, mentions, pronoun_for, replace_pronoun
from .questions import PRONOUNS
from .valency import fits

if TYPE_CHECKING:
    from spacy.tokens import Token as Word

_ARTICLES = frozenset({"a", "an", "the", "this", "that", "some", "any", "these", "those"})


def tops(draft: Draft, places: Sequence[int]) -> list["Word"]:
    """The words among some places that hang on none of the others, punctuation aside."""
    words = [draft.document[place] for place in places if draft.words[place]]
    words = [word for word in words if any(map(str.isalnum, word.text))]
    own = {word.i for word in words}
    return [word for word in words if word.head.i not in own or word.head.i == word.i]


def replace_word(
    draft: Draft, places: Sequence[int], old: str, new: str, taken: Collection[int] = ()
) -> bool:
    """Another concept for the words of a variable; ``taken`` are those of the other variables."""
    if old in PRONOUNS:
        found = mentions(draft, places, old, taken)
        return bool(found) and replace_pronoun(draft, found, new)
    places = [it for it in places if draft.document[it].dep_ not in _DETERMINERS]
    heads = tops(draft, places)
    if len(heads) != 1 or heads[0].lower_ in _SET or word_behind(heads[0]) in ("na", "ta"):
        return False
    if new in PRONOUNS:
        return pronoun_for(draft, heads[0], new)
    verbal = heads[0].tag_.startswith("VB") or _is_verb(heads[0])
    if heads[0].tag_.startswith("NN") and not verbal:
        return _replace_noun(draft, heads[0], places, new)
    if verbal:
        return _replace_verb(draft, heads[0], places, new)
    return _replace_other(draft, heads[0], places, new)


#: What stands beside a word and stays, even if a graph has it in the same node.
_DETERMINERS = frozenset({"det", "nummod", "nmod:poss", "case", "punct", "cop", "aux"})
#: Words of set phrases.
_SET = frozenset({"thank", "thanks", "let", "please"})


def _is_verb(noun: "Word") -> bool:
    """Whether a tagger's noun is a verb by what hangs on it: "would just sing it"."""
    return any(it.dep_ == "aux" for it in noun.children) and not any(
        it.dep_ in ("cop", "det") for it in noun.children
    )


def replace_agent(draft: Draft, places: Sequence[int], new: str) -> bool:
    """Another frame inside a noun for who does it: *teacher*, *singer*."""
    if len(places) != 1 or not draft.document[places[0]].tag_.startswith("NN"):
        return False
    found = agent(new, draft.form(places[0]))
    draft.words[places[0]] = found or draft.words[places[0]]
    return found is not None


def replace_number(draft: Draft, places: Sequence[int], old: str, new: str) -> bool:
    """Another number for one that stands at or beside some words."""
    near = {*places, *(it.i for place in places for it in draft.document[place].children)}
    for place in sorted(near):
        written = draft.words[place].lower()
        found = numeral(written, new) if numeral(old, written) or written == old else None
        found = found or (numeral(written, new) if numeral(written, old) == written else None)
        if found:
            draft.words[place] = capital(found) if draft.words[place][0].isupper() else found
            return True
    return False


def _replace_noun(draft: Draft, noun: "Word", places: Sequence[int], new: str) -> bool:
    acronym = noun.text.isupper() and not Lexicon.load().senses(noun.lower_, "n")
    tag = "NN" if noun.tag_ == "NNS" and is_word(noun.lower_, "n") else noun.tag_
    found = worded(new, Form(noun.text.lower() if acronym else noun.text, tag))
    if found is None and noun.dep_ == "compound":  # "music video", "good video"
        found = worded(new, Form(noun.text, "JJ"))
    if found is None or not _one_run(draft, places) or not _takes(noun, found):
        return False
    proper = new[0].isupper()
    if is_name(noun) and not proper:
        return name(draft, places, found.lemma, article=True)
    if proper and not is_name(noun):
        draft.clear(it.i for it in noun.lefts if it.lower_ in _ARTICLES)
    draft.clear(place for place in places if place != noun.i)
    draft.words[noun.i] = capital(found.word) if acronym and draft.starts(noun.i) else found.word
    draft.lemmas[noun.i] = found.lemma
    return True


def _takes(noun: "Word", found: Wording) -> bool:
    """Whether a noun's place is one that another noun can have."""
    if noun.dep_ in ("advmod", "discourse", "mark", "cc", "fixed"):
        return False
    if noun.dep_ in ("ccomp", "xcomp", "advcl", "acl:relcl") and not auxiliaries(noun):
        return False  # a verb that was taken for a noun
    if _is_bare(noun):
        return found.lemma in MASS
    uncounted = _is_gerund(found) or found.lemma in UNCOUNTABLE
    return not (uncounted and {it.lower_ for it in noun.lefts} & _COUNTING)


_COUNTING = frozenset({"a", "an", "another", "each", "every", "one", "these", "those", "many"})


def _is_gerund(found: Wording) -> bool:
    """Whether a noun is a verb in *-ing*, which no "a" goes before."""
    return found.word.endswith("ing") and not is_word(found.lemma, "n")


def _is_bare(noun: "Word") -> bool:
    """Whether a singular noun stands without anything that determines it: "I love jazz"."""
    if noun.tag_ != "NN" or noun.dep_ in ("compound", "amod", "nmod:poss", "ROOT"):
        return False
    return not any(it.dep_ in _DETERMINING for it in noun.children)


_DETERMINING = frozenset({"det", "nmod:poss", "nummod", "compound", "amod", "det:predet"})


def _one_run(draft: Draft, places: Sequence[int]) -> bool:
    """Whether places stand side by side."""
    kept = [place for place in places if draft.words[place]]
    return bool(kept) and kept == list(range(kept[0], kept[0] + len(kept)))


def _replace_verb(draft: Draft, verb: "Word", places: Sequence[int], new: str) -> bool:
    """A verb in the form of another; its particle goes where that of the old one was."""
    if (
        verb.pos_ == "AUX"
        or verb.text[0] in "'’"
        or (word_behind(verb) == "on" and verb.lower_ == "come")
    ):
        return False
    form = draft.form(verb.i)
    found = worded(new, form if form.tag.startswith("VB") else Form(form.text, "VB"))
    if verb.lower_ in _DO and not any(it.dep_ == "obj" for it in verb.children):
        return False  # it stands for another verb: "I do"
    if found is None or _half_modal(verb) or not fits(verb, found.lemma):
        return False
    old = [it for it in verb.children if it.dep_ == "compound:prt"]
    own = {verb.i, *(it.i for it in old)}
    if any(place not in own and draft.document[place].lower_ not in PARTICLES for place in places):
        return False
    draft.words[verb.i] = found.word
    draft.lemmas[verb.i] = parted(new)[0]
    draft.clear(it.i for it in old[1:])
    if old:
        draft.words[old[0].i] = found.particle
    elif found.particle:
        draft.behind[_behind_object(verb)] = found.particle
    return True


_DO = frozenset({"do", "does", "did", "done", "doing"})


def _half_modal(verb: "Word") -> bool:
    """Whether a verb says no more than a modal: "have to", "used to", "gonna"."""
    to = any(
        it.dep_ == "xcomp" and any(x.tag_ == "TO" for x in it.children) for it in verb.children
    )
    if verb.lemma_ in ("make", "let", "help") and "VB" in [it.tag_ for it in _next(verb, 2)]:
        return True  # "makes you want"
    halves = ("have", "has", "had", "used", "got", "going", "gon", "wan", "supposed", "ought")
    return to and verb.lower_ in halves


def _next(word: "Word", count: int) -> list["Word"]:
    return list(word.doc[word.i + 1 : word.i + 1 + count])


def _behind_object(verb: "Word") -> int:
    """The place behind which a particle goes: a pronoun object comes before it."""
    following = verb.nbor() if verb.i + 1 < len(verb.doc) else verb
    pronoun = following.tag_ == "PRP" and following.dep_ in ("obj", "iobj")
    return int(following.i if pronoun else verb.i)


def _replace_other(draft: Draft, word: "Word", places: Sequence[int], new: str) -> bool:
    """An adjective or an adverb; "more" goes where the new one has a comparative of its own."""
    if not word.tag_.startswith(("JJ", "RB")) or not _one_run(draft, places):
        return False
    if word.dep_ in ("case", "mark", "cc", "fixed") or any(
        x.dep_ == "fixed" for x in word.children
    ):
        return False  # "instead of", "as well as"
    like = draft.form(word.i)
    asked = word.i > 0 and word.nbor(-1).lower_ in ("how", "too", "as", "so", "that")
    if word.tag_ == "RB" and asked:
        like = Form(word.text, "JJ")  # "how long", "how short"
    degree = word.tag_ == "RB" and word.head.tag_.startswith(("JJ", "RB"))
    if degree and not new.endswith("ly") and like.text.lower().endswith("ly"):
        return False  # "really nice", but not "soon nice"
    more = next((it for it in word.children if it.lower_ in ("more", "most")), None)
    if more is not None and more.i + 1 == word.i and word.tag_ in ("JJ", "RB"):
        like = Form(word.text, word.tag_ + ("R" if more.lower_ == "more" else "S"))
    found = worded(new, like)
    if found is None:
        return False
    draft.clear(place for place in places if place != word.i)
    if more is not None and like.tag in ("JJR", "JJS", "RBR", "RBS"):
        draft.clear([more.i])
    draft.words[word.i] = found.word
    draft.lemmas[word.i] = found.lemma
    return True


def name(draft: Draft, places: Sequence[int], new: str, *, article: bool = False) -> bool:
    """A name, or a noun with ``article``, in the place of a name's words."""
    kept = [place for place in places if draft.words[place]]
    if not _one_run(draft, kept):
        return False
    head = tops(draft, kept)
    if not head:
        return False
    determined = any(it.dep_ in ("det", "nmod:poss") for it in head[0].lefts)
    first = kept[0]
    text = f"the {new}" if article and not determined else new
    if draft.words[kept[-1]].endswith(".") and not text.endswith("."):
        text += "."  # the end of the sentence, taken for that of an abbreviation
    if head[0].tag_ == "NNPS" and not article and not new.endswith("s"):
        draft.clear(it.i for it in head[0].lefts if it.lower_ in _ARTICLES)
        if head[0].dep_ in SUBJECTS and not is_coordinated(head[0]):
            agree(draft, head[0].head, Person(3, False), pronoun=False)
    draft.clear(kept[1:])
    draft.words[first] = capital(text) if draft.starts(first) and article else text
    if draft.document[first].text.islower() and draft.text.islower():
        draft.words[first] = draft.words[first].lower()
    return True
