"""Model folders: whatever is wrong with one is one clear error."""

import json
import math
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dialogauge import models
from dialogauge.cli.models import app
from dialogauge.dialogue import Dialogue, Turn
from dialogauge.encode import Encoder
from dialogauge.errors import DialogaugeError, ModelError, UnknownNameError
from dialogauge.metrics import load as load_metric

SHIPPED = models.shipped()["dialogue-minilm"]
TALK = ("Hi, how are you?", "Fine, I went to the beach.", "Was it warm?")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the shipped encoder, to be damaged."""
    return Path(shutil.copytree(SHIPPED, tmp_path / "model"))


def edit(path: Path, **changes: object) -> None:
    """Other values in a JSON file; None takes one out."""
    value = {**json.loads(path.read_bytes()), **changes}
    path.write_text(json.dumps({name: each for name, each in value.items() if each is not None}))


def sealed(change: Callable[[Path], object]) -> Callable[[Path], object]:
    """A change that the manifest knows of: only what is inside can give it away."""

    def both(folder: Path) -> None:
        change(folder)
        models.seal(folder)

    return both


def cut(name: str, size: int) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:size])


def config(**changes: object) -> Callable[[Path], object]:
    return sealed(lambda folder: edit(folder / "config.json", **changes))


def write(name: str, content: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(content)


def remove(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).unlink()


def flip(folder: Path) -> None:
    data = bytearray((folder / "model.onnx").read_bytes())
    data[len(data) // 2] ^= 1
    (folder / "model.onnx").write_bytes(data)


def manifest(**files: str) -> Callable[[Path], object]:
    return write("manifest.json", json.dumps({"files": files}).encode())


def outside(folder: Path) -> None:
    (folder.parent / "elsewhere").write_bytes(b"x")
    edit(
        folder / "manifest.json", files={"../elsewhere": models.digest(folder.parent / "elsewhere")}
    )


def words(folder: Path) -> None:
    """A tokenizer with a word that the graph has no vector for."""
    tokenizer = json.loads((folder / "tokenizer.json").read_bytes())
    tokenizer["model"]["vocab"]["zzzzz"] = len(tokenizer["model"]["vocab"])
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "one bit": (flip, "model.onnx: damaged or changed (its sha256 is not the manifest's)"),
    "truncated": (cut("model.onnx", 1000), "model.onnx: damaged or changed"),
    "truncated and sealed": (sealed(cut("model.onnx", 1000)), "not a graph that can be run"),
    "an empty graph": (sealed(cut("model.onnx", 0)), "model.onnx: not a graph that can be run"),
    "no graph": (remove("model.onnx"), "model.onnx: cannot be read: No such file"),
    "no graph, sealed": (sealed(remove("model.onnx")), "does not name model.onnx"),
    "no tokenizer": (sealed(remove("tokenizer.json")), "does not name tokenizer.json"),
    "a broken tokenizer": (sealed(cut("tokenizer.json", 500)), "tokenizer.json: cannot be read"),
    "too many words": (sealed(words), "30,523 tokens, and model.onnx knows fewer: they are of"),
    "no manifest": (
        remove("manifest.json"),
        "model: not a model folder: it has no manifest.json (`dialogauge",
    ),
    "a manifest of nothing": (manifest(), "does not name config.json: it was not verified"),
    "not a manifest": (write("manifest.json", b"[]"), "manifest.json: Expected object"),
    "a deep manifest": (write("manifest.json", b"[" * 100_000), "manifest.json: "),
    "not UTF-8": (write("manifest.json", b"\xff"), "manifest.json: "),
    "a wrong sha256": (manifest(**{"config.json": "0" * 64}), "config.json: damaged or changed"),
    "a file elsewhere": (outside, "'../elsewhere' is not the name of a file in the folder"),
    "an absolute path": (manifest(**{"/etc/passwd": ""}), "'/etc/passwd' is not the name"),
    "the folder above": (manifest(**{"..": ""}), "is not the name of a file in the folder"),
    "a NUL": (manifest(**{"a\0": ""}), "is not the name of a file in the folder"),
    "no config": (sealed(remove("config.json")), "config.json: cannot be read"),
    "half a config": (sealed(cut("config.json", 20)), "config.json: "),
    "another width": (config(width=768), "config.json: width is 768, but the vectors"),
    "no width": (config(width=None), "missing required field width"),
    "a width of 0": (config(width=0), "width: Expected int >= 1"),
    "no tokens": (config(max_tokens=2), "max_tokens: Expected int >= 3"),
    "too many tokens": (config(max_tokens=5000), "has no room for a window of 5000 tokens"),
    "too many, and it does not say": (
        config(max_tokens=5000, backbone=None),
        "model.onnx has no room for the 5000 max_tokens of config.json: choose fewer",
    ),
    "a thousand million": (
        config(max_tokens=10**9, backbone=None),
        "max_tokens: Expected int <= 8192",
    ),
    "not an encoder": (config(model="head"), "this is a 'head', not an encoder"),
    "a metric": (config(metric="deam", width=None), "this is a 'deam', not an encoder"),
    "nothing at all": (sealed(write("config.json", b"{}")), "this is a '', not an encoder"),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_whatever_is_wrong_is_one_clear_error(folder: Path, what: str) -> None:
    damage, problem = DAMAGE[what]
    damage(folder)
    with pytest.raises(ModelError) as error:
        Encoder.load(folder, threads=1)
    assert problem in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 800


def poison(folder: Path, number: float) -> None:
    """One number of each large tensor is none."""
    onnx = pytest.importorskip("onnx", reason="needs the extra: train")
    graph = onnx.load(folder / "model.onnx")
    for tensor in graph.graph.initializer:
        numbers = onnx.numpy_helper.to_array(tensor).copy()
        if numbers.dtype == np.float32 and numbers.size > 100:
            numbers.flat[0] = number
            tensor.CopyFrom(onnx.numpy_helper.from_array(numbers, tensor.name))
    onnx.save(graph, folder / "model.onnx")
    models.seal(folder)


def _scored(folder: Path, talk: Dialogue) -> object:
    if folder.name == "dialogue-minilm":
        return Encoder.load(folder, threads=1)
    return load_metric(str(folder)).score([talk])


@pytest.mark.parametrize("number", [math.nan, math.inf])
@pytest.mark.parametrize("name", ["dialogue-minilm", "relevance", "maude", "dynaeval"])
def test_weights_that_are_no_numbers(name: str, number: float, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(models.shipped()[name], tmp_path / name))
    poison(folder, number)
    talk = Dialogue("d", tuple(Turn("ab"[at % 2], text) for at, text in enumerate(TALK)))
    with pytest.raises(ModelError, match=r"model\.onnx: gives NaN or infinity for ordinary text"):
        _scored(folder, talk)


@pytest.mark.parametrize("name", ["weights.pkl", "pytorch_model.bin", "deep/er/X.PT"])
def test_a_pickle_is_refused_whatever_the_manifest_says(folder: Path, name: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pickle.dumps({"weights": [1.0]}))
    with pytest.raises(ModelError, match="a pickle runs code when it is loaded: refused"):
        Encoder.load(folder, threads=1)


def test_another_graph_is_not_an_encoder(folder: Path) -> None:
    """The smallest graph there is: it gives back a number it was given."""

    def field(number: int, content: bytes) -> bytes:  # protobuf, length-delimited
        return bytes([number << 3 | 2, len(content)]) + content

    shape = b"\x0a\x04\x08\x01\x12\x00"  # a float without a shape
    value = [field(1, name) + field(2, shape) for name in (b"x", b"y")]
    node = field(1, b"x") + field(2, b"y") + field(4, b"Identity")
    graph = field(1, node) + field(2, b"g") + field(11, value[0]) + field(12, value[1])
    model = b"\x08\x08" + field(7, graph) + field(8, b"\x0a\x00\x10\x0d")
    (folder / "model.onnx").write_bytes(model)
    models.seal(folder)
    with pytest.raises(ModelError, match="not the graph of an encoder: it takes x and gives y"):
        Encoder.load(folder, threads=1)


@pytest.mark.parametrize("name", ["dialog-minilm", "no/such/folder", "x" * 5000, "a\0b"])
def test_an_unknown_name(name: str) -> None:
    with pytest.raises(UnknownNameError, match="no model or folder is called"):
        models.open_folder(name)


def test_a_close_name_is_suggested() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'dialogue-minilm'"):
        models.open_folder("dialogue-minlm")


def test_a_folder_of_something_else_is_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "theirs.bin").write_bytes(b"somebody's own")
    monkeypatch.setattr(Path, "rglob", lambda *_: pytest.fail("it was searched"))
    for load in (Encoder.load, models.open_folder):
        with pytest.raises(ModelError, match=r"not a model folder: .*models import .* --out NEW`"):
            load(tmp_path)


@pytest.mark.parametrize(
    ("name", "hint"), [("bsae", "; did you mean 'base'?"), ("mpnet", "; did you mean 'base'?")]
)
def test_encoders_are_suggested_where_one_is_asked_for(name: str, hint: str) -> None:
    expected = f"no encoder or folder is called '{name}'{hint} (known: base, dialogue-minilm)"
    for ask in (lambda: Encoder.load(name), lambda: load_metric("bleu", encoder=name)):
        with pytest.raises(UnknownNameError) as error:
            ask()
        assert str(error.value) == expected


def test_one_bad_folder_does_not_hide_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("DIALOGAUGE_MODELS", "~/models")
    for name in ("good", "no-card", "no-config", "odd", "base"):
        shutil.copytree(SHIPPED, tmp_path / "models" / name)
    (tmp_path / "models" / "no-card" / "card.md").unlink()
    (tmp_path / "models" / "no-config" / "config.json").unlink()
    (tmp_path / "models" / "odd" / "config.json").write_bytes(b"[]")
    (tmp_path / "models" / "base" / "manifest.json").write_bytes(b"{")
    about = {
        row["name"]: row["about"] for row in map(json.loads, run("list", "--json").splitlines())
    }
    for name in ("no-card", "no-config", "odd"):
        assert about[name].startswith("broken: ")
    assert about["good"] == about["dialogue-minilm"]
    assert "remove it and import again" in about["base"]
    assert models.find("good") == tmp_path / "models" / "good"
    with pytest.raises(UnknownNameError, match=r"known: base, dialogue-minilm, good, no-card\)"):
        Encoder.load("nothing")


def test_a_folder_that_nobody_may_look_into(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    (tmp_path / "closed").mkdir()
    monkeypatch.setenv("DIALOGAUGE_MODELS", str(tmp_path))
    with monkeypatch.context() as patch:
        patch.setattr(Path, "is_file", refuse)
        assert models.imported() == {}


def test_a_copy_is_the_same_model(folder: Path) -> None:
    ours, copied = Encoder.load(threads=1), Encoder.load(folder, threads=1)
    assert ours.signature == copied.signature
    assert ours.vectors(["hello there"]).tobytes() == copied.vectors(["hello there"]).tobytes()


@pytest.mark.parametrize("name", models.shipped())
def test_what_ships_is_whole(name: str) -> None:
    manifest = models.verify(models.shipped()[name])
    assert {"config.json", "card.md"} <= set(manifest.files)


# The command line


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_listing() -> None:
    rows = [json.loads(line) for line in run("list", "--json").splitlines()]
    assert [row["name"] for row in rows] == list(models.shipped())
    assert rows[0].keys() == {"name", "kind", "megabytes", "about"}
    assert "dialogue-minilm" in run("list", "--table")


def test_showing(folder: Path) -> None:
    (folder / "card.md").write_text("# A card\n\nwith \x1b[31mred\n")
    models.seal(folder)
    shown = json.loads(run("show", str(folder), "--json"))
    assert (shown["kind"], shown["card"][:8]) == ("encoder", "# A card")
    assert "\x1b" not in run("show", str(folder), "--table")
    assert "# dialogue-minilm" in run("show", "dialogue-minilm", "--table")


def test_verifying(folder: Path) -> None:
    found = json.loads(run("verify", str(folder), "--json"))
    assert "model.onnx" in found["files"]
    assert "model.onnx" in run("verify", "dialogue-minilm", "--table")
    flip(folder)
    with pytest.raises(DialogaugeError, match="damaged or changed"):
        run("verify", str(folder))


def test_a_card_that_is_not_there(folder: Path) -> None:
    sealed(remove("card.md"))(folder)
    with pytest.raises(ModelError, match=r"card.md: cannot be read"):
        run("show", str(folder))
