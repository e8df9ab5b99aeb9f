"""What the parser learns from: sentences and their graphs, word by word, as tensors.

Files of graphs are read, each graph is aligned with its words (:mod:`.align`), and the words get
their vectors. One sentence of so many, chosen by a hash of its text, validates; what occurs often
enough in the others makes the inventory.
"""

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
import torch
from torch import Tensor

from ....amr import files
from ....amr.graph import Graph, unquoted
from ....amr.parser import naming
from ....amr.parser.assembling import SHARED
from ....amr.parser.features import arrays
from ....amr.parser.inventory import Entry, Inventory
from ....amr.parser.templates import INSIDE, NOTHING
from ....amr.parser.words import Piece, Word, pieces, with_vectors
from ....encode import Encoder
from ....language import load
from ...data import Source
from ...recipe import AtLeastOne, Count, DataFile, Positive, Recipe, Share
from .align import Aligner
from .network import IGNORE, Shape
from .tree import UNKNOWN, Reading

#: What is counted of words: in the inventory -> of a word.
_FEATURES = {"pos": "pos", "tags": "tag", "deps": "dep", "entities": "entity", "lemmas": "lemma"}


class Corpus(DataFile, frozen=True, forbid_unknown_fields=True):
    """A file of graphs, in the folder ``amr`` of the data."""

    often: Positive = 1.0  # times that an epoch sees each sentence, on average


class Settings(Shape, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the parser looks, which graphs it learns from, and what of them."""

    corpora: tuple[Corpus, ...]
    smoothing: Share = 0.05  # of the labels of templates and roles
    talk: Positive = 2.5  # times more of what dialogue is full of: pronouns, negation, questions
    held_out: AtLeastOne = 25  # one sentence of this many validates
    rarest_template: AtLeastOne = 3
    rarest_label: AtLeastOne = 4
    lemmas: Count = 5000


class Sample(msgspec.Struct, frozen=True):
    """A piece of text and its graph as it is learned."""

    piece: Piece
    reading: Reading
    often: float
    named: tuple[str, ...] = ()  # the words of its names, as the graph writes them


class Graphs(msgspec.Struct, frozen=True):
    """Samples to learn from and to validate on."""

    train: Sequence[Sample]
    valid: Sequence[Sample]
    sources: tuple[Source, ...] = ()
    unit: str = "graphs"


def gather(recipe: Recipe, settings: Settings) -> Graphs:
    """Every sentence that may be learned from, aligned; equal sentences of a corpus once."""
    pipeline, encoder = load(), Encoder.load(recipe.backbone.name)
    parts = []
    for corpus in settings.corpora:
        graphs = {graph.text: graph for graph in files.read(corpus.path("amr"))}
        rows = []
        for graph, document in zip(graphs.values(), pipeline.pipe(graphs), strict=True):
            groups = list(pieces(document))
            if len(groups) == 1:  # of a text in several pieces we do not know which has what
                rows.append((groups[0], graph))
        parts.append((corpus, len(graphs), rows))
    aligner = Aligner([row for _, _, rows in parts for row in rows])
    train: list[Sample] = []
    valid: list[Sample] = []
    sources = []
    for corpus, count, rows in parts:
        before = len(train), len(valid)
        for piece, (_, graph) in zip(_vectors(rows, encoder), rows, strict=True):
            often = corpus.often * (settings.talk if _talks(graph) else 1)
            held = zlib.crc32(graph.text.encode()) % settings.held_out == 0
            sample = Sample(piece, aligner.read(piece.words, graph), often, _named(graph))
            (valid if held else train).append(sample)
        used = len(train) - before[0], len(valid) - before[1]
        sources.append(Source(corpus.file, corpus.licence, count, *used))
    return Graphs(train, valid, tuple(sources))


def _vectors(rows: Sequence[tuple[tuple[Word, ...], Graph]], encoder: Encoder) -> Iterator[Piece]:
    for start in range(0, len(rows), 1000):
        yield from with_vectors([words for words, _ in rows[start : start + 1000]], encoder)


def _named(graph: Graph) -> tuple[str, ...]:
    """The words of all names of a graph; none if its text has no capitals to learn from."""
    if graph.text == graph.text.lower():
        return ()
    parts = (edge for edge in graph.edges if graph.concepts[edge.source] == "name")
    return tuple(unquoted(part.target) for part in parts if part.role.startswith(":op"))


def _talks(graph: Graph) -> bool:
    """Whether a graph has a pronoun, a negation or a question."""
    concepts = set(graph.concepts.values())
    negated = any(edge.role == ":polarity" for edge in graph.edges)
    return negated or "amr-unknown" in concepts or not SHARED.isdisjoint(concepts)


def inventory_of(samples: Sequence[Sample], settings: Settings) -> Inventory:
    """Everything that occurs often enough to be learned."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    lexicon: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    stems: Counter[str] = Counter()
    for sample in samples:
        reading = sample.reading
        counts["templates"].update(reading.templates)
        counts["labels"].update(label for label in reading.labels if label)
        counts["modes"].update(reading.modes)
        each = zip(sample.piece.words, reading.templates, reading.stems, strict=True)
        for word, template, stem in each:
            for kind, name in _FEATURES.items():
                counts[kind][getattr(word, name)] += 1
            lexicon[word.lemma][template, stem] += 1
            stems[stem or word.lemma] += "-0" in template

    def named(kind: str, least: int = 1) -> tuple[str, ...]:
        return tuple(name for name, n in counts[kind].most_common() if n >= least)

    often = named("templates", settings.rarest_template)
    templates = (NOTHING, INSIDE, UNKNOWN, *(t for t in often if t not in "-I?"))
    numbers = {template: at for at, template in enumerate(templates)}
    entries = {
        lemma: tuple(
            Entry(numbers[template], stem, count)
            for (template, stem), count in uses.most_common()
            if template in numbers and template != UNKNOWN
        )
        for lemma, uses in sorted(lexicon.items())
    }

    return Inventory(
        pos=("", *named("pos")),
        tags=("", *named("tags")),
        deps=("", *named("deps")),
        entities=("", *named("entities")),
        lemmas=("", *named("lemmas")[: settings.lemmas]),
        templates=templates,
        labels=named("labels", settings.rarest_label),
        modes=named("modes"),
        lexicon={lemma: uses for lemma, uses in entries.items() if uses},
        stems=tuple(sorted(stem for stem, n in stems.items() if n > 0)),
        spellings=naming.learned(word for sample in samples for word in sample.named),
    )


def tensors(samples: Sequence[Sample], inventory: Inventory) -> dict[str, Tensor]:
    """A batch for :meth:`~.network.Parser.loss`."""
    inputs = arrays([sample.piece for sample in samples], inventory)
    shape = inputs["mask"].shape
    numbers = inventory.numbers
    templates, modes, heads = (np.full(shape, IGNORE) for _ in range(3))
    bearing = np.zeros(shape, dtype=np.float32)
    again = np.zeros((*shape, shape[1]), dtype=np.float32)
    edges = []
    for row, sample in enumerate(samples):
        reading = sample.reading
        bears = [True, *(_bears(template) for template in reading.templates)]
        bearing[row, : len(bears)] = bears
        for at, template in enumerate(reading.templates, 1):
            number = numbers["templates"].get(template, IGNORE)
            templates[row, at] = number if template != UNKNOWN else IGNORE
            modes[row, at] = numbers["modes"].get(reading.modes[at - 1], 0)
            head = reading.heads[at - 1]
            if head >= 0 and bears[head]:
                heads[row, at] = head
                edges.append((row, head, at, reading.labels[at - 1]))
        for source, target, label in reading.again:
            if bears[source] and bears[target]:
                again[row, source, target] = 1
                edges.append((row, source, target, label))
    labels = numbers["labels"]
    learned = [(*ends, labels[label]) for *ends, label in edges if label in labels]
    outputs = {
        "templates": templates,
        "modes": modes,
        "heads": heads,
        "bearing": bearing,
        "targets": (heads >= 0).astype(np.float32),
        "again": again,
        "edges": np.array(learned, dtype=np.int64).reshape(-1, 4),  # text, from, to, label
    }
    return {name: torch.from_numpy(array) for name, array in {**inputs, **outputs}.items()}


def _bears(template: str) -> bool:
    """Whether other words may hang from a word with this template."""
    return template not in (NOTHING, INSIDE) and not template.startswith("=")


def batches(samples: Sequence[Sample], words: int, rng: np.random.Generator) -> list[list[Sample]]:
    """Samples of similar length together, in random order; at most so many words, with padding."""
    every = [sample for sample in samples for _ in range(_times(sample.often, rng))]
    lengths = np.array([len(sample.piece.words) for sample in every])
    order = np.argsort(lengths + rng.random(len(every)) * 4)
    groups: list[list[Sample]] = [[]]
    for at in order:
        if (len(groups[-1]) + 1) * (lengths[at] + 1) > words and groups[-1]:
            groups.append([])
        groups[-1].append(every[at])
    return [groups[at] for at in rng.permutation(len(groups))]


def _times(expected: float, rng: np.random.Generator) -> int:
    """A whole number of times that is as expected on average."""
    return int(expected) + int(rng.random() < expected % 1)
