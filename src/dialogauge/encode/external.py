"""Where a graph keeps its tensors: in itself, or in the one file beside it that has a hash.

ONNX lets each tensor name a file for its numbers, and ONNX Runtime opens whatever is named. A file
that a model's manifest and hash do not cover could change what the model computes unseen, so the
names are read here before the graph is loaded: from the protobuf wire format, because the base
install has no ``onnx``, and wherever a message of :data:`_PARTS` can hold a tensor.
"""

import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .. import models
from ..errors import ModelError

#: Of each message of onnx.proto that leads to a tensor: its fields that do, and what they hold.
_PARTS: dict[str, dict[int, str]] = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "function": {7: "node", 11: "attribute"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "tensor": {13: "entry"},
}
_KEY, _VALUE = 1, 2  # of an entry
_LENGTH_DELIMITED = 2
#: Bytes of a field by its wire type, where that is fixed.
_FIXED = {1: 8, 5: 4}


class _Field(NamedTuple):
    """A length-delimited field and the bytes it holds."""

    number: int
    content: memoryview


def refuse_other_files(model: Path) -> None:
    """An error if a graph keeps tensors in any file but its folder's ``model.onnx.data``."""
    try:
        with model.open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        named = set(_locations(memoryview(mapped)))
    except OSError as error:
        raise ModelError(f"{model}: cannot be read: {error.strerror or error}") from None
    except (IndexError, ValueError) as error:  # an empty file cannot be mapped
        raise ModelError(f"{model}: not a graph that can be run: {error}") from None
    if other := sorted(named - {models.DATA.encode()}):
        name = ascii(other[0].decode("utf-8", "replace"))
        problem = f"keeps weights in {name[:100]}, which its hash does not cover: refused"
        raise ModelError(f"{model}: {problem} (only {models.DATA} beside it may hold them)")


def _locations(model: memoryview) -> Iterator[bytes]:
    """Every file that a tensor of the model names."""
    waiting = [("model", model)]
    while waiting:
        kind, message = waiting.pop()
        fields = list(_fields(message))
        if kind == "entry":
            if any(each.number == _KEY and bytes(each.content) == b"location" for each in fields):
                yield from (bytes(each.content) for each in fields if each.number == _VALUE)
            continue
        parts = _PARTS[kind]
        waiting += [(parts[each.number], each.content) for each in fields if each.number in parts]


def _fields(message: memoryview) -> Iterator[_Field]:
    """The length-delimited fields of a message; others hold no text and are passed over."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        number, wire = tag >> 3, tag & 7
        if wire == _LENGTH_DELIMITED:
            size, at = _varint(message, at)
            yield _Field(number, message[at : at + size])
        elif wire == 0:
            size, at = 0, _varint(message, at)[1]
        elif wire in _FIXED:
            size = _FIXED[wire]
        else:
            raise ValueError(f"a field of the wire type {wire}")
        at += size
    if at > len(message):
        raise ValueError("it breaks off")


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    """A number of up to ten bytes, and where it ends."""
    value = 0
    for shift in range(0, 70, 7):
        byte = message[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & (2**64 - 1), at
    raise ValueError("a number of more than ten bytes")
