"""Vectors on disk: between processes, under two writers, after a kill, and damaged."""

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest

from dialogauge.encode import Encoder
from dialogauge.encode.cache import Disk, key
from dialogauge.errors import OutputError
from dialogauge.models import decode, seal, shipped

WIDTH = 8

#: Writes a hundred batches of vectors whose numbers follow from their keys.
WRITER = """
import sys
from pathlib import Path
import numpy as np
from dialogauge.encode.cache import Disk, key
disk = Disk(Path(sys.argv[1]), "e", 8)
start, count = int(sys.argv[2]), int(sys.argv[3])
for batch in range(start, start + count):
    numbers = range(batch * 50, batch * 50 + 50)
    disk.put({key(str(n)): np.full(8, n, dtype=np.float32) for n in numbers})
    print(batch, flush=True)
"""


def writer(folder: Path, start: int, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(folder), str(start), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def stored(folder: Path, count: int) -> dict[int, float]:
    """The numbers that are there, each checked to be whole."""
    names = {key(str(number)): number for number in range(count)}
    found = Disk(folder, "e", WIDTH).get(names)
    for each, vector in found.items():
        assert vector.tolist() == [float(names[each])] * WIDTH
    return {names[each]: float(vector[0]) for each, vector in found.items()}


def test_a_second_process_reads_what_the_first_wrote(tmp_path: Path) -> None:
    script = (
        "import sys; from dialogauge.encode import Encoder\n"
        "one = Encoder.load(threads=1, cache=sys.argv[1])\n"
        "print(one.vectors(['to be kept', '', 'also kept'])[0].tobytes().hex(), one.counts.encoded)"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", script, str(tmp_path)],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for _ in range(2)
    ]
    assert runs[0][0] == runs[1][0]
    assert [run[1] for run in runs] == ["3", "0"]


def test_two_writers_at_once(tmp_path: Path) -> None:
    writers = [writer(tmp_path, 0, 60), writer(tmp_path, 30, 60)]  # half of it the same
    assert [each.communicate() and each.returncode for each in writers] == [0, 0]
    assert len(stored(tmp_path, 4500)) == 4500


def test_a_kill_leaves_whole_batches_and_a_cache_that_works(tmp_path: Path) -> None:
    victim = writer(tmp_path, 0, 100_000)
    assert victim.stdout
    for line in victim.stdout:
        if int(line) == 20:
            break
    os.kill(victim.pid, signal.SIGKILL)
    victim.communicate()
    found = stored(tmp_path, 10**5)
    assert len(found) >= 21 * 50
    assert len(found) % 50 == 0
    again = writer(tmp_path, 0, 40)
    again.communicate()
    assert again.returncode == 0
    assert len(stored(tmp_path, 10**5)) >= 40 * 50


@pytest.mark.parametrize("content", [b"not a database at all " * 100, b"SQLite format 3\0" * 200])
def test_a_damaged_file_is_one_clear_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "vectors.sqlite").write_bytes(content)
    with pytest.raises(OutputError, match=r"vectors.sqlite: the cache cannot be used \(.*remove"):
        Encoder.load(threads=1, cache=tmp_path)


def test_damage_in_the_middle(tmp_path: Path) -> None:
    assert writer(tmp_path, 0, 40).communicate()
    path = tmp_path / "vectors.sqlite"
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 4096 * 4] = os.urandom(4096 * 4)
    path.write_bytes(data)
    with pytest.raises(OutputError, match="the cache cannot be used"):
        stored(tmp_path, 2000)


def test_one_wrong_bit_is_found(tmp_path: Path) -> None:
    Disk(tmp_path, "e", WIDTH).put({key("1"): np.ones(WIDTH, dtype=np.float32)})
    with sqlite3.connect(tmp_path / "vectors.sqlite") as base:
        (vector,) = base.execute("SELECT vector FROM vectors").fetchone()
        base.execute("UPDATE vectors SET vector = ?", [bytes([vector[0] ^ 1]) + vector[1:]])
    base.close()
    with pytest.raises(OutputError, match="a vector is damaged"):
        stored(tmp_path, 2)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="the cache cannot be used"):
        Disk(tmp_path / "file" / "cache", "e", WIDTH)


def test_empty_texts_are_remembered_as_such(tmp_path: Path) -> None:
    one = Encoder.load(threads=1, cache=tmp_path)
    assert np.isnan(one.vectors([""])).all()
    other = Encoder.load(threads=1, cache=tmp_path)
    assert np.isnan(other.vectors([""])).all()
    assert (other.counts.encoded, other.counts.empty) == (0, 1)


def test_another_encoder_has_other_vectors(tmp_path: Path) -> None:
    one = Encoder.load(threads=1, cache=tmp_path / "cache")
    one.vectors(["the same text"])
    folder = tmp_path / "other"
    folder.mkdir()
    for path in shipped()["dialogue-minilm"].iterdir():
        if path.suffix in {".onnx", ".md"} or path.name == "tokenizer.json":
            (folder / path.name).write_bytes(path.read_bytes())
    config = decode(shipped()["dialogue-minilm"] / "config.json", dict[str, object])
    (folder / "config.json").write_bytes(msgspec.json.encode({**config, "max_tokens": 16}))
    seal(folder)
    other = Encoder.load(folder, threads=1, cache=tmp_path / "cache")
    assert other.hash != one.hash
    other.vectors(["the same text"])
    assert other.counts.encoded == 1
