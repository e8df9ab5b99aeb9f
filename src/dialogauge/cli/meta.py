"""``dialogauge meta``: does a metric agree with people, and how sure is that?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .. import corpora
from ..dialogue import Dialogue
from ..errors import DialogaugeError, UnknownNameError
from ..formats import read
from ..meta import Settings
from ..metrics import load
from .console import Json, MetricNames, Quiet, emit, listed, out, remark, wants_table
from .score import chosen

if TYPE_CHECKING:
    from ..benchmark import Judgement


def run(
    on: Annotated[str, typer.Option(help="A corpus (dialogauge corpora list) or a rated file.")],
    metric: MetricNames = None,
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

    With several metrics they are also tested against each other.
    """
    from ..benchmark import judge, keep_apart
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
