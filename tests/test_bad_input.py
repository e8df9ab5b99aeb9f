"""Hostile and broken input: one clear error, nothing else lost, never a partial result as whole."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard

import dialogauge as dg
from dialogauge.errors import InputError, RecordError
from dialogauge.formats import streams

GOOD = '{"id":"%s","turns":[{"speaker":"A","text":"hi"}]}\n'


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_stop_names_the_line_and_what_came_before_is_not_lost(tmp_path: Path) -> None:
    path = write(tmp_path, "a.jsonl", GOOD % 1 + GOOD % 2 + '{"id": "3", "tur\n' + GOOD % 4)
    stream = iter(dg.read(path))
    assert [next(stream).id, next(stream).id] == ["1", "2"]
    with pytest.raises(RecordError, match=r"a\.jsonl:3: this is not JSON"):
        next(stream)


def test_skip_counts_and_keeps_the_rejects(tmp_path: Path) -> None:
    bad = ['{"id": "3", "tur', '{"id": "1", "turns": [{"speaker": "A", "text": "again"}]}', "7"]
    lines = [GOOD % 1, bad[0] + "\n", GOOD % 2, bad[1] + "\n", bad[2] + "\n", GOOD % 5]
    path = write(tmp_path, "a.jsonl", "".join(lines))
    rejects = tmp_path / "rejects.jsonl"
    dialogues = dg.read(path, on_error="skip", rejects=rejects)
    assert [each.id for each in dialogues] == ["1", "2", "5"]
    assert dialogues.counts.skipped == 3
    written = [json.loads(line) for line in rejects.read_text().splitlines()]
    assert [(each["line"], each["record"]) for each in written] == [
        (2, bad[0]),
        (4, bad[1]),
        (5, "7"),
    ]
    assert "used before" in written[1]["error"]


def test_a_bad_element_of_an_array_costs_only_itself(tmp_path: Path) -> None:
    good = {"conversations": [{"from": "human", "value": "a ] } tricky \\" + '"'}]}
    path = write(tmp_path, "s.json", json.dumps([good, {"conversations": 5}, "x", good], indent=1))
    dialogues = dg.read(path, on_error="skip")
    assert len(list(dialogues)) == 2
    assert dialogues.counts.skipped == 2


def test_a_bad_row_costs_only_its_dialogue(tmp_path: Path) -> None:
    rows = 'dialogue_id,speaker,text\n1,A,hi\n2,A,hi\n2,B,"ho" no\n3,A,hi\n4,A\n5,A,hi\n'
    dialogues = dg.read(write(tmp_path, "c.csv", rows), on_error="skip")
    assert [each.id for each in dialogues] == ["1", "3", "5"]
    assert dialogues.counts.skipped == 2


def test_an_open_quote_does_not_swallow_the_file_silently(tmp_path: Path) -> None:
    rows = 'dialogue_id,speaker,text\n1,A,hi\n2,A,"never closed\n3,A,hi\n'
    with pytest.raises(RecordError, match=r"c\.csv:3: the row cannot be read"):
        list(dg.read(write(tmp_path, "c.csv", rows)))


def test_rows_of_one_dialogue_apart(tmp_path: Path) -> None:
    rows = "dialogue_id,speaker,text\n1,A,hi\n2,A,hi\n1,B,ho\n"
    with pytest.raises(RecordError, match="must stand together"):
        list(dg.read(write(tmp_path, "c.csv", rows)))


def test_a_cut_array_is_not_whole(tmp_path: Path) -> None:
    array = json.dumps([{"id": "1", "turns": [{"speaker": "A", "text": "hi"}]}])
    for cut in (array[:-1], array[:-1] + ",", array[:-3]):
        with pytest.raises(RecordError, match="the file is cut"):
            list(dg.read(write(tmp_path, "a.json", cut)))


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_cut_compressed_files_are_not_whole(pack: "type[bytes]", tmp_path: Path) -> None:
    packed = pack("".join(GOOD % at for at in range(2000)).encode())
    for cut in (packed[: len(packed) // 2], packed[:-1]):
        with pytest.raises(InputError, match="damaged"):
            list(dg.read(write(tmp_path, "a.jsonl.x", cut)))
    damaged = packed[:200] + bytes([packed[200] ^ 0xFF]) + packed[201:]
    with pytest.raises(InputError):
        list(dg.read(write(tmp_path, "a.jsonl.x", damaged)))


def test_several_gzip_members_and_zstd_frames_are_one_file(tmp_path: Path) -> None:
    for pack in (gzip.compress, zstandard.compress):
        path = write(tmp_path, "a.jsonl.x", b"".join(pack((GOOD % at).encode()) for at in (1, 2)))
        assert len(list(dg.read(path))) == 2


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_bombs(pack: "type[bytes]", tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "BOMB_BYTES", 2**20)
    bomb = pack((GOOD % 1).encode() + b"\n" * 2**26)
    with pytest.raises(InputError, match="bomb"):
        list(dg.read(write(tmp_path, "a.jsonl.x", bomb)))


def test_a_record_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "RECORD_LIMIT", 2**16)
    long = "x" * 2**17
    contents = {
        "a.jsonl": '{"id":"1","turns":[{"speaker":"A","text":"' + long + '"}]}',
        "a.json": '[{"id":"1","turns":[{"speaker":"A","text":"' + long + '"}]}]',
        "a.csv": "dialogue_id,speaker,text\n1,A," + long,
        "b.csv": "speaker,text\n" + "A,hi\n" * 2**14,
        "a.txt": "A: " + long,
        "b.txt": "A: hi\n" * 2**14,
        "p.txt": "text:hi\tlabels:ho\n" * 2**13,
    }
    for name, content in contents.items():
        with pytest.raises(InputError, match="larger than"):
            list(dg.read(write(tmp_path, name, content)))


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv", "a.txt", "u.txt"])
def test_ten_megabytes_in_one_line(name: str, tmp_path: Path) -> None:
    long = "word " * 2_000_000
    content = {
        "a.jsonl": json.dumps({"id": "1", "turns": [{"speaker": "A", "text": long}]}),
        "a.json": json.dumps([{"id": "1", "turns": [{"speaker": "A", "text": long}]}]),
        "a.csv": "dialogue_id,speaker,text\n1,A," + long,
        "a.txt": "A: " + long,
        "u.txt": "hi</UTT>" + long,
    }[name]
    (dialogue,) = dg.read(write(tmp_path, name, content))
    assert len(dialogue.response) >= 9_999_999


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.txt", "u.txt"])
def test_a_hundred_thousand_turns(name: str, tmp_path: Path) -> None:
    count = 100_000
    content = {
        "a.jsonl": json.dumps({"id": "1", "turns": [{"speaker": "A", "text": "x"}] * count}),
        "a.csv": "dialogue_id,speaker,text\n" + "1,A,x\n" * count,
        "a.txt": "A: x\n" * count,
        "u.txt": "</UTT>".join(["x"] * count),
    }[name]
    (dialogue,) = dg.read(write(tmp_path, name, content))
    assert len(dialogue.turns) == count


@pytest.mark.parametrize(
    "content", [b"", b"\n\n  \n", b"\xef\xbb\xbf", b"[]", b"{}", b"dialogue_id,speaker,text\n"]
)
@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv", "a"])
def test_empty_files(name: str, content: bytes, tmp_path: Path) -> None:
    path = write(tmp_path, name, content)
    with pytest.raises(InputError, match="a"):
        list(dg.read(path))


def test_places_that_are_no_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no transcript"):
        dg.read(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        dg.read(tmp_path / "absent.jsonl")
    with pytest.raises(InputError, match="no such file"):
        dg.read(f"{tmp_path}/*.jsonl")
    with pytest.raises(InputError, match="no file was given"):
        dg.read([])
    with pytest.raises(InputError):
        dg.read("nul\0byte")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path: Path) -> None:
    path = write(tmp_path, "a.jsonl", GOOD % 1)
    path.chmod(0)
    with pytest.raises(InputError, match="Permission denied"):
        list(dg.read(path))


def test_no_permission_as_another_user(tmp_path: Path) -> None:
    """The same as root, who has to become somebody else to be refused."""
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    path = write(tmp_path, "a.jsonl", GOOD % 1)
    path.chmod(0)
    code = f"import os, dialogauge as dg\nlist(dg.read({str(path)!r}))"
    script = f"import os\nimport dialogauge.formats.reading\nos.setuid(65534)\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert "InputError" in done.stderr
    assert "ermission" in done.stderr


def test_a_damaged_file_of_many_is_skipped(tmp_path: Path) -> None:
    write(tmp_path, "a.jsonl", GOOD % 1)
    write(tmp_path, "b.jsonl.gz", gzip.compress((GOOD % 2).encode())[:-9])
    write(tmp_path, "c.jsonl", "")
    write(tmp_path, "d.jsonl", GOOD % 4)
    dialogues = dg.read(tmp_path, on_error="skip")
    found = [each.id for each in dialogues]
    assert found[0] == "1"
    assert found[-1] == "4"
    assert dialogues.counts.skipped == 2


def test_fingerprints_that_collide_are_looked_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dialogauge.ids import Fingerprints

    monkeypatch.setattr("dialogauge.formats.reading.Fingerprints", lambda: Fingerprints(bits=5))
    path = write(tmp_path, "a.jsonl", "".join(GOOD % at for at in range(60)))
    assert len(list(dg.read(path))) == 60
    path = write(tmp_path, "a.jsonl", "".join(GOOD % at for at in [*range(60), 7]))
    with pytest.raises(RecordError, match=r"a\.jsonl:61: id: the id '7' was used before"):
        list(dg.read(path))


def test_standard_input_can_be_iterated_twice() -> None:
    script = "import dialogauge as dg; d = dg.read('-'); print(len(list(d)), len(list(d)))"
    lines = "".join(GOOD % at for at in range(5000))
    done = subprocess.run(
        [sys.executable, "-c", script], input=lines, capture_output=True, text=True, check=True
    )
    assert done.stdout == "5000 5000\n"


def test_a_consumer_that_stops_early_leaves_no_reject_file(tmp_path: Path) -> None:
    path = write(tmp_path, "a.jsonl", GOOD % 1 + "bad\n" + GOOD % 2)
    stream = iter(dg.read(path, on_error="skip", rejects=tmp_path / "r.jsonl"))
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.jsonl"]
