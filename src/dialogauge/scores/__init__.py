"""Scores: what metrics say of dialogues, with the signatures of what made them.

:mod:`.score` is what one metric says of one dialogue, and a row of such; :mod:`.table` has many
rows; :mod:`.layouts` reads and writes them.
"""

from .layouts import FIELDS, LAYOUTS, header_line, read_jsonl, row_line, save
from .score import Row, Score, row_of
from .table import Scores

__all__ = [
    "FIELDS",
    "LAYOUTS",
    "Row",
    "Score",
    "Scores",
    "header_line",
    "read_jsonl",
    "row_line",
    "row_of",
    "save",
]
