"""DCGEval and QuantiDCE, the second stage: people's scale, and nothing of the first forgotten.

The network of the first stage is both: the student that learns ratings, and the teacher whose
states, attentions and scores the student keeps (KD-MSE, Ye et al. 2021). The paper's own states
are the text's; here those of the graph's nodes are kept, too. The released split is by pairs, so
that four in five contexts that it validates with are learnt from; here it is by contexts.
"""

from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec
import numpy as np
import torch
from safetensors.torch import load_model
from torch import Tensor

from .... import corpora
from ....dialogue import Dialogue
from ....errors import InputError
from ....metrics.dcgeval import Line, padded_lines
from ....models import fingerprint, open_folder
from ...card import Section
from ...data import Source as Origin
from ...loop import Batches, on_device
from ...losses import distilled, graded
from ...recipe import Positive, Recipe, Share, read
from ...recipe import settings as settings_of
from .. import Encode
from .batch import tensors
from .exam import Exam, made
from .levels import Settings as First
from .model import Model
from .network import Inputs, Inside

NOTES = """\
- For research only: it was taught by DailyDialog (CC BY-NC-SA 4.0), by what people wrote for
  DailyDialog++ and by people's ratings of DailyDialog-GRADE (no licence stated).
- English small talk of two. What it misses is in docs/reproductions/dcgeval.md.
"""

_BEGUN = """\
It went on from the first stage in `{folder}` ({sealed}), whose card says what that read.
"""
_SHARE_TEXT = """\
{count} rated responses were dropped because they share two adjacent turns or a long turn with a
test set; what they share with other tuning sets, which are from DailyDialog, too, is not taken out.
"""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where it begins, what people rated, and how much the teacher counts."""

    begin: str = ""  # the folder of a first stage
    corpus: str = "dailydialog-grade"
    aspect: str = "coherence"
    held: Share = 0.15  # of the contexts
    keep: Positive = 5.0
    int8: bool = True


class Graded(msgspec.Struct, frozen=True):
    """Rated responses to learn from and to validate with."""

    train: tuple[Dialogue, ...]
    valid: tuple[Dialogue, ...]
    sources: tuple[Origin, ...]
    unit: str = "responses"
    dropped: int = 0  # because they share text with a test set


def gather(recipe: Recipe, settings: Settings) -> Graded:
    """The rated responses, parted by context."""
    corpus = corpora.info(settings.corpus)
    if corpus.role == "test":
        problem = f"{settings.corpus} is a test set and is never trained on"
        raise InputError(problem, field="settings.corpus", remedy="name a tuning set")
    if settings.aspect not in corpus.aspects:
        problem = f"{settings.corpus} is not rated for {settings.aspect}"
        raise InputError(problem, field="settings.aspect", remedy=", ".join(corpus.aspects))
    whole = [item for item in corpora.load(settings.corpus) if len(item.turns) > 1]
    tests = (name for name in corpora.held_out() if corpora.info(name).role == "test")
    items, _ = corpora.decontaminate(whole, {name: corpora.load(name) for name in tests})
    keys = sorted({item.context_key for item in items})
    count = round(settings.held * len(keys))
    held = set(Random(recipe.seed).sample(keys, count))  # noqa: S311  (no secret)
    valid = tuple(item for item in items if item.context_key in held)
    train = tuple(item for item in items if item.context_key not in held)
    if not train or not valid:
        problem = f"{settings.corpus} has too few rated responses to part them"
        raise InputError(problem, field="settings.held", remedy="hold more, or name another set")
    counts = (len(whole), len(train), len(valid))
    origin = Origin(corpus.name, corpus.licence, *counts)
    return Graded(train, valid, (origin,), dropped=len(whole) - len(items))


class Rated(NamedTuple):
    """Responses and what people said of them, 1 to 5."""

    given: Inputs
    people: Tensor


class Grading:
    """The task."""

    def __init__(
        self,
        recipe: Recipe,
        settings: Settings,
        material: Graded,
        work: Path,
        encode: Encode | None,
    ) -> None:
        self.recipe, self.settings = recipe, settings
        self.model = _begun(recipe, settings.begin)
        self.network = self.model.network
        self.teacher = deepcopy(self.network).eval().requires_grad_(False)
        self.train, self.valid = (
            list(zip(made(self.model, items, work), self._people(items), strict=True))
            for items in (material.train, material.valid)
        )
        self.exam = Exam(self.model, work, apart=(settings.corpus,))
        sealed = fingerprint(open_folder(settings.begin), ["model.onnx"])
        begun = _BEGUN.format(folder=settings.begin, sealed=sealed)
        self.sections: tuple[Section, ...] = (
            Section("Begun", begun),
            Section("Shared text", _SHARE_TEXT.format(count=material.dropped)),
        )

    def _people(self, items: Sequence[Dialogue]) -> list[float]:
        return [float(np.nanmean(item.ratings[self.settings.aspect])) for item in items]

    def batches(self, rng: np.random.Generator) -> Sequence[Any]:
        """Random batches."""
        size, order = self.recipe.optimisation.batch_size, rng.permutation(len(self.train))
        cuts = [order[at : at + size].tolist() for at in range(0, len(order), size)]
        return Batches(cuts, lambda cut: _rated([self.train[at] for at in cut]))

    def loss(self, batch: Rated) -> Tensor:
        """KD-MSE."""
        own, taught = Inside([], [], []), Inside([], [], [])
        scores = self.network.read(batch.given, own).float().sigmoid()
        self.teacher.to(batch.people.device)
        with torch.no_grad():
            expected = self.teacher.read(batch.given, taught).float().sigmoid()
        kept = distilled(
            [*(each for some in own for each in some), scores],
            [*(each for some in taught for each in some), expected],
        )
        return graded(scores, batch.people) + self.settings.keep * kept

    def validate(self) -> dict[str, float]:
        """Less than nothing by as much as held ratings are missed; then what the exam says."""
        batch = on_device(_rated(self.valid), self.network)
        return {"held": -float(self.loss(batch)), **self.exam.measures(self.network)}

    def export(self, folder: Path) -> float:
        """Write the network."""
        lines = [line for line, _ in self.train[:64]]
        parity = self.model.export(folder, lines, self.settings.int8)
        self.sections += self.model.sections
        return parity


def _begun(recipe: Recipe, begin: str) -> Model:
    """The network of the first stage, read on the same backbone."""
    if not begin:
        remedy = "train one by recipes/dcgeval-levels.toml"
        raise InputError("no first stage is named", field="settings.begin", remedy=remedy)
    folder = open_folder(begin)
    first = read(folder / "recipe.json")
    if first.task != "levels":
        problem, remedy = f"{begin} is no first stage", "train one by recipes/dcgeval-levels.toml"
        raise InputError(problem, field="settings.begin", remedy=remedy)
    if first.backbone != recipe.backbone:
        remedy = f"write the [backbone] that {begin} began with"
        raise InputError("is not that of the first stage", field="backbone", remedy=remedy)
    how = settings_of(first, First)
    shape = msgspec.structs.replace(how.shape, dropout=0.0)  # or the student would not begin as it
    model = Model(recipe, shape, how.turns)
    load_model(model.network, folder / "model.safetensors")
    return model


def _rated(some: Sequence[tuple[Line, float]]) -> Rated:
    lines, people = zip(*some, strict=True)
    return Rated(tensors(padded_lines(lines)), torch.tensor(people, dtype=torch.float32))


build = Grading
