"""What a run learns from: dialogues on their side of the one split, rid of held-out text.

The order matters. Each corpus is split by :func:`~dialogauge.corpora.split` (or, for a published
table, as its authors split it), sampled, and only then compared with every test and tuning set; the
counts that come out are what the model card prints.
"""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Literal

import msgspec

from .. import corpora
from ..corpora import Side
from ..dialogue import Dialogue
from ..errors import InputError
from ..formats import read
from .recipe import Data

#: What is learnt from, and what is validated with.
Half = Literal["train", "valid"]
HALVES: tuple[Half, Half] = ("train", "valid")
#: Dialogues by the side of the split they are on.
_Sides = Mapping[Side, Sequence[Dialogue]]


class Source(msgspec.Struct, frozen=True):
    """Where dialogues came from, and how many were used."""

    name: str
    licence: str
    read: int
    train: int
    valid: int


class Material(msgspec.Struct, frozen=True):
    """Dialogues to learn from and to validate on; ``shared`` counts what each held-out set cost."""

    train: tuple[Dialogue, ...]
    valid: tuple[Dialogue, ...]
    sources: tuple[Source, ...] = ()
    shared: Mapping[str, int] = {}
    dropped: int = 0
    decontaminated: bool = False

    def dialogues(self, half: Half) -> tuple[Dialogue, ...]:
        """Those of one half."""
        return self.train if half == "train" else self.valid

    def origins(self, half: Half) -> list[int]:
        """Of each dialogue of a half, which of the sources it comes from."""
        counts = [getattr(source, half) for source in self.sources]
        return [at for at, count in enumerate(counts) for _ in range(count)]


def gather(data: Data) -> Material:
    """The material that a recipe names; nothing is downloaded."""
    named = [(name, *_corpus(name, data.published)) for name in data.corpora]
    named += [(path, "the user's own file", _sides(tuple(read(path)))) for path in data.files]
    if not named:
        raise InputError("no corpus is named", field="data.corpora", remedy="name at least one")
    held = {name: corpora.load(name) for name in corpora.held_out()} if data.decontaminate else {}
    parts = [_part(name, licence, sides, data, held) for name, licence, sides in named]
    return Material(
        train=tuple(dialogue for part in parts for dialogue in part.train),
        valid=tuple(dialogue for part in parts for dialogue in part.valid),
        sources=tuple(source for part in parts for source in part.sources),
        shared={name: sum(part.shared[name] for part in parts) for name in held},
        dropped=sum(part.dropped for part in parts),
        decontaminated=data.decontaminate,
    )


def given(train: Sequence[Dialogue], valid: Sequence[Dialogue], name: str = "given") -> Material:
    """Material from dialogues at hand, taken as they are."""
    source = Source(name, "", len(train) + len(valid), len(train), len(valid))
    return Material(tuple(train), tuple(valid), (source,))


def _corpus(name: str, published: bool) -> tuple[str, _Sides]:
    corpus = corpora.info(name)
    if corpus.role != "training":
        raise InputError(
            f"{name} is a {corpus.role} set and is never trained on",
            field="data.corpora",
            remedy="dialogauge corpora list shows the training sets",
        )
    if not published:
        return corpus.licence, _sides(corpora.load(name))
    if not {"train", "validation"} <= set(corpus.splits):
        problem = f"{name} was not published in parts to train on and to validate with"
        raise InputError(problem, field="data.published", remedy="leave it out")
    train, valid = (corpora.load(name, part) for part in ("train", "validation"))
    return corpus.licence, {"train": train, "valid": valid}


def _sides(dialogues: Iterable[Dialogue]) -> _Sides:
    sides: dict[Side, list[Dialogue]] = {"train": [], "valid": [], "test": []}
    for dialogue in dialogues:
        sides[corpora.split(dialogue.spoken)].append(dialogue)
    return sides


def _part(
    name: str, licence: str, sides: _Sides, data: Data, held: Mapping[str, Sequence[Dialogue]]
) -> Material:
    """One corpus, split: sampled, decontaminated."""
    train, valid = (
        [chat for chat in (each.spoken for each in sides[side]) if len(chat.turns) > 1]
        for side in ("train", "valid")
    )
    total = sum(map(len, sides.values()))
    wanted = round(len(train) * data.fraction)
    sampled = _sample(train, min(wanted, data.cap) if data.cap else wanted)
    watched = _sample(valid, min(len(valid), data.valid_cap))
    clean, costs = corpora.decontaminate(sampled, held)
    clean_valid, valid_costs = corpora.decontaminate(watched, held)
    return Material(
        train=tuple(clean),
        valid=tuple(clean_valid),
        sources=(Source(name, licence, total, len(clean), len(clean_valid)),),
        shared={key: costs[key] + valid_costs[key] for key in held},
        dropped=len(sampled) + len(watched) - len(clean) - len(clean_valid),
    )


def _sample(dialogues: Iterable[Dialogue], count: int) -> list[Dialogue]:
    """The ``count`` dialogues with the smallest hashes: a larger sample contains a smaller one."""

    def place(dialogue: Dialogue) -> tuple[bytes, str]:
        text = "\n".join(turn.text for turn in dialogue.turns)
        return blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), dialogue.id

    return sorted(dialogues, key=place)[:count]
