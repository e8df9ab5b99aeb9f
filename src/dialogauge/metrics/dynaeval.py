"""DynaEval: a whole dialogue as a graph of its turns, scored above dialogues that were damaged.

The network (``train/models/dynaeval/network.py``) reads the vectors of the utterances, each encoded
once, and who said them. Its number has no fixed range; higher is better. Turns are scored by the
same network, which is run on other sequences of the same turns: without each (:class:`Graph`), or
up to each (:class:`SoFar`). An utterance of several windows is their mean: the graph asks how turns
hang together, and has one node for each.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from ..dialogue import Dialogue, Turn
from ..encode.batching import Ints, batches, padded
from ..encode.session import Session
from ..scores import Score
from .functions import NAN
from .trained import TrainedMetric

_Floats = NDArray[np.float32]

#: The last turns of a dialogue that are read: attention takes the square of their number.
_LAST = 200
#: Turns of padded sequences that go through the network at a time.
_TOGETHER = 1024
#: Turns of sequences that are held in memory at a time: one of _LAST turns has _LAST squared.
_HELD = 200_000
#: Digits of a score that do not depend on its company.
_DIGITS = 5


class _Sequence(msgspec.Struct, frozen=True):
    """Some turns of a dialogue, in order: what the network reads and scores."""

    texts: Ints  # rows in a table of vectors, whose first row is nothing
    speakers: Ints  # a number for each speaker

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, turns: Ints) -> "_Sequence":
        """Some of the turns."""
        return _Sequence(self.texts[turns], self.speakers[turns])


class _Utterances(msgspec.Struct, frozen=True):
    """The turns of a dialogue that say something, and where they stand in it."""

    turns: int  # of the dialogue
    positions: tuple[int, ...]
    sequence: _Sequence

    def beginnings(self) -> list[_Sequence]:
        """The dialogue up to each turn; nothing where none says anything."""
        count = len(self.sequence)
        return [self.sequence.take(np.arange(end)) for end in range(min(1, count), count + 1)]

    def leave_one_out(self) -> list[_Sequence]:
        """The dialogue without each turn."""
        turns = np.arange(len(self.sequence))
        return [self.sequence.take(np.delete(turns, at)) for at in turns]

    def score(self, value: float, turn_values: Sequence[float]) -> Score:
        """The score, given those of the turns that say something."""
        turns = [NAN] * self.turns
        for position, each in zip(self.positions, turn_values, strict=False):
            turns[position] = each
        return Score(value, tuple(turns))


class Config(msgspec.Struct, frozen=True):
    """The config.json of a trained network."""

    metric: str
    encoder: str
    encoder_hash: str
    width: int
    beside: Annotated[int, Meta(ge=0, le=_LAST)]  # turns before it that a turn is compared with


class Graph(TrainedMetric):
    """A trained network and the encoder whose vectors it reads."""

    config: Config
    last = _LAST
    files: ClassVar[Sequence[str]] = ("config.json", "model.onnx", "reader.onnx")

    def __init__(self, folder: Path, config: Config, name: str = "", encoder: str = "") -> None:
        super().__init__(folder, config, name, encoder)
        self._reader = Session(folder / "reader.onnx")

    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """Each dialogue, and by how much each turn makes it better."""
        read, vectors = self._read(dialogues)
        values = self._values(vectors, ([each.sequence, *each.leave_one_out()] for each in read))
        return [
            each.score(value, [round(value - rest, _DIGITS) for rest in without])
            for each, (value, *without) in zip(read, values, strict=True)
        ]

    def whole(self, dialogues: Sequence[Dialogue]) -> list[float]:
        """The scores of dialogues alone, without their turns': less work."""
        read, vectors = self._read(dialogues)
        return [value for (value,) in self._values(vectors, ([each.sequence] for each in read))]

    def _read(self, dialogues: Sequence[Dialogue]) -> tuple[list[_Utterances], _Floats]:
        """What was said in each dialogue, and a table of the vectors of all texts."""
        recent = [dialogue.turns[-_LAST:] for dialogue in dialogues]
        texts = dict.fromkeys(turn.text for turns in recent for turn in turns)
        place = {text: row for row, text in enumerate(texts, 1)}
        nothing = np.zeros((1, self.config.width), np.float32)
        table = np.concatenate([nothing, self.encoder.vectors(list(texts))])
        has_vector = ~np.isnan(table[:, 0])
        utterances = []
        for dialogue, turns in zip(dialogues, recent, strict=True):
            rows = np.array([place[turn.text] for turn in turns], np.int64)
            speakers = np.array(_speaker_numbers(turns), np.int64)
            kept = np.flatnonzero(has_vector[rows])
            positions = tuple((kept + len(dialogue.turns) - len(turns)).tolist())
            sequence = _Sequence(rows[kept], speakers[kept] + 1)
            utterances.append(_Utterances(len(dialogue.turns), positions, sequence))
        return utterances, np.nan_to_num(table)

    def _values(self, vectors: _Floats, asked: Iterable[list[_Sequence]]) -> list[list[float]]:
        """The score of each sequence of each dialogue, NaN of one without turns."""
        return [values for part in _parts(asked) for values in self._together(vectors, part)]

    def _together(
        self, vectors: _Floats, asked: Sequence[Sequence[_Sequence]]
    ) -> list[list[float]]:
        """The same for dialogues whose sequences fit into memory together."""
        sequences = [sequence for some in asked for sequence in some]
        scores = np.full(len(sequences), NAN)
        states, turns = self._states(vectors, [sequence.texts for sequence in sequences])
        chunks = list(batches(list(map(len, sequences)), _TOGETHER))
        inputs = (
            {"heard": states, **_padded([(turns[at], sequences[at].speakers) for at in chunk])}
            for chunk in chunks
        )
        for chunk, predictions in zip(chunks, self.predict_all(inputs, _DIGITS), strict=True):
            scores[chunk] = predictions
        values = iter(scores.tolist())
        return [[next(values) for _ in some] for some in asked]

    def _states(self, vectors: _Floats, sequences: Sequence[Ints]) -> tuple[_Floats, list[Ints]]:
        """What is read of each distinct turn beside those before it, and sequences as its rows."""
        lengths = np.array([len(texts) for texts in sequences], np.int64)
        texts = np.concatenate([*sequences, np.zeros(0, np.int64)])
        depth = np.arange(len(texts)) - np.repeat(lengths.cumsum() - lengths, lengths)
        past = [texts]
        for back in range(1, self.config.beside + 1):
            past.append(np.where(depth >= back, np.roll(texts, back), 0))
        rows = np.zeros(len(texts), np.int64)
        for turns in past:  # one after the other: the product of all could be too large a number
            _, first, rows = np.unique(
                rows * len(vectors) + turns, return_index=True, return_inverse=True
            )
        distinct = np.stack([turns[first] for turns in past], 1)
        parts = [distinct[at : at + _TOGETHER] for at in range(0, len(distinct), _TOGETHER)]
        read = list(self._reader.over(lambda part: self._state(vectors, part), parts))
        states = np.concatenate(read) if read else np.zeros((0, 1), np.float32)
        return states, np.split(rows, lengths.cumsum()[:-1])

    def _state(self, vectors: _Floats, turns: Ints) -> _Floats:
        needed, rows = np.unique(turns, return_inverse=True)
        inputs = {"table": vectors[needed], "turns": rows.reshape(turns.shape)}
        return self._reader.run("heard", inputs)


class SoFar(Graph):
    """The same network; a turn's score is that of the dialogue up to and with it."""

    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """Each dialogue, and how good it is so far at each turn."""
        read, vectors = self._read(dialogues)
        values = self._values(vectors, map(_Utterances.beginnings, read))
        return [each.score(turns[-1], turns) for each, turns in zip(read, values, strict=True)]


def _speaker_numbers(turns: Sequence[Turn]) -> list[int]:
    """Who speaks each turn: 0 for who spoke first, another number for each other."""
    numbers: dict[str, int] = {}
    return [numbers.setdefault(turn.speaker, len(numbers)) for turn in turns]


def _padded(sequences: Sequence[tuple[Ints, Ints]]) -> dict[str, Any]:
    """Turns and speakers of sequences as inputs of the network."""
    turns, mask = padded([states for states, _ in sequences])
    speakers, _ = padded([np.where(who == who[0], 0, who) for _, who in sequences])
    floats = {"speakers": speakers, "mask": mask}
    return {"turns": turns} | {name: each.astype(np.float32) for name, each in floats.items()}


def _parts(asked: Iterable[list[_Sequence]]) -> Iterator[list[list[_Sequence]]]:
    """Sequences of as many dialogues together as have :data:`_HELD` turns; at least of one."""
    part: list[list[_Sequence]] = []
    held = 0
    for sequences in asked:
        size = sum(map(len, sequences))
        if part and held + size > _HELD:
            yield part
            part, held = [], 0
        part.append(sequences)
        held += size
    if part:
        yield part
