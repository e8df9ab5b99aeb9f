"""Models that are trained only to be measured: recipes that ship, with something changed."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from shutil import rmtree
from statistics import mean, stdev
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from .. import train
from ..errors import InputError
from ..metrics import Metric, load
from .page import Request
from .paper import Variant

if TYPE_CHECKING:
    from ..encode.encoder import Pooling
    from ..train.recipe import Recipe

#: The recipes that ship: where the package is, not where it is run.
RECIPES = Path(train.__file__).parent / "recipes"


def trained(
    page: str, family: Mapping[str, Variant], request: Request
) -> Iterator[tuple[str, int, Metric]]:
    """Name, seed and metric of each, which is trained unless ``build/PAGE-family`` has it."""
    train.require_extra()
    from ..train import frozen, run
    from ..train.data import gather

    work, material = request.docs.parent / "build" / f"{page}-family", cache(gather)
    for name, variant in family.items():
        for seed in range(1, variant.seeds + 1):
            folder = work / f"{name.replace(', ', '-').replace(' ', '-')}-{seed}"
            wanted = changed(variant, seed)
            if not _finished(folder, wanted):
                if request.tell:
                    request.tell(f"training {name}, seed {seed} of {variant.seeds}")
                run.train(
                    wanted,
                    folder,
                    resume=(folder / "recipe.json").exists(),
                    material=material(wanted.data),
                    encode=frozen.encoder(wanted.backbone, _pooling(wanted), work / "vectors"),
                )
                rmtree(folder / "training")  # checkpoints, and a copy of all vectors
            yield name, seed, load(str(folder))


def changed(variant: Variant, seed: int) -> "Recipe":
    """The recipe of a variant."""
    from ..train import recipe

    shipped = recipe.read(RECIPES / f"{variant.recipe}.toml")
    epochs = variant.epochs or shipped.optimisation.epochs
    return replace(
        shipped,
        seed=seed,
        data=replace(shipped.data, cap=variant.cap),
        optimisation=replace(shipped.optimisation, epochs=epochs),
        settings={**shipped.settings, **variant.settings},
    )


def _pooling(recipe: "Recipe") -> "Pooling":
    """How MaUdE's family pools the tokens of a text; DynaEval's ``pooling`` is that of turns."""
    return recipe.settings.get("pooling", "mean") if recipe.task == "nce" else "mean"


def _finished(folder: Path, wanted: "Recipe") -> bool:
    """Whether the folder has this model; another recipe's is an error, not a number."""
    from ..train.recipe import read

    if not (folder / "manifest.json").exists():
        return False
    if read(folder / "recipe.json") != wanted:
        problem = "was trained with another recipe"
        raise InputError(problem, file=str(folder), remedy="remove it to train it again")
    return True


class Trial(msgspec.Struct, frozen=True):
    """A trained model's accuracy, by set and kind of damage."""

    seed: int
    accuracy: Mapping[str, Mapping[str, float]]


#: What was measured of each variant, seed by seed.
Trials = Mapping[str, Sequence[Trial]]


def over_seeds(trials: Trials, variant: str, part: str, kind: str) -> str:
    """Mean and standard deviation over trained models, in percent.

    >>> mine = [Trial(seed, {"set": {"UR": 0.9 + seed / 100}}) for seed in (1, 2, 3)]
    >>> over_seeds({"mine": mine}, "mine", "set", "UR")
    '92.0 ± 1.0'
    """
    shares = [100 * value for value in values(trials, variant, part, kind)]
    if not shares:
        return "–"
    return f"{mean(shares):.1f}" + (f" ± {stdev(shares):.1f}" if len(shares) > 1 else "")


def values(trials: Trials, variant: str, part: str, kind: str) -> list[float]:
    """A variant's accuracy, seed by seed."""
    accuracy = (trial.accuracy.get(part, {}) for trial in trials.get(variant, ()))
    return [kinds[kind] for kinds in accuracy if kind in kinds]
