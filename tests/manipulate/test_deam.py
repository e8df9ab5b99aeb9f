"""DEAM's mixture: its draws are those of the paper, and it never leaves a dialogue unchanged."""

import gzip
from collections import Counter
from pathlib import Path
from random import Random

import msgspec
import pytest
from benchmarks.deam_types import FILES, agreement
from benchmarks.deam_types import drawn as released_draws
from scipy import stats

from dialogauge.amr import InPlace
from dialogauge.amr.parser.builtin import Builtin
from dialogauge.amr.parsing import Remembering
from dialogauge.dialogue import Dialogue, Turn
from dialogauge.manipulate.deam import DEAM, TYPES, Deam, drawn, probabilities, released
from dialogauge.manipulate.ladders import at as harder
from dialogauge.manipulate.manipulation import alike, seeded
from dialogauge.manipulate.meaning.settings import RELEASED, Contradiction
from dialogauge.manipulate.pool import DoesNotApply, Pool

TEXTS = (
    "Hello! Do you like dogs?",
    "I love my old dog. She sleeps in the garden every day. Do you have a pet?",
    "I don't have a pet, but my brother bought a big house near the river.",
    "That is great. He must be happy there. What does he do?",
    "He teaches music at the school, and his students like him a lot.",
    "I think music is important for children. My sister plays the piano.",
)
CHAT = Dialogue("d1", tuple(Turn("ab"[at % 2], text) for at, text in enumerate(TEXTS)))


@pytest.fixture(scope="module")
def pool() -> Pool:
    parser = Builtin.load()
    return Pool([], parser=Remembering(parser), realiser=InPlace(parser.pipeline))


@pytest.mark.parametrize("types", [TYPES, TYPES[1:], TYPES[:2]])
def test_draws_are_those_of_the_paper(types: tuple[str, ...]) -> None:
    rng = Random(1)
    counts = Counter(drawn(rng, types) for _ in range(100_000))
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
    rng = Random(2)
    for _ in range(200):
        chosen = drawn(rng)
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
    for seed in range(15):
        made = Deam().made(CHAT, Random(seed), pool)
        assert made == Deam().made(CHAT, Random(seed), pool)
        assert made.drawn == drawn(Random(seed))
        assert not alike(CHAT, made.edited.dialogue)
        done = {
            part.partition(".")[0]
            for change in made.edited.changes
            for part in change.kind.split("+")
        }
        assert done == set(made.drawn) - made.refused.keys()
        changed = {change.turn for change in made.edited.changes}
        for at, turn in enumerate(made.edited.dialogue.turns):
            assert (turn == CHAT.turns[at]) == (at not in changed)


def test_what_does_not_apply_is_told(pool: Pool) -> None:
    chat = Dialogue("d1", (Turn("a", "I like dogs."), Turn("b", "She does too.")))
    told = [
        Deam().made(chat, Random(seed), pool) for seed in range(30) if _applies(chat, seed, pool)
    ]
    refused = [made.refused["contradiction"] for made in told if "contradiction" in made.drawn]
    assert set(refused) == {"no turn says what could be contradicted"}


def _applies(chat: Dialogue, seed: int, pool: Pool) -> bool:
    try:
        Deam()(chat, Random(seed), pool)
    except DoesNotApply:
        return False
    return True


def test_nothing_applies(pool: Pool) -> None:
    chat = Dialogue("d1", (Turn("a", "Of the."), Turn("b", "It was not.")))
    only = Deam(types=("contradiction",))
    with pytest.raises(DoesNotApply, match="contradicted"):
        only(chat, Random(1), pool)
    assert DEAM(Dialogue("d1", (Turn("a", "Hi."),)), Random(1), pool) is None


def test_settings_reach_the_edits(pool: Pool) -> None:
    place = Deam(contradiction=Contradiction(where="place", direct=1.0), types=("contradiction",))
    edited = place(CHAT, Random(1), pool)
    assert {change.kind for change in edited.changes} == {"contradiction.negation"}
    assert all(not change.after.startswith(change.before) for change in edited.changes)
    code = released()
    assert [getattr(code, name) for name in TYPES] == [RELEASED[name] for name in TYPES]


def test_ladder_touches_more(pool: Pool) -> None:
    low, high = (harder(DEAM, step)(CHAT, seeded(3), pool) for step in (1, 5))
    assert low
    assert high
    assert len(low.changes) < len(high.changes)
    assert msgspec.structs.replace(Deam(), share=0.5).share == 0.5
