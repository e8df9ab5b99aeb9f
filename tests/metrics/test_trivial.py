"""The trivial baselines: values counted by hand, and one on real data."""

import json
import math
from pathlib import Path
from statistics import fmean

import pytest
from scipy.stats import spearmanr

from dialogauge.dialogue import Dialogue, Turn
from dialogauge.metrics import TRIVIAL, load
from dialogauge.metrics.trivial import Chance, random
from dialogauge.scores import Score

CHAT = Dialogue(
    "chat",
    (
        Turn("user", "I like tea, I do!"),  # i like tea i do
        Turn("bot", "Tea?"),  # tea
        Turn("user", "Yes: green tea."),  # yes green tea
        Turn("bot", "🙂"),  # no words
    ),
)


def score(name: str, dialogue: Dialogue = CHAT) -> Score:
    return load(name).score([dialogue])[0]


def same(left: tuple[float, ...], right: tuple[float, ...]) -> bool:
    return left == pytest.approx(right, nan_ok=True)


@pytest.mark.parametrize(
    ("name", "value", "turns"),
    [
        ("words-per-turn", 9 / 4, (5, 1, 3, 0)),
        ("words-per-human-turn", 4, ()),
        ("turn-count", 4, ()),
        ("distinct-1", 6 / 9, (4 / 5, 1, 1, math.nan)),
        ("distinct-2", 6 / 6, (1, math.nan, 1, math.nan)),
        ("context-overlap", (1 + 1 / 3) / 2, (math.nan, 1, 1 / 3, math.nan)),
    ],
)
def test_by_hand(name: str, value: float, turns: tuple[float, ...]) -> None:
    given = score(name)
    assert given.value == pytest.approx(value)
    assert same(given.turns, turns)


def test_tokenised_and_plain_text_have_the_same_words() -> None:
    plain = Dialogue("p", (Turn("a", "Well, that's fine!"),))
    tokenised = Dialogue("t", (Turn("a", "well , that ' s fine !"),))
    assert score("words-per-turn", plain) == score("words-per-turn", tokenised)


def test_distinct_pools_the_turns_of_a_dialogue() -> None:
    parrot = Dialogue("p", (Turn("a", "one two"), Turn("b", "one two")))
    assert score("distinct-1", parrot) == Score(0.5, (1.0, 1.0))


def test_human_turns_are_those_of_everybody_but_the_judged_side() -> None:
    alone = Dialogue("a", (Turn("bot", "hello there"),))
    assert math.isnan(score("words-per-human-turn", alone).value)
    three = Dialogue(
        "b", (Turn("x", "one"), Turn("assistant", "a b c d"), Turn("y", "one two three"))
    )
    assert score("words-per-human-turn", three).value == 2


def test_random_depends_on_text_seed_and_turn_only() -> None:
    given = score("random")
    assert given == score("random", Dialogue("another id", CHAT.turns))
    assert given != random(Chance(seed=1)).score([CHAT])[0]
    assert len({given.value, *given.turns}) == 5
    other = CHAT.with_turns(CHAT.turns[:3])
    assert score("random", other).value != given.value


def test_random_is_uniform() -> None:
    many = [Dialogue(f"d{i}", (Turn("a", str(i)),)) for i in range(2000)]
    values = [given.value for given in load("random").score(many)]
    assert all(0 <= value < 1 for value in values)
    assert fmean(values) == pytest.approx(1 / 2, abs=0.03)
    assert fmean(value**2 for value in values) == pytest.approx(1 / 3, abs=0.03)


def test_turn_level_items_get_a_number_from_every_baseline() -> None:
    item = Dialogue("t", CHAT.turns[:3], level="turn")
    for name in TRIVIAL:
        given = score(name, item)
        assert not math.isnan(given.turns[-1] if given.turns else given.value), name


def fed_dialogue(item: dict[str, str], number: int) -> Dialogue:
    pairs = (line.partition(": ") for line in item["context"].splitlines())
    return Dialogue(f"fed{number}", tuple(Turn(speaker, text) for speaker, _, text in pairs))


def test_words_per_human_turn_is_a_strong_baseline_on_fed(data: Path) -> None:
    items = json.loads((data / "human/fed/fed_data.json").read_text())
    items = [item for item in items if "response" not in item]
    ratings = [
        fmean(number for number in item["annotations"]["Overall"] if not isinstance(number, str))
        for item in items
    ]
    dialogues = [fed_dialogue(item, number) for number, item in enumerate(items)]
    values = [given.value for given in load("words-per-human-turn").score(dialogues)]
    assert len(values) == 125
    assert spearmanr(values, ratings).statistic == pytest.approx(0.490, abs=0.001)
