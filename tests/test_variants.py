"""Edits and contrasts as they are written, and the drawing of dialogues."""

from collections import Counter

import msgspec

from dialogauge import contrast
from dialogauge.contrast import Counts, Drawing
from dialogauge.dialogue import Dialogue, Turn, decode
from dialogauge.manipulate.mixtures import chosen, mixed
from dialogauge.manipulate.pool import Pool
from dialogauge.variants import about, edits, listing, pairs, sample

CHATS = [
    Dialogue(f"d{at}", tuple(Turn("ab"[n % 2], f"say {at} {n}") for n in range(6)), ratings={})
    for at in range(4)
]


def test_each_edit_is_a_dialogue_of_its_own() -> None:
    rated = [msgspec.structs.replace(chat, ratings={"good": (1.0,)}) for chat in CHATS]
    counts = Counts()
    drawn = list(edits(chosen(["reverse", "drop-turn"]), Drawing(2), rated, Pool(rated), counts))
    assert {each.name for each in drawn} == {"reverse", "drop-turn"}
    assert len({each.edited.dialogue.id for each in drawn}) == len(drawn)
    for each in drawn:
        assert decode(each.line) == each.edited.dialogue
        assert each.edited.dialogue.id.startswith(f"{each.original.id}~{each.name}~")
        assert not each.edited.dialogue.ratings
        assert each.edited.changes
    assert counts.tally.asked == {"reverse": 8, "drop-turn": 8}


def test_each_contrast_is_written_with_both_sides() -> None:
    counts = Counts()
    drawn = list(pairs(mixed(["reverse", "drop-turn"]), Drawing(1), CHATS, Pool(CHATS), counts))
    assert [each.original for each in drawn] == CHATS
    for each in drawn:
        pair = contrast.decode(each.line)
        assert (pair.better, pair.worse) == (each.original, each.edited.dialogue)
        assert pair.cause == each.name
    assert counts.causes == Counter(each.name for each in drawn)


def test_a_sample_keeps_the_order_and_is_fair() -> None:
    assert sample(CHATS, 9, 0) == CHATS
    times: Counter[str] = Counter()
    for seed in range(400):
        drawn = [chat.id for chat in sample(CHATS, 2, seed)]
        assert drawn == sorted(drawn)
        times.update(drawn)
    assert all(150 < count < 250 for count in times.values())
    assert sample(CHATS, 2, 7) == sample(iter(CHATS), 2, 7)


def test_what_is_said_of_a_name() -> None:
    rows = {row["name"]: row for row in listing()}
    said = about("reverse@3+drop-turn")
    for name in ("reverse", "drop-turn"):
        assert f"{rows[name]['about']} ({rows[name]['paper']}; expected: lower)" in said
    assert about("no-such-thing") == ""
