"""Text to vectors: the same whatever the batch, and defined for any text."""

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialogauge.encode import Encoder, batching, encoder, session
from dialogauge.encode.batching import batches, padded
from dialogauge.encode.cache import Memory
from dialogauge.encode.encoder import POOLINGS, Counts
from dialogauge.encode.session import Session
from dialogauge.errors import ModelError, UnknownNameError
from dialogauge.models import shipped

TEXTS = [f"{'so ' * (number % 23)}I have {number} good reasons to stay." for number in range(64)]
NEAR = 1e-4

ODD = [
    "",
    " ",
    "\n\t\u00a0",
    "\0\x07\x1b",
    "\ufeff",
    "\ud800",
    "a\udfff b",
    "🙂👍🏽",
    "中文",
    "ᚠᚢᚦ",
    "\U0001f9ff\U000e0001",
    "\u202eabc",
    "e\u0301" * 500,
    "x" * 50_000,
    "?!",
    "word " * 100_000,
    " " * 100_000 + "end",
]


def fresh(threads: int = 1) -> Encoder:
    """An encoder that remembers nothing yet."""
    return Encoder.load(threads=threads)


@pytest.fixture(scope="module")
def ours() -> Encoder:
    return fresh()


@pytest.fixture(scope="module")
def alone() -> np.ndarray:
    """Each text in a batch of its own."""
    one = fresh()
    return np.concatenate([one.vectors([text]) for text in TEXTS])


def test_a_vector_per_text(ours: Encoder) -> None:
    vectors = ours.vectors(["How are you?", "How do you do?", "The engine is broken."])
    assert vectors.shape == (3, ours.config.width)
    assert vectors.dtype == np.float32
    near, far = vectors[0] @ vectors[1], vectors[0] @ vectors[2]
    assert near > far
    assert ours.vectors([]).shape == (0, ours.config.width)


@pytest.mark.parametrize("size", [1, 7, 64])
def test_batch_size_does_not_matter(alone: np.ndarray, size: int) -> None:
    one = fresh()
    found = [one.vectors(TEXTS[start : start + size]) for start in range(0, len(TEXTS), size)]
    assert np.abs(np.concatenate(found) - alone).max() <= NEAR


@pytest.mark.parametrize("budget", [1, 100, 10_000])
def test_the_budget_does_not_matter(
    alone: np.ndarray, budget: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batching.batches, "__defaults__", (budget,))
    assert np.abs(fresh().vectors(TEXTS) - alone).max() <= NEAR


def test_order_mates_and_threads_do_not_matter(alone: np.ndarray) -> None:
    order = np.random.default_rng(0).permutation(len(TEXTS))
    shuffled = fresh(threads=2).vectors([TEXTS[at] for at in order])
    assert np.abs(shuffled - alone[order]).max() <= NEAR
    mates = fresh().vectors([*TEXTS[:3], "long " * 500, "!" * 300])
    assert np.abs(mates[:3] - alone[:3]).max() <= NEAR


def test_equal_texts_are_encoded_once_and_order_is_restored(alone: np.ndarray) -> None:
    one = fresh()
    picks = [5, 0, 5, 63, 0, 5]
    assert np.abs(one.vectors([TEXTS[at] for at in picks]) - alone[picks]).max() <= NEAR
    assert one.counts == Counts(texts=6, encoded=3)
    one.vectors(TEXTS[:6])
    assert one.counts == Counts(texts=12, encoded=7)


def test_empty_texts_have_no_vector_and_are_counted() -> None:
    one = fresh()
    vectors = one.vectors(["", "yes", " \n", "\0\x07", ""])
    assert np.isnan(vectors).all(axis=1).tolist() == [True, False, True, True, True]
    assert one.counts == Counts(texts=5, encoded=4, empty=4)


@pytest.mark.parametrize("text", ODD, ids=lambda text: ascii(text)[:20])
def test_odd_texts_have_a_vector_or_none(ours: Encoder, text: str) -> None:
    vectors = ours.vectors([text, "fine"])
    assert np.isfinite(vectors[0]).all() or np.isnan(vectors[0]).all()
    assert np.isfinite(vectors[1]).all()


anything = st.text(st.characters(codec=None, exclude_categories=()), max_size=40)


@given(texts=st.lists(anything, max_size=5))
@settings(max_examples=40, deadline=None)
def test_any_text_is_finite_or_nan_and_the_same_alone(texts: list[str]) -> None:
    one = _shared()
    for pooling, pooled in POOLINGS.items():
        together = one.vectors(texts, pooling)
        counts = np.isnan(together).sum(axis=1)
        assert set(counts.tolist()) <= {0, one.config.width * pooled.parts}
        assert not np.isinf(together).any()
        one._memory[pooling] = Memory()
        for text, vector in zip(texts, together, strict=True):
            assert np.allclose(one.vectors([text], pooling)[0], vector, atol=NEAR, equal_nan=True)
            assert (len(one.tokens([text])[0].ids) == 0) == bool(np.isnan(vector[0]))


_LOADED: list[Encoder] = []


def _shared() -> Encoder:
    """One encoder for all of hypothesis's examples."""
    if not _LOADED:
        _LOADED.append(fresh())
    return _LOADED[0]


def test_tokens(ours: Encoder) -> None:
    first, empty, second, again = ours.tokens(["we go home", "", "we", "we go home"])
    assert len(first.ids) == 3
    assert first.vectors.shape == (3, ours.config.width)
    assert (empty.ids, empty.vectors.shape) == ((), (0, ours.config.width))
    assert second.ids == first.ids[:1]
    assert again.ids == first.ids
    assert ours.ids(["we go home", ""]) == [list(first.ids), []]
    padded_with = fresh().tokens(["we go home", "and then we go home to sleep for a while"])
    assert np.abs(padded_with[0].vectors - first.vectors).max() <= NEAR


def test_tokens_are_remembered_and_counted() -> None:
    one = fresh()
    one.tokens(["a b", "a b", ""])
    one.tokens(["a b", "c"])
    assert one.counts == Counts(texts=5, encoded=3, empty=1)


def test_a_sentence_is_the_mean_of_its_tokens_and_the_special_ones(ours: Encoder) -> None:
    text = "one two three four five six seven eight nine ten"
    (tokens,) = ours.tokens([text])
    mean, sentence = tokens.vectors.mean(axis=0), ours.vectors([text])[0]
    cosine = mean @ sentence / np.linalg.norm(mean) / np.linalg.norm(sentence)
    assert 0.9 < cosine < 1


def test_a_stream_equals_vectors(
    ours: Encoder, alone: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoder, "CHUNK", 7)
    assert np.abs(np.array(list(ours.stream(iter(TEXTS)))) - alone).max() <= NEAR
    assert list(ours.stream([])) == []


def test_a_stream_reads_only_as_far_as_it_must(
    ours: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoder, "CHUNK", 4)
    read = 0

    def texts() -> Iterator[str]:
        nonlocal read
        while True:
            read += 1
            yield "again and again"

    stream = ours.stream(texts())
    next(stream)
    assert read == 4


def test_a_stream_takes_bounded_memory(ours: Encoder) -> None:
    ours.vectors(TEXTS)

    def peak(count: int) -> int:
        tracemalloc.start()
        for _ in ours.stream(TEXTS[at % len(TEXTS)] for at in range(count)):
            pass
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    once = encoder.CHUNK
    assert peak(5 * once) < 2.5 * peak(once)


def test_texture_is_mean_spread_and_steps(ours: Encoder) -> None:
    text = "We never saw the sea again."
    mean, spread, steps = np.split(ours.vectors([text], "texture")[0], 3)
    np.testing.assert_allclose(mean, ours.vectors([text])[0], atol=NEAR)
    assert (spread >= 0).all()
    jumbled = np.split(ours.vectors(["again saw We sea. the never"], "texture")[0], 3)
    assert np.abs(jumbled[2] - steps).mean() > 0
    inner = ours.tokens([text])[0].vectors
    inside = np.abs(np.diff(inner, axis=0)).mean(axis=0)
    assert np.corrcoef(inside, steps)[0, 1] > 0.9  # the two special tokens apart


def test_memory_forgets_the_oldest() -> None:
    memory = Memory[int](limit=3)
    memory.put({bytes([at]): at for at in range(5)})
    assert memory.get(bytes([at]) for at in range(5)) == {b"\2": 2, b"\3": 3, b"\4": 4}
    memory.put({b"\2": 2})
    memory.put({b"\5": 5})
    assert memory.get([b"\2", b"\5"]) == {b"\5": 5}


def test_more_texts_than_memory_holds(alone: np.ndarray) -> None:
    one = fresh()
    one._memory["mean"] = Memory(limit=5)
    assert np.abs(one.vectors(TEXTS[:12]) - alone[:12]).max() <= NEAR
    one.vectors(TEXTS[:12])
    assert one.counts.encoded == 12 + 7


@given(lengths=st.lists(st.integers(1, 60), max_size=40), budget=st.integers(1, 200))
def test_batches_hold_every_text_once_within_the_budget(lengths: list[int], budget: int) -> None:
    found = list(batches(lengths, budget))
    assert sorted(at for batch in found for at in batch) == list(range(len(lengths)))
    for batch in found:
        assert len(batch) == 1 or len(batch) * max(lengths[at] for at in batch) <= budget


def test_padding() -> None:
    tokens, mask = padded([[5, 6, 7], [8]])
    assert tokens.tolist() == [[5, 6, 7], [8, 0, 0]]
    assert mask.tolist() == [[1, 1, 1], [1, 0, 0]]


def test_the_signature_says_what_made_the_vectors(ours: Encoder) -> None:
    expected = f"dialogue-minilm|sha256:{ours.hash}|tokens:{ours.config.max_tokens}"
    assert ours.signature.startswith(expected)
    assert ("|cpu:" in ours.signature) == ours.config.int8


def test_an_unknown_provider() -> None:
    with pytest.raises(UnknownNameError, match="no execution provider is called 'cpus'"):
        Encoder.load(provider="cpus")


def test_a_provider_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    import onnxruntime

    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: ["CPUExecutionProvider"])
    with pytest.raises(ModelError, match="cannot use cuda: install onnxruntime-gpu"):
        Encoder.load(provider="cuda")


@pytest.mark.parametrize("workers", [1, 3])
def test_work_over_threads_keeps_order_and_raises(workers: int) -> None:
    model = shipped()["dialogue-minilm"] / "model.onnx"
    ready = Session(model, threads=workers)
    assert list(ready.over(lambda x: x * x, range(20))) == [x * x for x in range(20)]
    with pytest.raises(ZeroDivisionError):
        list(ready.over(lambda x: 1 // x, [1, 0, 1]))
    with pytest.raises(ModelError, match="the graph cannot be run on this"):
        ready.run("tokens", {"input_ids": np.zeros((1, 1), dtype=np.int64)})


@pytest.mark.parametrize(
    ("flags", "name"),
    [
        ("fpu avx2 avx512_vnni", "vnni"),
        ("fpu avx2 sse", "avx2"),
        ("fpu", "other"),
        (None, "unknown"),
    ],
)
def test_the_arithmetic_of_int8(
    flags: str | None, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(path: Path, encoding: str) -> str:
        if flags is None:
            raise FileNotFoundError(path)
        return f"processor : 0\nflags\t\t: {flags}\nbugs: avx_vnni\n"

    monkeypatch.setattr(Path, "read_text", read)
    assert session.cpu_arithmetic.__wrapped__() == name


def test_threads_come_from_the_cores() -> None:
    assert session.cores() >= 1


def test_lower_layers_read_the_same_tokens_otherwise() -> None:
    encoder = Encoder.load()
    texts = ["Do you like green tea?", "My sister does.", ""]
    last, third = encoder.tokens(texts), encoder.tokens(texts, layers=3)
    assert [each.ids for each in last] == [each.ids for each in third]
    assert third[0].vectors.shape == last[0].vectors.shape
    assert not np.allclose(third[0].vectors, last[0].vectors)
    (alone,) = Encoder.load().tokens(texts[1:2], layers=3)
    assert np.array_equal(alone.vectors, third[1].vectors)
    assert third[2].ids == ()


def test_a_layer_that_is_not_inside() -> None:
    with pytest.raises(ModelError, match=r"none with /model/encoder/layer\.8/"):
        Encoder.load().tokens(["Hello there."], layers=9)
