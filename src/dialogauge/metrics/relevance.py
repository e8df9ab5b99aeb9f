"""How well each turn follows the turns before it: a head trained to tell the true next turn.

The head (``train/models/relevance/network.py``) reads the vectors of the last few turns and of
the response, each utterance encoded once. A turn without a vector (blank) is left out of contexts
and has no score of its own; the first turn has no context and no score. Half of a score is the
plain cosine of the last turn: the head alone forgets that answers which share no word can fit, the
cosine alone never knew. One such head ships; ``dialogauge train recipes/response-selection.toml``
writes others.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from .. import models
from ..dialogue import Dialogue
from ..errors import ModelError
from ..scores import Score
from .functions import NAN, aggregate
from .head import Head

Floats = NDArray[np.float32]

#: The last turns that are scored: no dialogue takes more than seconds.
LAST = 1000
#: Contexts that go through the head at a time.
ROWS = 1024


class Config(msgspec.Struct, frozen=True):
    """The config.json of a trained head."""

    metric: str
    encoder: str
    turns: int
    width: int


class Relevance:
    """A trained head and the encoder it was trained on."""

    name = "relevance"
    trained = True

    def __init__(self, folder: Path, config: Config) -> None:
        self.config, self._head = config, Head(folder, self.name, config)
        self.encoder = self._head.encoder

    @property
    def signature(self) -> str:
        """The head's passport, then the encoder's."""
        return self._head.signature

    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """One score per dialogue: the mean of its turns'."""
        return [self._judge(dialogue) for dialogue in dialogues] if self._warm(dialogues) else []

    def _warm(self, dialogues: Sequence[Dialogue]) -> bool:
        """Encode all texts together; the encoder remembers them."""
        texts = [turn.text for dialogue in dialogues for turn in dialogue.turns[-LAST:]]
        for _ in self.encoder.stream(dict.fromkeys(texts)):
            pass
        return bool(texts)

    def _judge(self, dialogue: Dialogue) -> Score:
        recent = dialogue.turns[-LAST:]
        vectors = self.encoder.vectors([turn.text for turn in recent])
        scores = np.full(len(dialogue.turns), np.nan)
        scores[len(dialogue.turns) - len(recent) :] = self._turns(vectors)
        return aggregate(Score(NAN, tuple(scores.tolist())), "mean")

    def _turns(self, vectors: Floats) -> NDArray[np.float64]:
        """The score of each turn after those before it, (turns,)."""
        count, known = len(vectors), ~np.isnan(vectors[:, 0])
        scores = np.full(count, np.nan)
        filled = np.nan_to_num(vectors)
        before = np.arange(count)[:, None] + np.arange(-self.config.turns, 0)  # (turns, context)
        mask = (before >= 0) & known[np.maximum(before, 0)]
        judged = np.flatnonzero(known & mask.any(axis=1))
        for start in range(0, len(judged), ROWS):
            rows = judged[start : start + ROWS]
            inputs = {
                "context": filled[np.maximum(before[rows], 0)] * mask[rows, :, None],
                "mask": mask[rows].astype(np.float32),
                "response": filled[rows],
            }
            scores[rows] = self._head.scores(inputs)
        return scores


def relevance() -> Relevance:
    """How well each turn follows the last four: a trained head and the cosine, -1 to 1."""
    return from_folder(models.open_folder("relevance"))


def from_folder(folder: Path) -> Relevance:
    """The trained metric of a folder."""
    verified = models.open_folder(folder)
    config = models.decode(verified / "config.json", Config)
    if config.turns < 1:
        raise ModelError(f"{folder}: a context needs at least one turn")
    return Relevance(verified, config)
