"""Transcripts people have -> :class:`~dialogauge.dialogue.Dialogue`.

``streams`` opens files, ``records`` and ``tables`` cut them, ``messages``, ``parlai`` and
``plain`` understand one record each, ``detect`` holds the table of formats, ``reading`` puts them
together. A new format is one ``parse`` function and one line in ``detect.FORMATS``.
"""

from .detect import FORMATS
from .reading import Counts, Dialogues, read, write

__all__ = ["FORMATS", "Counts", "Dialogues", "read", "write"]
