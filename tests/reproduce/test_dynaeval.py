"""Exams of damaged dialogues, the trained family, and a page made of logs and measurements."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

import msgspec
import pytest

from dialogauge import corpora
from dialogauge.dialogue import Dialogue, Turn
from dialogauge.errors import DialogaugeError, InputError, UnknownNameError
from dialogauge.judging import keep_apart
from dialogauge.meta import Estimate, Resampling
from dialogauge.metrics import Metric, by_turn, load
from dialogauge.metrics.catalogue import from_folder
from dialogauge.metrics.dynaeval import Graph
from dialogauge.reproduce import Request, dynaeval, kept, look, sections
from dialogauge.reproduce.dynaeval import DynaevalPage, Trial, aggregated, take_final_looks
from dialogauge.reproduce.exams import DamageExam, damaged, fitting
from dialogauge.reproduce.looks import LOG, Final, Look
from dialogauge.reproduce.page import Paper, Variant
from dialogauge.scores import Score
from dialogauge.train.models import check

from ..train.training import chats, write_chats

QUICK = Resampling(resamples=100)
PAPER = Paper.read("dynaeval")


class Knows:
    """Scores what a function says of a dialogue."""

    name, signature, trained = "knows", "knows", False

    def __init__(self, value: Callable[[Dialogue], float]) -> None:
        self.value = value

    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        return [Score(float(self.value(each))) for each in dialogues]


def talks(count: int = 6, turns: int = 4) -> list[Dialogue]:
    """Dialogues in which nothing is said twice."""
    return [
        Dialogue(f"d{n}", tuple(Turn("AB"[at % 2], f"say {at} of {n}") for at in range(turns)))
        for n in range(count)
    ]


@pytest.mark.parametrize(("turns", "orders"), [(4, 2), (5, 6), (6, 10), (12, 20)])
def test_each_distinct_damage_stands_there_once(turns: int, orders: int) -> None:
    source = talks(40, turns)
    pairs = list(damaged(source))
    assert len({(pair.better.id, pair.worse.turns) for pair in pairs}) == len(pairs)
    assert len({pair.worse.id for pair in pairs}) == len(pairs)
    assert all(pair.worse.turns != pair.better.turns for pair in pairs)
    for dialogue in source:
        own = [pair for pair in pairs if pair.better is dialogue]
        shuffled = [pair for pair in own if pair.cause == "shuffle-speaker"]
        replaced = [pair for pair in own if pair.cause == "replace-turn"]
        assert len(shuffled) == orders
        assert 1 <= len(replaced) <= 20
        for pair in replaced:
            (change,) = pair.changes
            assert change.after.split()[-1] != dialogue.id[1:]
        for pair in shuffled:
            assert sorted(pair.worse.turns, key=str) == sorted(dialogue.turns, key=str)
    assert pairs == list(damaged(source))  # always the same exam


def test_who_says_one_thing_only_cannot_be_shuffled() -> None:
    same = Dialogue("same", tuple(Turn("AB"[at % 2], "Yes.") for at in range(4)))
    assert {pair.cause for pair in damaged([same, *talks(2)]) if pair.better is same} == {
        "replace-turn"
    }


def test_accuracy_is_right_wrong_or_half() -> None:
    source = talks()
    exam = DamageExam(source, {"all": source, "two": source[:2]})
    whole = {dialogue.id for dialogue in source}
    right = exam.accuracy(Knows(lambda each: each.id in whole), QUICK)
    wrong = exam.accuracy(Knows(lambda each: each.id not in whole), QUICK)
    tied = exam.accuracy(Knows(lambda _: 1.0), QUICK)
    for part in ("all", "two"):
        for kind in ("UR", "SS"):
            found = [each[part][kind].value for each in (right, wrong, tied)]
            assert found == [1.0, 0.0, 0.5]
    sizes = dict(exam.sizes())
    assert sizes["all"].startswith("6 dialogues, ")
    assert sizes["two"].startswith("2 dialogues, ")
    assert sizes["two"].endswith(" UR, 4 SS")
    assert right["two"]["SS"].n == 4
    # the part is measured, not the whole: it fails on the first two dialogues only
    later = exam.accuracy(Knows(lambda each: each.id in {one.id for one in source[2:]}), QUICK)
    assert later["two"]["UR"].value == 0.5
    assert 0.5 < later["all"]["UR"].value < 1


def test_what_cannot_be_scored_does_not_count() -> None:
    source = talks()
    first = source[0].id
    metric = Knows(lambda each: math.nan if each.id == first else float("~" not in each.id))
    found = DamageExam(source, {"all": source}).accuracy(metric, QUICK)["all"]["SS"]
    assert (found.value, found.n) == (1.0, 10)


@pytest.fixture
def _data(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALOGAUGE_DATA", str(data))


@pytest.mark.usefixtures("_data")
def test_the_exam_of_dailydialog_is_the_papers() -> None:
    """Table 1 of the paper: 918 test and 10,245 training dialogues of 4 to 30 turns."""
    test, train = (fitting(corpora.load("dailydialog", part)) for part in ("test", "train"))
    assert (len(test), len(train)) == (918, 10_245)
    apart, _ = corpora.decontaminate(test, {"train": corpora.load("dailydialog", "train")})
    assert len(apart) == 596


@pytest.mark.usefixtures("_data")
def test_held_dialogues_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dynaeval, "PERMISSIVE", ("personachat",))
    monkeypatch.setattr(dynaeval, "HELD", 5)
    (exam,) = dynaeval.permissive()
    assert len(exam.dialogues) == 5
    assert {corpora.split(each) for each in exam.dialogues} == {"test"}
    assert list(exam.parts) == ["personachat"]


@pytest.mark.usefixtures("_data")
def test_several_aspects_are_one_look() -> None:
    asked = {"usr-topical": ("Overall", "Natural")}
    both = look([load("words-per-turn")], asked, QUICK)
    assert [each.aspect for each in both] == ["Overall", "Natural"]
    (alone,) = look([load("words-per-turn")], {"usr-topical": "Natural"}, QUICK)
    assert msgspec.json.encode(alone) == msgspec.json.encode(both[1])


def test_turn_scores_in_every_way() -> None:
    counted = by_turn("count", lambda chat: [2.0, 5.0, math.nan][: len(chat.turns)])
    chat = talks(1, 3)[0]
    found = {
        how: aggregated(counted, how).score([chat])[0].value
        for how in ("mean", "sum", "max", "product")
    }
    assert found == {"mean": 3.5, "sum": 7.0, "max": 5.0, "product": 10.0}
    made = aggregated(counted, "max")
    assert made.name == "count-max"
    assert made.signature == f"{counted.signature}|aggregate:max"
    assert not made.trained


def test_an_aggregated_trained_metric_keeps_away_from_test_sets() -> None:
    learnt = Knows(len)  # type: ignore[arg-type]
    learnt.trained = True
    with pytest.raises(DialogaugeError, match="fed-dialogue is a test set and knows-sum was"):
        look([aggregated(learnt, "sum")], {"fed-dialogue": "Overall"}, QUICK)


def test_no_final_look_without_all_metrics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dynaeval, "JUDGED", ("relevance", "no-such-metric"))
    with pytest.raises(UnknownNameError, match="no-such-metric"):
        take_final_looks(tmp_path)
    assert not (tmp_path / LOG).exists()


def seen(metric: str, corpus: str, aspect: str, value: float) -> Look:
    told, nothing = Estimate(value, value - 0.1, value + 0.1, 125), Estimate(math.nan)
    return Look(
        metric=metric,
        corpus=corpus,
        aspect=aspect,
        n=125,
        spearman=told,
        pearson=nothing,
        kendall=nothing,
        within=nothing,
        given_length=nothing,
        oracle=nothing,
        ceiling=nothing,
        baseline="words-per-turn",
        baseline_spearman=nothing,
        objections=(),
        signature="signature",
    )


def test_misses_are_told_by_the_numbers() -> None:
    looks = (
        seen("dynaeval", "fed-dialogue", "Overall", 0.4996),
        seen("dynaeval", "fed-dialogue", "Coherent", 0.41),
        seen("dynaeval-research", "dstc9", "overall", 0.2),
    )
    page = DynaevalPage(PAPER, Request(Path("docs")))
    page._measured = {
        "dynaeval": {"dailydialog": {"UR": Estimate(0.93), "SS": Estimate(0.9)}},
        "cosim": {"dailydialog": {"UR": Estimate(0.6), "SS": Estimate(0.95)}},
    }
    page._trials = {
        "dynaeval-permissive": (Trial(1, {"personachat": {"UR": 0.7, "SS": 0.9}}),),
        "s-dicoh-permissive": (Trial(1, {"personachat": {"UR": 0.8, "SS": 0.8}}),),
    }
    page._finals = (Final("then", "dynaeval", "0", looks),)
    text = page.misses
    rows = {tuple(map(str.strip, line.split("|")[1:3])): line for line in text.splitlines()}
    assert rows["dailydialog, UR", "dynaeval-research"].endswith("| 91.9 | 93.0 | reached |")
    assert rows["dailydialog, SS", "dynaeval-research"].endswith("| 90.0 | missed by 1.7 |")
    assert rows["fed-dialogue, Overall", "dynaeval"].endswith("| reached |")
    assert rows["fed-dialogue, Coherent", "dynaeval"].endswith("| missed by 0.020 |")
    assert rows["dstc9, overall", "dynaeval-research"].endswith("| reached |")
    assert rows["fed-turn, Overall", "dynaeval"].endswith("| – | not measured yet |")
    behind = "dailydialog, SS (CoSim); personachat, UR (S-DiCoh)."
    assert text.endswith(behind + PAPER.why(["fed-dialogue", "baselines"]))
    assert "*FED's turns.*" not in text  # not measured, so not missed
    page._finals = ()
    assert page.misses.endswith(behind)  # no look, nothing to explain


def test_what_is_reached_needs_no_reason() -> None:
    assert PAPER.why(()) == PAPER.why(["dailydialog"]) == ""
    text = PAPER.why(["fed-turn"])
    assert "- *FED's turns.* What a turn adds" in text
    assert "*CoSim and S-DiCoh.*" not in text
    assert text.splitlines()[-1] == "tuned on the same damage."


RECIPE = """
name = "tiny"
task = "ranking"
[data]
files = [{file}]
decontaminate = false
[backbone]
name = "dialogue-minilm"
[optimisation]
epochs = 1
batch_size = 16
[settings]
pairs = 2
narrow = 8
hidden = 4
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of a project, and a tiny recipe instead of those that ship."""
    pytest.importorskip("torch", reason="needs the extra: train")
    for folder in ("docs", "recipes"):
        (tmp_path / folder).mkdir()
    file = write_chats(tmp_path / "chats.jsonl", chats(12, turns=5))
    text = RECIPE.format(file=msgspec.json.encode(str(file)).decode())
    (tmp_path / "recipes" / "tiny.toml").write_text(text)
    monkeypatch.setattr(kept, "RECIPES", tmp_path / "recipes")
    return tmp_path


FAMILY = {
    "dynaeval-dailydialog": Variant("tiny", cap=12, seeds=2, exam="dailydialog"),
    "s-dicoh, UR": Variant(
        "tiny",
        cap=12,
        settings={"network": "s-dicoh", "worse": ["replace-turn"]},
        exam="dailydialog",
    ),
}


def retrained(request: Request) -> DynaevalPage:
    """The page of a small family, which is trained when its numbers are asked for."""
    return DynaevalPage(msgspec.structs.replace(PAPER, family=FAMILY), request)


def made() -> list[DamageExam]:
    source = chats(5, turns=4, seed=9)
    return [DamageExam(source, {dynaeval.WHOLE: source, dynaeval.APART: source[:2]})]


def test_the_family_is_trained_and_measured(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dynaeval, "EXAMS", {"dailydialog": made})
    told: list[str] = []
    request = Request(project / "docs", tell=told.append)
    page = retrained(request)
    trials = page._trials
    assert told[0] == "training dynaeval-dailydialog, seed 1 of 2"
    assert len(told) == 3
    assert {name: [trial.seed for trial in some] for name, some in trials.items()} == {
        "dynaeval-dailydialog": [1, 2],
        "s-dicoh, UR": [1],
    }
    work = project / "build" / "dynaeval-family"
    assert (work / "s-dicoh-UR-1" / "model.onnx").exists()
    folder = work / "dynaeval-dailydialog-1"
    assert not (folder / "training").exists()
    metric = load(str(folder))
    assert isinstance(metric, Graph)
    ways: list[Metric] = [Knows(lambda each: metric.score([each])[0].value), metric]
    slow, quick = (made()[0].accuracy(way, QUICK) for way in ways)
    assert msgspec.json.encode(slow) == msgspec.json.encode(quick)  # `whole` says the same
    accuracy = trials["dynaeval-dailydialog"][0].accuracy["dailydialog"]["UR"]
    assert accuracy == pytest.approx(quick["dailydialog"]["UR"].value)
    monkeypatch.setattr(dynaeval, "SHIPPED", {"dailydialog": str(folder)})  # a folder is a metric
    shipped = page._measured["dynaeval"]["dailydialog"]["UR"]
    assert shipped.value == pytest.approx(accuracy)
    research = from_folder(folder, "dynaeval-research")  # told apart from the other one
    assert research.name == research.signature.split("|")[0] == "dynaeval-research"
    before = (folder / "model.onnx").stat().st_mtime_ns
    assert retrained(request)._trials == trials
    assert len(told) == 3  # nothing is trained again
    assert (folder / "model.onnx").stat().st_mtime_ns == before
    recipe = project / "recipes" / "tiny.toml"
    recipe.write_text(recipe.read_text().replace("pairs = 2", "pairs = 3"))
    with pytest.raises(InputError, match="was trained with another recipe"):
        retrained(request).variants  # noqa: B018


def test_a_stopped_training_loses_no_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each model's numbers are on disk before the next one is trained; older ones stay."""

    def stopped(*_: object) -> Iterator[tuple[str, int, Metric]]:
        yield "dynaeval-dailydialog", 1, load("random")
        yield "dynaeval-dailydialog", 2, load("random")
        raise KeyboardInterrupt

    monkeypatch.setattr(dynaeval, "EXAMS", {"dailydialog": made})
    monkeypatch.setattr(kept, "_trained", stopped)
    path, kind = tmp_path / "reproductions" / "dynaeval-family.json", dict[str, tuple[Trial, ...]]
    old = Trial(1, {"dailydialog": {"UR": 2.0}})
    kept.keep(path, {"s-dicoh, UR": [old], "dynaeval-dailydialog": [old], "long gone": [old]})
    with pytest.raises(KeyboardInterrupt):
        retrained(Request(tmp_path, tell=lambda _: None)).variants  # noqa: B018
    numbers = kept.read(path, kind)
    assert list(numbers) == ["dynaeval-dailydialog", "s-dicoh, UR"]  # as in the family
    assert [trial.seed for trial in numbers["dynaeval-dailydialog"]] == [1, 2]
    assert old not in numbers["dynaeval-dailydialog"]
    assert numbers["s-dicoh, UR"] == (old,)


def test_retraining_needs_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page, its recipes and its paper are in the package: an empty folder is enough."""
    pytest.importorskip("torch", reason="needs the extra: train")
    from dialogauge.train import data, recipe

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(data, "gather", lambda _: data.given(chats(12, turns=5), chats(4, seed=3)))
    small = {"narrow": 8, "hidden": 4, "pairs": 2}
    tiny = {
        name: msgspec.structs.replace(
            PAPER.family[name], seeds=1, epochs=1, settings={**PAPER.family[name].settings, **small}
        )
        for name in ("dynaeval-dailydialog", "s-dicoh-permissive")
    }
    monkeypatch.setattr(dynaeval, "EXAMS", {"dailydialog": made, "permissive": made})
    page = DynaevalPage(
        msgspec.structs.replace(PAPER, family=tiny), Request(Path("docs"), tell=lambda _: None)
    )
    assert page.variants["dynaeval-dailydialog"].startswith("1 | ")
    path = tmp_path / "docs" / "reproductions" / "dynaeval-family.json"
    assert set(kept.read(path, dict[str, tuple[Trial, ...]])) == set(tiny)
    folder = tmp_path / "build" / "dynaeval-family" / "s-dicoh-permissive-1"
    assert recipe.read(folder / "recipe.json").data.corpora[0] == "self-dialogue"


def test_a_family_is_made_of_recipes_that_ship() -> None:
    shipped = files("dialogauge") / "train" / "recipes"
    for name in ("maude", "dynaeval"):
        for variant in Paper.read(name).family.values():
            assert (shipped / f"{variant.recipe}.toml").is_file()
            recipe = kept.changed(variant, seed=2)
            assert (recipe.seed, recipe.data.cap) == (2, variant.cap)
            assert recipe.optimisation.epochs == variant.epochs or not variant.epochs
            assert recipe.settings.items() >= variant.settings.items()
            check(recipe)  # every setting is one of the task's


def test_what_was_kept_must_be_readable(tmp_path: Path) -> None:
    kind = dict[str, tuple[Trial, ...]]
    assert kept.read(tmp_path / "none.json", kind) == {}
    (tmp_path / "bad.json").write_text('{"a": 1}')
    with pytest.raises(InputError, match=r"bad\.json: cannot be read"):
        kept.read(tmp_path / "bad.json", kind)


def test_the_page_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every section, on a small exam; numbers of test sets are invented, nothing is scored."""

    def invented(metrics: Sequence[Metric], aspects: Mapping[str, Sequence[str]]) -> list[Look]:
        for corpus in aspects:
            keep_apart(corpus, metrics)
        return [
            seen(metric.name, corpus, aspect, 0.2)
            for corpus, asked in aspects.items()
            for aspect in ([asked] if isinstance(asked, str) else asked)
            for metric in metrics
        ]

    monkeypatch.setattr(dynaeval, "EXAMS", {"dailydialog": made, "permissive": list})
    monkeypatch.setattr(dynaeval, "look", invented)
    looks = (
        seen("cosim", "fed-dialogue", "Overall", 0.1),
        seen("cosim", "dstc9", "overall", 0.1),
        seen("dynaeval", "fed-dialogue", "Overall", 0.321),
        seen("dynaeval", "fed-dialogue", "Depth", 0.456),
    )
    other = (seen("maude-max", "fed-dialogue", "Overall", 0.123),)
    lines = [
        msgspec.json.encode(Final("2026-01-01", "dynaeval", "0.1", looks)),
        msgspec.json.encode(Final("2026-01-02", "dynaeval-aggregated", "0.1", other)),
    ]
    log = b"".join(line + b"\n" for line in lines)
    (tmp_path / LOG).write_bytes(log)
    page = sections("dynaeval", Request(tmp_path))
    text = {title.split(" (")[0]: below for title, below in page}
    exam = text["Damaged dialogues"]
    assert "dailydialog, de-duplicated: 2 dialogues" in exam
    assert "| dailydialog | s-dicoh | – | – | – | – | 83.67 ± 0.41 | 84.92 ± 0.70 |" in exam
    fed = text["People's ratings of FED"].splitlines()
    (overall,) = (line for line in fed if line.startswith("| fed-dialogue | Overall |"))
    assert "| 0.100 [0.00, 0.20] |" in overall
    assert "| 0.321 [0.22, 0.42] | – | – | – | – |" in overall
    located = text["Which turn is foreign"].splitlines()
    assert len([line for line in located if line.startswith("| dailydialog")]) == 2
    assert "| engage | engagement | dynaeval-so-far |" in text["People, where anyone may look"]
    assert overall.endswith("| 0.482 | 0.830 |")
    assert len([line for line in fed if line.startswith("| fed-")]) == 20
    house = text["Overall, with what must stand beside it"]
    assert "2026-01-01" in house
    assert "Depth" not in house
    assert "dstc9" in house
    turns = text["Scores of turns, aggregated"]
    assert "| Overall | maude | – | – | 0.123 [0.02, 0.22] | – |" in turns
    assert "| Coherent | paper: USR | 0.194 | 0.111 | 0.021 | 0.158 |" in turns
    assert "Not above CoSim, or in the mean over seeds not above S-DiCoh:" in text["Where we miss"]
    assert text["Where we miss"].endswith(PAPER.why(["fed-dialogue", "baselines"]))
    assert (tmp_path / LOG).read_bytes() == log  # nothing was looked at


def test_the_foreign_turn_is_the_lowest_or_not() -> None:
    source = talks(6, turns=5)
    own = {turn.text: each.id for each in source for turn in each.turns}
    exam = DamageExam(source, {"all": source, "two": source[:2]})

    def foreign(dialogue: Dialogue) -> list[float]:
        home = dialogue.id.partition("~")[0]
        return [math.nan, *(float(own[turn.text] == home) for turn in dialogue.turns[1:])]

    def equal(dialogue: Dialogue) -> list[float]:
        return [math.nan, *(0.0 for _ in dialogue.turns[1:])]

    right, ties = (exam.located(by_turn("turns", way), QUICK) for way in (foreign, equal))
    assert {name: each.value for name, each in right.items()} == {"all": 1.0, "two": 1.0}
    assert right["all"].n <= len(source)
    assert ties["all"].value == 0.5
