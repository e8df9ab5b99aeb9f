"""Contrasts: balanced, split without a leak, streamed, written and read without loss."""

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from dialogauge import corpora
from dialogauge.contrast import (
    Contrast,
    Counts,
    Drawing,
    contrasts,
    encode,
    read,
)
from dialogauge.contrast import decode as decode_contrast
from dialogauge.corpora import split
from dialogauge.dialogue import Dialogue, Turn, normalise
from dialogauge.errors import DialogaugeError, InputError, RecordError
from dialogauge.judging import discriminations
from dialogauge.manipulate.checking import fault
from dialogauge.manipulate.edited import Edited, rearranged, rewritten
from dialogauge.manipulate.manipulation import DoesNotApply, Manipulation
from dialogauge.manipulate.mixtures import Mixture, Steps, mixed, one_of, some_of
from dialogauge.manipulate.pool import Pool
from dialogauge.meta import Resampling

WORDS = (
    *("harbour", "museum", "garden", "kettle", "pepper", "window", "ladder", "silver"),
    *("market", "letter", "summer", "bridge", "doctor", "pencil", "forest", "violin"),
)


def chat(number: int, turns: int = 6) -> Dialogue:
    rng = Random(number)
    said = (" ".join(rng.choices(WORDS, k=6)) + f" {number}x{at}" for at in range(turns))
    pairs = tuple(Turn("ab"[at % 2], text) for at, text in enumerate(said))
    return Dialogue(f"d{number}", pairs, ratings={"Overall": (3.0, math.nan)})


def shout(dialogue: Dialogue, rng: Random, pool: Pool) -> Edited:
    """The last turn with a cry behind it."""
    at = len(dialogue.turns) - 1
    return rewritten(dialogue, {at: dialogue.response + f" Hey {rng.random()}!"}, "shout")


def drop(dialogue: Dialogue, rng: Random, pool: Pool) -> Edited:
    """One turn less."""
    gone = rng.randrange(len(dialogue.turns))
    return rearranged(dialogue, [at for at in range(len(dialogue.turns)) if at != gone], "drop")


def rare(dialogue: Dialogue, rng: Random, pool: Pool) -> Edited:
    """Applies to every second dialogue only."""
    if int(dialogue.id[1:]) % 2:
        raise DoesNotApply("it is odd")
    return rewritten(dialogue, {0: "Rare."}, "rare")


def borrow(dialogue: Dialogue, rng: Random, pool: Pool) -> Edited:
    """A turn of another dialogue at the end."""
    foreign = Turn("b", pool.turn(rng, dialogue).text)
    return rearranged(dialogue, [*range(len(dialogue.turns)), foreign], "borrow")


def drown(dialogue: Dialogue, rng: Random, pool: Pool) -> Edited:
    """Something else for the last turn."""
    return rewritten(dialogue, {len(dialogue.turns) - 1: f"{rng.random()}"}, "drown")


def named(*edits: object) -> list[Manipulation]:
    return [Manipulation(it.__name__, it, "lower", "tests") for it in edits]  # type: ignore[attr-defined, arg-type]


CHATS = [chat(number) for number in range(60)]


def test_the_better_side_is_untouched_and_the_worse_one_is_accounted_for() -> None:
    mixture = Mixture("three", one_of(named(shout, drop, borrow)))
    pairs = list(contrasts(CHATS, mixture, Pool(CHATS), Drawing(n=2)))
    assert len(pairs) == 120
    for pair in pairs:
        assert any(pair.better is dialogue for dialogue in CHATS)
        assert pair.worse.turns != pair.better.turns
        assert pair.worse.id.startswith(f"{pair.better.id}~{pair.cause}~")
        assert not pair.worse.ratings
        assert not fault(pair.better, Edited(pair.worse, pair.changes))
    assert len({pair.worse.id for pair in pairs}) == 120


def test_each_cause_gets_its_turn_and_a_deficit_is_made_up() -> None:
    counts = Counts()
    mixture = Mixture("three", one_of(named(shout, drop, rare)))
    made = list(contrasts(CHATS, mixture, Pool(CHATS), counts=counts))
    assert counts.causes == Counter(shout=20, drop=20, rare=20)
    # It is tried wherever it is behind its share, so it is so at any time.
    assert abs(Counter(pair.cause for pair in made[:30])["rare"] - 10) <= 1
    assert counts.tally.refused["rare", "it is odd"] > 0
    assert counts.dialogues == 60
    assert counts.without == 0


def test_a_cause_that_never_applies_does_not_stop_the_others() -> None:
    counts = Counts()
    mixture = Mixture("two", one_of(named(shout, borrow)))
    assert len(list(contrasts(CHATS, mixture, Pool([]), counts=counts))) == 60
    assert counts.causes == Counter(shout=60)
    assert counts.tally.refused["borrow", "the pool has no other dialogue"] == 60
    nothing = Mixture("one", one_of(named(borrow)))
    assert not list(contrasts(CHATS, nothing, Pool([]), counts=counts))
    assert counts.without == 60


def test_ways_of_several_steps_are_drawn_by_their_weights() -> None:
    counts = Counts()
    mixture = Mixture("some", some_of(named(drop, shout)))
    many = [chat(number) for number in range(400)]
    for pair in contrasts(many, mixture, Pool([]), counts=counts):
        assert not fault(pair.better, Edited(pair.worse, pair.changes))
    assert counts.causes == Counter({"drop+shout": 200, "drop": 100, "shout": 100})


def test_what_did_not_apply_is_not_among_the_causes() -> None:
    mixture = Mixture("both", (Steps(tuple(named(rare, shout))),))
    causes = {pair.better.id: pair.cause for pair in contrasts(CHATS, mixture, Pool([]))}
    assert causes["d0"] == "rare+shout"
    assert causes["d1"] == "shout"


def test_an_edit_is_not_made_twice_of_one_dialogue() -> None:
    mixture = Mixture("one", one_of(named(rare)))
    assert len(list(contrasts(CHATS[:1], mixture, Pool([]), Drawing(n=5)))) == 1
    two_turns = [chat(7, turns=2)]
    dropped = list(contrasts(two_turns, Mixture("d", one_of(named(drop))), Pool([]), Drawing(n=9)))
    assert len({pair.worse.turns for pair in dropped}) == len(dropped) <= 2


def test_nothing_of_another_side_stands_in_a_contrast() -> None:
    many = [chat(number) for number in range(200)]
    home = {normalise(turn.text): split(it) for it in many for turn in it.turns}
    mixture = Mixture("borrow", one_of(named(borrow)))
    sides = Counter[str]()
    for pair in contrasts(many, mixture, Pool(many), Drawing(n=2)):
        sides[split(pair.better)] += 1
        assert {home[normalise(turn.text)] for turn in pair.worse.turns} == {split(pair.better)}
    assert set(sides) == {"train", "valid", "test"}
    mixed_up = contrasts(many, mixture, Pool(many), Drawing(n=2, apart=False))
    foreign = [{home[normalise(turn.text)] for turn in pair.worse.turns} for pair in mixed_up]
    assert any(len(found) > 1 for found in foreign)


def test_no_leak_in_a_corpus(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALOGAUGE_DATA", str(data))
    talk = corpora.load("personachat")[:300]
    home: dict[str, set[str]] = {}
    for dialogue in talk:
        for turn in dialogue.turns:
            home.setdefault(normalise(turn.text), set()).add(split(dialogue))
    mixture = mixed(["replace-turn", "insert-turn", "splice", "other-response"])
    count = 0
    for pair in contrasts(talk, mixture, Pool(talk), Drawing(n=2)):
        own = {turn.text for turn in pair.better.turns}
        for turn in pair.worse.turns:
            if turn.text not in own:
                count += 1
                assert split(pair.better) in home[normalise(turn.text)]
    assert count > 300


def test_contrasts_are_made_while_dialogues_are_read() -> None:
    taken = 0

    def endless() -> Iterator[Dialogue]:
        nonlocal taken
        while True:
            yield chat(taken)
            taken += 1

    stream = contrasts(endless(), Mixture("one", one_of(named(shout))), Pool([]))
    assert [next(stream).better.id for _ in range(5)] == ["d0", "d1", "d2", "d3", "d4"]
    assert taken == 4


def test_the_same_seed_gives_the_same_contrasts() -> None:
    mixture = Mixture("three", one_of(named(shout, drop, borrow)))

    def lines(seed: int) -> list[bytes]:
        return [encode(it) for it in contrasts(CHATS, mixture, Pool(CHATS), Drawing(2, seed))]

    assert lines(1) == lines(1)
    assert lines(1) != lines(2)


def test_written_and_read(tmp_path: Path) -> None:
    mixture = Mixture("three", one_of(named(shout, drop, borrow)))
    pairs = list(contrasts(CHATS, mixture, Pool(CHATS)))
    path = tmp_path / "pairs.jsonl"
    path.write_bytes(b"".join(encode(pair) + b"\n" for pair in pairs))
    found = list(read(path))
    assert [encode(pair) for pair in found] == [encode(pair) for pair in pairs]
    assert [pair.changes for pair in found] == [pair.changes for pair in pairs]
    broken = Dialogue("d", (Turn("a", "half \ud83d"), Turn("b", "x")))
    (pair,) = contrasts([broken], Mixture("one", one_of(named(shout))), Pool([]))
    assert decode_contrast(encode(pair)).better.turns[0].text == "half \ufffd"


#: Lines, and the field and problem that are told.
BAD = {
    "{": ("", "not JSON"),
    "[]": ("", "Expected object, got array"),
    '{"better": {"id": "d", "turns": []}}': ("better.turns", "at least one turn"),
    '{"better": {"id": "d", "turns": [{"text": 1}]}}': ("better.turns[0].text", "Expected str"),
    "\udcff": ("", "not JSON"),
}


@pytest.mark.parametrize("line", BAD)
def test_a_bad_line_is_told_with_its_place(line: str, tmp_path: Path) -> None:
    field, problem = BAD[line]
    path = tmp_path / "pairs.jsonl"
    (good,) = contrasts(CHATS[:1], Mixture("one", one_of(named(shout))), Pool([]))
    path.write_bytes(encode(good) + b"\n\n" + line.encode("utf-8", "surrogateescape") + b"\n")
    with pytest.raises(RecordError, match=problem) as error:
        list(read(path))
    assert (error.value.file, error.value.line, error.value.field) == (str(path), 3, field)
    assert "manipulate --contrasts" in str(error.value)


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text("\n")
    with pytest.raises(InputError, match="no contrast"):
        list(read(tmp_path / "none.jsonl"))
    with pytest.raises(InputError, match="no such file"):
        list(read(tmp_path / "missing.jsonl"))


def test_discrimination_by_cause() -> None:
    mixture = Mixture("two", one_of(named(shout, drop)))
    pairs = list(contrasts(CHATS, mixture, Pool([]), Drawing(n=2)))
    settings = Resampling(resamples=200)
    found = discriminations(["turn-count", "random"], iter(pairs), settings)
    turns = found["turn-count"]
    assert turns.causes["drop"].value == 1.0  # a turn less is fewer turns
    assert turns.causes["shout"].value == 0.5  # and a tie is one half
    assert turns.ties == sum(pair.cause == "shout" for pair in pairs)
    assert turns.accuracy.n == 120
    assert 0.3 < found["random"].accuracy.value < 0.7
    with pytest.raises(DialogaugeError, match="no metric"):
        discriminations([], pairs)


def test_turn_level_contrasts_are_judged_by_the_last_turn() -> None:
    item = Dialogue("d", (Turn("a", "Why is it so?"), Turn("b", "I do not know it.")), level="turn")
    worse = rewritten(item, {1: "No."}, "short")
    pair = Contrast(item, worse.dialogue, "short", worse.changes)
    found = discriminations("words-per-turn", [pair], Resampling(resamples=100))
    assert found["words-per-turn"].accuracy.value == 1.0


def test_a_cause_that_is_left_of_another_way_counts_for_its_own() -> None:
    first, second = named(shout, drown)
    ways = some_of([first, second])  # of both, the second is all that is left
    counts = Counts()
    pairs = list(contrasts(CHATS, Mixture("two", ways), Pool([]), counts=counts))
    assert {pair.cause for pair in pairs} == {"shout", "drown"}
    for pair in pairs:
        assert {it.kind for it in pair.changes} == {pair.cause}
    # "drown" has its share by what the way of both leaves of it, and need not be tried itself.
    assert counts.causes["shout"] >= 15
