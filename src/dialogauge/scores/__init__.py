"""Scores: what metrics say of dialogues, with the signatures of what made them.

:mod:`.score` is what one metric says of one dialogue, and a row of such; :mod:`.table` has many
rows; :mod:`.files` reads and writes them.
"""

from .score import Cause, Row, Score, row_of
from .table import Scores

__all__ = ["Cause", "Row", "Score", "Scores", "row_of"]
