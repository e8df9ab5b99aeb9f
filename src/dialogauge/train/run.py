"""A recipe in, a model folder out."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from .. import atomic, models
from ..errors import InputError, OutputError
from . import card
from . import recipe as recipes
from .checkpoints import State
from .data import Material, gather
from .log import Watch
from .loop import Task, fit, processes, reseed
from .models import Encode, check, module
from .recipe import Recipe


class Trained(msgspec.Struct, frozen=True):
    """What came of a run."""

    folder: str
    steps: int
    best_step: int
    before: dict[str, float]
    best: dict[str, float]
    parity: float
    seconds: float


def train(
    recipe: Recipe | Path,
    out: Path,
    *,
    resume: bool = False,
    material: Material | None = None,
    encode: Encode | None = None,
    watch: Sequence[Watch] = (),
    command: str = "",
) -> Trained:
    """Train what a recipe says and export it to the folder ``out``.

    ``material`` stands in for the recipe's data and ``encode`` for its frozen backbone. What is
    needed to go on after a kill lies in ``out/training``, which a finished model does not need.
    """
    file = str(recipe) if isinstance(recipe, Path) else ""
    recipe = recipes.read(recipe) if isinstance(recipe, Path) else recipe
    settings = check(recipe, file=file)
    _claim(out, recipe, resume)
    material = gather(recipe.data) if material is None else material
    reseed(recipe.seed, 0)  # the network's first weights
    work = out / "training"
    task = module(recipe.task).build(recipe, settings, material, work, encode)
    state = fit(task, recipe, work, resume=resume, watch=watch)
    parity = publish(task, recipe, material, state, out, command)
    return Trained(
        str(out), state.step, state.best_step, state.first, state.best, parity, state.seconds
    )


def publish(
    task: Task, recipe: Recipe, material: Material, state: State, out: Path, command: str = ""
) -> float:
    """Export a trained task with its card and manifest; return the parity."""
    if not processes().is_main_process:
        return 0.0
    parity = task.export(out)
    command = command or f"dialogauge train RECIPE --out {out.name}"
    card.write(out, recipe, material, state, parity, command)
    models.seal(out)
    return parity


def _claim(out: Path, recipe: Recipe, resume: bool) -> None:
    """Echo the recipe into the folder, which is new, or holds the same recipe to go on with."""
    path = out / "recipe.json"
    if resume:
        told = recipes.read(path)
        if told != recipe:
            raise InputError(
                f"was started with another recipe ({', '.join(_differences(told, recipe))})",
                file=str(out),
                remedy="go on with the same one, or name another folder",
            )
    elif processes().is_main_process:
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise OutputError(f"{out} is not an empty folder: go on with --resume or name another")
        with atomic.reporting(out):
            (out / "training").mkdir(parents=True)
        with atomic.writing(path) as file:
            file.write(recipes.encode(recipe))


def _differences(told: Recipe, given: Recipe) -> list[str]:
    """The keys in which two recipes differ."""
    one, two = _flat(msgspec.to_builtins(told)), _flat(msgspec.to_builtins(given))
    return sorted(key for key in {*one, *two} if one.get(key) != two.get(key))


def _flat(table: dict[str, Any], within: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in table.items():
        name = f"{within}{key}"
        flat |= _flat(value, f"{name}.") if isinstance(value, dict) else {name: value}
    return flat
