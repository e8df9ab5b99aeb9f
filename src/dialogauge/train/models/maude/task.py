"""MaUdE and its family: tell a response that was given from one that was made worse.

Each text is encoded once, before the first epoch; the encoder stays as it is. (The paper tunes it;
the released code, under a flag that nobody saw, does not either.) What words the negatives are made
of is said in :mod:`.rows`, the networks in :mod:`.network`.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, logsigmoid

from ....metrics.maude import word_table
from ....metrics.ruber import VARIANTS
from ....metrics.vectors import shared
from ...data import Half, Material
from ...export import Example, export
from ...loop import Batches, on_device
from ...recipe import AtLeastOne, Count, Recipe, Share
from ...replies import one_each
from ...vectors import Side, passport, reading, sides, standardise
from ...writers import translator
from .. import Encode
from . import rows
from .network import NETWORKS, Kind, Shape


class Settings(Shape, frozen=True, forbid_unknown_fields=True):
    """How the network looks and what it must tell apart."""

    network: Kind = "maude"
    turns: AtLeastOne = 8  # of context; the paper has no limit: name a large number
    policy: rows.Policy = "all"
    mispaired: bool = False  # negatives after other rows' contexts, as in the released code
    positives: Share = 0.5  # what they weigh together; 0: each response the same, as in the paper
    translator: str = ""  # "apertium", or two models "THERE,BACK": back-translations
    language_model: str = ""  # "smollm2" or a folder: generated negatives
    replies: Count = 0  # how many are generated, at most 20,000
    exam: AtLeastOne = 2000  # validation rows at most
    blend: Literal["", "min", "max", "mean", "geometric"] = ""  # with likeness to a reference

    def __post_init__(self) -> None:
        if self.blend and self.network not in VARIANTS:
            blended = " or ".join(VARIANTS)
            raise ValueError(f"the network {self.network!r} has no blend (name {blended})")


class Inputs(NamedTuple):
    """A batch of contexts and of what may have been said after each: positives, then negatives."""

    context: Tensor  # (batch, turns, width)
    mask: Tensor  # (batch, turns)
    response: Tensor  # (batch, positives + negatives, width)
    there: Tensor  # (batch, positives + negatives): 0 where there is no such response


class Discrimination:
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
        self.kinds = rows.NEGATIVE[settings.policy]
        self.reads = NETWORKS[settings.network].reads
        read: Callable[[Sequence[str]], NDArray[Any]]
        if self.reads == "words":
            read = partial(word_table, shared(recipe.backbone.name))
        else:
            read = reading(recipe.backbone, work, encode, settings.pooling)
        self.train, self.valid = sides(material, lambda half: self._rows(material, half), read)
        self.width = self.train.table.shape[1]
        shape = msgspec.structs.replace(settings, beside=min(settings.beside, settings.turns))
        self.network = NETWORKS[settings.network](self.width, shape)
        standardise(self.network, self.train.table)

    def batches(self, rng: np.random.Generator) -> Sequence[Any]:
        """Random batches of rows with their negatives."""
        size = self.recipe.optimisation.batch_size
        drawn = rows.batches(self.train.rows, self.kinds, size, rng)
        return Batches(drawn, lambda batch: self._inputs(self.train, batch))

    def loss(self, batch: Inputs) -> Tensor:
        """Cross-entropy over positives and negatives."""
        return self._loss(self._logits(batch, self.settings.mispaired), batch.there)

    def validate(self) -> dict[str, float]:
        """The log-likelihood on held dialogues, and by how much each kind is below the truth."""
        if self.valid is None:
            return {}
        rng = np.random.default_rng(0)  # always the same exam
        exam = rows.batches(self.valid.rows, self.kinds, self.settings.exam, rng)[0]
        batch = on_device(self._inputs(self.valid, exam), self.network)
        logits = self._logits(batch, mispaired=False)
        gold = logits[:, 0].sigmoid()
        likelihood = -float(self._loss(logits, batch.there))
        measures = {"log-likelihood": likelihood, "gold": float(gold.mean())}
        for at, kind in enumerate((*rows.POSITIVE, *self.kinds)):
            shown = batch.there[:, at] > 0
            if at and shown.any():
                measures[f"delta {kind}"] = float((gold - logits[:, at].sigmoid())[shown].mean())
        return measures

    def export(self, folder: Path) -> float:
        """A metric: ``table``, ``context``, ``mask``, ``response`` -> ``score``."""
        row = {0: "rows"}
        inputs = {"table": {0: "texts"}, "context": row, "mask": row, "response": row}
        config = {
            **_kind(self.settings),
            "reads": self.reads,
            **passport(self.recipe.backbone),
            "pooling": self.settings.pooling,
            "turns": self.settings.turns,
            "width": self.width,
        }
        return export(self.network, folder, self._examples(), inputs, {"score": row}, config)

    def _rows(self, material: Material, half: Half) -> rows.Exchanges:
        settings, seed, dialogues = self.settings, self.recipe.seed, material.dialogues(half)
        # A quarter as many to validate with: each takes a second or two.
        replies = settings.replies if half == "train" else settings.replies // 4
        sources = rows.Sources(
            translate=translator(settings.translator) if settings.translator else None,
            generated=one_each(dialogues, settings.language_model, replies, seed),
            broken=settings.policy != "semantics",
            joined=self.reads != "turns",
            corpora=material.origins(half),
        )
        return rows.make(dialogues, settings.turns, sources, seed)

    def _inputs(self, side: Side[rows.Exchanges], batch: rows.Batch) -> Inputs:
        windows = side.rows.context if self.reads == "turns" else side.rows.joined
        responses = np.concatenate([batch.positive, batch.negative], 1)
        return Inputs(*side.masked(windows[batch.rows]), *side.masked(responses))

    def _logits(self, batch: Inputs, mispaired: bool) -> Tensor:
        """(batch, positives + negatives)."""
        context = self.network.context(batch.context, batch.mask)
        response = self.network.response(batch.response)
        beside = context[:, None, :].expand(-1, response.shape[1], -1)
        if mispaired:
            count = len(rows.POSITIVE)
            others = rows.mispaired(len(context), response.shape[1] - count)
            beside = torch.cat([beside[:, :count], context[torch.from_numpy(others)]], 1)
        return self.network.logit(beside, response)

    def _loss(self, logits: Tensor, there: Tensor) -> Tensor:
        count = len(rows.POSITIVE)
        positive, negative = logits[:, :count], logits[:, count:]
        ones = torch.ones_like(positive)
        good = binary_cross_entropy_with_logits(positive, ones, reduction="none")
        bad = -logsigmoid(-negative)
        if share := self.settings.positives:
            return _mean(good, there[:, :count], share) + _mean(bad, there[:, count:], 1 - share)
        return _mean(torch.cat([good, bad], 1), there)

    def _examples(self) -> list[Example]:
        rng = np.random.default_rng(0)
        turns = self.settings.turns if self.reads == "turns" else 1

        def example(texts: int, count: int) -> Example:
            table = self.train.table[rng.integers(0, len(self.train.table), texts)]
            there = rng.integers(1, turns + 1, (count, 1)) + np.arange(turns) >= turns
            return {
                "table": np.asarray(table),
                "context": rng.integers(0, texts, (count, turns)),
                "mask": there.astype(np.float32),
                "response": rng.integers(0, texts, count),
            }

        return [example(*sizes) for sizes in ((3, 2), (1, 1), (9, 5), (40, 64))]


def _mean(losses: Tensor, there: Tensor, weight: float = 1.0) -> Tensor:
    """The mean of those that are there, weighted; 0 where none is."""
    return weight * (losses * there).sum() / there.sum().clamp(min=1)


def _kind(settings: Settings) -> dict[str, str]:
    """What a folder says it is: the network alone, or its blend with likeness to a reference."""
    if not settings.blend:
        return {"metric": settings.network}
    metric = VARIANTS[settings.network].metric
    return {"metric": metric, "network": settings.network, "blend": settings.blend}


build = Discrimination
