"""What people say of a turn that broke: a conversation goes on behind damage as it does in life.

Where a program damages a turn, the partner answers as if nothing had happened, and who never sees
anybody object takes the objection for the strange turn. So some damaged forms get one behind the
broken turn, and end there or go on with a word of excuse. Only the turn before it is broken.
"""

from collections.abc import Iterator, Sequence

import msgspec

from ....manipulate.manipulation import seeded
from .damage import Damaged, cause_of
from .material import Excerpt

#: How many damaged forms of an excerpt are made again with a reaction, of those where one fits.
_SHARE = 0.15
#: Reactions to anything.
_ANY = (
    "What do you mean?",
    "Sorry, what?",
    "Huh? I don't follow.",
    "I'm not sure I understand.",
    "That doesn't make any sense.",
    "What are you talking about?",
    "You've lost me there.",
    "Wait, what did you just say?",
    "I have no idea what you mean by that.",
    "That's a strange thing to say.",
    "Are you all right? That made no sense.",
    "Come again?",
)
#: And to each cause.
_TO: dict[str, tuple[str, ...]] = {
    "contradiction": (
        "But you just said the opposite.",
        "Hang on, that's not what you told me before.",
        "Didn't you say something else a minute ago?",
        "You're contradicting yourself.",
        "Now I'm confused. Which of the two is true?",
        "Wait, I thought it was the other way round.",
        "That can't be right, after what you said.",
        "Make up your mind!",
    ),
    "coreference": (
        "Who do you mean?",
        "Who are we talking about now?",
        "Wait, who is that?",
        "I don't know who you mean.",
        "Which one do you mean?",
    ),
    "irrelevancy": (
        "What has that got to do with it?",
        "That's not what I asked.",
        "You didn't answer my question.",
        "How did you get from one to the other?",
        "I think you've mixed something up.",
        "Where does that come from?",
    ),
    "engagement": (
        "You didn't answer my question.",
        "That's not really an answer.",
        "Is that all?",
        "Are you even listening?",
        "I asked you something.",
    ),
    "foreign": (
        "What has that got to do with anything?",
        "Why are you changing the subject?",
        "That's not what we were talking about.",
        "You didn't answer my question.",
        "Are you listening to me at all?",
        "I think you are talking to somebody else.",
        "That came out of nowhere.",
        "Okay, that was random.",
    ),
    "speaker": (
        "No, that was me, not you.",
        "You mean me, don't you?",
        "Wait, I thought that was you.",
        "I'm the one who said that.",
        "Who, me or you?",
        "That should have been my line.",
    ),
    "repetition": (
        "You already said that.",
        "You've just told me that.",
        "Yes, you said so before.",
        "You are repeating yourself.",
        "Are you a parrot?",
        "I heard you the first time.",
        "Why are you repeating that?",
    ),
    "form": (
        "I can't read that.",
        "Did something go wrong with your message?",
        "Your message got cut off, I think.",
        "Could you write that again?",
        "I think there are some words missing.",
    ),
}
_EXCUSES = (
    "Sorry, never mind.",
    "Oops, ignore that.",
    "Sorry, I got that wrong.",
    "Forget it. Where were we?",
    "Ah, my mistake.",
    "Sorry, I was thinking of something else.",
)


def objected(excerpt: Excerpt, seed: int) -> Excerpt:
    """An excerpt with reactions among its damaged forms."""
    again = tuple(reacted(excerpt.worse, excerpt.id, seed))
    return msgspec.structs.replace(excerpt, worse=excerpt.worse + again)


def reacted(worse: Sequence[Damaged], id: str, seed: int) -> Iterator[Damaged]:
    """Some damaged forms again, in which the partner reacts to the turn that broke.

    >>> from .damage import Broken
    >>> talk = ("A", "Do you like tea?"), ("B", "The bus is late."), ("A", "With milk?")
    >>> every = list(reacted([Damaged("replace-turn", talk, (Broken(1),))] * 100, "d1", seed=1))
    >>> 5 < len(every) < 30, {it.turns[:2] == talk[:2] for it in every}
    (True, {True})
    >>> {it.turns[2][0] for it in every}, {it.broken for it in every}
    ({'A'}, {(Broken(turn=1, spans=()),)})
    """
    rng = seeded(seed, id, "reactions")
    for each in worse:
        if not _fits(each) or rng.random() >= _SHARE:
            continue
        at, turns = each.broken[0].turn, each.turns
        own = _TO[cause_of(each.name)]
        reaction = rng.choice(own if rng.random() < 0.7 else _ANY)
        changed = (*turns[: at + 1], (turns[at + 1][0], reaction))
        if rng.random() < 0.5:
            changed += ((turns[at][0], rng.choice(_EXCUSES)), *turns[at + 1 :])
        yield Damaged(each.name, changed, each.broken)


def _fits(worse: Damaged) -> bool:
    """Whether one turn broke, and somebody else speaks next."""
    if len(worse.broken) != 1 or cause_of(worse.name) not in _TO:
        return False
    at = worse.broken[0].turn
    return at + 1 < len(worse.turns) and worse.turns[at][0] != worse.turns[at + 1][0]
