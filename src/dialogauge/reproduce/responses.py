"""What a metric gives to the response that was given, and to broken and foreign ones.

A *delta* is the mean by which a kind of response scores below the one that was given; intervals
resample dialogues. All models answer the same exam, so that they can be compared pair by pair.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from .. import corpora
from ..dialogue import Dialogue
from ..manipulate.words import Repeat
from ..meta import Estimate, Settings
from ..meta.bootstrap import codes, intervals
from ..meta.weighted import mean, select
from ..metrics.maude import Maude

Floats = NDArray[np.float64]

#: Kinds of responses in the order of the paper's tables; the last is its released code's repeat.
KINDS = (
    "gold",
    "back-translation",
    "generated",
    "random-utterance",
    "random-generated",
    "word-drop",
    "word-order",
    "word-repeat",
    "prefix-repeat",
)
#: Kinds that are worse than what was given: what the mean delta is taken over.
WORSE = ("random-utterance", "random-generated", "word-drop", "word-order", "word-repeat")
#: Turns of context that are offered to a metric, which reads as many as it wants.
CONTEXT = 64


class Measured(msgspec.Struct, frozen=True):
    """A model on all kinds: scores, deltas, and how far the mean delta is below MaUdE's."""

    scores: Mapping[str, Estimate]
    deltas: Mapping[str, Estimate]
    behind: Estimate


class Exam:
    """Held responses, and what else might have been said at their places."""

    def __init__(self, dialogues: Sequence[Dialogue], wanted: Iterable[str], seed: int = 1) -> None:
        from ..manipulate import translation
        from ..train import require_extra

        require_extra()
        from ..train import causal
        from ..train.generated import one_each
        from ..train.models.maude import rows as nce

        wanted, replies, translate = set(wanted), {}, None
        if wanted & {"generated", "random-generated"} and causal.available():
            replies = one_each(dialogues, causal.NAME, len(dialogues), seed)
        if "back-translation" in wanted and translation.available():
            translate = translation.apertium()
        # The ids of corpora's dialogues begin with the corpus and a colon.
        names = (dialogue.id.rpartition(":")[0].partition(":")[0] for dialogue in dialogues)
        corpus = codes(names).tolist()
        rows = nce.make(dialogues, CONTEXT, nce.Sources(translate, replies, corpora=corpus), seed)
        rng = np.random.default_rng(seed)
        places = {kind: nce.negative(rows, kind, rng) for kind in (*nce.BROKEN, *nce.ELSEWHERE)}
        texts = (*rows.texts, "")  # -1 is the last: nothing is said
        self.said = {
            kind: [texts[at] for at in each]
            for kind, each in {**rows.responses, **places}.items()
            if kind in wanted
        }
        if "prefix-repeat" in wanted:
            made = nce.broken(dialogues, Repeat(prefix=True), "prefix", seed)
            both = zip(made, self.said["gold"], strict=True)
            self.said["prefix-repeat"] = [
                text if text and text != gold else "" for text, gold in both
            ]
        self.contexts = [[texts[at] for at in each if at >= 0] for each in rows.context]
        self.clusters = codes(rows.dialogue.tolist())

    def __len__(self) -> int:
        return len(self.clusters)

    def scores(self, metric: Maude) -> dict[str, Floats]:
        """Kind -> the score of each row's response of that kind, NaN where there is none."""
        return {
            kind: metric.follow(self.contexts, texts).astype(np.float64)
            for kind, texts in self.said.items()
        }

    def measure(self, scores: Mapping[str, Floats], ours: Mapping[str, Floats]) -> Measured:
        """Means and deltas with their intervals; ``ours`` are MaUdE's scores of the same."""
        named = {f"score {kind}": each for kind, each in scores.items()}
        named |= {f"delta {kind}": scores["gold"] - each for kind, each in scores.items()}
        named["behind"] = _mean_delta(ours) - _mean_delta(scores)
        found = self._estimates(named)
        parts: dict[str, dict[str, Estimate]] = {"score": {}, "delta": {}, "behind": {}}
        for name, estimate in found.items():
            part, _, kind = name.partition(" ")
            parts[part][kind] = estimate
        return Measured(parts["score"], parts["delta"], found["behind"])

    def _estimates(self, named: Mapping[str, Floats]) -> dict[str, Estimate]:
        statistics = {}
        for name, values in named.items():
            known = np.flatnonzero(~np.isnan(values))
            if len(known):
                statistics[name] = (select(known, mean(values[known])), len(known))
        return intervals(statistics, self.clusters, Settings())


def _mean_delta(scores: Mapping[str, Floats]) -> Floats:
    """For each row the mean by which worse responses that it has score below the given one."""
    gaps = np.array([scores["gold"] - scores[kind] for kind in WORSE if kind in scores])
    there = (~np.isnan(gaps)).sum(axis=0)
    sums = np.nansum(gaps, axis=0)
    return np.where(there > 0, sums / np.maximum(there, 1), np.nan)


def held(names: Iterable[str], count: int) -> list[Dialogue]:
    """Dialogues of the test split, some of each corpus."""
    found: list[Dialogue] = []
    for name in names:
        every = (each.spoken for each in corpora.load(name) if corpora.split(each) == "test")
        found += [each for each in every if len(each.turns) > 1][:count]
    return found
