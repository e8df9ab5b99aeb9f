"""A graph may keep weights in itself or in its data file, wherever in it a tensor stands."""

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialogauge import models
from dialogauge.encode import Encoder
from dialogauge.encode.encoder import fingerprint
from dialogauge.encode.external import refuse_other_files
from dialogauge.errors import ModelError


def field(number: int, content: bytes) -> bytes:
    """Protobuf, length-delimited."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def varint(value: int) -> bytes:
    high = varint(value >> 7) if value > 127 else b""
    return bytes([value & 127 | (128 if high else 0)]) + high


def tensor(location: bytes) -> bytes:
    entries = {b"offset": b"0", b"location": location}
    parts = [field(13, field(1, key) + field(2, value)) for key, value in entries.items()]
    return b"\x08\x04\x10\x01" + field(8, b"w") + b"".join(parts) + b"\x70\x01"


def node(attribute: bytes) -> bytes:
    return field(1, field(4, b"Constant") + field(5, field(1, b"value") + attribute))


#: Where in a graph a tensor may stand.
PLACES = {
    "an initializer": lambda each: field(7, field(5, each)),
    "a sparse one": lambda each: field(7, field(15, field(1, each))),
    "a constant": lambda each: field(7, node(field(5, each))),
    "a list of them": lambda each: field(7, node(field(10, each))),
    "a branch": lambda each: field(7, node(field(6, field(5, each)))),
    "a function": lambda each: field(25, field(7, node(field(5, each))[2:])),
    "behind another": lambda each: field(7, field(5, field(8, b"x") * 9) + field(5, each)),
}


@pytest.mark.parametrize("place", PLACES)
def test_only_the_data_file_may_hold_weights(place: str, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"\x08\x08" + PLACES[place](tensor(b"model.onnx.data")))
    refuse_other_files(path)
    for other in (b"w.data", b"./model.onnx.data", b"../x", b"/etc/passwd", b"", b"\xff\x1b"):
        path.write_bytes(b"\x08\x08" + PLACES[place](tensor(other)))
        with pytest.raises(ModelError, match=r"model.onnx: keeps weights in .*: refused") as error:
            refuse_other_files(path)
        assert str(error.value).isprintable()


def test_a_location_that_is_written_twice_is_seen(tmp_path: Path) -> None:
    entry = field(1, b"x") + field(2, b"w.data") + field(1, b"location") + field(2, b"other")
    (tmp_path / "model.onnx").write_bytes(field(7, field(5, field(13, entry))))
    with pytest.raises(ModelError, match="keeps weights in 'other'"):
        refuse_other_files(tmp_path / "model.onnx")


@given(st.binary(max_size=100))
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.onnx"
    path.write_bytes(content)
    try:
        refuse_other_files(path)
    except ModelError as error:
        assert str(error).isprintable()  # noqa: PT017


def test_what_ships_keeps_its_hash() -> None:
    assert fingerprint(models.shipped()["dialogue-minilm"]) == "ce087a8a45e7604b"
    for folder in models.shipped().values():
        for path in folder.glob("*.onnx"):
            refuse_other_files(path)


def test_an_encoder_with_weights_elsewhere_is_not_loaded(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(models.shipped()["dialogue-minilm"], tmp_path / "model"))
    graph = (folder / "model.onnx").read_bytes()
    (folder / "model.onnx").write_bytes(graph + PLACES["an initializer"](tensor(b"w.data")))
    (folder / "w.data").write_bytes(b"1234")
    models.seal(folder)
    with pytest.raises(ModelError, match=r"keeps weights in 'w\.data'"):
        Encoder.load(folder, threads=1)


def test_the_data_file_is_part_of_the_hash(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(models.shipped()["relevance"], tmp_path / "model"))
    (folder / models.DATA).write_bytes(b"1")
    with pytest.raises(ModelError, match=r"does not name model\.onnx\.data"):
        models.fingerprint(folder, ["model.onnx"])
    models.seal(folder)
    before = models.fingerprint(folder, ["model.onnx"])
    (folder / models.DATA).write_bytes(b"2")
    models.seal(folder)
    assert models.fingerprint(folder, ["model.onnx"]) != before
