"""A recipe: everything that decides what a training run gives, as one frozen value.

It is written in TOML and echoed to the output as ``recipe.json`` with every default filled in,
so that a model folder says how to make it again. A word that is not known is an error: a typing
mistake must not train a different model.

    >>> recipe = decode(b'''
    ... name = "tiny"
    ... task = "nce"
    ... [data]
    ... corpora = ["personachat"]
    ... [optimisation]
    ... epochs = 2
    ... ''')
    >>> recipe.seed, recipe.backbone.name, recipe.optimisation.decay
    (1, 'minilm', 'linear')
    >>> decode(b'name = "tiny"\\ntask = "nce"\\nsede = 2', file="tiny.toml")
    Traceback (most recent call last):
    ...
    dialogauge.errors.InputError: tiny.toml: Object contains unknown field sede
"""

import os
from collections.abc import Sequence
from importlib.resources import files as resources
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta

from ..errors import DataError, InputError, UnknownNameError, located

Precision = Literal["auto", "fp32", "bf16", "fp16"]
Share = Annotated[float, Meta(ge=0, le=1)]
Positive = Annotated[float, Meta(gt=0)]
Count = Annotated[int, Meta(ge=0)]
AtLeastOne = Annotated[int, Meta(ge=1)]

S = TypeVar("S", bound=msgspec.Struct)


class Data(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which dialogues are learnt from: corpora by name, files of the user's own, or both."""

    corpora: tuple[str, ...] = ()
    files: tuple[str, ...] = ()  # any transcript format that `dialogauge score` reads
    fraction: Share = 1.0  # of each corpus's training dialogues
    cap: Count = 0  # training dialogues of each corpus at most; 0: no limit
    valid_cap: Count = 500  # validation dialogues of each corpus at most
    decontaminate: bool = True  # drop what shares text with a test or tuning set (held_out)
    published: bool = False  # the corpora's own train and validation parts, not our split


class DataFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file that is no corpus of dialogues, for the settings of tasks that read such."""

    file: str
    licence: str = ""

    def path(self, folder: str) -> Path:
        """Where it lies: a path of its own, or a name in a folder of ``DIALOGAUGE_DATA``."""
        path = Path(self.file)
        return path if path.is_absolute() else data_folder(folder) / path


class Optimisation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the weights move."""

    epochs: AtLeastOne = 1
    steps: Count = 0  # at most so many in all; 0: as many as the epochs have
    batch_size: AtLeastOne = 32
    learning_rate: Positive = 1e-4
    fresh: Positive = 1.0  # times that rate for what begins random beside what is pretrained
    warmup: Share = 0.1  # share of all steps in which the rate climbs from 0
    decay: Literal["linear", "cosine"] = "linear"  # to 0 at the last step
    weight_decay: Annotated[float, Meta(ge=0)] = 0.01  # of matrices, not of biases and norms
    clip: Positive = 1.0  # largest norm of the gradient
    patience: Count = 0  # validations without a gain before stopping; 0: never
    precision: Precision = "auto"  # fp32 on a CPU; bf16 or fp16 where a GPU has it
    evaluate_every: Count = 0  # steps; 0: at the end of each epoch
    checkpoint_every: Count = 0  # steps; 0: at the end of each epoch


class Chosen(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The encoder a run starts from: ``minilm``, a local folder, or a name on the hub."""

    name: Annotated[str, Meta(min_length=1)] = "minilm"
    max_tokens: Annotated[int, Meta(ge=4)] = 128


class Recipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One training run. ``settings`` belong to the task and are checked by its own struct."""

    name: Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9-]*$")]
    task: str
    about: str = ""  # one sentence for the model card
    seed: Count = 1
    data: Data = Data()
    optimisation: Optimisation = Optimisation()
    backbone: Chosen = Chosen()
    settings: dict[str, Any] = {}


def folder() -> Path:
    """Where the recipes of the models that ship lie."""
    return Path(str(resources("dialogauge.train"))) / "recipes"


def find(name: str) -> Path:
    """The file of a recipe: one that ships, by its name, or any by its path."""
    path = Path(name)
    if path.is_file() or path.suffix or len(path.parts) > 1:
        return path
    shipped = {path.stem: path for path in sorted(folder().glob("*.toml"))}
    if name not in shipped:
        raise UnknownNameError("recipe", name, shipped)
    return shipped[name]


def data_folder(name: str) -> Path:
    """A folder of ``DIALOGAUGE_DATA``, where the files lie that are no corpus of dialogues."""
    if root := os.environ.get("DIALOGAUGE_DATA"):
        return Path(root) / name
    raise DataError(f"no folder {name}: set DIALOGAUGE_DATA to a folder that holds it")


def read(path: Path) -> Recipe:
    """A recipe from a ``.toml`` file, or from the ``recipe.json`` of a model folder."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}", file=str(path), remedy="name a recipe in TOML"
        ) from None
    return decode(data, file=str(path), json=path.suffix == ".json")


def decode(data: bytes, *, file: str = "", json: bool = False) -> Recipe:
    """A recipe from its text."""
    try:
        if json:
            return msgspec.json.decode(data, type=Recipe)
        return msgspec.toml.decode(data, type=Recipe)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise located(error, file=file, form="JSON" if json else "TOML") from None


def encode(recipe: Recipe, *, without: Sequence[str] = ()) -> bytes:
    """The recipe as JSON with every default written out, but for tables that nobody reads."""
    table = {key: each for key, each in msgspec.to_builtins(recipe).items() if key not in without}
    return msgspec.json.format(msgspec.json.encode(table), indent=2) + b"\n"


def refuse(recipe: Recipe, tables: Sequence[str], *, file: str = "") -> None:
    """An error if a recipe fills a table that its task does not read."""
    for name in tables:
        if getattr(recipe, name) != {"data": Data(), "optimisation": Optimisation()}[name]:
            problem = f"the task {recipe.task} does not read this table"
            raise InputError(problem, file=file, field=name, remedy="leave it out")


def settings(recipe: Recipe, kind: type[S], *, file: str = "") -> S:
    """The recipe's free table as the task's own struct."""
    try:
        return msgspec.convert(recipe.settings, kind)
    except msgspec.ValidationError as error:
        raise located(error, file=file, within="settings") from None
