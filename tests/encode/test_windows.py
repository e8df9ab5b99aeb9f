"""Long texts in windows: where they are cut, what is read of them, and what is not."""

import random
import re
import string
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, pre_tokenizers, processors, trainers
from tokenizers import models as token_models

from dialogauge.encode import Encoder
from dialogauge.encode.encoder import POOLINGS, Pooling
from dialogauge.encode.reader import WINDOWS, Reader
from dialogauge.encode.windows import split
from dialogauge.errors import ModelError
from dialogauge.models import shipped

FOLDER = shipped()["dialogue-minilm"]
SENTENCE = "We went to the market early and bought bread, cheese and a few apples. "
LONG = SENTENCE * 40  # some 640 tokens
INSULT = "You are a stupid liar and I hate you."

#: Texts of more than one window, of the kinds that a splitter may trip over.
KINDS = {
    "sentences": LONG,
    "words": "yes " * 400,
    "no white space": "ab.cd," * 100,
    "Chinese": "我们昨天去了市场。" * 40,
    "Chinese without stops": "中" * 400,
    "accents": "e\u0301t\u0301 " * 300,
    "halves of characters": "so \ud800 it \udfff goes. " * 60,
    "emoji": "so🙂👍🏽 " * 200,
    "blanks": ("one" + " " * 5000) * 30 + LONG,
    "between blanks": f"\n  {LONG}\t ",
    "control characters": "a\0b\x07c " * 300,
    "one long word after the other": f"{'x' * 300} " * 200,
}


@cache
def ours() -> Encoder:
    return Encoder.load(threads=1)


def reader(max_tokens: int = 128) -> tuple[Reader, dict[bytes, int]]:
    unread: dict[bytes, int] = {}
    return Reader(FOLDER / "tokenizer.json", max_tokens, unread), unread


def pieces(text: str, room: int, token: str = r"\w+|[^\w\s]") -> list[str]:
    """The parts of a text whose tokens are those matches."""
    spans = [match.span() for match in re.finditer(token, text)]
    return [text[start:end] for start, end in split(text, spans, room)]


def test_cuts_are_made_where_a_sentence_ends() -> None:
    parts = pieces(LONG, 40)
    assert len(parts) > 10
    assert all(part.startswith("We went") and part.endswith("apples.") for part in parts)
    assert pieces('One "two." Three four five.', 6) == ['One "two."', "Three four five."]
    assert pieces("一二三。四五六", 6, r"\S") == ["一二三。", "四五六"]
    assert pieces("one two three\nfour five six", 5) == ["one two three", "four five six"]


def test_a_sentence_that_ends_early_is_not_worth_a_window() -> None:
    assert pieces("No. " + "a " * 20, 16)[0] == "No. " + " ".join("a" * 14)


def test_else_at_white_space_else_anywhere() -> None:
    assert pieces("aaaa bbbb cccc", 6, r"\w") == ["aaaa", "bbbb", "cccc"]
    assert pieces("abcdefgh", 3, r"\w") == ["abc", "def", "gh"]


def test_the_last_part_is_no_crumb() -> None:
    parts = pieces("a " * 101, 100)
    assert [len(part.split()) for part in parts] == [76, 25]


def byte_level() -> Tokenizer:
    """A tokenizer as ModernBERT's, whose tokens begin with a blank."""
    tokenizer = Tokenizer(token_models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<s>"], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator([LONG], trainer)
    return tokenizer


def metaspace() -> Tokenizer:
    """A tokenizer as T5's."""
    words = [f"▁{word}" for word in re.findall(r"\w+", SENTENCE)]
    pieces = dict.fromkeys([*string.ascii_letters, *string.punctuation, "▁"], -5.0)
    scores = {"<s>": 0.0, "<unk>": 0.0, **pieces, **dict.fromkeys(words, -4.0)}
    tokenizer = Tokenizer(token_models.Unigram(list(scores.items()), unk_id=1))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    return tokenizer


@pytest.mark.parametrize("kind", [byte_level, metaspace])
def test_tokens_that_begin_with_a_blank(kind: Callable[[], Tokenizer], tmp_path: Path) -> None:
    tokenizer = kind()
    tokenizer.post_processor = processors.TemplateProcessing(
        "<s> $A <s>", special_tokens=[("<s>", 0)]
    )
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    (windows,) = Reader(tmp_path / "tokenizer.json", 32, {}).windows([SENTENCE * 6])
    assert [window.text for window in windows] == [SENTENCE.strip()] * 6


def test_what_is_cut_once_more_leaves_no_crumb() -> None:
    rng = random.Random(0)
    words = [*SENTENCE.split(), "compilers", "interference", "x", "qzqzqzqzqz", "中文字", "éé"]
    small, _ = reader(max_tokens=32)
    for _ in range(100):
        text = "".join(rng.choices(words, k=rng.randint(20, 200)))
        (windows,) = small.windows([text])
        assert "".join(window.text for window in windows) == text
        assert all(30 // 4 <= len(window.ids) - 2 <= 30 for window in windows[:-1])


def test_a_character_of_many_tokens_stays_whole() -> None:
    spans = [(0, 1)] * 5 + [(1, 2)] * 2
    assert split("🙂é", spans, 3) == [(0, 1), (1, 2)]
    assert split("🙂", spans[:5], 3) == [(0, 1)]


texts = st.text(st.sampled_from("ab .!?。中\n\t\"'\ud800é🙂"), max_size=120)


@given(text=texts, room=st.integers(1, 20))
def test_parts_are_in_order_fit_and_lose_white_space_only(text: str, room: int) -> None:
    spans = [match.span() for match in re.finditer(r"\w+?|[^\w\s]", text)]
    parts = split(text, spans, room)
    ends = [0, *(end for _, end in parts)]
    starts = [*(start for start, _ in parts), len(text)]
    assert all(not text[end:start].strip() for end, start in zip(ends, starts, strict=True))
    for start, end in parts:
        assert sum(start <= at < end for at, _ in spans) <= room
        assert text[start:end].strip() == text[start:end]


@given(text=st.text(st.characters(codec=None, exclude_categories=()), max_size=60))
@settings(max_examples=60)
def test_windows_of_any_text_fit_and_stand_where_they_say(text: str) -> None:
    small, unread = reader(max_tokens=6)
    (windows,) = small.windows([text])
    assert sum(unread.values()) <= len(text)
    for window in windows:
        assert len(window.ids) <= 6
        there = text[window.start : window.start + len(window.text)]
        assert re.sub("[\ud800-\udfff]", "\ufffd", there) == window.text
    assert sum(max(0, len(window.ids) - 2) for window in windows) == len(small.spans([text])[0])


@pytest.mark.parametrize("kind", KINDS)
def test_tokens_ids_and_spans_are_those_of_all_windows(kind: str) -> None:
    text = KINDS[kind]
    (tokens,), (ids,), (spans,) = (ours().tokens([text]), ours().ids([text]), ours().spans([text]))
    assert len(ids) > 126
    assert tokens.ids == tuple(ids)
    assert len(tokens.vectors) == len(spans) == len(ids)
    assert spans == sorted(spans)
    assert all(text[start:end].strip() for start, end in spans)
    assert spans[0][0] == len(text) - len(text.lstrip())


def test_spans_name_the_words() -> None:
    text = f"  {LONG}{INSULT}"
    (spans,) = ours().spans([text])
    assert [text[start:end] for start, end in spans][-9:] == re.findall(r"\w+|\.", INSULT)[-9:]
    assert len(spans) == 40 * 16 + 10


@pytest.mark.parametrize("pooling", POOLINGS)
def test_a_long_text_is_the_mean_of_its_windows_by_tokens(pooling: Pooling) -> None:
    (windows,) = ours().windows([LONG], pooling)
    (vector,) = ours().vectors([LONG], pooling)
    cut = ours()._reader.windows([LONG])[0]
    assert len(cut) == len(windows) > 4
    assert (windows == ours().vectors(ours().parts([LONG])[0], pooling)).all()
    sizes = [len(window.ids) for window in cut]
    np.testing.assert_allclose(vector, np.average(windows, axis=0, weights=sizes), atol=1e-5)
    (before,), (after,) = (ours().windows([text], pooling) for text in (LONG, LONG + INSULT))
    assert (before[:-1] == after[: len(before) - 1]).all()
    assert not np.allclose(vector, ours().vectors([LONG + INSULT], pooling)[0], atol=1e-3)


def test_a_short_text_is_one_window_and_an_empty_one_of_nan() -> None:
    short, empty = ours().windows(["How are you?", " \n"])
    assert short.tobytes() == ours().vectors(["How are you?"]).tobytes()
    assert empty.shape == (1, ours().config.width)
    assert np.isnan(empty).all()
    assert ours().windows([]) == []


def test_company_and_order_do_not_change_a_bit() -> None:
    short = [f"{'so ' * (number * 9)}I have {number} reasons." for number in range(12)]
    together = Encoder.load(threads=2).vectors([LONG, *short, KINDS["Chinese"]])
    fresh = Encoder.load(threads=1)
    alone = np.concatenate(
        [fresh.vectors([text]) for text in [KINDS["Chinese"], *short[::-1], LONG]]
    )
    assert together.tobytes() == alone[::-1].tobytes()


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("x" * 10_000_000, 9_000_000),
        ("ab." * 3_000_000, 8_000_000),
        ("中" * 3_000_000, 2_900_000),
        ("word " * 2_000_000, 9_000_000),
        ("." * 3_000_000, 2_900_000),
    ],
    ids=lambda it: ascii(it)[:8],
)
def test_of_a_huge_line_the_beginning_is_read_and_the_rest_counted(text: str, least: int) -> None:
    some, unread = reader()
    (windows,) = some.windows([text])
    assert len(windows) <= WINDOWS
    assert sum(len(window.text) for window in windows) < 200_000
    (characters,) = unread.values()
    assert least < characters
    assert characters == len(text.strip()) - (windows[-1].start + len(windows[-1].text))


def test_what_is_not_read_is_counted_once_for_each_text() -> None:
    one = Encoder.load(threads=1)
    limit = 126 * WINDOWS
    whole, more = "yes " * limit, "yes " * (limit + 3)
    one.vectors([whole, LONG, more, more])
    one.vectors([more], "texture")
    one.tokens([more])
    one.ids([more])
    assert list(one.counts.unread.values()) == [len(" yes") * (126 // 4)]  # no crumb
    assert one.counts.encoded < 40  # windows that are alike are encoded once


def test_windows_are_kept_on_disk(tmp_path: Path) -> None:
    first = Encoder.load(threads=1, cache=tmp_path)
    vectors = first.vectors([LONG, "short", ""])
    again = Encoder.load(threads=1, cache=tmp_path)
    assert again.vectors([LONG, "short", ""]).tobytes() == vectors.tobytes()
    assert (first.counts.encoded > 2, again.counts.encoded) == (True, 0)
    assert again.windows([LONG])[0].tobytes() == first.windows([LONG])[0].tobytes()


def test_wider_windows() -> None:
    wide = Encoder.load(threads=1, max_tokens=512)
    assert "|tokens:512|" in wide.signature
    assert wide.signature != ours().signature
    assert wide.vectors(["short"]).tobytes() == ours().vectors(["short"]).tobytes()
    text = SENTENCE * 30
    assert (len(wide.windows([text])[0]), len(ours().windows([text])[0])) == (1, 5)
    assert len(wide.windows([LONG])[0]) == 2
    assert wide.ids([LONG]) == ours().ids([LONG])


@pytest.mark.parametrize("count", [-1, 2, 513, 10**9])
def test_windows_that_the_network_has_no_room_for(count: int) -> None:
    with pytest.raises(
        ModelError, match=f"no room for a window of {count} tokens: choose 3 to 512"
    ):
        Encoder.load(threads=1, max_tokens=count)
