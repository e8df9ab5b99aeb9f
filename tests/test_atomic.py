"""What is written is whole or not there, and what is no file stays what it is."""

import os
import stat
import threading
from pathlib import Path

import pytest

from dialogauge.atomic import writing
from dialogauge.errors import OutputError


def test_a_block_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"before")

    def half() -> None:
        with writing(path) as file:
            file.write(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        half()
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    path, read = tmp_path / "pipe", list[bytes]()
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()))
    reader.start()
    with writing(path) as file:
        file.write(b"all of it")
    reader.join()
    assert read == [b"all of it"]
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="there is no full device here")
def test_a_full_disk_is_one_error() -> None:
    refused = pytest.raises(OutputError, match="/dev/full: cannot be written: No space left")
    with refused, writing(Path("/dev/full")) as file:
        file.write(b"x" * 100_000)
    assert Path("/dev/full").is_char_device()
    with writing(Path("/dev/null")) as file:
        file.write(b"x")
    assert Path("/dev/null").is_char_device()


def test_a_folder_is_one_error(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written"), writing(tmp_path) as file:
        file.write(b"x")
