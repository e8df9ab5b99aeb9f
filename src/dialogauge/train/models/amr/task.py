"""The built-in AMR parser: two small networks on frozen features, from graphs with their sentences.

The test sets of the page docs/measured/amr.md are never read here.
"""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from .... import atomic
from ....amr.parser.features import FAR, pair_kinds
from ...export import Axes, Example, export_onnx
from ...loop import Batches, on_device
from ...recipe import Recipe
from ...vectors import passport
from . import rows
from .network import Batch, Parser
from .rows import Graphs, Sample, Settings, gather

__all__ = ["NOTES", "Settings", "build", "gather"]

NOTES = """\
- **Networks**: a tagger and a linker of three small attention layers, and one that tells roles, on
  the words' vectors of the backbone and the tags, dependencies and names of `language`. If one of
  those is trained anew, this should be too.
- **Inventory**: frames, roles, words and names come from the graphs above alone.
- **Measured** by `python -m benchmarks.amr` (docs/measured/amr.md) on the Little Prince, QALD-9
  test and Topical-Chat valid, which are never trained on.
- **Limits**: where a graph was itself parsed, its mistakes are learned too. English only.
"""

_VALID_WORDS = 2000  # in a batch without gradients
_WORDS = {0: "texts", 1: "words"}
_PAIRS = {0: "texts", 1: "words", 2: "words"}
_EDGES = {0: "edges"}
_BOTH: Axes = {"pairs": _PAIRS, "near": {0: "words", 1: "words"}, "mask": _WORDS}
#: What each network takes and gives.
_INPUTS: dict[str, Axes] = {
    "tagger": {"vectors": _WORDS, "kinds": _WORDS, **_BOTH},
    "linker": {"states": _WORDS, "chosen": _WORDS, **_BOTH},
    "roles": {"source": _EDGES, "target": _EDGES, "pairs": _EDGES},
}
_OUTPUTS: dict[str, Axes] = {
    "tagger": {"states": _WORDS, "templates": _WORDS, "modes": _WORDS},
    "linker": {"arcs": _PAIRS, "again": _PAIRS, "linked": _WORDS},
    "roles": {"roles": _EDGES},
}
#: How many texts of how many words the exported networks are compared on.
_SIZES = ((2, 7), (1, 1), (3, 19))


class Parsing:
    """The task."""

    def __init__(
        self, recipe: Recipe, settings: Settings, material: Graphs, work: Path, encode: Any = None
    ) -> None:
        self.recipe, self.shape, self.material = recipe, settings, material
        self.inventory = inventory = rows.inventory_of(material.train, settings)
        self.vector = material.train[0].piece.vectors.shape[1]
        sizes = {name: len(numbers) for name, numbers in inventory.numbers.items()}
        sizes |= {"pairs": pair_kinds(inventory), "vectors": self.vector}
        self.network = Parser(sizes, settings, settings.smoothing)

    def batches(self, rng: np.random.Generator) -> Batches:
        """Sentences of similar length; the size of a batch is its words, padding included."""
        words = self.recipe.optimisation.batch_size
        return Batches(rows.batches(self.material.train, words, rng), self._tensors)

    def loss(self, batch: Batch) -> Tensor:
        """The sum of the losses of all decisions."""
        return self.network.loss(batch)[0]

    def validate(self) -> dict[str, float]:
        """The share of right decisions: their mean, and of each kind."""
        if not self.material.valid:
            return {}
        groups = rows.batches(self.material.valid, _VALID_WORDS, np.random.default_rng(0))
        batches = (on_device(self._tensors(group), self.network) for group in groups)
        shares = [self.network.loss(batch)[1] for batch in batches]
        means = {name: float(np.mean([each[name] for each in shares])) for name in shares[0]}
        return {"right": float(np.mean(list(means.values()))), **means}

    def export(self, folder: Path) -> float:
        """Three graphs, the inventory, and what they are."""
        tagger, linker = self.network.tagger, self.network.linker
        every = [self._drawn(*size) for size in _SIZES]
        parity = 0.0
        for name, network in (("tagger", tagger), ("linker", linker), ("roles", linker.roles)):
            path, examples = folder / f"{name}.onnx", [drawn[name] for drawn in every]
            gap = export_onnx(network, path, examples, _INPUTS[name], _OUTPUTS[name])
            parity = max(parity, gap)
        with atomic.writing(folder / "inventory.json") as file:
            file.write(msgspec.json.encode(self.inventory))
        config = {"model": "amr", "name": self.recipe.name, **passport(self.recipe.backbone)}
        atomic.write_json(folder / "config.json", config)
        return parity

    def _tensors(self, batch: list[Sample]) -> dict[str, Tensor]:
        return rows.tensors(batch, self.inventory)

    def _drawn(self, texts: int, words: int) -> dict[str, Example]:
        """Random inputs of each network."""
        rng = np.random.default_rng([texts, words])
        numbers, kinds = self.inventory.numbers, pair_kinds(self.inventory)
        fewest = min(len(numbers[name]) for name in ("pos", "tags", "deps", "entities", "lemmas"))

        def floats(*shape: int) -> NDArray[np.float32]:
            return rng.standard_normal(shape, np.float32)

        def below(limit: int, *shape: int) -> NDArray[np.int64]:
            return rng.integers(limit, size=shape)

        states = floats(texts, words, self.shape.width)
        both: Example = {
            "pairs": below(kinds, texts, words, words),
            "near": below(2 * FAR + 1, words, words),
            "mask": np.ones((texts, words), np.float32),
        }
        vectors, tags = floats(texts, words, self.vector), below(fewest, texts, words, 5)
        chosen = below(len(self.inventory.templates), texts, words)
        return {
            "tagger": {"vectors": vectors, "kinds": tags, **both},
            "linker": {"states": states, "chosen": chosen, **both},
            "roles": {"source": states[0], "target": states[-1], "pairs": below(kinds, words)},
        }


build = Parsing
