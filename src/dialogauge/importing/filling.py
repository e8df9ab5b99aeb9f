"""From a folder without weights and the published file to a model that runs.

The result is checked by the hash that ships with the plan: it is the same folder on every machine,
down to the bit, and heads that were trained on it elsewhere fit.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
import numpy as np

from .. import atomic, models
from ..encode import Encoder
from ..errors import ModelError, OutputError
from .plan import Plan, append, arrays
from .tensors import Tensors

_FILE = "model.safetensors"
_FLOAT = 4  # bytes of a number that has at least one in the data file
#: How a pickle begins, alone or in the zip archive that torch puts it into.
_PICKLE = (b"\x80", b"PK")


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
    out = free(out, folder)
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


def free(out: Path, folder: Path) -> Path:
    """The place to write to; an error if anything is there, or what the folder becomes already."""
    place = out.resolve() if ".." in out.parts else out  # no folder is made to be left again
    if not (place.exists() or place.is_symlink()):
        return place
    if models.fills(out, folder):
        raise OutputError(f"{out} exists: it was imported already; remove it to import it again")
    if out == models.imported().get(folder.name):
        raise OutputError(f"{out}, {models.OUTDATED}")
    raise OutputError(f"{out} exists, and is not {folder.name}: name a folder that does not exist")


def _weights_file(weights: Path, source: models.Source) -> Path:
    """The safetensors file of a folder, or a file that is one by its content, not by its name."""
    file = weights / _FILE if weights.is_dir() else weights
    if file.is_file() and not _is_pickle(file):
        return file
    if not file.is_file() and not any(weights.glob("*.bin")):
        raise ModelError(f"{file}: there is no such file (name a folder of {source.repository})")
    remedy = (
        f"AutoModel.from_pretrained({str(weights)!r}, weights_only=True)"
        ".save_pretrained('converted', safe_serialization=True) writes one"
    )
    raise ModelError(
        f"{weights}: no {_FILE}, and a pickle runs code when it is loaded: refused ({remedy})"
    )


def _is_pickle(file: Path) -> bool:
    """Whether a file begins as a pickle; the size that safetensors begins with may look so, too."""
    try:
        with file.open("rb") as opened:
            start = opened.read(9)
    except OSError as error:
        raise ModelError(f"{file}: cannot be read: {error.strerror or error}") from None
    return start.startswith(_PICKLE) and not start.endswith(b"{")


def _write_data(path: Path, plan: Plan, file: Path) -> None:
    """Fill the data file and check it; weights that were saved anew are the same numbers."""
    sha256 = models.digest(file)
    try:
        tensors = Tensors(file, largest=_FLOAT * plan.data.bytes)
        with atomic.writing(path) as data, np.errstate(all="ignore"):  # the hash decides
            for array in arrays(plan.steps, plan.smoothing, tensors):
                if data.tell() + array.nbytes > plan.data.bytes:
                    raise ModelError("larger tensors")
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
    """A folder that appears at ``out`` when the block ends well, and not otherwise.

    It is written in ``.NAME.partial``, by whoever has the lock in there: the lock ends with its
    process, so that what a killed one left is in nobody's way, and is cleared. Nothing else is: a
    link leads to a folder of somebody else's.
    """
    scratch = out.with_name(f".{out.name}.partial")
    if scratch.is_symlink():
        raise OutputError(f"{scratch}: a link, where {out.name} would be written: remove it")
    with atomic.reporting(out):
        scratch.mkdir(parents=True, exist_ok=True)
        with (scratch / "lock").open("ab") as file:
            atomic.lock(file, out)
            partial = scratch / out.name
            try:
                shutil.rmtree(partial, ignore_errors=True)
                _refuse_meanwhile(out)
                partial.mkdir()
                yield partial
                _refuse_meanwhile(out)
                partial.rename(out)
            finally:
                shutil.rmtree(partial, ignore_errors=True)
                (scratch / "lock").unlink(missing_ok=True)
                with suppress(OSError):  # something else lies there
                    scratch.rmdir()


def _refuse_meanwhile(out: Path) -> None:
    if out.exists():
        raise OutputError(f"{out} was imported meanwhile: it is there")
