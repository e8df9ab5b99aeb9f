"""What was written in two ways, as batches: each way whole, and broken by a turn of the other.

Both ways of a conversation stand beside each other in a batch, so that each turn in question is
seen where it is right and where it is wrong: what tells them apart is neither the turn nor what
was said before, but that the two do not go together. Programs do not damage these conversations,
nor say them in other words, nor let a partner object.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import softplus

from ...recipe import Count
from .batch import Form, Inputs, Source, inputs
from .frames import framed
from .material import Excerpt
from .written import Decided

#: Conversations are drawn from this many times as many of like length.
_ALIKE = 8


class Ways:
    """Conversations of :func:`both_ways`, some of which are shown in each step."""

    def __init__(self, source: Source, count: Count) -> None:
        self._source, self._count, rows = source, count, source.rows
        length = [sum(map(rows.length, way.turns)) for way in rows.groups[::2]]
        self._order = np.argsort(length, kind="stable")

    def drawn(self, rng: np.random.Generator) -> Inputs:
        """Some conversations of like length, each with one turn in question, as four rows.

        The first way; broken by a turn of the second; the second, broken by a turn of the first;
        the second way.
        """
        alike = _ALIKE * self._count
        start = int(rng.integers(1 - alike, len(self._order)))  # the ends as often as the middle
        some = self._order[max(0, start) : start + alike]
        chosen, forms = rng.choice(some, min(self._count, len(some)), False), list[Form]()
        for at in chosen:
            one, two = (self._source.rows.groups[2 * at + way] for way in (0, 1))
            turn, first = int(rng.integers(len(one.worse))), len(forms)
            forms += [
                Form(one.turns, one.speakers, (), first),
                Form(one.worse[turn].turns, one.speakers, (one.worse[turn],), first),
                Form(two.worse[turn].turns, two.speakers, (two.worse[turn],), first + 3),
                Form(two.turns, two.speakers, (), first + 3),
            ]
        return inputs(self._source, forms)


def both_ways(chats: Sequence[Decided], seed: int) -> list[Excerpt]:
    """The first way of each, then its second, with all that breaks it and a frame."""
    return [
        framed(
            Excerpt(
                way.id,
                tuple((turn.speaker, turn.text) for turn in way.turns),
                tuple(chat.broken(at)),
                ((),) * len(way.turns),
            ),
            seed,
        )
        for chat in chats
        for at, way in enumerate(chat.ways)
    ]


def crossed(turns: Tensor, batch: Inputs) -> Tensor:
    """How far a turn where it is wrong is from being worse than the same turn where it is right.

    ``turns`` are the logits of :meth:`Ways.drawn`'s rows that turns are broken, (rows, turns).
    """
    wrong, places = torch.nonzero(batch.broken > 0, as_tuple=True)
    right = torch.where(wrong % 4 == 1, wrong + 2, wrong - 2)
    return softplus(turns[right, places] - turns[wrong, places]).mean()
