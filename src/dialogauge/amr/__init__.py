"""AMR: what a sentence says, as a graph.

``graph`` holds the value and its PENMAN form, ``questions`` what can be asked of it, ``edits``
the changes (new graphs, never a changed one), ``drawing`` the picture, ``files`` the published
formats. ``loading`` says what a parser and a realiser do; ``load_parser`` and ``load_realiser``
give one: ``builtin``, and ``edit``, which writes an edit back into its sentence (``realise``), or,
by ``seq2seq``, a model of amrlib.
"""

from .graph import Edge, Graph, Token, decode, encode
from .loading import Parser, Realiser, load_parser, load_realiser
from .notation import NotationError
from .realise import InPlace

__all__ = [
    "Edge",
    "Graph",
    "InPlace",
    "NotationError",
    "Parser",
    "Realiser",
    "Token",
    "decode",
    "encode",
    "load_parser",
    "load_realiser",
]
