"""What can be learnt: a folder for each model: what is learnt, from what, and by which network.

``task`` holds ``Settings`` (the recipe's free table) and ``build(recipe, settings, material, work,
encode)``, which gives a :class:`~dialogauge.train.loop.Task`; ``encode`` stands in for the recipe's
encoder. ``rows`` is what it learns from, ``network`` what is trained.
What learns from something else than dialogues has its own ``gather(recipe, settings)``; what is not
learnt step by step has ``make(recipe, settings, out)`` instead of ``build`` and writes the model's
files itself. ``NOTES`` are for every card. To add one: a folder with these, and a line here.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType

import msgspec
import numpy as np
from numpy.typing import NDArray

from ...errors import UnknownNameError
from ..recipe import Recipe, settings

Encode = Callable[[Sequence[str]], NDArray[np.float32]]

#: A recipe's task -> the module that has it; imported when it is asked for, with all that it needs.
TASKS = {
    "response-selection": "relevance.task",
    "nce": "maude.task",
    "ranking": "dynaeval.task",
    "coherence": "deam.task",
    "gauge": "gauge.task",
    "levels": "dcgeval.levels",
    "people": "dcgeval.people",
    "amr": "amr.task",
    "language": "language.task",
    "concepts": "concepts.task",
    "encoder": "encoder.task",
    "distillation": "encoder.distillation",
}


def module(name: str) -> ModuleType:
    """The module of a task."""
    if name not in TASKS:
        raise UnknownNameError("task", name, TASKS)
    return import_module(f".{TASKS[name]}", __name__)


def check(recipe: Recipe, *, file: str = "") -> msgspec.Struct:
    """The settings of a recipe's task; an unknown task or setting is an error."""
    kind: type[msgspec.Struct] = module(recipe.task).Settings
    return settings(recipe, kind, file=file)
