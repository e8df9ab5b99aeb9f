"""The store and the vectors that come with the package, in the model folder ``concepts``."""

from functools import cache
from pathlib import Path

from .. import models
from ..errors import ModelError
from .space import Bridge, Space
from .store import Store
from .vectors import Vectors

NAME = "concepts"
STORE, VECTORS, BRIDGE = "graph.arrays", "vectors.arrays", "bridge.arrays"


@cache
def load_store() -> Store:
    """The graph: ConceptNet 4 in English and the antonyms and denials of ConceptNet 5."""
    return Store.open(folder() / STORE)


def load_space() -> Space:
    """The vectors learned from the graph, with all fallbacks; its counts start at zero."""
    return Space(_vectors(), Bridge.open(folder() / BRIDGE))


@cache
def _vectors() -> Vectors:
    return Vectors.open(folder() / VECTORS)


def folder() -> Path:
    """Where they are. Each file checks its own digest when it is opened, so only it is read."""
    path = models.shipped().get(NAME)
    if path is None:
        raise ModelError(f"the model {NAME} is not here: install dialogauge again")
    return path
