"""ConceptNet: what people know of everyday things, as a graph and as vectors.

``load_store`` opens the graph that ships (edges by relation and weight), ``load_space`` the vectors
learned from it (a vector for any word); ``Hops`` joins both, and ``Distances`` counts the steps
between words. ``build`` makes a store of a release of ConceptNet, ``read_text`` takes Numberbatch
instead of our vectors.
"""

from .distances import Distances
from .hops import Hops
from .shipped import load_space, load_store
from .sources import Reading
from .space import Bridge, Counts, Space
from .store import Built, Edge, Store, build
from .vectors import Vectors, load_vectors, read_text

__all__ = [
    "Bridge",
    "Built",
    "Counts",
    "Distances",
    "Edge",
    "Hops",
    "Reading",
    "Space",
    "Store",
    "Vectors",
    "build",
    "load_space",
    "load_store",
    "load_vectors",
    "read_text",
]
