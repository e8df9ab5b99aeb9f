"""Published tables, made again by one command each, with our numbers beside them.

:data:`REPRODUCTIONS` lists them. A page is a class whose properties are our numbers; the text
around them, with the paper's own, is in ``papers/NAME.toml``. A trained metric meets a test set
only through :func:`~dialogauge.reproduce.looks.final`, which writes every number into a log that
is committed: a look cannot be taken back.
"""

from collections.abc import Iterator

from .deam import DeamPage
from .dynaeval import DynaevalPage
from .gauge import GaugePage
from .looks import final, logged, look
from .maude import MaudePage
from .page import Paper, Request, filled, markdown
from .relevance import RelevancePage

#: What can be made again: name -> the class that makes the tables of its page.
REPRODUCTIONS = {
    "relevance": RelevancePage,
    "maude": MaudePage,
    "dynaeval": DynaevalPage,
    "deam": DeamPage,
    "gauge": GaugePage,
}


def sections(name: str, request: Request) -> Iterator[tuple[str, str]]:
    """The sections of a page, titles and texts, one after the other."""
    paper = Paper.read(name)
    return filled(paper.page, REPRODUCTIONS[name](paper, request))


__all__ = ["REPRODUCTIONS", "Request", "final", "logged", "look", "markdown", "sections"]
