"""DynaEval: an epoch of training beside encoding each pair anew, and scoring beside encoding alone.

The released code encodes both dialogues of a pair whenever the pair comes up, one dialogue at a
time (and each pair twice, which is not counted here). Ours encodes each distinct utterance once,
and an epoch, every pair once, is then passes of the network. Both are timed on a sample of
DailyDialog's training dialogues, the peer on some pairs of it, and multiplied by how many there are
in the whole.
"""

import tempfile
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from dialogauge import corpora, models
from dialogauge.dialogue import Dialogue
from dialogauge.encode import Encoder
from dialogauge.encode.cache import Memory
from dialogauge.metrics import load
from dialogauge.metrics.dynaeval import Graph
from dialogauge.reproduce.exams import fitting

from .timing import Bench, best

if TYPE_CHECKING:
    from dialogauge.train.models.dynaeval.task import Ranking

RECIPE = Path(__file__).parents[1] / "recipes" / "dynaeval-research.toml"
LEARNT = 200  # dialogues of which an epoch is timed
PAIRS = 40  # pairs that are encoded anew
SCORED = 200  # dialogues of DSTC9
ROUNDS = 3


def main() -> None:
    if find_spec("torch"):
        epoch(fitting(corpora.load("dailydialog", "train")))
    else:
        print("dynaeval, an epoch: skipped, torch is not installed", flush=True)
    if "dynaeval" in models.shipped():
        scoring([each.spoken for each in corpora.load("dstc9")[:SCORED]])
    else:
        print("dynaeval, scoring: skipped, its weights are not here", flush=True)


def epoch(dialogues: Sequence[Dialogue]) -> None:
    sample = dialogues[:: max(1, len(dialogues) // LEARNT)]
    with tempfile.TemporaryDirectory() as folder:
        task = _task(sample, Path(folder))
        times = Times(*best(*_ways(task), rounds=1))
    distinct, said = _texts(dialogues)
    rows, more = task.train.rows, len(dialogues) / len(sample)
    anew = int(2 * rows.length[rows.better].sum() * said / _texts(sample)[1])
    pairs = round(len(rows) * more)
    print(
        f"dynaeval, an epoch on DailyDialog: {len(dialogues):,} dialogues, {pairs:,} pairs; "
        f"{distinct:,} encodings, once for all epochs; {anew:,} where each pair is encoded anew, "
        f"{anew / distinct:.0f} times as many (timed: {len(rows):,} and {PAIRS} pairs)",
        flush=True,
    )
    passes, encoding = times.passes * more, times.once / len(rows.texts) * distinct
    theirs = times.anew / PAIRS * pairs + passes
    peer = "encoding each pair anew"
    Bench("dynaeval, its first epoch", encoding + passes, peer, theirs, 50).show()
    Bench("dynaeval, a later epoch", passes, peer, theirs, 50).show()


class Times(msgspec.Struct, frozen=True):
    """Seconds: each text of the sample once, its pairs through the network, some pairs anew."""

    once: float
    passes: float
    anew: float


def _task(dialogues: Sequence[Dialogue], folder: Path) -> "Ranking":
    from dialogauge.train import recipe
    from dialogauge.train.data import given
    from dialogauge.train.models.dynaeval import task as ranking

    research = recipe.read(RECIPE)
    settings = recipe.settings(research, ranking.Settings)
    every = msgspec.structs.replace(settings, each=settings.pairs)
    return ranking.build(research, every, given(dialogues, ()), folder, None)


def _ways(task: "Ranking") -> tuple[Callable[[], object], ...]:
    import torch

    once, forgetful = Encoder.load(), Encoder.load()
    forgetful._memory["mean"] = Memory(limit=0)
    optimiser = torch.optim.AdamW(task.network.parameters())
    rows = task.train.rows
    rng = np.random.default_rng(0)
    batches, some = task.batches(rng), rng.permutation(len(rows))[:PAIRS]

    def passes() -> None:
        for batch in batches:
            optimiser.zero_grad()
            task.loss(batch).backward()
            optimiser.step()

    def anew() -> None:
        for side in (rows.better[some], rows.worse[some]):
            for row in side:
                said = rows.turns[row, : rows.length[row]]
                forgetful.vectors([rows.texts[at] for at in said])

    return lambda: once.vectors(rows.texts), passes, anew


def _texts(dialogues: Sequence[Dialogue]) -> tuple[int, int]:
    """How many distinct utterances there are, and how many in all."""
    texts = [turn.text for dialogue in dialogues for turn in dialogue.turns]
    return len(set(texts)), len(texts)


def scoring(dialogues: Sequence[Dialogue]) -> None:
    """Dialogues alone, and all turns in both ways too, beside encoding what is said."""
    metric, so_far = load("dynaeval"), load("dynaeval-so-far")
    assert isinstance(metric, Graph)
    assert isinstance(so_far, Graph)
    encoders = [Encoder.load() for _ in range(3 * ROUNDS)]
    texts = list(dict.fromkeys(turn.text for each in dialogues for turn in each.turns))

    def fresh() -> Graph:
        metric.encoder = so_far.encoder = encoders.pop()  # it remembers nothing
        return metric

    def turns() -> None:
        fresh().score(dialogues)
        so_far.score(dialogues)

    encoding, whole, every = best(
        lambda: encoders.pop().vectors(texts),
        lambda: fresh().whole(dialogues),
        turns,
        rounds=ROUNDS,
    )
    what, peer = f"{len(dialogues)} dialogues ({len(texts):,} distinct turns)", "encoding alone"
    # 1.15 and 2 times the cost are allowed.
    Bench(f"dynaeval, {what}", whole, peer, encoding, 1 / 1.15).show()
    Bench(f"dynaeval, {what} with all turns", every, peer, encoding, 1 / 2).show()
