"""The plan of a model that ships without its weights: ``weights.json``.

It names the published file by its hash and says in which order, from which of its tensors and how
the large tensors of ``model.onnx`` are made. They lie in ``model.onnx.data``, ONNX's external data,
one after the other, so that whoever fills it need not read the graph. What calibration found, the
vectors by which inputs are smoothed, is part of the plan.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from .. import models
from ..errors import ModelError
from .numbers import Floats, int8, int8_columns, inverse
from .tensors import Tensors

#: Where a tensor begins: at a multiple of this, which ONNX asks for so that it can be mapped.
_ALIGNED = 4096


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    """One or two tensors of the data file.

    ``copy`` is a published tensor as it is, ``columns`` its int8 form with a scale for each column
    after smoothing, ``rows`` the one with a scale for each row; ``inverse`` is 1 / a smoothing.
    """

    how: Literal["copy", "columns", "rows", "inverse"]
    tensor: str = ""  # of the published file
    transposed: bool = False  # torch keeps the weights of a product the other way round
    smoothing: int = 0  # which one


class Contents(msgspec.Struct, frozen=True):
    """What the filled data file is, on every machine."""

    sha256: str
    bytes: int


class Plan(msgspec.Struct, frozen=True):
    """The weights.json of a model."""

    source: models.Source
    data: Contents
    encoder: str  # the hash of the filled encoder, which heads name
    steps: tuple[Step, ...]
    smoothing: tuple[bytes, ...]  # little-endian float32

    @classmethod
    def load(cls, folder: Path) -> "Plan":
        """The plan of a model's folder."""
        return models.decode(folder / models.PLAN, cls)


def packed(vectors: Iterable[Floats]) -> tuple[bytes, ...]:
    """Smoothing vectors as a plan keeps them."""
    return tuple(vector.astype("<f4").tobytes() for vector in vectors)


def arrays(
    steps: Sequence[Step], smoothing: Sequence[bytes], tensors: Tensors
) -> Iterator[NDArray[Any]]:
    """The tensors of the data file, in order."""
    for step in steps:
        if step.how == "inverse":
            yield inverse(_smooth(smoothing, step))
            continue
        tensor = tensors.read(step.tensor)
        tensor = np.ascontiguousarray(tensor.T) if step.transposed else tensor
        if step.how == "copy":
            yield tensor
        elif step.how == "rows":
            yield from int8(_matrix(tensor, step), axis=1)
        else:
            smooth = _smooth(smoothing, step)
            if len(smooth) != len(_matrix(tensor, step)):
                raise ModelError(f"{step.tensor}: {len(smooth)} channels, not {len(tensor)}")
            whole, scale = int8_columns(tensor, smooth)
            yield from (whole, scale[0])


def append(file: IO[bytes], array: NDArray[Any]) -> tuple[int, int]:
    """Write a tensor behind what is there; where it begins and how many bytes it has."""
    file.write(bytes(-file.tell() % _ALIGNED))
    begin = file.tell()
    file.write(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes())
    return begin, file.tell() - begin


def _smooth(smoothing: Sequence[bytes], step: Step) -> Floats:
    try:
        return np.frombuffer(smoothing[step.smoothing], "<f4").astype(np.float32)
    except (IndexError, ValueError):
        raise ModelError(f"{models.PLAN}: there is no smoothing {step.smoothing}") from None


def _matrix(tensor: Floats, step: Step) -> Floats:
    if tensor.ndim != 2:
        raise ModelError(f"{step.tensor}: not a matrix, but of {tensor.ndim} dimensions")
    return tensor
