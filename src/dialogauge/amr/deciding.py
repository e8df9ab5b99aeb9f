"""From the networks' scores to one decision for each word.

Templates come first: the network's choice, weighed with what the lexicon knows of the word. Then
the tree: the best one that reaches every word that brings something (Chu, Liu and Edmonds'
algorithm). Then the roles, no core role twice from one frame, and the edges beside the tree.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import rules
from .assembling import TOP, Plan
from .inventory import FIRST, Inventory
from .templates import INSIDE, NAME, NOTHING, NUMBER
from .words import Word

Scores = NDArray[np.float32]

#: An edge beside the tree is drawn above this score (0.45 in probability).
AGAIN = -0.2
#: Roles that a frame has once.
ONCE = tuple(f":ARG{number}" for number in range(6))
_NEVER = -1e4


class Links(NamedTuple):
    """The linker's scores of a piece, (from, to, ...), 0 being the top."""

    arcs: Scores
    again: Scores
    roles: Scores  # (from, to, labels)


def templates(scores: Scores, words: Sequence[Word], inventory: Inventory) -> NDArray[np.int64]:
    """The number of each word's template, from (words, templates) scores."""
    scores = scores + np.stack([inventory.weights(word) for word in words])
    scores[:, inventory.numbers["templates"]["?"]] = _NEVER
    chosen = _mended(scores.argmax(axis=1), inventory)
    _name(chosen, scores, words, inventory)
    known = inventory.numbers["templates"]
    for at, name in rules.apply(words, [inventory.templates[number] for number in chosen]).items():
        chosen[at] = known.get(name, chosen[at])
    if (chosen < FIRST).all():  # something must be meant: the likeliest word
        at = int((scores[:, FIRST:].max(axis=1) - scores[:, 0]).argmax())
        chosen[at] = FIRST + int(scores[at, FIRST:].argmax())
    return _mended(chosen, inventory)


def _name(
    chosen: NDArray[np.int64], scores: Scores, words: Sequence[Word], inventory: Inventory
) -> None:
    """A proper noun that the pipeline holds for a name brings one, of the likeliest kind."""
    inside = inventory.numbers["templates"][INSIDE]
    for at, word in enumerate(words):
        if word.pos != "PROPN" or chosen[at] != 0:
            continue
        if word.entity.startswith("B-") and len(inventory.named):
            chosen[at] = inventory.named[int(scores[at, inventory.named].argmax())]
        elif word.entity.startswith("I-"):
            chosen[at] = inside


def _mended(chosen: NDArray[np.int64], inventory: Inventory) -> NDArray[np.int64]:
    """A word can continue a name or a number only after one."""
    names = inventory.templates
    open_ = False
    for at, number in enumerate(chosen):
        if names[number] == INSIDE:
            if not open_:
                chosen[at] = 0
        else:
            open_ = NAME in names[number] or NUMBER in names[number]
    return chosen


def plan(
    words: tuple[Word, ...],
    chosen: NDArray[np.int64],
    links: Links,
    modes: Scores,
    inventory: Inventory,
) -> Plan:
    """Every decision about a piece."""
    names = tuple(inventory.templates[number] for number in chosen)
    bringing = np.array([0, *(at for at, n in enumerate(names, 1) if n not in (NOTHING, INSIDE))])
    heads, labels = _tree(bringing, links, names, inventory)
    marks = tuple(
        inventory.modes[mode] if head >= 0 else ""
        for head, mode in zip(heads, modes.argmax(axis=1).tolist(), strict=True)
    )
    stems = tuple(
        inventory.stem(word, int(number)) if "D" in name else ""
        for word, number, name in zip(words, chosen, names, strict=True)
    )
    further = _further(bringing, heads, labels, links, names, inventory)
    return Plan(words, names, stems, heads, labels, further, marks)


def _tree(
    bringing: NDArray[np.int64],
    links: Links,
    names: Sequence[str],
    inventory: Inventory,
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    heads, labels = [-1] * len(names), [""] * len(names)
    scores = links.arcs[np.ix_(bringing, bringing)].copy()
    for at, place in enumerate(bringing[1:], 1):
        if names[place - 1].startswith("="):
            scores[at] = _NEVER  # nothing hangs from a constant
    top = inventory.numbers["labels"][TOP]
    taken: dict[int, set[str]] = {}
    found = arborescence(scores)
    order = sorted(range(1, len(bringing)), key=lambda at: -float(scores[found[at], at]))
    for at in order:
        place, head = int(bringing[at]), int(bringing[found[at]])
        heads[place - 1] = head
        if head == 0:
            labels[place - 1] = TOP
            continue
        ranked = links.roles[head, place].copy()
        ranked[top] = _NEVER
        labels[place - 1] = _free(ranked, taken.setdefault(head, set()), inventory)
    return tuple(heads), tuple(labels)


def _free(ranked: Scores, taken: set[str], inventory: Inventory) -> str:
    """The best label whose role is not taken yet."""
    while (label := inventory.labels[int(ranked.argmax())]) in taken:
        ranked[ranked.argmax()] = _NEVER
    if label.startswith(ONCE) and "-of" not in label:
        taken.add(label)
    return label


def _further(
    bringing: NDArray[np.int64],
    heads: Sequence[int],
    labels: Sequence[str],
    links: Links,
    names: Sequence[str],
    inventory: Inventory,
) -> tuple[tuple[int, int, str], ...]:
    top = inventory.numbers["labels"][TOP]
    nodes = {int(place) for place in bringing[1:] if not names[place - 1].startswith("=")}
    taken = set(zip(heads, labels, strict=True))
    found = []
    for source, target in _likeliest(links.again):
        if source == target or not {source, target} <= nodes:
            continue
        if heads[target - 1] != source and heads[source - 1] != target:
            ranked = links.roles[source, target].copy()
            ranked[top] = _NEVER
            label = inventory.labels[int(ranked.argmax())]
            if (source, label) not in taken or not label.startswith(ONCE):
                found.append((source, target, label))
                taken.add((source, label))
    return tuple(found)


def _likeliest(again: Scores) -> list[tuple[int, int]]:
    """The edges above the threshold, the best first."""
    places = [(int(source), int(target)) for source, target in np.argwhere(again > AGAIN)]
    return sorted(places, key=lambda place: -float(again[place]))


def arborescence(scores: Scores) -> list[int]:
    """The head of each node in the best tree with node 0 on top; ``scores[head, node]``.

    >>> arborescence(np.array([[0, 1, 1], [0, 0, 5], [0, 5, 0]], dtype=np.float32))
    [-1, 0, 1]
    """
    size = len(scores)
    scores = scores.astype(np.float64)
    np.fill_diagonal(scores, -np.inf)
    scores[:, 0] = -np.inf
    heads = scores.argmax(axis=0)
    heads[0] = -1
    cycle = np.array(_cycle(heads), dtype=np.int64)
    if not len(cycle):
        return [int(head) for head in heads]
    inside = np.zeros(size, dtype=bool)
    inside[cycle] = True
    kept = scores[heads[cycle], cycle].sum()
    outer = np.flatnonzero(~inside)
    small = np.full((len(outer) + 1, len(outer) + 1), -np.inf)
    small[:-1, :-1] = scores[np.ix_(outer, outer)]
    gains = scores[np.ix_(outer, cycle)] - scores[heads[cycle], cycle][None, :] + kept
    small[:-1, -1] = gains.max(axis=1)
    leaving = scores[np.ix_(cycle, outer)]
    small[-1, :-1] = leaving.max(axis=0)
    found = arborescence(small)
    result = heads.copy()
    for at, place in enumerate(outer[1:], 1):
        head = found[at]
        result[place] = cycle[int(leaving[:, at].argmax())] if head == len(outer) else outer[head]
    entry = found[-1]
    result[cycle[int(gains[entry].argmax())]] = outer[entry]
    return [int(head) for head in result]


def _cycle(heads: NDArray[np.int64]) -> list[int]:
    """The nodes of some cycle; none if there is no cycle."""
    done: set[int] = set()
    for start in range(1, len(heads)):
        path: list[int] = []
        at = start
        while at > 0 and at not in done and at not in path:
            path.append(at)
            at = int(heads[at])
        if at in path:
            return path[path.index(at) :]
        done.update(path)
    return []
