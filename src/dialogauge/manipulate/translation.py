"""Texts into another language and back, by apertium: other words for the same.

Apertium is a free program: rules and dictionaries, no model, some 100 turns a second there and
back. Its English is rough, and who wants it smoother takes a model (:mod:`..train.marian`). A
word that it does not know comes through as it is, and so does a text on which it breaks.

Texts go to it through a pipe, as paragraphs of one text. Line breaks and control characters become
blanks. A sentence may come out a little different in other company (4 of 1,298 turns did): what was
translated once is remembered.
"""

import os
import re
import shutil
import signal
from collections.abc import Sequence
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired

from ..dialogue import mend
from ..errors import DialogaugeError

PROGRAM = "apertium"
#: Longer texts come back as they are: apertium reads some 40,000 letters a second.
LONGEST = 20_000
#: How long it may take to start, in seconds; each letter gives it a little more.
PATIENCE = 30.0
#: Texts in one call of the program: one that it breaks on has all of its company done again.
_TOGETHER = 1000
#: How many translations are remembered.
_REMEMBERED = 100_000

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_PARAGRAPH = "\n\n"


class ToolError(DialogaugeError):
    """A program that is not part of the package is missing, or fails."""


def available(pair: tuple[str, str] = ("eng", "spa")) -> bool:
    """Whether apertium is installed, and translates between the two in both directions."""
    try:
        apertium(pair)
    except ToolError:
        return False
    return True


def apertium(pair: tuple[str, str] = ("eng", "spa")) -> "RoundTrip":
    """A translator from the first language to the second and back; an error if there is none."""
    wanted = ["-".join(pair), "-".join(pair[::-1])]
    directions = _run(["-l"], b"").decode("utf-8", "replace").split()
    if missing := [direction for direction in wanted if direction not in directions]:
        package = f"apertium-{'-'.join(pair)}"
        raise ToolError(
            f"apertium does not translate {' and '.join(missing)}: apt install {package} "
            "(or the same languages the other way round), or `make system` for eng-spa"
        )
    return RoundTrip(wanted)


class RoundTrip:
    """Texts there and back; the two calls of the program are shared by all that is new."""

    def __init__(self, directions: Sequence[str]) -> None:
        self.directions = tuple(directions)
        self._memory: dict[str, str] = {}

    def __call__(self, texts: Sequence[str]) -> list[str]:
        """Each text in other words; give many together, for a call takes half a second."""
        given = [_line(text) for text in texts]
        new = list(dict.fromkeys(line for line in given if 0 < len(line) <= LONGEST))
        new = [line for line in new if line not in self._memory]
        translated = list[str]()
        for start in range(0, len(new), _TOGETHER):
            lines = new[start : start + _TOGETHER]
            for direction in self.directions:
                lines = _translated(lines, direction)
            translated += lines
        while self._memory and len(self._memory) + len(new) > _REMEMBERED:
            del self._memory[next(iter(self._memory))]
        recased = (_recased(text, line) for text, line in zip(translated, new, strict=True))
        self._memory.update(zip(new, recased, strict=True))
        return [self._memory.get(line, text) for line, text in zip(given, texts, strict=True)]


def _line(text: str) -> str:
    """A text as one line that holds nothing but text."""
    return " ".join(_CONTROL.sub(" ", mend(text, lambda _: None)).split())


def _translated(lines: list[str], direction: str) -> list[str]:
    output = _run(["-u", direction], _PARAGRAPH.join([*lines, ""]).encode())
    paragraphs = output.decode("utf-8", "replace").split(_PARAGRAPH)[:-1]
    if len(paragraphs) == len(lines):
        return [_line(text) or line for text, line in zip(paragraphs, lines, strict=True)]
    if len(lines) == 1:
        return lines
    half = len(lines) // 2  # it broke on one of them: find out on which
    return _translated(lines[:half], direction) + _translated(lines[half:], direction)


def _recased(text: str, original: str) -> str:
    """The text without capitals that apertium put inside a sentence.

    >>> _recased("Hello There, i Like Rome", "hello there, i love Rome")
    'Hello there, i like Rome'
    """
    words = set(_WORD.findall(original))
    opens = True  # a sentence
    parts = []
    for piece in _PIECES.findall(text):
        name = not piece[:1].isupper() or piece in words or piece.isupper()
        parts.append(piece if opens or name else piece.lower())
        if not piece.isspace():
            opens = piece in (".", "!", "?", "…", '"')
    return "".join(parts)


_WORD = re.compile(r"\w+")
_PIECES = re.compile(r"\w+|\s+|.")


def _run(arguments: Sequence[str], given: bytes) -> bytes:
    """What the program writes; with it, all that it started ends when its time is over."""
    program = shutil.which(PROGRAM)
    if program is None:
        raise ToolError(
            "apertium, which translates, is not installed: `make system`, "
            "or apt install apertium apertium-eng-spa"
        )
    seconds = PATIENCE + len(given) / 2000
    with Popen(  # noqa: S603  (a fixed program, no shell; the text goes through a pipe)
        [program, *arguments], stdin=PIPE, stdout=PIPE, stderr=DEVNULL, start_new_session=True
    ) as process:
        try:
            output, _ = process.communicate(given, timeout=seconds)
        except TimeoutExpired:
            raise ToolError(f"apertium did not answer within {seconds:.0f} seconds") from None
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
    if process.returncode:
        raise ToolError(f"apertium failed with exit code {process.returncode}")
    return output
