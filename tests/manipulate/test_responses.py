"""Other responses, and the translator by apertium."""

import os
import stat
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialogauge import corpora
from dialogauge.dialogue import Dialogue
from dialogauge.manipulate import translation
from dialogauge.manipulate.catalogue import RESPONSES
from dialogauge.manipulate.manipulation import Manipulation, Tally, seeded
from dialogauge.manipulate.pool import Pool
from dialogauge.manipulate.responses import (
    GENERIC,
    PAPER,
    temporal_skip,
)
from dialogauge.manipulate.rewriting import Rewriting
from dialogauge.manipulate.translation import LONGEST, RoundTrip, ToolError, apertium, available

from . import manipulating
from .manipulating import TEXTS, dialogues, keeps_the_contract, others, pool, talk

BY_NAME = {each.name: each for each in RESPONSES}
CHAT = ("Hi there.", "Hello you.", "Any plans?", "A walk.", "Where to?", "To the lake.")
needs_apertium = pytest.mark.skipif(not available(), reason="needs apertium: make system")


def response(name: str, dialogue: Dialogue, seed: int = 0) -> str:
    return manipulating.response(BY_NAME[name], dialogue, pool(), seed)


def test_the_table_is_complete() -> None:
    assert " ".join(BY_NAME) == (
        "random-response other-response near-response echo generic generated-elsewhere generated "
        "back-translation speaker-confusion swapped-line temporal-skip"
    )
    same = [name for name, each in BY_NAME.items() if each.expect == "same"]
    assert same == ["back-translation"]
    assert all(each.about.endswith(".") for each in RESPONSES)


@pytest.mark.parametrize("manipulation", RESPONSES, ids=lambda each: each.name)
@given(dialogue=dialogues(), seed=st.integers(0, 9))
@settings(max_examples=40)
def test_the_contract(manipulation: Manipulation, dialogue: Dialogue, seed: int) -> None:
    if manipulation.name == "speaker-confusion":
        pytest.importorskip("spacy", reason="needs the extra: language")
    keeps_the_contract(manipulation, dialogue, seed)


def test_foreign_turns_come_from_their_places() -> None:
    dialogue = talk(*CHAT, level="turn")
    anywhere = Counter(response("random-response", dialogue, seed)[-2] for seed in range(300))
    answers = Counter(response("other-response", dialogue, seed)[-2] for seed in range(300))
    assert set(anywhere) == set("01234")
    assert set(answers) == set("1234")


def test_words_of_the_dialogue_itself_are_not_foreign() -> None:
    dialogue = talk("Foreign 0, 1.", "foreign 0, 2", level="turn")
    made = {response("other-response", dialogue, seed) for seed in range(400)}
    assert not made & {"Foreign 0, 1.", "Foreign 0, 2."}
    assert "Foreign 0, 3." in made


def test_an_echo_repeats_what_was_said() -> None:
    assert response("echo", talk(*CHAT, level="turn")) == "Where to?"
    tally = Tally()
    assert BY_NAME["echo"](talk("Why.", "why."), Random(0), Pool([]), tally) is None
    assert tally.refused == {("echo", "nothing changed"): 1}


def test_generic_responses_are_varied_and_have_the_papers() -> None:
    assert GENERIC[:3] == PAPER
    assert len(set(GENERIC)) == len(GENERIC) >= 25
    made = {response("generic", talk("So?", "I don't know.", level="turn"), s) for s in range(400)}
    assert made == set(GENERIC) - {"I don't know."}


def test_a_model_is_asked_for_the_right_context() -> None:
    dialogue = talk(*CHAT, level="turn")
    assert response("generated", dialogue).endswith("to Where to?")
    assert "to Foreign" in response("generated-elsewhere", dialogue)
    assert response("generated", dialogue, 1) != response("generated", dialogue, 2)
    tally = Tally()
    for name in ("generated", "generated-elsewhere", "back-translation"):
        assert BY_NAME[name](dialogue, Random(0), Pool(others()), tally) is None
    silent = Pool(others(), reply=lambda *_: " ")
    assert BY_NAME["generated"](dialogue, Random(0), silent, tally) is None
    assert {reason for _, reason in tally.refused} == {
        "no language model was given",
        "no translator was given",
        "the language model says nothing",
    }


def test_a_translation_that_says_something_else_is_not_used() -> None:
    dialogue = talk("So?", "We had a walk to the lake.", level="turn")
    tally = Tally()
    far = Pool([], translate=lambda texts: ["Nothing at all."] * len(texts))
    assert BY_NAME["back-translation"](dialogue, Random(0), far, tally) is None
    assert tally.refused == {("back-translation", "the translation is too different"): 1}


def test_what_people_say_back_is_not_echoed() -> None:
    for said in ("nice chatting with  you!", "Hi.", "Good morning, Meg.", "Thank you."):
        assert BY_NAME["echo"](talk(said, "Yes.", level="turn"), Random(0), pool()) is None
    assert response("echo", talk("Good morning, do you like tea?", "Yes.", level="turn"))


def test_sentences_that_come_back_broken_stay() -> None:
    told = {
        "maybe it's late.": "Perhaps it is late.",
        "Time flies.": "Flies of time.",
        "I saw a movie!": "I saw a films!",
        "We can't go.": "We can not go .",
        "It rained.": "It rained .",
        "There are two.": "There is two.",
        "Hear Hawking!": "Hear peddling!",
        "Sounds good.": "Sounds well.",
    }
    back = Pool([], translate=lambda texts: [told[text] for text in texts])

    def there_and_back(text: str) -> str | None:
        edited = BY_NAME["back-translation"](talk("So?", text, level="turn"), Random(0), back)
        return edited.dialogue.response if edited else None

    assert there_and_back("maybe it's late.  Time flies.") == "perhaps it is late.  Time flies."
    assert there_and_back("Time flies. We can't go.") == "Time flies. We can not go."
    for text in ("I saw a movie!", "It rained. Time flies.", *list(told)[-3:]):
        assert there_and_back(text) is None


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("I am fine, how are you?", "You are fine, how am I?"),
        ("I'm sure you're right about my dog.", "You're sure I'm right about your dog."),
        ("Do you have your own car? Mine is old.", "Do I have my own car? Yours is old."),
        ("I wasn't sure what you meant.", "You weren't sure what I meant."),
        ("Thank you, I love it.", "Thank you, you love it."),
    ],
)
def test_sides_are_swapped(text: str, wanted: str) -> None:
    pytest.importorskip("spacy", reason="needs the extra: language")
    assert response("speaker-confusion", talk("So?", text, level="turn")) == wanted


def test_without_persons_the_other_one_speaks() -> None:
    pytest.importorskip("spacy", reason="needs the extra: language")
    chat = talk("I walk.", "Yes.", "Time flies.", "A lot.", "It rains.", "So it is.", level="turn")
    made = {response("speaker-confusion", chat, seed) for seed in range(30)}
    assert made == {"I walk."}  # "Time flies." could be anybody's
    tally = Tally()
    assert BY_NAME["speaker-confusion"](talk("So?", "It rained."), Random(0), pool(), tally) is None
    assert tally.refused == {("speaker-confusion", "nobody speaks of themselves or the other"): 1}


def test_where_it_does_not_matter_who_is_meant() -> None:
    pytest.importorskip("spacy", reason="needs the extra: language")
    for text in ("I guess it rains.", "Can you see the lake?"):
        edited = BY_NAME["speaker-confusion"](talk("So?", text, level="turn"), Random(0), pool())
        assert edited is None
    chat = talk("I see.", "It rains.", "You guess so?", "I walk.", "It is late.")
    for seed in range(9):  # only one turn says who
        edited = BY_NAME["speaker-confusion"](chat, Random(seed), pool())
        assert edited is not None
        assert [change.after for change in edited.changes] == ["You walk."]


ASKED = ("Hi there.", "Hello.", "Do you like tea?", "I do.", "It rains.", "The lake is big.")


def test_two_speakers_say_each_others_line() -> None:
    edited = BY_NAME["swapped-line"](talk(*ASKED), Random(0), Pool([]))
    assert edited is not None
    said = [turn.text for turn in edited.dialogue.turns]
    assert said == [*ASKED[:2], "I do.", "Do you like tea?", *ASKED[4:]]
    assert [turn.speaker for turn in edited.dialogue.turns] == [*"ababab"]
    assert [(it.turn, it.was, it.kind) for it in edited.changes] == [
        (2, 2, "speaker.line"),
        (3, 3, "speaker.line"),
    ]


def test_lines_that_are_not_swapped() -> None:
    tally = Tally()
    same = talk("Do you like tea?", "I do.", "Do you like tea?")  # it would stand twice
    for chat in (talk(*ASKED[:2]), talk(*ASKED[4:]), talk(*ASKED, level="turn"), same):
        assert BY_NAME["swapped-line"](chat, Random(0), Pool([]), tally) is None
    assert set(tally.refused) == {
        ("swapped-line", "no turn answers another speaker's"),
        ("swapped-line", "only the last turn is judged"),
    }


def test_both_are_damage_of_speakers() -> None:
    pytest.importorskip("spacy", reason="needs the extra: language")
    edited = BY_NAME["speaker-confusion"](talk("So?", "I saw you."), Random(0), pool())
    assert edited is not None
    assert edited.changes[0].kind == "speaker.confusion"


def test_a_skip_answers_an_earlier_turn() -> None:
    assert response("temporal-skip", talk(*CHAT, level="turn")) == "A walk."
    tally = Tally()
    edit = Manipulation("skip", Rewriting("skip", temporal_skip), "lower", "")
    for few in (talk("Hi.", "Hello.", "Bye.", level="turn"), talk("Hi.", "Hello.", level="turn")):
        assert edit(few, Random(0), Pool([]), tally) is None
    assert set(tally.refused) == {("skip", "the speaker has answered nothing before")}


def test_real_dialogues(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALOGAUGE_DATA", str(data))
    chats = list(corpora.load("topical-chat"))[:60]
    shared = Pool(chats)
    for name in ("random-response", "other-response", "echo", "generic", "temporal-skip"):
        made = [BY_NAME[name](chat, seeded(1, chat.id, name), shared) for chat in chats]
        assert sum(each is not None for each in made) >= 58


@needs_apertium
def test_apertium_takes_any_text() -> None:
    translate = apertium()
    odd = [
        "[",
        "]]",
        "\\",
        "^a/b<n>$",
        "{x}",
        "@@ ~ # *",
        "\\[ \\] \\^",
        "Zorblax",
        "\ud800",
        *TEXTS,
    ]
    made = translate([*odd, "y" * (LONGEST + 1), "The house is red."])
    assert len(made) == len(odd) + 2
    assert made[: odd.index("Zorblax") + 1] == [
        *("[", "]]", "\\"),
        "^A/b<n>$",
        *odd[4:8],
    ]
    assert made[-2] == "y" * (LONGEST + 1)
    assert made[-1] == "The house is red."
    assert translate(["The\nhouse\n\nis red."]) == ["The house is red."]


@needs_apertium
def test_apertium_keeps_texts_apart_and_remembers(monkeypatch: pytest.MonkeyPatch) -> None:
    translate = apertium()
    made = translate(["I do not", "know what to say", "the big", "house", "I do not"])
    assert made[0] == made[-1]
    assert "know" not in made[0].lower()
    assert "house" in made[3].lower()
    monkeypatch.setattr(translation, "PROGRAM", "no-such-program")
    assert translate(["house"]) == [made[3]]


def test_without_apertium(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translation, "PROGRAM", "no-such-program")
    assert not available()
    with pytest.raises(ToolError, match="make system"):
        apertium()


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in apertium's place; the test writes it."""
    file = tmp_path / "apertium"
    file.write_text("#!/bin/sh\ntrue\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return file


def test_a_program_that_fails_or_hangs(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ToolError, match="eng-spa"):
        apertium()
    program.write_text("#!/bin/sh\nexit 3\n")
    with pytest.raises(ToolError, match="exit code 3"):
        apertium()
    program.write_text("#!/bin/sh\nsleep 60 | cat\n")
    monkeypatch.setattr(translation, "PATIENCE", 0.2)
    with pytest.raises(ToolError, match="did not answer"):
        apertium()


def test_a_text_on_which_it_breaks_comes_back(program: Path) -> None:
    program.write_text("#!/bin/sh\nsed -e '/boom/,$d'\n")  # whatever follows is lost
    assert RoundTrip(["x-y", "y-x"])(["one", "boom", "two", "three"]) == [
        "one",
        "boom",
        "two",
        "three",
    ]
    program.write_text("#!/bin/sh\nsed -e '/boom/,$d' -e 's/one/uno/' -e 's/two/duo/'\n")
    made = RoundTrip(["x-y", "y-x"])(["one", "boom", "two", "three"])
    assert made == ["uno", "boom", "duo", "three"]
