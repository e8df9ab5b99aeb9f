"""Batches of texts of similar length, within a budget of tokens.

A batch is padded to its longest text, so that lengths are sorted first; and it holds as many texts
as fit a budget of padded tokens rather than a fixed number, because matrices that fit the cache
of a core are quicker than larger ones.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

#: Padded tokens of one batch (measured: 512 and 1024 are alike, beyond 2048 throughput falls).
_BUDGET = 512

Ints = NDArray[np.int64]


def batches(lengths: Sequence[int], budget: int = _BUDGET) -> Iterator[list[int]]:
    """Positions of texts that are not empty, in batches of at most ``budget`` padded tokens.

    >>> list(batches([3, 9, 2, 0, 8], budget=20))
    [[2, 0], [4, 1]]
    """
    batch: list[int] = []
    for at in sorted((at for at, length in enumerate(lengths) if length), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[at] > budget:
            yield batch
            batch = []
        batch.append(at)
    if batch:
        yield batch


def padded(ids: Sequence[Sequence[int] | Ints]) -> tuple[Ints, Ints]:
    """Token ids and attention mask, (texts, longest text) each."""
    width = max(map(len, ids))
    tokens, mask = np.zeros((2, len(ids), width), dtype=np.int64)
    for row, text in enumerate(ids):
        tokens[row, : len(text)] = text
        mask[row, : len(text)] = 1
    return tokens, mask
