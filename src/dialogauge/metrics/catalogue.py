"""Which metrics there are, and how a name becomes one.

A metric is named in one of four ways: a name of :data:`METRICS`; ``"module:Class"``, a metric in
Python code that can be imported; a folder with a trained metric; a name that an installed package
gives in the entry-point group ``dialogauge.metrics``. The last three run or read what they name, so
whoever acts for a stranger passes ``trusted=False`` and gets the first only.

Whoever asks for another encoder gets it, or an error, for every metric that reads one: a trained
metric fits the encoder that it was trained on, and one trained on another is another folder.
"""

import inspect
import os
import reprlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from .. import models, plugins
from ..errors import DialogaugeError, InputError, ModelError, UnknownNameError, located
from . import dcgeval, deam, dynaeval, gauge, maude, overlap, relevance, ruber, trivial, vectors
from .metric import Metric, is_metric
from .trained import TrainedMetric
from .vectors import shared

#: Gives a metric; one that reads an encoder has a parameter ``encoder``.
Make = Callable[..., Metric]

#: Baselines that understand nothing; evaluations set them beside every metric.
_TRIVIAL: dict[str, Make] = {
    "words-per-turn": trivial.words_per_turn,
    "words-per-human-turn": trivial.words_per_human_turn,
    "turn-count": trivial.turn_count,
    "distinct-1": trivial.distinct_1,
    "distinct-2": trivial.distinct_2,
    "context-overlap": trivial.context_overlap,
    "random": trivial.random,
}
TRIVIAL: tuple[str, ...] = tuple(_TRIVIAL)

#: Trained metrics by the field "metric" of a folder's config.json: its struct, and the class.
KINDS: dict[str, tuple[type[msgspec.Struct], type[TrainedMetric]]] = {
    "relevance": (relevance.Config, relevance.Relevance),
    **dict.fromkeys(("maude", "nli", "infersent", "ruber"), (maude.Config, maude.Maude)),
    **dict.fromkeys(("ruber-blend", "bert-ruber"), (ruber.Config, ruber.Blend)),
    **dict.fromkeys(("dynaeval", "s-dicoh"), (dynaeval.Config, dynaeval.Graph)),
    "deam": (deam.Config, deam.Deam),
    "gauge": (gauge.Config, gauge.Gauge),
    "dcgeval": (dcgeval.Config, dcgeval.DcgEval),
}


class _Shipped(NamedTuple):
    """A trained metric that ships."""

    about: str  # the help text
    model: str = ""  # whose folder, if not that of its own name
    variant: type[TrainedMetric] | None = None  # instead of the class of its kind


#: The metric of whoever names none.
DEFAULT = "gauge"
_TRAINED = {
    "gauge": _Shipped(
        "What people would think of it: the share of rated conversations they like less, 0 to 1."
    ),
    "relevance": _Shipped(
        "How well each turn follows the last four: a trained head and the cosine, -1 to 1."
    ),
    "maude": _Shipped(
        "How well each turn follows the last eight, told from broken and foreign ones, 0 to 1."
    ),
    "bert-ruber": _Shipped(
        "BERT-RUBER: likeness to the best reference and fit to the last turn, the smaller, 0 to 1."
    ),
    "dynaeval": _Shipped(
        "DynaEval: a dialogue as a graph of its turns, trained on damaged ones; no fixed range."
    ),
    "deam": _Shipped(
        "DEAM: does it hang together, which turn broke, and why; all tokens read together, 0 to 1."
    ),
    "dynaeval-so-far": _Shipped(
        "DynaEval; a turn's score is that of the dialogue up to and with it.",
        "dynaeval",
        dynaeval.SoFar,
    ),
    "dynaeval-research": _Shipped(
        "DynaEval trained on DailyDialog, for research only (CC BY-NC-SA); no fixed range."
    ),
}


def _maker(name: str, shipped: _Shipped) -> Make:
    """What makes a trained metric that ships."""

    def make(encoder: str = "") -> Metric:
        model = shipped.model or name
        folder = _trained_on(encoder, model) if encoder else model
        return from_folder(folder, name, shipped.variant, encoder)

    make.__doc__ = shipped.about
    return make


#: Every metric that ships: its name and what makes it; its docstring is the help text.
METRICS: dict[str, Make] = {
    "bleu": overlap.bleu,
    "chrf": overlap.chrf,
    "rouge-l": overlap.rouge_l,
    "meteor": overlap.meteor,
    "cosim": vectors.cosim,
    "embedding-average": vectors.embedding_average,
    "vector-extrema": vectors.vector_extrema,
    "greedy-matching": vectors.greedy_matching,
    "bertscore": vectors.bertscore,
    **{name: _maker(name, shipped) for name, shipped in _TRAINED.items()},
    **_TRIVIAL,
}

_ENTRY_POINTS = "dialogauge.metrics"


def names() -> tuple[str, ...]:
    """Every name :func:`load` knows: those that ship, then those of installed packages."""
    return tuple(dict.fromkeys((*METRICS, *sorted(plugins.installed(_ENTRY_POINTS)))))


def describe(name: str) -> str:
    """One line of help: the first of the docstring.

    >>> describe("turn-count")
    'How many turns there are.'
    """
    if name in METRICS:
        return _first_line(METRICS[name])
    installed = plugins.installed(_ENTRY_POINTS)
    if name not in installed:
        raise UnknownNameError("metric", name, names())
    return _first_line(plugins.attempt(installed[name].load, f"the installed metric {name!r}"))


def load(name: str, trusted: bool = True, encoder: str | None = None) -> Metric:
    """The metric of that name, folder, ``"module:Class"`` or entry point.

    ``encoder`` (a model's name, or a folder) stands in for the one that ships, in metrics that read
    one. ``trusted=False`` is for names that come from somebody else (a request, a file): it knows
    the names of :data:`METRICS` and of models, and runs nothing.
    """
    if encoder:  # a wrong name is wrong for a metric that reads none, too
        models.find_encoder(encoder, named_only=not trusted)
    if name in METRICS:
        reads = encoder and "encoder" in inspect.signature(METRICS[name]).parameters
        return METRICS[name](encoder=encoder) if reads else METRICS[name]()
    if not trusted:
        raise DialogaugeError(
            f"{reprlib.repr(name)} is not a metric that ships with dialogauge, and here only those "
            f"may be used: {', '.join(METRICS)}"
        )
    if models.is_folder(name):
        return from_folder(name, encoder=encoder or "")
    installed = plugins.installed(_ENTRY_POINTS)
    if encoder and (":" in name or name in installed):
        raise DialogaugeError(f"{reprlib.repr(name)} takes no encoder: it brings its own, if any")
    if ":" in name:
        thing = plugins.named(name, "module:Class")
        return _metric(lambda: thing, repr(name))
    if name in installed:
        return _metric(installed[name].load, f"the installed metric {name!r}")
    if os.sep in name:
        raise InputError("there is no such folder", file=name, remedy="name a trained metric's")
    raise UnknownNameError("metric", name, names())


class _Named(msgspec.Struct):
    """The part of a config.json that says what a folder holds."""

    metric: str


def from_folder(
    folder: str | Path,
    name: str = "",
    variant: type[TrainedMetric] | None = None,
    encoder: str = "",
) -> TrainedMetric:
    """The trained metric of a folder, or of a model that ships; ``name`` tells two apart.

    ``variant`` is a class to use instead of the kind's own; ``encoder`` is where its encoder lies,
    if no longer where it was in training.
    """
    where = models.find(folder)
    file = where / "config.json"
    fields, kind = _read(file)
    if kind not in KINDS:
        problem = f"no trained metric of the kind {reprlib.repr(kind)} is known"
        raise InputError(f"{problem} ({', '.join(KINDS)})", file=str(file), field="metric")
    models.verify(where)
    shape, metric = KINDS[kind]
    try:
        config = msgspec.convert(fields, shape)
    except msgspec.ValidationError as error:
        raise ModelError(str(located(error, file=str(file)))) from None
    return (variant or metric)(where, config, name, encoder)


def _trained_on(encoder: str, model: str) -> str:
    """The model, or the one that was trained on that encoder and bears both names."""
    other = f"{model}-{Path(encoder).name}"
    there = models.named()
    for name in (model, other):
        config = there[name] / "config.json" if name in there else None
        if config and _read(config)[0].get("encoder_hash") == shared(encoder).hash:
            return name
    problem = f"no {model} was trained on {shared(encoder).config.name} ({shared(encoder).hash})"
    raise ModelError(
        f"{problem}: train one by the recipe {model}.toml with backbone.name = {encoder!r}, and "
        f"score with its folder, or call it {models.home() / other}"
    )


def _read(file: Path) -> tuple[Any, str]:
    """The fields of a config.json, and the kind that it names."""
    remedy = "a trained metric is a folder whose config.json names its kind in the field 'metric'"
    try:
        fields = msgspec.json.decode(file.read_bytes())
        return fields, msgspec.convert(fields, _Named).metric
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
        raise InputError(problem, file=str(file), remedy=remedy) from None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise located(error, file=str(file), remedy=remedy) from None


def _metric(get: Callable[[], Any], what: str) -> Metric:
    """A metric from whatever ``get`` gives: one, or something that makes one when called."""
    metric = plugins.made(get, what, lambda it: not isinstance(it, type) and is_metric(it))
    if not is_metric(metric):
        raise DialogaugeError(
            f"{what} is not a metric but {type(metric).__name__}: "
            "it needs a name, a signature and score(dialogues)"
        )
    return metric  # type: ignore[no-any-return]


def _first_line(thing: object) -> str:
    return (thing.__doc__ or "").strip().partition("\n")[0]
