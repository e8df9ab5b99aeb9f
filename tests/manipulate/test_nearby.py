"""Responses of other dialogues about the same things."""

from random import Random

from dialogauge.dialogue import Dialogue, Turn
from dialogauge.manipulate.catalogue import find
from dialogauge.manipulate.pool import Pool

NEAR = find("near-response")


def chat(id: str, *texts: str) -> Dialogue:
    return Dialogue(id, tuple(Turn("AB"[at % 2], text) for at, text in enumerate(texts)))


LAKE = chat("d1", "Any plans?", "We rent a canoe on the lake.", "Lovely.")
OTHERS = [
    chat("d2", "Was it nice?", "My canoe sank in deep water.", "Oh dear."),
    chat("d3", "What now?", "I have to mend a broken bicycle.", "Today?"),
    chat("d4", "And you?", "Nothing planned so far this week.", "Good."),
]


def replaced(dialogue: Dialogue, others: list[Dialogue], seed: int) -> dict[int, str]:
    edited = NEAR(dialogue, Random(seed), Pool(others))
    changes = edited.changes if edited else ()
    return {change.turn: change.after for change in changes if change.turn is not None}


def test_it_speaks_of_the_same() -> None:
    made = [replaced(LAKE, OTHERS, seed) for seed in range(20)]
    assert {text for each in made for text in each.values()} == {"My canoe sank in deep water."}


def test_where_nobody_speaks_of_the_same_it_does_not_apply() -> None:
    assert NEAR(LAKE, Random(1), Pool(OTHERS[1:])) is None
    assert NEAR(LAKE, Random(1), Pool([])) is None


def test_the_rest_of_the_same_conversation_is_not_foreign() -> None:
    whole = chat("d", *(turn.text for turn in LAKE.turns), "The canoe holds three of us.")
    excerpt = Dialogue("d:1", whole.turns[1:3])
    assert NEAR(excerpt, Random(1), Pool([whole, *OTHERS[1:]])) is None


def test_what_may_say_the_same_is_not_taken() -> None:
    same = chat("d2", "Plans?", "We rent a big canoe on the lake.", "Nice.")
    more = "Yes, Tom and Ann rent some old canoe on this large lake, too."
    for other in (same, chat("d3", "Plans?", more, "Nice.")):
        assert NEAR(LAKE, Random(1), Pool([other])) is None


def test_it_is_about_as_long() -> None:
    long = chat("d2", "So?", "My canoe " + "and all that was in it " * 5 + "sank.", "Oh.")
    short = chat("d3", "So?", "Canoe!", "Oh.")
    assert NEAR(LAKE, Random(1), Pool([long, short])) is None


def test_a_higher_step_changes_what_a_lower_one_does() -> None:
    things = ("canoe", "bicycle", "violin", "garden", "camera")
    talk = chat("d", *(f"I bought a new {thing} in town today." for thing in things))
    others = [chat(it, "Well?", f"My old {it} broke down again.", "Oh.") for it in things]
    lower: dict[int | None, str] = {}
    for severity in (1, 2, 3, 4, 5):
        edited = find(f"near-response@{severity}")(talk, Random(3), Pool(others))
        assert edited is not None
        made = {change.turn: change.after for change in edited.changes}
        assert lower.items() <= made.items()
        lower = made
    assert len(lower) > 1
