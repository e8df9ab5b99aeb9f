"""A small head on frozen vectors: each utterance is encoded once, then epochs take a minute.

The encoder keeps all that it knew, which is why this transfers to other conversations while tuning
the whole encoder buys one domain and sells the others.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from torch import Tensor

from ....errors import InputError
from ...data import Material
from ...export import Example, export
from ...loop import Batches, on_device
from ...recipe import AtLeastOne, Count, Recipe
from ...vectors import passport, reading, sides
from .. import Encode
from . import rows
from .network import ResponseSelector, Shape


class Settings(Shape, frozen=True, forbid_unknown_fields=True):
    """How the head looks and what it must tell apart."""

    same_dialogue: Count = 0  # negatives out of the same dialogue, beside the batch's
    nearest: Count = 0  # negatives near the right answer, out of other dialogues
    exam: AtLeastOne = 2000  # validation pairs at most


class Inputs(NamedTuple):
    """A batch of contexts, their right responses and wrong ones."""

    context: Tensor  # (batch, turns, width)
    mask: Tensor  # (batch, turns)
    response: Tensor  # (batch, width)
    others: Tensor  # (batch, others, width)
    wrong: Tensor  # (batch, batch + others)


class Selection:
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
        self.train, self.valid = sides(
            material,
            lambda half: rows.pairs(material.dialogues(half), settings.turns),
            reading(recipe.backbone, work, encode),
        )
        self.width = self.train.table.shape[1]
        if self.width % settings.heads:
            problem = f"{settings.heads} heads do not divide vectors of {self.width} numbers"
            raise InputError(problem, field="settings.heads")
        self.network = ResponseSelector(self.width, settings)

    def batches(self, rng: np.random.Generator) -> Sequence[Any]:
        """Random batches of pairs."""
        size, near = self.recipe.optimisation.batch_size, self.settings.nearest
        pairs, vectors = self.train.rows, self.train.table
        drawn = rows.batches(pairs, size, self.settings.same_dialogue, rng)
        if near:
            drawn = [rows.nearest(pairs, vectors, batch, near, rng) for batch in drawn]
        return Batches(drawn, self._inputs)

    def loss(self, batch: Inputs) -> Tensor:
        """Softmax over the batch's responses and the pair's own others."""
        return rows.loss(
            self.network.context(batch.context, batch.mask),
            self.network.response(batch.response),
            self.network.response(batch.others),
            batch.wrong,
            self.network.log_scale.exp().clamp(max=100.0),
        )

    def validate(self) -> dict[str, float]:
        """The right response out of twenty, on held dialogues."""
        if self.valid is None:
            return {}
        picked, answers = rows.choices(self.valid.rows, self.settings.exam)
        inputs = *self.valid.masked(self.valid.rows.context[picked]), self.valid.read(answers)
        turns, mask, choices = on_device(inputs, self.network)
        context, response = self.network.context(turns, mask), self.network.response(choices)
        return rows.measures((context.unsqueeze(1) * response).sum(-1), answers)

    def export(self, folder: Path) -> float:
        """A metric head: ``context``, ``mask``, ``response`` -> ``score``."""
        batch = {0: "batch"}
        inputs = {"context": batch, "mask": batch, "response": batch}
        config = {
            "metric": "relevance",
            **passport(self.recipe.backbone),
            "turns": self.settings.turns,
            "width": self.width,
        }
        return export(self.network, folder, self._examples(), inputs, {"score": batch}, config)

    def _inputs(self, batch: rows.Batch) -> Inputs:
        pairs = self.train.rows
        return Inputs(
            *self.train.masked(pairs.context[batch.pairs]),
            self.train.read(pairs.response[batch.pairs]),
            self.train.read(batch.others),
            rows.wrong(pairs, batch),
        )

    def _examples(self) -> list[Example]:
        rng = np.random.default_rng(0)
        turns, width = self.settings.turns, self.width

        def example(batch: int) -> Example:
            context = rng.normal(size=(batch, turns, width))
            there = rng.integers(0, turns + 1, (batch, 1)) + np.arange(turns) >= turns
            response = rng.normal(size=(batch, width))
            parts = {"context": context, "mask": there, "response": response}
            return {name: part.astype(np.float32) for name, part in parts.items()}

        return [example(batch) for batch in (2, 1, 7, 64)]


build = Selection
