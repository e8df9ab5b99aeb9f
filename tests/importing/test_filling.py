"""The model that ships without its weights: what it says, and what it refuses to be filled with."""

import json
import pickle
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest
from typer.testing import CliRunner

import dialogauge as dg
from dialogauge import models
from dialogauge.cli import models as commands
from dialogauge.cli.models import app
from dialogauge.encode import Encoder
from dialogauge.errors import DialogaugeError, InputError, ModelError, OutputError
from dialogauge.importing import filling
from dialogauge.importing.filling import fill, unfilled
from dialogauge.importing.plan import Contents, Plan, append
from dialogauge.metrics import METRICS, load

BASE = models.shipped()["base"]
COMMAND = "dialogauge models import mpnet (downloads 438 MB, or --from FOLDER)"


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def safetensors(path: Path, tensors: dict[str, list[int]]) -> None:
    """A file of zeros in these shapes."""
    header, at = {}, 0
    for name, shape in tensors.items():
        end = at + 4 * int(np.prod(shape))
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, end]}
        at = end
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + bytes(at))


def test_what_ships_is_small_and_says_what_it_will_be() -> None:
    assert sum(path.stat().st_size for path in BASE.iterdir()) < 1_500_000
    plan, card = Plan.load(BASE), models.card(BASE)
    for fact in (plan.source.sha256, plan.data.sha256, plan.encoder, "Apache-2.0"):
        assert fact in card
    assert unfilled("mpnet") == unfilled("base") == BASE
    assert unfilled("minilm") is None
    assert unfilled("dialogue-minilm") is None


def test_whoever_asks_for_it_hears_how_to_get_it() -> None:
    chat = dg.Dialogue("1", (dg.Turn("A", "Hi."), dg.Turn("B", "Hello.")))
    for ask in (
        lambda: Encoder.load("base"),
        lambda: dg.score([chat], "cosim", encoder="base"),
        lambda: dg.score([chat], "relevance", encoder="base"),
    ):
        with pytest.raises(ModelError, match=r"^base: its weights are not here: ") as error:
            ask()
        assert COMMAND in str(error.value)


def test_it_is_listed_shown_and_verified_without_its_weights() -> None:
    rows = {row["name"]: row for row in map(json.loads, run("list", "--json").splitlines())}
    assert rows["base"]["about"] == f"not here: {COMMAND}"
    assert "all-mpnet-base-v2" in run("show", "base", "--table")
    assert "weights.json" in json.loads(run("verify", "base", "--json"))["files"]


def other_model(folder: Path) -> None:
    safetensors(folder / "model.safetensors", {"embeddings.word_embeddings.weight": [9, 4]})


def other_shapes(folder: Path) -> None:
    """Every tensor that is asked for, and none as it should be."""
    names = {step.tensor: [4, 4] for step in Plan.load(BASE).steps if step.tensor}
    safetensors(folder / "model.safetensors", names)


def not_numbers(folder: Path) -> None:
    other_shapes(folder)
    path = folder / "model.safetensors"
    header, brackets, zeros = path.read_bytes().rpartition(b"}}")
    path.write_bytes(header + brackets + b"\xff" * len(zeros))  # NaN


def truncated(folder: Path) -> None:
    safetensors(folder / "model.safetensors", {"embeddings.word_embeddings.weight": [900, 400]})
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:100_000])


def empty(folder: Path) -> None:
    names = {step.tensor: [30527, 0] for step in Plan.load(BASE).steps if step.tensor}
    safetensors(folder / "model.safetensors", names)


def pickled(folder: Path) -> None:
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps({"weight": [1.0]}))


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (other_model, "all-mpnet-base-v2: another model: it has no tensor 'en"),
        (not_numbers, "all-mpnet-base-v2: "),
        (other_shapes, "not the weights of sentence-transformers/all-mpnet-base-v2: "),
        (empty, "the tensor 'embeddings.word_embeddings.weight' has 0 bytes"),
        (truncated, "not the weights of sentence-transformers/all-mpnet-base-v2: "),
        (pickled, "safe_serialization=True) writes one"),
        (lambda _: None, "model.safetensors: there is no such file"),
        (lambda folder: (folder / "model.safetensors").touch(), "not weights in safetensors"),
    ],
)
def test_other_weights_are_refused_and_nothing_is_left(
    make: Callable[[Path], None], problem: str, tmp_path: Path
) -> None:
    source, home = tmp_path / "source", tmp_path / "home"
    source.mkdir()
    make(source)
    with pytest.raises(ModelError) as error:
        fill(BASE, source, home / "base")
    assert problem in str(error.value)
    assert "\n" not in str(error.value)
    assert not home.exists() or list(home.iterdir()) == []


def test_no_more_is_written_than_the_plan_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, written = Plan.load(BASE), list[int]()
    small = msgspec.structs.replace(plan, data=Contents(plan.data.sha256, 5000))
    monkeypatch.setattr(Plan, "load", lambda _: small)
    monkeypatch.setattr(filling, "append", lambda *given: written.append(sum(append(*given))))
    other_shapes(tmp_path)
    with pytest.raises(ModelError, match=r"all-mpnet-base-v2: larger tensors \(sha256"):
        fill(BASE, tmp_path, tmp_path / "home" / "base")
    assert max(written) <= 5000


@pytest.mark.parametrize("name", ["blob", "weights.bin"])
def test_a_file_is_what_it_holds_whatever_its_name(name: str, tmp_path: Path) -> None:
    other_model(tmp_path)
    (tmp_path / "model.safetensors").rename(tmp_path / name)
    with pytest.raises(ModelError, match="not the weights of sentence-transformers"):
        fill(BASE, tmp_path / name, tmp_path / "home" / "base")
    for content, problem in (
        (pickle.dumps({"weight": [1.0]}), "a pickle runs code"),
        (b"Dear Sir or Madam", "not weights in safetensors: it has no header"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ModelError, match=problem):
            fill(BASE, tmp_path / name, tmp_path / "home" / "base")


def test_a_killed_import_is_in_nobodys_way(tmp_path: Path) -> None:
    code = f"""
import os, signal
from pathlib import Path
from dialogauge.importing.filling import _appearing
with _appearing(Path({str(tmp_path / "base")!r})) as partial:
    (partial / "half").write_bytes(b"x" * 1000)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    killed = subprocess.run([sys.executable, "-c", code], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert [path.name for path in tmp_path.iterdir()] == [".base.partial"]
    with filling._appearing(tmp_path / "base") as partial:
        (partial / "whole").touch()
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")] == [
        "base",
        "base/whole",
    ]


def test_nothing_behind_a_link_is_removed(tmp_path: Path) -> None:
    precious = tmp_path / "victim" / "base" / "thesis.txt"
    precious.parent.mkdir(parents=True)
    precious.write_text("precious")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / ".base.partial").symlink_to("../victim")
    with (
        pytest.raises(OutputError, match=r"\.base\.partial: a link, .*: remove it"),
        filling._appearing(tmp_path / "out" / "base"),
    ):
        pytest.fail("it would be cleared")
    assert precious.read_text() == "precious"


def test_what_lies_in_the_way_by_chance_is_kept(tmp_path: Path) -> None:
    (tmp_path / ".base.partial").mkdir()
    (tmp_path / ".base.partial" / "thesis.txt").write_text("precious")
    with filling._appearing(tmp_path / "base") as partial:
        (partial / "whole").touch()
    assert [path.name for path in (tmp_path / ".base.partial").iterdir()] == ["thesis.txt"]


def test_only_what_was_downloaded_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = tmp_path / ".mpnet.safetensors"
    part.write_bytes(b"a user's own")
    done = filling.Filled("base", "hash", 1.0)
    monkeypatch.setattr(commands, "fill", lambda *_: done)
    run("import", "mpnet", "--from", str(part), "--out", str(tmp_path / "base"))
    assert part.exists()
    monkeypatch.setattr(commands, "download", lambda *_: part)
    run("import", "mpnet", "--out", str(tmp_path / "base"))
    assert not part.exists()


@pytest.mark.parametrize("out", ["new/..", "new/../old"])
def test_a_place_that_leads_back_is_where_it_leads(
    out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old").mkdir()
    with pytest.raises(OutputError, match=r"exists, and is not base"):
        run("import", "mpnet", "--from", "x", "--out", out)
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert filling.free(Path("new/../base"), BASE) == tmp_path.resolve() / "base"


def test_two_imports_at_once(tmp_path: Path) -> None:
    out = tmp_path / "base"
    with filling._appearing(out) as partial:
        with (
            pytest.raises(OutputError, match="base is being written by another run"),
            filling._appearing(out),
        ):
            pytest.fail("both were let in")
        (partial / "ours").touch()
    assert (out / "ours").exists()
    with (
        pytest.raises(OutputError, match="base was imported meanwhile"),
        filling._appearing(out),
    ):
        pytest.fail("it would be replaced")
    shutil.rmtree(out)
    with (
        pytest.raises(OutputError, match="base was imported meanwhile"),
        filling._appearing(out),
    ):
        out.mkdir()
    assert list(tmp_path.iterdir()) == [out]


def test_a_folder_that_is_there_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIALOGAUGE_MODELS", str(tmp_path))
    (tmp_path / "base").mkdir()
    with pytest.raises(OutputError, match="base exists, and is not base: name a folder that does"):
        run("import", "mpnet", "--from", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OutputError, match=r"^\. exists, and is not base"):
        run("import", "mpnet", "--out", ".")
    shutil.copytree(BASE, tmp_path / "base", dirs_exist_ok=True)
    monkeypatch.setattr(models, "fingerprint", lambda *_: Plan.load(BASE).encoder)
    with pytest.raises(OutputError, match="base exists: it was imported already"):
        run("import", "mpnet")


def test_what_another_version_imported_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIALOGAUGE_MODELS", str(tmp_path))
    shutil.copytree(models.shipped()["dialogue-minilm"], tmp_path / "base")
    problem = r"base, which another version made: remove it and import again"
    with pytest.raises(ModelError, match=problem):
        Encoder.load("base")
    with pytest.raises(OutputError, match=problem):
        run("import", "mpnet", "--from", str(tmp_path))
    rows = {row["name"]: row for row in map(json.loads, run("list", "--json").splitlines())}
    assert "another version" in rows["base"]["about"]


@pytest.mark.parametrize("option", [("--int8",), ("--texts", "x"), ("--max-tokens", "128")])
def test_options_that_it_does_not_read_are_refused(option: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match=r"mpnet: ships as int8 .*leave out --int8, --texts and"):
        run("import", "mpnet", *option)


def test_other_models_need_a_place(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="tiny: no model ships without weights of that name"):
        run("import", "tiny")
    with pytest.raises(InputError, match="no --from"):
        run("import", "tiny", "--out", str(tmp_path / "x"), "--from", str(tmp_path))


def test_where_imported_models_live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALOGAUGE_MODELS", str(tmp_path / "no" / "folder"))
    assert models.imported() == {}
    monkeypatch.delenv("DIALOGAUGE_MODELS")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert models.home() == tmp_path / "dialogauge" / "models"
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert models.home() == tmp_path / ".local" / "share" / "dialogauge" / "models"


def test_an_encoder_is_for_metrics_that_read_one(tmp_path: Path) -> None:
    assert load("bleu", encoder="base").signature == load("bleu").signature
    assert load("relevance", encoder="dialogue-minilm").signature == load("relevance").signature
    with pytest.raises(DialogaugeError, match="'math:pi' takes no encoder"):
        load("math:pi", encoder="dialogue-minilm")
    with pytest.raises(DialogaugeError, match="no metric is called 'relevance-base'; did you mean"):
        load("relevance-base", encoder="dialogue-minilm")
    with pytest.raises(DialogaugeError, match="name them all"):
        dg.score([], METRICS["turn-count"](), encoder="dialogue-minilm")
    with pytest.raises(DialogaugeError, match="no encoder is called"):
        load("cosim", trusted=False, encoder=str(tmp_path))
    with pytest.raises(DialogaugeError, match="no encoder or folder is called 'nothing'"):
        dg.score([dg.Dialogue("1", (dg.Turn("A", "Hi."),))], "cosim", encoder="nothing")
