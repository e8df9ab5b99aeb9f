"""A folder of concepts from files of edges: graph, vectors, bridge.

It takes about ten minutes on one core.
"""

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import numpy as np

from ....atomic import write_json
from ....encode import Encoder
from ....knowledge.shipped import BRIDGE, STORE, VECTORS
from ....knowledge.space import Bridge, unit
from ....knowledge.store import Built, Store, build
from ....knowledge.vectors import Floats, Vectors
from ...card import Outcome, Section, table
from ...recipe import DataFile, Recipe
from .fit import Grid, Trial, choose, graph_of, hold_out, learn, measure, without

#: Concepts that the bridge is fitted to, and what is tried as its penalty.
_SAMPLE = 12_000
_PENALTIES = (0.1, 0.3, 1.0, 3.0, 10.0)

#: Everyday words whose neighbours a reader can judge.
EVERYDAY = (
    "dog coffee rain happy sad school doctor car music cook sleep money "
    "beach friend computer football movie bread birthday winter"
)

NOTES = """\
- `graph.arrays` is the graph, `vectors.arrays` the vectors in int8, `bridge.arrays` a linear map
  from the vectors of the backbone to these.
- Names of ConceptNet 4 are normalised (`unite state`): they are for looking up, not for writing.
- Words with at least three neighbours have a vector, and phrases with at least five. The vectors
  were trained with the chosen weights on all edges.
- What the bridge says of a word is a guess of the topic, no more.
"""


class Settings(Grid, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the graph is built from, and what is tried to learn vectors from it."""

    sources: tuple[DataFile, ...]  # of edges, in the folder knowledge of the data
    credit: str = ""  # what the sources want to be said


def make(recipe: Recipe, settings: Settings, out: Path) -> Outcome:
    """Build the graph, choose how to learn from it, learn, and fit the bridge."""
    began = perf_counter()
    files = [source.path("knowledge") for source in settings.sources]
    built = build(files, out / STORE)
    graph = graph_of(Store.open(out / STORE))
    rng = np.random.default_rng(recipe.seed)
    held = list(hold_out(graph, rng))
    trials = choose(without(graph, held), held[0], settings, rng)
    best = trials[0].fit
    tried = learn(without(graph, held), best, rng)
    tested = measure(tried.rows(np.arange(len(tried))), held[1], best)
    vectors = learn(graph, best, rng)
    vectors.save(out / VECTORS)
    bridge, cosine, fitted = _fit_bridge(vectors, rng, recipe.backbone.name)
    bridge.save(out / BRIDGE)
    config = {"model": "concepts", "name": recipe.name, "width": vectors.width}
    write_json(out / "config.json", config)
    seconds = perf_counter() - began
    return Outcome(
        sections=(
            Section("Data", _data(settings, built)),
            Section("Vectors", _chosen(trials, tested, len(vectors), len(held[1].edges), seconds)),
            Section("Bridge", fitted),
            Section("Nearest neighbours", _neighbours(vectors)),
        ),
        packages=("numpy", "scipy", "onnxruntime"),
        best={"uniform": tested.uniform, "matched": tested.matched, "bridge": cosine},
        seconds=seconds,
    )


def _fit_bridge(
    vectors: Vectors, rng: np.random.Generator, encoder: str
) -> tuple[Bridge, float, str]:
    """A bridge fitted to a sample of the concepts, its mean cosine on others, and the card's text.

    A tenth of the sample chooses the penalty, another tests.
    """
    loaded = Encoder.load(encoder)
    numbers = rng.permutation(len(vectors))[:_SAMPLE]
    inputs = unit(loaded.vectors([vectors.names[int(number)] for number in numbers]))
    numbers, inputs = numbers[~np.isnan(inputs[:, 0])], inputs[~np.isnan(inputs[:, 0])]
    targets = vectors.rows(numbers)
    count, tenth = len(numbers), len(numbers) // 10
    fit, pick, test = np.split(np.arange(count), [count - 2 * tenth, count - tenth])
    maps = {penalty: _ridge(inputs[fit], targets[fit], penalty) for penalty in _PENALTIES}
    best = max(maps, key=lambda each: _cosine(inputs[pick], targets[pick], *maps[each]))
    weights, bias = maps[best]
    bridge = Bridge(weights, bias, encoder, loaded.hash)
    near = _cosine(inputs[test], targets[test], weights, bias)
    far = _cosine(inputs[test], np.roll(targets[test], 1, axis=0), weights, bias)
    return (
        bridge,
        near,
        f"""\
Ridge regression, penalty {best:g}, fitted to eight tenths of {count:,} names;
one tenth chose the penalty. On the {len(test):,} others the mean cosine of the mapped vector to
the concept's own is {near:.3f}, and to another concept's {far:.3f}.
""",
    )


def _ridge(inputs: Floats, targets: Floats, penalty: float) -> tuple[Floats, Floats]:
    centre, middle = inputs.mean(axis=0), targets.mean(axis=0)
    moved = (inputs - centre).astype(np.float64)
    square = moved.T @ moved + penalty * np.identity(moved.shape[1])
    weights = np.linalg.solve(square, moved.T @ (targets - middle)).astype(np.float32)
    return weights, middle - centre @ weights


def _cosine(inputs: Floats, targets: Floats, weights: Floats, bias: Floats) -> float:
    mapped = unit(inputs @ weights + bias)
    return float(np.einsum("nd,nd->n", mapped, unit(targets)).mean())


def _data(settings: Settings, built: Built) -> str:
    rows = [(Path(each.file).name, each.licence or "not stated") for each in settings.sources]
    return (
        f"{table(('file', 'licence'), rows)}\n{built.reading.lines:,} lines "
        f"({built.reading.malformed:,} malformed) give {built.concepts:,} concepts, "
        f"{built.edges:,} edges and {built.relations:,} relations.\n{settings.credit}\n"
    )


def _chosen(trials: Sequence[Trial], tested: Trial, vectors: int, held: int, seconds: float) -> str:
    chosen, fit = trials[0], trials[0].fit
    rows = (
        ("concepts drawn uniformly", chosen.uniform, tested.uniform),
        ("concepts drawn as often as they are ends", chosen.matched, tested.matched),
    )
    head = ("area under the curve: held-out edges against", "for choosing", "for testing")
    areas = table(head, ((what, *map("{:.3f}".format, numbers)) for what, *numbers in rows))
    return f"""\
{vectors:,} concepts by {fit.width}: truncated SVD of the matrix of concepts by features. Weight of
the concept as its own feature {fit.itself:g}, of the columns that know the relation {fit.typed:g},
power of the singular values {fit.power:g}. They were chosen on {held:,} held-out edges; the numbers
for testing are of as many others, with int8 vectors trained without both, and without every other
edge between their concepts.

{areas}
The best of each width, on the edges for choosing:

{_widths(trials)}
{seconds:,.0f} s for all of it.
"""


def _widths(trials: Sequence[Trial]) -> str:
    best: dict[int, Trial] = {}
    for trial in trials:
        best.setdefault(trial.fit.width, trial)
    rows = []
    for width, trial in sorted(best.items()):
        weights = (f"{each:g}" for each in (trial.fit.itself, trial.fit.typed, trial.fit.power))
        rows.append((width, *weights, f"{trial.uniform:.3f}", f"{trial.matched:.3f}"))
    return table(("width", "itself", "typed", "power", "uniform", "matched"), rows)


def _neighbours(vectors: Vectors) -> str:
    rows = [
        (word, ", ".join(name for name, _ in vectors.nearest(vectors[word], 9)[1:]))
        for word in EVERYDAY.split()
        if word in vectors
    ]
    return table(("word", "nearest, by cosine"), rows)
