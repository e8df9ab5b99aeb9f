"""Safetensors from anywhere: whatever a file says of itself is checked before it is used."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialogauge.errors import ModelError
from dialogauge.importing.tensors import Tensors

NUMBERS = np.arange(6, dtype="<f4")


def entry(**changes: Any) -> dict[str, Any]:
    return {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]} | changes


def written(path: Path, header: object, numbers: bytes = NUMBERS.tobytes()) -> Path:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + numbers)
    return path


def test_a_tensor_is_read(tmp_path: Path) -> None:
    other = entry(dtype="I64", data_offsets=[24, 24])
    header = {"__metadata__": {"format": "pt"}, "a": entry(), "b": other}
    tensors = Tensors(written(tmp_path / "a.safetensors", header), largest=24)
    assert list(tensors) == ["a"]
    np.testing.assert_array_equal(tensors.read("a"), NUMBERS.reshape(2, 3))


def test_another_implementation_writes_the_same(tmp_path: Path) -> None:
    save = pytest.importorskip("safetensors.numpy", reason="needs the extra: train").save_file
    save({"x": NUMBERS.reshape(3, 2), "y": NUMBERS[:1]}, tmp_path / "a.safetensors")
    tensors = Tensors(tmp_path / "a.safetensors")
    np.testing.assert_array_equal(tensors.read("x"), NUMBERS.reshape(3, 2))
    np.testing.assert_array_equal(tensors.read("y"), NUMBERS[:1])


@pytest.mark.parametrize(
    ("header", "problem"),
    [
        ({"a": entry(data_offsets=[0, 10**9])}, "does not fit its place"),
        ({"a": entry(data_offsets=[24, 48])}, "does not fit its place"),
        ({"a": entry(data_offsets=[24, 0])}, "does not fit its place"),
        ({"a": entry(data_offsets=[-8, 16])}, "its header cannot be read"),
        ({"a": entry(shape=[2, 4])}, "does not fit its place"),
        ({"a": entry(shape=[-2, -3])}, "its header cannot be read"),
        ({"a": entry(shape=[2**40, 2**40, 2**40])}, "does not fit its place"),
        ({"a": entry(shape=[1] * 100)}, "its header cannot be read"),
        ({"a": entry(dtype="F16")}, "are 'F16', not F32"),
        ({"b": entry()}, "it has no tensor 'a'"),
        ({"a": entry(), "b": entry()}, "the tensor 'b' lies where another does"),
        ({"b": entry(data_offsets=[20, 28]), "a": entry()}, "'b' lies where another does"),
        ({"a": entry(shape=[30527, 0], data_offsets=[0, 0])}, "the tensor 'a' has 0 bytes"),
        ({"a": 1}, "its header cannot be read"),
        ([1], "its header cannot be read"),
        (b"[" * 100_000, "its header cannot be read"),
        (b"\xff\xfe", "its header cannot be read"),
    ],
)
def test_what_is_wrong_is_one_clear_error(tmp_path: Path, header: object, problem: str) -> None:
    with pytest.raises(ModelError) as error:
        Tensors(written(tmp_path / "a.safetensors", header)).read("a")
    assert problem in str(error.value)
    assert "\n" not in str(error.value)


def test_a_tensor_beyond_what_is_asked_for(tmp_path: Path) -> None:
    tensors = Tensors(written(tmp_path / "a.safetensors", {"a": entry()}), largest=23)
    with pytest.raises(ModelError, match="the tensor 'a' has 24 bytes"):
        tensors.read("a")


@pytest.mark.parametrize("content", [b"", b"abc", b"\xff" * 8, (99).to_bytes(8, "little") + b"{}"])
def test_no_header_at_all(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.safetensors"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"a\.safetensors: not weights in safetensors"):
        Tensors(path)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.safetensors"
    path.write_bytes(content)
    try:
        for name in (tensors := Tensors(path)):
            tensors.read(name)
    except ModelError:
        pass
