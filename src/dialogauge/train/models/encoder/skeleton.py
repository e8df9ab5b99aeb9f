"""A model without its weights: the graph's large tensors, told from the published ones.

An exported graph holds each published tensor as it is or transposed, under a name of its own. Which
is which is seen by comparing their bytes, and each tensor is then made by the plan's arithmetic and
compared with the graph's before it is taken out: a plan that is written is a plan that works.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from msgspec.structs import asdict
from numpy.typing import NDArray

from .... import atomic, models
from ....encode.encoder import fingerprint
from ....errors import DialogaugeError
from ....importing.numbers import Floats
from ....importing.plan import Contents, Plan, Step, append, arrays, packed
from ....importing.tensors import Tensors
from .quantise import Quantised

#: Bytes of a tensor that stays in the graph: what is not published must be small.
_SMALL, _LARGEST = 1000, 50_000


class Fetched(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is told of weights that do not ship."""

    name: str  # what `dialogauge models import` calls them
    repository: str  # on the hub
    licence: str


class _Made(NamedTuple):
    """A step and the tensors of the graph that it makes."""

    step: Step
    names: tuple[str, ...]


def leave_out(
    folder: Path, fp32: Path, quantised: Sequence[Quantised], published: Path, fetched: Fetched
) -> None:
    """Move a graph's large tensors to its data file and write the plan that makes it again.

    ``fp32`` is the graph as it was exported, ``quantised`` what became of its matrices.
    """
    import onnx

    exported = {each.name: each for each in onnx.load(str(fp32)).graph.initializer}
    model, weights = onnx.load(str(folder / "model.onnx")), Tensors(published)
    tensors = {each.name: each for each in model.graph.initializer}
    origins = _origins(weights)
    shared = {each.inverse: each.smooth for each in quantised if each.smooth is not None}
    smoothing = packed(shared.values())
    every = [*_of_quantised(quantised, exported, origins, list(shared)), *_copies(tensors, origins)]
    steps = tuple(each.step for each in every)
    values = arrays(steps, smoothing, weights)
    with atomic.writing(folder / models.DATA) as file:
        for name in (name for each in every for name in each.names):
            _move(tensors[name], next(values), file)
    large = [each.name for each in tensors.values() if len(each.raw_data) > _LARGEST]
    if large:
        raise DialogaugeError(f"{large[0]} of the graph is no published tensor, and large")
    with atomic.writing(folder / "model.onnx") as file:
        file.write(model.SerializeToString(deterministic=True))
    models.seal(folder)
    size = published.stat().st_size
    source = models.Source(**asdict(fetched), sha256=models.digest(published), bytes=size)
    data = folder / models.DATA
    contents = Contents(models.digest(data), data.stat().st_size)
    plan = Plan(source, contents, fingerprint(folder), steps, smoothing)
    atomic.write_json(folder / models.PLAN, plan)


def _of_quantised(
    quantised: Sequence[Quantised],
    exported: dict[str, Any],
    origins: dict[bytes, Step],
    shared: list[str],
) -> Iterator[_Made]:
    """The steps of int8 matrices, their scales, and of the vectors that inputs are smoothed by."""
    for at, name in enumerate(shared):
        yield _Made(Step("inverse", smoothing=at), (name,))
    for each in quantised:
        origin = origins.get(_key(_array(exported[each.matrix])))
        if origin is None:
            raise DialogaugeError(f"{each.matrix} of the graph is no published tensor")
        how, at = ("columns", shared.index(each.inverse)) if each.inverse else ("rows", 0)
        step = Step(how, origin.tensor, origin.transposed, at)  # type: ignore[arg-type]
        yield _Made(step, (each.whole, each.scale))


def _copies(tensors: dict[str, Any], origins: dict[bytes, Step]) -> Iterator[_Made]:
    """The steps of tensors that are published ones, but for the smallest."""
    for name, tensor in tensors.items():
        if len(tensor.raw_data) > _SMALL and (origin := origins.get(_key(_array(tensor)))):
            yield _Made(origin, (name,))


def _origins(weights: Tensors) -> dict[bytes, Step]:
    """By its bytes, how each published tensor is copied; the first of equal ones."""
    origins: dict[bytes, Step] = {}
    for name in weights:
        tensor: Floats = weights.read(name)
        origins.setdefault(_key(tensor), Step("copy", name))
        if tensor.ndim == 2:
            origins.setdefault(_key(tensor.T), Step("copy", name, transposed=True))
    return origins


def _key(tensor: NDArray[Any]) -> bytes:
    kind = f"{tensor.dtype} {tensor.shape}"
    return sha256(kind.encode() + np.ascontiguousarray(tensor).tobytes()).digest()


def _array(tensor: Any) -> NDArray[Any]:
    import onnx

    return np.asarray(onnx.numpy_helper.to_array(tensor))


def _move(tensor: Any, value: NDArray[Any], file: Any) -> None:
    """Put a tensor of the graph into the data file, as the plan makes it."""
    import onnx

    if _key(value) != _key(_array(tensor)):
        raise DialogaugeError(f"{tensor.name} of the graph cannot be made from what is published")
    begin, length = append(file, value)
    onnx.external_data_helper.set_external_data(tensor, models.DATA, begin, length)
    tensor.ClearField("raw_data")
