"""Which metrics there are, and how a name becomes one.

A metric is named in one of four ways: a name of :data:`METRICS`; ``"module:Class"``, a metric in
Python code that can be imported; a folder with a trained metric; a name that an installed package
gives in the entry-point group ``dialogauge.metrics``. The last three run or read what they name, so
whoever acts for a stranger passes ``trusted=False`` and gets the first only.
"""

import os
import reprlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from .. import plugins
from ..errors import DialogaugeError, InputError, UnknownNameError
from . import dynaeval as graphs
from . import maude as unreferenced
from . import ruber as blends
from .metric import Metric, is_metric
from .overlap import bleu, chrf, meteor, rouge_l
from .relevance import from_folder, relevance
from .trivial import (
    context_overlap,
    distinct_1,
    distinct_2,
    random,
    turn_count,
    words_per_human_turn,
    words_per_turn,
)
from .vectors import bertscore, cosim, embedding_average, greedy_matching, vector_extrema

Make = Callable[[], Metric]

#: Baselines that understand nothing; evaluations set them beside every metric.
_TRIVIAL: dict[str, Make] = {
    "words-per-turn": words_per_turn,
    "words-per-human-turn": words_per_human_turn,
    "turn-count": turn_count,
    "distinct-1": distinct_1,
    "distinct-2": distinct_2,
    "context-overlap": context_overlap,
    "random": random,
}
TRIVIAL: tuple[str, ...] = tuple(_TRIVIAL)

#: Every metric that ships: its name and what makes it; its docstring is the help text.
METRICS: dict[str, Make] = {
    "bleu": bleu,
    "chrf": chrf,
    "rouge-l": rouge_l,
    "meteor": meteor,
    "cosim": cosim,
    "embedding-average": embedding_average,
    "vector-extrema": vector_extrema,
    "greedy-matching": greedy_matching,
    "bertscore": bertscore,
    "relevance": relevance,
    "maude": unreferenced.maude,
    "bert-ruber": blends.bert_ruber,
    "dynaeval": graphs.dynaeval,
    "dynaeval-so-far": graphs.dynaeval_so_far,
    "dynaeval-research": graphs.dynaeval_research,
    **_TRIVIAL,
}

#: What loads a folder whose config.json has this name in its field "metric".
FOLDERS: dict[str, Callable[[Path], Metric]] = {
    "relevance": from_folder,
    **dict.fromkeys(("maude", "nli", "infersent", "ruber"), unreferenced.from_folder),
    **dict.fromkeys(("ruber-blend", "bert-ruber"), blends.from_folder),
    **dict.fromkeys(("dynaeval", "s-dicoh"), graphs.from_folder),
}

ENTRY_POINTS = "dialogauge.metrics"


def names() -> tuple[str, ...]:
    """Every name :func:`load` knows: those that ship, then those of installed packages."""
    return tuple(dict.fromkeys((*METRICS, *sorted(plugins.installed(ENTRY_POINTS)))))


def describe(name: str) -> str:
    """One line of help: the first of the docstring.

    >>> describe("turn-count")
    'How many turns there are.'
    """
    if name in METRICS:
        return _first_line(METRICS[name])
    installed = plugins.installed(ENTRY_POINTS)
    if name not in installed:
        raise UnknownNameError("metric", name, names())
    return _first_line(plugins.attempt(installed[name].load, f"the installed metric {name!r}"))


def load(name: str, trusted: bool = True) -> Metric:
    """The metric of that name, folder, ``"module:Class"`` or entry point.

    ``trusted=False`` is for names that come from somebody else (a request, a file): it knows the
    names of :data:`METRICS` and runs nothing.
    """
    if name in METRICS:
        return METRICS[name]()
    if not trusted:
        raise DialogaugeError(
            f"{reprlib.repr(name)} is not a metric that ships with dialogauge, and here only those "
            f"may be used: {', '.join(METRICS)}"
        )
    if _is_folder(name):
        return _from_folder(Path(name))
    if ":" in name:
        return _from_code(name)
    installed = plugins.installed(ENTRY_POINTS)
    if name in installed:
        return _made(installed[name].load, f"the installed metric {name!r}")
    if os.sep in name:
        raise InputError("there is no such folder", file=name, remedy="name a trained metric's")
    raise UnknownNameError("metric", name, names())


def _is_folder(name: str) -> bool:
    try:
        return bool(name) and Path(name).is_dir()
    except (OSError, ValueError):  # too long for a path, or with a NUL
        return False


class _Config(msgspec.Struct):
    """The part of a trained metric's config.json that says what it is."""

    metric: str


def _from_folder(folder: Path) -> Metric:
    file = folder / "config.json"
    remedy = "a trained metric is a folder whose config.json names its kind in the field 'metric'"
    try:
        config = msgspec.json.decode(file.read_bytes(), type=_Config)
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
        raise InputError(problem, file=str(file), remedy=remedy) from None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise InputError(str(error).replace("`", ""), file=str(file), remedy=remedy) from None
    if config.metric not in FOLDERS:
        known = ", ".join(FOLDERS) or "none yet"
        problem = f"no trained metric of the kind {reprlib.repr(config.metric)} is known ({known})"
        raise InputError(problem, file=str(file), field="metric")
    return FOLDERS[config.metric](folder)


def _from_code(name: str) -> Metric:
    """A metric from ``"module:Class"``: a class, a function that makes one, or one itself."""
    found = plugins.named(name, "module:Class")
    return _made(lambda: found, repr(name))


def _made(get: Callable[[], Any], what: str) -> Metric:
    """A metric from whatever ``get`` gives: one, or something that makes one when called."""
    made = plugins.made(get, what, lambda it: not isinstance(it, type) and is_metric(it))
    if not is_metric(made):
        raise DialogaugeError(
            f"{what} is not a metric but {type(made).__name__}: "
            "it needs a name, a signature and score(dialogues)"
        )
    return made  # type: ignore[no-any-return]


def _first_line(thing: object) -> str:
    return (thing.__doc__ or "").strip().partition("\n")[0]
