"""Edits of the order and the company of turns: known counts, and what holds for every dialogue."""

from collections import Counter
from itertools import pairwise
from math import factorial
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialogauge import corpora
from dialogauge.dialogue import Dialogue, Turn
from dialogauge.manipulate import permutations
from dialogauge.manipulate.catalogue import TURNS
from dialogauge.manipulate.checking import fault
from dialogauge.manipulate.edited import Edited
from dialogauge.manipulate.manipulation import DoesNotApply, Manipulation, Tally, seeded
from dialogauge.manipulate.pool import Pool
from dialogauge.manipulate.turns import Arranging, replace_turn, speaker_shuffles, swap_halves

from .manipulating import dialogues, keeps_the_contract, others, pool, steps, talk

BY_NAME = {each.name: each for each in TURNS}


def said(edited: Edited | Dialogue) -> list[str]:
    dialogue = edited.dialogue if isinstance(edited, Edited) else edited
    return [turn.text for turn in dialogue.turns]


def numbered(count: int, level: str = "dialogue") -> Dialogue:
    return talk(*(f"turn {at}" for at in range(count)), level=level)


def test_the_table_is_complete() -> None:
    assert " ".join(BY_NAME) == (
        "permute permute-speaker move-turn insert-turn replace-turn shuffle-speaker "
        "swap-halves splice drop-turn"
    )
    assert all(each.expect == "lower" and each.about.endswith(".") for each in TURNS)
    changed = {change.kind for each in TURNS for change in made(each, numbered(6)).changes}
    assert changed == set(BY_NAME)


def made(manipulation: Manipulation, dialogue: Dialogue, seed: int = 0) -> Edited:
    edited = manipulation(dialogue, Random(seed), pool())
    assert edited is not None
    return edited


@pytest.mark.parametrize("manipulation", TURNS, ids=lambda each: each.name)
@given(dialogue=dialogues(), seed=st.integers(0, 9))
@settings(max_examples=100)
def test_the_contract(manipulation: Manipulation, dialogue: Dialogue, seed: int) -> None:
    keeps_the_contract(manipulation, dialogue, seed)


@pytest.mark.parametrize("manipulation", TURNS, ids=lambda each: each.name)
@given(seed=st.integers(0, 99), count=st.integers(5, 9))
@settings(max_examples=30)
def test_the_judged_turn_stays(manipulation: Manipulation, seed: int, count: int) -> None:
    dialogue = numbered(count, level="turn")
    edited = made(manipulation, dialogue, seed)
    if manipulation.name == "replace-turn":
        assert edited.dialogue.context == dialogue.context
    else:
        assert edited.dialogue.turns[-1] == dialogue.turns[-1]


@given(seed=st.integers(0, 999), count=st.integers(2, 9))
def test_permute_keeps_the_seats_and_the_texts(seed: int, count: int) -> None:
    dialogue = numbered(count)
    seats = [turn.speaker for turn in dialogue.turns]
    edited = made(BY_NAME["permute"], dialogue, seed)
    assert sorted(said(edited)) == sorted(said(dialogue))
    assert [turn.speaker for turn in edited.dialogue.turns] == seats


def test_every_order_is_as_likely() -> None:
    drawn = Counter(tuple(permutations.shuffled("abc", Random(seed))) for seed in range(3000))
    assert len(drawn) == 5
    assert all(450 < count < 750 for count in drawn.values())


@given(st.lists(st.sampled_from("abc"), max_size=6), st.integers(0, 9))
def test_other_orders_are_other_orders(keys: list[str], seed: int) -> None:
    every = [tuple(keys[at] for at in order) for order in permutations.arrangements(keys)]
    assert len(every) == len(set(every)) == permutations.count(keys) - 1
    assert tuple(keys) not in every
    for draw in (permutations.shuffled, permutations.cycled):
        try:
            order = draw(keys, Random(seed))
        except DoesNotApply:
            assert len(set(keys)) < 2
        else:
            assert tuple(keys[at] for at in order) in every


@pytest.mark.parametrize(("count", "wanted"), [(4, 2), (5, 6), (6, 10), (7, 28), (20, 20)])
def test_distinct_shuffles_of_one_speaker(count: int, wanted: int) -> None:
    dialogue = numbered(count)
    shuffles = speaker_shuffles(dialogue, max(20, wanted), Random(1))
    assert len(shuffles) == wanted
    assert len({each.dialogue.turns for each in shuffles}) == wanted
    for each in shuffles:
        assert fault(dialogue, each) == ""
        moved = {change.before for change in each.changes}
        speakers = {turn.speaker for turn in dialogue.turns if turn.text in moved}
        assert len(speakers) == 1
        assert [turn.speaker for turn in each.dialogue.turns] == [
            turn.speaker for turn in dialogue.turns
        ]


def test_equal_turns_have_fewer_shuffles() -> None:
    same = talk("yes", "one", "yes", "two", "yes", "Two ")
    assert len(speaker_shuffles(same, 20, Random(0))) == 2  # of "one two two"
    with pytest.raises(DoesNotApply, match="two things"):
        speaker_shuffles(talk("yes", "no", "Yes", "no "), 20, Random(0))
    many = talk(*(["ok", "fine"] * 249), "no", "fine")
    assert len(speaker_shuffles(many, 500, Random(0))) == 249


@given(seed=st.integers(0, 99))
def test_permute_speaker_moves_every_turn(seed: int) -> None:
    dialogue = numbered(9)
    edited = made(BY_NAME["permute-speaker"], dialogue, seed)
    moved = [old != new for old, new in zip(said(dialogue), said(edited), strict=True)]
    assert moved in ([True, False] * 4 + [True], [False, True] * 4 + [False])


@given(seed=st.integers(0, 99), count=st.integers(2, 9))
def test_one_turn_is_moved_put_in_replaced_or_left_out(seed: int, count: int) -> None:
    dialogue, texts = numbered(count), set(said(numbered(count)))
    moved = made(BY_NAME["move-turn"], dialogue, seed)
    assert len(moved.changes) == 1
    assert sorted(said(moved)) == sorted(texts)
    put = made(BY_NAME["insert-turn"], dialogue, seed)
    (new,) = set(said(put)) - texts
    assert new.startswith("Foreign")
    assert said(put).index(new) not in (0, count)
    replaced = made(BY_NAME["replace-turn"], dialogue, seed)
    assert len(replaced.changes) == 1
    assert {turn.speaker for turn in replaced.dialogue.turns} == {"a", "b"}
    if count > 2:
        left = made(BY_NAME["drop-turn"], dialogue, seed)
        assert len(left.changes) == 1
        assert (said(left)[0], said(left)[-1]) == ("turn 0", f"turn {count - 1}")


def test_replacements_come_from_elsewhere_unless_asked() -> None:
    dialogue = numbered(6)
    mixed = Pool([dialogue, *others(2)])
    own = Counter[bool]()
    for seed in range(300):
        edited = BY_NAME["replace-turn"](dialogue, Random(seed), mixed)
        assert edited is not None
        (change,) = edited.changes
        assert change.after.startswith("Foreign")
        (change,) = replace_turn(dialogue, Random(seed), mixed, 0.0, same_dialogue=True).changes
        own[change.after in said(dialogue)] += 1
    assert 40 < own[True] < 120


def test_halves_and_splices() -> None:
    dialogue = numbered(5)
    assert [text[-1] for text in said(made(BY_NAME["swap-halves"], dialogue))] == list("34012")
    one = Arranging(swap_halves, share=0.2)(dialogue, Random(0), pool())
    assert [text[-1] for text in said(one)] == list("01324")
    spliced = said(made(BY_NAME["splice"], numbered(6)))
    assert spliced[:3] == ["turn 0", "turn 1", "turn 2"]
    (other,) = {text.split(",")[0] for text in spliced[3:]}
    assert spliced[3:] == [f"{other}, {at}." for at in (2, 3, 4)]
    longer = made(BY_NAME["splice"], numbered(20)).dialogue
    assert len(longer.turns) == 15  # the other dialogue has five turns
    assert [turn.speaker for turn in longer.turns] == [*"ababababababababa"[:15]]


def test_asides_stay_where_they_are() -> None:
    aside = Turn("system", "Be nice.", aside=True)
    turns = numbered(6).turns
    dialogue = Dialogue("d", (aside, *turns[:3], aside, *turns[3:]))
    for name in ("permute", "permute-speaker", "move-turn", "shuffle-speaker", "swap-halves"):
        edited = made(BY_NAME[name], dialogue).dialogue
        assert edited.turns[0] == edited.turns[4] == aside


@pytest.mark.parametrize("name", ["replace-turn", "insert-turn", "drop-turn", "splice"])
def test_ladders_keep_what_they_did(name: str) -> None:
    rungs = steps(BY_NAME[name], numbered(5), 3)
    told = [{(each.was, each.before, each.after) for each in rung.changes} for rung in rungs]
    assert len(told) == 5
    assert all(less <= more for less, more in pairwise(told))
    assert len(told[0]) < len(told[-1])


@pytest.mark.parametrize("name", ["permute", "permute-speaker", "shuffle-speaker"])
@given(seed=st.integers(0, 99))
@settings(max_examples=20)
def test_ladders_of_orders_touch_more_and_more(name: str, seed: int) -> None:
    dialogue = numbered(20)
    touched = [
        {at for at, text in enumerate(said(rung)) if text != f"turn {at}"}
        for rung in steps(BY_NAME[name], dialogue, seed)
    ]
    assert all(less < more for less, more in pairwise(touched))
    assert len(touched[-1]) == (20 if name == "permute" else 10)


@pytest.mark.parametrize("manipulation", TURNS, ids=lambda each: each.name)
def test_odd_dialogues_get_a_reason(manipulation: Manipulation) -> None:
    tally = Tally()
    assert manipulation(talk("alone"), Random(0), Pool([]), tally) is None
    assert manipulation(talk("alone", level="turn"), Random(0), Pool([]), tally) is None
    assert sum(tally.refused.values()) == 2
    for dialogue in (talk(*["same"] * 8), talk("", "", ""), numbered(500), talk(*["x"] * 500)):
        edited = manipulation(dialogue, Random(0), pool(), tally)
        assert edited is None or fault(dialogue, edited) == ""


def test_factorials_are_not_counted_out() -> None:
    assert permutations.count(range(10)) == factorial(10)
    assert len(speaker_shuffles(numbered(500), 20, Random(0))) == 20


def test_real_dialogues(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALOGAUGE_DATA", str(data))
    chats = list(corpora.load("topical-chat"))[:60]
    shared = Pool(chats)
    for manipulation in TURNS:
        for chat in chats:
            edited = manipulation(chat, seeded(1, chat.id, manipulation.name), shared)
            assert edited is not None
            assert fault(chat, edited) == ""
