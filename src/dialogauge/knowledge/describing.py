"""What ConceptNet says of a word, put together."""

from typing import Any

import msgspec

from .space import Space
from .store import Edge, Store


class Near(msgspec.Struct, frozen=True):
    """A concept whose vector is near."""

    concept: str
    cosine: float


class About(msgspec.Struct, frozen=True):
    """What there is to say of a word."""

    word: str
    concepts: tuple[str, ...]  # the names it is known under; none: it is not in the store
    neighbours: list[Edge]
    denied: list[Edge]
    antonyms: tuple[str, ...]
    nearest: list[Near]
    vector: str  # how the vector was found: exact, lemma, parts, encoder or missing


def describe(
    word: str, store: Store, space: Space, *, relation: str | None = None, limit: int = 10
) -> About:
    """The neighbours, antonyms and nearest vectors of a word, so many of each."""
    ((vector, how),) = space.find([word])
    names = store.look_up(word)
    near = space.vectors.nearest(vector, limit + len(names)) if how != "missing" else []
    nearest = [Near(name, round(cosine, 3)) for name, cosine in near if name not in names]
    return About(
        word,
        names,
        _edges(store, names, limit, relation=relation),
        _edges(store, names, limit, relation=relation, denied=True),
        store.antonyms(word)[:limit],
        nearest[:limit],
        how,
    )


def _edges(store: Store, names: tuple[str, ...], limit: int, **which: Any) -> list[Edge]:
    """The firmest edges in both directions."""
    edges: list[Edge] = [
        edge
        for name in names
        for inward in (False, True)
        for edge in store.neighbours(name, inward=inward, limit=limit, **which)
    ]
    edges.sort(key=lambda edge: -abs(edge.weight))
    return [msgspec.structs.replace(it, weight=round(it.weight, 3)) for it in edges[:limit]]
