"""Which format is this? Decided from the name and the first quarter megabyte of a file."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import IO

import msgspec

from ..dialogue import Dialogue
from ..errors import InputError, UnknownNameError
from . import messages, parlai, plain, records, tables
from .records import Count, Record
from .streams import Stream, ending

HEAD = 2**18
_JSON_LINES = (".jsonl", ".ndjson")

Cut = Callable[[IO[bytes]], Iterator[Record]]
Parse = Callable[[Record, str, Count], Dialogue]


class Head(msgspec.Struct, frozen=True):
    """How a file begins: the brackets it opens with and the keys of its first JSON object."""

    ending: str
    text: bytes
    opening: str = ""
    keys: frozenset[str] = frozenset()
    one_line: bool = False

    @property
    def list_of_dialogues(self) -> bool:
        """A JSON array whose elements are dialogues (and not the messages of one)."""
        return self.opening == "[[{" or (self.opening == "[{" and not self.keys & {"role", "from"})


def look(stream: Stream) -> Head:
    """What can be seen at the start of a stream (which is used up by it)."""
    text = stream.bytes.read(HEAD).lstrip()
    if not text:
        raise InputError("the file is empty or begins with blanks only", file=stream.name)
    suffix = ending(stream.name)
    if suffix in _JSON_LINES and (line := _FIRST_JSON.search(text)):
        text = text[line.end() - 1 :]  # a first line that is damaged does not hide the format
    opening, keys, one_line = _first_object(text)
    return Head(suffix, text, opening, keys, one_line)


_TOKEN = re.compile(rb'("(?:[^"\\\n]++|\\.)*+")(\s*:)?|[{}\[\]\n]', re.DOTALL)
_FIRST_JSON = re.compile(rb"^\s*[{\[]", re.MULTILINE)
_TWO_OBJECTS = re.compile(rb'\{"[^\n]*\n\s*\{"')


def _first_object(text: bytes) -> tuple[str, frozenset[str], bool]:
    """The opening brackets, the first object's keys, and whether the first value is on one line.

    >>> _first_object(b'[{"role": "user", "content": {"deep": 1}}]')[0::2]
    ('[{', True)
    """
    if not text.startswith((b"{", b"[")):
        return "", frozenset(), False
    path, opening, one_line = "", "", True
    keys: set[str] = set()
    for token in _TOKEN.finditer(text):
        mark = token[0].decode("utf-8", "replace")
        if mark == "\n":
            one_line = _TWO_OBJECTS.match(text) is not None
        elif mark in "{[":
            path += mark
            opening = opening or (path if mark == "{" else "")
        elif mark in "}]":
            path = path[:-1]
        elif token[2] and path == opening:
            keys.add(token[1][1:-1].decode("utf-8", "replace"))
        if not path or (opening and len(path) < len(opening)):
            break
    return opening or path, frozenset(keys), one_line


class Format(msgspec.Struct, frozen=True):
    """A way to write dialogues down: how to know it, how to cut it, how to understand it."""

    help: str
    fits: Callable[[Head], bool]
    cut: Callable[[Head, Mapping[str, str]], Cut]
    parse: Callable[[Head], Parse]


def _json_cut(head: Head, columns: Mapping[str, str]) -> Cut:
    by_line = head.ending in _JSON_LINES or head.one_line
    if by_line and not head.list_of_dialogues:
        return records.lines
    return partial(records.elements, unwrap=head.list_of_dialogues)


def _json(help: str, fits: Callable[[frozenset[str]], bool], parse: Parse) -> Format:
    return Format(help, lambda head: fits(head.keys), _json_cut, lambda _: parse)


def _parlai_conversation(head: Head) -> bool:
    return "dialog" in head.keys


def _parlai_fits(head: Head) -> bool:
    exchange = "text" in head.keys and bool(head.keys & {"labels", "eval_labels", "episode_done"})
    return _parlai_conversation(head) or exchange or head.text.startswith(b"text:")


def _parlai_cut(head: Head, columns: Mapping[str, str]) -> Cut:
    return _json_cut(head, columns) if _parlai_conversation(head) else parlai.cut_episodes


def _table(delimiter: str, suffix: str) -> Format:
    def fits(head: Head) -> bool:
        if head.opening:
            return False
        first = head.text.split(b"\n", 1)[0].decode("utf-8", "replace").rstrip("\r")
        try:
            tables.layout(first.replace('"', "").split(delimiter))
        except InputError:
            return head.ending == suffix
        return delimiter in first

    def cut(head: Head, columns: Mapping[str, str]) -> Cut:
        return partial(tables.cut, delimiter=delimiter, given=columns)

    help = f"{suffix[1:].upper()} with named columns: a row per turn, or context and response"
    return Format(help, fits, cut, lambda _: tables.parse)


#: Tried in this order when no format is named.
FORMATS: Mapping[str, Format] = {
    "native": _json(
        'one JSON object per line: {"id": ..., "turns": [{"speaker": ..., "text": ...}]}',
        lambda keys: "turns" in keys,
        messages.parse_native,
    ),
    "openai": _json(
        'OpenAI messages: {"messages": [{"role": ..., "content": ...}]}, or the bare list',
        lambda keys: "messages" in keys or "role" in keys,
        messages.parse_openai,
    ),
    "sharegpt": _json(
        'ShareGPT: {"conversations": [{"from": ..., "value": ...}]}',
        lambda keys: bool(keys & {"conversations", "conversation"}) or {"from", "value"} <= keys,
        messages.parse_sharegpt,
    ),
    "parlai": Format(
        "ParlAI: conversations (dialog) or exchanges (text, labels, episode_done)",
        _parlai_fits,
        _parlai_cut,
        lambda head: (
            parlai.parse_conversation if _parlai_conversation(head) else parlai.parse_episode
        ),
    ),
    "lines": Format(
        "a dialogue per line, turns separated by </UTT> or __eou__",
        lambda head: b"</UTT>" in head.text or b"__eou__" in head.text,
        lambda *_: records.lines,
        lambda _: plain.parse_line,
    ),
    "tsv": _table("\t", ".tsv"),
    "csv": _table(",", ".csv"),
    "text": Format(
        "plain text: 'Name: what was said' lines, a blank line between dialogues",
        lambda head: not head.opening and (head.ending == ".txt" or _has_speaker(head.text)),
        lambda *_: records.blocks,
        lambda _: plain.parse_text,
    ),
}


def _has_speaker(text: bytes) -> bool:
    return plain.SPEAKER.match(text.split(b"\n", 1)[0].decode("utf-8", "replace")) is not None


def named(name: str) -> Format:
    """The format of that name."""
    if name not in FORMATS:
        raise UnknownNameError("format", name, FORMATS)
    return FORMATS[name]


def recognised(head: Head) -> Format:
    """The first format that fits."""
    for format in FORMATS.values():
        if format.fits(head):
            return format
    raise InputError(
        "the format is not recognised",
        remedy=f"name it with --format: {', '.join(FORMATS)}",
    )
