"""The command line in this process, in another one, and on a terminal."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dialogauge import cli

EXAMPLES = Path(__file__).parents[2] / "examples"
HOSTILE = "\x1b[2J\x1b]0;owned\x07 [bold]<script>\u202e\x00 {0} %s"


def run(capfd: pytest.CaptureFixture[str], *args: str | Path, code: int = 0) -> tuple[str, str]:
    """Run a command here, ``main`` always ends in SystemExit; standard output and error."""
    before, sys.argv = sys.argv, ["dialogauge", *map(str, args)]
    try:
        with pytest.raises(SystemExit) as caught:
            cli.main()
    finally:
        sys.argv = before
    assert caught.value.code == code
    return capfd.readouterr()


def lines(text: str) -> list[Any]:
    """What was printed as JSON."""
    return [json.loads(line) for line in text.splitlines()]


def spawn(*args: str | Path, **options: Any) -> "subprocess.CompletedProcess[str]":
    """Run a command in a process of its own."""
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
