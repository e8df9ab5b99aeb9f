"""DynaEval: a whole dialogue as a graph of its turns, scored above dialogues that were damaged.

The network (``train/dialogue_graph.py``) reads the vectors of the utterances, each encoded once,
and who said them. Its number has no fixed range; higher is better. Turns are scored by the same
network, in one pass over all of them:

- ``value`` of a turn: the score of the dialogue up to and with that turn, which is what the
  authors correlate with ratings of turns;
- ``aspects``: the dialogue's ``weakest``, the place of the turn whose removal helps most, counted
  from 0, and ``gain``, by how much it does.

A relation of two turns is who spoke, who listens, and which came first. With more than two
speakers it is whether the two are the same, and which came first: whoever is not the first speaker
counts as the second.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from .. import models
from ..dialogue import Dialogue
from ..scores import Score
from .head import Head
from .judge import NAN

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
Ints = NDArray[np.int64]
#: Turns as places in a table of vectors, and who said each.
Row = tuple[Ints, Floats32]

#: The last turns of a dialogue that are read: attention takes the square of their number.
LAST = 200
#: Turns of padded rows that go through the network at a time.
TOGETHER = 4096


class Config(msgspec.Struct, frozen=True):
    """The config.json of a trained network."""

    metric: str
    encoder: str
    width: int


class Rows(msgspec.Struct, frozen=True):
    """Dialogues as rows of places in a list of texts, padded on the right with -1."""

    turns: Ints  # (rows, turns)
    speakers: Ints  # (rows, turns): 0 for who spoke first, 1 for others
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
        first = dialogue.turns[0].speaker
        speakers[row, : len(ids)] = [turn.speaker != first for turn in dialogue.turns]
    return tuple(place), Rows(turns, speakers, length)


class Graph:
    """A trained network and the encoder whose vectors it reads."""

    trained = True

    def __init__(self, folder: Path, config: Config, name: str = "") -> None:
        self.name, self.config = name or config.metric, config
        self._head = Head(folder, self.name, config)
        self.encoder = self._head.encoder

    @property
    def signature(self) -> str:
        """The network's passport, then the encoder's."""
        return self._head.signature

    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """The score of each dialogue, of each of its beginnings, and its weakest turn."""
        talks, table = self._read(dialogues)
        asked = [row for talk in talks for row in (*talk.beginnings(), *talk.without_one())]
        found = iter(self._run(table, asked).tolist())
        return [talk.judged(found) for talk in talks]

    def whole(self, dialogues: Sequence[Dialogue]) -> list[float]:
        """The scores of dialogues alone, without their turns': less work."""
        talks, table = self._read(dialogues)
        asked = [row for talk in talks for row in talk.beginnings()[-1:]]
        found = iter(self._run(table, asked).tolist())
        return [next(found) if talk.places else NAN for talk in talks]

    def _read(self, dialogues: Sequence[Dialogue]) -> "tuple[list[Talk], Floats32]":
        """Who said what in each dialogue, and the vectors of all that was said."""
        recent = [dialogue.turns[-LAST:] for dialogue in dialogues]
        texts = dict.fromkeys(turn.text for turns in recent for turn in turns)
        place = {text: row for row, text in enumerate(texts)}
        vectors = self.encoder.vectors(list(texts))
        known = ~np.isnan(vectors[:, 0]) if texts else np.zeros(0, bool)
        talks = []
        for dialogue, turns in zip(dialogues, recent, strict=True):
            skipped = len(dialogue.turns) - len(turns)
            said = [at for at, turn in enumerate(turns) if known[place[turn.text]]]
            first = turns[said[0]].speaker if said else ""
            talks.append(
                Talk(
                    len(dialogue.turns),
                    tuple(skipped + at for at in said),
                    np.array([place[turns[at].text] for at in said], np.int64),
                    np.array([turns[at].speaker != first for at in said], np.float32),
                )
            )
        return talks, np.nan_to_num(vectors)

    def _run(self, table: Floats32, asked: "Sequence[Row]") -> Floats:
        """The score of each row of turns; rows of about one length go together."""
        scores = np.empty(len(asked))
        order = sorted(range(len(asked)), key=lambda at: len(asked[at][0]))
        for chunk in _chunks(order, [len(turns) for turns, _ in asked]):
            length = len(asked[chunk[-1]][0])
            turns = np.zeros((len(chunk), length), np.int64)
            speakers, mask = np.zeros((2, len(chunk), length), np.float32)
            for row, at in enumerate(chunk):
                said, who = asked[at]
                turns[row, : len(said)], speakers[row, : len(said)] = said, who
                mask[row, : len(said)] = 1
            needed, places = np.unique(turns, return_inverse=True)
            inputs = {
                "table": table[needed],
                "turns": places.reshape(turns.shape),
                "speakers": speakers,
                "mask": mask,
            }
            scores[chunk] = self._head.scores(inputs, digits=5)
        return scores


class Talk(msgspec.Struct, frozen=True):
    """The turns of a dialogue that say something: where they stand, what, and who."""

    turns: int
    places: tuple[int, ...]
    said: Ints
    speakers: Floats32

    def beginnings(self) -> list[Row]:
        """The dialogue up to each turn."""
        count = len(self.places)
        return [(self.said[: at + 1], self.speakers[: at + 1]) for at in range(count)]

    def without_one(self) -> list[Row]:
        """The dialogue without each turn; none where one turn is all."""
        count = len(self.places) if len(self.places) > 1 else 0
        return [(np.delete(self.said, at), np.delete(self.speakers, at)) for at in range(count)]

    def judged(self, found: Iterator[float]) -> Score:
        """The score, given those of the beginnings and then of the dialogue without each turn."""
        turns = [NAN] * self.turns
        for place in self.places:
            turns[place] = next(found)
        if not self.places:
            return Score(NAN, tuple(turns))
        value = turns[self.places[-1]]
        without = [next(found) for _ in self.places] if len(self.places) > 1 else []
        if not without:
            return Score(value, tuple(turns))
        best = max(range(len(without)), key=without.__getitem__)
        aspects = {"weakest": float(self.places[best]), "gain": without[best] - value}
        return Score(value, tuple(turns), aspects)


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


def dynaeval_research() -> Graph:
    """DynaEval trained on DailyDialog, for research only (CC BY-NC-SA); no fixed range."""
    return from_folder(models.open_folder("dynaeval-research"), "dynaeval-research")


def from_folder(folder: Path, name: str = "") -> Graph:
    """The trained metric of a folder; ``name`` tells two of one kind apart."""
    verified = models.open_folder(folder)
    return Graph(verified, models.decode(verified / "config.json", Config), name)
