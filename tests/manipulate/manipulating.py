"""What every edit must keep to, whatever the dialogue: shared by the tests of manipulations."""

from collections.abc import Sequence
from random import Random

from hypothesis import strategies as st

from dialogauge.dialogue import Dialogue, Turn, encode
from dialogauge.manipulate.checking import fault
from dialogauge.manipulate.edited import Edited
from dialogauge.manipulate.manipulation import DoesNotApply, Manipulation, alike, at
from dialogauge.manipulate.pool import Pool

TEXTS = (
    "",
    " ",
    "ok",
    "Ok",
    "!!!",
    "😀",
    "I will do",
    "Do you like my dog? I do.",
    "I'm sure you're right about Paris, aren't you?",
    "We bought a big car and a movie, maybe.",
    "https://example.org/a?b=c see @bob #tag 33%",
    "Ich weiß nicht, was soll es bedeuten.",
    "我不知道 。",
    "a\x00b\x1b[2J\u202e [x] ^y$ \\",
    "the the the the",
    "of the and to",
    "line one\nline two\r\n\nline three",
)

texts = st.sampled_from(TEXTS) | st.text(max_size=25)
turns = st.builds(
    Turn, st.sampled_from(["a", "b", "c"]), texts, st.sampled_from([False, False, False, True])
)

#: A chat in which there is something for every edit of meaning.
SAID = (
    "Hello! Do you like dogs?",
    "I love my old dog. She sleeps in the garden every day. Do you have a pet?",
    "I don't have a pet, but my brother bought a big house near the river.",
    "That is great. He must be happy there. What does he do?",
    "He teaches music at the school, and his students like him a lot.",
    "I think music is important for children. My sister plays the piano.",
)
CHAT = Dialogue("d1", tuple(Turn("ab"[at % 2], text) for at, text in enumerate(SAID)))


@st.composite
def dialogues(draw: st.DrawFn) -> Dialogue:
    """Dialogues of up to eight turns, asides and both levels among them."""
    made = [*draw(st.lists(turns, max_size=7)), Turn(draw(st.sampled_from("ab")), draw(texts))]
    return Dialogue("under test", tuple(made), level=draw(st.sampled_from(["dialogue", "turn"])))


def talk(*said: str, level: str = "dialogue") -> Dialogue:
    """A dialogue of two people who take turns."""
    made = tuple(Turn("ab"[at % 2], text) for at, text in enumerate(said))
    return Dialogue("talk", made, level="turn" if level == "turn" else "dialogue")


def others(count: int = 6) -> list[Dialogue]:
    """Dialogues to take foreign turns from."""
    return [
        Dialogue(f"other {at}", tuple(Turn("xy"[k % 2], f"Foreign {at}, {k}.") for k in range(5)))
        for at in range(count)
    ]


def pool(*, models: bool = True) -> Pool:
    """A pool with a language model and a translator that are easy to recognise."""
    if not models:
        return Pool(others())
    return Pool(
        others(),
        reply=lambda context, seed: f"reply {seed} to {context[-1]}",
        translate=lambda given: [f"{text} indeed" for text in given],
    )


def keeps_the_contract(manipulation: Manipulation, dialogue: Dialogue, seed: int) -> None:
    """Deterministic, the input untouched, a true account, a real difference, asides left alone."""
    before = encode(dialogue)
    made = _outcome(manipulation, dialogue, seed)
    assert encode(dialogue) == before
    assert made == _outcome(manipulation, dialogue, seed)
    if isinstance(made, str):
        assert made
        return
    assert fault(dialogue, made) == ""
    assert made.changes
    assert differs(manipulation, dialogue, made.dialogue)
    assert asides(made.dialogue) == asides(dialogue)
    assert (made.dialogue.id, made.dialogue.level) == (dialogue.id, dialogue.level)


def differs(manipulation: Manipulation, dialogue: Dialogue, other: Dialogue) -> bool:
    """Whether something changed; damage has to be more than blanks and capitals."""
    if manipulation.expect == "same":
        return dialogue.turns != other.turns
    return not alike(dialogue, other)


def _outcome(manipulation: Manipulation, dialogue: Dialogue, seed: int) -> Edited | str:
    try:
        made = manipulation.edit(dialogue, Random(seed), pool())
    except DoesNotApply as reason:
        return str(reason)
    assert made is not None
    return made


def response(manipulation: Manipulation, dialogue: Dialogue, pool: Pool, seed: int = 0) -> str:
    """The last turn after a manipulation that must apply."""
    edited = manipulation(dialogue, Random(seed), pool)
    assert edited is not None
    return edited.dialogue.response


def asides(dialogue: Dialogue) -> list[Turn]:
    return [turn for turn in dialogue.turns if turn.aside]


def steps(manipulation: Manipulation, dialogue: Dialogue, seed: int) -> Sequence[Edited]:
    """The rungs of its ladder."""
    made = [at(manipulation, step)(dialogue, Random(seed), pool()) for step in range(1, 6)]
    return [edited for edited in made if edited is not None]
