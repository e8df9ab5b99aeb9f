"""``dialogauge concepts`` as a person, a pipe and an attacker meet it."""

from pathlib import Path
from typing import Any

import pytest

from .running import lines, run

HOSTILE = "\x1b[2Jdog\u202e"


def concepts(
    capfd: pytest.CaptureFixture[str], *args: str | Path, code: int = 0
) -> tuple[str, list[Any]]:
    """Standard error, and the lines of standard output as JSON (the text itself with --table)."""
    out, err = run(capfd, "concepts", *args, code=code)
    return err, [out] if "--table" in args else lines(out)


def test_words_in_a_pipe(capfd: pytest.CaptureFixture[str]) -> None:
    _, (dog, unknown) = concepts(capfd, "Dogs", "lightsaber", "--limit", "5")
    assert dog["word"] == "Dogs"
    assert "dog" in dog["concepts"]
    assert dog["vector"] == "lemma"
    assert len(dog["neighbours"]) == len(dog["nearest"]) == 5
    assert "dog" not in [near["concept"] for near in dog["nearest"]]
    assert all(edge["weight"] > 0 for edge in dog["neighbours"])
    assert all(edge["weight"] < 0 for edge in dog["denied"])
    assert (unknown["concepts"], unknown["neighbours"], unknown["vector"]) == ([], [], "encoder")


def test_antonyms_and_one_relation(capfd: pytest.CaptureFixture[str]) -> None:
    _, (up,) = concepts(capfd, "up", "--relation", "Antonym")
    assert "down" in up["antonyms"]
    assert {edge["relation"] for edge in up["neighbours"]} == {"Antonym"}
    err, _ = concepts(capfd, "up", "-r", "Antonyms", code=2)
    assert "did you mean 'Antonym'" in err


def test_a_table(capfd: pytest.CaptureFixture[str]) -> None:
    _, (shown,) = concepts(capfd, "dog", HOSTILE, "--table")
    assert "bark" in shown
    assert "not in the store" in shown
    assert not set(shown) & set("\x1b\u202e\x00")


def test_building_a_store_and_using_it(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.tsv").write_text("IsA\tdog\tpet\t1\nbroken\x1b\n")
    (tmp_path / "b.txt").write_text("hot|||/r/Antonym|||cold\n")
    to = tmp_path / "my.arrays"
    args: list[str | Path] = [
        "--build",
        tmp_path / "a.tsv",
        "--build",
        tmp_path / "b.txt",
        "--out",
        to,
    ]
    err, (made,) = concepts(capfd, *args)
    assert "1 malformed lines skipped" in err
    assert "a.tsv:2" in err
    assert (made["concepts"], made["edges"], made["malformed"]) == (4, 2, 1)
    _, (shown,) = concepts(capfd, *args, "--table")
    assert "concepts" in shown
    (tmp_path / "n.txt").write_text("dog 1 0\npet 0.9 0.1\nbad\n")
    err, (dog,) = concepts(capfd, "dog", "--store", to, "--vectors", tmp_path / "n.txt")
    assert "n.txt:3" in err
    assert [edge["end"] for edge in dog["neighbours"]] == ["pet"]
    assert [near["concept"] for near in dog["nearest"]] == ["pet"]
    _, (none,) = concepts(capfd, "zzz", "--store", to, "--vectors", tmp_path / "n.txt")
    assert (none["nearest"], none["vector"]) == ([], "missing")
    to.write_bytes(to.read_bytes()[:100])
    err, _ = concepts(capfd, "dog", "--store", to, code=2)
    assert "cut short or changed" in err
    assert len(err.splitlines()) == 1


def test_mistakes_are_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    cases: tuple[tuple[list[str | Path], str], ...] = (
        ([], "no word was given"),
        (["--build", tmp_path / "absent"], "--out FILE"),
        (["--build", tmp_path / "absent", "--out", tmp_path / "x"], "no such file"),
        (["dog", "--store", tmp_path / "absent"], "cannot be read"),
        (["dog", "--vectors", tmp_path / "absent"], "cannot be read"),
    )
    for args, problem in cases:
        err, _ = concepts(capfd, *args, code=2)
        assert problem in err
        assert len(err.splitlines()) == 1


def test_an_empty_word(capfd: pytest.CaptureFixture[str]) -> None:
    _, (nothing,) = concepts(capfd, "")
    assert nothing["vector"] == "missing"
    assert nothing["neighbours"] == nothing["nearest"] == []
