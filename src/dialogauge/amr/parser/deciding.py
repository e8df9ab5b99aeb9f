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

#: An edge beside the tree is drawn above this score (0.38 in probability).
_AGAIN = -0.5
#: What the dependency tree adds to the arc of a negation, and of a clause that a verb takes.
_SYNTAX = 3.0
#: Roles that a frame has once.
_ONCE = tuple(f":ARG{number}" for number in range(6))
_NEVER = -1e4


class Links(NamedTuple):
    """The linker's scores of a piece, (from, to), 0 being the top."""

    arcs: Scores
    again: Scores


class Edges(NamedTuple):
    """The edges of a piece as (from, to), the surest first; words count from 1, 0 is the top."""

    tree: list[tuple[int, int]]
    beside: list[tuple[int, int]]


def templates(scores: Scores, words: Sequence[Word], inventory: Inventory) -> NDArray[np.int64]:
    """The number of each word's template, from (words, templates) scores."""
    scores = scores + np.stack([inventory.weights(word) for word in words])
    scores[:, inventory.numbers["templates"]["?"]] = _NEVER
    for at in rules.stating(words):
        scores[at, inventory.asking] = _NEVER
    _unname(scores, words, inventory)
    chosen = _mended(scores.argmax(axis=1), inventory)
    _name(chosen, scores, words, inventory)
    numbers = inventory.numbers["templates"]
    for at, name in rules.apply(words, [inventory.templates[number] for number in chosen]).items():
        chosen[at] = numbers.get(name, chosen[at])
    if (chosen < FIRST).all():  # something must be meant: the likeliest word
        at = int((scores[:, FIRST:].max(axis=1) - scores[:, 0]).argmax())
        chosen[at] = FIRST + int(scores[at, FIRST:].argmax())
    return _mended(chosen, inventory)


def _unname(scores: Scores, words: Sequence[Word], inventory: Inventory) -> None:
    """A common noun that would bring a name brings something else: *the fox* is no TV channel."""
    for at in rules.common(words):
        is_name = words[at].text in inventory.spellings  # *the nfl* is a name all the same
        if not is_name and scores[at].argmax() in inventory.named:
            scores[at, inventory.named] = scores[at, :FIRST] = _NEVER


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
    open_ = False
    for at, number in enumerate(chosen):
        template = inventory.templates[number]
        if template != INSIDE:
            open_ = NAME in template or NUMBER in template
        elif not open_:
            chosen[at] = 0
    return chosen


def edges(
    words: Sequence[Word], chosen: NDArray[np.int64], links: Links, inventory: Inventory
) -> Edges:
    """Which words hang from which, and what else they have to do with each other."""
    names = [inventory.templates[number] for number in chosen]
    places = [at for at, name in enumerate(names, 1) if name not in (NOTHING, INSIDE)]
    bringing = np.array([0, *places])
    nodes = {place for place in places if not names[place - 1].startswith("=")}
    arcs = links.arcs.copy()
    for place in places:
        if names[place - 1] == "=-" or words[place - 1].dep == "ccomp":
            arcs[_above(words, place, nodes), place] += _SYNTAX
    scores = arcs[np.ix_(bringing, bringing)]
    for at, place in enumerate(places, 1):
        if place not in nodes:
            scores[at] = _NEVER  # nothing hangs from a constant
    heads = arborescence(scores)
    order = sorted(range(1, len(bringing)), key=lambda at: -float(scores[heads[at], at]))
    tree = [(int(bringing[heads[at]]), int(bringing[at])) for at in order]
    joined = {frozenset(edge) for edge in tree}
    likely = [(int(source), int(target)) for source, target in np.argwhere(links.again > _AGAIN)]
    beside = [
        edge
        for edge in sorted(likely, key=lambda edge: -float(links.again[edge]))
        if nodes.issuperset(edge) and edge[0] != edge[1] and frozenset(edge) not in joined
    ]
    return Edges(tree, beside)


def _above(words: Sequence[Word], place: int, nodes: set[int]) -> int:
    """The nearest word above one in the dependency tree that brings a node; 0 if none does."""
    at = place - 1
    while words[at].head != at:
        at = words[at].head
        if at + 1 in nodes:
            return at + 1
    return 0


def plan(
    words: tuple[Word, ...],
    chosen: NDArray[np.int64],
    drawn: Edges,
    roles: Scores,
    modes: Scores,
    inventory: Inventory,
) -> Plan:
    """Every decision about a piece; ``roles`` are the scores of the labels of each edge."""
    names = tuple(inventory.templates[number] for number in chosen)
    heads, labels, further = _labelled(drawn, roles, len(words), inventory)
    marks = tuple(
        inventory.modes[mode] if head >= 0 else ""
        for head, mode in zip(heads, modes.argmax(axis=1).tolist(), strict=True)
    )
    stems = tuple(
        inventory.stem(word, int(number)) if "D" in name else ""
        for word, number, name in zip(words, chosen, names, strict=True)
    )
    return Plan(words, names, stems, heads, labels, further, marks)


def _labelled(
    drawn: Edges, roles: Scores, size: int, inventory: Inventory
) -> tuple[tuple[int, ...], tuple[str, ...], tuple[tuple[int, int, str], ...]]:
    """Heads and labels of the tree, and the edges beside it with theirs."""
    heads, labels = [-1] * size, [""] * size
    roles[:, inventory.numbers["labels"][TOP]] = _NEVER
    once: set[tuple[int, str]] = set()
    for (head, place), ranked in zip(drawn.tree, roles, strict=False):
        heads[place - 1] = head
        labels[place - 1] = TOP if head == 0 else _free(ranked, head, once, inventory)
    taken = set(zip(heads, labels, strict=True))
    further = []
    for (source, target), ranked in zip(drawn.beside, roles[len(drawn.tree) :], strict=True):
        label = inventory.labels[int(ranked.argmax())]
        if (source, label) not in taken or not label.startswith(_ONCE):
            further.append((source, target, label))
            taken.add((source, label))
    return tuple(heads), tuple(labels), tuple(further)


def _free(ranked: Scores, head: int, taken: set[tuple[int, str]], inventory: Inventory) -> str:
    """The best label whose role the head does not have yet."""
    while (head, label := inventory.labels[int(ranked.argmax())]) in taken:
        ranked[ranked.argmax()] = _NEVER
    if label.startswith(_ONCE) and "-of" not in label:
        taken.add((head, label))
    return label


def arborescence(scores: Scores) -> list[int]:
    """The head of each node in the best tree with node 0 on top; ``scores[head, node]``.

    >>> arborescence(np.array([[0, 1, 1], [0, 0, 5], [0, 5, 0]], dtype=np.float32))
    [-1, 0, 1]
    """
    scores = scores.astype(np.float64)
    np.fill_diagonal(scores, -np.inf)
    scores[:, 0] = -np.inf
    heads = scores.argmax(axis=0)
    heads[0] = -1
    cycle = np.array(_cycle(heads), dtype=np.int64)
    if not len(cycle):
        return [int(head) for head in heads]
    kept = scores[heads[cycle], cycle]
    outer = np.setdiff1d(np.arange(len(scores)), cycle)
    small = np.full((len(outer) + 1, len(outer) + 1), -np.inf)
    small[:-1, :-1] = scores[np.ix_(outer, outer)]
    gains = scores[np.ix_(outer, cycle)] - kept + kept.sum()
    small[:-1, -1] = gains.max(axis=1)
    leaving = scores[np.ix_(cycle, outer)]
    small[-1, :-1] = leaving.max(axis=0)
    outer_heads = arborescence(small)
    entry = outer_heads[-1]
    for at, (place, head) in enumerate(zip(outer[1:], outer_heads[1:-1], strict=True), 1):
        heads[place] = cycle[leaving[:, at].argmax()] if head == len(outer) else outer[head]
    heads[cycle[gains[entry].argmax()]] = outer[entry]
    return [int(head) for head in heads]


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
