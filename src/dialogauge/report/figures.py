"""Figures as SVG or PNG: a metric against people, intervals side by side, places of utterances.

The file's ending chooses the format. The same input gives the same bytes; pyplot is not used and
matplotlib's settings are as before afterwards. Names come from data: they are cut to a readable
length, freed of control characters, and a ``$`` in them is a dollar, not mathematics.
"""

import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from .. import atomic
from ..dialogue import Dialogue
from ..errors import OutputError
from ..escaping import printable
from ..meta.agreement import Human
from ..meta.confounds import groups
from ..meta.correlation import complete
from ..meta.estimate import Estimate
from ..meta.evaluation import Evaluation
from ..meta.items import column, rated
from ..meta.weighted import Codes, Floats
from ..scores import Scores

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, FAINT, ACCENT = "#222222", "#b8b8b8", "#0072b2"
#: Okabe and Ito's colours, told apart by everyone; shapes take over when they run out.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_SHAPES = "os^Dv"
_STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Helvetica", "Arial"],
    "font.size": 9.5,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.parse_math": False,
    "svg.hashsalt": "dialogauge",
    "svg.fonttype": "none",
}
FORMATS: dict[str, dict[str, None]] = {".svg": {"Date": None}, ".png": {"Software": None}}
_LONGEST_NAME = 40
#: How much of the mean variance is added to each direction, so that few points do not overfit.
_RIDGE = 0.1
_LETTER = 0.09  # inches of width that a letter of a name asks for


class Mark(msgspec.Struct, frozen=True):
    """One line of a forest plot; ``ceiling`` and ``oracle`` are marked where they are known."""

    label: str
    estimate: Estimate
    ceiling: float = math.nan
    oracle: float = math.nan


def mark(evaluation: Evaluation) -> Mark:
    """An evaluation as one line of a forest plot."""
    human = evaluation.human
    return Mark(
        label=f"{evaluation.metric} · {evaluation.aspect}",
        estimate=evaluation.headline,
        ceiling=human.ceiling.value if isinstance(human, Human) else math.nan,
        oracle=evaluation.confounds.oracle.value,
    )


def scatter(
    evaluation: Evaluation, scores: Scores, dialogues: Sequence[Dialogue], path: str | Path
) -> None:
    """A point per item, the metric across and people's mean rating up, with the regression line.

    Nothing is jittered: points that coincide are drawn over each other and look darker.
    """
    items = rated(dialogues, evaluation.aspect)
    x = column(scores, evaluation.metric, items.dialogues)
    kept = np.flatnonzero(complete(x))
    x, y = x[kept], items.ratings[kept]
    systems = groups([items.systems[place] for place in kept])
    widest = max(map(len, map(_name, systems)), default=0) if len(systems) > 1 else 0
    with drawing(path, (5.4 + _LETTER * widest, 4.4)) as figure:
        axes = figure.add_subplot()
        _points(axes, x, y, systems)
        _line(axes, x, y)
        axes.set_xlabel(_name(evaluation.metric))
        axes.set_ylabel(f"people: {_name(evaluation.aspect)}")
        axes.set_title(_title(evaluation), loc="left", fontsize=10.5)
        axes.grid(color="#eeeeee", linewidth=0.8)
        axes.set_axisbelow(True)
        if len(systems) > 1:
            figure.legend(loc="outside right upper", frameon=False)


def forest(marks: Iterable[Mark], path: str | Path, title: str = "") -> None:
    """A line per estimate: its value and interval, with 0, the human ceiling and the oracle."""
    rows = list(marks)
    labels = [_name(row.label, 2 * _LONGEST_NAME) for row in rows]
    widest = max(map(len, labels), default=0)
    with drawing(path, (5.2 + _LETTER * widest, 1.3 + 0.34 * max(len(rows), 1))) as figure:
        axes = figure.add_subplot()
        axes.axvline(0, color=FAINT, linewidth=1)
        places = np.arange(len(rows), dtype=np.float64)
        for place, row in zip(places, rows, strict=True):
            _interval(axes, place, row)
        _reference(axes, places, [row.oracle for row in rows], "D", "oracle: knows the system only")
        _reference(axes, places, [row.ceiling for row in rows], "|", "human ceiling")
        axes.set_yticks(places, labels)
        axes.set_ylim(max(len(rows), 1) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel("correlation with people")
        if title:
            axes.set_title(_name(title, 2 * _LONGEST_NAME), loc="left", fontsize=10.5)
        if axes.get_legend_handles_labels()[0]:
            figure.legend(loc="outside lower right", frameon=False, ncols=2, fontsize=8.5)


def discriminants(vectors: Floats, groups: Codes, count: int = 2) -> Floats:
    """The ``count`` directions along which groups differ most for their width, (items, count).

    >>> rng = np.random.default_rng(0)
    >>> groups = np.repeat([0, 1, 2], 50)
    >>> points = rng.normal(size=(150, 5))
    >>> points[:, 3] += 4.0 * groups
    >>> first = discriminants(points, groups)[:, 0]
    >>> bool(abs(np.corrcoef(first, groups)[0, 1]) > 0.9)
    True
    """
    from scipy.linalg import eigh

    centred = vectors - vectors.mean(axis=0)
    within = np.zeros((vectors.shape[1],) * 2)
    between = np.zeros_like(within)
    for group in np.unique(groups):
        own = centred[groups == group]
        middle = own.mean(axis=0)
        within += (own - middle).T @ (own - middle)
        between += len(own) * np.outer(middle, middle)
    within += _RIDGE * np.trace(within) / len(within) * np.eye(len(within))
    _, directions = eigh(between, within)
    places: Floats = centred @ directions[:, ::-1][:, :count]
    return places


def positions(points: Floats, groups: Codes, path: Path) -> None:
    """A point for each utterance and a large one for the middle of each group of places."""
    names = np.unique(groups)
    with drawing(path, (6.2, 4.4)) as figure:
        axes = figure.add_subplot()
        for group in names:
            own, colour = points[groups == group], _COLOURS[int(group) % len(_COLOURS)]
            axes.scatter(own[:, 0], own[:, 1], s=4, color=colour, alpha=0.25, linewidths=0)
            label = f"fifth {group + 1}" if len(names) == 5 else str(group)
            x, y = own.mean(axis=0)
            axes.scatter(x, y, s=90, color=colour, edgecolor="white", label=label, zorder=3)
        axes.set_xlabel("first discriminant")
        axes.set_ylabel("second")
        figure.legend(loc="outside right upper", frameon=False)


@contextmanager
def drawing(path: str | Path, size: tuple[float, float]) -> Iterator["Figure"]:
    """A figure that is written, whole or not at all, when the block ends well."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    path = Path(path)
    kind = path.suffix.lower()
    if kind not in FORMATS:
        raise OutputError(f"{path}: a figure's name ends in {' or '.join(FORMATS)}")
    with mpl.rc_context({**mpl.rcParamsDefault, **_STYLE}), warnings.catch_warnings():
        # A name in a script that the font lacks is drawn as boxes in PNG; that is no one's error.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        yield figure
        with atomic.writing(path) as file:
            figure.savefig(file, format=kind[1:], dpi=160, metadata=FORMATS[kind])


def _points(axes: "Axes", x: Floats, y: Floats, systems: dict[str, Codes]) -> None:
    """Points in a random order, so that no system lies on top; the more there are, the fainter."""
    place_of = np.empty(len(x), dtype=np.intp)
    for place, (name, members) in enumerate(systems.items()):
        place_of[members] = place
        colour, label = _COLOURS[place % len(_COLOURS)], _name(name) or "(no name)"
        axes.scatter([], [], s=24, color=colour, marker=_shape(place), linewidths=0, label=label)
    order = np.random.default_rng(0).permutation(len(x))
    alpha = float(np.clip(12 / math.sqrt(len(x) + 1), 0.25, 0.8))
    for shape in dict.fromkeys(map(_shape, range(len(systems)))):
        some = [item for item in order if _shape(place_of[item]) == shape]
        colours = [_COLOURS[place_of[item] % len(_COLOURS)] for item in some]
        size = 22 if len(x) < 500 else 12
        axes.scatter(x[some], y[some], s=size, c=colours, marker=shape, alpha=alpha, linewidths=0)


def _shape(place: int) -> str:
    return _SHAPES[place // len(_COLOURS) % len(_SHAPES)]


def _line(axes: "Axes", x: Floats, y: Floats) -> None:
    """The least-squares line, over the range of the data and no further."""
    if len(x) < 3 or np.ptp(x) == 0:
        return
    slope, level = np.polyfit(x - x.mean(), y, 1)
    ends = np.array([x.min(), x.max()])
    axes.plot(ends, level + slope * (ends - x.mean()), color=INK, linewidth=1.4)


def _interval(axes: "Axes", place: float, row: Mark) -> None:
    estimate = row.estimate
    if math.isnan(estimate.value):
        axes.text(0, place, " undefined", va="center", color=FAINT, fontsize=8.5)
        return
    axes.plot([estimate.low, estimate.high], [place] * 2, color=ACCENT, linewidth=2)
    axes.plot([estimate.value], [place], "o", color=ACCENT, markersize=5.5)
    axes.annotate(
        str(estimate), (1, place), xycoords=("axes fraction", "data"), va="center", fontsize=8.5,
        xytext=(8, 0), textcoords="offset points",
    )  # fmt: skip


def _reference(
    axes: "Axes", places: Floats, values: Sequence[float], shape: str, label: str
) -> None:
    pairs = [pair for pair in zip(values, places, strict=True) if not math.isnan(pair[0])]
    if pairs:
        axes.plot(*zip(*pairs, strict=True), shape, label=label, color=INK, linestyle="none",
                  markersize=11 if shape == "|" else 4.5, markeredgewidth=1.4,
                  markerfacecolor="none")  # fmt: skip


def _title(evaluation: Evaluation) -> str:
    within = evaluation.confounds.within
    name = evaluation.settings.coefficient.title()
    title = f"{name} {evaluation.headline}"
    several = len(evaluation.confounds.systems) > 1 and not math.isnan(within.value)
    return title + (f"\nwithin systems {within}" if several else "")


def _name(text: str, longest: int = _LONGEST_NAME) -> str:
    clean = printable(text)
    return clean if len(clean) <= longest else clean[: longest - 1] + "…"
