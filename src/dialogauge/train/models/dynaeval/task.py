"""DynaEval and S-DiCoh: score a dialogue above the same dialogue made worse.

The worse ones are drawn from any mixture of :mod:`dialogauge.manipulate`, each distinct one once
(a dialogue of four turns has two orders of one speaker's turns, not twenty). Every utterance is
encoded once, before the first epoch, and a dialogue is then a row of numbers: what costs the
released code 6.7 million encodings an epoch costs none.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import numpy as np
import torch
from msgspec import Meta
from numpy.typing import NDArray
from torch import Tensor, nn

from ....contrast import Contrast, Drawing, contrasts
from ....dialogue import Dialogue
from ....errors import DialogaugeError
from ....manipulate.mixtures import mixed
from ....manipulate.pool import Pool
from ....metrics.dynaeval import Rows, rows_of
from ...data import Material
from ...export import Example, export, export_onnx, write_json
from ...frozen import Encode, cached, encoder
from ...recipe import AtLeastOne, Count, Positive, Recipe, Share
from ..relevance.network import MANY
from ..relevance.rows import Ints, Vectors
from .network import DynaEval, Network, Pooling, SDiCoh, Shape

NETWORKS: dict[str, type[Network]] = {"dynaeval": DynaEval, "s-dicoh": SDiCoh}


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the network looks and what it must tell apart."""

    network: Literal["dynaeval", "s-dicoh"] = "dynaeval"
    worse: tuple[str, ...] = ("replace-turn", "shuffle-speaker")  # manipulations or mixtures
    pairs: AtLeastOne = 20  # worse dialogues for each, at most
    each: AtLeastOne = 20  # of them in one epoch, others in the next
    shortest: Annotated[int, Meta(ge=2)] = 4  # turns of a dialogue, at least and at most
    longest: Annotated[int, Meta(ge=2)] = 30
    margin: Positive = 1.0  # the released code: 0.1
    narrow: AtLeastOne = 300
    hidden: AtLeastOne = 150
    window: Count = 4
    dropout: Share = 0.5
    pooling: Pooling = "mean"
    outgoing: bool = False  # see dialogue_graph.Shape: the released code's variants
    plain: bool = False
    shared_self: bool = False
    beside: Count = 2  # turns before it that a turn is compared with; the papers: none
    exam: AtLeastOne = 2000  # validation pairs at most


class Pairs(msgspec.Struct, frozen=True):
    """Dialogues as rows of texts, and which of them is better than which."""

    texts: tuple[str, ...]
    rows: Rows
    better: Ints  # (pairs,)
    worse: Ints  # (pairs,)
    causes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.better)


class Ranking:
    """The task."""

    def __init__(
        self, recipe: Recipe, settings: Settings, material: Material, encode: Encode, cache: Path
    ) -> None:
        self.recipe, self.settings = recipe, settings
        self.train = self._pairs(material.train, material.origins("train"))
        self.valid = (
            self._pairs(material.valid, material.origins("valid")) if material.valid else None
        )
        name = recipe.backbone.name
        self.vectors = cached(encode, self.train.texts, name, cache)
        self.valid_vectors = cached(encode, self.valid.texts, name, cache) if self.valid else None
        shape = Shape(
            settings.narrow,
            settings.hidden,
            settings.window,
            settings.dropout,
            settings.pooling,
            settings.outgoing,
            settings.plain,
            settings.beside,
            settings.shared_self,
        )
        self.network = NETWORKS[settings.network](self.vectors.shape[1], shape)
        self.network.read.standard.fit(torch.from_numpy(np.array(self.vectors[:MANY])))

    def batches(self, rng: np.random.Generator) -> list[Ints]:
        """Random batches of pairs: those of one dialogue together, then those of one length.

        A dialogue goes through the network once for all of its pairs in a batch.
        """
        size = self.recipe.optimisation.batch_size
        chosen = _some(self.train.better, self.settings.each, rng)
        better = self.train.better[chosen]
        place = rng.permutation(int(better.max()) + 1)[better]
        order = chosen[np.lexsort((place, self.train.rows.length[better]))]
        cuts = [order[start : start + size] for start in range(0, len(order), size)]
        return [cuts[at] for at in rng.permutation(len(cuts))]

    def loss(self, batch: Ints) -> Tensor:
        """By how much the worse one is not yet a margin below."""
        better, worse = self._scores(self.train, self.vectors, batch)
        return (self.settings.margin - (better - worse)).relu().mean()

    def validate(self) -> dict[str, float]:
        """How often the better one scores higher, on held dialogues; by cause."""
        if self.valid is None or self.valid_vectors is None:
            return {}
        rng = np.random.default_rng(0)  # always the same exam
        picked = rng.permutation(len(self.valid))[: self.settings.exam]
        won = np.concatenate(
            [
                _won(*self._scores(self.valid, self.valid_vectors, picked[start : start + 256]))
                for start in range(0, len(picked), 256)
            ]
        )
        causes = np.array(self.valid.causes)[picked]
        found = {"accuracy": float(won.mean())}
        return found | {cause: float(won[causes == cause].mean()) for cause in np.unique(causes)}

    def export(self, folder: Path) -> float:
        """A metric of two steps: each turn beside those before it, and rows of them."""
        rows = {0: "rows", 1: "turns"}
        read = export_onnx(
            Reading(self.network),
            folder / "reader.onnx",
            self._turns(),
            {"table": {0: "texts"}, "turns": {0: "turns"}},
            {"heard": {0: "turns"}},
        )
        judged = export(
            Judging(self.network),
            folder,
            self._rows(),
            {"heard": {0: "read"}, "turns": rows, "speakers": rows, "mask": rows},
            {"score": {0: "rows"}},
        )
        config = {
            "metric": self.settings.network,
            "encoder": self.recipe.backbone.name,
            "width": self.vectors.shape[1],
            "beside": self.settings.beside,
        }
        write_json(folder / "config.json", config)
        return max(read, judged)

    def _scores(self, pairs: Pairs, vectors: Vectors, batch: Ints) -> tuple[Tensor, Tensor]:
        """The scores of both sides; each dialogue goes through the network once."""
        both = np.concatenate([pairs.better[batch], pairs.worse[batch]])
        distinct, places = np.unique(both, return_inverse=True)
        length = int(pairs.rows.length[distinct].max())
        turns = pairs.rows.turns[distinct, :length]
        mask = torch.from_numpy((turns >= 0).astype(np.float32))
        speakers = torch.from_numpy(pairs.rows.speakers[distinct, :length].astype(np.float32))
        said = torch.from_numpy(np.asarray(vectors[np.maximum(turns, 0)]))
        found = self.network(said, speakers, mask)
        scores = found[torch.from_numpy(places)]
        return scores[: len(batch)], scores[len(batch) :]

    def _pairs(self, dialogues: Sequence[Dialogue], origins: Sequence[int]) -> Pairs:
        """Foreign turns come from the same corpus: those of another are told by their style."""
        found = []
        for origin in dict.fromkeys(origins):
            spoken = [
                each.spoken for each, its in zip(dialogues, origins, strict=True) if its == origin
            ]
            found += self._made_worse(spoken)
        if not found:
            raise DialogaugeError("no dialogue can be made worse: there is nothing to learn")
        return pairs(found)

    def _made_worse(self, dialogues: Sequence[Dialogue]) -> list[Contrast]:
        its = self.settings
        fitting = [each for each in dialogues if its.shortest <= len(each.turns) <= its.longest]
        drawing = Drawing(its.pairs, self.recipe.seed, apart=False)
        return list(contrasts(fitting, mixed(its.worse), Pool(fitting), drawing))

    def _turns(self) -> list[Example]:
        rng, beside = np.random.default_rng(0), self.settings.beside

        def example(texts: int, turns: int) -> Example:
            table = np.array(self.vectors[rng.integers(0, len(self.vectors), texts)])
            table[0] = 0
            places = rng.integers(0, texts, (turns, 1 + beside))
            return {"table": torch.from_numpy(table), "turns": torch.from_numpy(places)}

        return [example(*sizes) for sizes in ((5, 8), (2, 1), (9, 200))]

    def _rows(self) -> list[Example]:
        rng = np.random.default_rng(0)

        def example(read: int, rows: int, turns: int) -> Example:
            length = rng.integers(1, turns + 1, rows)
            length[0] = turns
            there = np.arange(turns) < length[:, None]
            heard = rng.normal(size=(read, self.settings.narrow)).astype(np.float32)
            return {
                "heard": torch.from_numpy(heard),
                "turns": torch.from_numpy(rng.integers(0, read, (rows, turns))),
                "speakers": torch.from_numpy(rng.integers(0, 3, (rows, turns)).astype(np.float32)),
                "mask": torch.from_numpy(there.astype(np.float32)),
            }

        return [example(*sizes) for sizes in ((5, 3, 4), (1, 1, 1), (9, 5, 12), (40, 64, 7))]


class Reading(nn.Module):
    """The first step as it is exported: turns of a table, beside those before them."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, table: Tensor, turns: Tensor) -> Tensor:
        """(texts, width), (turns, 1 + beside) -> (turns, narrow)."""
        said, *before = table[turns].unbind(1)
        return self.network.heard(said, before)


class Judging(nn.Module):
    """The second step: rows of what was read."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, heard: Tensor, turns: Tensor, speakers: Tensor, mask: Tensor) -> Tensor:
        """(read, narrow), three times (rows, turns) -> (rows,)."""
        return self.network.judged(heard[turns], speakers, mask)


def pairs(found: Sequence[Contrast]) -> Pairs:
    """Contrasts as rows of numbers; a dialogue that occurs often is one row."""
    place: dict[Dialogue, int] = {}
    better = [place.setdefault(each.better, len(place)) for each in found]
    worse = [place.setdefault(each.worse, len(place)) for each in found]
    texts, rows = rows_of(list(place))
    causes = tuple(each.cause for each in found)
    return Pairs(texts, rows, np.array(better), np.array(worse), causes)


def _some(groups: Ints, most: int, rng: np.random.Generator) -> Ints:
    """Random places, at most so many of each group.

    >>> found = _some(np.array([5, 5, 5, 7]), 2, np.random.default_rng(0))
    >>> sorted(np.array([5, 5, 5, 7])[found].tolist())
    [5, 5, 7]
    """
    places = rng.permutation(len(groups))
    places = places[np.argsort(groups[places], kind="stable")]
    ordered = groups[places]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    rank = np.arange(len(places)) - np.repeat(starts, np.diff([*starts, len(places)]))
    return places[rank < most]


def _won(better: Tensor, worse: Tensor) -> NDArray[np.float64]:
    """1 where the better one scores higher, one half for a tie."""
    won: NDArray[np.float64] = (
        (better > worse).double() + 0.5 * (better == worse).double()
    ).numpy()
    return won


def build(
    recipe: Recipe, settings: Settings, material: Material, work: Path, encode: Encode | None
) -> Ranking:
    """The task on a recipe's dialogues; ``encode`` stands in for the recipe's encoder."""
    return Ranking(recipe, settings, material, encode or encoder(recipe.backbone), work)
