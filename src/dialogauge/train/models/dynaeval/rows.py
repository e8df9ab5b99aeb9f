"""Pairs of dialogues, one better than the other, as rows of places in a list of texts.

The worse ones are drawn from any mixture of :mod:`dialogauge.manipulate`, each distinct one once
(a dialogue of four turns has two orders of one speaker's turns, not twenty).
"""

from collections import defaultdict
from collections.abc import Sequence

import msgspec
import numpy as np

from ....contrast import Contrast, Drawing, contrasts
from ....dialogue import Dialogue
from ....errors import DialogaugeError
from ....manipulate.mixtures import mixed
from ....manipulate.pool import Pool
from ...vectors import Ints


class Pairs(msgspec.Struct, frozen=True):
    """Dialogues as rows of texts, padded on the right, and which of them is better than which."""

    texts: tuple[str, ...]  # each once
    turns: Ints  # (dialogues, turns): places in the texts, -1 where there is no turn
    speakers: Ints  # (dialogues, turns): 0 for who spoke first, another number for each other
    length: Ints  # (dialogues,)
    better: Ints  # (pairs,)
    worse: Ints  # (pairs,)
    causes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.better)


def make(
    dialogues: Sequence[tuple[Dialogue, int]], worse: Sequence[str], drawing: Drawing
) -> Pairs:
    """Each dialogue, which comes with the number of its corpus, beside some made worse.

    Foreign turns come from the same corpus: those of another are told by their style.
    """
    corpora: dict[int, list[Dialogue]] = defaultdict(list)
    for dialogue, number in dialogues:
        corpora[number].append(dialogue)
    damaged: list[Contrast] = []
    for corpus in corpora.values():
        damaged += contrasts(corpus, mixed(worse), Pool(corpus), drawing)
    if not damaged:
        raise DialogaugeError("no dialogue can be made worse: there is nothing to learn")
    return _numbered(damaged)


def batches(pairs: Pairs, size: int, each: int, rng: np.random.Generator) -> list[Ints]:
    """Random batches of pairs: those of one dialogue together, then those of one length.

    A dialogue goes through the network once for all of its pairs in a batch, of which an epoch has
    at most ``each``.
    """
    chosen = _some(pairs.better, each, rng)
    better = pairs.better[chosen]
    place = rng.permutation(int(better.max()) + 1)[better]
    order = chosen[np.lexsort((place, pairs.length[better]))]
    cuts = [order[start : start + size] for start in range(0, len(order), size)]
    return [cuts[at] for at in rng.permutation(len(cuts))]


def _numbered(damaged: Sequence[Contrast]) -> Pairs:
    """Contrasts as rows of numbers; a dialogue that occurs often is one row."""
    rows: dict[Dialogue, int] = {}
    better = [rows.setdefault(each.better, len(rows)) for each in damaged]
    worse = [rows.setdefault(each.worse, len(rows)) for each in damaged]
    length = np.array([len(dialogue.turns) for dialogue in rows], np.int64)
    turns = np.full((len(rows), int(length.max(initial=1))), -1, np.int64)
    speakers = np.zeros_like(turns)
    texts: dict[str, int] = {}
    for dialogue, row in rows.items():
        names: dict[str, int] = {}
        for at, turn in enumerate(dialogue.turns):
            turns[row, at] = texts.setdefault(turn.text, len(texts))
            speakers[row, at] = names.setdefault(turn.speaker, len(names))
    causes = tuple(each.cause for each in damaged)
    return Pairs(tuple(texts), turns, speakers, length, np.array(better), np.array(worse), causes)


def _some(groups: Ints, most: int, rng: np.random.Generator) -> Ints:
    """Random places, at most so many of each group.

    >>> groups = np.array([5, 5, 5, 7])
    >>> sorted(groups[_some(groups, 2, np.random.default_rng(0))].tolist())
    [5, 5, 7]
    """
    places = rng.permutation(len(groups))
    places = places[np.argsort(groups[places], kind="stable")]
    ordered = groups[places]
    rank = np.arange(len(places)) - np.searchsorted(ordered, ordered)
    return places[rank < most]
