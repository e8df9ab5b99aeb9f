"""A small encoder that learns how alike larger ones find what people say.

Larger encoders hear conversations better before anything is trained, and cost five times as much.
What a metric uses of an encoder is how alike it finds two texts, so that is what the student
learns: within a batch its cosines are brought near the teachers', and the order of a row of them
as a softmax (relational distillation, Park et al. 2019). Teachers read each text once; their
vectors are kept. Which step is best is asked of people's ratings (:mod:`~dialogauge.train.people`),
where the tuning sets are here.
"""

from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
import torch
from msgspec import Meta
from torch import Tensor, nn
from torch.nn import functional

from ....encode.batching import batches
from ....encode.encoder import Vectors
from ....errors import InputError
from ... import people
from ...backbone import Backbone, load
from ...card import Section
from ...data import Material
from ...loop import Batches, on_device
from ...pretrained import padded
from ...recipe import Chosen, Count, Positive, Recipe, Share
from ...vectors import cached, encoder
from .. import Encode
from . import rows
from .rows import Ints
from .task import NOTES, TEXTS, origin, sample, write

#: Tokens that are read together, of texts of similar length, so that little is padding.
_TOGETHER = 1024
#: Batches of held dialogues on which student and teachers are compared.
_EXAM = 16

Teachers = Annotated[tuple[str, ...], Meta(min_length=1)]


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who teaches, what is to be matched, and what of the student moves."""

    teachers: Teachers = ("base",)  # encoders, by name or folder
    temperature: Positive = 0.05  # of the softmax over a row of cosines
    order: Share = 1.0  # the weight of that softmax in the loss
    cosines: float = 10.0  # the weight of the squared differences of cosines
    neighbours: float = 0.0  # by how much those within a group count more: metrics ask for them
    projected: float = 0.0  # the weight of the vectors themselves, through a learnt projection
    mean: Count = 0  # weights are averaged over about so many steps, which wander less; 0: not
    keep: Count = 0  # the first layers that the student keeps; 0: all
    still: Count = 0  # the first layers that do not move, and the word vectors with them
    people: bool = True  # select by people's ratings; else by likeness to the teachers
    int8: bool = True
    texts: str = "self-dialogue"  # to calibrate the int8 form and to measure it on


class Inputs(NamedTuple):
    """A batch: tokens in parts of similar length, and what the teachers say of all pairs."""

    tokens: tuple[tuple[Tensor, Tensor], ...]
    likeness: Tensor  # (texts, texts)
    neighbours: Tensor  # (texts, texts), 1 for two texts of one group
    vectors: Tensor  # (texts, width of the first teacher)


class _Student(nn.Module):
    """The encoder that learns, its mean over the last steps, and a projection for the loss alone.

    The mean is what is validated and exported. It starts where the encoder starts, so that early
    on it is the better for being near to what it was.
    """

    def __init__(self, backbone: Backbone, steps: int, width: int) -> None:
        super().__init__()
        self.steps = steps
        self.encoder = deepcopy(backbone.encoder) if steps else backbone.encoder
        self.mean = backbone.encoder.requires_grad_(False) if steps else None
        self.projection = nn.Linear(backbone.width, width) if width else None

    def forward(self, parts: Sequence[tuple[Tensor, Tensor]]) -> Tensor:
        """Tokens and masks -> unit vectors, (texts, width)."""
        encoder = self.encoder if self.training or self.mean is None else self.mean
        vectors = [encoder(*part)[1] for part in parts]
        return functional.normalize(torch.cat(vectors).float(), dim=-1)

    def follow(self) -> None:
        """Bring the mean nearer to the weights as they are now."""
        if self.mean is not None:
            for ours, learnt in zip(self.mean.parameters(), self.encoder.parameters(), strict=True):
                ours.lerp_(learnt.detach(), 1 / self.steps)


class Distillation:
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
        self.backbone = _student(load(recipe.backbone), settings)
        self.train, self.valid = (
            _lesson(rows.groups(dialogues), settings, work, encode)
            for dialogues in (material.train, material.valid or material.train)
        )
        width = self.train.tables[0].shape[1] if settings.projected else 0
        self.network = _Student(self.backbone, settings.mean, width)
        self.sections: tuple[Section, ...] = ()

    def batches(self, rng: np.random.Generator) -> Sequence[Any]:
        """Groups of texts, some of them on near topics."""
        lesson = self.train
        drawn = self._drawn(lesson, rng)
        return Batches(drawn, lambda numbers: self._inputs(lesson, numbers))

    def loss(self, batch: Inputs) -> Tensor:
        """How far the student's cosines are from the teachers'."""
        self.network.follow()  # the step before this one
        vectors, settings = self.network(batch.tokens), self.settings
        with torch.autocast(vectors.device.type, enabled=False):  # products of cosines are small
            cosines = vectors @ vectors.T
        gaps = (cosines - batch.likeness) ** 2
        near = (gaps * batch.neighbours).sum() / batch.neighbours.sum().clamp(min=1)
        loss = settings.cosines * (gaps.mean() + settings.neighbours * near)
        if settings.order:
            loss = loss + settings.order * _order_loss(
                cosines, batch.likeness, settings.temperature
            )
        if self.network.projection is not None:
            projected = functional.normalize(self.network.projection(vectors), dim=-1)
            loss = loss + settings.projected * (1 - (projected * batch.vectors).sum(-1)).mean()
        return loss

    def validate(self) -> dict[str, float]:
        """Agreement with people, where they can be asked, and with the teachers."""
        measures = {"teachers": self._likeness()}
        sets = people.agreement(self.backbone.encode) if self.settings.people else {}
        if not sets:
            return measures
        return {"people": float(np.mean(list(sets.values()))), **measures, **sets}

    def export(self, folder: Path) -> float:
        """An encoder's folder, int8 if the recipe asks for it."""
        some = sample(self.settings.texts, 2 * TEXTS)
        form = write(self.backbone, folder, self.recipe.name, some, self.settings.int8, taught=True)
        self.sections = (
            Section("Origin", origin(self.recipe.backbone, folder) + "\n"),
            Section("Teachers", self._teachers()),
            Section("Form", form.text()),
        )
        return form.parity

    def _likeness(self) -> float:
        """The correlation of the student's cosines with the teachers' on held dialogues."""
        lesson, rng = self.valid, np.random.default_rng(0)  # always the same exam
        both: list[tuple[Tensor, Tensor]] = []
        for numbers in self._drawn(lesson, rng)[:_EXAM]:
            batch = on_device(self._inputs(lesson, numbers), self.network)
            vectors = self.network(batch.tokens)
            pairs = torch.triu_indices(len(vectors), len(vectors), 1)
            both.append(((vectors @ vectors.T)[*pairs], batch.likeness[*pairs]))
        ours, theirs = (torch.cat(side).cpu().numpy() for side in zip(*both, strict=True))
        return float(np.corrcoef(ours, theirs)[0, 1])

    def _drawn(self, lesson: "Lesson", rng: np.random.Generator) -> list[Ints]:
        """The groups that stand in each batch together."""
        size = self.recipe.optimisation.batch_size
        return rows.batches(lesson.rows, lesson.tables[0], size, rng)

    def _inputs(self, lesson: "Lesson", numbers: Ints) -> Inputs:
        drawn = rows.batch(lesson.rows, numbers)
        texts = [lesson.rows.texts[place] for place in drawn.places]
        ids = [encoding.ids for encoding in self.backbone.tokenizer.encode_batch(texts)]
        parts = list(batches(list(map(len, ids)), _TOGETHER))
        tokens = tuple(padded([ids[at] for at in part], self.backbone.pad) for part in parts)
        order = np.concatenate([np.array(part) for part in parts])
        places, near = drawn.places[order], drawn.neighbours[np.ix_(order, order)]
        neighbours = torch.from_numpy(near.astype(np.float32))
        return Inputs(tokens, lesson.likeness(places), neighbours, lesson.vectors(places))

    def _teachers(self) -> str:
        names = ", ".join(f"`{name}`" for name in self.settings.teachers)
        count = len(self.train.rows.texts)
        read = f"{names} read {count:,} texts: turns, and two to four turns joined."
        chosen = "*teachers* above is the correlation of the student's cosines with theirs"
        if self.settings.people:
            chosen += (
                "; *people* is the mean of Spearman's correlations with people's ratings on the "
                "tuning sets, by which the step was chosen: they flatter it a little"
            )
        return f"{read} {chosen}.\n"


class Lesson:
    """Groups of texts and the vectors that each teacher has for them, (texts, width)."""

    def __init__(self, groups: rows.Groups, tables: Sequence[Vectors]) -> None:
        self.rows, self.tables = groups, tables
        self._scales = [_scale(table) for table in tables]

    def likeness(self, places: Ints) -> Tensor:
        """What the teachers say of all pairs, on the scale of the first: (texts, texts)."""
        (centre, spread), total = self._scales[0], torch.zeros(len(places), len(places))
        for table, (mean, deviation) in zip(self.tables, self._scales, strict=True):
            vectors = _unit(table[places])
            total += (vectors @ vectors.T - mean) / deviation * spread + centre
        likeness = total / len(self.tables)
        return likeness.fill_diagonal_(1.0)

    def vectors(self, places: Ints) -> Tensor:
        """The first teacher's unit vectors, (texts, width)."""
        return _unit(self.tables[0][places])


def _lesson(groups: rows.Groups, settings: Settings, work: Path, encode: Encode | None) -> Lesson:
    """What the teachers make of groups of texts; ``work`` keeps each of their vectors."""
    teachers = {name: encode or _teacher(name, work) for name in settings.teachers}
    tables = [cached(teach, groups.texts, Chosen(name), work) for name, teach in teachers.items()]
    return Lesson(groups, tables)


def _teacher(name: str, work: Path) -> Encode:
    """An encoder that teaches; what is wrong with it is wrong with that setting."""
    try:
        return encoder(Chosen(name), cache=work)
    except InputError as error:
        problem = error.problem if name in error.problem else f"{name}: {error.problem}"
        raise InputError(problem, field="settings.teachers", remedy=error.remedy) from None


def _order_loss(ours: Tensor, theirs: Tensor, temperature: float) -> Tensor:
    """How surprised the student's rows of cosines are by the teachers', itself left out."""
    itself = torch.eye(len(ours), dtype=torch.bool, device=ours.device)
    one = (ours / temperature).masked_fill(itself, -1e4).log_softmax(1)
    other = (theirs / temperature).masked_fill(itself, -1e4).log_softmax(1)
    return functional.kl_div(one, other, reduction="batchmean", log_target=True)


def _student(backbone: Backbone, settings: Settings) -> Backbone:
    """The backbone that learns: cut to its first layers, the lowest of them still; no dropout."""
    model = backbone.encoder.model
    layers = getattr(getattr(model, "encoder", None), "layer", None)
    if layers is None or max(settings.keep, settings.still) > len(layers):
        problem = f"{backbone.name} has {len(layers) if layers is not None else 'no'} layers"
        raise InputError(problem, field="settings.keep" if settings.keep else "settings.still")
    if settings.keep:
        model.encoder.layer = layers[: settings.keep]
        model.config.num_hidden_layers = settings.keep
    if settings.still:
        for part in (model.embeddings, *model.encoder.layer[: settings.still]):
            part.requires_grad_(False)
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0  # the teachers say what is right; noise would only blur it
    return backbone


def _unit(vectors: Vectors) -> Tensor:
    return functional.normalize(torch.from_numpy(np.asarray(vectors, np.float32)), dim=-1)


def _scale(table: Vectors) -> tuple[float, float]:
    """Mean and spread of a teacher's cosines between any two texts."""
    rng = np.random.default_rng(0)
    one, other = (_unit(table[rng.integers(0, len(table), 4096)]) for _ in range(2))
    cosines = (one * other).sum(-1)
    return float(cosines.mean()), float(cosines.std())


build = Distillation
__all__ = ["NOTES", "Settings", "build"]
