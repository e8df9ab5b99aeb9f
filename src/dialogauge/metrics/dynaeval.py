"""DynaEval: a whole dialogue as a graph of its turns, scored above dialogues that were damaged.

The network (``train/models/dynaeval/network.py``) reads the vectors of the utterances, each encoded
once, and who said them. Its number has no fixed range; higher is better. Turns are scored by the
same network, which is run on other rows of the same turns, all of them together:

- :class:`Graph` says of a turn by how much the dialogue is better with it than without it. The
  lowest is the turn that does most harm: in held dialogues with one foreign turn it is that turn in
  about half to two thirds of them (docs/reproductions/dynaeval.md);
- :class:`SoFar` says how good the dialogue is up to and with that turn, which is what the authors
  correlate with ratings of turns. It tells how a conversation goes, not which turn is at fault.

A relation of two turns is who spoke, who listens, and which came first. With more than two speakers
it is whether the two are the same, and which came first.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from .. import models
from ..dialogue import Dialogue
from ..encode.session import Session
from ..scores import Score
from .functions import NAN
from .head import Head

Floats32 = NDArray[np.float32]
Ints = NDArray[np.int64]
#: Turns as places in a table of vectors, whose first row is nothing, and a number of who said each.
Row = tuple[Ints, Ints]

#: The last turns of a dialogue that are read: attention takes the square of their number.
LAST = 200
#: Turns of padded rows that go through the network at a time.
TOGETHER = 1024
#: Turns of rows that are held in memory at a time: a dialogue of LAST turns has LAST squared.
HELD = 200_000
#: Digits of a score that do not depend on its company.
DIGITS = 5


class Config(msgspec.Struct, frozen=True):
    """The config.json of a trained network."""

    metric: str
    encoder: str
    width: int
    beside: Annotated[int, Meta(ge=0, le=LAST)]  # turns before it that a turn is compared with


class Rows(msgspec.Struct, frozen=True):
    """Dialogues as rows of places in a list of texts, padded on the right with -1."""

    turns: Ints  # (rows, turns)
    speakers: Ints  # (rows, turns): 0 for who spoke first, another number for each other
    length: Ints  # (rows,)


def rows_of(dialogues: Sequence[Dialogue]) -> tuple[tuple[str, ...], Rows]:
    """The distinct texts of dialogues, and the dialogues as rows of them."""
    place: dict[str, int] = {}
    said = [[place.setdefault(turn.text, len(place)) for turn in each.turns] for each in dialogues]
    length = np.array([len(each) for each in said], np.int64)
    turns = np.full((len(said), int(length.max(initial=1))), -1, np.int64)
    speakers = np.zeros_like(turns)
    for row, (ids, dialogue) in enumerate(zip(said, dialogues, strict=True)):
        turns[row, : len(ids)] = ids
        known: dict[str, int] = {}
        speakers[row, : len(ids)] = [
            known.setdefault(turn.speaker, len(known)) for turn in dialogue.turns
        ]
    return tuple(place), Rows(turns, speakers, length)


class Graph:
    """A trained network and the encoder whose vectors it reads."""

    trained = True

    def __init__(self, folder: Path, config: Config, name: str = "") -> None:
        self.name, self.config = name or config.metric, config
        files = ("config.json", "model.onnx", "reader.onnx")
        self._head = Head(folder, self.name, config, files=files)
        self._reader = Session(folder / "reader.onnx")
        self.encoder = self._head.encoder

    @property
    def signature(self) -> str:
        """The network's passport, then the encoder's."""
        return self._head.signature

    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """Each dialogue, and by how much each turn makes it better."""
        talks, table = self._talks(dialogues)
        found = self._values(table, ([*talk.whole(), *talk.without_one()] for talk in talks))
        return [
            talk.scored(value, [round(value - rest, DIGITS) for rest in without])
            for talk, (value, *without) in zip(talks, found, strict=True)
        ]

    def whole(self, dialogues: Sequence[Dialogue]) -> list[float]:
        """The scores of dialogues alone, without their turns': less work."""
        talks, table = self._talks(dialogues)
        return [value for (value,) in self._values(table, map(Talk.whole, talks))]

    def _talks(self, dialogues: Sequence[Dialogue]) -> "tuple[list[Talk], Floats32]":
        """Who said what in each dialogue, and the vectors of all that was said."""
        recent = [dialogue.turns[-LAST:] for dialogue in dialogues]
        texts = dict.fromkeys(turn.text for turns in recent for turn in turns)
        place = {text: row for row, text in enumerate(texts, 1)}
        vectors = self.encoder.vectors(list(texts))
        table = np.concatenate([np.zeros((1, self.config.width), np.float32), vectors])
        known = ~np.isnan(table[:, 0])
        talks = []
        for dialogue, turns in zip(dialogues, recent, strict=True):
            skipped = len(dialogue.turns) - len(turns)
            said = [at for at, turn in enumerate(turns) if known[place[turn.text]]]
            who = {name: number for number, name in enumerate({turn.speaker for turn in turns}, 1)}
            talks.append(
                Talk(
                    len(dialogue.turns),
                    tuple(skipped + at for at in said),
                    np.array([place[turns[at].text] for at in said], np.int64),
                    np.array([who[turns[at].speaker] for at in said], np.int64),
                )
            )
        return talks, np.nan_to_num(table)

    def _values(self, table: Floats32, asked: Iterable[list[Row]]) -> list[list[float]]:
        """The score of each row of turns of each dialogue, NaN of one without turns."""
        return [values for part in _parts(asked) for values in self._together(table, part)]

    def _together(self, table: Floats32, asked: Sequence[Sequence[Row]]) -> list[list[float]]:
        """The same for dialogues whose rows fit into memory together."""
        rows = [row for some in asked for row in some]
        scores = np.full(len(rows), NAN)
        lengths = [len(said) for said, _ in rows]
        order = sorted((at for at, length in enumerate(lengths) if length), key=lengths.__getitem__)
        heard, turns = self._heard(table, [said for said, _ in rows])
        chunks = list(_chunks(order, lengths))
        inputs = (
            {"heard": heard, **_padded([(turns[at], rows[at][1]) for at in chunk])}
            for chunk in chunks
        )
        for chunk, found in zip(chunks, self._head.every(inputs, DIGITS), strict=True):
            scores[chunk] = found
        values = iter(scores.tolist())
        return [[next(values) for _ in some] for some in asked]

    def _heard(self, table: Floats32, rows: Sequence[Ints]) -> tuple[Floats32, list[Ints]]:
        """What is read of each distinct turn beside those before it, and rows as places in that."""
        lengths = np.array([len(row) for row in rows], np.int64)
        said = np.concatenate([*rows, np.zeros(0, np.int64)])
        depth = np.arange(len(said)) - np.repeat(lengths.cumsum() - lengths, lengths)
        past = [said]
        for back in range(1, self.config.beside + 1):
            past.append(np.where(depth >= back, np.roll(said, back), 0))
        places = np.zeros(len(said), np.int64)
        for turns in past:  # one after the other: the product of all could be too large a number
            _, first, places = np.unique(
                places * len(table) + turns, return_index=True, return_inverse=True
            )
        distinct = np.stack([turns[first] for turns in past], 1)
        parts = [distinct[at : at + TOGETHER] for at in range(0, len(distinct), TOGETHER)]
        found = list(self._reader.over(lambda part: self._read(table, part), parts))
        heard = np.concatenate(found) if found else np.zeros((0, 1), np.float32)
        return heard, np.split(places, lengths.cumsum()[:-1])

    def _read(self, table: Floats32, turns: Ints) -> Floats32:
        needed, places = np.unique(turns, return_inverse=True)
        inputs = {"table": table[needed], "turns": places.reshape(turns.shape)}
        return self._reader.run("heard", inputs)


class SoFar(Graph):
    """The same network; a turn's score is that of the dialogue up to and with it."""

    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """Each dialogue, and how good it is so far at each turn."""
        talks, table = self._talks(dialogues)
        found = self._values(table, map(Talk.beginnings, talks))
        return [talk.scored(turns[-1], turns) for talk, turns in zip(talks, found, strict=True)]


class Talk(msgspec.Struct, frozen=True):
    """The turns of a dialogue that say something: where they stand, what, and who."""

    turns: int
    places: tuple[int, ...]
    said: Ints
    speakers: Ints

    def whole(self) -> list[Row]:
        """The dialogue."""
        return [(self.said, self.speakers)]

    def beginnings(self) -> list[Row]:
        """The dialogue up to each turn; nothing where none says anything."""
        count = len(self.places)
        return [(self.said[:end], self.speakers[:end]) for end in range(min(1, count), count + 1)]

    def without_one(self) -> list[Row]:
        """The dialogue without each turn."""
        count = len(self.places)
        return [(np.delete(self.said, at), np.delete(self.speakers, at)) for at in range(count)]

    def scored(self, value: float, found: Sequence[float]) -> Score:
        """The score, given those of the turns that say something."""
        turns = [NAN] * self.turns
        for place, each in zip(self.places, found, strict=False):
            turns[place] = each
        return Score(value, tuple(turns))


def _padded(rows: Sequence[Row]) -> dict[str, Any]:
    """Rows as inputs of the network."""
    shape = len(rows), max(len(turns) for turns, _ in rows)
    turns = np.zeros(shape, np.int64)
    speakers, mask = np.zeros((2, *shape), np.float32)
    for row, (said, who) in enumerate(rows):
        turns[row, : len(said)], speakers[row, : len(said)] = said, np.where(who == who[0], 0, who)
        mask[row, : len(said)] = 1
    return {"turns": turns, "speakers": speakers, "mask": mask}


def _parts(asked: Iterable[list[Row]]) -> Iterator[list[list[Row]]]:
    """Rows of dialogues, of as many dialogues together as have :data:`HELD` turns; at least one."""
    part: list[list[Row]] = []
    held = 0
    for rows in asked:
        size = sum(len(said) for said, _ in rows)
        if part and held + size > HELD:
            yield part
            part, held = [], 0
        part.append(rows)
        held += size
    if part:
        yield part


def _chunks(order: Sequence[int], lengths: Sequence[int]) -> Iterator[list[int]]:
    """Rows in order of their lengths, as many together as have :data:`TOGETHER` padded turns."""
    chunk: list[int] = []
    for at in order:
        if chunk and (len(chunk) + 1) * lengths[at] > TOGETHER:
            yield chunk
            chunk = []
        chunk.append(at)
    if chunk:
        yield chunk


def dynaeval() -> Graph:
    """DynaEval: a dialogue as a graph of its turns, trained on damaged ones; no fixed range."""
    return from_folder(models.open_folder("dynaeval"))


def dynaeval_so_far() -> Graph:
    """DynaEval; a turn's score is that of the dialogue up to and with it."""
    return from_folder(models.open_folder("dynaeval"), "dynaeval-so-far", SoFar)


def dynaeval_research() -> Graph:
    """DynaEval trained on DailyDialog, for research only (CC BY-NC-SA); no fixed range."""
    return from_folder(models.open_folder("dynaeval-research"), "dynaeval-research")


def from_folder(folder: Path, name: str = "", kind: type[Graph] = Graph) -> Graph:
    """The trained metric of a folder; ``name`` tells two of one kind apart."""
    verified = models.open_folder(folder)
    return kind(verified, models.decode(verified / "config.json", Config), name)
