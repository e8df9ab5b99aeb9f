"""DCGEval and QuantiDCE, the first stage: responses of three levels ranked (MLR)."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from ....atomic import writing
from ....manipulate.manipulation import seeded
from ....metrics.vectors import shared
from ...card import Section
from ...data import Material
from ...loop import Batches
from ...losses import ranked
from ...recipe import AtLeastOne, Recipe
from ...vectors import passport
from .. import Encode
from .batch import Ranked, Source, packed, placed
from .exam import Exam
from .model import Model
from .network import Shape
from .rows import Context, Making, contexts, mined

NOTES = """\
- It was taught to rank responses by what programs made of conversations, not by what people wrote
  to mislead; what it misses is in docs/reproductions/dcgeval.md.
"""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the network looks, and what it learns from."""

    shape: Shape = Shape()
    turns: AtLeastOne = 4  # of a context that is scored
    making: Making = Making()
    each: AtLeastOne = 4  # responses of each level, drawn anew each time
    published: bool = False  # the loss as published, which is blind to a small wrong order
    int8: bool = True
    kept: str = ""  # a folder of what takes minutes to make, for several runs; none: the run's own


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
        work = Path(settings.kept) if settings.kept else work
        work.mkdir(parents=True, exist_ok=True)
        self.train = self._contexts(material, work)
        self.model = Model(recipe, settings.shape, settings.turns)
        self.network = self.model.network
        # What the second stage learns from does not choose.
        self.exam = Exam(self.model, work, apart=("dailydialog-grade",))
        texts = (text for each in self.train for text in (*each.good, *each.near, *_said(each)))
        self._source = Source(self.model.encoder, self.model.lines, texts, work)
        self.train = [each for each in self.train if self._heard(each)]
        self._others = sorted({text for each in self.train for text in each.good})
        self.sections: tuple[Section, ...] = ()

    def _contexts(self, material: Material, work: Path) -> list[Context]:
        """What is learnt from, mined once and kept."""
        found = contexts(material, self.settings.making, self.recipe.seed)
        read = passport(self.recipe.backbone)["encoder_hash"]
        key = msgspec.json.encode([self.settings.making, self.recipe.seed, read, found])
        path = work / f"contexts-{sha256(key).hexdigest()[:16]}.json"
        if not path.exists():

            def encode(texts: Sequence[str]) -> NDArray[np.float32]:  # not before processes forked
                return shared(self.recipe.backbone.name).vectors(texts)

            made = mined(found, self.settings.making, encode, self.recipe.seed)
            with writing(path) as file:
                file.write(msgspec.json.encode(made))
        return msgspec.json.decode(path.read_bytes(), type=list[Context])

    def _heard(self, context: Context) -> bool:
        """Whether anything was said before."""
        return any(map(self._source.says, _said(context)))

    def batches(self, rng: np.random.Generator) -> Sequence[Any]:
        """Random contexts of like length."""
        size = self.recipe.optimisation.batch_size
        length = np.array([sum(map(len, _said(each))) for each in self.train])
        order = np.lexsort((rng.permutation(len(length)), length // 25))
        cuts = [order[at : at + size] for at in range(0, len(order), size)]
        seeds = rng.integers(2**31, size=len(cuts))
        drawn = [(cuts[at], int(seeds[at])) for at in rng.permutation(len(cuts))]
        return Batches(drawn, lambda it: self._drawn(it[0].tolist(), seeded(it[1], "levels")))

    def _drawn(self, places: Sequence[int], rng: Random) -> Ranked:
        rows, counts = [], []
        for at in places:
            context = self.train[at]
            levels = [self._some(context.good, rng), self._some(context.near, rng)]
            levels.append(
                self._some(
                    rng.sample(self._others, min(2 * self.settings.each, len(self._others))),
                    rng,
                    apart=context.good,
                )
            )
            rows.append(self._source.lines(context, [text for own in levels for text in own]))
            counts.append([len(own) for own in levels])
        return Ranked(packed(rows), placed(counts))

    def _some(self, texts: Sequence[str], rng: Random, apart: Sequence[str] = ()) -> list[str]:
        fitting = [text for text in texts if self._source.says(text) and text not in apart]
        return rng.sample(fitting, min(self.settings.each, len(fitting)))

    def loss(self, batch: Ranked) -> Tensor:
        """MLR, as published or mended."""
        scores = self.network(*batch.given).float().sigmoid()
        there = (batch.places >= 0).to(scores.dtype)
        return ranked(scores[batch.places.clamp(min=0)], there, self.settings.published)

    def validate(self) -> dict[str, float]:
        """How often what people wrote is told apart, and agreement with people's ratings."""
        return self.exam.measures(self.network)

    def export(self, folder: Path) -> float:
        """Write the network."""
        lines = [
            line for each in self.train[:64] for line in self._source.lines(each, each.good[:1])
        ]
        parity = self.model.export(folder, lines, self.settings.int8)
        self.sections = self.model.sections
        return parity


def _said(context: Context) -> list[str]:
    return [text for _, text in context.turns]


build = Ranking
