"""Sentences with *not*.

To negate a clause its first auxiliary or copula takes *not* or *n't*; a clause without one gets a
*do* that takes over tense and person. Infinitives, participles and nouns have ways of their own.
What English cannot say in one of these ways is refused (False), and so is a second negation in the
same clause.

Whether *not* is contracted follows the text: "don't", "don’t", "dont" or "do not".
"""

import re
from itertools import takewhile

from ..language.inflection import Form, inflect
from ..language.irregular import NEGATIVES
from .agreement import auxiliaries, base, finite, inverted, subject
from .draft import Draft, Word, capital, following_word, is_last, word_before, word_behind
from .wordlists import lists

NEGATIONS = frozenset({"not", "n't", "n’t", "nt", "never"})
NOT = NEGATIONS - {"never"}
_WORDS = lists(__file__, "negation")
_NEGATIVE = NEGATIONS | _WORDS["negative"]
_TAG_QUESTION = re.compile(r",\s*\w+(?:n['’]?t)?\s+(?:i|you|he|she|it|we|they|there)\s*\?", re.I)
_CONTRACTED = re.compile(r"\w['’](?:s|m|re|ve|d|ll|t)\b", re.I)
_UNMARKED = re.compile(r"\b(?:dont|didnt|doesnt|cant|wont|isnt|im|ive|thats|couldnt|wasnt)\b", re.I)
_FULL = re.compile(
    r"\b(?:(?:do|does|did|is|are|was|were|has|have|had|could|would|should|will|can) ?not"
    r"|(?:i am|it is|that is|i will|they are|you are|we are|he is|she is))\b",
    re.I,
)
_NOMINAL = frozenset({"nsubj", "nsubj:pass", "obj", "iobj", "obl", "cop", "aux"})


def negate(draft: Draft, word: Word) -> bool:
    """Negate what a word says; False if it cannot be said."""
    predicate = word.head if word.dep_ in ("aux", "aux:pass", "cop") else word
    if is_negative(draft, predicate) or _TAG_QUESTION.search(draft.text, word.idx):
        return False
    if any(it.lower_ == "how" for it in predicate.children) and not predicate.tag_.startswith("VB"):
        return False  # "how powerful it is"
    if _is_afterthought(predicate) or (
        predicate.lower_ in _WORDS["set"] and subject(predicate) is None
    ):
        return False
    if word.tag_.startswith("NN") and finite(predicate) is None:
        return _no(draft, word)
    return _negate_clause(draft, predicate, word) and _mend_too(draft, predicate)


def _is_afterthought(verb: Word) -> bool:
    """Whether a verb comments on what was said before it: "it was good i think"."""
    who = subject(verb)
    if who is None or base(verb) not in _WORDS["comments"]:
        return False
    if any(it.i > verb.i and not it.is_punct for it in verb.children):
        return False
    earlier = takewhile(lambda it: it.text not in ".!?", reversed(list(verb.doc[: who.i])))
    return any(it.tag_ in ("VBD", "VBP", "VBZ", "MD") for it in earlier)


def _negate_clause(draft: Draft, predicate: Word, word: Word) -> bool:
    first = finite(predicate)
    if first is None:
        return _negate_bare(draft, predicate)
    if word.i not in (predicate.i, first.i):
        return False
    if predicate.tag_.startswith("NN") and first.dep_ != "cop":
        return False
    if first.i != predicate.i or base(first) == "be" or _elliptic_do(predicate):
        return _negate_finite(draft, predicate, first)
    return _with_do(draft, predicate)


def _elliptic_do(verb: Word) -> bool:
    """Whether a *do* or *have* stands for another verb: "Oh, you did?", "Have you?"."""
    if any(it.dep_ in ("obj", "xcomp") for it in verb.children):
        return False
    return base(verb) == "do" or (base(verb) == "have" and (inverted(verb) or is_last(verb)))


def _mend_too(draft: Draft, predicate: Word) -> bool:
    """ "too" or "as well" at the end of a negated clause is "either"."""
    first = finite(predicate) or predicate
    near = [it for it in predicate.doc[first.i + 1 : first.i + 2] if it.lower_ == "too"]
    for word in {*predicate.subtree, *near}:
        last = is_last(word) or word.nbor().is_sent_start
        also = word.lower_ == "well" and word_before(word) == "as"
        if (word.lower_ == "too" or also) and last and word.i > first.i:
            draft.words[word.i] = like("either", draft, word)
            draft.clear([word.i - 1] if also else [])
    return True


def is_negative(draft: Draft, predicate: Word) -> bool:
    """Whether a clause has a negation already, in its verb or in what belongs to it."""
    own = [predicate, *predicate.children]
    own += [below for word in own[1:] if word.dep_ in _NOMINAL for below in word.children]
    texts = {draft.words[word.i].lower() for word in own}
    behind = {word_behind(it) for it in auxiliaries(predicate)}  # whatever the parse says
    return bool(texts & _NEGATIVE) or bool(NOT & behind)


def _negate_bare(draft: Draft, predicate: Word) -> bool:
    """A clause without a finite word: "to go", "going", "Go!", "seen"."""
    to = next((it for it in predicate.children if it.tag_ == "TO" and it.dep_ == "mark"), None)
    above = predicate.head
    if to is not None and above.i != predicate.i and above.lower_ in ("going", "gon", "used"):
        return negate(draft, above)
    if to is not None:
        late = predicate.dep_ in ("xcomp", "ROOT") and base(predicate.head) in _WORDS["heads"]
        draft.put_before(to.i + 1 if late else to.i, "not")
        return True
    before = [it.lower_ for it in predicate.doc[max(0, predicate.i - 2) : predicate.i]]
    let = before[-1:] == ["lets"] or before in (["let", "'s"], ["let", "’s"], ["let", "us"])
    if let or predicate.nbor(-1 if predicate.i else 0).lower_ == "better":
        draft.put_before(predicate.i, "not")
        return True
    if predicate.tag_ in ("VB", "VBP") and predicate.dep_ in ("ROOT", "parataxis", "conj"):
        return _imperative(draft, predicate)
    return _negate_participle(draft, predicate)


def _negate_participle(draft: Draft, predicate: Word) -> bool:
    """ "not going", "not seen", "not sure", where such a word makes a clause."""
    verbal = predicate.tag_.startswith("VB")
    clause = predicate.dep_ in ("ROOT", "conj", "advcl", "acl", "parataxis")
    if predicate.dep_ in ("amod", "compound", "det") or not (verbal or predicate.tag_ == "JJ"):
        return False
    if (predicate.dep_ == "xcomp" and predicate.tag_ != "VBG") or predicate.lower_ == "right":
        return False
    if not (clause or verbal) or (predicate.dep_ == "ROOT" and not draft.starts(predicate.i)):
        return False
    draft.put_before(_first_adverb(predicate), "not")
    return True


def _imperative(draft: Draft, verb: Word) -> bool:
    if verb.dep_ == "conj" and (finite(verb.head) is not None or verb.head.tag_ != "VB"):
        main = finite(verb.head) == verb.head and base(verb.head) != "be"
        draft.put_before(verb.i, _joined_not(draft, "do") if main else "not")
        return True
    us = following_word(verb)
    if verb.lower_ == "have" and us.tag_ == "PRP":
        return False  # "Have you?"
    if verb.lower_ == "let" and us.lower_ in ("'s", "’s", "us"):
        draft.behind[us.i] = "not"
        return True
    if us.lower_ == "of" or (verb.lower_.endswith("s") and verb.lower_ != draft.lemma(verb.i)):
        return False  # "Sign of the times", "Reminds me of it"
    if not draft.starts(verb.i) and word_before(verb) not in _WORDS["leading"]:
        return False
    draft.put_before(verb.i, _joined_not(draft, "do"))
    return True


def _negate_finite(draft: Draft, predicate: Word, first: Word) -> bool:
    """*not* behind an auxiliary or a copula."""
    text = draft.words[first.i].lower().replace("’", "'")
    if text in ("might", "may") and word_behind(first) == "as":
        return False  # "might as well"
    if text in ("'ll", "'d", "'ve"):
        return _negate_clitic(draft, first)
    if text in ("'s", "s") and word_before(first) == "there":
        draft.words[first.i], draft.gaps[first.i] = _joined_not(draft, "is"), " "
        return True
    following = following_word(first)
    if following.lower_ in ("'ve", "’ve"):  # "must've"
        draft.words[first.i], draft.words[following.i] = f"{draft.words[first.i]} not", "have"
        draft.gaps[following.i] = " "
        return True
    asked = inverted(predicate)
    short = _joined_not(draft, text, asked=asked)
    if " " not in short and draft.words[first.i].isalpha():
        shouted = len(first.text) > 1 and draft.words[first.i].isupper()
        draft.words[first.i] = short.upper() if shouted else like(short, draft, first)
        return True
    who = subject(predicate)
    last = who.right_edge if asked and who is not None else first
    draft.behind[last.i] = "not"
    return True


def _negate_clitic(draft: Draft, first: Word) -> bool:
    """ "I'll" and "I'd" take *not* in their full form: "I won't"; "I'd better" takes it behind."""
    following = following_word(first)
    if following.lower_ == "better":
        draft.behind[following.i] = "not"
        return True
    full = {"'ll": "will", "'ve": "have"}.get(draft.words[first.i].lower().replace("’", "'"))
    full = full or {"have": "had", "do": "did"}.get(base(first), "would")
    draft.words[first.i], draft.gaps[first.i] = _joined_not(draft, full), " "
    return True


def _with_do(draft: Draft, verb: Word) -> bool:
    """*do* in the tense of the verb, and the verb's base form."""
    who = subject(verb)
    base_form = verb.tag_ in ("VB", "VBP")
    odd = base_form and who is not None and who.tag_ in ("NN", "NNP") and not list(who.conjuncts)
    following = word_behind(verb)
    odd = odd or (not verb.whitespace_ and following[:1] in ("'", "’") and "s" in following)
    if odd or not verb.tag_.startswith("VB"):
        return False  # "How's your team look", "it get's"
    now = draft.words[verb.i].lower()
    third = now.endswith("s") and now != draft.lemma(verb.i)  # whatever the tagger says
    third = third or (base_form and who is not None and who.lower_ in ("he", "she", "it"))
    tag = "VBZ" if third else draft.tag(verb.i)
    if third and now == inflect(draft.lemma(verb.i), Form(now, "VBD")):
        tag = "VBD"  # "he beat them"
    if following not in ("na", "ta"):  # "wanna"
        draft.words[verb.i] = inflect(draft.lemma(verb.i), Form(draft.words[verb.i], "VB"))
    form = {"VBZ": "does", "VBD": "did", "VBN": "did"}.get(tag, "do")
    draft.put_before(_first_adverb(verb), _joined_not(draft, form))
    return True


def _first_adverb(predicate: Word) -> int:
    """The place before which *not* goes: the verb, or an adverb right before it."""
    earlier = reversed(list(predicate.doc[: predicate.i]))
    adverbs = takewhile(lambda it: it.lower_ in _WORDS["before"] and it.head == predicate, earlier)
    return int(predicate.i) - len(list(adverbs))


def _no(draft: Draft, noun: Word) -> bool:
    """ "no" before a noun, in the place of an article if it has one."""
    if noun.tag_.startswith("NNP") or noun.dep_ in ("compound", "ROOT", "flat"):
        return False
    if noun.lower_ == "thanks" or any(is_negative(draft, above) for above in noun.ancestors):
        return False
    left = [word for word in noun.lefts if word.dep_ != "case"]
    barred = any(word.dep_ in ("mark", "advmod", "nsubj", "cc", "punct") for word in left)
    if barred or any(it.lower_ in ("as", "few", "many", "several") for it in noun.lefts):
        return False
    article = next((word for word in left if word.dep_ == "det"), None)
    if article is None and not any(word.dep_ in ("nmod:poss", "nummod") for word in left):
        draft.put_before(min([noun.i, *(word.left_edge.i for word in left)]), "no")
        return True
    bound = article is not None and word_before(article) in ("quite", "such", "what")
    if article is None or bound or article.lower_ not in _WORDS["indefinite"]:
        return False
    draft.words[article.i] = like("no", draft, article)
    return True


def _joined_not(draft: Draft, verb: str, *, asked: bool = False) -> str:
    """A finite word and *not* in the style of the text; in two words where none is used.

    A question contracts in any style: "Does not she" is no English.
    """
    short = NEGATIVES.get(verb)
    if short is None or verb in ("might", "shall", "ought"):
        return f"{verb} not"
    style = contractions(draft.text)
    if style == "none" and not asked:
        return "cannot" if verb == "can" else f"{verb} not"
    return {"curly": short.replace("'", "’"), "bare": short.replace("'", "")}.get(style, short)


def contractions(text: str) -> str:
    """How a text contracts: ``straight``, ``curly``, ``bare`` (without apostrophe) or ``none``.

    A text that shows neither is taken for talk, which contracts.

    >>> [contractions(text) for text in ("It’s me", "im here", "It is me", "Hi")]
    ['curly', 'bare', 'none', 'straight']
    """
    if match := _CONTRACTED.search(text):
        return "curly" if "’" in match[0] else "straight"
    if _UNMARKED.search(text):
        return "bare"
    return "none" if _FULL.search(text) else "straight"


def like(new: str, draft: Draft, word: Word) -> str:
    """A word with the capital of the one in whose place it goes."""
    return capital(new) if draft.words[word.i][:1].isupper() else new
