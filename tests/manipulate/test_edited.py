"""Accounts of edits that were made one on the other: they tell what is left."""

from random import Random

import pytest

from dialogauge.dialogue import Dialogue, Turn
from dialogauge.manipulate.checking import fault
from dialogauge.manipulate.edited import Edited, after, rearranged, rewritten
from dialogauge.manipulate.manipulation import Manipulation, Tally
from dialogauge.manipulate.mixtures import Steps
from dialogauge.manipulate.pool import Pool
from dialogauge.manipulate.turns import exchanged

from .manipulating import talk

CHAT = talk("Hello there.", "I like green tea.", "So do I.", "Bye now.")


def told(first: Edited, second: Edited) -> dict[int | None, str]:
    """Place -> kind, of an account that is true."""
    both = after(first, second)
    assert fault(CHAT, both) == ""
    return {change.turn: change.kind for change in both.changes}


@pytest.mark.parametrize(
    ("one", "two", "kind"),
    [
        ("I love green tea.", "I love green milk.", "one+two"),
        ("I love green tea.", "I hate green tea.", "two"),  # the same word
        ("I love green tea.", "Time flies so fast!", "two"),  # the whole text
        ("I like tea.", "I like milk.", "one+two"),  # a word went, its neighbour changed
        ("I like tea.", "Time flies.", "two"),
        ("I like very green tea.", "I like green tea now.", "two"),  # put in, and out again
    ],
)
def test_an_edit_that_was_erased_is_not_told(one: str, two: str, kind: str) -> None:
    first = rewritten(CHAT, {1: one}, "one")
    assert told(first, rewritten(first.dialogue, {1: two}, "two")) == {1: kind}


def test_a_turn_that_went_has_lost_its_other_edits() -> None:
    first = rewritten(CHAT, {1: "I love green tea."}, "one")
    assert told(first, rearranged(first.dialogue, [0, 2, 3], "drop")) == {None: "drop"}


def test_a_turn_that_moved_and_was_replaced() -> None:
    swapped = exchanged(CHAT, range(4), [0, 3, 2, 1], "swap")
    assert told(swapped, rewritten(swapped.dialogue, {1: "Foreign."}, "two")) == {
        1: "two",
        3: "swap",
    }
    moved = rearranged(CHAT, [0, 2, 3, 1], "move")  # without it, nothing would tell the move
    assert told(moved, rewritten(moved.dialogue, {3: "Foreign."}, "two")) == {3: "move+two"}


def say(name: str, text: str) -> Manipulation:
    def edit(dialogue: Dialogue, rng: Random, pool: Pool) -> Edited:
        return rewritten(dialogue, {1: text}, f"{name}.kind")

    return Manipulation(name, edit, "lower", "mine")


def test_a_cause_names_what_is_left() -> None:
    one, two = say("one", "I love green tea."), say("two", "Time flies so fast!")
    edited, cause = Steps((one, two)).make(CHAT, Random(1), Pool([]), Tally())
    assert edited is not None
    assert (cause, edited.changes[0].kind) == ("two", "two.kind")
    other = say("other", "I love green milk.")
    assert Steps((one, other)).make(CHAT, Random(1), Pool([]), Tally())[1] == "one+other"


def test_a_foreign_turn_that_was_rewritten() -> None:
    put = rearranged(CHAT, [0, Turn("b", "Foreign one."), 1, 2, 3], "insert")
    assert told(put, rewritten(put.dialogue, {1: "Foreign two."}, "two")) == {1: "insert+two"}
