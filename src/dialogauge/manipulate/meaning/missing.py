"""Whether a conversation misses what a turn has lost.

A sentence less is no damage by itself: people say more than is needed. It is missed where what
stands beside the turn leads into the gap: the next turn answers a question that nobody asks any
more, agrees with nothing, or speaks of *her* or *the dog* though nobody has named them; or the last
turn asked what the rest of this one does not answer.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import msgspec

from ...language import shared
from ...language.stopwords import NLTK
from ...sentence.wordlists import lists, named
from ..edited import spans
from .graphs import Sheet, Talk

_WORDS = lists(__file__, "missing")
_THIRD = named(__file__, "third persons")
_START = r"\W*(?:(?:oh|well|hi|hello|hey|haha|ha|lol|wow|um|hm+|ah)\W+)*"
#: How answers begin to a question that can be denied.
_DENYING = re.compile(
    rf"{_START}(?:(?:no|nope|nah|not|never|neither|nothing|none)\b"
    r"|i(?: do| did| have| am| can| could| would|['’]m) ?(?:not|n['’]?t)"
    r"(?=\W*$|\s?[.,!;]| know| have| think so| remember| really))",
    re.IGNORECASE,
)
_YES = r"(?:yes|yeah|yea|yep|yup|sure|of course|absolutely|definitely|certainly)"
_AFFIRMING = re.compile(
    rf"{_START}(?:{_YES}|probably|maybe|sometimes|a (?:bit|little))\b", re.IGNORECASE
)
_SHORT = re.compile(
    rf"{_START}(?:(?:{_YES}\W+)?(?:i|we) (?:do|did|have|am|was|were|would|can|could|will)"
    rf"|{_YES}\W+(?:he|she|it|they) (?:is|was|are|were|does|do|did|has|have|can|could|will))\b",
    re.IGNORECASE,
)
#: How texts begin that react to something that was stated.
_REACTING = re.compile(
    rf"{_START}(?:that(?:['’]?s| is| was| would| sounds| must| makes| seems)|i agree|exactly|me too"
    r"|me neither|same here|so do i|really\?|why\?|how so|what do you mean|i know|true|agreed"
    r"|it(?:['’]?s| is| was| sounds| would| must))",
    re.IGNORECASE,
)
_DEFINITE = frozenset({"the", "that", "those", "these", "your", "his", "her", "its", "their"})
#: So few words ask or state nothing of their own: "Right?", "Sounds good."
_LITTLE = 2


class Gap(msgspec.Struct, frozen=True):
    """What a turn has lost, what is left of it, and what stands beside it."""

    lost: str
    rest: str
    asked: str = ""  # the other speaker's last turn
    next: str = ""  # the other speaker's next turn
    named: frozenset[str] = frozenset()  # what only the lost part has named so far
    persons: frozenset[str] = frozenset()  # the pronouns that stand for it alone
    first: bool = False  # whether the turn's beginning is lost
    filled: bool = False  # whether *something* stands in its place


def gap(talk: Talk, sheet: Sheet, draft: Sheet) -> Gap:
    """What a draft lacks of a turn."""
    marks = [span.before for span in spans(sheet.text, draft.text)]
    words = [(word, _is_inside(word, marks)) for word in shared()(sheet.text)]
    gone, stay = ([it for it, lost in words if lost is side] for side in (True, False))
    turns = [at for at, turn in enumerate(talk.dialogue.turns) if not turn.aside]
    place = turns.index(sheet.at)
    near = (turns[max(0, place - 1) : place], turns[place + 1 : place + 2])
    asked, answer = ("".join(_by_another(talk, sheet.at, side)) for side in near)
    before = [it.text for at, it in talk.sheets.items() if at < sheet.at]
    known = _content(stay).union(*map(_said, before))
    said = _pronouns(stay).union(*(_pronouns(shared()(text)) for text in before[-1:]))
    lost = " ".join(sheet.text[start:end].strip() for start, end in marks)
    named, persons = _content(gone) - known, _introduced(gone) - said
    first = bool(marks) and marks[0][0] == 0
    filled = any(it in draft.text and it not in sheet.text for it in _WORDS["fillers"])
    return Gap(lost, draft.text, asked, answer, named, persons, first, filled)


def _by_another(talk: Talk, at: int, places: Iterable[int]) -> list[str]:
    """What is said at some places, by others than the speaker of a turn, if it was read."""
    turns = talk.dialogue.turns
    others = [it for it in places if turns[it].speaker != turns[at].speaker]
    return [talk.sheets[it].text for it in others if it in talk.sheets]


def _is_inside(word: Any, marks: Iterable[tuple[int, int]]) -> bool:
    return any(start <= word.idx < end for start, end in marks)


def is_missed(it: Gap, whole: bool = True) -> bool:
    """Whether what stands beside a gap leads into it; ``whole`` if a sentence is gone, or more.

    >>> is_missed(Gap("Do you have a pet?", "I like dogs.", next="No, I don't."))
    True
    >>> is_missed(Gap("It was really fun.", "We saw a play.", next="Which play did you see?"))
    False
    """
    if len(it.lost.split()) <= _LITTLE and whole:
        return False
    spoken_of = bool(it.named & _definite(it.next)) or _stands_for(it)
    if not whole:
        return spoken_of or (it.filled and _asks_for_a_name(it.asked))
    taken_up = _is_answered(it) if _asks(it.lost) else _is_reacted_to(it)
    return taken_up or spoken_of or _was_asked_for(it)


def _is_answered(it: Gap) -> bool:
    """Whether the next turn answers a question that is lost, and nothing else."""
    if not it.next or any(map(_asks, _sentences(it.rest))) or _asks(_sentences(it.next)[0]):
        return False
    if it.named & _said(it.next) or not _states(it.rest):
        return True
    return not it.first and bool(_DENYING.match(it.next) or _SHORT.match(it.next))


def _is_reacted_to(it: Gap) -> bool:
    """Whether the next turn reacts to a statement that is lost, and none is left for it."""
    if _states(it.rest):
        return False
    nothing = len(it.rest.split()) <= _LITTLE and not _asks(it.rest)  # with which one could agree
    agreed = _AFFIRMING.match(it.next) or _DENYING.match(it.next)
    return bool(_REACTING.match(it.next) or (agreed and nothing))


def _stands_for(it: Gap) -> bool:
    """Whether the next turn begins with a pronoun for somebody that only the lost part named."""
    for word in shared()(it.next) if it.persons else ():
        if word.lower_ in _THIRD:
            return _THIRD[word.lower_] in it.persons
        if word.tag_.startswith("NN"):
            return False  # what the pronoun means may come here
    return False


def _was_asked_for(it: Gap) -> bool:
    """Whether the other speaker's last turn asks for what is lost, and the rest says nothing."""
    if not it.asked or not it.first or not _asks(_sentences(it.asked)[-1]):
        return False
    answers = (_AFFIRMING, _DENYING, _SHORT)
    answered = any(answer.match(it.rest) for answer in answers)
    return not answered and not _states(it.rest)


def _asks_for_a_name(text: str) -> bool:
    """Whether a text ends in a question that *something* does not answer."""
    start = _sentences(text)[-1].lower().split()[:1]
    return text.rstrip().endswith("?") and bool(_WORDS["naming"] & set(start))


def _sentences(text: str) -> list[str]:
    parts = [it for it in re.split(r"(?<=[.!?])\s+", text.strip()) if any(map(str.isalnum, it))]
    return parts or [text]


def _asks(sentence: str) -> bool:
    start = [*sentence.lower().split()[:2], "", ""]
    exclaimed = start[0] == "what" and start[1] in ("a", "an")
    return "?" in sentence or (start[0] in _WORDS["asking"] and not exclaimed)


def _states(text: str) -> bool:
    """Whether a text says something to which one could react."""
    return any(not _asks(it) and len(it.split()) > _LITTLE for it in _sentences(text))


@lru_cache(maxsize=5_000)
def _said(text: str) -> frozenset[str]:
    return _content(shared()(text))


def _content(words: Iterable[Any]) -> frozenset[str]:
    """The nouns and names among some words."""
    return frozenset(word.lemma_.lower() for word in words if _is_content(word))


def _is_content(word: Any) -> bool:
    noun = word.tag_.startswith("NN") and any(map(str.isalnum, word.text))
    return noun and word.lower_ not in NLTK and word.lemma_.lower() not in _WORDS["general"]


@lru_cache(maxsize=5_000)
def _definite(text: str) -> frozenset[str]:
    """What a text speaks of as known: names, and nouns behind *the*, *that*, *your*."""
    return _content(
        word for word in shared()(text) if word.tag_.startswith("NNP") or _is_determined(word)
    )


def _is_determined(noun: Any) -> bool:
    near = noun.doc[max(0, noun.i - 2) : noun.i]
    return any(it.lower_ in _DEFINITE for it in (*noun.lefts, *near))


def _pronouns(words: Iterable[Any]) -> frozenset[str]:
    """Of which number of persons some words speak, by name or by pronoun."""
    some = list(words)
    spoken = (_THIRD[word.lower_] for word in some if word.lower_ in _THIRD)
    return frozenset(spoken) | _introduced(some)


def _introduced(words: Iterable[Any]) -> frozenset[str]:
    """What some words name for which a pronoun can stand: one person, or several of anything."""
    nouns = [word for word in words if word.tag_.startswith("NN")]
    one = any(it.ent_type_ == "PERSON" or it.lemma_.lower() in _WORDS["persons"] for it in nouns)
    many = any(it.tag_ in ("NNS", "NNPS") or it.ent_type_ in ("ORG", "NORP") for it in nouns)
    return frozenset(["person"] * one + ["several"] * many)
