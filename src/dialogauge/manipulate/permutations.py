"""Other orders of the same things: drawn so that the order really is another one.

What is ordered are places, 0 to n - 1, and each place has a *key*, the text there. An order that
only exchanges equal keys is no other order.

    >>> shuffled(["a", "b"], Random(1)), sorted(arrangements(["a", "a", "b"]))
    ([1, 0], [(0, 2, 1), (2, 0, 1)])
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from math import ceil, factorial, prod
from random import Random

from .pool import DRAWS, DoesNotApply


def shuffled(keys: Sequence[Hashable], rng: Random) -> list[int]:
    """Any other order, each as likely as the next."""
    order = list(range(len(keys)))
    other = _unlike_first(keys, order)
    for _ in range(DRAWS):
        rng.shuffle(order)
        if any(keys[was] != key for was, key in zip(order, keys, strict=True)):
            return order
    order.sort()
    order[0], order[other] = order[other], order[0]
    return order


def cycled(keys: Sequence[Hashable], rng: Random, share: float = 1.0) -> list[int]:
    """An order in which a share of the things, two at the least, each take the place of the next.

    With a larger share the same places are drawn, and others beside them. Where equal keys would
    hide the change, more are drawn.

    >>> keys = "abcdefghij"
    >>> [cycled(keys, Random(3), share) for share in (0.2, 0.3)]
    [[0, 1, 2, 8, 4, 5, 6, 7, 3, 9], [0, 1, 8, 2, 4, 5, 6, 7, 3, 9]]
    """
    drawn = rng.sample(range(len(keys)), len(keys))
    moving = drawn[: max(ceil(share * len(keys)), _unlike_first(keys, drawn) + 1)]
    order = list(range(len(keys)))
    for source, target in zip(moving, [*moving[1:], moving[0]], strict=True):
        order[target] = source
    return order


def _unlike_first(keys: Sequence[Hashable], order: Sequence[int]) -> int:
    """Where in an order the first key stands that is not the one it begins with."""
    for at, place in enumerate(order):
        if keys[place] != keys[order[0]]:
            return at
    raise DoesNotApply("there is no other order")


def count(keys: Sequence[Hashable]) -> int:
    """How many different orders there are, the present one among them.

    >>> count("abc"), count("aab")
    (6, 3)
    """
    return factorial(len(keys)) // prod(map(factorial, Counter(keys).values()))


def arrangements(keys: Sequence[Hashable]) -> Iterator[tuple[int, ...]]:
    """Every different order but the present one; equal keys stay in their old sequence."""
    places: dict[Hashable, tuple[int, ...]] = {}
    for at, key in enumerate(keys):
        places[key] = (*places.get(key, ()), at)
    present = tuple(range(len(keys)))
    return (order for order in _orders(places) if order != present)


def _orders(waiting: dict[Hashable, tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    """Every order of the places that wait, of equal keys the first place first."""
    if not any(waiting.values()):
        yield ()
    for key, places in waiting.items():
        if places:
            for rest in _orders({**waiting, key: places[1:]}):
                yield places[0], *rest
