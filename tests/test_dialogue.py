"""Dialogue: frozen, hashable by id, round trip, ratings with gaps, broken Unicode."""

import math
from hashlib import blake2b

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dialogauge as dg
from dialogauge.dialogue import Dialogue, Turn, convert, decode, encode, loads, normalise
from dialogauge.errors import RecordError

TEXTS = st.text(max_size=40)
TURNS = st.builds(Turn, speaker=TEXTS, text=TEXTS, aside=st.booleans())
NUMBERS = st.floats(allow_nan=True, allow_infinity=False)


@st.composite
def dialogues(draw: st.DrawFn) -> Dialogue:
    turns = [*draw(st.lists(TURNS, max_size=5)), draw(st.builds(Turn, TEXTS, TEXTS))]
    return Dialogue(
        id=draw(st.text(min_size=1, max_size=20)),
        turns=tuple(turns),
        system=draw(TEXTS),
        references=tuple(draw(st.lists(TEXTS, max_size=2))),
        ratings=draw(st.dictionaries(TEXTS, st.lists(NUMBERS, max_size=3).map(tuple), max_size=2)),
        level=draw(st.sampled_from(["dialogue", "turn"])),
    )


def chat(*texts: str, **fields: object) -> Dialogue:
    turns = tuple(Turn("AB"[at % 2], text) for at, text in enumerate(texts))
    return msgspec.structs.replace(Dialogue("d", turns), **fields)


@given(dialogues())
def test_round_trip(dialogue: Dialogue) -> None:
    again = decode(encode(dialogue))
    assert encode(again) == encode(dialogue)  # bytes, because NaN is not equal to itself
    assert again.turns == dialogue.turns
    assert hash(again) == hash(dialogue.id)
    assert again.digest == dialogue.digest


def test_is_frozen() -> None:
    with pytest.raises(AttributeError):
        chat("hi").id = "other"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("line", "field", "problem"),
    [
        (b'{"id": "a", "turns": []}', "turns", "at least one turn"),
        (b'{"id": "a", "turns": [{"speaker": "A", "text": 5}]}', "turns[0].text", "str"),
        (b'{"id": "a", "turns": [{"speaker": "A", "text": null}]}', "turns[0].text", "str"),
        (b'{"id": "", "turns": [{"speaker": "A", "text": "x"}]}', "id", "empty"),
        (b'{"id": "a", "turns": [{"speaker": "s", "text": "", "aside": true}]}', "turns", "one"),
        (b'{"id": "a"}', "", "turns"),
        (b'{"id": "a", "turns": "x"}', "turns", "array"),
        (b"[1]", "", "object"),
        (b'{"id": "a", "tur', "", "not JSON"),
        (b"[" * 100_000, "", "deeply"),
        (b'{"id":"a","turns":[{"speaker":"A","text":"x"}],"ratings":{"o":[true]}}', "ratings", ""),
        (b'{"id":"a","turns":[{"speaker":"A","text":"x"}],"level":"word"}', "level", "word"),
    ],
)
def test_what_is_wrong_is_named(line: bytes, field: str, problem: str) -> None:
    with pytest.raises(RecordError) as caught:
        decode(line)
    assert caught.value.field.startswith(field)
    assert problem in caught.value.problem


@pytest.mark.parametrize("written", ["null", "NaN", "[null]", "[NaN]"])
def test_null_and_nan_are_one_thing(written: str) -> None:
    line = f'{{"id":"a","turns":[{{"speaker":"A","text":"x"}}],"ratings":{{"o":{written}}}}}'
    dialogue = decode(line)
    assert len(dialogue.ratings["o"]) == 1
    assert math.isnan(dialogue.ratings["o"][0])
    assert b"[null]" in encode(dialogue)


def test_the_mean_is_of_raters_who_answered() -> None:
    rated = chat("hi", ratings={"o": (4.0, math.nan, 5.0), "none": (math.nan,)})
    assert rated.rating("o") == 4.5
    assert math.isnan(rated.rating("none"))
    assert math.isnan(rated.rating("absent"))


@pytest.mark.parametrize(
    ("text", "replaced"),
    [
        (rb"\ud800 half", 1),
        (rb"\udc00\ud800", 2),
        (rb"\ud83d\ude00 whole", 0),
        (b"caf\xe9", 1),
        (b"\xed\xa0\x80", 3),
    ],
)
def test_broken_unicode_is_replaced_and_counted(text: bytes, replaced: int) -> None:
    counted: list[int] = []
    dialogue = decode(
        b'{"id":"a","turns":[{"speaker":"A","text":"' + text + b'"}]}', counted.append
    )
    assert sum(counted) == replaced
    assert dialogue.response.count("\ufffd") == replaced
    encode(dialogue)


def test_surrogates_put_in_by_python_code_do_not_break_writing() -> None:
    dialogue = chat("half \ud800", ratings={"o": (math.nan,)})
    assert decode(encode(dialogue)).response == "half \ufffd"
    assert dialogue.digest
    assert dialogue.context_key


def test_control_characters_are_read() -> None:
    assert decode(b'{"id":"a","turns":[{"speaker":"A","text":"a\x00b"}]}').response == "a\x00b"
    assert loads(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}


def test_context_and_response() -> None:
    dialogue = chat("one", "two", "three")
    assert dialogue.response == "three"
    assert [turn.text for turn in dialogue.context] == ["one", "two"]


def test_a_dialogue_is_hashed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[bytes] = []

    def counting(data: bytes) -> str:
        hashed.append(data)
        return blake2b(data, digest_size=8).hexdigest()

    monkeypatch.setattr("dialogauge.dialogue._hash", counting)
    rated = [
        Dialogue(f"d{at}", chat("hi", "word " * at).turns, ratings={"Overall": (at, at + 1)})
        for at in range(1, 9)
    ]
    dg.judge(["random", "turn-count"], rated, "Overall")
    dg.score(rated, "random")
    assert len(hashed) == 2 * len(rated)  # its digest and its context's key


def test_what_was_hashed_is_no_part_of_a_dialogue() -> None:
    dialogue, other = chat("one", "two"), chat("one", "two")
    before = encode(dialogue), repr(dialogue), hash(dialogue)
    assert dialogue.digest == other.digest
    assert dialogue.digest is dialogue.digest
    assert (encode(dialogue), repr(dialogue), hash(dialogue)) == before
    assert dialogue == chat("one", "two")
    assert "digest" not in msgspec.structs.asdict(dialogue)
    longer = dialogue.with_turns((*dialogue.turns, Turn("A", "three")))
    assert longer.digest != dialogue.digest
    assert longer.context_key == dialogue.context_key
    with pytest.raises(AttributeError):
        dialogue.digest = "another"


def test_asides_are_kept_and_left_out() -> None:
    prompt = Turn("system", "be brief", aside=True)
    dialogue = Dialogue("d", (prompt, Turn("user", "hi"), Turn("assistant", "yes")))
    assert [turn.speaker for turn in dialogue.spoken.turns] == ["user", "assistant"]
    assert dialogue.speakers == ("user", "assistant")
    assert chat("hi").spoken == chat("hi")


@pytest.mark.parametrize(
    ("speakers", "level", "expected"),
    [
        (("User", "System", "User"), "dialogue", "System"),
        (("user", "assistant", "user"), "turn", "user"),
        (("A", "B", "C"), "dialogue", "B"),
        (("A",), "dialogue", "A"),
    ],
)
def test_responder(speakers: tuple[str, ...], level: str, expected: str) -> None:
    turns = [{"speaker": speaker, "text": "x"} for speaker in speakers]
    assert convert({"id": "d", "turns": turns, "level": level}).responder == expected


def test_context_key_is_shared_by_answers_to_one_context() -> None:
    one = chat("Hi there!", "yes", id="1", level="turn")
    other = chat("hi there", "no", id="2", level="turn")
    assert one.context_key == other.context_key
    assert chat("Hi", id="1").context_key != chat("Hi", id="2").context_key


def test_digest_tells_what_a_metric_reads() -> None:
    plain = chat("hi", "ho")
    assert plain.digest == chat("hi", "ho", id="x", ratings={"o": (1.0,)}).digest
    others = [chat("hi", "Ho"), chat("hi", "ho", references=("r",)), chat("hi", "ho", level="turn")]
    assert len({plain.digest, *(other.digest for other in others)}) == 4


@given(st.text())
def test_normalise_is_idempotent(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)
