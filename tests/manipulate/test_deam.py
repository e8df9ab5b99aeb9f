"""DEAM's mixture: its draws are those of the paper, and it never leaves a dialogue unchanged."""

import gzip
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from benchmarks.deam_types import FILES, agreement
from benchmarks.deam_types import drawn as released_draws
from scipy import stats

from dialogauge.dialogue import Dialogue, Turn
from dialogauge.manipulate.catalogue import FAMILIES
from dialogauge.manipulate.deam import TYPES, OneReading, probabilities, ways
from dialogauge.manipulate.manipulation import Tally, alike, seeded
from dialogauge.manipulate.meaning import contradiction
from dialogauge.manipulate.meaning.graphs import read
from dialogauge.manipulate.meaning.settings import (
    PAPER,
    RELEASED,
    Contradiction,
    Coreference,
    Engagement,
    Settings,
)
from dialogauge.manipulate.mixtures import Mixture, mixture
from dialogauge.manipulate.pool import DoesNotApply, Pool

from .manipulating import CHAT

DEAM = mixture("deam")


@pytest.mark.parametrize("types", [TYPES, TYPES[1:], TYPES[:2]])
def test_draws_are_those_of_the_paper(types: tuple[str, ...]) -> None:
    rng = Random(1)
    drawing = Mixture("types", ways(types))
    counts = Counter(tuple(drawing.draw(rng).name.split("+")) for _ in range(100_000))
    expected = probabilities(types)
    assert counts.keys() == expected.keys()
    found = stats.chisquare(
        [counts[each] for each in expected], [100_000 * p for p in expected.values()]
    )
    assert found.pvalue > 0.001


def test_chances() -> None:
    chances = probabilities()
    assert len(chances) == 15
    assert sum(chances.values()) == pytest.approx(1)
    for size in (1, 2, 3, 4):
        of_size = sum(p for each, p in chances.items() if len(each) == size)
        assert of_size == pytest.approx(1 / 4)
    each = [sum(p for one, p in chances.items() if name in one) for name in TYPES]
    assert each == pytest.approx([0.625] * 4)


def test_order_is_fixed() -> None:
    assert [each.names for each in ways()] == list(probabilities())
    for chosen in probabilities():
        assert list(chosen) == sorted(chosen, key=TYPES.index)


@pytest.mark.parametrize("short", FILES)
def test_released_files_have_our_chances(data: Path, short: str) -> None:
    counts = released_draws(data / "amr" / f"deam_output_without_{short}_types.txt.gz")
    types = tuple(name for name in TYPES if name != FILES[short])
    assert counts.total() > 250
    assert agreement(counts, types) > 0.01


def test_agreement_can_fail() -> None:
    assert agreement(Counter({("coreference",): 300}), TYPES) < 1e-6


def test_released_names_are_known(tmp_path: Path) -> None:
    path = tmp_path / "types.gz"
    path.write_bytes(gzip.compress(b"no manipulations \ndecrease_engagement,contradiction\n\n"))
    assert released_draws(path) == Counter({("contradiction", "engagement"): 1})


def test_mixture(pool: Pool) -> None:
    for seed, way in enumerate(ways()):
        tally = Tally()
        edited, names = way.make(CHAT, Random(seed), pool, tally)
        assert (edited, names) == way.make(CHAT, Random(seed), pool, Tally())
        assert edited is not None
        assert not alike(CHAT, edited.dialogue)
        done = {
            part.partition(".")[0] for change in edited.changes for part in change.kind.split("+")
        }
        assert done == set(names.split("+")) == set(tally.applied)
        assert set(tally.asked) == set(way.names)
        assert {name for name, _ in tally.refused} == set(way.names) - done
        changed = {change.turn for change in edited.changes}
        for at, turn in enumerate(edited.dialogue.turns):
            assert (turn == CHAT.turns[at]) == (at not in changed)
        assert DEAM(CHAT, Random(seed), pool).changes


def test_what_does_not_apply_is_told(pool: Pool) -> None:
    chat = Dialogue("d1", (Turn("a", "I like dogs."), Turn("b", "She does too.")))
    tally = Tally()
    for seed in range(30):
        OneReading(TYPES[:2]).make(chat, Random(seed), pool, tally)
    refused = {reason for name, reason in tally.refused if name == "contradiction"}
    assert refused == {"no turn says what could be contradicted"}


def test_nothing_applies(pool: Pool) -> None:
    chat = Dialogue("d1", (Turn("a", "Of the."), Turn("b", "It was not.")))
    with pytest.raises(DoesNotApply, match="contradicted"):
        Mixture("one", ways(("contradiction",)))(chat, Random(1), pool)
    assert DEAM.manipulation(Dialogue("d1", (Turn("a", "Hi."),)), Random(1), pool) is None


@pytest.mark.parametrize("seed", range(12))
def test_what_a_later_edit_erased_is_not_told(seed: int, pool: Pool) -> None:
    last = "I agree. She knows that he sold the old house near the wide river to them."
    chat = Dialogue("d1", (Turn("a", "We like it."), Turn("b", last)), level="turn")
    settings: dict[str, Settings] = {
        "coreference": Coreference(nouns=0.0, pronouns="any"),
        "engagement": Engagement(ways=("sentence",), missed=False),
    }
    way, tally = OneReading(("coreference", "engagement"), settings=settings), Tally()
    edited, cause = way.make(chat, Random(seed), pool, tally)
    assert edited is not None
    (change,) = edited.changes
    erased = change.after == "I agree."
    assert (cause == "engagement") is erased
    assert (change.kind == "engagement.sentence") is erased
    assert tally.refused["coreference", "a later edit erased it"] == erased


def test_what_is_denied_stays(pool: Pool) -> None:
    chat = Dialogue("d1", (Turn("a", "I like dogs."), Turn("b", "Why?"), Turn("a", "I do. Bye.")))
    talk = read(chat, pool)
    contradiction.change(talk, Contradiction(direct=1.0), Random(1))
    assert talk.open == [0, 1, 2]
    assert talk.free == [1, 2]


def test_settings_reach_the_edits(pool: Pool) -> None:
    place = {"contradiction": Contradiction(where="place", direct=1.0)}
    way = OneReading(("contradiction",), settings=place)
    edited, _ = way.make(CHAT, Random(1), pool, Tally())
    assert edited is not None
    assert {change.kind for change in edited.changes} == {"contradiction.negation"}
    assert all(not change.after.startswith(change.before) for change in edited.changes)
    assert list(RELEASED) == list(PAPER) == list(TYPES) == list(FAMILIES["deam"])


def test_ladder_touches_more(pool: Pool) -> None:
    low, high = (mixture("deam", step)(CHAT, seeded(3), pool) for step in (1, 5))
    assert len(low.changes) < len(high.changes)
    way = mixture("deam", 5).ways[0]
    assert way.name == "coreference@5"
