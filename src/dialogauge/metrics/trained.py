"""Trained metrics: a network in a folder, on top of a text encoder.

What all of them do alike is here. A folder is checked byte by byte, its config.json says of which
kind it is, and a table of kinds (:data:`.catalogue.KINDS`) gives the struct of that file and the
class of the metric. A new kind is a subclass of :class:`TrainedMetric` that says how dialogues
become inputs of the network, and one line of that table.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import models
from ..dialogue import Dialogue
from ..encode.session import Session
from ..errors import ModelError, UnknownNameError
from ..scores import Score
from .metric import signature
from .vectors import shared

#: The last turns of a dialogue that are scored one by one: no dialogue takes more than seconds.
LAST = 1000
#: Texts whose cosine is this close to 1 begin to count as copies of each other.
COPY = 0.03
_TOGETHER = 1024
_NETWORK = "model.onnx"


class TrainedMetric(ABC):
    """A network of a verified folder, and the encoder that it was trained on.

    ``config`` is the struct of its config.json, which has a ``metric`` (its kind), an ``encoder``
    with its ``encoder_hash`` (vectors of any other mean something else) and a ``width`` (how many
    numbers the network reads of a text); ``name`` tells metrics of one kind apart. The hash decides
    which encoder is the right one; where it lies is a hint, and ``encoder`` says it anew.
    """

    trained = True
    #: All that scores depend on beside the encoder.
    files: ClassVar[Sequence[str]] = ("config.json", _NETWORK)

    def __init__(self, folder: Path, config: Any, name: str = "", encoder: str = "") -> None:
        self.name, self.config = name or config.metric, config
        try:
            self.encoder = shared(encoder or config.encoder)
        except UnknownNameError as error:
            if encoder:
                raise
            remedy = "name the folder where it lies now (--encoder)"
            raise ModelError(f"{folder}: its encoder: {error}: {remedy}") from None
        self.encoder.require(config.encoder_hash, folder)
        if config.width != (width := self.width()):
            raise ModelError(f"{folder}: made for rows of {config.width} numbers, not {width}")
        if _NETWORK in self.files:
            self._network = Session(folder / _NETWORK)
        self.hash = models.fingerprint(folder, self.files)

    @property
    def signature(self) -> str:
        """The network's passport, then the encoder's, which has the encoder's hash."""
        ours = signature(self.name, self.config, "onnxruntime", "tokenizers")
        ours = ours.replace(f"|encoder_hash:{self.config.encoder_hash}", "", 1)
        return f"{ours}|sha256:{self.hash}|encoder:{self.encoder.signature}"

    @abstractmethod
    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """One score per dialogue."""

    def width(self) -> int:
        """How many numbers of a text the network must read."""
        return self.encoder.config.width

    def predict(self, inputs: Mapping[str, Any], digits: int = 6) -> NDArray[np.float64]:
        """A number for each row; rounded: the last bits of a sum may depend on the batch.

        Rows hold what can be scored, so that anything but a number is the network's fault.
        """
        predictions: NDArray[np.float64] = self._network.run("score", inputs).astype(np.float64)
        self._network.refuse_undefined(predictions)
        return predictions.round(digits)

    def predict_all(
        self, inputs: Iterable[Mapping[str, Any]], digits: int = 6
    ) -> Iterator[NDArray[np.float64]]:
        """:meth:`predict` of batch after batch, as many at once as there are threads."""
        return self._network.over(lambda batch: self.predict(batch, digits), inputs)


def batches(rows: Sequence[int]) -> Iterator[list[int]]:
    """Rows, as many at a time as go through a network together."""
    for start in range(0, len(rows), _TOGETHER):
        yield list(rows[start : start + _TOGETHER])
