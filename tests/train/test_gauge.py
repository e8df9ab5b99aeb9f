"""gauge: what a conversation shows adds up, and a fitted head says what it was fitted to."""

from collections.abc import Mapping
from pathlib import Path

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from dialogauge import train
from dialogauge.dialogue import Dialogue, Turn
from dialogauge.errors import InputError
from dialogauge.metrics import evidence
from dialogauge.metrics.evidence import NUMBERS, Facts, Read
from dialogauge.metrics.gauge import Head, Shown
from dialogauge.train import run
from dialogauge.train.models.gauge.fit import (
    Fitting,
    calibrated,
    crossed,
    fit,
    folds,
    predict,
    wide,
)
from dialogauge.train.models.gauge.rows import Rows, answers, normal, rows
from dialogauge.train.recipe import read as read_recipe

Floats = NDArray[np.float64]
WIDTH = 8
KINDS = ("objects", "asks again", "agrees", "greets")


def unit(rng: np.random.Generator, count: int) -> Floats:
    vectors = rng.normal(size=(count, WIDTH))
    scaled: Floats = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return scaled


def dialogue(at: int, rng: np.random.Generator, turns: int | None = None) -> Dialogue:
    count = turns or int(rng.integers(3, 12))
    said = (
        Turn(("user", "bot")[n % 2], " ".join(map(str, rng.integers(0, 30, rng.integers(1, 9)))))
        for n in range(count)
    )
    return Dialogue(f"d{at}", tuple(said), f"s{at % 3}", ratings={"good": (0.0,)})


def facts(
    each: Dialogue, rng: np.random.Generator, scores: Mapping[str, Floats] | None = None
) -> Facts:
    count = len(each.turns)
    return Facts(
        Read(
            [turn.text for turn in each.turns],
            [turn.words for turn in each.turns],
            unit(rng, count),
            [turn.speaker for turn in each.turns],
            np.array([turn.speaker == "bot" for turn in each.turns]),
            scores or {name: rng.uniform(size=count) for name in ("relevance", "deam")},
            {kind: unit(rng, 3) for kind in KINDS},
        )
    )


@pytest.fixture(scope="module")
def read() -> tuple[Rows, list[Facts]]:
    """Four hundred conversations, whose rating rises with how near the bot's turns are."""
    rng = np.random.default_rng(0)
    said = [dialogue(at, rng) for at in range(400)]
    seen = [facts(each, rng) for each in said]
    near = [float(it.near[it.read.own].mean()) for it in seen]
    rated = [
        msgspec.structs.replace(each, ratings={"good": (value + 0.1 * rng.normal(),)})
        for each, value in zip(said, near, strict=True)
    ]
    shown = [Shown(it, np.arange(len(it.read.own)), frozenset()) for it in seen]
    return rows(rated, shown, ("good",)), seen


HOW = Fitting(numbers=tuple(name for name in NUMBERS if name != "fits"), components=3)


def test_a_head_finds_what_the_ratings_rise_with(read: tuple[Rows, list[Facts]]) -> None:
    some, _ = read
    head = fit(some, HOW, np.ones(len(some.dialogues)))
    scale = some.named(head.numbers).std(axis=0)
    weights = dict(zip(head.numbers, head.weights[:, 0] * scale, strict=True))
    assert weights["near"] == max(weights.values(), key=abs)
    said, real = predict(head, some)[:, 0], some.ratings[:, 0]
    assert np.corrcoef(said, real)[0, 1] > 0.8


def test_what_turns_are_worth_is_on_average_what_the_conversation_is(
    read: tuple[Rows, list[Facts]],
) -> None:
    some, seen = read
    head = fit(some, HOW, np.ones(len(some.dialogues)))
    said, widths = predict(head, some), wide(head, some)
    for at, it in enumerate(seen[:50]):
        judged, width = head.judged(it, it.read.own)
        assert judged.shape == (it.read.own.sum(), 1)
        assert judged.mean(axis=0) == pytest.approx(said[at])
        assert width == pytest.approx(widths[at])


def test_every_number_is_the_sum_of_its_shares() -> None:
    rng = np.random.default_rng(1)
    it = facts(dialogue(0, rng, turns=9), rng)
    own = it.read.own
    sums = dict(zip(NUMBERS, evidence.shares(it, NUMBERS.values(), own).sum(axis=0), strict=True))
    distinct = {
        word
        for words, mine in zip(it.read.words, own, strict=True)
        for word in (words if mine else ())
    }
    assert sums["varied"] == pytest.approx(np.log1p(len(distinct)))
    assert sums["near"] == pytest.approx(it.near[own].mean())
    assert sums["partner objects"] == pytest.approx(it.like("objects")[~own].max())
    last = np.flatnonzero(~own)[-1:]
    assert sums["partner follows"] == pytest.approx(it.read.scores["relevance"][last].mean())


def test_a_number_that_cannot_be_had_says_nothing_and_widens(
    read: tuple[Rows, list[Facts]],
) -> None:
    some, _ = read
    head = fit(some, HOW, np.ones(len(some.dialogues)))
    rng = np.random.default_rng(2)
    each, nothing = dialogue(0, rng, turns=6), np.full(6, np.nan)
    known = facts(each, np.random.default_rng(3), {"relevance": np.ones(6), "deam": np.ones(6)})
    lost = facts(each, np.random.default_rng(3), {"relevance": np.ones(6), "deam": nothing})
    at = head.numbers.index("hangs together")
    worth, width = head.judged(known, known.read.own)
    without, wider = head.judged(lost, lost.read.own)
    assert wider > width
    stood = (min(1.0, head.highest[at]) - head.centre[at]) * head.weights[at]
    assert without.mean(axis=0) == pytest.approx(worth.mean(axis=0) - stood)


def test_intervals_hold_nine_in_ten_of_new_conversations(read: tuple[Rows, list[Facts]]) -> None:
    some, _ = read
    known = np.arange(len(some.dialogues)) < 250
    learnt, others = some.some(known), some.some(~known)
    even, real = np.ones(250), normal(learnt.ratings, np.ones(250))
    said = crossed(learnt, HOW, even, seed=1)
    head: Head = calibrated(fit(learnt, HOW, even), said, real, even, even > 0)
    wrong = normal(others.ratings, np.ones(150))[:, 0] - predict(head, others)[:, 0]
    error = wrong / wide(head, others)
    assert 0.8 < np.mean((head.errors[0] <= error) & (error <= head.errors[1])) < 0.99


def test_folds_keep_the_rows_of_a_conversation_together(read: tuple[Rows, list[Facts]]) -> None:
    some, _ = read
    twice = msgspec.structs.replace(some, dialogues=some.dialogues[:200] * 2)
    parts = list(folds(twice, 5, seed=1))
    assert np.array(parts).sum(axis=0).tolist() == [1] * 400
    assert all((each[:200] == each[200:]).all() for each in parts)


def test_what_lies_far_out_counts_as_its_edge_and_widens(read: tuple[Rows, list[Facts]]) -> None:
    some, _ = read
    head = fit(some, HOW, np.ones(len(some.dialogues)))
    rng = np.random.default_rng(5)
    words = " ".join(map(str, range(5000)))
    said = tuple(Turn(("user", "bot")[at % 2], words) for at in range(4))
    far = facts(Dialogue("far", said, "s"), rng)
    judged, width = head.judged(far, far.read.own)
    assert width > 2
    assert np.abs(judged.mean(axis=0) - head.bias) < 8


def test_a_reaction_is_charged_to_the_turn_before_it() -> None:
    rng = np.random.default_rng(6)
    it = facts(dialogue(0, rng, turns=9), rng)
    side = ~it.read.own
    charged = NUMBERS["partner objects"].shares(it, side)
    like = it.like("objects")
    highest = np.flatnonzero(side)[like[side].argmax()]
    second = np.sort(like[side])[-2]
    others = [at for at in np.flatnonzero(side) if at != highest]
    assert charged[others] == pytest.approx(second / side.sum())
    assert charged[highest] == pytest.approx(second / side.sum() + like[highest] - second)
    assert charged[it.read.own] == pytest.approx(0.0)


def test_a_side_s_gaps_are_filled_from_that_side_or_not_at_all() -> None:
    rng = np.random.default_rng(7)
    said = (Turn("bot", "1 2 3"), Turn("user", "4 5"), Turn("user", "6 7"))
    it = facts(Dialogue("d", said), rng)
    assert np.isnan(it.near[0])
    assert not np.isnan(it.near[1:]).any()
    numbers = evidence.shares(it, [NUMBERS["near"], NUMBERS["long"]], it.read.own).sum(axis=0)
    assert np.isnan(numbers).tolist() == [True, False]


def test_what_is_said_again_and_what_only_stands_in_a_speech() -> None:
    rng = np.random.default_rng(8)
    long = " ".join(map(str, range(40)))
    texts = ("1 2 3 4 5", "1 2 3 4 5", long, "7 8 9 10 11", "6 5", "7 8 9 10 11 12")
    it = facts(
        Dialogue("d", tuple(Turn(("user", "bot")[n % 2], text) for n, text in enumerate(texts))),
        rng,
    )
    assert it.echoes.tolist() == [False, True, False, False, False, False]
    assert it.repeats.tolist() == [False, False, False, False, False, True]


def test_single_answers_are_the_judged_side_s_and_have_a_context() -> None:
    rng = np.random.default_rng(4)
    cut = answers([dialogue(0, rng, turns=8)], each=2, seed=1)
    assert [each.level for each in cut] == ["turn", "turn"]
    assert all(each.turns[-1].speaker == "bot" and len(each.turns) > 1 for each in cut)
    assert len({len(each.turns) for each in cut}) == 2


def test_a_rating_that_counts_less_moves_ranks_less() -> None:
    ratings = np.array([[1.0], [2.0], [3.0]])
    even, odd = normal(ratings, np.ones(3)), normal(ratings, np.array([1.0, 1.0, 10.0]))
    assert even[1, 0] == pytest.approx(0.0)
    assert odd[1, 0] < -0.5
    assert np.isfinite(normal(ratings, np.array([0.0, 1.0, 1.0]))).all()


def test_a_recipe_that_asks_for_what_is_not_counted_is_refused_at_once(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIALOGAUGE_DATA", str(data))
    recipe = read_recipe(Path(train.__file__).parent / "recipes" / "gauge.toml")
    settings = recipe.settings | {"answer": {"numbers": ["fitz"], "sides": []}}
    with pytest.raises(InputError, match="no number is called 'fitz'") as error:
        run.train(msgspec.structs.replace(recipe, settings=settings), tmp_path / "out")
    assert error.value.field == "settings.answer"
