"""Round trips by two tiny random MarianMT models that are made here."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs the extra: train")
torch.set_num_threads(1)

from dialogauge.dialogue import Dialogue, Turn  # noqa: E402
from dialogauge.errors import DataError, ModelError  # noqa: E402
from dialogauge.manipulate.pool import Pool  # noqa: E402
from dialogauge.train import marian  # noqa: E402

from .training import WORDS, word_tokenizer  # noqa: E402


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encoder and decoder of one layer each, with a vocabulary of words."""
    from transformers import MarianConfig, MarianMTModel

    folder = tmp_path_factory.mktemp("marian")
    size = word_tokenizer(folder, translates=True)
    torch.manual_seed(0)
    config = MarianConfig(
        vocab_size=size,
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        max_position_embeddings=24,
        pad_token_id=2,
        eos_token_id=0,
        decoder_start_token_id=2,
        forced_eos_token_id=0,
    )
    MarianMTModel(config).save_pretrained(folder)
    return folder


def test_each_text_is_translated_for_itself(tiny: Path) -> None:
    there = marian.load(str(tiny), str(tiny)).there
    texts = ["hello how are you", "fine", "the weather is nice and you are nice too", "thanks"]
    together = there(texts)
    assert together == there(texts)
    assert together == [there([text])[0] for text in texts]
    assert all(set(text.split()) <= set(WORDS) for text in together)


def test_a_round_trip_is_two_translations(tiny: Path) -> None:
    trip = marian.load(str(tiny), str(tiny))
    texts = ["hello how are you", "", "  ", "nice " * 40, "x" * 30_000]
    made = trip(texts)
    assert made[0] == trip.back(trip.there(texts[:1]))[0]
    assert made[1:] == texts[1:]  # empty, or no room for it
    pool = Pool([Dialogue("d1", (Turn("a", "Hi."),))], translate=trip)
    assert pool.translate(texts[:1]) == made[:1]


def test_pickles_and_nonsense_are_refused(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(ModelError, match="refused"):
        marian.load(str(tmp_path), str(tmp_path))
    (tmp_path / "pytorch_model.bin").unlink()
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(DataError, match="cannot be loaded"):
        marian.load(str(tmp_path), str(tmp_path))
