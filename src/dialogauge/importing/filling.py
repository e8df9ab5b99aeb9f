"""From a folder without weights and the published file to a model that runs.

The result is checked by the hash that ships with the plan: it is the same folder on every machine,
down to the bit, and heads that were trained on it elsewhere fit.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from .. import atomic, models
from ..encode import Encoder
from ..errors import ModelError, OutputError
from .plan import Plan, append, arrays
from .tensors import Tensors

_FILE = "model.safetensors"


class Filled(msgspec.Struct, frozen=True):
    """What was written."""

    folder: str
    encoder: str  # its hash
    megabytes: float


def unfilled(name: str) -> Path | None:
    """The folder that ships without the weights of that name (or whose own name it is)."""
    for model, folder in models.shipped().items():
        plan = folder / models.PLAN
        if plan.is_file() and name in (model, Plan.load(folder).source.name):
            return folder
    return None


def fill(folder: Path, weights: Path, out: Path) -> Filled:
    """Write the whole model to ``out``, from the published weights in a folder or a file."""
    files = models.verify(folder).files
    refuse_existing(out, folder)
    plan = Plan.load(folder)
    file = _weights_file(weights, plan.source)
    with _appearing(out) as partial:
        for name in files:
            shutil.copyfile(folder / name, partial / name)
        _write_data(partial / models.DATA, plan, file)
        models.seal(partial)
        encoder = Encoder.load(partial, threads=1)
    size = sum(path.stat().st_size for path in out.iterdir())
    return Filled(str(out), encoder.hash, round(size / 1e6, 1))


def refuse_existing(out: Path, folder: Path) -> None:
    """An error if something is there already: what the folder becomes, or anything else."""
    if not out.exists():
        return
    if models.fills(out, folder):
        raise OutputError(f"{out} exists: it was imported already; remove it to import it again")
    if out == models.imported().get(folder.name):
        raise OutputError(f"{out}, {models.OUTDATED}")
    raise OutputError(f"{out} exists, and is not {folder.name}: name a folder that does not exist")


def _weights_file(weights: Path, source: models.Source) -> Path:
    """The safetensors file of a folder; a pickle is refused."""
    file = weights / _FILE if weights.is_dir() else weights
    if file.is_file() and file.suffix == ".safetensors":
        return file
    pickled = file.is_file() or any(weights.glob("*.bin"))
    if not pickled:
        raise ModelError(f"{file}: there is no such file (name a folder of {source.repository})")
    remedy = (
        f"AutoModel.from_pretrained({str(weights)!r}, weights_only=True)"
        ".save_pretrained('converted', safe_serialization=True) writes one"
    )
    raise ModelError(
        f"{weights}: no {_FILE}, and a pickle runs code when it is loaded: refused ({remedy})"
    )


def _write_data(path: Path, plan: Plan, file: Path) -> None:
    """Fill the data file and check it; weights that were saved anew are the same numbers."""
    sha256 = models.digest(file)
    try:
        tensors = Tensors(file)
        with atomic.writing(path) as data:
            for array in arrays(plan.steps, plan.smoothing, tensors):
                append(data, array)
        problem = "other numbers" if models.digest(path) != plan.data.sha256 else ""
    except ModelError as error:
        problem = str(error).removeprefix(f"{file}: ")
    if problem and sha256 == plan.source.sha256:
        raise ModelError(f"{file}: the published weights became something else here: {problem}")
    if problem:
        raise ModelError(
            f"{file}: not the weights of {plan.source.repository}: {problem} (sha256 "
            f"{sha256[:12]}…, published {plan.source.sha256[:12]}…, {plan.source.bytes:,} bytes)"
        )


@contextmanager
def _appearing(out: Path) -> Iterator[Path]:
    """A folder that appears at ``out`` when the block ends well, and not otherwise."""
    partial = out.with_name(f".{out.name}.{os.getpid()}.partial")
    with atomic.reporting(out):
        partial.mkdir(parents=True)
        try:
            yield partial
            partial.replace(out)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
