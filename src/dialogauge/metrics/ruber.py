"""RUBER (Tao et al. 2018) and BERT-RUBER (Ghazarian et al. 2019): two halves and their blend.

- *referenced*: the cosine between the pooled token vectors of response and reference;
- *unreferenced*: a network that was trained to tell a given response from wrong ones and sees only
  what the response follows (:mod:`.maude`; one turn of context in the papers).

Each half is brought to 0..1 by a fixed range, ``(1 + cosine) / 2`` and the network's sigmoid. The
papers stretch each half from the smallest to the largest value of the batch at hand instead, and
then a score depends on what else is scored.

The items are those of ``embedding-average``. The best reference counts. NaN means that no reference
has a token, or that there is no context; a response without a token resembles nothing and answers
nothing: 0.
"""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..dialogue import Dialogue
from ..encode import Tokens
from ..scores import Score
from .functions import NAN, of_last_turn
from .maude import Config as NetworkConfig
from .maude import Unreferenced
from .vectors import Plain, against, pooled

Floats = NDArray[np.float64]
How = Literal["min", "max", "mean", "geometric"]


#: Two halves from 0 to 1 -> the score: the smaller (in the main results of RUBER), the
#: larger, or between them. All rise with either half.
BLENDS: dict[How, Callable[[float, float], float]] = {
    "min": min,
    "max": max,
    "mean": lambda one, other: (one + other) / 2,
    "geometric": lambda one, other: math.sqrt(one * other),
}


def maxima(vectors: NDArray[np.floating]) -> Floats:
    """The maximum of each dimension, (tokens, width) -> (width,).

    >>> maxima(np.array([[1.0, -2.0], [-4.0, 0.0]]))
    array([1., 0.])
    """
    return np.asarray(vectors.max(axis=0), dtype=np.float64)


def extremes(vectors: NDArray[np.floating]) -> Floats:
    """The maximum, then the minimum of each dimension, (tokens, width) -> (2 width,).

    >>> extremes(np.array([[1.0, -2.0], [-4.0, 0.0]]))
    array([ 1.,  0., -4., -2.])
    """
    return np.concatenate([maxima(vectors), -maxima(-vectors)])


class Variant(NamedTuple):
    """One of the published blends."""

    metric: str
    pool: Callable[[NDArray[np.floating]], Floats]


#: Network of the unreferenced half -> the blend it belongs to.
VARIANTS = {"ruber": Variant("ruber-blend", extremes), "nli": Variant("bert-ruber", maxima)}


class Config(NetworkConfig, frozen=True, kw_only=True):
    """The config.json of a trained blend: that of its network, and how it is blended."""

    network: Literal["ruber", "nli"]
    blend: How

    def __post_init__(self) -> None:
        name = VARIANTS[self.network].metric
        if self.metric != name:
            problem = f"a blend with the network {self.network!r} is called {name!r}"
            raise ValueError(f"{problem}, not {self.metric!r}")


class Blend(Unreferenced):
    """A trained network beside the likeness to a reference."""

    config: Config

    def __init__(self, folder: Path, config: Config, name: str = "", encoder: str = "") -> None:
        super().__init__(folder, config, name, encoder)
        self._referenced = against("referenced", Plain(), self.encoder, lambda _: self._likeness)

    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """One score per dialogue, with both halves as its aspects."""
        scores = self._referenced.score(dialogues)
        scorable = [at for at, score in enumerate(scores) if not math.isnan(score.value)]
        follow = self._unreferenced([dialogues[at] for at in scorable])
        blend = BLENDS[self.config.blend]
        for at, other in zip(scorable, follow.tolist(), strict=True):
            half = scores[at].value  # of the best reference, which makes the best blend
            value = NAN if math.isnan(other) else blend(half, other)
            blended = Score(value, aspects={"referenced": half, "unreferenced": other})
            scores[at] = of_last_turn(dialogues[at], blended)
        return scores

    def _likeness(self, response: Tokens, reference: Tokens) -> Score:
        """The referenced half of a response, 0 to 1."""
        cosine = pooled(VARIANTS[self.config.network].pool)(response, reference).value
        return Score(min(1.0, max(0.0, (1 + cosine) / 2)))  # a cosine may be 1 + 2e-16

    def _unreferenced(self, items: Sequence[Dialogue]) -> Floats:
        """How well each last turn follows what was said, 0 to 1; 0 where it has no token."""
        responses = [item.response for item in items]
        contexts = [[turn.text for turn in item.context] for item in items]
        silent = [not ids for ids in self.encoder.ids(responses)]
        return np.where(silent, 0.0, self.follow(contexts, responses))
