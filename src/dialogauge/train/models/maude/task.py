"""MaUdE and its family: tell a response that was given from one that was made worse.

Each text is encoded once, before the first epoch; the encoder stays as it is. (The paper tunes it;
the released code, under a flag that nobody saw, does not either.) What words the negatives are made
of is said in :mod:`..nce`, the networks in :mod:`..unreferenced`.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, logsigmoid

from ....dialogue import Dialogue
from ....encode.encoder import POOLINGS, Pooling
from ....errors import InputError
from ....manipulate.manipulation import seeded
from ....metrics.maude import word_table
from ....metrics.ruber import VARIANTS
from ....metrics.vectors import shared
from ... import causal
from ...data import Material
from ...export import Example, export, write_json
from ...frozen import Encode, cached, encoder
from ...generated import LIMIT, Generated
from ...named import translator
from ...recipe import AtLeastOne, Count, Recipe, Share
from ..relevance.network import MANY
from . import rows as nce
from .network import NETWORKS, READS, Kind, Maude, Nli, Shape
from .rows import Batch, Ints, Policy, Rows


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the network looks and what it must tell apart."""

    network: Kind = "maude"
    turns: AtLeastOne = 8  # of context; the paper has no limit: name a large number
    policy: Policy = "all"
    pooling: Pooling = "mean"  # what is read of an utterance; "texture" sees repeated words
    narrow: AtLeastOne = 300
    hidden: AtLeastOne = 150  # of the LSTM, in each direction
    layer: AtLeastOne = 200
    dropout: Share = 0.2
    absolute: bool = False  # |c-r| as in the released code; the paper: c-r
    one_way: bool = False  # LSTM one way as in the released code; the paper: both ways
    beside: Count = 2  # last turns that the response is compared with directly; the paper: none
    mispaired: bool = False  # negatives after other rows' contexts, as in the released code
    positives: Share = 0.5  # what they weigh together; 0: each response the same, as in the paper
    translator: str = ""  # "apertium", or two models "THERE,BACK": back-translations
    language_model: str = ""  # "smollm2" or a folder: generated negatives
    replies: Count = 0  # how many are generated, at most 20,000
    exam: AtLeastOne = 2000  # validation rows at most
    blend: Literal["", "min", "max", "mean", "geometric"] = ""  # with likeness to a reference

    def __post_init__(self) -> None:
        if self.blend and self.network not in VARIANTS:
            known = " or ".join(VARIANTS)
            raise ValueError(f"the network {self.network!r} has no blend (name {known})")


class Contrast:
    """The task."""

    def __init__(
        self, recipe: Recipe, settings: Settings, material: Material, encode: Encode, cache: Path
    ) -> None:
        self.recipe, self.settings = recipe, settings
        self.kinds = nce.NEGATIVE[settings.policy]
        self.reads = READS[settings.network]
        self.train = self._rows(material.train, material.origins("train"), settings.replies)
        # A quarter as many to validate with: each takes a second or two.
        self.valid = (
            self._rows(material.valid, material.origins("valid"), settings.replies // 4)
            if material.valid
            else None
        )
        look = self._look(encode, cache)
        self.table = look(self.train.texts)
        self.valid_table = look(self.valid.texts) if self.valid else None
        shape = Shape(
            settings.narrow,
            settings.hidden,
            settings.layer,
            settings.dropout,
            settings.absolute,
            settings.one_way,
            min(settings.beside, settings.turns),
            0 if self.reads == "words" else self.table.shape[1] // POOLINGS[settings.pooling].parts,
        )
        self.network = NETWORKS[settings.network](self.table.shape[1], shape)
        if isinstance(self.network, Maude | Nli):
            self.network.standard.fit(torch.from_numpy(np.array(self.table[:MANY])))
        self._exam = self._fixed_exam()

    def batches(self, rng: np.random.Generator) -> list[Batch]:
        """Random batches of rows with their negatives."""
        size = self.recipe.optimisation.batch_size
        return nce.batches(self.train, self.kinds, size, rng, nce.POSITIVE)

    def loss(self, batch: Batch) -> Tensor:
        """Cross-entropy over positives and negatives."""
        positive, negative = self._logits(self.train, self.table, batch, self.settings.mispaired)
        return self._loss(positive, negative, batch)

    def validate(self) -> dict[str, float]:
        """The log-likelihood on held dialogues, and by how much each kind is below the truth."""
        if self.valid is None or self.valid_table is None or self._exam is None:
            return {}
        positive, negative = self._logits(self.valid, self.valid_table, self._exam, False)
        found = {"log-likelihood": -float(self._loss(positive, negative, self._exam))}
        gold = positive[:, 0].sigmoid()
        found["gold"] = float(gold.mean())
        columns = [(nce.POSITIVE[1], positive[:, 1], self._exam.positive[:, 1])]
        columns += [
            (kind, negative[:, at], self._exam.negative[:, at])
            for at, kind in enumerate(self.kinds)
        ]
        for kind, logits, there in columns:
            shown = torch.from_numpy(there >= 0)
            if shown.any():
                found[f"delta {kind}"] = float((gold - logits.sigmoid())[shown].mean())
        return found

    def export(self, folder: Path) -> float:
        """A metric: ``table``, ``context``, ``mask``, ``response`` -> ``score``."""
        rows = {0: "rows"}
        difference = export(
            self.network,
            folder,
            self._examples(),
            {"table": {0: "texts"}, "context": rows, "mask": rows, "response": rows},
            {"score": rows},
        )
        config = {
            **_kind(self.settings),
            "reads": self.reads,
            "encoder": self.recipe.backbone.name,
            "pooling": self.settings.pooling,
            "turns": self.settings.turns,
            "width": self.table.shape[1],
        }
        write_json(folder / "config.json", config)
        return difference

    def _logits(
        self, rows: Rows, table: NDArray[Any], batch: Batch, mispaired: bool
    ) -> tuple[Tensor, Tensor]:
        """(batch, positives), (batch, negatives)."""
        places = rows.context[batch.rows] if self.reads == "turns" else rows.joined[batch.rows]
        mask = torch.from_numpy((places >= 0).astype(np.float32))
        context = self.network.context(self._take(table, places), mask)
        both = np.concatenate([batch.positive, batch.negative], 1)
        response = self.network.response(self._take(table, both))
        count = batch.positive.shape[1]
        beside = context[:, None, :].expand(-1, both.shape[1], -1)
        if mispaired:
            others = torch.from_numpy(nce.mispaired(len(batch.rows), batch.negative.shape[1]))
            beside = torch.cat([beside[:, :count], context[others]], 1)
        logits = self.network.logit(beside, response)
        return logits[:, :count], logits[:, count:]

    def _loss(self, positive: Tensor, negative: Tensor, batch: Batch) -> Tensor:
        there = [torch.from_numpy(each >= 0).float() for each in (batch.positive, batch.negative)]
        good = binary_cross_entropy_with_logits(
            positive, torch.ones_like(positive), reduction="none"
        )
        bad = -logsigmoid(-negative)
        if share := self.settings.positives:
            return sum(
                weight * (loss * shown).sum() / shown.sum().clamp(min=1)
                for weight, loss, shown in zip((share, 1 - share), (good, bad), there, strict=True)
            )
        shown = torch.cat(there, 1)
        return (torch.cat([good, bad], 1) * shown).sum() / shown.sum().clamp(min=1)

    def _take(self, table: NDArray[Any], places: Ints) -> Tensor:
        return torch.from_numpy(np.asarray(table[np.maximum(places, 0)]))

    def _rows(self, dialogues: Sequence[Dialogue], corpora: Sequence[int], replies: int) -> Rows:
        settings, seed = self.settings, self.recipe.seed
        sources = nce.Sources(
            translate=translator(settings.translator) if settings.translator else None,
            generated=generated(dialogues, settings.language_model, replies, seed),
            broken=settings.policy != "semantics",
            joined=self.reads != "turns",
            corpora=corpora,
        )
        return nce.make(dialogues, settings.turns, sources, seed)

    def _look(self, encode: Encode, cache: Path) -> Callable[[Sequence[str]], NDArray[Any]]:
        if self.reads != "words":
            name = f"{self.recipe.backbone.name}|{self.settings.pooling}"
            return lambda texts: cached(encode, texts, name, cache)
        return lambda texts: word_table(shared(self.recipe.backbone.name), texts)

    def _fixed_exam(self) -> Batch | None:
        """Always the same validation rows and negatives."""
        if self.valid is None:
            return None
        rng = np.random.default_rng(0)
        return nce.batches(self.valid, self.kinds, self.settings.exam, rng, nce.POSITIVE)[0]

    def _examples(self) -> list[Example]:
        rng = np.random.default_rng(0)
        turns = self.settings.turns if self.reads == "turns" else 1

        def example(texts: int, rows: int) -> Example:
            table = self.table[rng.integers(0, len(self.table), texts)]
            there = rng.integers(1, turns + 1, (rows, 1)) + np.arange(turns) >= turns
            return {
                "table": torch.from_numpy(np.asarray(table)),
                "context": torch.from_numpy(rng.integers(0, texts, (rows, turns))),
                "mask": torch.from_numpy(there.astype(np.float32)),
                "response": torch.from_numpy(rng.integers(0, texts, rows)),
            }

        return [example(*sizes) for sizes in ((3, 2), (1, 1), (9, 5), (40, 64))]


def _kind(settings: Settings) -> dict[str, str]:
    """What a folder says it is: the network alone, or its blend with likeness to a reference."""
    if not settings.blend:
        return {"metric": settings.network}
    metric = VARIANTS[settings.network].metric
    return {"metric": metric, "network": settings.network, "blend": settings.blend}


def generated(
    dialogues: Sequence[Dialogue], model: str, count: int, seed: int
) -> dict[tuple[int, int], str]:
    """What a language model says at one place of each of some dialogues."""
    wanted = min(count, LIMIT)
    if not model or not wanted:
        return {}
    long = [number for number, dialogue in enumerate(dialogues) if len(dialogue.turns) > 1]
    chosen = sorted(long, key=lambda at: seeded(seed, dialogues[at].id).random())[:wanted]
    places = [(at, _answer(dialogues[at], seed)) for at in chosen]
    contexts = [[turn.text for turn in dialogues[at].turns[:place]] for at, place in places]
    replies = store(model).replies(contexts, seed)
    return {place: text for place, text in zip(places, replies, strict=True) if text.strip()}


def store(name: str) -> Generated:
    """The replies of a language model that are kept, and will be."""
    from ....corpora.files import cache_folder

    if name == causal.NAME and not causal.available():
        raise InputError("smollm2 is not installed", field="settings.language_model")
    path = cache_folder() / "generated" / f"{Path(name).name}.jsonl"
    return Generated(path, lambda: causal.load(name), name, SHORT)


#: Short answers to the last turn alone: on a CPU a reply takes as long as all that is read for it.
SHORT = causal.Sampling(turns=1, max_tokens=24)


def _answer(dialogue: Dialogue, seed: int) -> int:
    return seeded(seed, "reply", dialogue.id).randrange(1, len(dialogue.turns))


def build(
    recipe: Recipe, settings: Settings, material: Material, work: Path, encode: Encode | None
) -> Contrast:
    """The task on a recipe's dialogues; ``encode`` stands in for the recipe's encoder."""
    encode = encode or encoder(recipe.backbone, settings.pooling)
    return Contrast(recipe, settings, material, encode, work)
