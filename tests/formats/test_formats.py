"""Every format is recognised and read; what cannot be read is one clear error."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dialogauge as dg
from dialogauge.errors import DialogaugeError, InputError, RecordError, UnknownNameError
from dialogauge.formats import FORMATS
from dialogauge.formats.reading import OnError

from ..test_dialogue import dialogues

HI = {"speaker": "A", "text": "hi"}
HO = {"speaker": "B", "text": "ho"}
OPENAI = [
    {"role": "system", "content": "be brief"},
    {"role": "user", "content": [{"type": "text", "text": "hi"}, {"type": "image_url"}]},
    {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "f"}}]},
    {"role": "tool", "content": "42"},
    {"role": "assistant", "content": "ho"},
]
SHAREGPT = {"conversations": [{"from": "human", "value": "hi"}, {"from": "gpt", "value": "ho"}]}
PARLAI = {"dialog": [[{"id": "A", "text": "hi"}, {"id": "B", "text": "ho"}]]}

#: name of the file -> its content; each holds "hi", answered by "ho".
SAMPLES: dict[str, str] = {
    "native.jsonl": json.dumps({"id": "1", "turns": [HI, HO]}),
    "native-pretty.json": json.dumps({"turns": [HI, HO]}, indent=2),
    "native-array.json": json.dumps([{"id": "1", "turns": [HI, HO]}]),
    "openai-list.json": json.dumps(OPENAI, indent=1),
    "openai-list-line.json": json.dumps(OPENAI),
    "openai.jsonl": json.dumps({"messages": OPENAI}),
    "openai-lists.jsonl": json.dumps(OPENAI),
    "openai-array.json": json.dumps([{"messages": OPENAI}], indent=1),
    "openai-array-of-lists.json": json.dumps([OPENAI]),
    "sharegpt.json": json.dumps([SHAREGPT]),
    "sharegpt.jsonl": json.dumps(SHAREGPT),
    "parlai.jsonl": json.dumps(PARLAI),
    "parlai-json.jsonl": json.dumps({"text": "hi", "labels": ["ho"], "episode_done": True}),
    "parlai.txt": "text:hi\tlabels:ho|hey\tepisode_done:True",
    "long.csv": "dialogue_id,speaker,text\n1,A,hi\n1,B,ho\n",
    "long.tsv": "conversation_id\trole\tmessage\n1\tA\thi\n1\tB\tho\n",
    "pair.csv": "context,response,reference,rating.Overall\nhi,ho,hey,4;5\n",
    "talk.txt": "A: hi\nB: ho\n",
    "nameless.txt": "hi\nho\n",
    "utt.txt": "hi</UTT>ho\n",
    "eou.txt": "hi __eou__ ho __eou__\n",
    "unnamed": "A: hi\nB: ho\n",
    "unnamed-csv": "id,speaker,text\n1,A,hi\n1,B,ho\n",
}


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def said(dialogue: dg.Dialogue) -> list[str]:
    return [turn.text for turn in dialogue.spoken.turns]


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("packed", ["", ".gz", ".zst"])
def test_recognised_and_read(name: str, packed: str, tmp_path: Path) -> None:
    pack: Any = {"": bytes, ".gz": gzip.compress, ".zst": zstandard.compress}[packed]
    path = write(tmp_path, name + packed, pack(SAMPLES[name].encode()))
    dialogues = dg.read(path)
    (dialogue,) = dialogues
    assert said(dialogue) == ["hi", "ho"]
    assert list(dialogues) == [dialogue]  # a second iteration reads it again
    assert (dialogues.counts.files, dialogues.counts.read, dialogues.counts.skipped) == (1, 1, 0)


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("name", ["talk.txt", "long.csv", "utt.txt", "nameless.txt"])
def test_line_ends(name: str, ends: str, tmp_path: Path) -> None:
    (dialogue,) = dg.read(write(tmp_path, name, SAMPLES[name].replace("\n", ends)))
    assert said(dialogue) == ["hi", "ho"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("name", ["talk.txt", "long.csv", "native.jsonl", "sharegpt.json"])
def test_byte_order_marks(name: str, encoding: str, tmp_path: Path) -> None:
    (dialogue,) = dg.read(write(tmp_path, name, SAMPLES[name].encode(encoding)))
    assert said(dialogue) == ["hi", "ho"]


def test_openai_details(tmp_path: Path) -> None:
    (dialogue,) = dg.read(write(tmp_path, "o.json", json.dumps({"messages": OPENAI, "model": "m"})))
    asides = [turn.text for turn in dialogue.turns if turn.aside]
    assert asides == ["be brief", "f(None)", "42"]
    assert (dialogue.system, dialogue.responder) == ("m", "assistant")


def test_our_fields_beside_messages(tmp_path: Path) -> None:
    fields = {"id": 7, "ratings": {"o": [1, None]}, "level": "turn", "references": ["hey"]}
    (dialogue,) = dg.read(write(tmp_path, "o.jsonl", json.dumps({"messages": OPENAI, **fields})))
    assert (dialogue.id, dialogue.level, dialogue.references) == ("7", "turn", ("hey",))
    assert dialogue.rating("o") == 1


def test_more_than_two_speakers(tmp_path: Path) -> None:
    messages = [{"role": "user", "name": name, "content": "hi"} for name in ("Ann", "Bo", "Cy")]
    (dialogue,) = dg.read(write(tmp_path, "o.json", json.dumps(messages)))
    assert dialogue.speakers == ("Ann", "Bo", "Cy")


def test_csv_details(tmp_path: Path) -> None:
    (dialogue,) = dg.read(write(tmp_path, "pair.csv", SAMPLES["pair.csv"]))
    assert (dialogue.level, dialogue.references) == ("turn", ("hey",))
    assert dialogue.ratings["Overall"] == (4, 5)
    text = 'chat,who,said\n1,A,"two\nlines, ""quoted"""\n1,B,ho\n2,A,hi\n'
    path = write(tmp_path, "own.csv", text)
    columns = {"id": "chat", "speaker": "who", "text": "said"}
    one, two = dg.read(path, columns=columns)
    assert said(one) == ['two\nlines, "quoted"', "ho"]
    assert (one.id, two.id) == ("1", "2")
    with pytest.raises(InputError, match="no column 'whom'"):
        list(dg.read(path, columns=columns | {"speaker": "whom"}))
    with pytest.raises(InputError, match="chat, who, said"):
        list(dg.read(path))


def test_text_details(tmp_path: Path) -> None:
    text = "Ann Lee: see http://x.org: it is\nbelow\nBo: at 5:30\n\n\nAnn: next\n"
    one, two = dg.read(write(tmp_path, "t.txt", text))
    assert said(one) == ["see http://x.org: it is\nbelow", "at 5:30"]
    assert one.speakers == ("Ann Lee", "Bo")
    assert (one.id, two.id) == ("t:1", "t:2")
    with pytest.raises(RecordError, match=r"t\.txt:1: the first line has no speaker"):
        list(dg.read(write(tmp_path, "t.txt", "no name here\nA: hi\n")))


def test_folders_globs_and_lists(tmp_path: Path) -> None:
    (tmp_path / "sub" / ".hidden").mkdir(parents=True)
    write(tmp_path, "a.txt", "A: hi\n")
    write(tmp_path, "sub/b.jsonl.gz", gzip.compress(SAMPLES["native.jsonl"].encode()))
    write(tmp_path, "sub/.hidden/c.txt", "A: no\n")
    write(tmp_path, "sub/picture.png", b"\x89PNG")
    assert [each.id for each in dg.read(tmp_path)] == ["a:1", "1"]
    assert [each.id for each in dg.read(f"{tmp_path}/*.txt")] == ["a:1"]
    assert [each.id for each in dg.read(f"{tmp_path}/**/*.gz")] == ["1"]
    assert len(list(dg.read([tmp_path / "a.txt", tmp_path / "sub"]))) == 2


def test_ids_of_files_with_one_stem_differ(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    paths = [write(tmp_path, "a.txt", "A: hi\n"), write(tmp_path, "x/a.txt", "A: ho\n")]
    assert len({each.id for each in dg.read(paths)}) == 2


def test_forced_format(tmp_path: Path) -> None:
    path = write(tmp_path, "odd.dat", "hi\nho\n")
    with pytest.raises(InputError, match=r"odd\.dat: the format is not recognised"):
        list(dg.read(path))
    (dialogue,) = dg.read(path, format="text")
    assert said(dialogue) == ["hi", "ho"]
    with pytest.raises(UnknownNameError, match="did you mean 'text'"):
        dg.read(path, format="texd")


def test_write_and_read_again(tmp_path: Path) -> None:
    originals = [dg.Dialogue(str(at), (dg.Turn("A", "x\u2028\n" * at),)) for at in range(1, 5)]
    assert dg.write(originals, tmp_path / "out.jsonl") == 4
    assert list(dg.read(tmp_path / "out.jsonl")) == originals


@given(st.lists(dialogues(), min_size=1, max_size=5, unique_by=lambda each: each.id))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_native_round_trip(tmp_path: Path, originals: list[dg.Dialogue]) -> None:
    dg.write(originals, tmp_path / "out.jsonl")
    again = list(dg.read(tmp_path / "out.jsonl"))
    assert [each.turns for each in again] == [each.turns for each in originals]
    assert [each.id for each in again] == [each.id for each in originals]


TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=30)


@given(st.lists(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=4), min_size=1, max_size=4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_sharegpt_arrays_of_any_text(tmp_path: Path, chats: list[list[tuple[str, str]]]) -> None:
    """Brackets, quotes and escapes inside strings do not mislead the cutter, pretty or not."""
    document = [{"conversations": [{"from": a, "value": b} for a, b in chat]} for chat in chats]
    for indent in (None, 1):
        path = write(tmp_path, "s.json", json.dumps(document, indent=indent))
        found = [[(turn.speaker, turn.text) for turn in each.turns] for each in _read_all(path)]
        keeps = [chat for chat in chats if any(a not in _ASIDES for a, _ in chat)]
        assert found == keeps


_ASIDES = ("system", "tool", "function", "developer", "observation")


def _read_all(path: Path) -> list[dg.Dialogue]:
    try:
        return list(dg.read(path, on_error="skip"))
    except InputError:
        return []


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=6))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_csv_of_any_text(tmp_path: Path, turns: list[tuple[str, str]]) -> None:
    import csv

    with (tmp_path / "c.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["dialogue_id", "speaker", "text"])
        table.writerows([["d", f"s{speaker}", text] for speaker, text in turns])
    (dialogue,) = dg.read(tmp_path / "c.csv")
    assert said(dialogue) == [text for _, text in turns]


@given(st.binary(max_size=300), st.sampled_from([*FORMATS, None]))
@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_read_or_refused(tmp_path: Path, data: bytes, format: str | None) -> None:
    """Never another exception, in any format."""
    path = write(tmp_path, "x.dat", data)
    policies: tuple[OnError, ...] = ("stop", "skip")
    for on_error in policies:
        try:
            found = list(dg.read(path, format=format, on_error=on_error))
            assert all(isinstance(each, dg.Dialogue) for each in found)
        except DialogaugeError as error:
            assert "\n" not in str(error)  # noqa: PT017


@pytest.mark.parametrize("name", SAMPLES)
def test_every_cut_and_every_flipped_byte(name: str, tmp_path: Path) -> None:
    """A file that stops anywhere, or has one byte wrong, is read or refused, never a crash."""
    data = SAMPLES[name].encode()
    damaged = [data[:at] for at in range(len(data))]
    damaged += [
        data[:at] + bad + data[at + 1 :] for at in range(len(data)) for bad in (b"\0", b"}")
    ]
    for content in damaged:
        path = write(tmp_path, name, content)
        try:
            list(dg.read(path))
        except InputError as error:
            assert str(path) in str(error)  # noqa: PT017


@pytest.mark.parametrize(
    "value", [None, 5, True, [], {}, [1], [{"type": "image_url"}], [{"text": 3}]]
)
def test_non_text_turns_name_their_field(value: Any, tmp_path: Path) -> None:
    cases = {
        "n.jsonl": ({"id": "1", "turns": [HI, {"speaker": "B", "text": value}]}, "turns[1].text"),
        "o.jsonl": (
            {"messages": [{"role": "user", "content": "hi"}, {"role": "user", "content": value}]},
            "messages[1].content",
        ),
        "s.jsonl": (
            {"conversations": [{"from": "a", "value": "hi"}, {"from": "b", "value": value}]},
            "conversations[1].value",
        ),
    }
    for name, (record, field) in cases.items():
        path = write(tmp_path, name, "\n" + json.dumps(record) + "\n")
        with pytest.raises(RecordError) as caught:
            list(dg.read(path))
        assert str(caught.value).startswith(f"{path}:2: {field}: ")
