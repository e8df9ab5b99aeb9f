"""What a user names to be read: a corpus, or a transcript."""

from pathlib import Path

import pytest

from dialogauge import corpora
from dialogauge.corpora import inputs
from dialogauge.dialogue import Dialogue, Turn
from dialogauge.errors import InputError, UnknownNameError
from dialogauge.formats import write

CHATS = tuple(Dialogue(f"d{at}", (Turn("a", "Hi."), Turn("b", "Hello."))) for at in range(3))


@pytest.fixture
def _corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "load", lambda name: CHATS if name == "personachat" else ())


@pytest.mark.usefixtures("_corpus")
def test_a_corpus_is_counted_dialogue_by_dialogue() -> None:
    given = inputs.dialogues(["personachat"])
    assert given.size == 3
    for _ in range(2):  # it can be read again
        assert [(dialogue, given.tell()) for dialogue in given] == list(
            zip(CHATS, (1, 2, 3), strict=True)
        )


@pytest.mark.usefixtures("_corpus")
def test_the_name_of_a_corpus_wins_over_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(CHATS[:1], "personachat")
    assert len(list(inputs.dialogues(["personachat"]))) == 3
    assert list(inputs.dialogues(["./personachat"])) == list(CHATS[:1])


def test_a_transcript_is_counted_in_bytes(tmp_path: Path) -> None:
    path = tmp_path / "chats.jsonl"
    write(CHATS, path)
    given = inputs.dialogues([str(path)])
    assert list(given) == list(CHATS)
    assert given.size == given.tell() == path.stat().st_size


def test_what_is_neither(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"no corpus or file is called .*'personachat'"):
        inputs.dialogues(["persona-chat"])
    with pytest.raises(InputError, match="no such file"):
        inputs.dialogues([str(tmp_path / "absent.jsonl")])
    with pytest.raises(InputError, match="cannot be mixed"):
        inputs.dialogues([corpora.names()[0], "chats.jsonl"])
