"""Other responses in the place of one: foreign, empty, generated, translated, confused.

Each of them reads well by itself. What is wrong, if anything is, shows only beside what was said
before: that is what a metric of conversations is for. MaUdE trains with responses of other
dialogues, *Re-evaluating ADEM* tries empty phrases and the context itself, and DCGEval names the
errors that a metric has to see beyond the topic, of which two are here: who speaks (*speaker
confusion*) and what is being answered (*temporal skip*).

Two are harmless: a good response in other words (*back-translation*), and what a language model
says to this very context, which MaUdE counts among the good ones.
"""

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import TYPE_CHECKING

import msgspec

from ..dialogue import normalise
from .manipulation import DoesNotApply, Expect, Manipulation, same_text
from .rewriting import Place, Rewrite, Rewriting
from .words import tagged

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

#: The three responses of *Re-evaluating ADEM*, and more that fit everywhere and say nothing.
PAPER = ("I'm sorry, can you repeat?", "I will do", "fantastic! how are you?")
GENERIC = (
    *PAPER,
    "I don't know.",
    "I'm not sure.",
    "Okay.",
    "Yes, I think so.",
    "No, I don't think so.",
    "That's interesting.",
    "Oh, I see.",
    "Thank you very much!",
    "You're welcome.",
    "Sounds good to me.",
    "What do you mean?",
    "Can you tell me more about that?",
    "Why do you say that?",
    "I see what you mean.",
    "Haha, that's funny.",
    "That's a good question.",
    "I have no idea what you are talking about.",
    "Me too!",
    "It depends.",
    "Let's talk about something else.",
    "Nice to meet you.",
    "Well, you never know.",
    "Could be worse, I guess.",
    "I am happy to hear that.",
)


def random_response(place: Place, rng: Random) -> str:
    """Any turn of another dialogue stands for the response."""
    return place.pool.turn(rng, place.dialogue).text


def other_response(place: Place, rng: Random) -> str:
    """The response to another context stands for the response."""
    return place.pool.turn(rng, place.dialogue, first=1).text


def echo(place: Place, rng: Random) -> str:
    """The response repeats what was just said to it."""
    return place.context[-1].text


class Generic(msgspec.Struct, frozen=True):
    """The response is a phrase that fits everywhere and says nothing."""

    phrases: tuple[str, ...] = GENERIC

    def __call__(self, place: Place, rng: Random) -> str:
        """One of the phrases, but not the one that is there."""
        others = [phrase for phrase in self.phrases if not same_text(phrase, place.text)]
        if not others:
            raise DoesNotApply("nothing changed")
        return rng.choice(others)


def generated(place: Place, rng: Random) -> str:
    """A language model's response to the same context."""
    return _reply(place, [turn.text for turn in place.context], rng)


def generated_elsewhere(place: Place, rng: Random) -> str:
    """A language model's response to the context of another dialogue."""
    turns = place.pool.dialogue(rng, place.dialogue).turns
    return _reply(place, [turn.text for turn in turns[: rng.randint(1, len(turns))]], rng)


def _reply(place: Place, context: list[str], rng: Random) -> str:
    text = place.pool.reply(context, rng.getrandbits(31))
    if not text.strip():
        raise DoesNotApply("the language model says nothing")
    return text


class BackTranslation(msgspec.Struct, frozen=True):
    """The response says the same in other words, by another language and back."""

    # A translator that works by rules may come back with another meaning, which is not harmless.
    # What shares fewer words with the original than this (Dice's coefficient) is not used.
    shared: float = 0.8

    def __call__(self, place: Place, rng: Random) -> str:
        """The text there and back."""
        (text,) = place.pool.translate([place.text])
        if likeness(text, place.text) < self.shared:
            raise DoesNotApply("the translation is too different")
        return text


def likeness(first: str, second: str) -> float:
    """Which part of their words two texts share, 0 to 1.

    >>> likeness("I like tea", "I hate tea!")
    0.6666666666666666
    """
    one, other = Counter(normalise(first).split()), Counter(normalise(second).split())
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0


def speaker_confusion(place: Place, rng: Random) -> str:
    """The response is given from the other person's side: I for you, your for my.

    Verbs agree. A response that speaks of neither person is replaced by something that the other
    one says elsewhere in the dialogue, before it if only the last turn is judged.
    """
    return _sides_swapped(place.text) or _of_the_other(place, rng)


def _sides_swapped(text: str) -> str | None:
    """First person singular for second and the other way round; None where neither is there."""
    from ..amr.draft import Draft
    from ..amr.pronominal import replace_pronoun

    document = tagged(text)
    draft = Draft(document.text, document)
    persons = list(_persons(document))
    if "?" not in text and all(other == "i" for _, other in persons):
        return None  # "you" in a statement may be anybody
    swapped = [replace_pronoun(draft, [word], other) for word, other in persons]
    return draft.written()[0] if any(swapped) else None


def _persons(document: "Doc") -> "Iterator[tuple[Token, str]]":
    """Each word for one of the two persons, with the other one."""
    from ..language.pronouns import readings

    for word in document:
        forms = readings(word.text)
        if forms and forms[0].person in (1, 2) and forms[0].number == "sing" and _meant(word):
            yield word, "you" if forms[0].person == 1 else "i"


def _meant(word: "Token") -> bool:
    """Whether a pronoun is about a person, not part of a phrase: "thank you", "oh my god"."""
    before = word.nbor(-1).lower_ if word.i else ""
    behind = word.nbor().lower_ if word.i + 1 < len(word.doc) else ""
    phrase = (before in _BEFORE_YOU and word.lower_ == "you") or behind in _BEHIND_MY
    return word.tag_ in ("PRP", "PRP$") and not phrase


_BEFORE_YOU = frozenset({"thank", "thanks", "bless"})
_BEHIND_MY = frozenset({"god", "gosh", "goodness", "bad", "guys"})


def _of_the_other(place: Place, rng: Random) -> str:
    """What somebody else says, but not what is being answered: that would be an echo."""
    turns = place.dialogue.turns
    judged = place.dialogue.level == "turn"
    known = {place.text, place.context[-1].text}
    others = [
        turn.text
        for turn in (turns[: place.at] if judged else turns)
        if not turn.aside and turn.speaker != place.turn.speaker and turn.text.strip()
        if turn.text not in known
    ]
    if not others:
        raise DoesNotApply("nobody else says anything else")
    return rng.choice(others)


def temporal_skip(place: Place, rng: Random) -> str:
    """The response answers what was said a while ago: it is the speaker's last answer again."""
    earlier = [turn.text for turn in place.context[1:] if turn.speaker == place.turn.speaker]
    if not earlier or not earlier[-1].strip():
        raise DoesNotApply("the speaker has answered nothing before")
    return earlier[-1]


_ROWS: tuple[tuple[str, Rewrite, Expect, str], ...] = (
    ("random-response", random_response, "lower", "DCGEval"),
    ("other-response", other_response, "lower", "MaUdE"),
    ("echo", echo, "lower", "ADEM re-evaluation"),
    ("generic", Generic(), "lower", "ADEM re-evaluation"),
    ("generated-elsewhere", generated_elsewhere, "lower", "MaUdE"),
    ("generated", generated, "same", "MaUdE"),
    ("back-translation", BackTranslation(), "same", "MaUdE"),
    ("speaker-confusion", speaker_confusion, "lower", "DCGEval"),
    ("temporal-skip", temporal_skip, "lower", "DCGEval"),
)

#: Other responses in the place of one.
RESPONSES = tuple(
    Manipulation(name, Rewriting(name, rewrite), expect, source)
    for name, rewrite, expect, source in _ROWS
)
