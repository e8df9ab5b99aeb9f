"""Readers of the dialogue corpora: what people said to each other, for training and for tests.

Turns without any text (a handful, of pressed return keys) are left out; they say nothing.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from ..dialogue import Dialogue, Turn
from ..errors import InputError
from .reading import (
    Part,
    alternating,
    json_file,
    json_lines,
    lines,
    member,
    place,
    text_lines,
)

AGENTS = ("agent_1", "agent_2")


def dailydialog(part: Part) -> Iterator[Dialogue]:
    """DailyDialog: a zip file per split, a line per dialogue, ``__eou__`` after each turn."""
    path = part.paths[0]
    text = member(path, f"{part.split}/dialogues_{part.split}.txt")
    for number, line in enumerate(lines(text, path), 1):
        with place(path, number):
            yield Dialogue(part.id(number - 1), _separated(line, "__eou__"))


def personachat(part: Part) -> Iterator[Dialogue]:
    """PersonaChat: a line per dialogue, ``</UTT>`` between turns."""
    path = part.paths[0]
    for number, line in text_lines(path):
        with place(path, number):
            yield Dialogue(part.id(number - 1), _separated(line, "</UTT>"))


def _separated(line: str, separator: str) -> tuple[Turn, ...]:
    return alternating([text for text in line.split(separator) if text.strip()])


class _Utterance(msgspec.Struct):
    speaker: str
    text: str


class _Film(msgspec.Struct):
    split: str
    rating: float
    utterances: list[_Utterance]


def cmu_dog(part: Part) -> Iterator[Dialogue]:
    """CMU-DoG: talk about films, each conversation with a quality rating from 1 to 3.

    Some conversations were published in two splits under one id, so ids are line numbers.
    """
    path = part.paths[0]
    for number, item in json_lines(path, _Film):
        if item.split == part.split:
            with place(path, number):
                ratings = {"quality": (item.rating,)}
                yield Dialogue(part.id(number - 1), _spoken(item.utterances), ratings=ratings)


class _Task(msgspec.Struct):
    id: str
    utterances: list[_Utterance]


def schema_guided(part: Part) -> Iterator[Dialogue]:
    """Schema-Guided Dialogue: a user and a system that books, searches and reserves."""
    path = part.paths[0]
    for number, item in json_lines(path, _Task):
        with place(path, number):
            yield Dialogue(part.id(item.id), _spoken(item.utterances))


def _spoken(utterances: list[_Utterance]) -> tuple[Turn, ...]:
    return tuple(Turn(said.speaker, said.text.strip()) for said in utterances if said.text.strip())


class _Alone(msgspec.Struct):
    topic: str
    utterances: list[str]


def self_dialogue(part: Part) -> Iterator[Dialogue]:
    """Self-dialogue: one person writes both sides of a talk about a topic."""
    path = part.paths[0]
    for number, item in json_lines(path, _Alone):
        with place(path, number):
            texts = [text for text in item.utterances if text.strip()]
            yield Dialogue(part.id(number - 1), alternating(texts))


Verdict = Literal["Poor", "Not Good", "Passable", "Good", "Excellent", ""]

#: Topical-Chat's words as numbers; an empty one is a rating that was not given.
VERDICTS: dict[Verdict, float] = {
    "Poor": 1.0,
    "Not Good": 2.0,
    "Passable": 3.0,
    "Good": 4.0,
    "Excellent": 5.0,
    "": math.nan,
}


class _Message(msgspec.Struct):
    message: str
    agent: str
    turn_rating: Verdict


class _Chat(msgspec.Struct):
    content: list[_Message]
    conversation_rating: dict[str, Verdict]

    @property
    def turns(self) -> tuple[Turn, ...]:
        return tuple(Turn(said.agent, said.message.strip()) for said in self.content)


def topical_chat(part: Part) -> Iterator[Dialogue]:
    """Topical-Chat: what each of the two speakers said of the whole, as ``overall`` (1 to 5).

    The part of the training split that DEAM published has lines without ratings.
    """
    path = part.paths[0]
    if ".json" not in path.suffixes:
        yield from _deam_lines(part, path)
        return
    for name, chat in json_file(path, dict[str, _Chat]).items():
        with place(path, field=name):
            given = tuple(VERDICTS[chat.conversation_rating.get(agent, "")] for agent in AGENTS)
            yield Dialogue(part.id(name), chat.turns, ratings={"overall": given})


def topical_chat_turns(part: Part) -> Iterator[Dialogue]:
    """Topical-Chat, each turn that the partner rated (``quality``, 1 to 5) with all before it."""
    path = part.paths[0]
    for name, chat in json_file(path, dict[str, _Chat]).items():
        turns = chat.turns
        for index, said in enumerate(chat.content):
            if said.turn_rating:
                ratings = {"quality": (VERDICTS[said.turn_rating],)}
                label = part.id(name, index)
                yield Dialogue(label, turns[: index + 1], ratings=ratings, level="turn")


def _deam_lines(part: Part, path: Path) -> Iterator[Dialogue]:
    """``name</CONV>turn</UTT>turn``: the same conversations without their annotations."""
    for number, line in text_lines(path):
        name, separator, text = line.partition("</CONV>")
        if not separator:
            raise InputError("expected name</CONV>turns", file=str(path), line=number)
        yield Dialogue(part.id(name), alternating(text.split("</UTT>"), AGENTS))
