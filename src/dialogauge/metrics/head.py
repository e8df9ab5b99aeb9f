"""A trained network on top of the text encoder: what every such metric does alike."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import models
from ..encode import Encoder
from ..encode.session import Session
from ..errors import ModelError
from .metric import signature
from .vectors import shared


class Head:
    """A network, and the encoder that it was trained on.

    ``config`` is the struct of its config.json, which has an ``encoder`` and a ``width``: how many
    numbers the network reads of a text, the encoder's unless another ``width`` is given. ``files``
    are all that scores depend on beside the encoder.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        config: Any,
        width: int | None = None,
        files: Sequence[str] = ("config.json", "model.onnx"),
    ) -> None:
        self.encoder: Encoder = shared(config.encoder)
        wanted = self.encoder.config.width if width is None else width
        if config.width != wanted:
            raise ModelError(f"{folder}: made for rows of {config.width} numbers, not {wanted}")
        self._name, self._config = name, config
        self._network = Session(folder / "model.onnx")
        self._hash = models.fingerprint(folder, files)

    @property
    def signature(self) -> str:
        """The network's passport, then the encoder's."""
        ours = signature(self._name, self._config, "onnxruntime", "tokenizers")
        return f"{ours}|sha256:{self._hash}|encoder:{self.encoder.signature}"

    def scores(self, inputs: Mapping[str, Any], digits: int = 6) -> NDArray[np.float64]:
        """A number for each row; rounded: the last bits of a sum may depend on the batch."""
        found: NDArray[np.float64] = self._network.run("score", inputs).astype(np.float64)
        return found.round(digits)

    def every(
        self, inputs: Iterable[Mapping[str, Any]], digits: int = 6
    ) -> Iterator[NDArray[np.float64]]:
        """:meth:`scores` of batch after batch, as many at once as there are threads."""
        return self._network.over(lambda batch: self.scores(batch, digits), inputs)
