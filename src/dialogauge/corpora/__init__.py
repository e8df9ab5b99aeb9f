"""Published corpora and human-rated benchmarks: a table, verified files, one reader each.

    >>> names()[:3]
    ('fed-dialogue', 'fed-turn', 'dstc9')
    >>> info("dstc9").licence
    'MIT (repository)'

``load(name)`` reads from ``DIALOGAUGE_DATA`` or from the cache and never downloads; ``get(name)``
is the one function here that uses the network. ``split`` and ``decontaminate`` are what keeps
training, tuning and testing apart (see :mod:`.overlap`).
"""

from .access import get, held_out, info, listing, load, names
from .catalogue import Corpus
from .overlap import Side, decontaminate, split

__all__ = [
    "Corpus",
    "Side",
    "decontaminate",
    "get",
    "held_out",
    "info",
    "listing",
    "load",
    "names",
    "split",
]
