"""``dialogauge train``: a recipe in, a model folder out."""

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from .console import Json, Quiet, console, facts, remark

if TYPE_CHECKING:
    from ..train.log import Moment


def run(
    recipe: Annotated[
        str,
        typer.Argument(
            help="The name of a model that ships, a recipe in TOML, or a model's recipe.json."
        ),
    ],
    to: Annotated[Path, typer.Option("--out", "-o", help="The folder of the trained model.")],
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where a stopped run left off.")
    ] = False,
    tensorboard: Annotated[
        bool, typer.Option("--tensorboard", help="Log for TensorBoard too, if installed.")
    ] = False,
    json: Json = None,
    quiet: Quiet = False,
) -> None:
    """Train a model by a recipe and export it, with its card, to a folder.

    Stopped by Ctrl-C or killed, the same command with --resume goes on and ends with the same
    weights. Several devices: accelerate launch -m dialogauge train RECIPE --out FOLDER.
    """
    from ..train import recipe as recipes
    from ..train import require_extra

    path = recipes.find(recipe)
    task = recipes.read(path).task
    require_extra(task)
    from ..train.run import leads, train

    command = shlex.join(["dialogauge", "train", recipe, "--out", str(to)])
    lead = leads(task)  # of several processes, one speaks
    with _bar(quiet or not lead) as show:
        watch = [show]
        if tensorboard and lead:
            from ..train.log import tensorboard as board

            watch.append(board(to / "training" / "tensorboard"))
        try:
            trained = train(path, to, resume=resume, watch=watch, command=command)
        except KeyboardInterrupt:
            remark(f"interrupted; go on with: {command} --resume", quiet)
            raise
    if lead:
        facts(msgspec.structs.asdict(trained), json)


@contextmanager
def _bar(quiet: bool) -> Iterator[Callable[["Moment"], None]]:
    """A bar over the steps with the loss, the last validation and the time left."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich import progress

    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TextColumn("loss {task.fields[loss]:.4f}"),
        progress.TextColumn("{task.fields[valid]}"),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task("preparing", total=None, loss=float("nan"), valid="")
        smooth: list[float] = []

        def show(moment: "Moment") -> None:
            if moment.loss is not None:  # a mean that follows: single losses jump
                smooth[:] = [0.95 * smooth[0] + 0.05 * moment.loss if smooth else moment.loss]
                bar.update(task, completed=moment.step, total=moment.total, loss=smooth[0])
                bar.update(task, description="training")
            for name, value in list((moment.validation or {}).items())[:1]:
                bar.update(task, valid=f"{name} {value:.3f}")

        yield show
