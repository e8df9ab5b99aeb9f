"""``manipulate`` and ``meta --contrasts`` as a person, a pipe and an attacker meet them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import dialogauge as dg
from dialogauge import contrast
from dialogauge.dialogue import Dialogue, Turn
from dialogauge.manipulate.catalogue import FAMILIES, MANIPULATIONS

from .running import EXAMPLES, HOSTILE, lines, on_a_terminal, run, spawn

CHATS = EXAMPLES / "chats.jsonl"
PLUG_IN = """
from dialogauge.manipulate.edited import rewritten
from dialogauge.manipulate.manipulation import Manipulation

def shout(dialogue, rng, pool):
    '''The last turn, shouted.'''
    return rewritten(dialogue, {len(dialogue.turns) - 1: "HEY!"}, "shout")

SHOUT = Manipulation("shout", shout, "lower", "mine")
"""


def test_edited_dialogues_in_a_pipe(capfd: pytest.CaptureFixture[str]) -> None:
    out, err = run(capfd, "manipulate", CHATS, "--with", "permute,reverse", "--n", "2")
    rows = lines(out)
    originals = {dialogue.id: dialogue for dialogue in dg.read(CHATS)}
    for row in rows:
        id, name, number = row["id"].split("~")
        assert name in ("permute", "reverse")
        assert number in ("1", "2")
        made = dg.Dialogue(row["id"], tuple(Turn(**turn) for turn in row["turns"]))
        assert made.turns != originals[id].turns
        assert "ratings" not in row
    assert len({row["id"] for row in rows}) == len(rows) > 3 * len(originals)
    assert "permute" in err
    assert "asked" in err
    again, _ = run(capfd, "manipulate", CHATS, "--with", "reverse", "--n", "2")
    kept = [line for line in out.splitlines() if "~reverse~" in line]
    assert again.splitlines() == kept  # what else is asked for does not matter
    other, _ = run(capfd, "manipulate", CHATS, "--with", "reverse", "--n", "2", "--seed", "5")
    assert other != again


def test_what_does_not_apply_is_counted(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    dg.write([Dialogue("d", (Turn("a", "Hi."),))], tmp_path / "one.jsonl")
    out, err = run(capfd, "manipulate", tmp_path / "one.jsonl", "--with", "permute,generated")
    assert out == ""
    assert "it has too few turns (1)" in " ".join(err.split())
    _, err = run(capfd, "manipulate", tmp_path / "one.jsonl", "--with", "permute", "--quiet")
    assert err == ""


def test_the_catalogue(capfd: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capfd, "manipulate", "--list", "--json")
    rows = {row["name"]: row for row in lines(out)}
    assert set(MANIPULATIONS) | set(FAMILIES) - {"adem", "all"} == set(rows)
    assert rows["no-punctuation"]["expect"] == "same"
    assert all(row["paper"] and row["about"].endswith(".") for row in rows.values())
    out, _ = run(capfd, "manipulate", "--list", "--table")
    assert "shuffle-speaker" in out


def test_before_and_after_on_a_terminal() -> None:
    seen = on_a_terminal("manipulate", CHATS, "--with", "reverse,drop-turn", "--sample", "2")
    assert "~reverse~1" in seen
    assert "\x1b[1;32m" in seen  # green for what came
    assert "asked" in seen
    assert '{"id"' not in seen


def test_shown_without_colours(capfd: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capfd, "manipulate", CHATS, "--with", "swap-halves", "--show")
    assert "bike-repair~swap-halves~1" in out
    assert "\x1b" not in out
    assert "↕" in out
    assert "→" in out


def test_hostile_text(tmp_path: Path) -> None:
    turns = tuple(Turn(f"{at}{HOSTILE}", f"{HOSTILE} {at} </td> or not") for at in range(4))
    dg.write([Dialogue(HOSTILE, turns)], tmp_path / "x.jsonl")
    ways = "word-order,permute,drop-turn,echo"
    done = spawn("manipulate", "x.jsonl", "-w", ways, "--show", "--html", "x.html", cwd=tmp_path)
    shown, page = done.stdout + done.stderr, (tmp_path / "x.html").read_text()
    assert done.returncode == 0, shown
    assert not set(shown) & set("\x1b\x07\u202e\x00\x9b")
    assert not set(page) & set("\x1b\x07\u202e\x00\x9b")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert page.count("</td>") == page.count("<td>")
    done = spawn("manipulate", "x.jsonl", "-w", HOSTILE.replace("\0", ""), cwd=tmp_path)
    assert done.returncode == 2
    assert "\x1b" not in done.stderr


def test_a_page(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "review.html"
    out, _ = run(capfd, "manipulate", CHATS, "--with", "jumble,reverse", "--html", page)
    assert out == ""
    text = page.read_text()
    assert "<script" not in text
    assert "http" not in text.replace("http-equiv", "")
    assert "prefers-color-scheme" in text
    assert MANIPULATIONS["jumble"].about in text
    assert "<ins>" in text
    assert "<del>" in text
    _, err = run(capfd, "manipulate", CHATS, "--with", "jumble", "--html", page, code=2)
    assert "--force" in err


def test_contrasts_and_discrimination(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    given = ("manipulate", CHATS, "--with", "drop-turn,reverse", "--contrasts", "--n", "3")
    out, err = run(capfd, *given, "--out", path)
    assert out == ""
    assert "contrasts by drop-turn" in err
    pairs = list(contrast.read(path))
    assert {pair.cause for pair in pairs} == {"drop-turn", "reverse"}
    out, _ = run(capfd, "meta", "--contrasts", path, "-m", "turn-count", "--resamples", "200")
    found = json.loads(out)["discrimination"]["turn-count"]
    assert found["causes"]["drop-turn"]["value"] == 1.0
    assert found["causes"]["reverse"]["value"] == 0.5
    assert found["accuracy"]["n"] == len(pairs)
    asked = ("meta", "--contrasts", path, "-m", "turn-count,random", "--resamples", "100")
    out, _ = run(capfd, *asked, "--table")
    assert out.count("How often the better is preferred") == 2
    assert "drop-turn" in out
    _, err = run(capfd, "meta", "-m", "random", code=2)
    assert "one of --on and --contrasts" in err
    _, err = run(capfd, "meta", "--contrasts", CHATS, "-m", "random", code=2)
    assert f"{CHATS}:1: " in err
    assert "missing required field" in err


def test_a_file_is_whole_or_not_there(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    run(capfd, "manipulate", CHATS, "-w", "reverse", "-o", path)
    first = path.read_bytes()
    _, err = run(capfd, "manipulate", CHATS, "-w", "echo", "-o", path, code=2)
    assert "--force" in err
    assert path.read_bytes() == first
    run(capfd, "manipulate", CHATS, "-w", "echo", "-o", path, "--force")
    assert path.read_bytes() != first
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(CHATS.read_bytes() + b"{\n")
    _, err = run(capfd, "manipulate", bad, "-w", "echo", "-o", tmp_path / "o.jsonl", code=2)
    assert f"{bad}:" in err
    assert sorted(it.name for it in tmp_path.iterdir()) == ["bad.jsonl", "out.jsonl"]


def test_what_is_refused(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for args, problem in (
        ([CHATS], "name what to do"),
        (["--with", "permute"], "name what to edit"),
        ([CHATS, "--with", "premute"], "did you mean 'permute'"),
        ([tmp_path / "no.jsonl", "--with", "permute"], "no such file"),
        ([CHATS, "--with", "permute", "--pool", tmp_path / "no.jsonl"], "no such file"),
        ([CHATS, "--with", "no-punctuation", "--contrasts"], "harmless"),
        ([CHATS, "personachat", "--with", "permute"], "cannot be mixed"),
        ([CHATS, "--with", "nowhere:X"], "cannot load module"),
        ([CHATS, "--with", "echo", "--html", tmp_path / "no" / "x.html"], "there is no folder"),
        ([CHATS, "--with", "generated", "--language-model", tmp_path], "cannot be loaded"),
        ([CHATS, "--with", "echo", "--translator", "google"], "THERE,BACK"),
    ):
        out, err = run(capfd, "manipulate", *map(str, args), code=2)
        assert out == ""
        assert problem in err
        assert err.count("\n") == 1


def test_a_pool_of_ones_own(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    said = (Turn("a", "Foreign."), Turn("b", "Foreign too."))
    dg.write([Dialogue(f"p{at}", said) for at in range(3)], tmp_path / "pool.jsonl")
    given = ("manipulate", CHATS, "-w", "insert-turn", "--pool", tmp_path / "pool.jsonl")
    out, _ = run(capfd, *given)
    for row in lines(out):
        assert sum(turn["text"].startswith("Foreign") for turn in row["turns"]) == 1


def test_severity_and_sample(capfd: pytest.CaptureFixture[str]) -> None:
    given = ("manipulate", CHATS, "-w", "reverse", "--severity", "5")
    out, _ = run(capfd, *given, "--sample", "3", "--seed", "2")
    rows = lines(out)
    assert len(rows) == 3
    assert all("~reverse@5~1" in row["id"] for row in rows)
    ids = [dialogue.id for dialogue in dg.read(CHATS)]
    found = [ids.index(row["id"].split("~")[0]) for row in rows]
    assert found == sorted(found)


def test_a_corpus(
    capfd: pytest.CaptureFixture[str], data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIALOGAUGE_DATA", str(data))
    out, _ = run(capfd, "manipulate", "personachat", "-w", "splice", "--sample", "5", "--quiet")
    assert len(lines(out)) == 5


def test_a_plug_in_where_one_stands(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(PLUG_IN)
    done = spawn("manipulate", CHATS, "-w", "mine:SHOUT", "--quiet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert all(row["turns"][-1]["text"] == "HEY!" for row in lines(done.stdout))


def test_standard_input() -> None:
    command = [sys.executable, "-m", "dialogauge", "manipulate", "-", "-w", "splice", "-q"]
    done = subprocess.run(command, input=CHATS.read_bytes(), capture_output=True, check=True)
    assert len(done.stdout.splitlines()) == len(list(dg.read(CHATS)))


def test_without_its_extra_nothing_is_begun(tmp_path: Path) -> None:
    code = (
        "from dialogauge.language import pipeline\n"
        "pipeline.find_spec = lambda _: None\n"
        "from dialogauge.cli import main\n"
        "main()\n"
    )
    command = [sys.executable, "-c", code, "manipulate", str(CHATS), "-w", "deam", "-o", "o"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert 'pip install "dialogauge[language]"' in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_interrupted(tmp_path: Path) -> None:
    stop = PLUG_IN.replace(
        "    return",
        "    import os, signal\n"
        "    signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "    if dialogue.id == 'dinner-plan':\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "    return",
    )
    (tmp_path / "mine.py").write_text(stop)
    done = spawn(
        "manipulate", CHATS, "-w", "mine:SHOUT", "-o", "o.jsonl", "--html", "o.html", cwd=tmp_path
    )
    assert done.returncode == 130, done.stderr
    assert "what was finished is kept" in done.stderr
    assert "Traceback" not in done.stderr
    assert [row["id"] for row in lines((tmp_path / "o.jsonl").read_text())] == [
        "bike-repair~shout~1",
        "lost-parcel~shout~1",
    ]
    assert "lost-parcel" in (tmp_path / "o.html").read_text()
    assert sorted(it.name for it in tmp_path.iterdir() if it.is_file()) == [
        "mine.py",
        "o.html",
        "o.jsonl",
    ]


def test_a_failure_on_the_way_keeps_what_was_finished(tmp_path: Path) -> None:
    failing = PLUG_IN.replace(
        "    return", "    if dialogue.id == 'dinner-plan':\n        1 / 0\n    return"
    )
    (tmp_path / "mine.py").write_text(failing)
    done = spawn("manipulate", CHATS, "-w", "mine:SHOUT", "-o", "o.jsonl", cwd=tmp_path)
    assert done.returncode == 2
    assert "manipulation 'shout' failed: ZeroDivisionError" in done.stderr
    assert "what was finished is kept" in done.stderr
    assert "Traceback" not in done.stderr
    assert [row["id"] for row in lines((tmp_path / "o.jsonl").read_text())] == [
        "bike-repair~shout~1",
        "lost-parcel~shout~1",
    ]
