"""The command line as a person, a pipe and an attacker meet it."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import dialogauge as dg
from dialogauge import cli

EXAMPLES = Path(__file__).parents[2] / "examples"
HOSTILE = "\x1b[2J\x1b]0;owned\x07 [bold]<script>\u202e\x00 {0} %s"


def run(*args: str | Path, fails: bool = False) -> None:
    """Run a command in this process; ``main`` always ends in SystemExit."""
    before, sys.argv = sys.argv, ["dialogauge", *map(str, args)]
    try:
        with pytest.raises(SystemExit) as caught:
            cli.main()
    finally:
        sys.argv = before
    assert caught.value.code == (2 if fails else 0)


def printed(capfdbinary: pytest.CaptureFixture[bytes]) -> list[Any]:
    return [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]


def spawn(*args: str | Path, **options: Any) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "dialogauge", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def on_a_terminal(*args: str | Path) -> str:
    """What a person sees: the command with a pseudo-terminal as its output."""
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "dialogauge", *map(str, args)]
    process = subprocess.Popen(command, stdout=follower, stderr=follower, close_fds=True)
    os.close(follower)
    seen = b""
    try:
        while chunk := os.read(leader, 65536):
            seen += chunk
    except OSError:  # Linux says EIO when the other end is closed
        pass
    os.close(leader)
    assert process.wait() == 0
    return seen.decode()


def test_nothing_is_printed_when_nothing_can_be_read(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "bad.jsonl").write_text("bad\n")
    run("score", tmp_path / "bad.jsonl", "-m", "turn-count", fails=True)
    assert capfdbinary.readouterr().out == b""


def test_json_in_a_pipe(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    run("score", EXAMPLES / "chats.jsonl", "-m", "turn-count,words-per-turn", "--quiet")
    header, *rows = printed(capfdbinary)
    assert list(header["signatures"]) == ["turn-count", "words-per-turn"]
    assert rows[0]["id"] == "bike-repair"
    assert rows[0]["scores"]["turn-count"]["value"] == 6


def test_a_table_on_a_terminal() -> None:
    seen = on_a_terminal("score", EXAMPLES / "chats.jsonl", "-m", "turn-count")
    assert "bike-repair" in seen
    assert "95 % interval" in seen
    assert "\x1b[" in seen  # colours
    assert "{" not in seen


def test_no_colours_elsewhere() -> None:
    done = spawn("score", EXAMPLES / "chats.jsonl", "-m", "turn-count", "--table")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout + done.stderr


def test_hostile_text_cannot_act_on_the_terminal(tmp_path: Path) -> None:
    turns = (dg.Turn(HOSTILE, HOSTILE), dg.Turn("b", HOSTILE))
    rated = {HOSTILE: (1.0, 2.0)}
    chats = [dg.Dialogue(f"{at}{HOSTILE}", turns, HOSTILE, ratings=rated) for at in range(4)]
    dg.write(chats, tmp_path / "x.jsonl")
    for args in (
        ["score", "x.jsonl", "-m", "turn-count,words-per-turn", "--turns", "--table"],
        ["meta", "--on", "x.jsonl", "-m", "turn-count", "--resamples", "100", "--table"],
        ["meta", "--on", "x.jsonl", "-m", "turn-count", "--aspect", "no"],
        ["score", "x.jsonl", "-m", HOSTILE.replace("\0", "")],
    ):
        done = spawn(*args, cwd=tmp_path)
        shown = done.stdout + done.stderr
        assert "Traceback" not in shown
        assert not set(shown) & set("\x1b\x07\u202e\x00\x9b")
        assert "x1b[2J" in shown


def test_out_and_compare(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for name in ("a.jsonl", "b.csv"):
        run(
            "score",
            EXAMPLES / "chats.jsonl",
            "-m",
            "words-per-turn",
            "-o",
            tmp_path / name,
            "--json",
        )
    assert [each["dialogues"] for each in printed(capfdbinary)] == [6, 6]
    run("compare", tmp_path / "a.jsonl", tmp_path / "b.csv", "--resamples", "200")
    (found,) = printed(capfdbinary)
    assert found["comparisons"][0]["paired_by"] == "id"
    assert found["comparisons"][0]["result"]["difference"]["value"] == 0
    run("compare", tmp_path / "a.jsonl", "--systems", "v1,v2", "--resamples", "200", "--table")
    assert b"v1" in capfdbinary.readouterr().out


def test_meta_says_that_the_example_is_invented(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    run("meta", "--on", EXAMPLES / "rated.jsonl", "-m", "meteor", "--resamples", "200", "--table")
    shown = capfdbinary.readouterr().out.decode()
    assert "invented, for illustration" in shown
    for number in ("human ceiling", "oracle: system name", "best trivial", "given length"):
        assert number in shown


def test_meta_of_several_with_a_plot(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    args = ["meta", "--on", str(EXAMPLES / "rated.jsonl"), "-m", "meteor", "-m", "bleu"]
    run(*args, "--resamples", "200", "--plot", tmp_path / "p.svg")
    (found,) = printed(capfdbinary)
    assert [each["metric"] for each in found["evaluations"]] == ["meteor", "bleu"]
    assert len(found["comparison"]["pairs"]) == 1
    assert "<svg" in (tmp_path / "p.svg").read_text()
    run(*args[:-2], "--resamples", "200", "--plot", tmp_path / "p.png")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_a_trained_metric_is_not_judged_on_a_test_set(
    tmp_path: Path,
    data: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    (tmp_path / "learnt.py").write_text(
        "from dialogauge.metrics import by_dialogue\n"
        "class Learnt:\n"
        "    trained = True\n"
        "    inner = by_dialogue('learnt', lambda chat: len(chat.turns))\n"
        "    name, signature, score = inner.name, inner.signature, inner.score\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("DIALOGAUGE_DATA", str(data))
    args = ["meta", "-m", "learnt:Learnt", "--resamples", "100", "--on"]
    run(*args, "fed-dialogue", "--aspect", "Overall", fails=True)
    assert (
        "fed-dialogue is a test set and learnt was trained" in capfdbinary.readouterr().err.decode()
    )
    run(*args, "zhao-dailydialog")


def test_corpora(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    run("corpora", "list")
    names = [each["name"] for each in printed(capfdbinary)]
    assert {"fed-dialogue", "dstc9", "self-dialogue"} <= set(names)
    run("corpora", "show", "dstc9")
    assert printed(capfdbinary)[0]["items"] == 2200
    run("corpora", "list", "--table")
    run("corpora", "show", "dstc9", "--table")
    assert b"chatbot11.json" in capfdbinary.readouterr().out


def test_a_metric_without_any_number_is_told(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    run("score", EXAMPLES / "chats.jsonl", "-m", "bleu,turn-count", "--table")
    told = capfdbinary.readouterr().err.decode()
    assert "bleu could score none of these" in told
    assert "turn-count" not in told


def test_lists_and_help(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    run("score", "--list")
    assert {"bleu", "random"} <= {each["name"] for each in printed(capfdbinary)}
    for args in (["--help"], ["score", "--help"], ["meta", "--help"], ["--version"]):
        run(*args)
    assert b"--on-error" in capfdbinary.readouterr().out


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        (["score"], "name what to score"),
        (["score", "absent.jsonl", "-m", "bleu"], "no such file"),
        (["score", EXAMPLES / "chats.jsonl"], "name a metric"),
        (["score", EXAMPLES / "chats.jsonl", "-m", "blue"], "did you mean 'bleu'"),
        (["score", EXAMPLES / "chats.jsonl", "-m", "no.module:X"], "cannot load"),
        (["score", EXAMPLES / "chats.jsonl", "-m", "bleu", "-o", "x.xls"], "the ending must be"),
        (["score", EXAMPLES / "chats.jsonl", "-m", "bleu", "--format", "x"], "no format"),
        (["score", EXAMPLES / "chats.jsonl", "-m", "bleu", "--columns", "x"], "is written as"),
        (["score", EXAMPLES / "chats.jsonl", "-m", "bleu", "--on-error", "x"], "x"),
        (["meta", "--on", "absent", "-m", "bleu"], "no corpus or file"),
        (["meta", "--on", EXAMPLES / "chats.jsonl", "-m", "bleu"], "nothing is rated"),
        (["meta", "--on", EXAMPLES / "rated.jsonl", "-m", "bleu", "--aspect", "x"], "invented"),
        (["meta", "--on", EXAMPLES / "rated.jsonl", "-m", "bleu", "--seed", "-1"], "negative"),
        (["meta", "--on", EXAMPLES / "rated.jsonl", "-m", "bleu", "--plot", "x.gif"], ".svg"),
        (["compare", "one.jsonl"], "two files"),
        (["compare", "one.jsonl", "two.jsonl"], "cannot be read"),
        (["compare", EXAMPLES / "chats.jsonl", EXAMPLES / "chats.jsonl"], "no table of scores"),
        (["corpora", "show", "fedd"], "no corpus"),
    ],
)
def test_mistakes_are_one_line(
    args: list[str | Path], problem: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    run(*args, fails=True)
    seen = capfdbinary.readouterr()
    assert problem in seen.err.decode()
    assert b"Traceback" not in seen.err
    assert seen.out == b""


def test_skipped_records_are_told_and_kept(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    good = (EXAMPLES / "chats.jsonl").read_text()
    (tmp_path / "c.jsonl").write_text("bad\n" + good)
    out = tmp_path / "s.jsonl"
    run("score", tmp_path / "c.jsonl", "-m", "turn-count", "-o", out, "--on-error", "skip")
    assert "1 bad records skipped" in capfdbinary.readouterr().err.decode()
    assert len(dg.Scores.read(out)) == 6
    assert json.loads((tmp_path / "s.rejects.jsonl").read_text())["record"] == "bad"


def test_standard_input_and_a_user_module(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from dialogauge.metrics import by_dialogue\n"
        "Loud = lambda: by_dialogue('loud', lambda chat: chat.response.count('!'))\n"
    )
    text = "A: hi\nB: hello!!\n"
    done = spawn("score", "-", "-m", "mine:Loud", "--json", input=text, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[1])["scores"]["loud"]["value"] == 2


def test_standard_output_that_fails() -> None:
    command = [sys.executable, "-m", "dialogauge", "score", str(EXAMPLES), "-m", "turn-count"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "No space left" in done.stderr
    head = subprocess.run(
        " ".join(command) + " | head -n 1", shell=True, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in head.stderr


def test_interrupted(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        "import os, signal\n"
        "from dialogauge.metrics import by_dialogue\n"
        # as at a terminal: whoever is started in the background inherits that it is ignored
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def stop(chat):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    return 1\n"
        "Slow = lambda: by_dialogue('slow', stop)\n"
    )
    done = spawn("score", EXAMPLES, "-m", "slow:Slow", "-o", tmp_path / "o.jsonl", cwd=tmp_path)
    assert done.returncode == 130
    assert "goes on from" in done.stderr
    assert "Traceback" not in done.stderr
