"""The command line as a person, a pipe and an attacker meet it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import dialogauge as dg

from .running import EXAMPLES, HOSTILE, lines, on_a_terminal, run, spawn


def test_nothing_is_printed_when_nothing_can_be_read(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.jsonl").write_text("bad\n")
    out, _ = run(capfd, "score", tmp_path / "bad.jsonl", "-m", "turn-count", code=2)
    assert out == ""


def test_json_in_a_pipe(capfd: pytest.CaptureFixture[str]) -> None:
    asked = ("-m", "turn-count,words-per-turn", "--quiet")
    out, _ = run(capfd, "score", EXAMPLES / "chats.jsonl", *asked)
    header, *rows = lines(out)
    assert list(header["signatures"]) == ["turn-count", "words-per-turn"]
    assert rows[0]["id"] == "bike-repair"
    assert rows[0]["scores"]["turn-count"]["value"] == 6


@pytest.mark.parametrize("command", [("amr",), ("score", "-m", "turn-count", "--json")])
def test_json_on_a_terminal_cannot_act_on_it(command: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    turns = [{"speaker": "a", "text": "Hi \x9b31m \u202e."}, {"speaker": "b", "text": "Yes."}]
    path.write_text(json.dumps({"id": "d\x9b\u202e", "turns": turns}, ensure_ascii=False))
    seen = on_a_terminal(*command, path)
    assert not {"\x9b", "\u202e"} & {*seen}
    assert r"d\u009b\u202e" in seen


def test_what_is_not_read_is_said(tmp_path: Path) -> None:
    huge = "word " * 20_000
    turns = [{"speaker": "ab"[at % 2], "text": text} for at, text in enumerate(("Hi.", huge, huge))]
    many = [{"speaker": "ab"[at % 2], "text": "Yes."} for at in range(1100)]
    path = tmp_path / "long.jsonl"
    path.write_text("\n".join(json.dumps({"id": f"{len(t)}", "turns": t}) for t in (turns, many)))
    asked = ("score", path, "-m", "cosim,maude,turn-count", "--json")
    done = spawn(*asked, "-o", tmp_path / "out.jsonl")
    unread = json.loads(done.stdout)["unread"]
    assert unread["texts"] == 1  # the same text twice, and for two metrics
    assert 50_000 < unread["characters"] < len(huge)
    assert unread["turns"] == {"cosim": 100, "maude": 100}
    problem = f"did not read {unread['characters']:,} characters of 1 text: beyond its 64 windows"
    assert problem in done.stderr
    assert "to be scored: cosim 100, maude 100" in done.stderr
    assert done.stderr.count("\n") == 2
    assert "windows" not in spawn(*asked, "-q").stderr


def test_what_is_not_compared_is_said(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    turns = [{"speaker": "a", "text": "Hi."}, {"speaker": "b", "text": "Hello."}]
    items = [
        {"id": f"{at}", "level": "turn", "turns": turns, "references": ["word " * 36_000]}
        | {"ratings": {"good": [at, at]}}
        for at in range(4)
    ]
    path = tmp_path / "refs.jsonl"
    path.write_text("\n".join(map(json.dumps, items)))
    problem = "behind the beginnings of texts that are compared: bleu 170,000, chrf 170,000\n"
    assert problem in run(capfd, "score", path, "-m", "bleu,chrf,turn-count")[1]
    out = run(capfd, "score", path, "-m", "bleu", "--json", "-o", tmp_path / "out.jsonl")[0]
    assert json.loads(out)["unread"]["compared"] == {"bleu": 170_000}
    assert problem in run(capfd, "meta", "--on", path, "-m", "bleu,chrf", "--resamples", "1000")[1]


def test_a_table_on_a_terminal() -> None:
    seen = on_a_terminal("score", EXAMPLES / "chats.jsonl", "-m", "turn-count")
    assert "bike-repair" in seen
    assert "95 % interval" in seen
    assert "\x1b[" in seen  # colours
    assert "{" not in seen


JUDGE = """
from dialogauge.scores import Cause, Score

class Judge:
    name, signature, trained = "judge", "judge|v:1", False
    def score(self, dialogues):
        return [
            Score(
                0.5, (0.9, 0.1, *(0.5 for _ in each.turns[2:])), {"fun": 0.25},
                (Cause(1, "form"),), (0.2, 0.71),
            )
            for each in dialogues
        ]
"""


def test_a_table_shows_all_of_a_score_and_a_pipe_holds_it(tmp_path: Path) -> None:
    (tmp_path / "judge.py").write_text(JUDGE)
    command = ("score", EXAMPLES / "talk.txt", "-m", "judge:Judge")
    seen = spawn(*command, "--table", cwd=tmp_path).stdout
    assert "weakest turn" in seen
    assert "2 form" in seen
    assert seen.index("0.20 … 0.71") < seen.index("aspects of judge") < seen.index("0.25")
    assert "judge 0.500 [0.20, 0.71]" in spawn(*command, "--table", "--turns", cwd=tmp_path).stdout
    piped = spawn(*command, cwd=tmp_path).stdout
    assert "aspects of" not in piped
    assert lines(piped)[1]["scores"]["judge"]["interval"] == [0.2, 0.71]


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


def test_out_and_compare(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for name in ("a.jsonl", "b.csv"):
        asked = ("-m", "words-per-turn", "-o", tmp_path / name, "--json")
        out, _ = run(capfd, "score", EXAMPLES / "chats.jsonl", *asked)
        assert [each["dialogues"] for each in lines(out)] == [6]
    few = ("--resamples", "200")
    out, _ = run(capfd, "compare", tmp_path / "a.jsonl", tmp_path / "b.csv", *few)
    (found,) = lines(out)
    assert found["comparisons"][0]["paired_by"] == "id"
    assert found["comparisons"][0]["result"]["difference"]["value"] == 0
    two = ("--systems", "v1,v2", "--table")
    out, _ = run(capfd, "compare", tmp_path / "a.jsonl", *two, *few)
    assert "v1" in out


def test_meta_says_that_the_example_is_invented(capfd: pytest.CaptureFixture[str]) -> None:
    asked = ("-m", "meteor", "--resamples", "200", "--table")
    shown, _ = run(capfd, "meta", "--on", EXAMPLES / "rated.jsonl", *asked)
    assert "invented, for illustration" in shown
    for number in ("human ceiling", "oracle: system name", "best trivial", "given length"):
        assert number in shown


def test_meta_of_several_with_a_plot(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    args = ["meta", "--on", str(EXAMPLES / "rated.jsonl"), "-m", "meteor", "-m", "bleu"]
    out, _ = run(capfd, *args, "--resamples", "200", "--plot", tmp_path / "p.svg")
    (found,) = lines(out)
    assert [each["metric"] for each in found["evaluations"]] == ["meteor", "bleu"]
    assert len(found["comparison"]["pairs"]) == 1
    assert "<svg" in (tmp_path / "p.svg").read_text()
    run(capfd, *args[:-2], "--resamples", "200", "--plot", tmp_path / "p.png")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_a_trained_metric_is_not_judged_on_a_test_set(
    tmp_path: Path,
    data: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
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
    _, err = run(capfd, *args, "fed-dialogue", "--aspect", "Overall", code=2)
    assert "fed-dialogue is a test set and learnt was trained" in err
    run(capfd, *args, "zhao-dailydialog")


@pytest.mark.parametrize(
    ("corpus", "aspect", "problem"),
    [
        ("fed-dialogue", [], "choose with --aspect: Coherent, Error recovery, "),
        ("fed-dialogue", ["--aspect", "Overal"], "did you mean 'Overall'"),
        (
            "convai2-grade",
            ["--aspect", "fun"],
            "called 'fun' (known: coherence)",
        ),
        ("personachat", [], "nobody rated these dialogues"),
        ("convai2-grade", [], "is not here; run: dialogauge corpora get convai2-grade"),
    ],
)
def test_the_aspects_of_a_corpus_are_told_before_it_is_read(
    corpus: str,
    aspect: list[str],
    problem: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    for name in ("DIALOGAUGE_DATA", "DIALOGAUGE_CACHE"):
        monkeypatch.setenv(name, str(tmp_path))  # no corpus is there
    out, err = run(capfd, "meta", "--on", corpus, "-m", "random", *aspect, code=2)
    assert out == ""
    assert problem in err
    assert err.count("\n") == 1


def test_corpora(capfd: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capfd, "corpora", "list")
    names = [each["name"] for each in lines(out)]
    assert {"fed-dialogue", "dstc9", "self-dialogue"} <= set(names)
    out, _ = run(capfd, "corpora", "show", "dstc9")
    assert lines(out)[0]["items"] == 2200
    run(capfd, "corpora", "list", "--table")
    out, _ = run(capfd, "corpora", "show", "dstc9", "--table")
    assert "chatbot11.json" in out


def test_a_metric_without_any_number_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    _, err = run(capfd, "score", EXAMPLES / "chats.jsonl", "-m", "bleu,turn-count", "--table")
    assert "bleu could score none of these" in err
    assert "turn-count" not in err


def test_who_names_no_metric_gets_what_people_would_think(
    capfd: pytest.CaptureFixture[str],
) -> None:
    out, _ = run(capfd, "score", EXAMPLES / "talk.txt")
    head, *rows = lines(out)
    assert list(head["signatures"]) == ["gauge"]
    assert [list(each["scores"]) for each in rows] == [["gauge"], ["gauge"]]
    out, _ = run(capfd, "score", EXAMPLES / "talk.txt", "--table")
    for shown in ("90 %", "weakest turn", "the partner objects", "aspects of gauge"):
        assert shown in " ".join(out.split())


def test_lists_and_help(capfd: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capfd, "score", "--list")
    assert {"bleu", "random"} <= {each["name"] for each in lines(out)}
    out, _ = run(capfd, "score", "--list", "--table")
    assert out.split()[0] == "metric"
    for args in (["--help"], ["meta", "--help"], ["--version"]):
        run(capfd, *args)
    out, _ = run(capfd, "score", "--help")
    assert "--on-error" in out


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        (["score"], "name what to score"),
        (["score", "absent.jsonl", "-m", "bleu"], "no such file"),
        (["meta", "--on", EXAMPLES / "rated.jsonl"], "name a metric"),
        (["score", EXAMPLES / "chats.jsonl", "-m", "blue"], "did you mean 'bleu'"),
        (["score", EXAMPLES / "chats.jsonl", "-m", "no.module:X"], "cannot load"),
        (["score", EXAMPLES / "chats.jsonl", "-m", "bleu", "-o", "x.xls"], "the ending must be"),
        (["score", EXAMPLES / "chats.jsonl", "-m", "bleu", "--format", "x"], "no format"),
        (["score", EXAMPLES / "chats.jsonl", "-m", "bleu", "--columns", "x"], "is written as"),
        (["score", EXAMPLES / "chats.jsonl", "-m", "bleu", "--on-error", "x"], "x"),
        (["meta", "--on", "absent", "-m", "bleu"], "no corpus or file"),
        (["meta", "--on", EXAMPLES / "chats.jsonl", "-m", "bleu"], "nobody rated these dialogues"),
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
    args: list[str | Path], problem: str, capfd: pytest.CaptureFixture[str]
) -> None:
    out, err = run(capfd, *args, code=2)
    assert problem in err
    assert "Traceback" not in err
    assert out == ""


def test_skipped_records_are_told_and_kept(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    good = (EXAMPLES / "chats.jsonl").read_text()
    (tmp_path / "c.jsonl").write_text("bad\n" + good)
    out = tmp_path / "s.jsonl"
    asked = ("-m", "turn-count", "-o", out, "--on-error", "skip")
    _, err = run(capfd, "score", tmp_path / "c.jsonl", *asked)
    assert "1 bad records skipped" in err
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


def test_interrupted_while_it_starts() -> None:
    code = (
        "import sys\n"
        "class Stop:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'typer':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Stop())\n"
        "from dialogauge.__main__ import main\n"
        "main()\n"
    )
    command = [sys.executable, "-c", code, "score"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "dialogauge: interrupted\n")


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
