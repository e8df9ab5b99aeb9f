"""Models that are trained only to be measured: recipes that ship, with something changed."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from .. import train
from ..errors import InputError
from ..metrics import Metric, load
from .kept import T, keep, read
from .page import Request, Variant

if TYPE_CHECKING:
    from ..train.recipe import Recipe

#: The recipes that ship: where the package is, not where it is run.
RECIPES = Path(train.__file__).parent / "recipes"


def measured(
    page: str,
    family: Mapping[str, Variant],
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
        for name, seed, metric in _trained(page, family, request, request.tell):
            numbers[name] = measure(numbers, name, seed, metric)
            keep(path, {each: numbers[each] for each in family if each in numbers})
    return numbers


def _trained(
    page: str, family: Mapping[str, Variant], request: Request, tell: Callable[[str], None]
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
                tell(f"training {name}, seed {seed} of {variant.seeds}")
                # MaUdE's family pools the tokens of a text; DynaEval's `pooling` is that of turns.
                pools: Mapping[str, Any] = wanted.settings if wanted.task == "nce" else {}
                run.train(
                    wanted,
                    folder,
                    resume=(folder / "recipe.json").exists(),
                    material=material(wanted.data),
                    encode=frozen.encoder(
                        wanted.backbone, pools.get("pooling", "mean"), work / "vectors"
                    ),
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


def _finished(folder: Path, wanted: "Recipe") -> bool:
    """Whether the folder has this model; another recipe's is an error, not a number."""
    from ..train.recipe import read

    if not (folder / "manifest.json").exists():
        return False
    if read(folder / "recipe.json") != wanted:
        problem = "was trained with another recipe"
        raise InputError(problem, file=str(folder), remedy="remove it to train it again")
    return True
