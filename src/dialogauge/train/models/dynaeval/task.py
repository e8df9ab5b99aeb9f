"""DynaEval and S-DiCoh: score a dialogue above the same dialogue made worse.

Every utterance is encoded once, before the first epoch, and a dialogue is then a row of numbers:
what costs the released code 6.7 million encodings an epoch costs none.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import torch
from msgspec import Meta
from numpy.typing import NDArray
from torch import Tensor

from ....contrast import Drawing
from ...data import Half, Material
from ...export import Example, export, export_onnx
from ...loop import Batches, on_device
from ...recipe import AtLeastOne, Positive, Recipe
from ...vectors import Ints, Side, passport, reading, sides, standardise
from .. import Encode
from . import rows
from .network import NETWORKS, RowScores, Shape, TurnFeatures

#: Validation pairs that go through the network at a time.
_TOGETHER = 256


class Settings(Shape, frozen=True, forbid_unknown_fields=True):
    """How the network looks and what it must tell apart."""

    network: Literal["dynaeval", "s-dicoh"] = "dynaeval"
    worse: tuple[str, ...] = ("replace-turn", "shuffle-speaker")  # manipulations or mixtures
    pairs: AtLeastOne = 20  # worse dialogues for each, at most
    each: AtLeastOne = 20  # of them in one epoch, others in the next
    shortest: Annotated[int, Meta(ge=2)] = 4  # turns of a dialogue, at least and at most
    longest: Annotated[int, Meta(ge=2)] = 30
    margin: Positive = 1.0  # the released code: 0.1
    exam: AtLeastOne = 2000  # validation pairs at most


class Inputs(NamedTuple):
    """The distinct dialogues of a batch of pairs, and which of them make the pairs."""

    turns: Tensor  # (dialogues, turns, width)
    mask: Tensor  # (dialogues, turns)
    speakers: Tensor  # (dialogues, turns)
    places: Tensor  # (2 pairs,): the better ones, then the worse


class Ranking:
    """The task."""

    def __init__(
        self,
        recipe: Recipe,
        settings: Settings,
        material: Material,
        work: Path,
        encode: Encode | None,
    ) -> None:
        self.recipe, self.settings = recipe, settings
        read = reading(recipe.backbone, work, encode)
        self.train, self.valid = sides(material, lambda half: self._pairs(material, half), read)
        self.width = self.train.table.shape[1]
        self.network = NETWORKS[settings.network](self.width, settings)
        standardise(self.network, self.train.table)

    def batches(self, rng: np.random.Generator) -> Sequence[Any]:
        """Random batches of pairs."""
        size = self.recipe.optimisation.batch_size
        drawn = rows.batches(self.train.rows, size, self.settings.each, rng)
        return Batches(drawn, lambda batch: _inputs(self.train, batch))

    def loss(self, batch: Inputs) -> Tensor:
        """By how much the worse one is not yet a margin below."""
        better, worse = self._scores(batch)
        return (self.settings.margin - (better - worse)).relu().mean()

    def validate(self) -> dict[str, float]:
        """How often the better one scores higher, on held dialogues; by cause."""
        if self.valid is None:
            return {}
        rng = np.random.default_rng(0)  # always the same exam
        picked = rng.permutation(len(self.valid.rows))[: self.settings.exam]
        parts = [picked[at : at + _TOGETHER] for at in range(0, len(picked), _TOGETHER)]
        inputs = (on_device(_inputs(self.valid, part), self.network) for part in parts)
        won = np.concatenate([_won(*self._scores(batch)) for batch in inputs])
        causes = np.array(self.valid.rows.causes)[picked]
        by_cause = {cause: float(won[causes == cause].mean()) for cause in np.unique(causes)}
        return {"accuracy": float(won.mean()), **by_cause}

    def export(self, folder: Path) -> float:
        """A metric of two steps: each turn beside those before it, and rows of them."""
        row = {0: "rows", 1: "turns"}
        config = {
            "metric": self.settings.network,
            **passport(self.recipe.backbone),
            "width": self.width,
            "beside": self.settings.beside,
        }
        reading = export_onnx(
            TurnFeatures(self.network),
            folder / "reader.onnx",
            self._turn_examples(),
            {"table": {0: "texts"}, "turns": {0: "turns"}},
            {"heard": {0: "turns"}},
        )
        scoring = export(
            RowScores(self.network),
            folder,
            self._row_examples(),
            {"heard": {0: "read"}, "turns": row, "speakers": row, "mask": row},
            {"score": {0: "rows"}},
            config,
        )
        return max(reading, scoring)

    def _pairs(self, material: Material, half: Half) -> rows.Pairs:
        shortest, longest = self.settings.shortest, self.settings.longest
        spoken = (dialogue.spoken for dialogue in material.dialogues(half))
        fitting = [
            (dialogue, origin)
            for dialogue, origin in zip(spoken, material.origins(half), strict=True)
            if shortest <= len(dialogue.turns) <= longest
        ]
        drawing = Drawing(self.settings.pairs, self.recipe.seed, apart=False)
        return rows.make(fitting, self.settings.worse, drawing)

    def _scores(self, batch: Inputs) -> tuple[Tensor, Tensor]:
        """The scores of both sides; each dialogue goes through the network once."""
        scores = self.network(batch.turns, batch.speakers, batch.mask)
        better, worse = scores[batch.places].chunk(2)
        return better, worse

    def _turn_examples(self) -> list[Example]:
        rng, vectors = np.random.default_rng(0), self.train.table

        def example(texts: int, turns: int) -> Example:
            table = np.array(vectors[rng.integers(0, len(vectors), texts)])
            table[0] = 0
            return {
                "table": table,
                "turns": rng.integers(0, texts, (turns, 1 + self.settings.beside)),
            }

        return [example(*sizes) for sizes in ((5, 8), (2, 1), (9, 200))]

    def _row_examples(self) -> list[Example]:
        rng = np.random.default_rng(0)

        def example(read: int, count: int, turns: int) -> Example:
            length = rng.integers(1, turns + 1, count)
            length[0] = turns
            return {
                "heard": rng.normal(size=(read, self.settings.narrow)).astype(np.float32),
                "turns": rng.integers(0, read, (count, turns)),
                "speakers": rng.integers(0, 3, (count, turns)).astype(np.float32),
                "mask": (np.arange(turns) < length[:, None]).astype(np.float32),
            }

        return [example(*sizes) for sizes in ((5, 3, 4), (1, 1, 1), (9, 5, 12), (40, 64, 7))]


def _inputs(side: Side[rows.Pairs], batch: Ints) -> Inputs:
    pairs = side.rows
    both = np.concatenate([pairs.better[batch], pairs.worse[batch]])
    distinct, places = np.unique(both, return_inverse=True)
    length = int(pairs.length[distinct].max())
    speakers = torch.from_numpy(pairs.speakers[distinct, :length].astype(np.float32))
    turns, mask = side.masked(pairs.turns[distinct, :length])
    return Inputs(turns, mask, speakers, torch.from_numpy(places))


def _won(better: Tensor, worse: Tensor) -> NDArray[np.float64]:
    """1 where the better one scores higher, one half for a tie."""
    won = (better > worse).double() + 0.5 * (better == worse).double()
    return np.asarray(won.cpu().numpy(), np.float64)


build = Ranking
