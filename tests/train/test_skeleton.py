"""An encoder without its weights is filled elsewhere, to the bit; heads fit it and no other."""

import json
import shutil
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from typer.testing import CliRunner

torch = pytest.importorskip("torch", reason="needs the extra: train")
torch.set_num_threads(1)

import dialogauge as dg  # noqa: E402
from dialogauge import models  # noqa: E402
from dialogauge.cli.models import app  # noqa: E402
from dialogauge.encode import Encoder  # noqa: E402
from dialogauge.errors import DialogaugeError, InputError, ModelError  # noqa: E402
from dialogauge.importing.filling import fill  # noqa: E402
from dialogauge.importing.plan import Plan  # noqa: E402
from dialogauge.metrics import load  # noqa: E402
from dialogauge.metrics.vectors import shared  # noqa: E402
from dialogauge.train import data, recipe  # noqa: E402
from dialogauge.train.models.encoder.task import TEXTS, bring, sample  # noqa: E402
from dialogauge.train.run import train  # noqa: E402

from .training import chats, recipe_text, tiny, write_chats  # noqa: E402

TALKS = chats(6, turns=5)
SAID = [turn.text for chat in TALKS for turn in chat.turns]


class Both(NamedTuple):
    """The published weights, the model that ships without them, and one made with them."""

    weights: Path
    skeleton: Path
    direct: Path
    filled: Path


@pytest.fixture(scope="module", params=["bert", "mpnet"])
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Both:
    root = tmp_path_factory.mktemp(request.param)
    source = str(write_chats(root / "chats.jsonl", chats(400, turns=3)))
    chosen = recipe.Chosen(str(tiny(root / "tiny", request.param)), max_tokens=32)
    fetched = {"name": "little", "repository": "a/b", "licence": "MIT"}
    settings = {"texts": source, "int8": True, "fetched": fetched}
    asked = recipe.Recipe(name="small", task="encoder", backbone=chosen, settings=settings)
    train(asked, root / "small")
    texts = sample(source, 2 * TEXTS)
    bring(chosen, root / "direct", name="small", texts=texts, int8=True, command="test")
    fill(root / "small", root / "tiny", root / "home" / "small")
    return Both(root / "tiny", root / "small", root / "direct", root / "home" / "small")


@pytest.fixture
def home(both: Both, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of imported models with the encoder ``small`` in it."""
    shutil.copytree(both.filled, tmp_path / "home" / "small")
    monkeypatch.setenv("DIALOGAUGE_MODELS", str(tmp_path / "home"))
    shared.cache_clear()
    return tmp_path / "home"


def test_what_is_filled_is_what_is_made_with_the_weights(both: Both) -> None:
    ours, theirs = Encoder.load(both.filled, threads=1), Encoder.load(both.direct, threads=1)
    assert ours.vectors(SAID).tobytes() == theirs.vectors(SAID).tobytes()
    plan = Plan.load(both.skeleton)
    assert ours.hash == plan.encoder != theirs.hash
    assert models.digest(both.filled / models.DATA) == plan.data.sha256
    assert not (both.skeleton / models.DATA).exists()
    graphs = [(folder / "model.onnx").stat().st_size for folder in (both.skeleton, both.direct)]
    assert graphs[0] < graphs[1]
    for fact in (plan.encoder, plan.data.sha256, plan.source.sha256, "a/b (MIT)"):
        assert fact in models.card(both.filled)


def test_neither_torch_nor_onnx_is_needed(both: Both, tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
for name in ("torch", "onnx", "safetensors", "transformers"):
    sys.modules[name] = None
from dialogauge.importing.filling import fill
print(fill(*map(Path, sys.argv[1:])).encoder)
"""
    folders = map(str, (both.skeleton, both.weights, tmp_path / "filled"))
    done = subprocess.run(
        [sys.executable, "-c", code, *folders], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == Plan.load(both.skeleton).encoder


def test_weights_that_were_saved_anew_are_the_same(both: Both, tmp_path: Path) -> None:
    from transformers import AutoModel

    model = AutoModel.from_pretrained(both.weights, weights_only=True)
    model.pooler = None  # another file, the same encoder
    model.save_pretrained(tmp_path / "converted", safe_serialization=True)
    weights = tmp_path / "converted" / "model.safetensors"
    assert models.digest(weights) != Plan.load(both.skeleton).source.sha256
    assert fill(both.skeleton, weights, tmp_path / "a").encoder == Plan.load(both.skeleton).encoder


def test_one_number_that_differs_is_refused(both: Both, tmp_path: Path) -> None:
    from safetensors.numpy import load_file, save_file

    tensors = load_file(both.weights / "model.safetensors")
    tensors["embeddings.word_embeddings.weight"][5, 0] += 1
    save_file(tensors, tmp_path / "model.safetensors")
    with pytest.raises(ModelError, match=r"not the weights of a/b: other numbers \(sha256"):
        fill(both.skeleton, tmp_path, tmp_path / "filled")
    assert not (tmp_path / "filled").exists()


def test_fetched_weights_become_int8(tmp_path: Path) -> None:
    fetched = {"name": "little", "repository": "a/b", "licence": "MIT"}
    asked = recipe.Recipe(name="small", task="encoder", settings={"fetched": fetched})
    with pytest.raises(InputError, match="set int8 = true"):
        train(asked, tmp_path / "out")


HEADS: dict[str, tuple[str, dict[str, Any]]] = {
    "relevance": ("response-selection", {}),
    "maude": ("nce", {"turns": 3, "pooling": "texture"}),
    "dynaeval": ("ranking", {"pairs": 2}),
    "bert-ruber": ("nce", {"network": "nli", "blend": "min", "turns": 1}),
}


def head(metric: str, encoder: str, out: Path) -> Path:
    task, settings = HEADS[metric]
    optimisation = {"epochs": 1, "batch_size": 16}
    tables = {"optimisation": optimisation, "settings": settings}
    text = recipe_text(task, backbone={"name": encoder}, **tables)
    text = text.replace('name = "tiny"', f'name = "{metric}"', 1)
    train(recipe.decode(text.encode()), out, material=data.given(TALKS, TALKS))
    return out


@pytest.mark.parametrize("metric", HEADS)
def test_a_head_on_an_imported_encoder(metric: str, home: Path) -> None:
    with pytest.raises(ModelError, match=rf"no {metric} was trained on small .*backbone.name = 's"):
        load(metric, encoder="small")
    folder = head(metric, "small", home / f"{metric}-small")
    config = json.loads((folder / "config.json").read_text())
    assert config["encoder_hash"] == Encoder.load("small", threads=1).hash
    by_name, by_folder = dg.score(TALKS, metric, encoder="small"), dg.score(TALKS, str(folder))
    values = [list(map(repr, each.column(each.metrics[0]))) for each in (by_name, by_folder)]
    assert values[0] == values[1]
    assert "encoder:small|sha256:" in by_name.signatures[metric]
    assert load(str(folder), encoder="small").name
    with pytest.raises(ModelError, match="was trained on the encoder"):
        load(str(folder), encoder="dialogue-minilm")


def test_untrained_metrics_use_it(home: Path) -> None:
    ours, theirs = dg.score(TALKS, "cosim", encoder="small"), dg.score(TALKS, "cosim")
    assert not np.allclose(ours.column("cosim"), theirs.column("cosim"))
    assert "encoder:small|" in ours.signatures["cosim"]


def test_a_head_refuses_an_encoder_that_became_another(home: Path, tmp_path: Path) -> None:
    folder = head("relevance", "small", tmp_path / "head")
    tokenizer = home / "small" / "tokenizer.json"
    tokenizer.write_text(tokenizer.read_text().replace('"boat"', '"bark"'))
    shared.cache_clear()
    with pytest.raises(ModelError, match=r"tokenizer.json: damaged or changed"):
        load(str(folder))
    models.seal(home / "small")
    with pytest.raises(ModelError, match=r"head: was trained on the encoder .*train it again"):
        load(str(folder))


def test_an_encoder_of_another_width_is_refused(home: Path, tmp_path: Path) -> None:
    folder = head("relevance", "small", tmp_path / "head")
    config = json.loads((folder / "config.json").read_text())
    other = {"encoder": "dialogue-minilm", "encoder_hash": Encoder.load(threads=1).hash}
    (folder / "config.json").write_text(json.dumps(config | other))
    models.seal(folder)
    with pytest.raises(ModelError, match="made for rows of 24 numbers, not 384"):
        load(str(folder))


def test_an_encoder_by_its_path_is_trained_on_as_it_is_run(both: Both, tmp_path: Path) -> None:
    folder = head("maude", str(both.filled), tmp_path / "head")
    assert json.loads((folder / "config.json").read_text())["width"] == 72  # texture: thrice 24
    assert dg.score(TALKS, str(folder)).rows


def test_a_recipe_that_names_absent_weights_says_how_to_get_them(tmp_path: Path) -> None:
    with pytest.raises(DialogaugeError, match="dialogauge models import mpnet"):
        head("relevance", "base", tmp_path / "head")


def test_the_command_downloads_and_fills(
    both: Both, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "hub" / "a" / "b" / "resolve" / "main"
    place.mkdir(parents=True)
    shutil.copyfile(both.weights / "model.safetensors", place / "model.safetensors")
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path / "hub"))
    monkeypatch.setattr(SimpleHTTPRequestHandler, "log_message", lambda *_: None)
    monkeypatch.setattr(models, "shipped", lambda: {"small": both.skeleton})
    monkeypatch.setenv("DIALOGAUGE_MODELS", str(tmp_path / "home"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_address[1]}")
        shown = CliRunner().invoke(app, ["import", "little", "--json"], catch_exceptions=False)
        server.shutdown()
        thread.join()
    assert json.loads(shown.stdout)["encoder"] == Plan.load(both.skeleton).encoder
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["small"]  # no download is left
    assert models.find("small") == tmp_path / "home" / "small"
    assert Encoder.load("small", threads=1).vectors(SAID).shape == (len(SAID), 24)
