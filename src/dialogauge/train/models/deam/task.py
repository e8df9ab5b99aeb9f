"""DEAM: tell damaged conversations from whole ones, and where and how they were damaged."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, softplus

from ....manipulate.pool import Translate
from ....manipulate.translation import apertium, available
from ....metrics.vectors import shared
from ....models import fingerprint, open_folder
from ....report.markdown import table
from ...backbone import load
from ...card import Section
from ...data import HALVES, Material
from ...export import Example, as_int8, export
from ...graph import continued
from ...loop import Batches
from ...recipe import AtLeastOne, Count, Positive, Recipe
from ...vectors import Ints, cached, encoder, passport
from ...written import Decided, written
from .. import Encode
from . import reading, rows
from .batch import Form, Inputs, Mixing, Source, drawn, inputs
from .cues import Cue, balance, measure
from .damage import CAUSES, WORDED, is_written
from .exam import examine
from .frames import framed
from .material import Excerpt, Maker, Making
from .network import Flat, Joint, Shape, joint, whole
from .reactions import objected
from .topics import Shown, Topics

NOTES = """\
- Beside the tokens the network sees plain features: which part of a turn's tokens its own speaker,
  and another one, has said before in one turn, and cosines between the sentence vectors of turns.
  Repetition and echo are told mostly by these.
- A score is a probability where most conversations are damaged, as in training, and not in the
  world: compare scores with each other.
- It was taught by damage that programs made of English small talk, by what was written for it if
  that is counted above, and not by people's ratings, but for those that its encoder's step was
  chosen by. What it tells, and what it misses: docs/reproductions/deam.md.
"""

_INT8 = (
    "The graph that ships is int8. Over {count} conversations its logits that turns are broken "
    "correlate with those in fp32, which the measures above are of, by {alike:.4f}.\n"
)
_TOKENS, _TURNS = {0: "rows", 1: "tokens"}, {0: "rows", 1: "turns"}
_INPUTS = {
    **{"tokens": _TOKENS, "sentences": _TURNS, "owner": _TOKENS},
    **{"speakers": _TURNS, "counted": _TURNS},
}
#: Conversations that int8 is scaled by, and of them those on which ONNX is compared with torch.
_CALIBRATION, _COMPARED = 64, 8
#: A window has room for so many tokens at least.
_SMALLEST = 64
#: What is changed or broken is rare, and counts so many times.
_RARE = 3.0


class Losses(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much each question counts."""

    token: Positive = 3.0  # is this token changed?
    turn: Positive = 1.0  # is this turn broken?
    cause: Positive = 0.3  # of which cause?
    place: Positive = 0.3  # which turn of a conversation is the broken one?
    topic: Positive = 0.3  # which turn broke, by sentence vectors alone?
    pair: Positive = 0.5  # which of two conversations, and of two turns in one place, is damaged?


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the reader looks, what it learns from, and how."""

    reader: Shape = Shape()
    excerpts: Making = Making()
    mixing: Mixing = Mixing()
    losses: Losses = Losses()
    written: bool = False  # learn also from conversations that were written for it
    reactions: bool = False  # some damage is objected to by the partner
    topics: Count = 64  # conversations of sentence vectors beside each batch
    exam: AtLeastOne = 200  # excerpts to validate with, and as many of what was written
    begin: str = ""  # a model of the same shape to go on from, by name or folder; none: the encoder
    int8: bool = True  # as it ships; fp32 is twice as slow


class Deam:
    """The task."""

    def __init__(
        self,
        recipe: Recipe,
        settings: Settings,
        material: Material,
        work: Path,
        encode: Encode | None,
    ) -> None:
        self.recipe, self.settings, self.work = recipe, settings, work
        own = written() if settings.written else ()
        maker = Maker(settings.excerpts, recipe.seed, work, _translator(), own)
        made = (maker.make(material, half) for half in HALVES)
        excerpts, held = ([_framed(each, recipe.seed) for each in some] for some in made)
        self.backbone = load(recipe.backbone)
        self.network = self._network()
        if settings.begin:
            continued(self.network, open_folder(settings.begin) / "model.onnx")
        self._vectors = encode or encoder(recipe.backbone)
        left = balance(excerpts, recipe.seed)
        self.train = self._source([self._objected(each) for each in left])
        self.valid = self._source(held) if any(each.worse for each in held) else None
        self.topics = self._shown(material) if settings.topics else None
        cues = measure(excerpts, left, self._vectors, self.train.rows, settings.mixing)
        self.sections: tuple[Section, ...] = (*_begun(settings), *_given(own), _section(cues))

    def _objected(self, excerpt: Excerpt) -> Excerpt:
        return objected(excerpt, self.recipe.seed) if self.settings.reactions else excerpt

    def _network(self) -> Joint | Flat:
        encoder, shape = self.backbone.encoder.model, self.settings.reader
        return (joint if shape.kind == "joint" else Flat)(encoder, len(CAUSES), shape)

    def _source(self, excerpts: Sequence[Excerpt]) -> Source:
        """Excerpts, and what is read of their tokens."""
        if self.settings.reader.kind == "flat":
            ours = passport(self.recipe.backbone)["encoder_hash"]
            cut = shared(self.recipe.backbone.name) if ours else reading.Tokenizer(self.backbone)
            return reading.flat(excerpts, cut, self._vectors)
        below = self.settings.reader.below
        return reading.joint(excerpts, shared(self.recipe.backbone.name), below)

    def _shown(self, material: Material) -> Topics:
        """Whole conversations, of whose turns the vectors are kept."""
        chosen, vectors = self.recipe.backbone, self._vectors

        def read(texts: Sequence[str]) -> NDArray[Any]:
            return cached(vectors, texts, chosen, self.work)

        return Topics(material.train, material.origins("train"), read, self.settings.topics)

    def batches(self, rng: np.random.Generator) -> Sequence[Any]:
        """Random groups of like length."""
        size, groups = self.recipe.optimisation.batch_size, self.train.rows.groups
        length = np.array([self._tokens(group) for group in groups])
        order = np.lexsort((rng.permutation(len(groups)), length // 4))
        cuts = [order[start : start + size] for start in range(0, len(order), size)]
        seeds = rng.integers(2**31, size=len(cuts))
        shuffled = [(cuts[at], seeds[at]) for at in rng.permutation(len(cuts))]
        return Batches(shuffled, lambda it: self._drawn(it[0], np.random.default_rng(it[1])))

    def _drawn(self, groups: Ints, rng: np.random.Generator) -> tuple[Inputs, Shown | None]:
        batch = drawn(self.train, groups, self.settings.mixing, rng)
        return batch, self.topics.drawn(rng) if self.topics else None

    def loss(self, batch: tuple[Inputs, Shown | None]) -> Tensor:
        """What is wrong about excerpts, and about conversations of sentence vectors."""
        read, shown = batch
        loss = self._loss(read)
        if shown is None:
            return loss
        turns = self.network.aside(shown.sentences, shown.speakers).float()
        odd = _rare(turns, shown.broken) + _placed(turns, shown.broken)
        return loss + self.settings.losses.topic * odd

    def _loss(self, batch: Inputs) -> Tensor:
        """What is wrong about tokens, turns, causes, and which conversation is damaged."""
        tokens, turns, causes = (each.float() for each in self.network(*batch.read))
        own, there, bad = self.settings.losses, batch.broken >= 0, batch.cause >= 0
        values, worse = whole(turns, there.float()), bad.any(1)
        pair = softplus(values[worse] - values[batch.first[worse]]).mean()
        pair = pair + softplus(_beside(turns, batch) - turns[bad]).mean()
        alone = binary_cross_entropy_with_logits(values, (~worse).float())
        return (
            own.token * _rare(tokens, batch.changed)
            + own.turn * _rare(turns, batch.broken)
            + own.cause * cross_entropy(causes[bad], batch.cause[bad])
            + own.place * _placed(turns, batch.broken)
            + own.pair * (pair + alone)
        )

    def validate(self) -> dict[str, float]:
        """On held excerpts: how often damage is told, and its turn, by manipulation."""
        if self.valid is None:
            return {}
        return examine(self.network, self.valid, self.settings.exam).measures()

    def export(self, folder: Path) -> float:
        """Write what reads all tokens together; the encoder below it is one that ships."""
        examples = [self._example(it) for it in rows.spread(self.train.rows.groups, _CALIBRATION)]
        difference = export(
            self.network,
            folder,
            examples[:_COMPARED],
            _INPUTS,
            {"changed": _TOKENS, "broken": _TURNS, "causes": _TURNS},
            self._config(),
        )
        if self.settings.int8:
            alike = as_int8(folder, examples, "broken")
            self.sections += (Section("Int8", _INT8.format(count=len(examples), alike=alike)),)
        return difference

    def _config(self) -> dict[str, Any]:
        """What scoring has to know."""
        exam = examine(self.network, self.valid, self.settings.exam) if self.valid else None
        groups = self.train.rows.groups
        return {
            "metric": "deam",
            **passport(self.recipe.backbone),
            "width": self.backbone.width,
            "layers": self.settings.reader.below if self.settings.reader.kind == "joint" else None,
            "causes": list(CAUSES),
            "worded": list(WORDED),
            "tokens": max(_SMALLEST, int(np.quantile(list(map(self._tokens, groups)), 0.99))),
            "turns": max(len(group.turns) for group in groups),
            "named": round(exam.named, 4) if exam else 0.0,
        }

    def _tokens(self, group: rows.Group) -> int:
        """How many tokens an excerpt has."""
        return sum(map(self.train.rows.length, group.turns))

    def _example(self, group: rows.Group) -> Example:
        """A conversation as the exported network takes it."""
        batch = inputs(self.train, [Form(group.turns, group.speakers, (), 0)])
        return {name: each.numpy() for name, each in zip(_INPUTS, batch.read, strict=True)}


def _beside(turns: Tensor, batch: Inputs) -> Tensor:
    """Of each broken turn, the logit of the turn in its place in the undamaged conversation."""
    rows, places = torch.nonzero(batch.cause >= 0, as_tuple=True)
    first = batch.first[rows]
    last = (batch.broken[first] >= 0).sum(1) - 1
    return turns[first, torch.minimum(places, last)]


def _placed(turns: Tensor, broken: Tensor) -> Tensor:
    """Cross entropy of each broken turn among itself and those of its row that are not."""
    rows, places = torch.nonzero(broken > 0, as_tuple=True)
    others = torch.where(broken == 0, turns, -1e4).logsumexp(1)
    return softplus(others[rows] - turns[rows, places]).sum() / max(1, len(rows))


def _rare(logits: Tensor, labels: Tensor) -> Tensor:
    """Cross entropy of what is rarely 1; labels below 0 do not count."""
    known = labels >= 0
    weight = torch.where(labels > 0, _RARE, 1.0) * known
    loss = binary_cross_entropy_with_logits(logits, labels.clamp(min=0), weight, reduction="sum")
    return loss / known.sum().clamp(min=1)


def _translator() -> Translate | None:
    """What says a turn in other words, where it is installed."""
    return apertium() if available() else None


def _begun(settings: Settings) -> tuple[Section, ...]:
    """What the network was before, for the card."""
    if not settings.begin:
        return ()
    sealed = fingerprint(open_folder(settings.begin), ["model.onnx"])
    text = (
        f"It went on from the weights of `{settings.begin}` ({sealed}), whose steps come first.\n"
    )
    return (Section("Begun", text),)


def _framed(excerpt: Excerpt, seed: int) -> Excerpt:
    """What was written, with an opening and a closing; of what people said, neither."""
    return framed(excerpt, seed) if is_written(each.name for each in excerpt.worse) else excerpt


def _given(own: Sequence[Decided]) -> tuple[Section, ...]:
    """What was written to learn from, for the card."""
    if not own:
        return ()
    sides = Counter(each.side for each in own)
    text = (
        f"Of {len(own):,} conversations written in two ways, {sides['train']:,} are learnt from, "
        f"{sides['valid']:,} validated with and {sides['test']:,} held out; by kind:\n\n"
    )
    kinds = Counter(each.name.removeprefix("written-") for each in own)
    return (
        Section(
            "Written in two ways", text + table(("kind", "conversations"), kinds.items()) + "\n"
        ),
    )


def _section(cues: Sequence[Cue]) -> Section:
    """What a turn alone gives away, for the card."""
    rows = ((it.name, f"{it.edits:,}", f"{it.kept:,}", f"{it.area:.2f}") for it in cues)
    head = ("damage", "forms", "kept", "AUC")
    text = (
        "The area under the curve of a classifier that sees turns alone, by folds (guessing: 0.5): "
        "turns of undamaged conversations and of damaged ones, as training shows them; then, kind "
        "by kind, rewritten turns and what the undamaged conversation has in their place. Of "
        f"what goes one way or the other, as much goes each way.\n\n{table(head, rows)}\n"
    )
    return Section("What a turn alone gives away", text)


build = Deam
