"""Names to metrics, signatures, aggregation, and the check of what metrics return."""

import json
import math
import re
import shutil
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialogauge import models
from dialogauge.dialogue import Dialogue, Turn
from dialogauge.errors import DialogaugeError, InputError, ModelError, UnknownNameError
from dialogauge.metrics import (
    AGGREGATES,
    METRICS,
    TRIVIAL,
    aggregate,
    by_dialogue,
    by_turn,
    checked,
    describe,
    load,
    names,
)
from dialogauge.metrics.catalogue import KINDS, from_folder
from dialogauge.metrics.trained import TrainedMetric
from dialogauge.scores import Cause, Score

CHAT = Dialogue("chat", (Turn("a", "one two"), Turn("b", "three")))


class Mine:
    """A metric of mine.

    With more to say.
    """

    name = "mine"
    signature = "mine|v:1"

    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        return [Score(1.0)] * len(dialogues)


INSTANCE = Mine()
NUMBER = 3


def make() -> Mine:
    return Mine()


def fail() -> Mine:
    raise RuntimeError("no model")


def wrong() -> int:
    return 3


HERE = __name__


@pytest.mark.parametrize("name", METRICS)
def test_shipped_metrics(name: str) -> None:
    for trusted in (True, False):
        assert load(name, trusted=trusted).name == name
    assert re.fullmatch(r"[A-Z\w].*\.", describe(name), re.IGNORECASE)
    assert "\n" not in describe(name)


def test_the_trivial_ones_are_in_the_table() -> None:
    assert set(TRIVIAL) < set(METRICS)
    overlap = {"bleu", "chrf", "rouge-l", "meteor"}
    vectors = {"cosim", "embedding-average", "vector-extrema", "greedy-matching", "bertscore"}
    assert overlap | vectors <= set(METRICS) - set(TRIVIAL)


def test_signatures() -> None:
    ours, theirs = metadata.version("dialogauge"), metadata.version("sacrebleu")
    assert load("bleu").signature == (
        "bleu|n:4|smooth:exp|effective:yes|tok:13a|lowercase:yes|first:10000"
        f"|sacrebleu:{theirs}|dialogauge:{ours}"
    )
    assert load("random").signature == f"random|seed:0|dialogauge:{ours}"
    assert len({load(name).signature for name in METRICS}) == len(METRICS)


@pytest.mark.parametrize("thing", ["Mine", "INSTANCE", "make"])
def test_metrics_in_python_code(thing: str) -> None:
    metric = load(f"{HERE}:{thing}")
    assert metric.name == "mine"
    assert checked(metric, [CHAT]) == [Score(1.0)]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("no_such_module:Mine", "cannot load module 'no_such_module': ModuleNotFoundError"),
        (f"{HERE}:Yours", "has no 'Yours'"),
        (f"{HERE}:fail", "RuntimeError: no model"),
        (f"{HERE}:wrong", "is not a metric but int: it needs a name"),
        (f"{HERE}:NUMBER", "is not a metric but int"),
        (":Mine", "not of the form 'module:Class'"),
        (f"{HERE}:", "not of the form 'module:Class'"),
        (f"{HERE}:a..b", "has no 'a..b'"),
        ("no/such/folder", "no/such/folder: there is no such folder"),
        ("blue", "did you mean 'bleu'"),
        ("", "no metric is called ''"),
        ("\0", "no metric is called"),
        ("x" * 5000, "no metric is called"),
    ],
)
def test_a_name_that_leads_nowhere_is_one_clear_error(name: str, problem: str) -> None:
    with pytest.raises(DialogaugeError, match=re.escape(problem)) as error:
        load(name)
    assert "\n" not in str(error.value)


def test_a_module_that_does_not_compile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "unfinished_metric.py").write_text("class Mine(")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(DialogaugeError, match="SyntaxError"):
        load("unfinished_metric:Mine")


@pytest.mark.parametrize("name", [f"{HERE}:Mine", "plugin", ".", "/", "\x1b[31m" * 1000])
def test_a_stranger_gets_shipped_metrics_only(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("nothing may be run or read for a stranger")

    for owner in ("plugins.named", "plugins.installed", "metrics.catalogue.from_folder"):
        monkeypatch.setattr(f"dialogauge.{owner}", refuse)
    with pytest.raises(DialogaugeError, match="only those may be used: bleu, chrf") as error:
        load(name, trusted=False)
    assert len(str(error.value)) < 400
    assert "\x1b" not in str(error.value)


def test_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        metadata.EntryPoint("plugin", f"{HERE}:Mine", "dialogauge.metrics"),
        metadata.EntryPoint("broken", "no_such_module:Mine", "dialogauge.metrics"),
        metadata.EntryPoint("bleu", f"{HERE}:Mine", "dialogauge.metrics"),
    ]
    monkeypatch.setattr(metadata, "entry_points", lambda group: points)
    assert load("plugin").name == "mine"
    assert describe("plugin") == "A metric of mine."
    assert names() == (*METRICS, "broken", "plugin")
    assert load("bleu").signature != "mine|v:1"
    with pytest.raises(DialogaugeError, match="cannot load the installed metric 'broken'"):
        load("broken")


def test_describing_an_unknown_metric() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'chrf'"):
        describe("chr")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "cannot be read: No such file"),
        (b"", "config.json: "),
        (b"{", "config.json: "),
        (b"\xff", "config.json: "),
        (b"[" * 100_000, "config.json: "),
        (b"{}", "missing required field metric"),
        (b'{"metric": 3}', "Expected str, got int"),
        (b'{"metric": "unheard"}', "metric: no trained metric of the kind 'unheard' is known"),
    ],
)
def test_a_folder_must_say_what_it_holds(
    tmp_path: Path, content: bytes | None, problem: str
) -> None:
    if content is not None:
        (tmp_path / "config.json").write_bytes(content)
    with pytest.raises(InputError, match=re.escape(problem)):
        load(str(tmp_path))


def test_no_file_of_the_current_folder_is_read_for_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.json").write_text("{")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DIALOGAUGE_MODELS", str(tmp_path / "none"))
    wider = tmp_path / "wider"
    shutil.copytree(models.find("dialogue-minilm"), wider)
    config = json.loads((wider / "config.json").read_text())
    (wider / "config.json").write_text(json.dumps({**config, "max_tokens": 256}))
    models.seal(wider)
    with pytest.raises(ModelError, match="no relevance was trained on dialogue-minilm"):
        load("relevance", encoder=str(wider))


@pytest.mark.parametrize("name", ["relevance", "dynaeval", "bert-ruber"])
def test_a_head_whose_encoder_moved(name: str, tmp_path: Path) -> None:
    head, moved = tmp_path / "head", tmp_path / "moved"
    shutil.copytree(models.find(name), head)
    shutil.copytree(models.find("dialogue-minilm"), moved)
    config = json.loads((head / "config.json").read_text())
    (head / "config.json").write_text(json.dumps({**config, "encoder": str(tmp_path / "once")}))
    models.seal(head)
    with pytest.raises(ModelError, match=r"head: its encoder: .*once.*where it lies now"):
        load(str(head))
    assert load(str(head), encoder=str(moved)).name == config["metric"]
    with pytest.raises(UnknownNameError, match="nowhere"):
        load(str(head), encoder="nowhere")


class Learnt(TrainedMetric):
    """A trained metric without a network."""

    def __init__(
        self, folder: Path, config: "LearntConfig", name: str = "", encoder: str = ""
    ) -> None:
        self.name, self.config, self.folder = name or config.metric, config, folder

    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        return [Score(self.config.width)] * len(dialogues)


class LearntConfig(msgspec.Struct, frozen=True):
    metric: str
    encoder: str
    width: int


class Other(Learnt):
    """Another of the same kind."""


@pytest.fixture
def learnt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a trained metric, whose kind is in the table."""
    monkeypatch.setitem(KINDS, "learnt", (LearntConfig, Learnt))
    config = {"metric": "learnt", "encoder": "none", "width": 3, "more": 1}
    (tmp_path / "config.json").write_text(json.dumps(config))
    models.seal(tmp_path)
    return tmp_path


def test_a_folder_loads_through_the_table(learnt: Path) -> None:
    metric = load(str(learnt))
    assert type(metric) is Learnt
    assert (metric.name, metric.trained) == ("learnt", True)
    assert metric.config == LearntConfig("learnt", "none", 3)
    other = from_folder(learnt, "another", Other)
    assert (type(other), other.name) == (Other, "another")


def test_a_folder_is_verified_and_its_config_decoded_once(
    learnt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    verified: list[Path] = []
    read: list[str] = []
    verify, read_bytes = models.verify, Path.read_bytes

    def verifying(folder: Path) -> models.Manifest:
        verified.append(folder)
        return verify(folder)

    def reading(path: Path) -> bytes:
        read.append(path.name)
        return read_bytes(path)

    monkeypatch.setattr(models, "verify", verifying)
    monkeypatch.setattr(Path, "read_bytes", reading)
    load(str(learnt))
    assert verified == [learnt]
    assert read.count("config.json") == 1


def test_a_changed_folder_is_refused(learnt: Path) -> None:
    config = (learnt / "config.json").read_text()
    (learnt / "config.json").write_text(config.replace("3", "4"))
    with pytest.raises(ModelError, match="damaged or changed"):
        load(str(learnt))
    (learnt / "config.json").write_text(config.replace("3", '"wide"'))
    models.seal(learnt)
    with pytest.raises(ModelError, match=r"config\.json: width: Expected int, got str"):
        load(str(learnt))


# checked()


def metric(result: Callable[[Sequence[Dialogue]], Any]) -> Any:
    broken = Mine()
    broken.score = result  # type: ignore[assignment, method-assign]
    return broken


@pytest.mark.parametrize(
    ("result", "problem"),
    [
        ([], "must give a list of 2 scores, got 0"),
        ([Score(1.0)] * 3, "must give a list of 2 scores, got 3"),
        (None, "must give a list of 2 scores, got NoneType"),
        ([1.0, 2.0], "must give Score values, got float for dialogue 'chat'"),
        ([Score(1.0, (1.0,))] * 2, "has 1 turn scores for the 2 turns of dialogue 'chat'"),
        ([Score("good")] * 2, "has a score that is not a number but str, for dialogue 'chat'"),  # type: ignore[arg-type]
        ([Score(True)] * 2, "not a number but bool"),
        ([Score(math.inf)] * 2, "infinite: use NaN"),
        ([Score(0.0, (1.0, -math.inf))] * 2, "infinite"),
        ([Score(0.0, aspects={"a": "b"})] * 2, "not a number but str"),  # type: ignore[dict-item]
        ([Score(10**400)] * 2, "has a score that is"),
        ([Score(0.5, interval=(0.7, 0.2))] * 2, "that is an interval from 0.7 down to 0.2"),
        ([Score(0.5, interval=(0.2,))] * 2, "an interval of 1 numbers, not of two"),  # type: ignore[arg-type]
        ([Score(0.5, interval=(0.2, math.inf))] * 2, "infinite"),
        ([Score(0.5, interval=("a", "b"))] * 2, "not a number but str"),  # type: ignore[arg-type]
    ],
)
def test_broken_metrics_are_named(result: Any, problem: str) -> None:
    with pytest.raises(DialogaugeError, match=re.escape(problem)) as error:
        checked(metric(lambda _: result), [CHAT, CHAT])
    assert str(error.value).startswith("metric 'mine' ")


def test_a_metric_that_raises_is_named() -> None:
    def boom(_: object) -> None:
        raise KeyError("gone")

    with pytest.raises(DialogaugeError, match="metric 'mine' failed: KeyError: 'gone'") as error:
        checked(metric(boom), [CHAT])
    assert isinstance(error.value.__cause__, KeyError)


def test_numbers_of_any_kind_become_floats() -> None:
    turns = (np.float32(0.5), 2)
    spans = ((np.int64(0), 2),)
    causes, aspects = (Cause(1, "x", spans),), {"a": np.float64(math.nan)}  # type: ignore[arg-type]
    given_score = Score(np.int64(3), turns, aspects, causes)  # type: ignore[arg-type]
    (result,) = checked(metric(lambda _: [given_score]), [CHAT])
    assert (result.value, result.turns) == (3.0, (0.5, 2.0))
    assert msgspec.json.encode(result.causes) == b'[[1,"x",[[0,2]]]]'
    assert math.isnan(result.aspects["a"])
    assert {type(result.value), *map(type, result.turns), type(result.aspects["a"])} == {float}


@pytest.mark.parametrize(
    ("given_ends", "ends"),
    [
        ((np.float32(0.25), 1), "(0.25, 1.0)"),
        ((math.nan, 1.0), "(nan, 1.0)"),
        ((0.5, 0.5), "(0.5, 0.5)"),
        (None, "None"),
    ],
)
def test_an_interval_is_kept(given_ends: Any, ends: str) -> None:
    (result,) = checked(metric(lambda _: [Score(0.5, interval=given_ends)]), [CHAT])
    assert repr(result.interval) == ends


def test_an_interval_without_ends_is_none() -> None:
    unknown = Score(0.5, interval=(np.float32(math.nan), math.nan))  # type: ignore[arg-type]
    assert checked(metric(lambda _: [unknown]), [CHAT]) == [Score(0.5)]


def test_one_function_makes_a_metric() -> None:
    lengths = by_turn("lengths", lambda chat: [len(turn.text) for turn in chat.turns])
    speakers = by_dialogue("speakers", lambda chat: len(chat.speakers))
    assert checked(lengths, [CHAT]) == [Score(6.0, (7.0, 5.0))]
    assert checked(speakers, [CHAT]) == [Score(2.0)]
    assert lengths.signature == f"lengths|dialogauge:{metadata.version('dialogauge')}"


# aggregate()


@pytest.mark.parametrize(
    ("how", "value"), [("mean", 3.0), ("sum", 6.0), ("max", 4.0), ("product", 8.0)]
)
def test_aggregates_leave_nan_out(how: str, value: float) -> None:
    given_score = Score(9.0, (2.0, math.nan, 4.0), causes=(Cause(1, "x"),))
    result = aggregate(given_score, how)
    assert result.value == value
    assert result.causes == (Cause(1, "x"),)
    assert repr(result.turns) == repr(given_score.turns)


@pytest.mark.parametrize("how", AGGREGATES)
def test_an_interval_does_not_outlive_its_value(how: str) -> None:
    assert aggregate(Score(9.0, (2.0, 4.0), interval=(8.0, 10.0)), how).interval is None
    whole = Score(9.0, interval=(8.0, 10.0))  # not computed anew
    assert aggregate(whole, how) == whole


@pytest.mark.parametrize("how", AGGREGATES)
def test_nothing_scored_is_nan_and_no_turns_is_no_change(how: str) -> None:
    assert math.isnan(aggregate(Score(1.0, (math.nan, math.nan)), how).value)
    assert aggregate(Score(1.0), how) == Score(1.0)


def test_an_unknown_aggregate() -> None:
    with pytest.raises(UnknownNameError, match="no aggregate is called 'median'"):
        aggregate(Score(1.0), "median")


@given(
    turns=st.lists(st.floats(allow_infinity=False), max_size=5), how=st.sampled_from([*AGGREGATES])
)
def test_aggregates_are_finite_or_nan(turns: list[float], how: str) -> None:
    assert not math.isinf(aggregate(Score(0.0, tuple(turns)), how).value)
