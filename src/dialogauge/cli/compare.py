"""``dialogauge compare``: does one run, or one system, score higher than another?"""

from pathlib import Path
from typing import Annotated

import typer

from ..errors import DialogaugeError
from ..meta import Resampling, compare_runs, of_system
from ..report import evaluations
from ..scores import Scores
from .console import Json, MetricNames, Resamples, Seed, listed, show


def run(
    files: Annotated[list[Path], typer.Argument(help="One or two files made by score --out.")],
    metric: MetricNames = None,
    systems: Annotated[str | None, typer.Option(help="Two systems of one file: NAME,NAME.")] = None,
    resamples: Resamples = 10_000,
    seed: Seed = 0,
    json: Json = None,
) -> None:
    """Compare two runs, or two systems of one run, by a paired permutation test.

    Rows are paired by dialogue id, else by context. Without --metric every metric that both runs
    have is compared.
    """
    (first, second), names = _sides(files, systems)
    chosen = listed(metric) or [name for name in first.metrics if name in second.signatures]
    if not chosen:
        raise DialogaugeError("the two runs have no metric in common")
    settings = Resampling(resamples=resamples, seed=seed)
    comparisons = [compare_runs(first, second, name, settings) for name in chosen]
    value = {"first": names[0], "second": names[1], "comparisons": comparisons}
    show(value, json, lambda: (evaluations.runs_table(each, names) for each in comparisons))


def _sides(files: list[Path], systems: str | None) -> tuple[tuple[Scores, Scores], list[str]]:
    """The two tables to compare and what to call them."""
    if systems is None:
        if len(files) != 2:
            raise DialogaugeError("name two files of scores, or one and --systems A,B")
        return (Scores.read(files[0]), Scores.read(files[1])), [str(file) for file in files]
    names = systems.split(",")
    if len(files) != 1 or len(names) != 2:
        raise DialogaugeError("--systems takes two names and one file of scores")
    scores = Scores.read(files[0])
    return (of_system(scores, names[0]), of_system(scores, names[1])), names
