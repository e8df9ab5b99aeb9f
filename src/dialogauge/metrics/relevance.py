"""How well each turn follows the turns before it: a head trained to tell the true next turn.

The head (``train/models/relevance/network.py``) reads the vectors of the last few turns and of
the response, each utterance encoded once. A turn without a vector (blank) takes no place in
contexts and has no score of its own; nor has the first turn, which has no context.

A turn of several windows follows as well as the one of them that follows worst: what comes after a
good beginning counts. In the contexts of later turns it is the mean of its windows; as a response
it is that, too, beside its windows, because a turn that is said again is a copy of the whole.
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
from .vectors import preceding, recent, sizes, weakest


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
        turns = self.config.turns
        read = [recent(self.encoder, dialogue, LAST, turns) for dialogue in dialogues]
        for _ in self.encoder.stream(dict.fromkeys(chain.from_iterable(read))):
            pass  # all at once; the encoder remembers them
        return [
            from_last_turns(dialogue, self._turns(texts)[-LAST:])
            for dialogue, texts in zip(dialogues, read, strict=True)
        ]

    def _turns(self, texts: Sequence[str]) -> NDArray[np.floating]:
        """The score of each turn after those before it, (turns,)."""
        vectors = self.encoder.vectors(texts)
        answers = [
            np.vstack([windows, whole]) if len(windows) > 1 else windows
            for windows, whole in zip(self.encoder.windows(texts), vectors, strict=True)
        ]
        filled, responses = np.nan_to_num(vectors), np.concatenate(answers)
        has_vector = ~np.isnan(vectors[:, 0])
        before = preceding(has_vector, self.config.turns)  # (turns, context)
        mask = before >= 0
        turn = np.repeat(np.arange(len(texts)), sizes(answers))  # that each answer belongs to
        scores = np.full(len(turn), np.nan)
        scorable = np.flatnonzero((has_vector & mask.any(axis=1))[turn])
        for rows in batches(scorable.tolist()):
            inputs = {
                "context": filled[np.maximum(before[turn[rows]], 0)] * mask[turn[rows], :, None],
                "mask": mask[turn[rows]].astype(np.float32),
                "response": responses[rows],
            }
            scores[rows] = self.predict(inputs)
        return weakest(scores, answers)
