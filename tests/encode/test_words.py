"""Words that the tokenizer would give up: cut where that helps, counted where it does not."""

import json
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from dialogauge.dialogue import Dialogue, Turn
from dialogauge.encode import Encoder
from dialogauge.encode.cache import key
from dialogauge.encode.words import Words
from dialogauge.metrics import load
from dialogauge.models import shipped

FILE = shipped()["dialogue-minilm"] / "tokenizer.json"
WEATHER = (
    "สวัสดีครับวันนี้อากาศดีมากผมชอบไปเดินเล่นที่สวนสาธารณะกับเพื"
    "่อนของผมทุกวันเสาร์และวันอาทิตย์ตอนเช้าเพราะว่าอากาศเย็นสบาย"
)
SHARES = (
    "ราคาหุ้นตกลงอย่างมากเมื่อวานนี้ธนาคารกลางประกาศขึ้นอัตราดอกเ"
    "บี้ยทำให้นักลงทุนจำนวนมากขายหุ้นของตนออกไปอย่างรวดเร็วมาก"
)


def tokens(text: str) -> list[str]:
    return Words(FILE, 128).placed(text).tokens[1:-1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (WEATHER, SHARES),
        ("q" * 101, "zx" * 60),
        ("great🙂", "awful🙂"),
        ("한국어" * 40, "사람" * 60),
    ],
)
def test_different_words_are_different(one: str, other: str) -> None:
    talk = Dialogue("d", (Turn("a", one), Turn("b", other)))
    assert load("cosim").score([talk])[0].value < 0.99


def test_ordinary_words_are_as_they_were() -> None:
    plain = Tokenizer.from_file(str(FILE))
    for text in ("We went home, didn't we?", "ok 🙂👍🏽 fine", "x" * 100, "中文 İé", ""):
        assert tokens(text) == plain.encode(text).tokens[1:-1]


def test_signs_that_are_not_known_stand_alone() -> None:
    assert tokens("great🙂👍day") == ["great", "[UNK]", "day"]
    assert tokens("x" * 250) == tokens(f"{'x' * 100} {'x' * 100} {'x' * 50}")
    assert "[UNK]" not in tokens("abc" * 100)


def test_markup_is_text(tmp_path: Path) -> None:
    one = Encoder.load(threads=1)
    for text in ("[CLS] [SEP] [PAD] [MASK]", "[UNK]", "a[SEP]🙂b"):  # the last one is cut
        (ids,) = one.ids([text])
        assert not {0, 101, 102, 103} & set(ids)
    assert not np.isnan(one.vectors(["[UNK]"])).any()
    made = Tokenizer.from_file(str(shipped()["base"] / "tokenizer.json"))
    begin, end = made.token_to_id("<s>"), made.token_to_id("</s>")
    ids = Words(shipped()["base"] / "tokenizer.json", 128).placed("<s>you idiot</s>").ids
    assert (ids[0], ids[-1]) == (begin, end)
    assert not {begin, end} & set(ids[1:-1])


def test_signs_that_are_dropped_before_are_counted() -> None:
    one = Encoder.load(threads=1)
    text = "hello \ue000\ue001 there\ufffd\u200d\x07"  # a joiner and a bell say nothing
    assert not np.isnan(one.vectors([text, "hello there"])).any()
    assert one.counts.unread == {key(text): 3}


def test_what_no_token_stands_for_is_counted(tmp_path: Path) -> None:
    for _ in range(2):  # the second time from disk
        one = Encoder.load(threads=1, cache=tmp_path)
        texts = ["Good day.", "great🙂👍day", "🙂" * 300, "so " * 300 + "🙂"]
        vectors = one.vectors([*texts, texts[1]])
        assert one.counts.unread == dict(zip(map(key, texts[1:]), (2, 300, 1), strict=True))
        assert np.isnan(vectors[:, 0]).tolist() == [False, False, True, False, False]
    assert one.counts.encoded == 0
    assert one.hears(texts) == [True, True, False, True]
    assert [len(each.ids) for each in one.tokens(texts)] == [len(ids) for ids in one.ids(texts)]
    assert [len(each) for each in one.spans(texts)] == [len(ids) for ids in one.ids(texts)]


def test_a_long_text_is_read_without_its_windows_of_unknown_signs() -> None:
    one = Encoder.load(threads=1)
    text = "We went home. " * 60
    signs = " ".join(["🙂"] * 400)
    (windows,) = one.windows([f"{text}{signs}"])
    assert not np.isnan(windows).any()
    assert one.counts.unread == {key(f"{text}{signs}"): 400}


@pytest.mark.parametrize("unk_id", [0, None])
def test_other_kinds_of_tokenizers(unk_id: int | None, tmp_path: Path) -> None:
    made = Tokenizer(models.Unigram([("<unk>", 0.0), ("a", -1.0), ("<s>", 0.0)], unk_id=unk_id))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    template = processors.TemplateProcessing("<s> $A <s>", special_tokens=[("<s>", 2)])
    made.post_processor = template
    made.save(str(tmp_path / "tokenizer.json"))
    assert json.loads((tmp_path / "tokenizer.json").read_text())["model"]["unk_id"] == unk_id
    words = Words(tmp_path / "tokenizer.json", 8)
    assert words.unknown("aa a", words.placed("aa a")) == 0
    if unk_id is not None:
        assert words.unknown("aa b", words.placed("aa b")) == 1
