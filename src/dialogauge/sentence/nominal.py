"""Another noun or name in the place of one: number, countability, articles, agreement."""

from collections.abc import Sequence

from ..language.inflection import Form
from ..language.inflection import lemma as singular
from ..language.lexicon import Lexicon
from .agreement import SUBJECTS, Person, agree, agree_behind, auxiliaries
from .draft import Draft, Word, capital, one_run, tops, word_behind
from .lexical import MASS, UNCOUNTABLE, Wording, is_word, worded
from .pronominal import is_coordinated, is_name
from .wordlists import lists

_WORDS = lists(__file__, "nominal")
_DETERMINING = frozenset({"det", "nmod:poss", "nummod", "compound", "amod", "det:predet"})


def replace_noun(draft: Draft, noun: Word, places: Sequence[int], new: str) -> bool:
    """A noun in the number of another; without an article in the plural if it can be counted."""
    acronym = noun.text.rstrip("s").isupper() and not Lexicon.load().senses(noun.lower_, "n")
    text = noun.text.lower() if acronym else noun.text
    wording = worded(new, Form(text, _tag(draft, noun)))
    if wording is not None and _is_bare(noun) and wording.lemma not in MASS:
        wording = worded(new, Form(text, "NNS"))  # "I love jazz", "I love dogs"
    if wording is None and noun.dep_ == "compound":  # "music video", "good video"
        wording = worded(new, Form(noun.text, "JJ"))
    if wording is None or not one_run(draft, places) or not _takes(noun, wording):
        return False
    if word_behind(noun) == "of" and noun.lower_.rstrip("s") in _WORDS["measures"]:
        return False  # "a kind of"
    if noun.dep_ in ("compound", "flat") and noun.tag_ == noun.head.tag_ == "NNP":
        return False  # a part of a name
    if wording.word in {it.text for it in noun.doc[max(0, noun.i - 1) : noun.i + 2]}:
        return False  # "baseball baseball"
    proper = new[0].isupper()
    if is_name(noun) and not proper:
        return name(draft, places, wording.lemma, article=True)
    if proper and not is_name(noun):
        draft.clear(it.i for it in noun.lefts if it.lower_ in _WORDS["articles"])
    draft.clear(place for place in places if place != noun.i)
    initial = acronym and draft.starts(noun.i)
    draft.words[noun.i] = capital(wording.word) if initial else wording.word
    draft.lemmas[noun.i] = wording.lemma
    if _is_bare(noun) and wording.lemma not in MASS and noun.dep_ in SUBJECTS:
        agree_behind(draft, noun, Person(3, True), pronoun=False)
    return True


def _takes(noun: Word, wording: Wording) -> bool:
    """Whether a noun's place is one that another noun can have."""
    if noun.dep_ in ("advmod", "discourse", "mark", "cc", "fixed", "vocative"):
        return False
    numbered = noun.i + 1 < len(noun.doc) and noun.nbor().tag_ == "CD"  # "film one"
    if numbered or (wording.word in ("people", "police", "cattle") and noun.tag_ == "NN"):
        return False
    if wording.lemma not in MASS and any(it.lower_ in ("much", "little") for it in noun.lefts):
        return noun.tag_ == "NNS" or noun.lower_ not in MASS
    if noun.dep_ in ("ccomp", "xcomp", "advcl", "acl:relcl") and not auxiliaries(noun):
        return False  # a verb that was taken for a noun
    if _is_bare(noun):
        return wording.lemma in MASS or not _in_phrase(noun)
    gerund = wording.word.endswith("ing") and not is_word(wording.lemma, "n")
    uncounted = gerund or wording.lemma in UNCOUNTABLE
    return not (uncounted and {it.lower_ for it in noun.lefts} & _WORDS["counting"])


def _is_bare(noun: Word) -> bool:
    """Whether a singular noun stands without anything that determines it: "I love jazz"."""
    if noun.tag_ != "NN" or noun.dep_ in ("compound", "amod", "nmod:poss", "ROOT"):
        return False
    if noun.lower_ in MASS:  # "some good music"
        counted = [it for it in noun.lefts if it.dep_ in ("det", "nmod:poss", "nummod")]
        return all(it.lower_ in ("some", "any", "no", "all") for it in counted)
    if noun.i and noun.nbor(-1).tag_ in ("DT", "PRP$", "POS", "CD", "JJ"):
        return False  # whatever it hangs on
    return not any(it.dep_ in _DETERMINING for it in noun.children)


def _tag(draft: Draft, noun: Word) -> str:
    """The tag of a noun, mended where it cannot be: "news" is one, "films" are several."""
    if noun.tag_ == "NNS" and noun.lower_.endswith("s") and draft.lemma(noun.i) == noun.lower_:
        return "NN"
    single = singular(noun.lower_, "NNS")
    several = noun.tag_ == "NN" and single != noun.lower_ and not is_word(noun.lower_, "n")
    return "NNS" if several and noun.lower_.endswith("s") and is_word(single, "n") else noun.tag_


def _in_phrase(noun: Word) -> bool:
    """Whether a bare noun is one of a set phrase: "in fact", "one at a time", "today"."""
    alone = noun.dep_ in ("obl:tmod", "obl:npmod", "nmod:tmod", "parataxis", "appos", "conj")
    described = any(it.dep_.startswith("acl") for it in noun.children)  # its verb would not agree
    return alone or described or noun.lower_ in _WORDS["phrasal"]


def name(draft: Draft, places: Sequence[int], new: str, *, article: bool = False) -> bool:
    """A name, or a noun with ``article``, in the place of a name's words."""
    kept = [place for place in places if draft.words[place]]
    heads = tops(draft, kept)
    if not heads or not one_run(draft, kept):
        return False
    head, first = heads[0], kept[0]
    determined = any(it.dep_ in ("det", "nmod:poss") for it in head.lefts)
    text = f"the {new}" if article and not determined else new
    if draft.words[kept[-1]].endswith(".") and not text.endswith("."):
        text += "."  # the end of the sentence, taken for that of an abbreviation
    several = head.tag_ == "NNPS" or head.lower_.endswith("s")  # "the Steelers"
    if several and not article and not new.endswith("s"):
        draft.clear(it.i for it in head.lefts if it.lower_ in _WORDS["articles"])
        if head.dep_ in SUBJECTS and not is_coordinated(head):
            agree(draft, head.head, Person(3, False), pronoun=False)
    draft.clear(kept[1:])
    draft.words[first] = capital(text) if draft.starts(first) and article else text
    if all(draft.document[place].text.islower() for place in kept):  # as the writer has it
        draft.words[first] = draft.words[first].lower()
    return True
