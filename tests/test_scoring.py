"""Scoring: asides, aggregation, and a file that survives being killed."""

import json
import math
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

import dialogauge as dg
from dialogauge.errors import DialogaugeError, OutputError, RecordError
from dialogauge.scores import Cause, Score
from dialogauge.scoring import BATCH


def chats(count: int, words: int = 3) -> list[dg.Dialogue]:
    turns = (dg.Turn("A", "hello there"), dg.Turn("B", "word " * words))
    return [dg.Dialogue(f"d{at}", turns, system=f"s{at % 2}") for at in range(count)]


class Counting:
    """A metric that remembers how many dialogues it was given."""

    name, signature, trained = "counting", "counting|v:1", False

    def __init__(self, fail_at: int = -1) -> None:
        self.seen = 0
        self.fail_at = fail_at

    def score(self, dialogues: Sequence[dg.Dialogue]) -> list[Score]:
        self.seen += len(dialogues)
        if 0 <= self.fail_at < self.seen:
            raise KeyboardInterrupt
        return [
            Score(float(len(each.response)), (math.nan,) * len(each.turns)) for each in dialogues
        ]


def test_asides_are_not_shown_and_have_no_score() -> None:
    turns = (dg.Turn("system", "be brief", aside=True), dg.Turn("user", "a b"), dg.Turn("bot", "c"))
    (row,) = dg.score([dg.Dialogue("d", turns)], "words-per-turn").rows
    score = row.scores["words-per-turn"]
    assert math.isnan(score.turns[0])
    assert score.turns[1:] == (2.0, 1.0)
    assert score.value == 1.5


class Blaming(Counting):
    """A metric that says that the last turn broke."""

    def score(self, dialogues: Sequence[dg.Dialogue]) -> list[Score]:
        return [
            Score(
                0.0,
                (0.0,) * len(each.turns),
                causes=(Cause(len(each.turns) - 1, "late", ((0, 1),)),),
            )
            for each in dialogues
        ]


def test_a_cause_stands_at_its_turn_whatever_was_not_shown() -> None:
    turns = (dg.Turn("system", "be brief", aside=True), dg.Turn("user", "a b"), dg.Turn("bot", "c"))
    (row,) = dg.score([dg.Dialogue("d", turns)], Blaming()).rows
    assert row.scores["counting"].causes == (Cause(2, "late", ((0, 1),)),)


class Sure(Counting):
    """A metric that says where people's judgement lies."""

    def score(self, dialogues: Sequence[dg.Dialogue]) -> list[Score]:
        return [Score(0.5, (0.5,) * len(each.turns), interval=(0.2, 0.7)) for each in dialogues]


def test_an_interval_is_kept_until_the_value_is_another() -> None:
    aside = dg.Turn("system", "be brief", aside=True)
    given = [*chats(1), dg.Dialogue("aside", (aside, *chats(1)[0].turns))]
    rows = dg.score(given, Sure()).rows
    assert [row.scores["counting"].interval for row in rows] == [(0.2, 0.7)] * 2
    rows = dg.score(given, Sure(), aggregate="sum").rows
    assert [row.scores["counting"].interval for row in rows] == [None] * 2


@pytest.mark.parametrize(
    ("cause", "problem"),
    [
        (Cause(9, "late"), "a turn 9 that is not there"),
        (Cause(0, "late", ((0, 10_000),)), "characters that turn 0 does not have"),
    ],
)
def test_a_cause_at_no_turn_is_the_metrics_mistake(cause: Cause, problem: str) -> None:
    class Lost(Blaming):
        def score(self, dialogues: Sequence[dg.Dialogue]) -> list[Score]:
            return [Score(0.0, causes=(cause,)) for _ in dialogues]

    with pytest.raises(DialogaugeError, match=problem):
        dg.score(chats(1), Lost())


@pytest.mark.parametrize(("how", "value"), [("sum", 5), ("max", 3), ("product", 6), ("mean", 2.5)])
def test_aggregation_is_in_the_signature(how: str, value: float) -> None:
    scores = dg.score(chats(1), "words-per-turn", aggregate=how)
    assert scores.column("words-per-turn")[0] == value
    assert scores.signatures["words-per-turn"].endswith(f"|aggregate:{how}")


class Costly(Counting):
    """A metric whose turns cost extra; it remembers what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[str, list[str]]] = []

    def score(self, dialogues: Sequence[dg.Dialogue]) -> list[Score]:
        self.asked.append(("score", [each.id for each in dialogues]))
        return [Score(float(len(each.turns)), (0.5,) * len(each.turns)) for each in dialogues]

    def whole(self, dialogues: Sequence[dg.Dialogue]) -> list[float]:
        self.asked.append(("whole", [each.id for each in dialogues]))
        return [float(len(each.turns)) for each in dialogues]


def test_turns_that_nobody_sees_are_not_scored() -> None:
    metric, (one, two, three) = Costly(), chats(3)
    item = msgspec.structs.replace(two, level="turn")  # its last turn is its value
    rows = dg.score([one, item, three], metric, turns=False).rows
    assert metric.asked == [("score", ["d1"]), ("whole", ["d0", "d2"])]
    assert [row.value("counting") for row in rows] == [2.0, 0.5, 2.0]
    assert [len(row.scores["counting"].turns) for row in rows] == [0, 2, 0]


def test_turns_are_scored_where_they_are_shown_or_aggregated() -> None:
    for options in ({}, {"aggregate": "sum", "turns": False}):
        metric = Costly()
        (row,) = dg.score(chats(1), metric, **options).rows  # type: ignore[arg-type]
        assert metric.asked == [("score", ["d0"])]
        assert row.scores["counting"].turns == (0.5, 0.5)
    assert row.value("counting") == 1


COSTLY = """
from dialogauge.scores import Cause, Score

class Costly:
    name, signature, trained = "costly", "costly|v:1", False
    def score(self, dialogues):
        return [Score(7.0, (5.0,) * len(each.turns)) for each in dialogues]
    def whole(self, dialogues):
        return [9.0] * len(dialogues)  # not the same, to be told apart
"""


@pytest.mark.parametrize(
    ("options", "value"),
    [
        (["--table"], 9),
        (["--table", "--turns"], 7),
        (["--table", "--aggregate", "max"], 5),
        (["--json"], 7),
        (["--out", "out.csv", "--json"], 7),
    ],
)
def test_the_command_scores_turns_where_it_shows_them(
    options: list[str], value: int, tmp_path: Path
) -> None:
    (tmp_path / "costly.py").write_text(COSTLY)
    dg.write(chats(1), tmp_path / "chats.jsonl")
    base = [sys.executable, "-m", "dialogauge", "score", "chats.jsonl", "-m", "costly:Costly"]
    shown = subprocess.run([*base, *options], cwd=tmp_path, capture_output=True, check=True)
    numbers = set(re.findall(r"\b[579]\.0", shown.stdout.decode()))
    assert numbers == {"7.0", "5.0"} if "--turns" in options else f"{value}.0" in numbers


@pytest.mark.parametrize("values", [[1.0], None, [1.0, "two"], [1.0, math.inf]])
def test_values_are_checked(values: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Costly, "whole", lambda metric, dialogues: values)
    with pytest.raises(DialogaugeError, match="metric 'counting'"):
        dg.score(chats(2), Costly(), turns=False)


def test_what_cannot_be_run() -> None:
    one = Counting()
    for metrics, problem in [([], "no metric"), ([one, one], "two metrics"), ("blue", "bleu")]:
        with pytest.raises(DialogaugeError, match=problem):
            dg.score(chats(1), metrics)  # type: ignore[arg-type]
    one.name = "id"
    with pytest.raises(DialogaugeError, match="cannot be called 'id'"):
        dg.score(chats(1), one)
    with pytest.raises(DialogaugeError, match="no aggregate is called 'median'"):
        dg.score(chats(1), "turn-count", aggregate="median")
    with pytest.raises(RecordError, match="used before"):
        dg.score(chats(1) * 2, "turn-count")


def test_scoring_nothing_gives_an_empty_table() -> None:
    assert len(dg.score([], "turn-count")) == 0


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".parquet"])
def test_an_interrupted_run_goes_on_where_it_stopped(ending: str, tmp_path: Path) -> None:
    whole, out = tmp_path / f"whole{ending}", tmp_path / f"out{ending}"
    dialogues = chats(5 * BATCH)
    dg.score_to(whole, dialogues, Counting())
    first = Counting(fail_at=3 * BATCH)
    with pytest.raises(KeyboardInterrupt):
        dg.score_to(out, dialogues, first)
    assert not out.exists()
    second = Counting()
    advanced: list[str] = []
    count = dg.score_to(out, dialogues, second, advance=lambda row: advanced.append(row.id))
    assert count == len(dialogues)
    assert advanced == [each.id for each in dialogues]
    assert second.seen == 2 * BATCH  # three batches were kept
    assert out.read_bytes() == whole.read_bytes()
    assert [each.name for each in tmp_path.glob("*.partial")] == []


def test_every_cut_of_a_partial_file_is_resumed(tmp_path: Path) -> None:
    dialogues = chats(5)
    whole, out = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    dg.score_to(whole, dialogues, Counting())
    data = whole.read_bytes()
    for at in range(0, len(data), 7):
        (tmp_path / "out.jsonl.partial").write_bytes(data[:at])
        dg.score_to(out, dialogues, Counting(), force=False)
        assert out.read_bytes() == data
        out.unlink()


def test_garbage_in_a_partial_file_is_dropped(tmp_path: Path) -> None:
    dialogues = chats(5)
    out = tmp_path / "out.jsonl"
    dg.score_to(out, dialogues, Counting())
    data = out.read_bytes()
    lines = data.splitlines(keepends=True)
    (tmp_path / "out.jsonl.partial").write_bytes(
        b"".join(lines[:3]) + b"\xff\0garbage\n" + lines[4]
    )
    out.unlink()
    dg.score_to(out, dialogues, Counting())
    assert out.read_bytes() == data


def test_other_work_is_not_overwritten(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    dg.score_to(out, chats(2), "turn-count")
    before = out.read_bytes()
    with pytest.raises(OutputError, match="exists"):
        dg.score_to(out, chats(2), "turn-count")
    out.rename(tmp_path / "out.jsonl.partial")
    with pytest.raises(OutputError, match="another run"):
        dg.score_to(out, chats(2), "words-per-turn")
    with pytest.raises(OutputError, match="other input"):
        dg.score_to(out, chats(2, words=9), "turn-count")
    with pytest.raises(OutputError, match="other input"):
        dg.score_to(out, chats(1), "turn-count")
    assert (tmp_path / "out.jsonl.partial").read_bytes() == before
    dg.score_to(out, chats(1), "turn-count", force=True)
    assert len(dg.Scores.read(out)) == 1
    with pytest.raises(OutputError, match=r"the ending must be one of \.jsonl"):
        dg.score_to(tmp_path / "out.xls", chats(1), "turn-count")


def test_two_writers(tmp_path: Path) -> None:
    import fcntl

    with (tmp_path / "out.jsonl.partial").open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(OutputError, match="another run"):
            dg.score_to(tmp_path / "out.jsonl", chats(1), "turn-count")


SLOW = """
import time
from dialogauge.scores import Cause, Score

class Slow:
    name, signature = "slow", "slow|v:1"
    def score(self, dialogues):
        time.sleep(0.03)
        return [Score(float(len(each.response))) for each in dialogues]
"""


@pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
def test_killed_and_started_again_gives_the_same_file(ending: str, tmp_path: Path) -> None:
    """The real command, the real signal, in the middle; twice."""
    (tmp_path / "slow.py").write_text(SLOW)
    dg.write(chats(20 * BATCH), tmp_path / "chats.jsonl")
    base = [sys.executable, "-m", "dialogauge", "score", "chats.jsonl", "-m", "slow:Slow"]

    def start(name: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen([*base, "--out", name + ending, "--quiet"], cwd=tmp_path)

    assert start("whole").wait() == 0
    partial = tmp_path / f"out{ending}.partial"
    sizes = [0]
    for _ in range(2):
        process = start("out")
        while not (partial.exists() and partial.stat().st_size > sizes[-1] + 20_000):
            assert process.poll() is None, "it finished before it could be killed"
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()
        sizes.append(partial.stat().st_size)
        assert not (tmp_path / f"out{ending}").exists()
    assert start("out").wait() == 0
    assert (tmp_path / f"out{ending}").read_bytes() == (tmp_path / f"whole{ending}").read_bytes()
    assert not partial.exists()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 256 kB, where mounting one is allowed."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("may not mount a small file system here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_is_one_error_and_keeps_what_fits(small_disk: Path, tmp_path: Path) -> None:
    out = small_disk / "out.jsonl"
    with pytest.raises(OutputError, match="No space left on device"):
        dg.score_to(out, chats(5000), "turn-count")
    assert not out.exists()
    room = tmp_path / "room.jsonl"
    room.with_name("room.jsonl.partial").write_bytes(
        out.with_name("out.jsonl.partial").read_bytes()
    )
    dg.score_to(room, chats(5000), "turn-count")
    dg.score_to(tmp_path / "whole.jsonl", chats(5000), "turn-count")
    assert room.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_a_file_size_limit_keeps_what_fits(tmp_path: Path) -> None:
    """The same where nothing may be mounted: the run fails in the middle, then goes on."""
    script = f"""
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
import dialogauge as dg
from tests.test_scoring import chats
try:
    dg.score_to({str(tmp_path / "out.jsonl")!r}, chats(5000), "turn-count")
except dg.DialogaugeError as error:
    print("refused:", error)
"""
    root = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("refused:")
    assert (tmp_path / "out.jsonl.partial").stat().st_size == 200_000
    dg.score_to(tmp_path / "out.jsonl", chats(5000), "turn-count")
    dg.score_to(tmp_path / "whole.jsonl", chats(5000), "turn-count")
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_no_permission_to_write(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        dg.score_to(tmp_path / "absent" / "out.jsonl", chats(1), "turn-count")


def test_rows_are_json(tmp_path: Path) -> None:
    dg.score_to(tmp_path / "out.jsonl", chats(2), ["turn-count", "words-per-turn"])
    header, *rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert set(header["signatures"]) == {"turn-count", "words-per-turn"}
    assert [row["id"] for row in rows] == ["d0", "d1"]
    assert [each.name for each in tmp_path.iterdir()] == ["out.jsonl"]
