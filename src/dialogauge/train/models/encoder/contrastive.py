"""Tuning the whole encoder by response selection, held near what it was by distillation.

The vector of a context (its last turns, joined) is drawn to that of the true next turn and away
from other responses. Alone this forgets; ``distil`` adds the mean of 1 - cosine between each vector
and the one the untouched encoder gives.
"""

from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
import torch
from msgspec import Meta
from torch import Tensor
from torch.nn import functional

from ...data import Material
from ...export import export_encoder
from ...frozen import cached
from ...recipe import AtLeastOne, Count, Positive, Recipe
from ..relevance import rows as selection
from ..relevance.rows import Batch, Ints, Pairs
from .network import Backbone, load


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What stands against what, and how firmly the encoder is held."""

    turns: AtLeastOne = 2  # of context, joined into one text
    same_dialogue: Count = 1  # negatives out of the same dialogue, beside the batch's
    nearest: Count = 0  # negatives near the right answer, out of other dialogues
    temperature: Positive = 0.05
    distil: Annotated[float, Meta(ge=0)] = 1.0  # weight of staying near the original; 0: free
    exam: Annotated[int, Meta(ge=1)] = 1000  # validation pairs at most


class Contrastive:
    """The task."""

    def __init__(
        self,
        recipe: Recipe,
        settings: Settings,
        material: Material,
        backbone: Backbone,
        original: Backbone | None,
        work: Path,
    ) -> None:
        self.recipe, self.settings = recipe, settings
        self.backbone, self.original = backbone, original
        self.network = backbone.encoder
        self.train = selection.pairs(material.train, settings.turns)
        self.valid = selection.pairs(material.valid, settings.turns) if material.valid else None
        # what is near is said by the encoder as it was when training began
        texts, name = self.train.texts, recipe.backbone.name
        self.vectors = cached(backbone.encode, texts, name, work) if settings.nearest else None

    def batches(self, rng: np.random.Generator) -> list[Batch]:
        """Random batches of pairs."""
        size, near = self.recipe.optimisation.batch_size, self.settings.nearest
        found = selection.batches(self.train, size, self.settings.same_dialogue, rng)
        if self.vectors is None:
            return found
        return [selection.nearest(self.train, self.vectors, batch, near, rng) for batch in found]

    def loss(self, batch: Batch) -> Tensor:
        """Softmax over responses, plus the distance from the original."""
        pairs, size = self.train, len(batch.pairs)
        contexts = _contexts(pairs, batch.pairs)
        answers = _texts(pairs, np.append(pairs.response[batch.pairs], batch.others.ravel()))
        # apart, because contexts are longer and answers would be padded to their length
        context, context_drift = self._encode(contexts)
        vectors, answer_drift = self._encode(answers)
        response, others = vectors[:size], vectors[size:]
        chosen = selection.loss(
            context,
            response,
            others.reshape(*batch.others.shape, self.backbone.width),
            selection.wrong(pairs, batch, spare_context=True).to(vectors.device),
            torch.tensor(1 / self.settings.temperature, device=vectors.device),
        )
        return chosen + self.settings.distil * (context_drift + answer_drift) / 2

    def validate(self) -> dict[str, float]:
        """The right response out of twenty, on held dialogues."""
        if self.valid is None:
            return {}
        picked, answers = selection.choices(self.valid, self.settings.exam)
        rows, place = np.unique(answers, return_inverse=True)
        context = self._unit(_contexts(self.valid, picked))
        response = self._unit(_texts(self.valid, rows))[
            torch.from_numpy(place.reshape(answers.shape))
        ]
        return selection.measures((context.unsqueeze(1) * response).sum(-1), answers)

    def export(self, folder: Path) -> float:
        """An encoder."""
        return export_encoder(self.backbone, self.recipe.name, folder)

    def _encode(self, texts: list[str]) -> tuple[Tensor, Tensor]:
        """Unit vectors, and how far they are from the original's: the mean of 1 - cosine."""
        vectors = functional.normalize(self.backbone.sentences(texts), dim=-1)
        if self.original is None:
            return vectors, vectors.new_zeros(())
        self.original.encoder.to(vectors.device).eval()
        with torch.no_grad():
            before = functional.normalize(self.original.sentences(texts), dim=-1)
        return vectors, 1 - (vectors * before).sum(-1).mean()

    def _unit(self, texts: list[str]) -> Tensor:
        return functional.normalize(torch.from_numpy(self.backbone.encode(texts)), dim=-1)


def build(
    recipe: Recipe, settings: Settings, material: Material, work: Path, encode: Any = None
) -> Contrastive:
    """The task on a recipe's dialogues."""
    original = load(recipe.backbone) if settings.distil else None
    return Contrastive(recipe, settings, material, load(recipe.backbone), original, work)


def _texts(pairs: Pairs, rows: Ints) -> list[str]:
    return [pairs.texts[row] for row in rows]


def _contexts(pairs: Pairs, picked: Ints) -> list[str]:
    """The turns of each context, joined."""
    return [
        " ".join(pairs.texts[row] for row in rows if row >= 0) for rows in pairs.context[picked]
    ]
