"""What ConceptNet knows of the nodes of a cognition graph, as vectors.

The vector of a node's word (a frame's without its sense), then the mean vector of its neighbours at
each distance, node by node (:class:`~dialogauge.knowledge.Hops`).
"""

from collections.abc import Sequence

import numpy as np

from ..knowledge import Hops, Space, load_space, load_store
from ..knowledge.normal_form import forms
from ..language.concept_names import lemma
from .graph import Floats, Node

#: What is said in words; a speaker or "-" is not.
_WORDED = ("concept", "name", "number")
#: Words whose vectors are remembered (1.2 KB each); then all are forgotten.
_REMEMBERED = 50_000


class Concepts:
    """What ConceptNet knows of a node: its vector, and the mean vector of each hop.

    ``known=False`` is the ablation: a word has a vector, which the encoder makes of it alone, and
    nothing is known of its neighbours.
    """

    def __init__(
        self, space: Space | None = None, hops: Hops | None = None, *, known: bool = True
    ) -> None:
        self._space, self._known = space or load_space(), known
        self._hops = hops or Hops(load_store(), self._space.vectors)
        self._rows: dict[str, Floats] = {}

    @property
    def width(self) -> int:
        """How long a vector is."""
        return self._space.vectors.width

    @property
    def parts(self) -> int:
        """How many vectors a node has."""
        return 1 + self._hops.hops * self._known

    def of(self, nodes: Sequence[Node]) -> Floats:
        """(nodes, parts, width); zeros of what has no word, and where nothing is known."""
        words = [lemma(node.label) if node.kind in _WORDED else "" for node in nodes]
        self._learn([word for word in dict.fromkeys(words) if word])
        nothing = np.zeros((self.parts, self.width), np.float32)
        rows = [self._rows.get(word, nothing) for word in words]
        return np.array(rows, np.float32).reshape(len(nodes), self.parts, self.width)

    def _learn(self, words: Sequence[str]) -> None:
        """Remember what is known of some words, looked up together."""
        fresh = [word for word in words if word not in self._rows]
        if len(self._rows) + len(fresh) > _REMEMBERED:
            self._rows.clear()
            fresh = list(words)
        bridge = self._space.bridge
        vectors = bridge.cross(fresh) if bridge and not self._known else self._space.of(fresh)
        rows = zip(fresh, np.nan_to_num(vectors), strict=True)
        self._rows |= {word: self._row(word, own) for word, own in rows}

    def _row(self, word: str, own: Floats) -> Floats:
        row = np.zeros((self.parts, self.width), np.float32)
        row[0] = own
        if not self._known:
            return row
        names = (name for name in forms(word) if name in self._space.vectors)
        if (name := next(names, None)) and (means := self._hops.means(name)) is not None:
            row[1:] = means
        return row
