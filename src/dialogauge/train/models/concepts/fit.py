"""Learning concept vectors from the graph, and how good they are.

A concept is described by its *features*, one per edge: ``IsA pet`` going out of *dog*, ``AtLocation
kennel`` too, ``HasA`` coming in from *owner*. The matrix of concepts by features, normalised by the
sums of its rows and columns and cut down to its largest singular vectors, puts concepts with like
features side by side. Three kinds of columns are laid next to each other:

* *typed*: relation, other concept and direction, where at least two concepts share it;
* *plain*: the other concept alone, whatever the relation;
* *itself*: the concept as a feature of its own, in the plain columns, so that it lies near its
  neighbours and not only near concepts that have the same neighbours.

How much of each, how many dimensions, and the power of the singular values are chosen on held-out
edges. An edge is held out with every other edge between its two concepts, whatever the relation and
direction, and both concepts keep three neighbours. The score is the area under the ROC curve: how
often a held-out edge has a higher cosine than a random pair that is no edge.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from ....errors import InputError
from ....knowledge.store import Store
from ....knowledge.vectors import Floats, Vectors
from ...recipe import AtLeastOne

#: Edges that oppose their two ends say nothing of likeness.
_OPPOSED = ("Antonym", "DistinctFrom", "Not")

#: So many neighbours a word, and a phrase, needs for a vector; a rarer phrase is better put
#: together from its parts.
_LEAST_WORD, _LEAST_PHRASE = 3, 5
_HELD_OUT = 8_000  # pairs for choosing, and as many again for testing

Numbers = NDArray[np.int64]
Pairs = NDArray[np.int64]  # (pairs, 2)


class Fit(msgspec.Struct, frozen=True):
    """How vectors are learned."""

    itself: float = 0.35  # weight of the concept as its own feature
    typed: float = 0.3  # weight of the columns that know the relation; 0 leaves them out
    width: int = 100
    power: float = 1.0  # of the singular values


class Grid(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is tried: every combination of these."""

    itself: tuple[float, ...] = (0.35,)
    typed: tuple[float, ...] = (0.3,)
    widths: tuple[AtLeastOne, ...] = (100,)
    powers: tuple[float, ...] = (1.0,)


class Trial(msgspec.Struct, frozen=True):
    """A fit and the areas under the curve that it reaches."""

    fit: Fit
    uniform: float  # against pairs of concepts drawn uniformly
    matched: float  # against pairs drawn like the ends of edges, hubs often


class Graph(NamedTuple):
    """The edges that vectors are learned from, between the concepts that get one."""

    names: Sequence[str]
    starts: Numbers
    relations: Numbers
    ends: Numbers
    weights: NDArray[np.float64]

    @property
    def pairs(self) -> Numbers:
        """Each edge's two concepts as one number, the same for both directions."""
        low, high = np.minimum(self.starts, self.ends), np.maximum(self.starts, self.ends)
        return low * len(self.names) + high

    def only(self, chosen: NDArray[np.bool_]) -> "Graph":
        """The same concepts with some of the edges."""
        edges = (each[chosen] for each in self[1:])
        return Graph(self.names, *edges)  # type: ignore[arg-type]


class Held(NamedTuple):
    """Pairs of concepts, (pairs, 2): edges that were held out, and two kinds of random pairs."""

    edges: Pairs
    uniform: Pairs
    matched: Pairs


def graph_of(store: Store) -> Graph:
    """The affirmed, unopposed edges between concepts that have enough neighbours."""
    starts, codes, ends, weights = store.table()
    opposed = np.array([relation.startswith(_OPPOSED) for relation in store.relations])
    names = list(store.names)
    ids = [each.astype(np.int64) for each in (starts, codes, ends)]
    whole = Graph(names, ids[0], ids[1], ids[2], weights.astype(np.float64))
    graph = whole.only((weights > 0) & (starts != ends) & ~opposed[codes])
    least = np.array([_LEAST_PHRASE if " " in name else _LEAST_WORD for name in names])
    return _among(graph, np.flatnonzero(neighbours(graph) >= least))


def neighbours(graph: Graph) -> Numbers:
    """How many other concepts each one has an edge with."""
    size = len(graph.names)
    pairs = np.unique(graph.pairs)
    return np.bincount(np.r_[pairs // size, pairs % size], minlength=size)


def _among(graph: Graph, kept: Numbers) -> Graph:
    """The edges between some of the concepts, which are numbered anew."""
    place = np.full(len(graph.names), -1)
    place[kept] = np.arange(len(kept))
    names = [graph.names[number] for number in kept.tolist()]
    moved = Graph(names, place[graph.starts], graph.relations, place[graph.ends], graph.weights)
    return moved.only((moved.starts >= 0) & (moved.ends >= 0))


def hold_out(graph: Graph, rng: np.random.Generator, count: int = _HELD_OUT) -> Iterator[Held]:
    """Two disjoint sets of held-out edges, for choosing and for testing; at most a tenth each."""
    size = len(graph.names)
    pairs = np.unique(graph.pairs)
    count = min(count, len(pairs) // 10)
    degrees = neighbours(graph)
    taken: list[tuple[int, int]] = []
    for pair in rng.permutation(pairs).tolist():
        if len(taken) == 2 * count:
            break
        ends = divmod(pair, size)
        if all(degrees[end] > _LEAST_WORD for end in ends):
            degrees[list(ends)] -= 1
            taken.append(ends)
    if len(taken) < 2:
        raise InputError(f"a graph of {size} concepts is too small to hold edges out")
    for part in (taken[::2], taken[1::2]):
        edges = np.array(part)
        drawn = rng.choice(edges.ravel(), (2 * len(part), 2))
        uniform = rng.integers(size, size=(2 * len(part), 2))
        yield Held(edges, *(_no_edges(each, pairs, size)[: len(part)] for each in (uniform, drawn)))


def without(graph: Graph, held: Sequence[Held]) -> Graph:
    """The graph without every edge between the concepts of a held-out one."""
    gone = np.concatenate([np.sort(each.edges, axis=1) for each in held])
    return graph.only(~np.isin(graph.pairs, gone[:, 0] * len(graph.names) + gone[:, 1]))


def features(graph: Graph, fit: Fit) -> Any:
    """The normalised matrix of concepts by features, sparse."""
    from scipy import sparse

    size = len(graph.names)
    rows = np.r_[graph.starts, graph.ends]
    others = np.r_[graph.ends, graph.starts]
    weights = np.r_[graph.weights, graph.weights]
    plain = sparse.csr_matrix((weights, (rows, others)), shape=(size, size))
    plain.data = np.log1p(plain.data)
    blocks = [plain + fit.itself * sparse.identity(size)]
    if fit.typed:
        ways = int(graph.relations.max()) + 1
        kinds = np.r_[graph.relations, graph.relations + ways] * size + others
        _, columns, counts = np.unique(kinds, return_inverse=True, return_counts=True)
        shared = counts[columns] > 1
        place = (rows[shared], columns[shared])
        typed = sparse.csr_matrix((np.log1p(weights[shared]), place), (size, len(counts)))
        blocks.append(fit.typed * typed)
    return _normalised(sparse.hstack(blocks).tocsr())


def decompose(matrix: Any, width: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The largest singular values and their left vectors, by random projection and iteration."""
    drawn = rng.standard_normal((matrix.shape[1], width + 20)).astype(np.float32)
    basis = matrix @ drawn
    for _ in range(4):
        basis, _ = np.linalg.qr(basis)
        back, _ = np.linalg.qr(matrix.T @ basis)
        basis = matrix @ back
    basis, _ = np.linalg.qr(basis)
    left, values, _ = np.linalg.svd((matrix.T @ basis).T, full_matrices=False)
    return (basis @ left)[:, :width], values[:width]


def choose(graph: Graph, held: Held, grid: Grid, rng: np.random.Generator) -> list[Trial]:
    """Every fit of the grid on held-out edges, the best first."""
    trials = []
    for itself, typed in product(grid.itself, grid.typed):
        matrix = features(graph, Fit(itself, typed))
        left, values = decompose(matrix, max(grid.widths), rng)
        for width, power in product(grid.widths, grid.powers):
            rows = left[:, :width] * values[:width] ** power
            trials.append(measure(rows, held, Fit(itself, typed, width, power)))
    return sorted(trials, key=lambda trial: -(trial.uniform + trial.matched) / 2)


def learn(graph: Graph, fit: Fit, rng: np.random.Generator) -> Vectors:
    """Vectors of unit length in int8, one per concept of the graph."""
    left, values = decompose(features(graph, fit), fit.width, rng)
    return Vectors.of(graph.names, left * values**fit.power).int8()


def measure(rows: Floats, held: Held, fit: Fit) -> Trial:
    """How well the cosines of rows tell held-out edges from random pairs."""
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    edges, uniform, matched = (np.einsum("pd,pd->p", *rows[pairs.T]) for pairs in held)
    return Trial(fit, _area(edges, uniform), _area(edges, matched))


def _area(high: Floats, low: Floats) -> float:
    from scipy.stats import mannwhitneyu

    return float(mannwhitneyu(high, low).statistic) / (len(high) * len(low))


def _no_edges(drawn: Pairs, pairs: Numbers, size: int) -> Pairs:
    """Of pairs that were drawn, those that are two concepts and no edge."""
    low, high = drawn.min(axis=1), drawn.max(axis=1)
    apart: Pairs = drawn[(low != high) & ~np.isin(low * size + high, pairs)]
    return apart


def _normalised(matrix: Any) -> Any:
    """Each value divided by the roots of its row's and its column's sum."""
    from scipy import sparse

    sums = [np.asarray(matrix.sum(axis=axis)).ravel() for axis in (1, 0)]
    rows, columns = (sparse.diags(np.maximum(each, 1e-9) ** -0.5) for each in sums)
    return (rows @ matrix @ columns).astype(np.float32).tocsr()
