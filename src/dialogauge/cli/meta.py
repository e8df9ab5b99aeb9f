"""``dialogauge meta``: does a metric agree with people, or see damage, and how sure is that?"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .. import corpora
from ..corpora.inputs import dialogues
from ..dialogue import Dialogue
from ..errors import DialogaugeError, InputError, UnknownNameError
from ..meta import Resampling
from ..metrics import Metric, load
from ..report import evaluations
from .console import (
    EncoderName,
    Json,
    MetricNames,
    Quiet,
    Resamples,
    Seed,
    chosen_metrics,
    not_read,
    remark,
    show,
)

if TYPE_CHECKING:
    from rich.console import Group

    from ..judging import Judgement


def run(
    on: Annotated[
        str | None, typer.Option(help="A corpus (dialogauge corpora list) or a rated file.")
    ] = None,
    metric: MetricNames = None,
    encoder: EncoderName = None,
    contrasts: Annotated[
        str | None, typer.Option(help="A file of contrasts (manipulate --contrasts) instead.")
    ] = None,
    aspect: Annotated[
        str | None, typer.Option(help="What people rated; may be left out where there is one.")
    ] = None,
    coefficient: Annotated[
        Literal["spearman", "pearson", "kendall"], typer.Option(help="For confounds and tests.")
    ] = "spearman",
    resamples: Resamples = 10_000,
    seed: Seed = 0,
    raters: Annotated[
        Literal["anonymous", "people"], typer.Option(help="Is the same column the same person?")
    ] = "anonymous",
    plot: Annotated[
        Path | None, typer.Option(help="Write a scatter (one metric) or forest plot: .svg, .png.")
    ] = None,
    json: Json = None,
    quiet: Quiet = False,
) -> None:
    """Set metrics against people's ratings: correlations with intervals and their confounds.

    With several metrics they are also tested against each other. With --contrasts: how often a
    metric scores the better of two dialogues higher, by what makes the other worse.
    """
    if (on is None) == (contrasts is None):
        remedy = "name a rated corpus or file, or a file of contrasts"
        raise InputError("one of --on and --contrasts is needed", remedy=remedy)
    resampling = Resampling(coefficient=coefficient, resamples=resamples, seed=seed, raters=raters)
    if on is None:
        metrics = [load(name, encoder=encoder) for name in chosen_metrics(metric)]
        _discriminate(contrasts or "", metrics, resampling, json, quiet)
        return
    from ..judging import judge, keep_apart

    rated, about = _rated(on, aspect)
    remark(f"{len(rated):,} items of {on}, aspect {about}", quiet)
    loaded = [load(name, encoder=encoder) for name in chosen_metrics(metric)]
    keep_apart(on, loaded)
    judgement = judge(loaded, rated, about, resampling)
    if plot is not None:
        _draw(judgement, rated, plot)
        remark(f"drawn: {plot}", quiet)
    not_read(judgement.unread, quiet)
    value = {"evaluations": judgement.evaluations, "comparison": judgement.comparison}
    show(value, json, partial(_tables, judgement))


def _tables(judgement: "Judgement") -> "Iterator[Group]":
    yield from map(evaluations.evaluation_table, judgement.evaluations)
    if judgement.comparison is not None:
        yield evaluations.comparison_table(judgement.comparison)


def _discriminate(
    path: str, metrics: list[Metric], resampling: Resampling, json: bool | None, quiet: bool
) -> None:
    from ..contrast import read
    from ..judging import discriminations
    from ..scoring import Run

    run = Run.of(metrics, None, turns=False)
    results = discriminations(run, read(path), resampling)
    not_read(run.unread, quiet)
    tables = ((name, evaluations.discrimination_table(it)) for name, it in results.items())
    show({"discrimination": results}, json, lambda: chain.from_iterable(tables))


def _rated(on: str, asked: str | None) -> tuple[list[Dialogue], str]:
    """The rated dialogues, and the aspect; a corpus says its aspects before it is read."""
    if on in corpora.names():
        about = _aspect(corpora.info(on).aspects, asked)
        return list(corpora.load(on)), about
    rated = list(dialogues([on]))
    return rated, _aspect(sorted({name for each in rated for name in each.ratings}), asked)


def _aspect(aspects: Sequence[str], asked: str | None) -> str:
    if asked is None and len(aspects) == 1:
        return aspects[0]
    if not aspects:
        raise InputError("nobody rated these dialogues", remedy="evaluate on rated ones")
    if asked is None:
        raise DialogaugeError(f"which aspect? choose with --aspect: {', '.join(aspects)}")
    if asked not in aspects:
        raise UnknownNameError("rated aspect", asked, aspects)
    return asked


def _draw(judgement: "Judgement", rated: list[Dialogue], plot: Path) -> None:
    from ..report import figures

    if len(judgement.evaluations) == 1:
        figures.scatter(judgement.evaluations[0], judgement.scores, rated, plot)
    else:
        figures.forest(map(figures.mark, judgement.evaluations), plot)
