"""Masked-language adaptation: an encoder reads conversations and fills gaps, as in the papers.

Of the tokens 15 % are to be guessed: 80 % of these are masked, 10 % replaced by a random token and
10 % left as they are (BERT's shares).
"""

from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
import torch
from msgspec import Meta
from torch import Tensor, nn
from torch.nn import functional

from ....dialogue import Dialogue
from ....errors import DialogaugeError
from ...data import Material
from ...export import export_encoder
from ...recipe import AtLeastOne, Recipe
from .network import Backbone, load, special

Ignored = -100


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the text is cut and how much of it is hidden."""

    turns: AtLeastOne = 4  # neighbouring turns that make one text
    masked: Annotated[float, Meta(gt=0, lt=1)] = 0.15
    exam: Annotated[int, Meta(ge=1)] = 500  # validation texts at most


class Batch(msgspec.Struct, frozen=True):
    """Which texts, and the seed of what is hidden in them."""

    texts: tuple[str, ...]
    seed: int


class MaskedLanguage:
    """The task."""

    def __init__(
        self, recipe: Recipe, settings: Settings, material: Material, backbone: Backbone
    ) -> None:
        self.recipe, self.settings, self.backbone = recipe, settings, backbone
        self.network: nn.Module = backbone.model
        self.mask = special(backbone.tokenizer, "[MASK]", "<mask>")
        self.train = windows(material.train, settings.turns)
        self.valid = windows(material.valid, settings.turns)[: settings.exam]
        if not self.train:
            raise DialogaugeError("there is no dialogue to learn from")

    def batches(self, rng: np.random.Generator) -> list[Batch]:
        """Random batches of texts."""
        size = self.recipe.optimisation.batch_size
        order = rng.permutation(len(self.train))
        cuts = [order[start : start + size] for start in range(0, len(order), size)]
        return [
            Batch(tuple(self.train[row] for row in cut), int(rng.integers(2**31))) for cut in cuts
        ]

    def loss(self, batch: Batch) -> Tensor:
        """Cross-entropy of the hidden tokens."""
        logits, labels = self._guess(batch)
        return functional.cross_entropy(
            logits.float().flatten(0, 1), labels.flatten(), ignore_index=Ignored
        )

    def validate(self) -> dict[str, float]:
        """Mean log-likelihood of hidden tokens, and how many are guessed."""
        found = [self._marks(start) for start in range(0, len(self.valid), 32)]
        if not found:
            return {}
        likelihood, right, count = np.sum(found, axis=0)
        return {"log-likelihood": float(likelihood / count), "guessed": float(right / count)}

    def export(self, folder: Path) -> float:
        """An encoder, without the head that guessed."""
        return export_encoder(self.backbone, self.recipe.name, folder)

    def _marks(self, start: int) -> tuple[float, float, float]:
        """Log-likelihood, right guesses and number of the hidden tokens of 32 texts."""
        logits, labels = self._guess(Batch(tuple(self.valid[start : start + 32]), start))
        hidden = labels != Ignored
        chosen = logits[hidden].float().log_softmax(-1)
        truth = labels[hidden]
        likelihood = chosen.gather(1, truth[:, None]).sum()
        return float(likelihood), float((chosen.argmax(-1) == truth).sum()), float(hidden.sum())

    def _guess(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """(batch, tokens, vocabulary), (batch, tokens)."""
        ids, mask = self.backbone.tokens(batch.texts)
        shown, labels = hide(ids, mask, self.settings.masked, self.mask, batch.seed)
        return self.network(input_ids=shown, attention_mask=mask).logits, labels


def hide(ids: Tensor, mask: Tensor, share: float, mask_id: int, seed: int) -> tuple[Tensor, Tensor]:
    """Ids with some hidden, and labels that are ``Ignored`` where nothing is to be guessed.

    The first and the last token of a text are the tokenizer's own and stay; each text with a word
    has at least one token to guess.
    """
    rng = np.random.default_rng(seed)
    lengths = mask.sum(1).cpu().numpy()[:, None]
    place = np.arange(ids.shape[1])[None, :]
    inner = (place > 0) & (place < lengths - 1)
    draw = np.where(inner, rng.random(ids.shape), 2.0)
    picked = (draw < share) | (inner & (draw == draw.min(1, keepdims=True)))
    how = rng.random(ids.shape)
    words = ids.cpu().numpy()
    # a random token is one that stands somewhere in this batch, so that it is a likely one
    random = rng.choice(words[inner], ids.shape) if inner.any() else words
    shown = np.where(picked & (how < 0.8), mask_id, words)
    shown = np.where(picked & (how >= 0.9), random, shown)
    labels = np.where(picked, words, Ignored)
    return torch.from_numpy(shown).to(ids.device), torch.from_numpy(labels).to(ids.device)


def windows(dialogues: tuple[Dialogue, ...], turns: int) -> list[str]:
    """Neighbouring turns, joined; each turn once."""
    return [
        " ".join(turn.text for turn in dialogue.turns[start : start + turns])
        for dialogue in dialogues
        for start in range(0, len(dialogue.turns), turns)
    ]


def build(
    recipe: Recipe, settings: Settings, material: Material, work: Path, encode: Any = None
) -> MaskedLanguage:
    """The task on a recipe's dialogues."""
    return MaskedLanguage(recipe, settings, material, load(recipe.backbone, masked=True))
