"""Dialogues damaged in DynaEval's two ways, and models that learn to tell which is which.

*UR* replaces a turn by one of another dialogue, *SS* puts the turns of one speaker in another
order. Each distinct damaged dialogue stands in an exam once: a dialogue of four turns has two of
SS. (The script that made the paper's data repeats them to have twenty.)

Accuracy is the share of damaged dialogues that score below their original, a tie counting one
half; its interval resamples dialogues. :data:`FAMILY` lists what is trained only to be measured.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from math import isnan
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from .. import corpora
from ..contrast import Contrast, Drawing, contrasts, renamed
from ..dialogue import Dialogue
from ..errors import InputError
from ..manipulate.manipulation import DoesNotApply, seeded
from ..manipulate.mixtures import mixed
from ..manipulate.pool import Pool
from ..manipulate.turns import speaker_shuffles
from ..meta import Estimate, Settings, discriminate
from ..metrics import Metric, Whole, load
from ..metrics.functions import NAN
from .kept import Tell, keep, kept

if TYPE_CHECKING:
    from ..train.recipe import Recipe

Floats = NDArray[np.float64]
#: Set of dialogues -> kind of damage -> accuracy.
Accuracy = Mapping[str, Mapping[str, Estimate]]

#: The paper's name of each kind of damage, and ours.
KINDS = {"UR": "replace-turn", "SS": "shuffle-speaker"}
MOST = 20  # damaged dialogues of a kind for each dialogue
SHORTEST, LONGEST = 4, 30  # turns of a dialogue
SEED = 1
TOGETHER = 2048  # dialogues that are scored at a time

WHOLE, APART = "dailydialog", "dailydialog, de-duplicated"
PERMISSIVE = ("personachat", "topical-chat", "self-dialogue")
HELD = 200  # dialogues of each permissive corpus, at most


class Exam:
    """Dialogues with their damaged forms; ``parts`` names sets of these dialogues."""

    def __init__(
        self, dialogues: Sequence[Dialogue], parts: Mapping[str, Sequence[Dialogue]]
    ) -> None:
        self.dialogues, self.pairs = tuple(dialogues), tuple(damaged(dialogues))
        place = {dialogue.id: at for at, dialogue in enumerate(dialogues)}
        self._better = np.array([place[pair.better.id] for pair in self.pairs], np.intp)
        kept = {name: {each.id for each in part} for name, part in parts.items()}
        self.parts = {
            name: np.flatnonzero([pair.better.id in ids for pair in self.pairs])
            for name, ids in kept.items()
        }

    def accuracy(self, metric: Metric, settings: Settings | None = None) -> Accuracy:
        """How often the damaged one scores lower, in each part and for each kind of damage."""
        every = _values(metric, [*self.dialogues, *(pair.worse for pair in self.pairs)])
        better, worse = every[self._better], every[len(self.dialogues) :]
        return {
            name: self._part(rows, better, worse, settings) for name, rows in self.parts.items()
        }

    def located(self, metric: Metric, settings: Settings | None = None) -> dict[str, Estimate]:
        """How often a foreign turn scores below every other turn of its dialogue, in each part.

        One damaged dialogue of each, and none whose first turn is foreign: most metrics have
        nothing to say of that one.
        """
        places = self._foreign_turns()
        scores = metric.score([self.pairs[row].worse for row in places])
        foreign, lowest = np.empty((2, len(places)))
        for number, (at, score) in enumerate(zip(places.values(), scores, strict=True)):
            foreign[number] = score.turns[at]
            others = (*score.turns[:at], *score.turns[at + 1 :])
            lowest[number] = min((each for each in others if not isnan(each)), default=NAN)
        rows, found = np.array(list(places)), {}
        for name, part in self.parts.items():
            some = np.flatnonzero(np.isin(rows, part))
            found[name] = discriminate(
                lowest[some], foreign[some], some.tolist(), (), settings
            ).accuracy
        return found

    def _foreign_turns(self) -> dict[int, int]:
        """Row of a damaged dialogue, one of each whole one -> the place of its foreign turn."""
        found: dict[str, tuple[int, int]] = {}
        for row, pair in enumerate(self.pairs):
            if pair.cause == KINDS["UR"] and pair.better.id not in found:
                sides = zip(pair.better.turns, pair.worse.turns, strict=True)
                at = [one != other for one, other in sides].index(True)
                if at > 0:
                    found[pair.better.id] = row, at
        return dict(found.values())

    def sizes(self) -> Iterator[tuple[str, int, Mapping[str, int]]]:
        """Of each part its name, dialogues, and damaged dialogues of each kind."""
        for name, rows in self.parts.items():
            causes = [self.pairs[row].cause for row in rows]
            counts = {kind: causes.count(cause) for kind, cause in KINDS.items()}
            yield name, len({self.pairs[row].better.id for row in rows}), counts

    def _part(
        self, rows: NDArray[np.intp], better: Floats, worse: Floats, settings: Settings | None
    ) -> dict[str, Estimate]:
        pairs = [self.pairs[row] for row in rows]
        clusters = [pair.better.id for pair in pairs]
        causes = [pair.cause for pair in pairs]
        found = discriminate(better[rows], worse[rows], clusters, causes, settings).causes
        return {kind: found[cause] for kind, cause in KINDS.items() if cause in found}


def damaged(dialogues: Sequence[Dialogue], seed: int = SEED) -> Iterator[Contrast]:
    """Each dialogue with its damaged forms; foreign turns come from these dialogues.

    >>> from ..dialogue import Turn
    >>> chats = [Dialogue(f"d{n}", tuple(Turn("ab"[at % 2], f"say {at} of {n}")
    ...     for at in range(4))) for n in range(2)]
    >>> found = [pair.cause for pair in damaged(chats)]
    >>> found.count("shuffle-speaker"), found.count("replace-turn") <= 2 * MOST
    (4, True)
    """
    drawing = Drawing(MOST, seed, apart=False)
    yield from contrasts(dialogues, mixed([KINDS["UR"]]), Pool(dialogues), drawing)
    for dialogue in dialogues:
        yield from _shuffled(dialogue, seed)


def _shuffled(dialogue: Dialogue, seed: int) -> Iterator[Contrast]:
    """The dialogue with every other order of one speaker's turns, or as many as are wanted."""
    try:
        edits = speaker_shuffles(dialogue, MOST, seeded(seed, dialogue.id, "shuffles"))
    except DoesNotApply:  # nobody says two things
        return
    cause = KINDS["SS"]
    for number, edited in enumerate(edits, 1):
        worse = renamed(edited, f"{dialogue.id}~{cause}~{number}")
        yield Contrast(dialogue, worse, cause, edited.changes)


def _values(metric: Metric, dialogues: Sequence[Dialogue]) -> Floats:
    """A number for each dialogue; turns are not scored where a metric can do without."""
    found: list[float] = []
    for start in range(0, len(dialogues), TOGETHER):
        some = dialogues[start : start + TOGETHER]
        whole = metric.whole(some) if isinstance(metric, Whole) else None
        found += whole if whole is not None else [score.value for score in metric.score(some)]
    return np.array(found, np.float64)


def dailydialog() -> list[Exam]:
    """The published test part, and those of it that share no text with the training part."""
    test = fitting(corpora.load("dailydialog", "test"))
    apart, _ = corpora.decontaminate(test, {"train": corpora.load("dailydialog", "train")})
    return [Exam(test, {WHOLE: test, APART: apart})]


def permissive() -> list[Exam]:
    """Held dialogues (the test side of our split) of the corpora that anyone may learn from."""
    found = []
    for name in PERMISSIVE:
        held = [each for each in corpora.load(name) if corpora.split(each) == "test"]
        some = sorted(fitting(held), key=lambda each: each.digest)[:HELD]  # of any topic
        found.append(Exam(some, {name: some}))
    return found


def fitting(dialogues: Sequence[Dialogue]) -> list[Dialogue]:
    """What is spoken in those that are neither too short nor too long."""
    spoken = [dialogue.spoken for dialogue in dialogues]
    return [each for each in spoken if SHORTEST <= len(each.turns) <= LONGEST]


#: Corpora that a model learns from together -> its exams, and its recipe.
EXAMS = {"dailydialog": dailydialog, "permissive": permissive}
RECIPES = {"dailydialog": "dynaeval-research.toml", "permissive": "dynaeval.toml"}
Exams = Mapping[str, Sequence[Exam]]


#: The family learns from a sample, and not for long: so many dialogues of each corpus, epochs.
SAMPLE = {"dailydialog": 3000, "permissive": 400}
EPOCHS = 4


class Variant(msgspec.Struct, frozen=True):
    """A model to train: its corpora, what is changed in their recipe, how many seeds."""

    learns: str
    change: Mapping[str, Any] = {}
    seeds: int = 5


FAMILY = {
    "dynaeval-dailydialog": Variant("dailydialog"),
    "s-dicoh-dailydialog": Variant("dailydialog", {"network": "s-dicoh"}),
    "dynaeval-permissive": Variant("permissive", seeds=3),
    "s-dicoh-permissive": Variant("permissive", {"network": "s-dicoh"}, seeds=3),
    "dynaeval-ur": Variant("dailydialog", {"worse": [KINDS["UR"]]}, seeds=1),
    "dynaeval-ss": Variant("dailydialog", {"worse": [KINDS["SS"]]}, seeds=1),
    "dynaeval-max": Variant("dailydialog", {"pooling": "max"}, seeds=1),
    "dynaeval-both": Variant("dailydialog", {"pooling": "both"}, seeds=1),
    "dynaeval-alone": Variant("dailydialog", {"beside": 0}, seeds=1),
    "s-dicoh-alone": Variant("dailydialog", {"network": "s-dicoh", "beside": 0}, seeds=1),
}
KEPT = "dynaeval-family.json"


class Trial(msgspec.Struct, frozen=True):
    """A trained model's accuracy, by set and kind of damage."""

    seed: int
    accuracy: Mapping[str, Mapping[str, float]]


#: What was found of each variant, seed by seed.
Kept = Mapping[str, Sequence[Trial]]


def retrained(exams: Exams, docs: Path, path: Path, tell: Tell) -> None:
    """Train the family and measure it; what is known is written to ``path`` after each model."""
    found: dict[str, list[Trial]] = {}
    quick = Settings(resamples=100)  # the spread over seeds is shown, not these intervals
    for name, seed, folder in _trained(docs, tell):
        metric = load(str(folder))
        accuracy = {
            part: {kind: each.value for kind, each in kinds.items()}
            for exam in exams[FAMILY[name].learns]
            for part, kinds in exam.accuracy(metric, quick).items()
        }
        found.setdefault(name, []).append(Trial(seed, accuracy))
        keep(path, found)


def _trained(docs: Path, tell: Tell) -> Iterator[tuple[str, int, Path]]:
    """The family in ``build/dynaeval-family``; what is there already is not trained again."""
    from ..train import require_extra

    require_extra()
    from ..train import frozen, recipe, run
    from ..train.data import gather

    work, material = docs.parent / "build" / "dynaeval-family", cache(gather)
    for name, variant in FAMILY.items():
        given = _shorter(recipe.read(docs.parent / "recipes" / RECIPES[variant.learns]), variant)
        for seed in range(1, variant.seeds + 1):
            folder, told = work / f"{name}-{seed}", {**given.settings, **variant.change}
            wanted = msgspec.structs.replace(given, seed=seed, settings=told)
            if not _finished(folder, wanted):
                tell(f"training {name}, seed {seed} of {variant.seeds}")
                run.train(
                    wanted,
                    folder,
                    resume=(folder / "recipe.json").exists(),
                    material=material(given.data),
                    encode=frozen.encoder(given.backbone, cache=work / "vectors"),
                )
                rmtree(folder / "training")  # checkpoints, and a copy of all vectors
            yield name, seed, folder


def _shorter(given: "Recipe", variant: Variant) -> "Recipe":
    """The recipe of what ships, on a sample and for fewer epochs."""
    data = msgspec.structs.replace(given.data, cap=SAMPLE[variant.learns])
    optimisation = msgspec.structs.replace(given.optimisation, epochs=EPOCHS)
    return msgspec.structs.replace(given, data=data, optimisation=optimisation)


def _finished(folder: Path, wanted: "Recipe") -> bool:
    """Whether the folder has this model; another recipe's is an error, not a number."""
    from ..train.recipe import read

    if not (folder / "manifest.json").exists():
        return False
    if read(folder / "recipe.json") != wanted:
        problem = "was trained with another recipe"
        raise InputError(problem, file=str(folder), remedy="remove it to train it again")
    return True


def read_kept(path: Path) -> Kept:
    """What an earlier training found; nothing where there was none."""
    return kept(path, dict[str, tuple[Trial, ...]])
