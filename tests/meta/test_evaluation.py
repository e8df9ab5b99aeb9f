"""Evaluations, comparisons and their tables: invented data, then real data."""

import io
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest
from rich.console import Console, RenderableType

from dialogauge.dialogue import Dialogue, Level, Turn
from dialogauge.errors import InputError, UnknownNameError
from dialogauge.meta import (
    Estimate,
    Evaluation,
    Resampling,
    compare,
    compare_runs,
    discriminate,
    evaluate,
    of_system,
)
from dialogauge.meta.agreement import Human
from dialogauge.meta.correlation import coefficient
from dialogauge.report import evaluations
from dialogauge.scores import Row, Score, Scores, row_of

encode, decode = msgspec.json.encode, msgspec.json.Decoder(Evaluation).decode

QUICK = Resampling(resamples=500)
WORDS = "so we went there by train and the ride was long but pleasant"


def chats(count: int = 60, level: Level = "turn", raters: int = 3) -> list[Dialogue]:
    """Invented dialogues: three systems answer each of count / 3 contexts."""
    rng = np.random.default_rng(0)
    found = []
    for number in range(count):
        quality = rng.normal() + number % 3
        ratings = tuple(float(np.round(quality + rng.normal() / 2)) for _ in range(raters))
        turns = (
            Turn("user", f"How was trip {number // 3}?"),
            Turn("bot", " ".join(WORDS.split()[: rng.integers(2, 12)])),
        )
        system = f"system {'ABC'[number % 3]}"
        found.append(Dialogue(f"d{number}", turns, system, (), {"good": ratings}, level))
    return found


def scored(dialogues: Sequence[Dialogue], **columns: Sequence[float]) -> Scores:
    rows = tuple(
        row_of(one, {name: Score(column[i]) for name, column in columns.items()})
        for i, one in enumerate(dialogues)
    )
    return Scores({name: f"{name}|v:1" for name in columns}, rows)


def guess(dialogues: Sequence[Dialogue], noise: float, seed: int = 1) -> list[float]:
    rng = np.random.default_rng(seed)
    return [one.rating("good") + noise * rng.normal() for one in dialogues]


def shown(renderable: RenderableType, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width)
    console.print(renderable)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_an_evaluation_holds_everything_and_survives_json() -> None:
    dialogues = chats()
    scores = scored(
        dialogues, gauge=guess(dialogues, 0.7), length=[float(i % 7) for i in range(60)]
    )
    found = evaluate(scores, "gauge", dialogues, "good", baselines=scores, settings=QUICK)
    assert (found.n, found.contexts, found.unrated, found.unscored) == (60, 20, 0, 0)
    assert set(found.correlations) == {"pearson", "spearman", "kendall"}
    assert found.headline == found.correlations["spearman"]
    assert found.headline.low < found.headline.value < found.headline.high
    assert isinstance(found.human, Human)
    assert found.human.raters == 3
    assert set(found.confounds.systems) == {"system A", "system B", "system C"}
    assert found.confounds.baseline is not None
    assert found.confounds.baseline.name == "length"
    assert found.signatures == {"gauge": "gauge|v:1", "length": "length|v:1"}
    assert found.objections == ()
    again = decode(encode(found))
    assert encode(again) == encode(found)
    assert again.confounds.oracle_split_half.n == 60
    assert math.isnan(again.confounds.oracle_split_half.low)


def test_the_same_call_gives_the_same_bytes() -> None:
    dialogues = chats()
    scores = scored(dialogues, gauge=guess(dialogues, 1.0))
    one, two = (evaluate(scores, "gauge", dialogues, "good", settings=QUICK) for _ in range(2))
    assert encode(one) == encode(two)


def test_the_order_of_dialogues_and_rows_does_not_matter() -> None:
    dialogues = chats()
    scores = scored(dialogues, gauge=guess(dialogues, 1.0))
    shuffled = Scores(scores.signatures, scores.rows[::-1])
    one = evaluate(scores, "gauge", dialogues, "good", settings=QUICK)
    two = evaluate(shuffled, "gauge", dialogues[20:] + dialogues[:20], "good", settings=QUICK)
    for name, estimate in one.correlations.items():
        assert two.correlations[name].value == pytest.approx(estimate.value)
        assert two.correlations[name].low == pytest.approx(estimate.low)


def test_missing_scores_and_ratings_are_dropped_and_counted() -> None:
    dialogues = chats()
    dialogues[0] = msgspec.structs.replace(dialogues[0], ratings={"good": (math.nan,)})
    dialogues[1] = msgspec.structs.replace(dialogues[1], ratings={"other": (1.0,)})
    values = guess(chats(), 0.7)
    values[2], values[3] = math.nan, math.inf
    found = evaluate(scored(dialogues, gauge=values), "gauge", dialogues, "good", settings=QUICK)
    assert (found.n, found.unrated, found.unscored) == (56, 2, 2)
    text = shown(evaluations.evaluation_table(found))
    assert "2 rated items left out" in text
    assert "2 items left out: nobody rated" in text


def test_a_row_without_the_metric_is_a_missing_score() -> None:
    dialogues = chats()
    scores = scored(dialogues, gauge=guess(dialogues, 1.0))
    first = msgspec.structs.replace(scores.rows[0], scores={})
    partly = Scores(scores.signatures, (first, *scores.rows[1:]))
    assert evaluate(partly, "gauge", dialogues, "good", settings=QUICK).unscored == 1


def test_at_level_turn_the_last_turns_score_is_what_counts() -> None:
    dialogues = chats()
    values = guess(dialogues, 0.5)
    rows = tuple(
        row_of(one, {"gauge": Score(0.0, (math.nan, value))})
        for one, value in zip(dialogues, values, strict=True)
    )
    found = evaluate(Scores({"gauge": ""}, rows), "gauge", dialogues, "good", settings=QUICK)
    assert found.headline.value > 0.7


def test_mistakes_are_named() -> None:
    dialogues = chats()
    scores = scored(dialogues, gauge=guess(dialogues, 1.0))
    with pytest.raises(UnknownNameError, match="did you mean 'good'"):
        evaluate(scores, "gauge", dialogues, "goood")
    with pytest.raises(UnknownNameError, match="no scored metric is called 'bleu'"):
        evaluate(scores, "bleu", dialogues, "good")
    with pytest.raises(InputError, match="nobody rated"):
        evaluate(scores, "gauge", [], "good")
    other = Dialogue("d0", (Turn("user", "Hm?"), Turn("bot", "Other words.")),
                     "system A", (), {"good": (1.0,)}, "turn")  # fmt: skip
    with pytest.raises(InputError, match="'d0' is not the one that was scored"):
        evaluate(scores, "gauge", [other, *dialogues[1:]], "good")
    with pytest.raises(InputError, match="1 of 60 dialogues have no scores, first 'd59'"):
        evaluate(Scores(scores.signatures, scores.rows[:-1]), "gauge", dialogues, "good")
    with pytest.raises(InputError, match="same id"):
        evaluate(scores, "gauge", [*dialogues, dialogues[0]], "good")
    whole = msgspec.structs.replace(dialogues[0], level="dialogue")
    with pytest.raises(InputError, match="whole dialogues and on last turns"):
        evaluate(scores, "gauge", [whole, *dialogues[1:]], "good")


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_very_few_items(count: int) -> None:
    dialogues = chats(count)
    scores = scored(dialogues, gauge=guess(dialogues, 1.0), length=[1.0] * count)
    found = evaluate(scores, "gauge", dialogues, "good", baselines=scores, settings=QUICK)
    assert found.n == count
    assert math.isnan(found.headline.value) is (count < 3)
    assert found.objections
    assert encode(decode(encode(found))) == encode(found)
    assert "does not count" in shown(evaluations.evaluation_table(found))


@pytest.mark.parametrize("value", [math.nan, 1.0])
def test_a_metric_that_says_nothing(value: float) -> None:
    dialogues = chats(12)
    scores = scored(dialogues, gauge=[value] * 12)
    found = evaluate(scores, "gauge", dialogues, "good", settings=QUICK)
    assert math.isnan(found.headline.value)
    assert found.unscored == (12 if math.isnan(value) else 0)
    assert "undefined" in shown(evaluations.evaluation_table(found))


def test_constant_ratings_are_undefined() -> None:
    dialogues = [msgspec.structs.replace(one, ratings={"good": (3.0, 3.0)}) for one in chats(12)]
    scores = scored(dialogues, gauge=[float(i) for i in range(12)])
    found = evaluate(scores, "gauge", dialogues, "good", settings=QUICK)
    assert math.isnan(found.headline.value)
    assert isinstance(found.human, Human)
    assert math.isnan(found.human.alpha.value)
    shown(evaluations.evaluation_table(found))


def test_means_only_and_few_systems_are_sentences() -> None:
    dialogues = chats(30, raters=1)
    scores = scored(dialogues, gauge=guess(dialogues, 1.0))
    text = shown(
        evaluations.evaluation_table(evaluate(scores, "gauge", dialogues, "good", settings=QUICK)),
        300,
    )
    assert "Only mean ratings were published" in text
    assert "No correlation over systems: 3 systems here" in text
    assert "human ceiling" not in text


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall"])
@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_every_coefficient_and_method_can_be_the_headline(name: str, method: str) -> None:
    dialogues = chats()
    scores = scored(
        dialogues, gauge=guess(dialogues, 0.7), length=[float(i % 7) for i in range(60)]
    )
    settings = msgspec.convert(
        {"coefficient": name, "method": method, "resamples": 300}, Resampling
    )
    found = evaluate(scores, "gauge", dialogues, "good", baselines=scores, settings=settings)
    assert found.headline == found.correlations[name]
    assert found.headline.low < found.confounds.within.high
    assert found.power.correlation is not None


def compared(scores: Scores, metric: str, dialogues: Sequence[Dialogue]) -> float:
    people = [one.rating("good") for one in dialogues]
    return coefficient("spearman").value(scores.column(metric), people)


def test_an_objection_for_each_reason() -> None:
    dialogues = chats()
    noise = [float(i * 7 % 11) for i in range(60)]
    scores = scored(dialogues, noise=noise, gauge=guess(dialogues, 0.1))
    found = evaluate(scores, "noise", dialogues, "good", baselines=scores, settings=QUICK)
    assert found.objections == (
        "its interval is not above 0",
        "it is not shown to be better than gauge",
        "given length, its interval is not above 0",
        "given length and within systems, its interval is not above 0",
    )
    nearly = scored(dialogues, gauge=guess(dialogues, 0.50), twin=guess(dialogues, 0.51, 2))
    leading = max(("gauge", "twin"), key=lambda name: compared(nearly, name, dialogues))
    close = evaluate(nearly, leading, dialogues, "good", baselines=nearly, settings=QUICK)
    assert close.confounds.baseline is not None
    assert close.confounds.baseline.difference.value > 0
    assert len(close.objections) == 1
    assert close.objections[0].startswith("it is not shown to be better than")
    alone = evaluate(scores, "gauge", dialogues, "good", settings=QUICK)
    assert alone.objections == ("there is no trivial baseline to compare it with",)


def test_tables_show_hostile_names_harmlessly() -> None:
    dialogues = [
        msgspec.structs.replace(one, system=f"{one.system}\x1b[2J[red]\u202e") for one in chats()
    ]
    scores = scored(dialogues, gauge=guess(dialogues, 1.0))
    text = shown(
        evaluations.evaluation_table(evaluate(scores, "gauge", dialogues, "good", settings=QUICK))
    )
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert r"\x1b[2J[red]\u202e" in text


def test_compare_finds_the_better_metric() -> None:
    dialogues = chats(120)
    good = scored(dialogues, gauge=guess(dialogues, 0.3), twin=guess(dialogues, 0.31, 2))
    bad = scored(dialogues, gauge=guess(dialogues, 4.0, 3))
    found = compare([(bad, "gauge"), (good, "gauge"), (good, "twin")], dialogues, "good", QUICK)
    assert list(found.correlations)[-1] == "gauge"
    assert set(found.correlations) == {"gauge", "gauge#2", "twin"}
    pairs = {frozenset((pair.first, pair.second)): pair for pair in found.pairs}
    assert pairs[frozenset(("gauge", "twin"))].p_corrected < 0.01
    assert pairs[frozenset(("gauge#2", "twin"))].p > 0.05
    assert all(pair.p <= pair.p_corrected for pair in found.pairs)
    assert all(pair.difference.value >= 0 for pair in found.pairs)
    assert all(pair.williams is None for pair in found.pairs)
    text = shown(evaluations.comparison_table(found), 200)
    assert "twin is better than gauge (p = " in text


def test_compare_uses_the_items_that_all_metrics_scored() -> None:
    dialogues = chats()
    holes = guess(dialogues, 1.0)
    holes[:5] = [math.nan] * 5
    scores = scored(dialogues, one=guess(dialogues, 0.5), two=holes, three=[1.0] * 60)
    found = compare([(scores, name) for name in ("one", "two", "three")], dialogues, "good", QUICK)
    assert (found.n, found.unscored) == (55, 5)
    undefined = [pair for pair in found.pairs if "three" in (pair.first, pair.second)]
    assert all(pair.p == 1 and math.isnan(pair.difference.value) for pair in undefined)
    with pytest.raises(InputError, match="two metrics"):
        compare([(scores, "one")], dialogues, "good")


def test_williams_is_given_for_pearson_when_items_stand_alone() -> None:
    dialogues = chats(level="dialogue")
    scores = scored(dialogues, one=guess(dialogues, 0.5), two=guess(dialogues, 2.0, 2))
    entrants = [(scores, "one"), (scores, "two")]
    pearson = Resampling(resamples=500, coefficient="pearson")
    alone = compare(entrants, dialogues, "good", pearson).pairs[0]
    assert alone.williams is not None
    assert alone.williams.t > 0
    assert "Williams' test" in shown(
        evaluations.comparison_table(compare(entrants, dialogues, "good", pearson))
    )
    assert compare(entrants, dialogues, "good", QUICK).pairs[0].williams is None
    clustered = chats()
    again = scored(clustered, one=guess(clustered, 0.5), two=guess(clustered, 2.0, 2))
    pair = compare([(again, "one"), (again, "two")], clustered, "good", pearson).pairs[0]
    assert pair.williams is None


def run(values: Iterable[float], ids: str = "d", context: str = "c", **fields: str) -> Scores:
    rows = (
        Row(f"{ids}{i}", "0", f"{context}{i}", {"gauge": Score(value)}, fields.get("system", ""))
        for i, value in enumerate(values)
    )
    return Scores({"gauge": fields.get("signature", "v1")}, tuple(rows))


def test_runs_are_paired_by_id() -> None:
    rng = np.random.default_rng(0)
    base = rng.normal(size=80)
    found = compare_runs(
        run([*base, 3.0]), run(base + 0.1 + rng.normal(size=80) / 20), "gauge", QUICK
    )
    assert (found.paired_by, found.unpaired, found.unscored) == ("id", (1, 0), (0, 0))
    assert found.result.difference.n == 80
    assert found.result.difference.high < 0
    assert found.result.p == 1 / 501
    text = shown(evaluations.runs_table(found, ("old", "new")), 200)
    assert "new scores higher than old (p = 0.0020; permutation test, paired by id, n = 80)" in text
    assert "1 row of old had no partner" in text


def test_systems_of_one_file_are_paired_by_context() -> None:
    dialogues = chats()
    scores = scored(dialogues, gauge=[one.rating("good") for one in dialogues])
    found = compare_runs(
        of_system(scores, "system A"), of_system(scores, "system C"), "gauge", QUICK
    )
    assert (found.paired_by, found.result.difference.n) == ("context", 20)
    assert found.result.difference.value < 0
    assert found.result.p < 0.05
    with pytest.raises(UnknownNameError, match="system"):
        of_system(scores, "system D")


def test_runs_with_nothing_in_common_are_compared_unpaired_and_say_so() -> None:
    rng = np.random.default_rng(0)
    one, two = rng.normal(size=50), rng.normal(size=60) + 1
    found = compare_runs(run(one), run(two, "e", "x", signature="v2"), "gauge", QUICK)
    assert found.paired_by == "nothing"
    assert found.result.difference.value == pytest.approx(one.mean() - two.mean())
    assert found.result.difference.high < 0
    assert found.result.p < 0.05
    text = shown(evaluations.runs_table(found), 200)
    assert "independent samples" in text
    assert "different versions of gauge" in text
    single = compare_runs(run([1.0]), run([2.0, 3.0], "e", "x"), "gauge", QUICK)
    assert math.isnan(single.result.difference.low)
    assert single.result.p > 0.3


def test_answers_to_one_context_are_averaged_before_they_are_paired() -> None:
    rows = tuple(
        Row(f"a{i}", "0", f"c{i // 2}", {"gauge": Score(float(i))}, level="turn") for i in range(20)
    )
    found = compare_runs(
        Scores({"gauge": ""}, rows), run(np.zeros(10), "b", signature=""), "gauge", QUICK
    )
    assert (found.paired_by, found.result.difference.n) == ("context", 10)
    assert found.result.first.value == pytest.approx(9.5)


def test_a_few_ids_in_common_do_not_hide_the_contexts() -> None:
    first = run(np.arange(30.0))
    other = run(np.arange(30.0) + 1, "e")
    stray = msgspec.structs.replace(other.rows[0], id="d0")
    second = Scores(other.signatures, (stray, *other.rows[1:]))
    found = compare_runs(first, second, "gauge", QUICK)
    assert (found.paired_by, found.result.difference.n) == ("context", 30)


def test_equal_runs_show_no_difference() -> None:
    found = compare_runs(run([1.0, 2.0, math.nan]), run([1.0, 2.0, 3.0]), "gauge", QUICK)
    assert found.unscored == (1, 0)
    assert found.unpaired == (0, 1)
    assert found.result.p == 1
    assert "No difference is shown" in shown(evaluations.runs_table(found))
    with pytest.raises(InputError, match="the second run has no number"):
        compare_runs(run([1.0]), run([math.nan]), "gauge")
    with pytest.raises(UnknownNameError):
        compare_runs(run([1.0]), run([1.0]), "bleu")


def test_discrimination_has_a_table() -> None:
    found = discriminate(
        [2.0, 1.0, 3.0], [1.0, 1.0, 4.0], ["a", "b", "c"], ["x", "y", "[b]"], QUICK
    )
    text = shown(evaluations.discrimination_table(found))
    assert "[b]" in text
    assert "1 tie " in text
    assert found.accuracy == Estimate(0.5, found.accuracy.low, found.accuracy.high, 3,
                                      found.accuracy.note)  # fmt: skip


@pytest.mark.parametrize(
    ("corpus", "aspect", "wanted"),
    [
        ("fed-dialogue", "Overall", 0.719),
        ("dstc9", "overall", 0.251),
        ("usr-topical", "Overall", 0.704),
    ],
)
def test_pooled_correlations_on_published_sets_are_mostly_system_identification(
    data: Path, monkeypatch: pytest.MonkeyPatch, corpus: str, aspect: str, wanted: float
) -> None:
    from dialogauge.corpora import access
    from dialogauge.meta.confounds import oracle
    from dialogauge.meta.items import rated

    monkeypatch.setenv("DIALOGAUGE_DATA", str(data))
    items = rated(access.load(corpus), aspect)
    value = coefficient("spearman").value(oracle(items.ratings, items.systems), items.ratings)
    assert value == pytest.approx(wanted, abs=0.005)


@pytest.mark.parametrize(
    ("corpus", "n", "contexts"), [("fed-dialogue", 125, 125), ("convai2-grade", 600, 258)]
)
def test_a_whole_evaluation_on_published_ratings(
    data: Path, monkeypatch: pytest.MonkeyPatch, corpus: str, n: int, contexts: int
) -> None:
    from dialogauge.corpora import access

    monkeypatch.setenv("DIALOGAUGE_DATA", str(data))
    dialogues = access.load(corpus)
    lengths = [float(len(one.response.split())) for one in dialogues]
    scores = scored(dialogues, length=lengths, turns=[float(len(one.turns)) for one in dialogues])
    aspect = next(name for name in dialogues[0].ratings if name in ("Overall", "coherence"))
    found = evaluate(scores, "length", dialogues, aspect, baselines=scores, settings=QUICK)
    assert (found.n, found.contexts) == (n, contexts)
    assert isinstance(found.human, Human)
    assert found.human.level.value < found.human.ceiling.value < 1
    assert found.confounds.oracle_split_half.value < found.confounds.oracle.value
    assert found.objections
    assert encode(decode(encode(found))) == encode(found)
