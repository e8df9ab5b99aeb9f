"""Readers of the dialogue corpora: what people said to people or bots, for training and for tests.

Turns without any text (a handful, of pressed return keys) are left out; they say nothing.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, TypeVar, get_args

import msgspec

from ..dialogue import Dialogue, Turn
from ..errors import InputError
from .reading import Part, alternating, json_file, json_lines, lines, member, place, text_lines

T = TypeVar("T")

_AGENTS = ("agent_1", "agent_2")


def _dialogues(
    part: Part, items: Iterable[tuple[int, T]], texts: Callable[[T], Sequence[str]]
) -> Iterator[Dialogue]:
    """A dialogue of the texts of each numbered item; an error names the line."""
    for number, item in items:
        with place(part.path, number):
            said = [text for text in texts(item) if text.strip()]
            yield Dialogue(part.id(number - 1), alternating(said))


def dailydialog(part: Part) -> Iterator[Dialogue]:
    """DailyDialog: a zip file per split, a line per dialogue, ``__eou__`` after each turn."""
    text = member(part.path, f"{part.split}/dialogues_{part.split}.txt")
    items = enumerate(lines(text, part.path), 1)
    return _dialogues(part, items, lambda line: line.split("__eou__"))


def personachat(part: Part) -> Iterator[Dialogue]:
    """PersonaChat: a line per dialogue, ``</UTT>`` between turns."""
    return _dialogues(part, text_lines(part.path), lambda line: line.split("</UTT>"))


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

    for number, film in json_lines(part.path, _Film):
        if film.split == part.split:
            with place(part.path, number):
                ratings = {"quality": (film.rating,)}
                yield Dialogue(part.id(number - 1), _turns(film.utterances), ratings=ratings)


class _Task(msgspec.Struct):
    id: str
    utterances: list[_Utterance]


def schema_guided(part: Part) -> Iterator[Dialogue]:
    """Schema-Guided Dialogue: a user and a system that books, searches and reserves."""
    for number, task in json_lines(part.path, _Task):
        with place(part.path, number):
            yield Dialogue(part.id(task.id), _turns(task.utterances))


def _turns(utterances: list[_Utterance]) -> tuple[Turn, ...]:
    return tuple(Turn(each.speaker, each.text.strip()) for each in utterances if each.text.strip())


class _Monologue(msgspec.Struct):
    topic: str
    utterances: list[str]


def self_dialogue(part: Part) -> Iterator[Dialogue]:
    """Self-dialogue: one person writes both sides of a talk about a topic."""
    return _dialogues(part, json_lines(part.path, _Monologue), lambda item: item.utterances)


_Verdict = Literal["Poor", "Not Good", "Passable", "Good", "Excellent", ""]

#: Topical-Chat's words as numbers; an empty one is a rating that was not given.
_VERDICTS = dict(zip(get_args(_Verdict), (1.0, 2.0, 3.0, 4.0, 5.0, math.nan), strict=True))


class _Message(msgspec.Struct):
    message: str
    agent: str
    turn_rating: _Verdict


class _Chat(msgspec.Struct):
    content: list[_Message]
    conversation_rating: dict[str, _Verdict]

    @property
    def turns(self) -> tuple[Turn, ...]:
        return tuple(Turn(each.agent, each.message.strip()) for each in self.content)


def topical_chat(part: Part) -> Iterator[Dialogue]:
    """Topical-Chat: what each of the two speakers said of the whole, as ``overall`` (1 to 5).

    The part of the training split that DEAM published has lines without ratings.
    """
    if ".json" not in part.path.suffixes:
        yield from _deam_lines(part)
        return
    for name, chat in json_file(part.path, dict[str, _Chat]).items():
        with place(part.path, field=name):
            given = tuple(_VERDICTS[chat.conversation_rating.get(agent, "")] for agent in _AGENTS)
            yield Dialogue(part.id(name), chat.turns, ratings={"overall": given})


def topical_chat_turns(part: Part) -> Iterator[Dialogue]:
    """Topical-Chat, each turn that the partner rated (``quality``, 1 to 5) with all before it."""
    for name, chat in json_file(part.path, dict[str, _Chat]).items():
        turns = chat.turns
        for index, message in enumerate(chat.content):
            if message.turn_rating:
                ratings = {"quality": (_VERDICTS[message.turn_rating],)}
                label = part.id(name, index)
                yield Dialogue(label, turns[: index + 1], ratings=ratings, level="turn")


def _deam_lines(part: Part) -> Iterator[Dialogue]:
    """``name</CONV>turn</UTT>turn``: the same conversations without their annotations."""
    for number, line in text_lines(part.path):
        name, separator, text = line.partition("</CONV>")
        if not separator:
            raise InputError("expected name</CONV>turns", file=str(part.path), line=number)
        yield Dialogue(part.id(name), alternating(text.split("</UTT>"), _AGENTS))


class _Exchange(msgspec.Struct):
    user: str
    bot: str


class _Standardised(msgspec.Struct):
    robotic: float
    interesting: float
    fun: float
    consistent: float
    fluent: float
    repetitive: float
    topic: float


class _Interview(msgspec.Struct):
    system: str
    dialogue: list[_Exchange]
    z: _Standardised


class _PublishedInterview(_Interview):
    system: str = msgspec.field(name="model")
    z: _Standardised = msgspec.field(name="z scores")


class _Sitting(msgspec.Struct):
    data: list[_PublishedInterview]


#: Ji et al.'s two complaints; they are turned round in what is published: higher is better.
_JI_NAMES = {"robotic": "not robotic", "repetitive": "not repetitive"}


def ji2022(part: Part) -> Iterator[Dialogue]:
    """Ji et al.: people talk with a bot and rate it; ratings are standardised by rater.

    ``overall`` is the authors' mean of the seven. Six dialogues in a row are one rater's, one of
    them with ``QualityControl``, which answers at random. In the split ``icebreaker`` the user
    begins with an answer to a statement of the bot that is not among the turns.
    """
    for index, interview in enumerate(_interviews(part)):
        with place(part.path, field=f"dialogue {index}"):
            given = msgspec.structs.asdict(interview.z)
            ratings = {_JI_NAMES.get(aspect, aspect): (z,) for aspect, z in given.items()}
            ratings["overall"] = (sum(given.values()) / len(given),)
            texts = [text for each in interview.dialogue for text in (each.user, each.bot)]
            turns = alternating(texts, ("user", "bot"))
            yield Dialogue(part.id(index), turns, interview.system, ratings=ratings)


def _interviews(part: Part) -> Iterator[_Interview]:
    """The published file is a list of raters with six interviews each, the local one has lines."""
    if part.path.suffix == ".json":
        for sitting in json_file(part.path, list[_Sitting]):
            yield from sitting.data
    else:
        for _, interview in json_lines(part.path, _Interview):
            yield interview
