"""Readers of the human-rated sets: every rater's number where it was published.

A reader is a function from a :class:`~.reading.Part` to dialogues. A turn-level set gives one
dialogue per rated response: the context, then the response as last turn, spoken by the published
name or by "B". A rater who gave no number stands as NaN in his place.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import msgspec

from ..dialogue import Dialogue, Level, Turn
from ..errors import InputError
from .reading import (
    Part,
    aligned,
    answered,
    content,
    csv_rows,
    decode,
    json_file,
    json_lines,
    number,
    place,
    text_lines,
)

#: What a rater wrote: a number, or why there is none ("N/A (no errors)").
Given = float | str


class _Fed(msgspec.Struct):
    context: str
    system: str
    annotations: dict[str, list[Given]]
    response: str | None = None


def fed_dialogue(part: Part) -> Iterator[Dialogue]:
    """FED, whole conversations: 11 aspects, five raters."""
    return _fed(part, "dialogue")


def fed_turn(part: Part) -> Iterator[Dialogue]:
    """FED, single responses in their context: 9 aspects, five raters."""
    return _fed(part, "turn")


def _fed(part: Part, level: Level) -> Iterator[Dialogue]:
    """The items of one level; both stand in one file, and only a turn-level one has a response."""
    path, items = part.path, json_file(part.path, list[_Fed])
    wanted = [item for item in items if (item.response is not None) == (level == "turn")]
    for index, item in enumerate(wanted):
        with place(path, field=f"{level} item {index}"):
            text = item.context if item.response is None else f"{item.context}\n{item.response}"
            ratings = {aspect: _raters(given) for aspect, given in item.annotations.items()}
            turns = tuple(_turns(text))
            yield Dialogue(part.id(index), turns, system=item.system, ratings=ratings, level=level)


#: Published keys of DSTC9 whose names would mislead or clash; the others stay as they are.
_DSTC9_NAMES = {"human (overall)": "overall"}


def dstc9(part: Part) -> Iterator[Dialogue]:
    """DSTC9 interactive evaluation: a file per chatbot, a row per rater, grouped by dialogue."""
    for path in part.paths:
        for index, (text, rows) in enumerate(_by_dialogue(path).items()):
            with place(path, field=f"dialogue {index}"):
                ratings = {
                    _DSTC9_NAMES.get(key, key): _raters(row[key] for row in rows) for key in rows[0]
                }
                turns = tuple(_turns(text.removesuffix("\n")))
                yield Dialogue(part.id(path.stem, index), turns, system=path.stem, ratings=ratings)


def _by_dialogue(path: Path) -> dict[str, list[dict[str, Given]]]:
    """The raters' rows by the text of what they rated, in order of first appearance."""
    raters: dict[str, list[dict[str, Given]]] = defaultdict(list)
    rows = json_file(path, list[dict[str, Given]])
    for index, row in enumerate(rows):
        text = row.get("context")
        if not isinstance(text, str) or row.keys() != rows[0].keys():
            raise InputError("other fields than in row 0", file=str(path), field=f"[{index}]")
        raters[text].append({key: given for key, given in row.items() if key != "context"})
    return raters


class _Said(msgspec.Struct):
    speaker: str
    text: str


class _Live(msgspec.Struct):
    bot: str
    turns: list[_Said]
    score: int


def convai2018(part: Part) -> Iterator[Dialogue]:
    """ConvAI2, people's conversations with its bots: one score from 1 to 5, by who talked.

    In the exports of July the bot has no name, and which of the two it was is taken from their
    order. It is the one that says the same again in other conversations: of its lines of five
    words and more 15 to 32 % stand in three or more places of an export, of the other's 0.4 to 6.
    """
    for line, live in json_lines(part.path, _Live):
        with place(part.path, line):
            said = (Turn(each.speaker, each.text.strip()) for each in live.turns)
            turns = tuple(turn for turn in said if turn.text)
            yield Dialogue(
                part.id(line - 1), turns, live.bot, ratings={"overall": (float(live.score),)}
            )


class _Graded(msgspec.Struct):
    dataset: str = msgspec.field(name="Dataset")
    system: str = msgspec.field(name="DialogModel")
    context: str = msgspec.field(name="Context")
    response: str = msgspec.field(name="Response")
    scores: str = msgspec.field(name="HumanScores")


def grade(part: Part) -> Iterator[Dialogue]:
    """A GRADE set: raters from one file for all sets, references from a folder per system.

    The folder's lines are in the raters' file's order; each is checked against it.
    """
    rated, *columns = part.paths
    judgements = _judgements(rated)
    for start in range(0, len(columns), 3):
        path, folder = columns[start], columns[start].parent
        items = judgements.get((folder.parent.name, folder.name), [])
        lines = aligned(columns[start : start + 3])
        if len(lines) != len(items):
            problem = f"{len(lines)} lines, but {rated} judges {len(items)} responses"
            raise InputError(problem, file=str(path), line=min(len(lines), len(items)) + 1)
        for index, (item, line) in enumerate(zip(items, lines, strict=True)):
            with place(path, index + 1):
                context, response, reference = line
                if (context, response) != item[:2]:
                    raise InputError("not the response that was judged at this place")
                name, ratings = part.id(folder.name, index), {"coherence": item[2]}
                texts, references = context.split("|||"), (reference.strip(),)
                yield _response(name, texts, response, ratings, folder.name, references)


#: Context, response, raters' scores.
_Judgement = tuple[str, str, tuple[float, ...]]


def _judgements(path: Path) -> dict[tuple[str, str], list[_Judgement]]:
    """What was rated, by data set and system; the scores are JSON within JSON."""
    judgements: dict[tuple[str, str], list[_Judgement]] = defaultdict(list)
    for index, item in enumerate(json_file(path, list[_Graded])):
        with place(path, field=f"[{index}].HumanScores"):
            scores = tuple(decode(item.scores, list[float]))
        judgements[item.dataset, item.system].append((item.context, item.response, scores))
    return judgements


class _UsrContext(msgspec.Struct):
    context: str
    responses: list[dict[str, str | list[float]]]


#: USR's name of the response that stood in Topical-Chat.
_GROUND_TRUTH = "Original Ground Truth"


def usr(part: Part) -> Iterator[Dialogue]:
    """USR Topical-Chat: 60 contexts, six responses each, three raters.

    The original response is the reference of the five others; it has none itself.
    """
    for index, item in enumerate(json_file(part.path, list[_UsrContext])):
        context = [line for line in item.context.split("\n") if line.strip()]
        responses = [(row.pop("model", ""), row.pop("response", "")) for row in item.responses]
        truth = tuple(str(text).strip() for model, text in responses if model == _GROUND_TRUTH)
        rows = zip(responses, item.responses, strict=True)
        for number_in_context, ((model, text), ratings) in enumerate(rows):
            with place(part.path, field=f"[{index}].responses[{number_in_context}]"):
                if not (model and text and isinstance(model, str) and isinstance(text, str)):
                    raise InputError("a response needs the texts 'model' and 'response'")
                name = part.id(index, number_in_context)
                numbers = {aspect: _raters(given) for aspect, given in ratings.items()}
                references = () if model == _GROUND_TRUTH else truth
                yield _response(name, context, text, numbers, model, references)


def zhao(part: Part) -> Iterator[Dialogue]:
    """Zhao et al.'s DailyDialog responses: tab-separated turns, mean appropriateness.

    The published file of ratings holds many sets by name, the local one this set's list alone.
    """
    texts, rated = part.paths
    means = _means(rated)
    items = list(text_lines(texts))
    if len(items) != len(means):
        problem = f"{len(items)} lines, but {rated} has {len(means)} ratings"
        raise InputError(problem, file=str(texts), line=min(len(items), len(means)) + 1)
    for (line, text), mean in zip(items, means, strict=True):
        _, *context, response = text.split("\t")
        with place(texts, line):
            ratings = {"appropriateness": (mean,)}
            yield _response(part.id(line - 1), context, response, ratings)


def _means(path: Path) -> list[float]:
    """This set's ratings in either form of the file."""
    data = content(path)
    if data.lstrip().startswith(b"["):
        return decode(data, list[float], path)
    return decode(data, _ZhaoRatings, path).means


class _ZhaoRatings(msgspec.Struct):
    means: list[float] = msgspec.field(name="dailydialog-zhao")


def engage(part: Part) -> Iterator[Dialogue]:
    """Predictive Engagement: 600 pairs of query and response, each rated three times."""
    raters: dict[tuple[str, str], list[float]] = defaultdict(list)
    for line, row in csv_rows(part.path, ("query", "response", "human_score")):
        with place(part.path, line, "human_score"):
            raters[row["query"], row["response"]].append(number(row["human_score"]))
    for index, ((query, response), given) in enumerate(raters.items()):
        yield _response(part.id(index), [query], response, {"engagement": tuple(given)})


def multiref(part: Part) -> Iterator[Dialogue]:
    """Multi-reference DailyDialog: 100 contexts, five systems, four references, mean ratings."""
    columns = ("model", "context_id", "human_average_rating", "response", "all_references")
    for line, row in csv_rows(part.path, (*columns, "context")):
        with place(part.path, line, "human_average_rating"):
            mean = number(row["human_average_rating"])
        name, context = part.id(row["context_id"], row["model"]), row["context"].split("||||")
        references = tuple(text.strip() for text in row["all_references"].split("\t"))
        ratings = {"appropriateness": (mean,)}
        yield _response(name, context, row["response"], ratings, row["model"], references)


class _PlusPlus(msgspec.Struct):
    context: list[str]
    positive: list[str] = msgspec.field(name="positive_responses")
    adversarial: list[str] = msgspec.field(name="adversarial_negative_responses", default=[])
    random: list[str] = msgspec.field(name="random_negative_responses", default=[])


#: The order people's work implies: they wrote answers, then near misses; the rest is chance.
_PLUSPLUS_LEVELS = {"positive": 2.0, "adversarial": 1.0, "random": 0.0}


def dailydialogpp(part: Part) -> Iterator[Dialogue]:
    """DailyDialog++: each response of each context; aspect "level" is 2 positive, 1 adversarial,
    0 random. The context's positive responses, but never the response itself, are references.
    """
    for line, item in json_lines(part.path, _PlusPlus):
        positive = tuple(dict.fromkeys(text.strip() for text in item.positive))
        for kind, level in _PLUSPLUS_LEVELS.items():
            for index, response in enumerate(getattr(item, kind)):
                name, ratings = part.id(line - 1, kind, index), {"level": (level,)}
                others = tuple(text for text in positive if text != response.strip())
                yield _response(name, item.context, response, ratings, references=others)


def dailydialogpp_positives(part: Part) -> Iterator[Dialogue]:
    """DailyDialog++, good responses only, each with the others of its context as references."""
    for dialogue in dailydialogpp(part):
        yield msgspec.structs.replace(dialogue, ratings={})


def _response(
    id: str,
    context: Sequence[str],
    response: str,
    ratings: Mapping[str, tuple[float, ...]],
    system: str = "",
    references: tuple[str, ...] = (),
) -> Dialogue:
    """A rated response as the last turn of its context."""
    turns = answered(context, response)
    return Dialogue(id, turns, system, references, ratings, level="turn")


_SPEAKER = re.compile(r"^(User|System): ?", re.MULTILINE)


def _turns(text: str) -> Iterator[Turn]:
    r"""``User: ...`` and ``System: ...`` lines; a line without a name continues its turn.

    >>> [(turn.speaker, turn.text) for turn in _turns("User: Hi\nthere\nSystem: Hello")]
    [('User', 'Hi\nthere'), ('System', 'Hello')]
    """
    starts = list(_SPEAKER.finditer(text))
    if not starts or starts[0].start():
        raise InputError("expected 'User: ' or 'System: ' at the beginning", field="context")
    ends = [after.start() for _, after in pairwise(starts)] + [len(text)]
    for start, end in zip(starts, ends, strict=True):
        yield Turn(start[1], text[start.end() : end].strip())


def _raters(given: Iterable[Given]) -> tuple[float, ...]:
    """Numbers; a text that begins with "N/A" is NaN at its rater's place."""
    numbers = []
    for answer in given:
        if isinstance(answer, str) and not answer.startswith("N/A"):
            raise InputError(f"expected a number or N/A, got {answer[:40]!r}", field="rating")
        numbers.append(math.nan if isinstance(answer, str) else float(answer))
    return tuple(numbers)
