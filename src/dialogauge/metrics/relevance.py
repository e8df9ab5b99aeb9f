"""How well each turn follows the turns before it: a head trained to tell the true next turn.

The head (``train/models/relevance/network.py``) reads the vectors of the last few turns and of
the response, each utterance encoded once. A turn without a vector (blank) is left out of contexts
and has no score of its own; nor has the first turn, which has no context.

A turn of several windows follows as well as the one of them that follows worst: what comes after a
good beginning counts. In the contexts of later turns it is the mean of its windows.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..dialogue import Dialogue
from ..scores import Score
from .functions import from_last_turns
from .trained import LAST, TrainedMetric, batches
from .vectors import sizes, weakest


class Config(msgspec.Struct, frozen=True):
    """The config.json of a trained head."""

    metric: str
    encoder: str
    encoder_hash: str
    turns: Annotated[int, msgspec.Meta(ge=1)]
    width: int


class Relevance(TrainedMetric):
    """A trained head and the encoder it was trained on."""

    config: Config
    last = LAST

    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """One score per dialogue: the mean of its turns'."""
        recent = [[turn.text for turn in dialogue.turns[-LAST:]] for dialogue in dialogues]
        for _ in self.encoder.stream(dict.fromkeys(chain.from_iterable(recent))):
            pass  # all at once; the encoder remembers them
        return list(map(from_last_turns, dialogues, map(self._turns, recent)))

    def _turns(self, texts: Sequence[str]) -> NDArray[np.floating]:
        """The score of each turn after those before it, (turns,)."""
        vectors, windows = self.encoder.vectors(texts), self.encoder.windows(texts)
        count, filled, responses = len(vectors), np.nan_to_num(vectors), np.concatenate(windows)
        has_vector = ~np.isnan(vectors[:, 0])
        before = np.arange(count)[:, None] + np.arange(-self.config.turns, 0)  # (turns, context)
        mask = (before >= 0) & has_vector[np.maximum(before, 0)]
        turn = np.repeat(np.arange(count), sizes(windows))  # that each window belongs to
        scores = np.full(len(turn), np.nan)
        scorable = np.flatnonzero((has_vector & mask.any(axis=1))[turn])
        for rows in batches(scorable.tolist()):
            inputs = {
                "context": filled[np.maximum(before[turn[rows]], 0)] * mask[turn[rows], :, None],
                "mask": mask[turn[rows]].astype(np.float32),
                "response": responses[rows],
            }
            scores[rows] = self.predict(inputs)
        return weakest(scores, windows)
