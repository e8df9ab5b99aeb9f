"""Files that are not what they should be: an error with its place, never a traceback."""

import gzip
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dialogauge.corpora import conversations, rated, reading
from dialogauge.corpora.catalogue import Corpus, Reader, corpora, parse
from dialogauge.corpora.catalogue import released as released_files
from dialogauge.corpora.files import table
from dialogauge.corpora.reading import Part
from dialogauge.dialogue import Dialogue
from dialogauge.errors import DataError, DialogaugeError, InputError
from dialogauge.reproduce import released

FED = [
    {
        "context": "User: Hi!\nSystem: Hello.\nUser: How are you?",
        "response": "System: Fine.",
        "system": "bot",
        "annotations": {"Overall": [1, "N/A (unsure)", 3]},
    },
    {"context": "User: Hi!\nSystem: Yes?", "system": "bot", "annotations": {"Overall": [2]}},
]
DSTC9 = [
    {"context": "User: Hi\nSystem: Ho\nho\n", "human (overall)": 3, "coherent": "N/A"},
    {"context": "User: Hi\nSystem: Ho\nho\n", "human (overall)": 4, "coherent": 2},
]
USR = [
    {
        "context": "so , hi \n well , hello \n\n",
        "responses": [
            {"model": "Original Ground Truth", "response": "good day\n", "Overall": [1, 2, 3]},
            {"model": "Argmax", "response": "hm\n", "Overall": [3, 2, 1]},
        ],
    }
]
JUDGEMENT = {
    "Dataset": "talk",
    "DialogModel": "bot",
    "Context": "Hi .|||Ho .",
    "Response": "Hey .",
    "HumanScores": "[1, 2]",
}
PLUSPLUS = {
    "context": ["Hi.", "Ho."],
    "positive_responses": ["Hey.", "Good day."],
    "adversarial_negative_responses": ["Hi-fi."],
    "random_negative_responses": ["No."],
}
CHAT = {
    "t_1": {
        "content": [{"message": "Hi!", "agent": "agent_1", "turn_rating": "Good"}],
        "conversation_rating": {"agent_1": "Poor", "agent_2": ""},
    }
}
_ASPECTS = ("robotic", "interesting", "fun", "consistent", "fluent", "repetitive", "topic")
JI = {
    "system": "A",
    "dialogue": [{"user": "Hi! ", "bot": "hello ."}],
    "z": dict.fromkeys(_ASPECTS, 0.5),
}


def read(reader: Reader, *paths: Path, split: str = "") -> list[Dialogue]:
    return list(reader(Part("corpus", paths, split)))


def problem(reader: Reader, path: Path) -> str:
    """What the reader complains of; the path alone where it reads on."""
    try:
        read(reader, path)
    except DialogaugeError as error:
        return str(error)
    return str(path)


def put(folder: Path, name: str, content: Any) -> Path:
    """A file; what is neither text nor bytes is written as JSON."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if not isinstance(content, str | bytes):
        content = json.dumps(content, indent=1)
    data = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def grade_files(folder: Path, **changed: Any) -> list[Path]:
    files: dict[str, Any] = {
        "human_judgement.json": [JUDGEMENT],
        "talk/bot/human_ctx.txt": "Hi .|||Ho .\n",
        "talk/bot/human_hyp.txt": "Hey .\n",
        "talk/bot/human_ref.txt": "Good day .\n",
    }
    return [put(folder, name, changed.get(Path(name).stem, it)) for name, it in files.items()]


def zipped(folder: Path, text: str, name: str = "train/dialogues_train.txt") -> Path:
    with zipfile.ZipFile(folder / "train.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, text)
    return folder / "train.zip"


def test_small_files_are_read(tmp_path: Path) -> None:
    """The valid forms of what is broken below."""
    fed = put(tmp_path, "fed.json", FED)
    (turn,), (whole,) = read(rated.fed_turn, fed), read(rated.fed_dialogue, fed)
    assert (turn.response, turn.level, len(turn.turns)) == ("Fine.", "turn", 4)
    assert str(turn.ratings["Overall"]) == "(1.0, nan, 3.0)"
    assert whole.level == "dialogue"
    (chat,) = read(rated.dstc9, put(tmp_path, "chatbot1.json", DSTC9))
    assert [turn.text for turn in chat.turns] == ["Hi", "Ho\nho"]
    assert (chat.system, chat.ratings["overall"]) == ("chatbot1", (3.0, 4.0))
    truth, other = read(rated.usr, put(tmp_path, "usr.json", USR))
    assert (truth.references, other.references) == ((), ("good day",))
    (graded,) = read(rated.grade, *grade_files(tmp_path))
    assert graded.references == ("Good day .",)
    assert graded.ratings == {"coherence": (1.0, 2.0)}
    plus = read(rated.dailydialogpp, put(tmp_path, "plus.json", json.dumps(PLUSPLUS)))
    assert [item.rating("level") for item in plus] == [2, 2, 1, 0]
    assert [item.references for item in plus[:3]] == [
        ("Good day.",),
        ("Hey.",),
        ("Hey.", "Good day."),
    ]
    (talk,) = read(
        conversations.dailydialog, zipped(tmp_path, "Hi __eou__ Ho __eou__\n"), split="train"
    )
    assert [turn.text for turn in talk.turns] == ["Hi", "Ho"]
    (rated_bot,) = read(conversations.ji2022, put(tmp_path, "ji.jsonl.gz", json.dumps(JI)))
    assert [(turn.speaker, turn.text) for turn in rated_bot.turns] == [
        ("user", "Hi!"),
        ("bot", "hello ."),
    ]
    assert rated_bot.rating("not robotic") == rated_bot.rating("overall") == 0.5
    published = {"model": "A", "dialogue": JI["dialogue"], "z scores": JI["z"], "feedback": ""}
    task = put(tmp_path, "pass.json", [{"WorkerId": "W", "data": [published]}])
    assert read(conversations.ji2022, task) == [rated_bot]  # as published


def changed(value: Any, **fields: Any) -> Any:
    """The first record with other fields; None takes one away."""
    first = {name: it for name, it in {**value[0], **fields}.items() if it is not None}
    return [first, *value[1:]]


BAD: list[tuple[str, Reader, str, Any, str]] = [
    ("not a list", rated.fed_turn, "f.json", {}, "f.json: Expected array, got object"),
    (
        "no field",
        rated.fed_turn,
        "f.json",
        changed(FED, system=None),
        "f.json: [0]: Object missing",
    ),
    ("no speaker", rated.fed_turn, "f.json", changed(FED, context="Hi"), "turn item 0.context"),
    ("a word", rated.fed_turn, "f.json", changed(FED, annotations={"a": ["no"]}), "number or N/A"),
    ("empty", rated.fed_dialogue, "f.json", "", "f.json:1: this is not JSON"),
    ("rows differ", rated.dstc9, "c.json", changed(DSTC9, coherent=None), "c.json: [1]: other"),
    ("no context", rated.dstc9, "c.json", changed(DSTC9, context=None), "c.json: [0]: other"),
    ("no model", rated.usr, "u.json", [{"context": "a", "responses": [{}]}], "responses[0]"),
    (
        "no column",
        rated.engage,
        "e.csv",
        "query,response\na,b\n",
        "e.csv:1: no column human_score",
    ),
    (
        "not a number",
        rated.engage,
        "e.csv",
        "query,response,human_score\na,b,c\n",
        "e.csv:2: human",
    ),
    ("nan", rated.engage, "e.csv", "query,response,human_score\na,b,nan\n", "expected a number"),
    ("short row", rated.engage, "e.csv", "query,response,human_score\na,b\n", "e.csv:2: a row"),
    ("open quote", rated.engage, "e.csv", 'query,response,human_score\n"a,b,1\n', "not CSV"),
    ("bad line", rated.dailydialogpp, "p.json", json.dumps(PLUSPLUS) + "\n{}", "p.json:2"),
    ("blank line", conversations.personachat, "p.txt", "a</UTT>b\n\nc\n", "p.txt:2: the line is"),
    ("only marks", conversations.personachat, "p.txt", "a\n</UTT>\n", "p.txt:2: turns: a dialogue"),
    ("not UTF-8", conversations.personachat, "p.txt", b"a\n\xff\n", "p.txt:2: this is not UTF-8"),
    (
        "no bot",
        conversations.ji2022,
        "j.jsonl",
        json.dumps({**JI, "dialogue": [{"user": ""}]}),
        ":1",
    ),
    ("no talk", conversations.ji2022, "j.jsonl", json.dumps({**JI, "dialogue": []}), "dialogue 0"),
    ("no z", conversations.ji2022, "j.jsonl", json.dumps({**JI, "z": {}}), "j.jsonl:1: z: Object"),
    ("no rater", conversations.ji2022, "j.json", [{"data": [{}]}], "j.json: [0].data[0]: Object"),
    ("no name", conversations.topical_chat, "t.txt.gz", "a</UTT>b\n", "t.txt.gz:1: expected name"),
    ("other word", conversations.topical_chat, "t.json", {"t": {"content": []}}, "t.json"),
    (
        "no turns",
        conversations.cmu_dog,
        "c.jsonl.gz",
        '{"split":"","rating":1,"utterances":[]}',
        ":1:",
    ),
    (
        "wrong type",
        conversations.self_dialogue,
        "s.jsonl",
        '{"topic":"x","utterances":[1]}',
        "s.jsonl:1: utterances[0]",
    ),
]


@pytest.mark.parametrize(
    ("case", "reader", "name", "content", "message"), BAD, ids=[b[0] for b in BAD]
)
def test_bad_content_names_its_place(
    tmp_path: Path, case: str, reader: Reader, name: str, content: Any, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        read(reader, put(tmp_path, name, content))
    assert str(tmp_path) in str(caught.value)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_truncated_json_names_its_last_line(tmp_path: Path) -> None:
    text = json.dumps(FED, indent=1)
    path = put(tmp_path, "fed.json", text[: len(text) // 2])
    with pytest.raises(
        InputError, match=rf"fed\.json:{text[: len(text) // 2].count(chr(10)) + 1}: "
    ):
        read(rated.fed_turn, path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"human_ref": "one\ntwo\n"}, r"human_ref\.txt:2: 2 lines, but .*human_ctx\.txt has 1"),
        ({"human_judgement": []}, r"human_ctx\.txt:1: 1 lines, but .* judges 0"),
        ({"human_hyp": "Other .\n"}, r"human_ctx\.txt:1: not the response that was judged"),
        (
            {"human_judgement": [{**JUDGEMENT, "HumanScores": "[1,"}]},
            r"human_judgement\.json: \[0\]\.HumanScores: this is not JSON",
        ),
    ],
)
def test_misaligned_grade_files(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(rated.grade, *grade_files(tmp_path, **changes))


@pytest.mark.parametrize("ratings", [[1.0], {"dailydialog-zhao": [1.0]}])
def test_zhao_needs_as_many_ratings_as_lines(tmp_path: Path, ratings: Any) -> None:
    means = put(tmp_path, "ratings.json", ratings)
    assert read(rated.zhao, put(tmp_path, "a.txt", "id\thi\tho\n"), means)[0].response == "ho"
    with pytest.raises(InputError, match=r"b\.txt:2: 2 lines"):
        read(rated.zhao, put(tmp_path, "b.txt", "id\thi\tho\nid\thi\thm\n"), means)
    with pytest.raises(InputError, match="dailydialog-zhao"):
        read(rated.zhao, tmp_path / "a.txt", put(tmp_path, "other.json", {"x": [1.0]}))


def test_released_scores_must_align(tmp_path: Path) -> None:
    one = put(tmp_path, "scores.txt", "a</UTT>0.5\nb</UTT>0.25\n")
    assert released.read((one,), (one,)).metric.tolist() == [0.5, 0.25]
    with pytest.raises(InputError, match=r"scores\.txt:2: 2 scores, but 1"):
        released.read((one,), (put(tmp_path, "people.txt", "1\n"),))
    with pytest.raises(InputError, match=r"people\.txt:1: expected a number"):
        released.read((one,), (put(tmp_path, "people.txt", "one\n"),))


TABLE = """
[one]
kind = "benchmark"
level = "turn"
role = "test"
items = 1
licence = "MIT"
citation = "Somebody"
about = "Something."
read = "rated.usr"
splits."" = ["a"]
"""
MISTAKES = {
    "not TOML": ("[one]", "= 1", "a.toml: this is not TOML"),
    "no role": ('role = "test"\n', "", "a.toml: one: Object missing required field role"),
    "a wrong role": ('"test"', '"exam"', "a.toml: one.role: Invalid enum value 'exam'"),
    "a wrong number": ("items = 1", "items = 'x'", "a.toml: one.items: Expected int, got str"),
    "an unknown key": ("items", "item", "a.toml: one: Object contains unknown field item"),
    "no such reader": ("rated.usr", "rated.us", "a.toml: one.read: no reader is called 'rated.us'"),
    "no such module": ("rated.usr", "usr", "a.toml: one.read: no reader is called 'usr'"),
    "files that are none": ('["a"]', "[1]", "a.toml: one.splits[...][0]: Expected str, got int"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_the_table_of_corpora_is_named(mistake: str) -> None:
    right, wrong, expected = MISTAKES[mistake]
    assert parse(TABLE, Corpus, "a.toml")["one"].files == ("a",)
    with pytest.raises(InputError, match=re.escape(expected)):
        parse(TABLE.replace(right, wrong), Corpus, "a.toml")


def test_every_file_of_the_tables_is_known() -> None:
    paths = [path for corpus in corpora().values() for path in corpus.files]
    paths += [path for one in released_files().values() for path in one.metric + one.people]
    assert set(paths) <= table().keys()


def test_broken_archives(tmp_path: Path) -> None:
    whole = gzip.compress(b"hello " * 100)
    path = tmp_path / "cut.gz"
    for broken in (whole[:-9], b"no gzip", whole[:20] + b"\0" + whole[21:]):
        path.write_bytes(broken)
        with pytest.raises(DataError, match=r"cut\.gz: "):
            reading.content(path)
    with pytest.raises(DataError, match="holds no file"):
        reading.member(zipped(tmp_path, "x", "other.txt"), "train/dialogues_train.txt")
    (tmp_path / "no.zip").write_bytes(b"PK no zip")
    with pytest.raises(DataError, match="broken zip"):
        reading.member(tmp_path / "no.zip", "a")
    with pytest.raises(DataError, match="cannot be read"):
        reading.content(tmp_path)
    with pytest.raises(DataError, match="cannot be read"):
        reading.member(tmp_path / "absent.zip", "a")


def test_what_unpacks_to_too_much_is_an_error(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.gz"
    bomb.write_bytes(gzip.compress(b"\0" * 2_000_000))
    with pytest.raises(DataError, match="unpacks to more than 1000000 bytes"):
        reading.content(bomb, limit=1_000_000)
    with pytest.raises(DataError, match="unpacks to more than 1000000 bytes"):
        reading.member(zipped(tmp_path, "0" * 2_000_000, "a"), "a", limit=1_000_000)
    assert len(reading.content(bomb)) == 2_000_000


def test_lines_end_at_line_feeds_only(tmp_path: Path) -> None:
    assert reading.lines("\ufeffa\u2028b\r\nc\x85d".encode(), tmp_path) == ["a\u2028b", "c\x85d"]
    assert reading.lines(b"", tmp_path) == []


FORMS: dict[Callable[..., Any], str] = {
    rated.fed_turn: json.dumps(FED),
    rated.fed_dialogue: json.dumps(FED),
    rated.dstc9: json.dumps(DSTC9),
    rated.usr: json.dumps(USR),
    rated.convai2018: '{"bot":"b","turns":[{"speaker":"bot","text":"hi"}],"score":3}',
    rated.engage: "query,response,human_score\na,b,1\n",
    rated.multiref: "model,context_id,human_average_rating,response,all_references,context\n"
    "m,1,2.5,r,a\tb,c||||d\n",
    rated.dailydialogpp: json.dumps(PLUSPLUS),
    rated.dailydialogpp_positives: json.dumps(PLUSPLUS),
    conversations.personachat: "a</UTT>b\n",
    conversations.cmu_dog: '{"split":"","rating":1,"utterances":[{"speaker":"a","text":"b"}]}',
    conversations.schema_guided: '{"id":"1","utterances":[{"speaker":"a","text":"b"}]}',
    conversations.self_dialogue: '{"topic":"a","utterances":["b"]}',
    conversations.ji2022: json.dumps(JI),
    conversations.topical_chat: json.dumps(CHAT),
    conversations.topical_chat_turns: json.dumps(CHAT),
}


def test_every_reader_is_fuzzed() -> None:
    elsewhere = {rated.grade, rated.zhao, conversations.dailydialog}
    assert {corpus.read for corpus in corpora().values()} == FORMS.keys() | elsewhere


@pytest.mark.parametrize("reader", FORMS, ids=lambda reader: reader.__name__)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(draw=st.data())
def test_any_damage_is_our_error_or_none(
    tmp_path: Path, reader: Callable[..., Any], draw: st.DataObject
) -> None:
    """Cut, overwritten or random bytes give dialogues or a DialogaugeError, nothing else."""
    whole = FORMS[reader].encode()
    path = tmp_path / ("file.json" if whole.startswith(b'{"t_1"') else "file.txt")
    path.write_bytes(whole)
    assert read(reader, path)
    start = draw.draw(st.integers(0, len(whole)))
    damage = draw.draw(st.binary(max_size=8))
    rest = draw.draw(st.sampled_from([b"", whole[start:], whole[start + len(damage) :]]))
    path.write_bytes(whole[:start] + damage + rest)
    assert str(path) in problem(reader, path)


@pytest.mark.parametrize(
    "content",
    [b"\0" * 100, b"[" * 100_000, b'{"a":' * 5000, b"\xef\xbb\xbf", b"\n\n\n", b"\xed\xa0\x80"],
)
@pytest.mark.parametrize("reader", FORMS, ids=lambda reader: reader.__name__)
def test_nonsense(tmp_path: Path, reader: Callable[..., Any], content: bytes) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(content)
    assert str(path) in problem(reader, path)
