"""Metrics: dialogues in, scores out, higher for better.

:mod:`.metric` says what a metric is, :mod:`.functions` makes one of a single function,
:mod:`.trained` of a folder that training wrote, :mod:`.catalogue` lists those that ship and loads
others; :mod:`.overlap`, :mod:`.trivial` and :mod:`.vectors` are families of them.
"""

from .catalogue import DEFAULT, METRICS, TRIVIAL, describe, load, names
from .functions import AGGREGATES, aggregate, by_dialogue, by_response, by_turn
from .metric import Metric, Whole, checked, checked_values, earlier, is_trained, signature

__all__ = [
    "AGGREGATES",
    "DEFAULT",
    "METRICS",
    "TRIVIAL",
    "Metric",
    "Whole",
    "aggregate",
    "by_dialogue",
    "by_response",
    "by_turn",
    "checked",
    "checked_values",
    "describe",
    "earlier",
    "is_trained",
    "load",
    "names",
    "signature",
]
