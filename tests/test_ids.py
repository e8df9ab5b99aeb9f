"""Ids are unique within a run, at little memory, and a collision is not a repetition."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialogauge.dialogue import Dialogue, Turn
from dialogauge.errors import RecordError
from dialogauge.ids import Fingerprints, unique


def named(*ids: str) -> list[Dialogue]:
    return [Dialogue(id, (Turn("A", "x"),)) for id in ids]


@given(st.lists(st.text(max_size=5), max_size=200))
def test_answers_as_a_set_does(texts: list[str]) -> None:
    seen, known = Fingerprints(), set[str]()
    for text in texts:
        assert seen.add(text) == (text in known)
        known.add(text)
    assert len(seen) == len(known)


@pytest.mark.parametrize("count", [5_000, 20_000, 100_000])
def test_at_most_32_bytes_an_id(count: int) -> None:
    seen = Fingerprints()
    for number in range(count):
        assert not seen.add(f"a rather long identifier of a dialogue, number {number}")
    assert seen.nbytes / count < 22


def test_repeated_ids_are_an_error() -> None:
    assert [each.id for each in unique(named("a", "b"))] == ["a", "b"]
    with pytest.raises(RecordError, match="'a' was used before"):
        list(unique(named("a", "b", "a")))
    with pytest.raises(RecordError):
        list(unique(iter(named("a", "a"))))


def test_a_collision_is_not_a_repetition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dialogauge.ids.Fingerprints", lambda: Fingerprints(bits=4))
    many = named(*(str(number) for number in range(100)))  # 100 ids, 15 fingerprints
    assert len(list(unique(many))) == 100
    with pytest.raises(RecordError, match="'7'"):
        list(unique([*many, *named("7")]))
