"""Model folders: what ships, what was imported, and whether a folder is what it says.

A model is a folder: ``config.json`` (what it is), ``model.onnx``, ``tokenizer.json`` for an
encoder, ``card.md`` (data, licences, command, results) and ``manifest.json`` (sha256 of each).
:func:`verify` checks every byte before anything is loaded; a folder with a pickle
in it is refused whatever its manifest says.

A model may ship without its weights: ``weights.json`` then says whose they are, and
``dialogauge models import`` writes the whole model to the user's :func:`home`.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from importlib.resources import files as resources
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

import msgspec

from .atomic import write_json
from .errors import ModelError, UnknownNameError, located

#: Endings under which pickled weights travel.
_PICKLES = frozenset({".bin", ".ckpt", ".dill", ".joblib", ".pickle", ".pkl", ".pt", ".pth"})
MANIFEST = "manifest.json"
#: Of a model that ships without weights: how they are made, and where they then lie.
PLAN, DATA = "weights.json", "model.onnx.data"
#: What is said of an imported folder that is not what ours becomes.
OUTDATED = "which another version made: remove it and import again"
#: All that an encoder's vectors depend on, beside its data file.
ENCODER = ("config.json", "model.onnx", "tokenizer.json")

_T = TypeVar("_T")


class Manifest(msgspec.Struct, frozen=True):
    """The files of a model and their hashes."""

    files: dict[str, str]


class Source(msgspec.Struct, frozen=True):
    """The published weights that a model is made of."""

    name: str  # what `dialogauge models import` calls them
    repository: str  # on the hub
    licence: str
    sha256: str  # of its model.safetensors
    bytes: int
    revision: str = "main"  # a branch, tag or commit; whichever, the hash decides

    @property
    def remedy(self) -> str:
        """How to get them, in a few words."""
        command = f"dialogauge models import {self.name}"
        return f"not here: {command} (downloads {self.bytes / 1e6:,.0f} MB, or --from FOLDER)"


class _Planned(msgspec.Struct, frozen=True):
    """The part of a weights.json that says whose weights are awaited, and what they will make."""

    source: Source
    encoder: str  # its hash


def shipped() -> dict[str, Path]:
    """The models that come with the package, by name."""
    root = Path(str(resources("dialogauge.weights"))) / "models"
    return {path.name: path for path in sorted(root.iterdir()) if (path / MANIFEST).is_file()}


def home() -> Path:
    """Where imported models live: ``DIALOGAUGE_MODELS``, else the user's data folder."""
    try:
        if folder := os.environ.get("DIALOGAUGE_MODELS"):
            return Path(folder).expanduser()
        data = os.environ.get("XDG_DATA_HOME") or Path("~/.local/share").expanduser()
    except RuntimeError:
        raise ModelError("there is no home folder: set DIALOGAUGE_MODELS to a folder") from None
    return Path(data) / "dialogauge" / "models"


def imported() -> dict[str, Path]:
    """The models in the user's :func:`home`, by name; none where it cannot be read."""
    try:
        paths = sorted(home().iterdir())
    except (OSError, ModelError):
        return {}
    return {path.name: path for path in paths if path.name[0] != "." and _is_sealed(path)}


def _is_sealed(folder: Path) -> bool:
    """Whether a folder has a manifest; not if nobody may look."""
    try:
        return (folder / MANIFEST).is_file()
    except OSError:
        return False


def named() -> dict[str, Path]:
    """Every model with a name: what ships, then what was imported, its weights included.

    A folder in :func:`home` stands in for one that ships only if it is what that one becomes.
    """
    ours, theirs = shipped(), imported()
    other = {name: path for name, path in theirs.items() if name not in ours}
    filled = {
        name: theirs[name] for name in ours if name in theirs and fills(theirs[name], ours[name])
    }
    return {**ours, **filled, **other}


def fills(folder: Path, ours: Path) -> bool:
    """Whether a folder is, by its manifest, a model that ships together with its weights."""
    planned = _awaited(ours)
    try:
        return planned is not None and fingerprint(folder, ENCODER) == planned.encoder
    except ModelError:
        return False


def find(name: str | Path) -> Path:
    """The folder of a model that ships or was imported, or of any by its path; not verified."""
    folder = named().get(str(name)) or Path(name)
    if not is_folder(folder):
        raise UnknownNameError("model or folder", str(name), named())
    return folder


def find_encoder(name: str | Path, *, named_only: bool = False) -> Path:
    """The folder of an encoder, as :func:`find` gives it, or an error that lists encoders only."""
    known = named()
    folder = known.get(str(name))
    if folder is None and not named_only and is_folder(name):
        folder = Path(name)
        if not _is_sealed(folder):
            raise _unsealed(folder)
    if folder is None:
        encoders = [each for each, path in known.items() if _kind(path) == "encoder"]
        awaited = {each: _awaited(path) for each, path in shipped().items()}
        meant = [each for each, plan in awaited.items() if plan and plan.source.name == str(name)]
        what = "encoder" if named_only else "encoder or folder"
        raise UnknownNameError(what, str(name)[:100], encoders, "".join(meant[:1]))
    if (actual := kind(folder)) != "encoder":
        raise ModelError(f"{folder}: this is a {actual!r}, not an encoder")
    return folder


def _awaited(folder: Path) -> _Planned | None:
    """Whose weights a folder still waits for; None where it is whole."""
    if (folder / DATA).exists() or not (folder / PLAN).exists():
        return None
    return decode(folder / PLAN, _Planned)


def _lack(folder: Path) -> str:
    """What a model without its weights lacks, and the command that gets it; else nothing."""
    planned = _awaited(folder)
    if planned is None:
        return ""
    other = imported().get(folder.name)
    if other is None or folder != shipped().get(folder.name):
        return planned.source.remedy
    again = f"dialogauge models import {planned.source.name}"
    return f"not in {other}, {OUTDATED}: {again}"


def require_weights(folder: Path) -> None:
    """An error with the command that gets them, if a model's weights are not here."""
    if lack := _lack(folder):
        raise ModelError(f"{folder.name}: its weights are {lack}")


def open_folder(name: str | Path) -> Path:
    """The folder that :func:`find` gives, verified."""
    folder = find(name)
    verify(folder)
    return folder


def verify(folder: Path) -> Manifest:
    """Check each file against the manifest; :class:`ModelError` says which one is wrong."""
    if not _is_sealed(folder):
        raise _unsealed(folder)
    refuse_pickles(folder)
    manifest = decode(folder / MANIFEST, Manifest)
    for name, expected in manifest.files.items():
        if digest(_inside(folder, name)) != expected:
            raise ModelError(
                f"{folder / name}: damaged or changed (its sha256 is not the manifest's)"
            )
    return manifest


def _unsealed(folder: Path) -> ModelError:
    remedy = f"`dialogauge models import {folder} --out NEW` makes one of a Hugging Face encoder"
    return ModelError(f"{folder}: not a model folder: it has no {MANIFEST} ({remedy})")


def refuse_pickles(folder: Path) -> None:
    """An error if any file below a folder is a pickle, which runs code when it is loaded."""
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in _PICKLES:
            remedy = "name a folder that holds its weights as safetensors only"
            raise ModelError(f"{path}: a pickle runs code when it is loaded: refused ({remedy})")


def seal(folder: Path, *, nested: bool = False) -> Manifest:
    """Write the manifest of a model's files; hidden files are not part of it.

    Nor are folders, unless ``nested``, and never ``training``, which a run leaves beside its model.
    """
    files = [path for path in folder.glob("**/*" if nested else "*") if path.is_file()]
    names = sorted(path.relative_to(folder).as_posix() for path in files)
    plain = [name for name in names if name != MANIFEST and not name.startswith((".", "training/"))]
    manifest = Manifest({name: digest(folder / name) for name in plain})
    write_json(folder / MANIFEST, manifest)
    return manifest


def decode(path: Path, shape: type[_T]) -> _T:
    """A JSON file of a model as a value of that shape."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=shape)
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ModelError(str(located(error, file=str(path)))) from None


def digest(path: Path) -> str:
    """The sha256 of a file."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror or error}") from None


def fingerprint(folder: Path, names: Sequence[str]) -> str:
    """One short hash of several files of a verified folder; each must be in its manifest.

    The data file, where there is one, is always among them: any graph of the folder may read it.
    """
    hashes = decode(folder / MANIFEST, Manifest).files
    names = [*names, DATA] if (folder / DATA).exists() else names
    for name in names:
        if name not in hashes:
            raise ModelError(f"{folder / MANIFEST}: does not name {name}: it was not verified")
    return hashlib.sha256("".join(hashes[name] for name in names).encode()).hexdigest()[:16]


def kind(folder: Path) -> str:
    """What a model is: ``"encoder"``, or the name of a trained metric."""
    config = decode(folder / "config.json", dict[str, Any])
    return str(config.get("metric") or config.get("model") or "")


def card(folder: Path) -> str:
    """The card of a model: data, licences, command, results."""
    try:
        return (folder / "card.md").read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{folder / 'card.md'}: cannot be read: {error}") from None


def _kind(folder: Path) -> str:
    """The kind of a folder that may be broken; nothing if it is."""
    try:
        return kind(folder)
    except ModelError:
        return ""


def describe() -> Iterator[dict[str, Any]]:
    """One row per model with a name: kind, megabytes, first line of its card or what it lacks."""
    for name, folder in named().items():
        row = {"name": name, "kind": _kind(folder), "megabytes": _megabytes(folder)}
        try:
            kind(folder)
            lines = card(folder).splitlines()
            about = next((line for line in lines if line and not line.startswith("#")), "")
            yield {**row, "about": _lack(folder) or about}
        except ModelError as error:
            yield {**row, "about": f"broken: {error}"}


def _megabytes(folder: Path) -> float:
    """The size of the files of a folder that can be looked at."""
    try:
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    except OSError:
        return 0.0
    return round(size / 1e6, 1)


def is_folder(name: str | Path) -> bool:
    """Whether there is a folder of that name, whatever the name."""
    try:
        return bool(str(name)) and Path(name).is_dir()
    except (OSError, ValueError):  # too long for a path, or with a NUL
        return False


def _inside(folder: Path, name: str) -> Path:
    """A file of the folder; a manifest may not name one elsewhere."""
    parts = PurePosixPath(name).parts
    if not parts or ".." in parts or PurePosixPath(name).is_absolute() or set(name) & {"\\", "\0"}:
        raise ModelError(f"{folder / MANIFEST}: {name!r} is not the name of a file in the folder")
    return folder / name
