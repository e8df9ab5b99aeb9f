"""Another word or number in the place of one, in its form.

A place in a sentence wants a number, a tense, a degree; the new word takes them from the old one.
Each function writes into the draft and says whether it could.
"""

from collections.abc import Collection, Sequence

from ..language.concept_names import PRONOUNS, lemma
from ..language.inflection import Form
from .closed import replace_closed
from .draft import Draft, Word, capital, one_run, tops, word_before, word_behind
from .lexical import agent, is_word, numeral, worded
from .negation import NOT, negate
from .nominal import replace_noun
from .pronominal import STANDING, mentions, pronoun_for, replace_pronoun, stands_alone
from .verbal import replace_verb
from .wordlists import lists

_WORDS = lists(__file__, "substitution")
#: What stands beside a word and stays, even if a graph has it in the same node.
_BESIDE = frozenset({"det", "nummod", "nmod:poss", "case", "punct", "cop", "aux"})


def replace_word(
    draft: Draft, places: Sequence[int], old: str, new: str, taken: Collection[int] = ()
) -> bool:
    """Another concept for the words of a variable; ``taken`` are those of the other variables."""
    if old in PRONOUNS:
        words = mentions(draft, places, old, taken)
        return bool(words) and replace_pronoun(draft, words, new)
    words = heads(draft, places, old)
    return bool(words) and _replace_one(draft, words[0], _own(draft, places, old), new)


def heads(draft: Draft, places: Sequence[int], concept: str) -> list[Word]:
    """The word that says a concept among its words, if it is one that can be replaced."""
    words = tops(draft, _own(draft, places, concept))
    if len(words) != 1 or words[0].lower_ in _WORDS["set"] or word_behind(words[0]) in ("na", "ta"):
        return []
    return [] if _is_joined(words[0]) else words


def _is_joined(word: Word) -> bool:
    """Whether a word is a part of one with a hyphen: "fail-safe"."""
    behind = not word.whitespace_ and word_behind(word) == "-"
    return behind or (word_before(word) == "-" and not word.nbor(-1).whitespace_)


def _replace_one(draft: Draft, word: Word, places: Sequence[int], new: str) -> bool:
    """Another concept for the words that hang on one."""
    done = replace_closed(draft, word, new)
    if done is not None:
        return done
    if stands_alone(word):
        return replace_pronoun(draft, [word], new)
    if new in PRONOUNS or new in STANDING:
        return pronoun_for(draft, word, new)
    if word.tag_ == "MD":  # what is possible is impossible: *can*, *can't*
        impossible = lemma(new) == "impossible" and word.lower_ in ("can", "could")
        return impossible and negate(draft, word)
    relations = {it.dep_ for it in word.children}
    taken_for_noun = "aux" in relations and relations.isdisjoint(("cop", "det"))
    if word.tag_.startswith("VB") or taken_for_noun:  # "would just sing it"
        return replace_verb(draft, word, places, new)
    writer = replace_noun if word.tag_.startswith("NN") else _replace_other
    return writer(draft, word, places, new)


def _own(draft: Draft, places: Sequence[int], concept: str) -> list[int]:
    """The words that say a concept, without those that a graph has in the same node beside it."""
    exact = [it for it in places if draft.lemma(it).lower() == lemma(concept)]
    if len(exact) == 1 or len(places) == 1:
        return exact or list(places)
    words = [draft.document[it] for it in places]
    return [it.i for it in words if it.dep_ not in _BESIDE and it.lower_ not in NOT]


def replace_agent(draft: Draft, places: Sequence[int], new: str) -> bool:
    """Another frame inside a noun for who does it: *teacher*, *singer*."""
    if len(places) != 1 or not draft.document[places[0]].tag_.startswith("NN"):
        return False
    noun = agent(new, draft.form(places[0]))
    draft.words[places[0]] = noun or draft.words[places[0]]
    return noun is not None


def replace_number(draft: Draft, places: Sequence[int], old: str, new: str) -> bool:
    """Another number for one that stands at or beside some words."""
    near = {*places, *(it.i for place in places for it in draft.document[place].children)}
    for place in sorted(near):
        written = draft.words[place].lower()
        same = written == old or numeral(old, written) or numeral(written, old) == written
        if same and (now := numeral(written, new)):
            draft.words[place] = capital(now) if draft.words[place][0].isupper() else now
            return True
    return False


def _replace_other(draft: Draft, word: Word, places: Sequence[int], new: str) -> bool:
    """An adjective or an adverb; "more" goes where the new one has a comparative of its own."""
    before, describes = word_before(word), word.tag_.startswith(("JJ", "RB"))
    if not describes or not one_run(draft, places) or _is_set(word, before):
        return False
    like = draft.form(word.i)
    asked = before in ("how", "too", "as", "so", "that")
    asked = asked or (word.lower_ == "long" and word.nbor(-1).tag_ == "NNS" if word.i else False)
    if word.tag_ == "RB" and asked:
        like = Form(word.text, "JJ")  # "how long", "how short"
    degree = word.tag_ == "RB" and word.head.tag_.startswith(("JJ", "RB"))
    if lemma(new) in ("fewer", "fewest") and word.head.tag_ != "NNS":
        return False
    if degree and not new.endswith("ly") and like.text.lower().endswith("ly"):
        return False  # "really nice", but not "soon nice"
    more = next((it for it in word.children if it.lower_ in ("more", "most")), None)
    if more is not None and more.i + 1 == word.i and word.tag_ in ("JJ", "RB"):
        like = Form(word.text, word.tag_ + ("R" if more.lower_ == "more" else "S"))
    wording = worded(new, like)
    if wording is None or (word.dep_ == "amod" and wording.lemma in _WORDS["predicative"]):
        return False
    if like.tag == "RB" and word.lower_.endswith("ly") and is_word(wording.word, "a"):
        return False  # "really speaks", not "cool speaks"
    draft.clear(place for place in places if place != word.i)
    if more is not None and like.tag in ("JJR", "JJS", "RBR", "RBS"):
        draft.clear([more.i])
    draft.words[word.i] = wording.word
    draft.lemmas[word.i] = wording.lemma
    return True


def _is_set(word: Word, before: str) -> bool:
    """Whether an adjective or adverb is one of a set phrase."""
    if word.dep_ in ("case", "mark", "cc", "fixed"):
        return True  # "instead of", "as well as"
    title = word.text[0].isupper() and not word.is_sent_start and not word.text.isupper()
    if title and before[:1].isalnum():
        return True
    if before == "as" and word_behind(word) == "as" and word.tag_ == "RB":
        return True  # "as long as"
    bound = (before == "a" and word.lower_ in ("few", "little")) or before == "any"
    return bound or any(it.dep_ == "fixed" for it in word.children)  # "a few", "any good"
