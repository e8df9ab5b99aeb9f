"""``dialogauge amr`` as a person, a pipe and an attacker meet it."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from dialogauge import amr, models
from dialogauge.amr import Graph, decode, questions
from dialogauge.amr.loading import Remembering

from ..amr.test_graph import TELL
from .running import lines, run

QUESTION = "Why did you not tell me that she hates Oscar?"


class Saying:
    """A parser that finds every text to be the same, and empty ones to be nothing."""

    signature = "saying"

    def parse(self, texts: Sequence[str]) -> list[Graph | None]:
        return [decode(TELL) if text.strip() else None for text in texts]


@pytest.fixture
def _saying(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(amr, "load_parser", lambda _: Remembering(Saying()))


@pytest.mark.usefixtures("_saying")
def test_a_text_is_printed_as_penman(capfd: pytest.CaptureFixture[str]) -> None:
    out, err = run(capfd, "amr", QUESTION)
    assert questions.frames(decode(out)) == ["t", "h", "c"]
    assert not err
    out, _ = run(capfd, "amr", QUESTION, " ", "--json")
    first, second = lines(out)
    assert decode(first["amr"]).concepts == first["graph"]["concepts"]
    assert first["graph"]["aligned"]["h"] == [8]
    assert second == {"text": " ", "amr": None, "graph": None}
    out, _ = run(capfd, "amr", "one", "half a letter: \udcff")
    assert [decode(block).top for block in out.split("\n\n")] == ["t", "t"]
    out, _ = run(capfd, "amr", "half a letter: \udcff", "--json")
    assert lines(out)[0]["text"] == "half a letter: \ufffd"


@pytest.mark.usefixtures("_saying")
def test_a_picture(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run(capfd, "amr", QUESTION, "--draw", tmp_path / "g.svg")
    assert "hate-01" in (tmp_path / "g.svg").read_text()
    for args in (["one", "two"], [str(tmp_path / "g.svg")]):
        _, err = run(capfd, "amr", *args, "--draw", tmp_path / "h.svg", code=2)
        assert "one text" in err
    _, err = run(capfd, "amr", "one", "--draw", tmp_path / "missing" / "h.svg", code=2)
    assert "cannot be written" in err


@pytest.mark.usefixtures("_saying")
def test_a_transcript_gives_a_line_per_turn(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "chat.jsonl"
    chats = [
        {"id": f"c{n}", "turns": [{"speaker": who, "text": text} for who, text in pairs]}
        for n, pairs in enumerate([[("A", "Hi"), ("B", "")], [("A", "Bye\x1b")]])
    ]
    path.write_text("".join(json.dumps(chat) + "\n" for chat in chats))
    out, err = run(capfd, "amr", path)
    rows = lines(out)
    assert [(row["dialogue"], row["turn"], row["text"]) for row in rows] == [
        ("c0", 0, "Hi"),
        ("c0", 1, ""),
        ("c1", 0, "Bye\x1b"),
    ]
    assert [row["amr"] is None for row in rows] == [False, True, False]
    assert "texts without a graph: 1" in err
    assert "\x1b" not in out
    _, err = run(capfd, "amr", path, "--quiet")
    assert not err


def test_a_graph_of_ones_own(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    path.write_text(TELL)
    out, _ = run(capfd, "amr", "--penman", path, "--draw", tmp_path / "g.svg")
    assert out.startswith("(t / tell-01\n")
    assert (tmp_path / "g.svg").exists()
    path.write_text("(t / tell-01\n   :ARG0 (y / you)\n")
    _, err = run(capfd, "amr", "--penman", path, code=2)
    shown, caret, problem = err.splitlines()
    assert shown.endswith(":ARG0 (y / you)")
    assert caret == " " * len(shown) + "^"
    assert problem == f'dialogauge: {path}:2: expected a role or ")", found the end'
    path.write_text("(" * 100_000)
    _, err = run(capfd, "amr", "--penman", path, code=2)
    assert "expected a name" in err
    path.write_bytes(b"\xff\xfe")
    for given in (path, tmp_path / "missing"):
        _, err = run(capfd, "amr", "--penman", given, code=2)
        assert "cannot be read" in err


def test_what_is_refused(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    _, err = run(capfd, "amr", code=2)
    assert "is needed" in err
    _, err = run(capfd, "amr", "text", "--penman", "file", code=2)
    assert "is needed" in err
    _, err = run(capfd, "amr", "text", "--parser", "buildin", code=2)
    assert "did you mean 'builtin'" in err
    _, err = run(capfd, "amr", "text", "--parser", tmp_path, code=2)
    assert "no parser or folder of one" in err


@pytest.mark.skipif("amr" not in models.shipped(), reason="the built-in parser is not packed yet")
def test_the_question_of_the_manual(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out, _ = run(capfd, "amr", QUESTION, "--draw", tmp_path / "g.svg")
    graph = decode(out)
    by_concept = {concept: variable for variable, concept in graph.concepts.items()}
    tell, hate = by_concept["tell-01"], by_concept["hate-01"]
    ends = {
        (edge.source, edge.role): graph.concepts.get(edge.target, edge.target)
        for edge in graph.edges
    }
    assert questions.negated(graph) == [tell]
    assert "amr-unknown" in by_concept
    assert ends[tell, ":ARG0"] == "you"
    assert ends[tell, ":ARG1"] == "hate-01"
    assert ends[tell, ":ARG2"] == "i"
    assert ends[hate, ":ARG0"] == "she"
    assert "Oscar" in questions.names(graph).values()
    assert "amr-unknown" in (tmp_path / "g.svg").read_text()


CHATS = """\
{"id": "one", "turns": [{"speaker": "Ann", "text": "I love coffee."}]}
{"id": "two", "turns": [{"speaker": "Ann", "text": "I do."}, {"speaker": "Bob", "text": "Why?"}]}
"""


def test_cognition_graphs(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out, _ = run(capfd, "amr", "--graph", "dcg", "I love coffee.", "You love it?", "--json")
    (row,) = lines(out)
    assert row["dialogue"] == "texts"
    people = [node for node in row["cognition"]["nodes"] if node["kind"] == "speaker"]
    assert [node["label"] for node in people] == ["A"]
    chats = tmp_path / "chats.jsonl"
    chats.write_text(CHATS)
    out, _ = run(capfd, "amr", "--graph", "dcg", chats)
    assert [row["dialogue"] for row in lines(out)] == ["one", "two"]
    picture = tmp_path / "g.svg"
    run(capfd, "amr", "--graph", "dcg", chats, "--dialogue", "one", "--draw", picture)
    assert "Ann: I love coffee." in picture.read_text()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (["--draw", "none.svg"], "one conversation"),
        (["--dialogue", "three"], "no conversation 'three'"),
        (["--parser", "folder"], "built-in parser"),
    ],
)
def test_cognition_graphs_that_cannot_be(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, wrong: list[str], said: str
) -> None:
    chats = tmp_path / "chats.jsonl"
    chats.write_text(CHATS)
    out, err = run(capfd, "amr", "--graph", "dcg", chats, *wrong, code=2)
    assert said in err
    assert not out
    assert not Path("none.svg").exists()
    _, err = run(capfd, "amr", chats, "--dialogue", "one", code=2)
    assert "--graph dcg" in err
