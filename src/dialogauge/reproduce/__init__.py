"""Published tables, made again by one command each, with our numbers beside them.

:data:`REPRODUCTIONS` lists them. Each is a function that gives the sections of a page; it trains
what does not ship if it is given somebody to tell what it trains. What is tuned is looked at on
tuning sets as often as anyone likes; a trained metric meets a test set only through
:func:`~dialogauge.reproduce.looks.final`, which writes every number into a log that is committed: a
look cannot be taken back.
"""

from .dynaeval import dynaeval
from .looks import Final, Look, final, logged, look, row
from .maude import maude
from .page import Section, page, table
from .relevance import relevance

#: What can be made again: name -> the function that makes its page's sections.
REPRODUCTIONS = {"relevance": relevance, "maude": maude, "dynaeval": dynaeval}

__all__ = [
    "REPRODUCTIONS",
    "Final",
    "Look",
    "Section",
    "final",
    "logged",
    "look",
    "page",
    "row",
    "table",
]
