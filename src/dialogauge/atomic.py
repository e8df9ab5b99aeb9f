"""Files that are either whole or not there: written beside their place, then renamed into it."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import msgspec

from .errors import OutputError


@contextmanager
def writing(path: Path) -> Iterator[IO[bytes]]:
    """A binary file that appears at ``path`` when the block ends well, and not otherwise.

    What is there and no file, a device or a pipe, is written to and never replaced by one.
    """
    if path.exists() and not path.is_file():
        with reporting(path), path.open("wb") as file:
            yield file
        return
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    with reporting(path):
        try:
            with partial.open("wb") as file:
                yield file
                sync(file)
            partial.replace(path)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise


def write_json(path: Path, value: Any, indent: int = 2) -> None:
    """A JSON file for people and programs, whole or not at all."""
    with writing(path) as file:
        file.write(msgspec.json.format(msgspec.json.encode(value), indent=indent) + b"\n")


def sync(file: IO[bytes]) -> None:
    """Everything written so far survives a power cut."""
    file.flush()
    os.fsync(file.fileno())


@contextmanager
def reporting(path: Path) -> Iterator[None]:
    """An operating system's refusal (full disk, no permission) as one :class:`OutputError`."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from None


def lock(file: IO[bytes], path: Path) -> None:
    """One writer at a time: a second one gets an error (on Windows there is no such check)."""
    if sys.platform != "win32":
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OutputError(f"{path} is being written by another run") from None
