"""Damage to who says what: a response from the other person's side, lines that are exchanged.

Each line reads well and is about the right things. What is wrong is whose it is.
"""

import re
from math import ceil
from random import Random
from typing import TYPE_CHECKING

import msgspec

from ..dialogue import Dialogue
from .edited import Edited, rewritten
from .grammar import tagged
from .manipulation import DoesNotApply, same_text
from .pool import Pool
from .responses import RETURNED
from .rewriting import Place, spoken

if TYPE_CHECKING:
    from spacy.tokens import Token


def speaker_confusion(place: Place, rng: Random) -> str:
    """The response is given from the other person's side: I for you, your for my.

    Verbs agree. Where only the last turn is judged and speaks of neither person, it is replaced by
    something that the other one said of themselves before.
    """
    swapped = _sides_swapped(place.text)
    if swapped is None and place.dialogue.level != "turn":
        raise DoesNotApply("nobody speaks of themselves or the other")
    return swapped or _of_the_other(place, rng)


def _sides_swapped(text: str) -> str | None:
    """First person singular for second and the other way round; None where neither is there."""
    from ..language.pronouns import readings
    from ..sentence.draft import Draft
    from ..sentence.pronominal import replace_pronoun

    document = tagged(text)
    draft = Draft(document.text, document)
    others: dict[Token, str] = {}
    for word in document:
        forms = readings(word.text)
        if forms and forms[0].person in (1, 2) and forms[0].number == "sing" and _meant(word):
            others[word] = "you" if forms[0].person == 1 else "i"
    if not any(map(_tells, others)) or ("?" not in text and set(others.values()) <= {"i"}):
        return None  # "you" in a statement may be anybody
    swapped = [replace_pronoun(draft, [word], other) for word, other in others.items()]
    return draft.written()[0] if any(swapped) else None


def _meant(word: "Token") -> bool:
    """Whether a pronoun is about a person, not part of a phrase: "thank you", "oh my god"."""
    before = word.nbor(-1).lower_ if word.i else ""
    behind = word.nbor().lower_ if word.i + 1 < len(word.doc) else ""
    phrase = (before in _BEFORE_YOU and word.lower_ == "you") or behind in _BEHIND_MY
    return word.tag_ in ("PRP", "PRP$") and not phrase


def _tells(word: "Token") -> bool:
    """Whether it matters who is meant: not in "I guess" or "Can you see"."""
    before = word.nbor(-1).lower_ if word.i else ""
    return word.head.lemma_.lower() not in _HEDGES and before not in _MODALS


_HEDGES = frozenset({"guess", "bet", "mean", "think", "hope", "wonder", "suppose", "believe"})
_MODALS = frozenset({"can", "could", "may", "should", "shall", "would"})
_BEFORE_YOU = frozenset({"thank", "thanks", "bless"})
_BEHIND_MY = frozenset({"god", "gosh", "goodness", "bad", "guys"})


def _of_the_other(place: Place, rng: Random) -> str:
    """What somebody else said before, but not what is being answered: that would be an echo."""
    excluded = {place.text, place.context[-1].text}
    others = [
        turn.text
        for turn in place.context
        if turn.speaker != place.turn.speaker and turn.text.strip()
        if turn.text not in excluded and _OF_ONESELF.search(turn.text)
    ]
    if not others:
        raise DoesNotApply("nobody else speaks of themselves")
    return rng.choice(others)


#: What says nothing of its speaker ("time flies") may as well be said by the other one.
_OF_ONESELF = re.compile(
    rf"\b(?:i(?! (?:{'|'.join(sorted(_HEDGES))})\b)|im|me|my|mine|myself)\b", re.IGNORECASE
)


class SwappedLines(msgspec.Struct, frozen=True):
    """Two speakers say each other's line: the answer, and then what it answers.

    The speaker of a turn says what another one says next, and that one what was said. Only the
    last turn is judged at level ``turn``: there it does not apply.
    """

    share: float = 0.0  # of the pairs of turns; 0 for one pair

    def __call__(self, dialogue: Dialogue, rng: Random, pool: Pool) -> Edited:
        """The dialogue with the texts of such pairs exchanged."""
        if dialogue.level == "turn":
            raise DoesNotApply("only the last turn is judged")
        pairs = _pairs(dialogue)
        if not pairs:
            raise DoesNotApply("no turn answers another speaker's")
        wanted, texts = max(1, ceil(self.share * len(pairs))), dict[int, str]()
        for pair in rng.sample(pairs, len(pairs)):
            if texts.keys().isdisjoint(pair) and len(texts) < 2 * wanted:
                one, other = (dialogue.turns[at].text for at in pair)
                texts |= dict(zip(pair, (other, one), strict=True))
        return rewritten(dialogue, texts, "speaker.line")


def _pairs(dialogue: Dialogue) -> list[tuple[int, int]]:
    """Turns and the answers of another speaker to them, which make no sense the other way round."""
    turns, places = dialogue.turns, spoken(dialogue)
    near = zip([None, *places], places, places[1:], [*places[2:], None], strict=False)
    return [
        (one, other)
        for before, one, other, behind in near
        if turns[one].speaker != turns[other].speaker
        if _is_answered(turns[one].text, turns[other].text)
        # No text stands twice in succession.
        if before is None or not same_text(turns[before].text, turns[other].text)
        if behind is None or not same_text(turns[behind].text, turns[one].text)
    ]


def _is_answered(text: str, answer: str) -> bool:
    """Whether a turn takes up what the one before it says.

    >>> _is_answered("Do you like it?", "I do."), _is_answered("I like it.", "I saw a film.")
    (True, False)
    """
    if not (text.strip() and answer.strip()) or same_text(text, answer):
        return False
    if RETURNED.fullmatch(text) or RETURNED.fullmatch(answer):
        return False  # one or the other may come first
    return text.rstrip().endswith("?") or bool(_TAKES_UP.match(answer))


_TAKES_UP = re.compile(
    r"\W*(?:(?:oh|well|haha|lol|wow)\W+)*(?:yes|yeah|yep|no|nope|true|exactly|me too|me neither"
    r"|same here|i agree|so do i|i do too|neither do i|that(?:['’]?s| is| was| sounds| would)"
    r"|really\?|why\b|how so|what do you mean|sure|of course|right|he|she|they)\b",
    re.IGNORECASE,
)
