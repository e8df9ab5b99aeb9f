"""Published tables, made again by one command each, with our numbers beside them.

:data:`REPRODUCTIONS` lists them. A page is a class whose properties are its tables; the text around
them, and the paper's own numbers, are in ``papers/NAME.toml``. What is tuned is looked at on tuning
sets as often as anyone likes; a trained metric meets a test set only through
:func:`~dialogauge.reproduce.looks.final`, which writes every number into a log that is committed: a
look cannot be taken back.
"""

from collections.abc import Iterator

from . import paper
from .dynaeval import DynaevalPage
from .looks import final, logged, look
from .maude import MaudePage
from .page import Request, Section, filled, markdown
from .relevance import RelevancePage

#: What can be made again: name -> the class that makes the tables of its page.
REPRODUCTIONS = {"relevance": RelevancePage, "maude": MaudePage, "dynaeval": DynaevalPage}


def sections(name: str, request: Request) -> Iterator[Section]:
    """The sections of a page, one after the other."""
    about = paper.read(name)
    return filled(about.page, REPRODUCTIONS[name](about, request))


__all__ = ["REPRODUCTIONS", "Request", "final", "logged", "look", "markdown", "sections"]
