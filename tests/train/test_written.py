"""Conversations written to learn from: whole, even-handed, and like nothing measured with."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import astuple

from dialogauge import contrast, corpora
from dialogauge.errors import DataError
from dialogauge.train.data import Half
from dialogauge.train.models.deam.damage import CAUSES, WRITTEN, Broken, Damaged, cause_of
from dialogauge.train.models.deam.frames import framed
from dialogauge.train.models.deam.material import Excerpt, Maker, Making, broken
from dialogauge.train.written import KINDS, contrasts, parsed, written

EXAMPLES = Path(__file__).parents[2] / "examples"
TEXT = """\
== pronoun valid
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
    assert (pronoun.side, name.side) == ("valid", "train")
    assert [turn.text for turn in pronoun.ways[0].turns] == [
        "My sister is here.",
        "Already?",
        "She took the early train.",
    ]
    (worse,) = broken(pronoun, 0)
    assert worse.turns[0] == ("A", "My sister is here.")
    assert worse.turns[2] == ("A", "He took the early train.")
    assert [(it.turn, it.spans) for it in worse.broken] == [(2, ((0, 2),))]
    assert name.choices == (0, 2, 3)
    assert [it.broken[0].turn for it in broken(name, 1)] == [2, 3]


def test_each_turn_is_as_often_right_as_it_is_broken() -> None:
    for chat in written():
        for at in chat.choices[1:]:
            texts = Counter(way.turns[at].text for way in chat.ways)
            worse = [it for way in (0, 1) for it in broken(chat, way) if it.broken[0].turn == at]
            assert Counter(it.turns[at][1] for it in worse) == texts


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("== pronoun\nA: {My|Your} cat.\nC: Hm.\nA: {I|you}", "not a turn of A or B"),
        ("== pronoun\nA: {My|Your} cat.\nB: Hm, {I|}.\nA: {I|you}.", "not a turn of A or B"),
        ("== pronoun\nA: {My|Your} cat.\nB: {I|you|he}.\nA: {I|you}.", "not a turn of A or B"),
        ("== pronoun\nA: {My|Your} cat.\nB: Hm.", "no turn that another one decides"),
        ("== pronoun", "no turn that another one decides"),
        ("== weather\nA: {My|Your} cat.\nB: {I|you}.", "no known kind"),
        ("== pronoun train\nA: {My|Your} cat.\nB: {I|you}.", "no known kind"),
        ("==pronoun\nA: {My|Your} cat.\nB: {I|you}.", "no known kind"),
        ("pronoun 1\nA: {My|Your} cat.\nB: {I|you}.", "before the first"),
    ],
)
def test_what_is_not_such_a_conversation_is_named(text: str, problem: str) -> None:
    with pytest.raises(DataError, match=rf"^f.txt.* {problem}"):
        list(parsed(text, "f.txt"))


def test_every_kind_was_written_and_has_a_cause() -> None:
    assert {chat.name for chat in written()} == set(WRITTEN)
    assert {f"written-{kind}" for kind in KINDS} == set(WRITTEN)
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


def test_a_half_has_its_own_each_way_broken_by_the_other(tmp_path: Path) -> None:
    from dialogauge.train.data import given

    def made(text: str, half: Half) -> dict[str, list[str]]:
        chats = list(parsed(text, "f.txt"))
        maker = Maker(Making(damage=("echo",), harmless=()), 1, tmp_path, None, chats)
        return {
            excerpt.turns[0][1]: [
                turns[-1][1] for name, turns, _ in map(astuple, excerpt.worse) if name in WRITTEN
            ]
            for excerpt in maker.make(given([], []), half)
        }

    assert made(TEXT, "valid") == {
        "My sister is here.": ["He took the early train."],
        "My brother is here.": ["She took the early train."],
    }
    assert list(made(TEXT, "train")) == ["We are off to Rome.", "We are off to Oslo."]
    two = "== self valid\nA: I {ski|sail}.\nB: Oh.\nA: {Snow|Wind} is all I need.\n\n"
    assert list(made(two + TEXT, "valid"))[2:] == ["My brother is here.", "My sister is here."]
    # What stands before it has no part in what breaks it: excerpts are kept in the folder.
    assert made(two + TEXT, "valid")["My sister is here."] == ["He took the early train."]


def test_contrasts_are_those_of_one_side() -> None:
    pairs = list(contrasts("test"))
    chats = [chat for chat in written() if chat.side == "test"]
    assert len(pairs) == sum(2 * (len(chat.choices) - 1) for chat in chats)
    for pair in pairs:
        (change,) = pair.changes
        assert change.turn is not None
        assert pair.worse.turns[change.turn].text == change.after != change.before
        assert pair.better.turns[change.turn].text == change.before
        assert f"written-{pair.cause}" in WRITTEN


def test_what_is_held_out_is_not_said_where_it_is_learnt() -> None:
    sides = {side: [it for it in written() if it.side == side] for side in ("train", "test")}
    learnt = [way for chat in sides["train"] for way in chat.ways]
    held = [way for chat in sides["test"] for way in chat.ways]
    clean, _ = corpora.decontaminate(held, {"train": learnt})
    assert len(clean) > 0.95 * len(held)  # "Do you have any brothers or sisters?" is said by many


def test_openings_and_closings_are_the_same_in_all_forms() -> None:
    turns = (("A", "I ski."), ("B", "Oh."), ("A", "Snow is all I need."))
    other = (*turns[:2], ("A", "Wind is all I need."))
    excerpt = Excerpt("d", turns, (Damaged("written-self", other, (Broken(2),)),), ((),) * 3)
    sizes = set()
    for seed in range(100):
        made = framed(excerpt, seed)
        (worse,) = made.worse
        ((at, _),) = map(astuple, worse.broken)
        assert made.turns[at - 2 : at + 1] == turns
        assert worse.turns[at - 2 : at + 1] == other
        assert made.turns[:at] == worse.turns[:at]
        assert made.turns[at + 1 :] == worse.turns[at + 1 :]
        assert len(made.turns) == len(made.same)
        assert all(one != two for (one, _), (two, _) in pairwise(made.turns))
        sizes.add((at - 2, len(made.turns) - at - 1))
    assert {0, 2, 4} <= {before for before, _ in sizes}
    assert {0, 1, 2, 3, 4} <= {behind for _, behind in sizes}


def both_ways(seed: int) -> list[Excerpt]:
    """The first way of each conversation, then its second, with a frame."""
    return [
        framed(
            Excerpt(
                way.id,
                tuple((turn.speaker, turn.text) for turn in way.turns),
                tuple(broken(chat, at)),
                ((),) * len(way.turns),
            ),
            seed,
        )
        for chat in written()
        for at, way in enumerate(chat.ways)
    ]


def test_what_is_learnt_is_not_mostly_the_last_turn() -> None:
    forms = [worse for way in both_ways(seed=1) for worse in way.worse]
    last = sum(each.broken[0].turn == len(each.turns) - 1 for each in forms)
    assert last < 0.25 * len(forms)


def test_a_closing_does_not_tell_the_ways_apart() -> None:
    for one, two in zip(*[iter(both_ways(seed=3))] * 2, strict=True):
        forms = [one.turns, two.turns, *(it.turns for it in (*one.worse, *two.worse))]
        at = one.worse[-1].broken[0].turn
        assert len({turns[at + 1 :] for turns in forms}) == 1


def test_nobody_speaks_twice_in_a_row() -> None:
    for chat in written():
        who = [turn.speaker for turn in chat.ways[0].turns]
        assert all(one != two for one, two in pairwise(who))
