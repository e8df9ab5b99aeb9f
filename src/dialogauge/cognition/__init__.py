"""The dialogue cognition graph: what is said, by whom, in which order, and what is known of it.

``graph`` makes it of a conversation, ``concepts`` has the vectors of its nodes, ``drawing`` the
picture; ``keywords`` makes a plainer one, of topics. DCGEval (``metrics/dcgeval.py``) reads both.
"""

from .concepts import Concepts
from .graph import Ability, CognitionGraph, Node, cognition_graph, cognition_graphs

__all__ = [
    "Ability",
    "CognitionGraph",
    "Concepts",
    "Node",
    "cognition_graph",
    "cognition_graphs",
]
