"""A recipe in, a model folder out.

The module of a task either ``build``s what :func:`.loop.fit` trains, or, where nothing is learnt
step by step, has ``make``, which writes the model's files itself. Both come to an
:class:`~.card.Outcome`; folder, card and manifest are the same for all.
"""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from .. import atomic, models
from ..errors import DialogaugeError, InputError, OutputError
from . import card, require_extra
from . import recipe as recipes
from .card import Outcome
from .data import gather
from .models import Encode, check, module
from .recipe import Recipe

if TYPE_CHECKING:
    from .log import Watch


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
    material: Any = None,
    encode: Encode | None = None,
    watch: "Sequence[Watch]" = (),
    command: str = "",
) -> Trained:
    """Train what a recipe says and export it to the folder ``out``.

    ``material`` stands in for the recipe's data and ``encode`` for its frozen backbone. What is
    needed to go on after a kill lies in ``out/training``, which a finished model does not need.
    """
    file = str(recipe) if isinstance(recipe, Path) else ""
    recipe = recipes.read(recipe) if isinstance(recipe, Path) else recipe
    require_extra(recipe.task)
    settings = check(recipe, file=file)
    kind = module(recipe.task)
    recipes.refuse(recipe, unread(recipe.task), file=file)
    _claim(out, recipe, resume)
    if hasattr(kind, "make"):
        with _leaving(out, resume):
            outcome: Outcome = kind.make(recipe, settings, out)
    else:
        from .loop import fit, reseed

        work = out / "training"
        with _leaving(out, resume):
            if material is None and hasattr(kind, "gather"):
                material = kind.gather(recipe, settings)
            material = gather(recipe.data) if material is None else material
            reseed(recipe.seed, 0)  # the network's first weights
            task = kind.build(recipe, settings, material, work, encode)
        state = fit(task, recipe, work, resume=resume, watch=watch)
        parity = task.export(out) if leads(recipe.task) else 0.0
        outcome = card.learnt(material, state, parity, getattr(task, "sections", ()))
    if leads(recipe.task):
        publish(out, recipe, outcome, command)
    facts = {name: getattr(outcome, name) for name in Trained.__struct_fields__[1:]}
    return Trained(str(out), **facts)


def publish(out: Path, recipe: Recipe, outcome: Outcome, command: str = "") -> None:
    """Write the card and the manifest of a model whose files are there."""
    command = command or f"dialogauge train RECIPE --out {out.name}"
    notes: str = getattr(module(recipe.task), "NOTES", "")
    card.write(out, recipe, outcome, command, notes=notes, unread=unread(recipe.task))
    models.seal(out, nested=True)


def leads(task: str) -> bool:
    """Whether this process writes and speaks: of several that train together, the first."""
    if hasattr(module(task), "make"):
        return True
    from .loop import processes

    return bool(processes().is_main_process)


def unread(task: str) -> tuple[str, ...]:
    """The tables of a recipe that a task does not look at."""
    kind = module(task)
    if hasattr(kind, "make"):
        return ("data", "optimisation")
    return ("data",) if hasattr(kind, "gather") else ()


def _claim(out: Path, recipe: Recipe, resume: bool) -> None:
    """Echo the recipe into the folder, which is new, or holds the same recipe to go on with."""
    path = out / "recipe.json"
    if resume:
        started = recipes.read(path)
        if started != recipe:
            raise InputError(
                f"was started with another recipe ({', '.join(_differences(started, recipe))})",
                file=str(out),
                remedy="go on with the same one, or name another folder",
            )
    elif leads(recipe.task):
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise OutputError(f"{out} is not an empty folder: go on with --resume or name another")
        with atomic.reporting(out):
            (out / "training").mkdir(parents=True)
        with atomic.writing(path) as file:
            file.write(recipes.encode(recipe, without=unread(recipe.task)))


@contextmanager
def _leaving(out: Path, resume: bool) -> Iterator[None]:
    """What cannot begin leaves no claim behind: the recipe can be mended and tried again."""
    try:
        yield
    except DialogaugeError:
        if not resume:
            shutil.rmtree(out / "training", ignore_errors=True)
            (out / "recipe.json").unlink(missing_ok=True)
            with suppress(OSError):  # something else lies there
                out.rmdir()
        raise


def _differences(started: Recipe, given: Recipe) -> list[str]:
    """The keys in which two recipes differ."""
    one, two = _flat(msgspec.to_builtins(started)), _flat(msgspec.to_builtins(given))
    return sorted(key for key in {*one, *two} if one.get(key) != two.get(key))


def _flat(table: dict[str, Any], within: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in table.items():
        name = f"{within}{key}"
        flat |= _flat(value, f"{name}.") if isinstance(value, dict) else {name: value}
    return flat
