"""Batches of texts of similar length, within a budget of tokens.

A batch is padded to its longest text, so that lengths are sorted first; and it holds as many texts
as fit a budget of padded tokens rather than a fixed number, because matrices that fit the cache
of a core are quicker than larger ones.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

#: Padded tokens of one batch (measured: 512 and 1024 are alike, beyond 2048 throughput falls).
_BUDGET = 512

Ints = NDArray[np.int64]
Item = TypeVar("Item")


def chunks(
    items: Iterable[Item], most: int, room: int, size: Callable[[Item], int]
) -> Iterator[list[Item]]:
    """Items in order, at most ``most`` together, and none after those that fill the room.

    >>> list(chunks(["a", "bb", "cccc", "d"], 3, 3, len))
    [['a', 'bb', 'cccc'], ['d']]
    """
    chunk: list[Item] = []
    filled = 0
    for item in items:
        chunk.append(item)
        filled += size(item)
        if len(chunk) == most or filled > room:
            yield chunk
            chunk, filled = [], 0
    if chunk:
        yield chunk


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
