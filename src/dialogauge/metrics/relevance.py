"""How well each turn follows the turns before it: a head trained to tell the true next turn.

The head (``train/models/relevance/network.py``) reads the vectors of the last few turns and of
the response, each utterance encoded once. A turn without a vector (blank) takes no place in
contexts and has no score of its own; nor has the first turn, which has no context.

A turn of several windows follows as well as the one of them that follows worst: what comes after a
good beginning counts. In the contexts of later turns it is the mean of its windows; as a response
it is that, too, beside its windows, because a turn that is said again is a copy of the whole.

What was just said is no answer. The network lets a copy of a turn fade to -1; here an echo does,
too, that has a word more or says it twice (:func:`echo`). A few words may be said again ("Hi.",
"Thank you."): their copy is no answer and no fault, 0.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..dialogue import Dialogue, normalise
from ..scores import Score
from .functions import from_last_turns
from .trained import COPY, LAST, TrainedMetric, batches
from .vectors import preceding, recent, sizes, weakest

Floats = NDArray[np.floating]

#: An answer may repeat so many words, of so many tokens, without being an echo.
_WORDS, _TOKENS = 3, 6
#: The share of an answer's words that were just said at which it begins to be an echo, and is one;
#: of how many words at least: short answers share theirs with what they answer.
_ECHO, _LEAST = (0.8, 0.9), 5


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

    @property
    def signature(self) -> str:
        """That of the network, and how echoes are found."""
        return f"{super().signature}|echo:words"

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

    def _turns(self, texts: Sequence[str]) -> Floats:
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
        copied = 1 - np.clip((1 - _likest(filled, before, mask)) / COPY, 0, 1)
        return self._heard(weakest(scores, answers), texts, before[:, -1], copied)

    def _heard(
        self, scores: Floats, texts: Sequence[str], before: NDArray[np.int64], copied: Floats
    ) -> Floats:
        """The scores with echoes faded, and few words that are said again forgiven."""
        ids = self.encoder.ids(texts)
        few = [
            len(tokens) <= _TOKENS and len(normalise(text).split()) <= _WORDS
            for text, tokens in zip(texts, ids, strict=True)
        ]
        echoes = [
            echo(text, texts[at]) if at >= 0 else 0.0
            for text, at in zip(texts, before.tolist(), strict=True)
        ]
        scores = scores + np.where(few, copied, 0)
        return scores - np.array(echoes) * (scores + 1)


def echo(response: str, before: str) -> float:
    """How far a response only repeats the words of the turn before, 0 to 1; a short one does not.

    >>> echo("Well, do you like green tea from Japan?", "Do you like green tea from Japan?")
    0.75
    >>> echo("Tea? Do you like tea?", "Do you like tea?"), echo("Thank you!", "Thank you.")
    (1.0, 0.0)
    """
    words, said = normalise(response).split(), set(normalise(before).split())
    if len(words) < _LEAST:
        return 0.0
    share, (begin, end) = sum(word in said for word in words) / len(words), _ECHO
    return round(min(1.0, max(0.0, (share - begin) / (end - begin))), 6)


def _likest(vectors: Floats, before: NDArray[np.int64], mask: NDArray[np.bool_]) -> Floats:
    """The largest cosine of each turn with those before it that are read; 0 if there is none."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = vectors / np.where(length == 0, 1, length)
    cosines = (unit[np.maximum(before, 0)] * unit[:, None]).sum(-1) * mask
    return np.asarray(cosines.max(axis=1))
