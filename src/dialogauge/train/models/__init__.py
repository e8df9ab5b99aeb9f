"""What can be learnt: a table of tasks, each a settings struct and a function that builds it.

To add one: a module with its settings and its :class:`~dialogauge.train.loop.Task`, a line here.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from ...errors import UnknownNameError
from ..data import Material
from ..loop import Task
from ..recipe import Recipe, settings
from .dynaeval import task as ranking
from .encoder import contrastive, mlm
from .maude import task as nce
from .relevance import task as response_selection

Encode = Callable[[Sequence[str]], NDArray[np.float32]]


class Kind(NamedTuple):
    """A task before it meets its data."""

    settings: type[msgspec.Struct]
    build: Callable[[Recipe, Any, Material, Path, Encode | None], Task]


TASKS: dict[str, Kind] = {
    "response-selection": Kind(response_selection.Settings, response_selection.build),
    "contrastive": Kind(contrastive.Settings, contrastive.build),
    "mlm": Kind(mlm.Settings, mlm.build),
    "nce": Kind(nce.Settings, nce.build),
    "ranking": Kind(ranking.Settings, ranking.build),
}


def check(recipe: Recipe, *, file: str = "") -> msgspec.Struct:
    """The settings of a recipe's task; an unknown task or setting is an error."""
    if recipe.task not in TASKS:
        raise UnknownNameError("task", recipe.task, TASKS)
    return settings(recipe, TASKS[recipe.task].settings, file=file)
