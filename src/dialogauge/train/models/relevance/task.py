"""A small head on frozen vectors: each utterance is encoded once, then epochs take a minute.

The encoder keeps all that it knew, which is why this transfers to other conversations while tuning
the whole encoder buys one domain and sells the others.
"""

from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
import torch
from msgspec import Meta
from torch import Tensor

from ....atomic import write_json
from ....errors import InputError
from ...data import Material
from ...export import Example, export
from ...frozen import Encode, cached, encoder
from ...recipe import AtLeastOne, Count, Recipe, Share
from . import rows as selection
from .network import ResponseSelector
from .rows import Batch, Ints, Pairs, Vectors


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the head looks and what it must tell apart."""

    turns: AtLeastOne = 4  # of context
    heads: AtLeastOne = 6  # of attention; they divide the encoder's width
    dropout: Share = 0.1
    same_dialogue: Count = 0  # negatives out of the same dialogue, beside the batch's
    nearest: Count = 0  # negatives near the right answer, out of other dialogues
    cosine: Share = 0.5  # how much of the score is the plain cosine of the last turn
    exam: Annotated[int, Meta(ge=1)] = 2000  # validation pairs at most


class Selection:
    """The task."""

    def __init__(
        self, recipe: Recipe, settings: Settings, material: Material, encode: Encode, cache: Path
    ) -> None:
        self.recipe, self.settings = recipe, settings
        self.train = selection.pairs(material.train, settings.turns)
        self.valid = selection.pairs(material.valid, settings.turns) if material.valid else None
        self.vectors = cached(encode, self.train.texts, recipe.backbone.name, cache)
        self.valid_vectors = (
            cached(encode, self.valid.texts, recipe.backbone.name, cache) if self.valid else None
        )
        width = self.vectors.shape[1]
        if width % settings.heads:
            raise InputError(
                f"{settings.heads} heads do not divide vectors of {width} numbers",
                field="settings.heads",
            )
        self.network = ResponseSelector(
            width, settings.turns, settings.heads, settings.dropout, settings.cosine
        )

    def batches(self, rng: np.random.Generator) -> list[Batch]:
        """Random batches of pairs."""
        size, near = self.recipe.optimisation.batch_size, self.settings.nearest
        found = selection.batches(self.train, size, self.settings.same_dialogue, rng)
        if not near:
            return found
        return [selection.nearest(self.train, self.vectors, batch, near, rng) for batch in found]

    def loss(self, batch: Batch) -> Tensor:
        """Softmax over the batch's responses and the pair's own others."""
        pairs, device = self.train, self.network.position.device
        context, mask = self._contexts(pairs, self.vectors, batch.pairs)
        response = self._rows(self.vectors, pairs.response[batch.pairs])
        others = self._rows(self.vectors, batch.others)
        return selection.loss(
            self.network.context(context, mask),
            self.network.response(response),
            self.network.response(others),
            selection.wrong(pairs, batch).to(device),
            self.network.log_scale.exp().clamp(max=100.0),
        )

    def validate(self) -> dict[str, float]:
        """The right response out of twenty, on held dialogues."""
        if self.valid is None or self.valid_vectors is None:
            return {}
        picked, answers = selection.choices(self.valid, self.settings.exam)
        context = self.network.context(*self._contexts(self.valid, self.valid_vectors, picked))
        response = self.network.response(self._rows(self.valid_vectors, answers))
        return selection.measures((context.unsqueeze(1) * response).sum(-1), answers)

    def export(self, folder: Path) -> float:
        """A metric head: ``context``, ``mask``, ``response`` -> ``score``."""
        rows = {0: "batch"}
        difference = export(
            self.network,
            folder,
            self._examples(),
            {"context": rows, "mask": rows, "response": rows},
            {"score": rows},
        )
        config = {
            "metric": self.recipe.name,
            "encoder": self.recipe.backbone.name,
            "turns": self.settings.turns,
            "width": self.vectors.shape[1],
        }
        write_json(folder / "config.json", config)
        return difference

    def _contexts(self, pairs: Pairs, vectors: Vectors, picked: Ints) -> tuple[Tensor, Tensor]:
        """(batch, turns, width), (batch, turns)."""
        rows = pairs.context[picked]
        mask = torch.from_numpy(rows >= 0).float().to(self.network.position.device)
        return self._rows(vectors, np.maximum(rows, 0)), mask

    def _rows(self, vectors: Vectors, rows: Ints) -> Tensor:
        return torch.from_numpy(vectors[rows]).to(self.network.position.device)

    def _examples(self) -> list[Example]:
        rng = np.random.default_rng(0)
        turns, width = self.settings.turns, self.vectors.shape[1]

        def example(batch: int) -> Example:
            context = rng.normal(size=(batch, turns, width)).astype(np.float32)
            there = rng.integers(0, turns + 1, (batch, 1)) + np.arange(turns) >= turns
            response = rng.normal(size=(batch, width)).astype(np.float32)
            parts = {"context": context, "mask": there.astype(np.float32), "response": response}
            return {name: torch.from_numpy(part) for name, part in parts.items()}

        return [example(batch) for batch in (2, 1, 7, 64)]


def build(
    recipe: Recipe, settings: Settings, material: Material, work: Path, encode: Encode | None
) -> Selection:
    """The task on a recipe's dialogues; ``encode`` stands in for the recipe's encoder."""
    return Selection(recipe, settings, material, encode or encoder(recipe.backbone), work)
