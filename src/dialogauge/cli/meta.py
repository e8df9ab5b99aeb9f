"""``dialogauge meta``: does a metric agree with people, or see damage, and how sure is that?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .. import corpora
from ..dialogue import Dialogue
from ..errors import DialogaugeError, InputError, UnknownNameError
from ..formats import read
from ..meta import Settings
from ..metrics import load
from .console import Json, MetricNames, Quiet, emit, listed, out, remark, wants_table
from .score import chosen

if TYPE_CHECKING:
    from ..judging import Judgement


def run(
    on: Annotated[
        str | None, typer.Option(help="A corpus (dialogauge corpora list) or a rated file.")
    ] = None,
    metric: MetricNames = None,
    contrasts: Annotated[
        str | None, typer.Option(help="A file of contrasts (manipulate --contrasts) instead.")
    ] = None,
    aspect: Annotated[
        str | None, typer.Option(help="What people rated; may be left out where there is one.")
    ] = None,
    coefficient: Annotated[
        Literal["spearman", "pearson", "kendall"], typer.Option(help="For confounds and tests.")
    ] = "spearman",
    resamples: Annotated[int, typer.Option(help="Bootstrap resamples.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Of resampling and permutation.")] = 0,
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
    if on is None:
        _discriminate(contrasts or "", metric, Settings(resamples=resamples, seed=seed), json)
        return
    from ..judging import judge, keep_apart
    from ..meta import tables

    dialogues = rated(on)
    about = _aspect(dialogues, aspect)
    settings = Settings(coefficient=coefficient, resamples=resamples, seed=seed, raters=raters)
    remark(f"{len(dialogues):,} items of {on}, aspect {about}", quiet)
    judged = [load(name) for name in chosen(listed(metric))]
    keep_apart(on, judged)
    judgement = judge(judged, dialogues, about, settings)
    if plot is not None:
        _draw(judgement, dialogues, plot)
        remark(f"drawn: {plot}", quiet)
    if not wants_table(json):
        emit({"evaluations": judgement.evaluations, "comparison": judgement.comparison})
        return
    console = out()
    for evaluation in judgement.evaluations:
        console.print(tables.evaluation_table(evaluation))
    if judgement.comparison is not None:
        console.print(tables.comparison_table(judgement.comparison))


def _discriminate(
    path: str, metric: list[str] | None, settings: Settings, json: bool | None
) -> None:
    from ..contrast import read as read_contrasts
    from ..judging import discriminations
    from ..meta import tables

    metrics = [load(name) for name in chosen(listed(metric))]
    found = discriminations(metrics, read_contrasts(path), settings)
    if not wants_table(json):
        emit({"discrimination": found})
        return
    for name, result in found.items():
        out().print(name, tables.discrimination_table(result), sep="\n")


def rated(on: str) -> list[Dialogue]:
    """The rated dialogues of a corpus, or of a transcript with ratings."""
    if on in corpora.names():
        return list(corpora.load(on))
    if not Path(on).exists():
        raise UnknownNameError("corpus or file", on, corpora.names())
    return list(read(on))


def _aspect(dialogues: list[Dialogue], asked: str | None) -> str:
    if asked is not None:
        return asked
    known = sorted({aspect for dialogue in dialogues for aspect in dialogue.ratings})
    if len(known) == 1:
        return known[0]
    remedy = f"choose with --aspect: {', '.join(known)}" if known else "nothing is rated"
    raise DialogaugeError(f"which aspect? {remedy}")


def _draw(judgement: "Judgement", dialogues: list[Dialogue], plot: Path) -> None:
    from ..report import figures

    if len(judgement.evaluations) == 1:
        figures.scatter(judgement.evaluations[0], judgement.scores, dialogues, plot)
    else:
        figures.forest(map(figures.mark, judgement.evaluations), plot)
