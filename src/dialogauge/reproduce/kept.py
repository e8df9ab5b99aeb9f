"""Numbers kept in a file beside a page: what is not measured each time the page is written.

Models that are trained only to be measured are recipes that ship, with something changed
(:func:`family`). Rows that need something which is not everywhere, a translator for example, are
:func:`remembered`: where it is missing they are shown as they were measured last, and say so.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec.structs import replace

from .. import __version__, atomic, train
from ..errors import InputError
from ..meta import Estimate
from ..metrics import Metric, load
from .page import UNKNOWN, Request, Variant

if TYPE_CHECKING:
    from ..train.recipe import Recipe

T = TypeVar("T")
#: The recipes that ship: where the package is, not where it is run.
RECIPES = Path(train.__file__).parent / "recipes"


def keep(path: Path, numbers: Any) -> None:
    """Write a value down, whole or not at all."""
    with atomic.reporting(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    atomic.write_json(path, numbers, indent=1)


def read(path: Path, kind: type[dict[str, T]]) -> dict[str, T]:
    """What was written down the last time; nothing if it never was."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        return {}
    except (msgspec.DecodeError, UnicodeDecodeError, OSError) as error:
        raise InputError(f"cannot be read: {error}", file=str(path)) from None


def family(
    page: str,
    variants: Mapping[str, Variant],
    request: Request,
    kind: type[dict[str, T]],
    measure: Callable[[dict[str, T], str, int, Metric], T],
) -> dict[str, T]:
    """What was measured of a family, after it was trained if that is wanted.

    ``measure`` gets what there is so far, and a variant's name, seed and metric. What it gives is
    written down after each model: a run that is stopped has lost no number.
    """
    path = request.beside(f"{page}-family.json")
    numbers = read(path, kind)
    if request.tell:
        for name, seed, metric in _trained(page, variants, request, request.tell):
            numbers[name] = measure(numbers, name, seed, metric)
            keep(path, {each: numbers[each] for each in variants if each in numbers})
    return numbers


def _trained(
    page: str, variants: Mapping[str, Variant], request: Request, tell: Callable[[str], None]
) -> Iterator[tuple[str, int, Metric]]:
    """Name, seed and metric of each, which is trained unless ``build/PAGE-family`` has it."""
    train.require_extra()
    from ..train import run, vectors
    from ..train.data import gather

    material = cache(gather)
    for name, variant in variants.items():
        for seed in range(1, variant.seeds + 1):
            folder = place(page, request, name, seed)
            wanted = changed(variant, seed)
            if not _finished(folder, wanted):
                tell(f"training {name}, seed {seed} of {variant.seeds}")
                # MaUdE's family pools the tokens of a text; DynaEval's `pooling` is that of turns.
                pools: Mapping[str, Any] = wanted.settings if wanted.task == "nce" else {}
                run.train(
                    wanted,
                    folder,
                    resume=(folder / "recipe.json").exists(),
                    material=material(wanted.data),
                    encode=vectors.encoder(
                        wanted.backbone, pools.get("pooling", "mean"), folder.parent / "vectors"
                    ),
                )
                rmtree(folder / "training")  # checkpoints, and a copy of all vectors
            yield name, seed, load(str(folder))


def place(page: str, request: Request, name: str, seed: int = 1) -> Path:
    """The folder of a model of a family."""
    plain = name.replace(", ", "-").replace(" ", "-")
    return request.docs.parent / "build" / f"{page}-family" / f"{plain}-{seed}"


def changed(variant: Variant, seed: int) -> "Recipe":
    """The recipe of a variant."""
    from ..train import recipe

    shipped = recipe.read(RECIPES / f"{variant.recipe}.toml")
    epochs, named = variant.epochs or shipped.optimisation.epochs, shipped.data.corpora
    return replace(
        shipped,
        seed=seed,
        data=replace(shipped.data, cap=variant.cap, corpora=variant.corpora or named),
        optimisation=replace(shipped.optimisation, epochs=epochs),
        settings={**shipped.settings, **variant.settings},
    )


def _finished(folder: Path, wanted: "Recipe") -> bool:
    """Whether the folder has this model; another recipe's is an error, not a number."""
    from ..train import recipe

    if not (folder / "manifest.json").exists():
        return False
    if recipe.read(folder / "recipe.json") != wanted:
        problem = "was trained with another recipe"
        raise InputError(problem, file=str(folder), remedy="remove it to train it again")
    return True


class Measurement(msgspec.Struct, frozen=True):
    """The numbers of a row, and when, by which version and with what they were measured."""

    numbers: dict[str, Estimate]
    date: str
    dialogauge: str
    using: str  # what must be installed for it


class Remembered(msgspec.Struct, frozen=True):
    """Rows by name; those that are not ``fresh`` were measured earlier."""

    rows: Mapping[str, Measurement]
    fresh: frozenset[str]

    def number(self, row: str, name: str) -> Estimate:
        """A number of a row, however old."""
        return self.rows[row].numbers.get(name, UNKNOWN) if row in self.rows else UNKNOWN

    def label(self, row: str) -> str:
        """The row's name, and, if it is not fresh, where its numbers come from."""
        if row in self.fresh or row not in self.rows:
            return row
        old = self.rows[row]
        how = f"measured on {old.date} by dialogauge {old.dialogauge} with {old.using}"
        return f"{row} ({how}; not here)"


def remembered(
    path: Path, numbers: Mapping[str, dict[str, Estimate]], using: Mapping[str, str]
) -> Remembered:
    """The rows measured now, and the others as the file has them, which is brought up to date.

    A row that gave the same numbers again keeps its date.
    """
    old, today = read(path, dict[str, Measurement]), datetime.now(UTC).date().isoformat()
    new = {
        name: Measurement(each, today, __version__, using[name])
        for name, each in numbers.items()
        # Encoded, because undefined numbers are alike.
        if name not in old or msgspec.json.encode(old[name].numbers) != msgspec.json.encode(each)
    }
    if new and path.parent.is_dir():
        keep(path, old | new)
    return Remembered(old | new, frozenset(numbers))
