"""What holds for every metric that ships, whatever the dialogues."""

import math
from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialogauge.dialogue import Dialogue, Turn
from dialogauge.metrics import METRICS, Metric, checked, describe, load
from dialogauge.scores import Score

shipped = cache(load)  # when a test wants it, not when tests are collected
#: Those that compare the last turn with references alone, by their line of help.
REFERENCED = [name for name in METRICS if "of the last turn" in describe(name)]
COSINES = ("embedding-average", "vector-extrema", "greedy-matching")

WORDS = [
    "we",
    "go",
    "home",
    "now",
    "dog",
    "dogs",
    "automobile",
    "car",
    "car.",
    "good",
    "better",
    "3.5",
]
ODD = [
    "",
    " ",
    "?!",
    "🙂👍🏽",
    "\0",
    "\ud800",
    "é́",
    "&amp;",
    "<skipped>",
    "x" * 12_000,
    "İ",
    "中文",
]
texts = st.one_of(
    st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join),
    st.text(max_size=30),
    st.sampled_from(ODD),
)
turns = st.lists(st.builds(Turn, st.sampled_from("abc"), texts), min_size=1, max_size=6)


@st.composite
def dialogues(draw: st.DrawFn) -> list[Dialogue]:
    count = draw(st.integers(0, 4))
    return [
        Dialogue(
            f"d{number}",
            tuple(draw(turns)),
            references=tuple(draw(st.lists(texts, max_size=3))),
            level=draw(st.sampled_from(["dialogue", "turn"])),
        )
        for number in range(count)
    ]


def printed(scores: Sequence[Score]) -> list[str]:
    """NaN equals NaN when printed."""
    return list(map(repr, scores))


@pytest.mark.parametrize("name", METRICS)
@given(chats=dialogues())
@settings(max_examples=60, deadline=None)
def test_scores_are_numbers_and_depend_on_their_dialogue_alone(
    name: str, chats: list[Dialogue]
) -> None:
    metric = shipped(name)
    together = checked(metric, chats)
    assert printed(together) == printed(metric.score(chats))
    for given_score, chat in zip(together, chats, strict=True):
        numbers = (given_score.value, *given_score.turns)
        assert all(math.isfinite(number) or math.isnan(number) for number in numbers)
        assert printed([given_score]) == printed(metric.score([chat]))
    assert printed(metric.score(chats[::-1])) == printed(together[::-1])


def judged(metric: Metric, response: str, reference: str) -> float:
    pair = (Turn("a", "hello"), Turn("b", response))
    return metric.score([Dialogue("d", pair, references=(reference,), level="turn")])[0].value


@pytest.mark.parametrize("name", REFERENCED)
@given(reference=texts, response=texts)
@settings(max_examples=150, deadline=None)
def test_nothing_beats_the_reference_itself(name: str, reference: str, response: str) -> None:
    best = judged(shipped(name), reference, reference)
    other = judged(shipped(name), response, reference)
    assert math.isnan(best) == math.isnan(other)
    if not math.isnan(best):
        assert (-1 if name in COSINES else 0) <= other <= best + 1e-9
        assert best > 0


@pytest.mark.parametrize("name", METRICS)
def test_a_hundred_thousand_turns(name: str) -> None:
    turns = tuple(Turn("ab"[i % 2], f"this is turn {i}") for i in range(100_000))
    chat = Dialogue("long", turns, references=("turn",), level="turn")
    assert not math.isnan(checked(shipped(name), [chat])[0].value)


@pytest.mark.parametrize("name", METRICS)
def test_no_dialogues_no_scores(name: str) -> None:
    assert shipped(name).score([]) == []
