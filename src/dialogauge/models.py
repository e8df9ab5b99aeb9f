"""Model folders: what ships, and whether a folder is what it says.

A model is a folder: ``config.json`` (what it is), ``model.onnx``, ``tokenizer.json`` for an
encoder, ``card.md`` (data, licences, command, results) and ``manifest.json`` (sha256 of each).
:func:`verify` checks every byte before anything is loaded; a folder with a pickle
in it is refused whatever its manifest says.
"""

import hashlib
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

_T = TypeVar("_T")


class Manifest(msgspec.Struct, frozen=True):
    """The files of a model and their hashes."""

    files: dict[str, str]


def shipped() -> dict[str, Path]:
    """The models that come with the package, by name."""
    root = Path(str(resources("dialogauge.weights"))) / "models"
    return {path.name: path for path in sorted(root.iterdir()) if (path / MANIFEST).is_file()}


def find(name: str | Path) -> Path:
    """The folder of a shipped model, or of any model by its path; it is not verified."""
    folder = shipped().get(str(name)) or Path(name)
    if not is_folder(folder):
        raise UnknownNameError("model or folder", str(name), shipped())
    return folder


def open_folder(name: str | Path) -> Path:
    """The verified folder of a shipped model, or of any model by its path."""
    folder = find(name)
    verify(folder)
    return folder


def verify(folder: Path) -> Manifest:
    """Check each file against the manifest; :class:`ModelError` says which one is wrong."""
    refuse_pickles(folder)
    manifest = decode(folder / MANIFEST, Manifest)
    for name, expected in manifest.files.items():
        if digest(_inside(folder, name)) != expected:
            raise ModelError(
                f"{folder / name}: damaged or changed (its sha256 is not the manifest's)"
            )
    return manifest


def refuse_pickles(folder: Path) -> None:
    """An error if any file below a folder is a pickle, which runs code when it is loaded."""
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in _PICKLES:
            remedy = "save the weights as safetensors and delete it"
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
    """One short hash of several files of a verified folder; each must be in its manifest."""
    hashes = decode(folder / MANIFEST, Manifest).files
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


def describe() -> Iterator[dict[str, Any]]:
    """One row per shipped model: name, kind, megabytes, first line of its card."""
    for name, folder in shipped().items():
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        lines = card(folder).splitlines()
        about = next((line for line in lines if line and not line.startswith("#")), "")
        row = {"name": name, "kind": kind(folder), "megabytes": round(size / 1e6, 1)}
        yield {**row, "about": about}


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
