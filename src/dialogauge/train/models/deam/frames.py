"""What stands before and behind a written conversation, so that no turn is told by its place.

Who writes a conversation in which one turn decides about another likes to end with that one: in
seven of ten it is the last. So some conversations are opened and most are closed with turns that
fit anywhere, the same ones in all forms of a conversation.
"""

import msgspec

from ....manipulate.manipulation import seeded
from .damage import WRITTEN, Broken, Damaged
from .material import Excerpt

#: How many conversations have an opening, and a closing.
_OPENED, _CLOSED = 0.35, 0.8

#: The last line is said by the other one than who begins the conversation.
_OPENINGS = (
    ("Hi!", "Hello!"),
    ("Hey, how are you?", "Fine, thanks. You?", "Can't complain.", "Good."),
    ("Good morning.", "Good morning! Did you sleep well?", "Like a log, thank you.", "Lovely."),
    ("There you are!",),
    ("Hello again.", "Hi, nice to see you."),
    ("Have you got a minute?", "Sure, go ahead."),
    ("Sorry I'm late.", "No problem, I've only just arrived."),
    ("hi there", "hey ! how is your day going ?", "pretty good , thanks", "glad to hear it"),
    ("hello", "hi , what's up ?"),
    ("Is this a good time?", "Yes, I'm listening."),
    ("Cold today, isn't it?", "Freezing. I forgot my gloves.", "Oh dear.", "I'll survive."),
    ("Happy Friday!", "At last! I thought it would never come."),
)
#: Behind a question, who was asked begins.
_ANSWERS = (
    ("Let me think about that for a moment.", "Take your time.", "Okay."),
    ("Good question.", "Isn't it? Anyway, I have to go soon.", "All right, talk to you later."),
    ("I'd rather tell you another time.", "That's fine.", "Thanks for understanding."),
    ("Hm, ask me again tomorrow.", "I will!", "I know you will."),
    ("Why do you ask?", "Just curious.", "You always are."),
    ("hm , not sure yet", "no worries", "i'll let you know"),
    ("I'll tell you when we meet.", "Deal. When are you free?", "On Thursday, I think.", "Great."),
)
#: Behind anything else, so does who did not speak last.
_CLOSINGS = (
    ("Fair enough.", "Anyway, I should get going.", "Okay, talk to you later!", "Bye!"),
    ("I see.", "And how are things with you?", "Not too bad, a bit tired.", "Get some rest, then."),
    ("Right.", "Is it still raining, by the way?", "I think it has stopped.", "Good."),
    ("Okay.", "Shall we have a coffee?", "I'd love one.", "Milk?", "Yes, please."),
    ("Ha, I believe you.", "You'd better!"),
    ("Oh, I didn't know that.", "Now you do.", "Thanks for telling me.", "Any time."),
    ("That makes sense.", "I hope so.", "Well, it was good to talk to you.", "You too!"),
    ("Really?", "Really.", "Well, well."),
    ("Hm.", "What is it?", "Nothing, I was just thinking.", "You think too much."),
    ("Understood.", "Is there anything else?", "No, that's all for today.", "Have a nice day!"),
    ("Thanks for letting me know.", "You're welcome."),
    ("Good to know.", "Sorry, my phone is ringing.", "Go ahead, I'll wait.", "Thanks."),
    ("lol okay", "anyway , what are you doing tonight ?", "not much , maybe watch a movie", "nice"),
    ("i hear you", "well , i have to run", "ok , bye !", "bye !"),
    ("gotcha", "so what's new with you ?", "nothing really , same old", "same here"),
    ("oh wow", "yeah", "thanks for sharing that", "sure thing"),
    ("Mhm.", "Are you hungry?", "A little.", "Let's get something to eat.", "Good idea."),
    ("You know what you're doing.", "I hope so.", "I'm sure of it."),
    ("All right then.", "See you tomorrow?", "See you tomorrow."),
    ("No way!", "I'm telling you.", "I'll have to think about that.", "Do."),
)


def framed(excerpt: Excerpt, seed: int) -> Excerpt:
    """An excerpt and its damaged forms, perhaps with an opening and a closing.

    >>> talk = Excerpt("d", (("A", "Tea?"), ("B", "No.")), (), ((), ()))
    >>> [len(framed(talk, seed).turns) for seed in range(5)]
    [4, 3, 7, 6, 6]
    """
    rng = seeded(seed, excerpt.id.rpartition(":")[0] or excerpt.id, "frame")  # as the other way
    own = (it.turns for it in excerpt.worse if it.name in WRITTEN)
    every = (excerpt.turns, *own)  # of both ways: where one ends otherwise, it is broken so
    ends = {turns[-1][1].rstrip()[-1:] == "?" for turns in every}
    asked = True in ends
    opening: tuple[str, ...] = rng.choice(_OPENINGS) if rng.random() < _OPENED else ()
    closing: tuple[str, ...] = rng.choice(_ANSWERS if asked else _CLOSINGS)
    closing = closing[: rng.randint(1, len(closing))] if rng.random() < _CLOSED else ()
    if len(ends) > 1:  # a closing fits behind one of them only, and would tell which is which
        closing = ()

    def whole(turns: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        who = tuple(dict.fromkeys(speaker for speaker, _ in excerpt.turns))
        first, last = who.index(turns[0][0]), who.index(turns[-1][0])
        count = len(opening)
        before = ((who[(first + count - at) % len(who)], text) for at, text in enumerate(opening))
        behind = ((who[(last + 1 + at) % len(who)], text) for at, text in enumerate(closing))
        return (*before, *turns, *behind)

    def shifted(worse: Damaged) -> Damaged:
        broken = tuple(Broken(it.turn + len(opening), it.spans) for it in worse.broken)
        return Damaged(worse.name, whole(worse.turns), broken)

    return msgspec.structs.replace(
        excerpt,
        turns=whole(excerpt.turns),
        worse=tuple(map(shifted, excerpt.worse)),
        same=(*((),) * len(opening), *excerpt.same, *((),) * len(closing)),
    )
