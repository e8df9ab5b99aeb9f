"""Train the built-in AMR parser: graphs with their sentences in, a model folder out.

``python -m dialogauge.train.amr DATA FOLDER`` reads the three corpora whose licences allow it
(Topical-Chat and STS parsed by other parsers, QALD-9 by hand), aligns each graph with its words
(:mod:`.amr_align`), and fits two small networks (:mod:`.amr_network`) on frozen features. A part of
the training sentences, chosen by a hash of their text, is kept for choosing the best epoch; the
test sets are never read here.
"""

import argparse
import math
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from ....amr import files
from ....amr.graph import Graph, unquoted
from ....amr.parser import naming
from ....amr.parser.assembling import SHARED
from ....amr.parser.features import arrays, pair_kinds
from ....amr.parser.inventory import Entry, Inventory
from ....amr.parser.templates import INSIDE, NOTHING
from ....amr.parser.words import Piece, pieces, with_vectors
from .align import Aligner
from .network import Linker, Tagger
from .publish import publish
from .rows import UNKNOWN, Reading

#: How many words, padding included, are learned from together.
WORDS_PER_BATCH = 500
IGNORE = -100

#: What may be trained on -> how often an epoch sees it; and how much more often what dialogue is
#: full of: pronouns, negation, questions.
CORPORA = {"deam_parsed_train.txt.gz": 1.0, "qald-9-amr-train.txt": 1.2, "bamboo_sts.amr.gz": 0.5}
TALK = 2.5


class Settings(msgspec.Struct, frozen=True):
    """How the parser is trained."""

    width: int = 192
    dropout: float = 0.2
    minutes: float = 52.0  # in which the learning rate rises shortly and falls to 0
    rate: float = 1.2e-3
    smoothing: float = 0.05
    rarest_template: int = 3
    rarest_label: int = 4
    lemmas: int = 5000
    held_out: int = 25  # one sentence of this many
    seed: int = 7


class Sample(msgspec.Struct, frozen=True):
    """A piece of text and its graph as it is learned."""

    piece: Piece
    reading: Reading
    repeat: float
    held_out: bool
    named: tuple[str, ...] = ()  # the words of its names, as the graph writes them


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
        for word, template, stem in zip(
            sample.piece.words, reading.templates, reading.stems, strict=True
        ):
            counts["pos"][word.pos] += 1
            counts["tags"][word.tag] += 1
            counts["deps"][word.dep] += 1
            counts["entities"][word.entity] += 1
            counts["lemmas"][word.lemma] += 1
            lexicon[word.lemma][template, stem] += 1
            stems[stem or word.lemma] += "-0" in template
    often = [t for t, n in counts["templates"].most_common() if n >= settings.rarest_template]
    templates = (NOTHING, INSIDE, UNKNOWN, *(t for t in often if t not in "-I?"))
    numbers = {template: at for at, template in enumerate(templates)}
    entries = {
        lemma: tuple(
            Entry(numbers[template], stem, count)
            for (template, stem), count in found.most_common()
            if template in numbers and template != UNKNOWN
        )
        for lemma, found in sorted(lexicon.items())
    }

    def named(kind: str, least: int = 1) -> tuple[str, ...]:
        return tuple(name for name, n in counts[kind].most_common() if n >= least)

    return Inventory(
        pos=("", *named("pos")),
        tags=("", *named("tags")),
        deps=("", *named("deps")),
        entities=("", *named("entities")),
        lemmas=("", *named("lemmas")[: settings.lemmas]),
        templates=templates,
        labels=named("labels", settings.rarest_label),
        modes=named("modes"),
        lexicon={lemma: found for lemma, found in entries.items() if found},
        stems=tuple(sorted(stem for stem, n in stems.items() if n > 0)),
        spellings=naming.learned(word for sample in samples for word in sample.named),
    )


class Parser(nn.Module):
    """Both networks, and what they are to learn."""

    def __init__(self, inventory: Inventory, settings: Settings, vector: int = 384) -> None:
        super().__init__()
        sizes = {name: len(known) for name, known in inventory.numbers.items()}
        sizes |= {"pairs": pair_kinds(inventory), "vectors": vector}
        self.tagger = Tagger(sizes, settings.width, settings.dropout)
        self.linker = Linker(sizes, settings.width, settings.dropout)
        self.smoothing = settings.smoothing

    def loss(self, batch: dict[str, Tensor]) -> tuple[Tensor, dict[str, float]]:
        """The sum of the losses of all decisions, and how many of them were right."""
        pairs, near, mask = batch["pairs"], batch["near"], batch["mask"]
        states, templates, modes = self.tagger(batch["vectors"], batch["kinds"], pairs, near, mask)
        chosen = self._chosen(templates.detach(), batch["templates"])
        states = self.linker.read(states, chosen, pairs, near, mask)
        arcs, again = self.linker.links(states, pairs, near)
        roles = self.linker.roles_of(states, pairs, batch["edges"])
        parts = {
            "template": _choice(templates, batch["templates"], self.smoothing),
            "mode": _choice(modes, batch["modes"], 0.0),
            **self._edges(arcs, again, roles, batch),
        }
        total = sum(loss for loss, _ in parts.values())
        return total, {name: right for name, (_, right) in parts.items()}

    def _chosen(self, scores: Tensor, gold: Tensor) -> Tensor:
        """The templates that the linker sees: the right ones, some as the tagger would have it."""
        gold = torch.where(gold == IGNORE, torch.full_like(gold, 2), gold)
        if not self.training:
            return gold
        own = scores.argmax(-1)
        return torch.where(torch.rand(gold.shape) < 0.3, own, gold)

    def _edges(
        self, arcs: Tensor, again: Tensor, roles: Tensor, batch: dict[str, Tensor]
    ) -> dict[str, tuple[Tensor, float]]:
        bearing = batch["bearing"]  # words that may be heads
        arcs = arcs + (1 - bearing).unsqueeze(2) * -1e4
        heads = batch["heads"]
        rows, targets = torch.nonzero(heads >= 0, as_tuple=True)
        head_loss = _choice(arcs[rows, :, targets], heads[rows, targets], 0.0)
        role_loss = _choice(roles, batch["edges"][:, 3], self.smoothing)
        possible = bearing.unsqueeze(2) * batch["targets"].unsqueeze(1)
        wanted = batch["again"]
        raw = nn.functional.binary_cross_entropy_with_logits(
            again, wanted, reduction="none", pos_weight=torch.tensor(2.0)
        )
        again_loss = 2 * (raw * possible).sum() / batch["bearing"].sum()
        right = ((again > 0) & (wanted > 0) & (possible > 0)).sum() / wanted.sum().clamp(min=1)
        return {"head": head_loss, "role": role_loss, "again": (again_loss, float(right))}


def _choice(scores: Tensor, gold: Tensor, smoothing: float) -> tuple[Tensor, float]:
    scores, gold = scores.reshape(-1, scores.shape[-1]), gold.reshape(-1)
    known = gold != IGNORE
    if not bool(known.any()):
        return scores.sum() * 0.0, 1.0
    loss = nn.functional.cross_entropy(
        scores[known], gold[known], label_smoothing=smoothing, reduction="mean"
    )
    return loss, float((scores[known].argmax(-1) == gold[known]).float().mean())


def tensors(samples: Sequence[Sample], inventory: Inventory) -> dict[str, Tensor]:
    """A batch for :meth:`Parser.loss`."""
    found = arrays([sample.piece for sample in samples], inventory)
    batch = {name: torch.from_numpy(value) for name, value in found.items()}
    shape = found["mask"].shape
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
    known = [
        (row, source, target, numbers["labels"][label])
        for row, source, target, label in edges
        if label in numbers["labels"]
    ]
    batch |= {
        "templates": torch.from_numpy(templates),
        "modes": torch.from_numpy(modes),
        "heads": torch.from_numpy(heads),
        "bearing": torch.from_numpy(bearing),
        "targets": torch.from_numpy((heads >= 0).astype(np.float32)),
        "again": torch.from_numpy(again),
        "edges": torch.tensor(known),  # (edges, 4): text, from, to, label
    }
    return batch


def _bears(template: str) -> bool:
    """Whether other words may hang from a word with this template."""
    return template not in (NOTHING, INSIDE) and not template.startswith("=")


def batches(
    samples: Sequence[Sample], budget: int, rng: np.random.Generator
) -> Iterator[list[Sample]]:
    """Samples of similar length together, in random order."""
    every = [sample for sample in samples for _ in range(_times(sample.repeat, rng))]
    lengths = np.array([len(sample.piece.words) for sample in every])
    order = np.argsort(lengths + rng.random(len(every)) * 4)
    groups: list[list[Sample]] = [[]]
    for at in order:
        if (len(groups[-1]) + 1) * (lengths[at] + 1) > budget and groups[-1]:
            groups.append([])
        groups[-1].append(every[at])
    for at in rng.permutation(len(groups)):
        yield groups[at]


def _times(expected: float, rng: np.random.Generator) -> int:
    """A whole number of times that is as expected on average."""
    return int(expected) + int(rng.random() < expected % 1)


def fit(
    samples: Sequence[Sample], inventory: Inventory, settings: Settings, kept: Path
) -> tuple[Parser, int]:
    """The networks after as many epochs as the time allows, and how many; ``kept`` after each."""
    torch.manual_seed(settings.seed)
    rng = np.random.default_rng(settings.seed)
    parser = Parser(inventory, settings)
    optimiser = torch.optim.AdamW(parser.parameters(), lr=settings.rate, weight_decay=0.01)
    clock = _clock(settings)
    spent, epochs = 0.0, 0
    while spent < 1:
        epochs += 1
        spent = _epoch(parser, optimiser, clock, samples, inventory, rng)
        print(f"{spent:5.2f} ", measured(parser, samples, inventory), flush=True)
        save_file(parser.state_dict(), kept)
    return parser, epochs


def _clock(settings: Settings) -> Callable[[], tuple[float, float]]:
    """A function that says how much of the time is spent, and the learning rate for it."""
    begun = time.monotonic()

    def read() -> tuple[float, float]:
        spent = (time.monotonic() - begun) / 60 / settings.minutes
        return spent, settings.rate * pace(spent)

    return read


def _epoch(
    parser: Parser,
    optimiser: torch.optim.Optimizer,
    clock: Callable[[], tuple[float, float]],
    samples: Sequence[Sample],
    inventory: Inventory,
    rng: np.random.Generator,
) -> float:
    """Once over what is not held out, or until the time is spent; the share that is."""
    parser.train()
    learned = [sample for sample in samples if not sample.held_out]
    spent = 0.0
    for group in batches(learned, WORDS_PER_BATCH, rng):
        spent, rate = clock()
        for part in optimiser.param_groups:
            part["lr"] = rate
        loss, _ = parser.loss(tensors(group, inventory))
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(parser.parameters(), 2.0)
        optimiser.step()
        if spent >= 1:
            break
    return spent


def pace(spent: float) -> float:
    """The share of the learning rate after a share of the time: a short rise, then a cosine.

    >>> [round(pace(spent), 2) for spent in (0.0, 0.02, 0.51, 1.0)]
    [0.05, 1.0, 0.5, 0.0]
    """
    warm = 0.02
    if spent < warm:
        return 0.05 + 0.95 * spent / warm
    return 0.5 * (1 + math.cos(math.pi * min(1.0, (spent - warm) / (1 - warm))))


def measured(parser: Parser, samples: Sequence[Sample], inventory: Inventory) -> str:
    """The share of right decisions of each kind on what was held out."""
    parser.eval()
    held = [sample for sample in samples if sample.held_out]
    found: dict[str, list[float]] = defaultdict(list)
    for group in batches(held, 2000, np.random.default_rng(0)):
        with torch.no_grad():
            loss, right = parser.loss(tensors(group, inventory))
        for name, share in {**right, "loss": float(loss)}.items():
            found[name].append(share)
    return "  ".join(f"{name} {np.mean(shares):.3f}" for name, shares in found.items())


def samples_of(data: Path, settings: Settings) -> list[Sample]:
    """Every sentence that may be learned from, aligned; equal sentences of a corpus once."""
    from ....encode import Encoder
    from ....language import load

    pipeline, encoder = load(), Encoder.load()
    found = []
    for name, repeat in CORPORA.items():
        graphs = {graph.text: graph for graph in files.read(data / name)}
        for text, document in zip(graphs, pipeline.pipe(graphs), strict=True):
            groups = list(pieces(document))
            if len(groups) == 1:  # of a text in several pieces we do not know which has what
                often = repeat * (TALK if _talks(graphs[text]) else 1)
                found.append((groups[0], graphs[text], often))
    aligner = Aligner([(words, graph) for words, graph, _ in found])
    made = []
    for start in range(0, len(found), 1000):
        part = found[start : start + 1000]
        for piece, (words, graph, repeat) in zip(
            with_vectors([words for words, _, _ in part], encoder), part, strict=True
        ):
            held_out = zlib.crc32(graph.text.encode()) % settings.held_out == 0
            reading = aligner.read(words, graph)
            made.append(Sample(piece, reading, repeat, held_out, _named(graph)))
    return made


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


def main() -> None:
    """Train and publish."""
    options = argparse.ArgumentParser(description="Train the built-in AMR parser.")
    options.add_argument("data", type=Path, help="folder with the files of graphs")
    options.add_argument("folder", type=Path, help="where the model goes")
    given = options.parse_args()
    settings = Settings()
    samples = samples_of(given.data, settings)
    inventory = inventory_of([each for each in samples if not each.held_out], settings)
    given.folder.parent.mkdir(parents=True, exist_ok=True)
    parser, epochs = fit(samples, inventory, settings, given.folder.with_suffix(".safetensors"))
    recipe = msgspec.to_builtins(settings) | {"epochs": epochs}
    publish(parser, inventory, given.folder, recipe)


if __name__ == "__main__":
    main()
