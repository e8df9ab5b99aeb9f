"""Conversations written to learn from: whole, even-handed, and like nothing measured with."""

from collections import Counter
from pathlib import Path

import pytest

from dialogauge import contrast, corpora
from dialogauge.errors import DataError
from dialogauge.train.models.deam.damage import CAUSES, WRITTEN, cause_of
from dialogauge.train.models.deam.material import Maker, Making
from dialogauge.train.models.deam.written import parsed, written

EXAMPLES = Path(__file__).parents[2] / "examples"
TEXT = """\
== pronoun
A: My {sister|brother} is here.
B: Already?
A: {She|He} took the early train.

== name
A: We are off to {Rome|Oslo}.
B: How long is the flight?
A: Three hours. I have never been to {Italy|Norway}.
B: Say hello to {the Colosseum|the fjords}.
"""


def test_a_conversation_is_good_on_each_side_and_broken_by_a_turn_of_the_other() -> None:
    pronoun, name = parsed(TEXT, "f.txt")
    assert [turn.text for turn in pronoun.ways[0].turns] == [
        "My sister is here.",
        "Already?",
        "She took the early train.",
    ]
    (broken,) = pronoun.broken(0)
    assert broken.turns[0] == ("A", "My sister is here.")
    assert broken.turns[2] == ("A", "He took the early train.")
    assert [(it.turn, it.spans) for it in broken.broken] == [(2, ((0, 2),))]
    assert name.choices == (0, 2, 3)
    assert [it.broken[0].turn for it in name.broken(1)] == [2, 3]


def test_each_turn_is_as_often_right_as_it_is_broken() -> None:
    for chat in written():
        for at in chat.choices[1:]:
            texts = Counter(way.turns[at].text for way in chat.ways)
            broken = [it for way in (0, 1) for it in chat.broken(way) if it.broken[0].turn == at]
            assert Counter(it.turns[at][1] for it in broken) == texts


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("== pronoun\nA: {My|Your} cat.\nC: Hm.\nA: {I|you}", "not a turn of A or B"),
        ("== pronoun\nA: {My|Your} cat.\nB: Hm.", "no turn that another one decides"),
        ("== weather\nA: {My|Your} cat.\nB: {I|you}.", "no known kind"),
    ],
)
def test_what_is_not_such_a_conversation_is_named(text: str, problem: str) -> None:
    with pytest.raises(DataError, match=rf"^f.txt.*1.* {problem}"):
        list(parsed(text, "f.txt"))


def test_every_kind_was_written_and_has_a_cause() -> None:
    assert {chat.name for chat in written()} == set(WRITTEN)
    assert {cause_of(name) for name in WRITTEN} <= set(CAUSES)
    assert {chat.side for chat in written()} == {"train", "valid", "test"}


def test_nothing_was_written_twice_or_left_in_braces() -> None:
    seen = Counter(way.turns for chat in written() for way in chat.ways)
    assert seen.most_common(1)[0][1] == 1
    texts = [turn.text for chat in written() for way in chat.ways for turn in way.turns]
    assert not any(sign in text for text in texts for sign in "{|}=")
    assert all(text.strip() and len(text.split()) < 80 for text in texts)


def test_nothing_is_from_what_is_measured_with() -> None:
    ways = [way for chat in written() for way in chat.ways]
    pairs = [pair for path in EXAMPLES.glob("*.contrasts") for pair in contrast.read(path)]
    held = {"examples": [chat for pair in pairs for chat in (pair.better, pair.worse)]}
    clean, _ = corpora.decontaminate(ways, held)
    assert len(clean) == len(ways)


@pytest.mark.usefixtures("data")
def test_nothing_is_from_sets_that_people_rated() -> None:
    ways = [way for chat in written() for way in chat.ways]
    clean, costs = corpora.decontaminate(
        ways, {name: corpora.load(name) for name in corpora.held_out()}
    )
    assert len(clean) == len(ways), costs


def test_a_half_has_its_own(tmp_path: Path) -> None:
    from dialogauge.train.data import given

    chats = list(parsed(TEXT, "f.txt"))
    maker = Maker(Making(damage=("echo",), harmless=()), 1, tmp_path, None, chats)
    made = [*maker.make(given([], []), "train"), *maker.make(given([], []), "valid")]
    own = [chat for chat in chats if chat.side != "test"]
    assert {it.id for it in made} == {way.id for chat in own for way in chat.ways}
    for excerpt in made:
        names = [worse.name for worse in excerpt.worse]
        assert names[0] in WRITTEN
        assert names.count("echo") <= 1
