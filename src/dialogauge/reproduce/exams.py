"""Exams: held dialogues in which something is wrong, and how far a metric hears it.

:class:`DamageExam` has whole dialogues damaged in DynaEval's two ways: *UR* replaces a turn by one
of another dialogue, *SS* puts the turns of one speaker in another order. Each distinct damaged
dialogue stands there once (the script that made the paper's data repeats some, to have twenty).
Accuracy is the share of damaged dialogues that score below their original, a tie counting one half.

:class:`ResponseExam` has MaUdE's responses: the one that was given, and broken and foreign ones. A
*delta* is the mean by which a kind of response scores below the one that was given. All models
answer the same exam, so that they can be compared pair by pair. All intervals resample dialogues.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan, nan

import msgspec
import numpy as np
from numpy.typing import NDArray

from .. import corpora
from ..contrast import Contrast, Drawing, contrasts, renamed
from ..dialogue import Dialogue
from ..manipulate.manipulation import DoesNotApply, seeded
from ..manipulate.mixtures import mixed
from ..manipulate.pool import Pool
from ..manipulate.turns import speaker_shuffles
from ..manipulate.words import repeat_one
from ..meta import Estimate, Resampling, discriminate
from ..meta.bootstrap import codes, intervals
from ..meta.weighted import mean, select
from ..metrics import Metric
from ..metrics.maude import Maude
from ..scoring import score
from .page import UNKNOWN

Floats = NDArray[np.float64]
#: Set of dialogues -> kind of damage -> accuracy.
Accuracy = Mapping[str, Mapping[str, Estimate]]

#: The paper's name of each kind of damage, and ours.
DAMAGE = {"UR": "replace-turn", "SS": "shuffle-speaker"}
_MOST = 20  # damaged dialogues of a kind for each dialogue
_SHORTEST, _LONGEST = 4, 30  # turns of a dialogue that is damaged
_SEED = 1

#: Kinds that are worse than what was given: what the mean delta is taken over.
_WORSE = ("random-utterance", "random-generated", "word-drop", "word-order", "word-repeat")
#: Kinds of responses in the order of MaUdE's tables; the last is its released code's repeat.
RESPONSES = ("gold", "back-translation", "generated", *_WORSE, "prefix-repeat")
#: Turns of context that are offered to a metric, which reads as many as it wants.
_CONTEXT = 64


def held(corpus: str, shortest: int = 2) -> list[Dialogue]:
    """What is spoken in dialogues that no training sees, the test side of our split."""
    spoken = (each.spoken for each in corpora.load(corpus) if corpora.split(each) == "test")
    return [each for each in spoken if len(each.turns) >= shortest]


def fitting(dialogues: Iterable[Dialogue]) -> list[Dialogue]:
    """What is spoken in those that are neither too short to be damaged nor too long."""
    spoken = (dialogue.spoken for dialogue in dialogues)
    return [each for each in spoken if _SHORTEST <= len(each.turns) <= _LONGEST]


class DamageExam:
    """Dialogues with their damaged forms; ``parts`` names sets of these dialogues."""

    def __init__(
        self, dialogues: Sequence[Dialogue], parts: Mapping[str, Sequence[Dialogue]]
    ) -> None:
        self.dialogues, self.pairs = tuple(dialogues), tuple(damaged(dialogues))
        sources = np.array([pair.better.id for pair in self.pairs])
        self.parts = {
            name: np.flatnonzero(np.isin(sources, [each.id for each in part]))
            for name, part in parts.items()
        }

    def accuracy(self, metric: Metric, settings: Resampling | None = None) -> Accuracy:
        """How often the damaged one scores lower, in each part and for each kind of damage."""
        every = [*self.dialogues, *(pair.worse for pair in self.pairs)]
        scores = score(every, metric, turns=False)
        values, sources = scores.column(metric.name), [pair.better.id for pair in self.pairs]
        whole = dict(zip(scores.ids, values, strict=True))
        better, worse = np.array([whole[each] for each in sources]), values[len(self.dialogues) :]
        parts = self._by_part(better, worse, sources, settings)
        return {
            name: {kind: part[cause] for kind, cause in DAMAGE.items() if cause in part}
            for name, part in parts.items()
        }

    def located(self, metric: Metric, settings: Resampling | None = None) -> dict[str, Estimate]:
        """How often a foreign turn scores below every other turn of its dialogue, in each part.

        One damaged dialogue of each, and none whose first turn is foreign: most metrics have
        nothing to say of that one.
        """
        places = self._foreign_turns()
        scores = metric.score([self.pairs[row].worse for row in places])
        foreign, lowest = np.full((2, len(self.pairs)), nan)
        for (row, at), each in zip(places.items(), scores, strict=True):
            others = (*each.turns[:at], *each.turns[at + 1 :])
            foreign[row] = each.turns[at]
            lowest[row] = min((other for other in others if not isnan(other)), default=nan)
        parts = self._by_part(lowest, foreign, range(len(self.pairs)), settings)
        return {name: part.get(DAMAGE["UR"], UNKNOWN) for name, part in parts.items()}

    def _by_part(
        self,
        better: Floats,
        worse: Floats,
        clusters: Sequence[str | int],
        settings: Resampling | None,
    ) -> dict[str, Mapping[str, Estimate]]:
        """Part -> cause -> how often the better one of a pair scores higher, if both do."""
        shares = {}
        for name, rows in self.parts.items():
            some = [clusters[row] for row in rows.tolist()]
            causes = [self.pairs[row].cause for row in rows]
            shares[name] = discriminate(better[rows], worse[rows], some, causes, settings).causes
        return shares

    def _foreign_turns(self) -> dict[int, int]:
        """Row of a damaged dialogue, one of each whole one -> the place of its foreign turn."""
        places: dict[str, tuple[int, int]] = {}
        for row, pair in enumerate(self.pairs):
            at = pair.changes[0].turn
            if pair.cause == DAMAGE["UR"] and at:
                places.setdefault(pair.better.id, (row, at))
        return dict(places.values())

    def sizes(self) -> Iterator[tuple[str, str]]:
        """Of each part its name, and how many dialogues and damaged ones of each kind it has."""
        for name, rows in self.parts.items():
            pairs = [self.pairs[row] for row in rows]
            whole, causes = (
                {pair.better.id for pair in pairs},
                Counter(pair.cause for pair in pairs),
            )
            kinds = (f"{causes[cause]:,} {kind}" for kind, cause in DAMAGE.items())
            yield name, ", ".join((f"{len(whole):,} dialogues", *kinds))


def damaged(dialogues: Sequence[Dialogue]) -> Iterator[Contrast]:
    """Each dialogue with its damaged forms; foreign turns come from these dialogues.

    >>> from ..dialogue import Turn
    >>> chats = [Dialogue(f"d{n}", tuple(Turn("ab"[at % 2], f"say {at} of {n}")
    ...     for at in range(4))) for n in range(2)]
    >>> causes = [pair.cause for pair in damaged(chats)]
    >>> causes.count("shuffle-speaker"), causes.count("replace-turn") <= 2 * 20
    (4, True)
    """
    drawing = Drawing(_MOST, _SEED, apart=False)
    yield from contrasts(dialogues, mixed([DAMAGE["UR"]]), Pool(dialogues), drawing)
    cause = DAMAGE["SS"]
    for dialogue in dialogues:
        try:
            edits = speaker_shuffles(dialogue, _MOST, seeded(_SEED, dialogue.id, "shuffles"))
        except DoesNotApply:  # nobody says two things
            continue
        for number, edited in enumerate(edits, 1):
            worse = renamed(edited, f"{dialogue.id}~{cause}~{number}")
            yield Contrast(dialogue, worse, cause, edited.changes)


class Responses(msgspec.Struct, frozen=True):
    """A model on all kinds: scores, deltas, and how far the mean delta is below MaUdE's."""

    scores: Mapping[str, Estimate]
    deltas: Mapping[str, Estimate]
    behind: Estimate


class ResponseExam:
    """Held responses, and what else might have been said at their places."""

    def __init__(self, dialogues: Sequence[Dialogue], wanted: Iterable[str]) -> None:
        from ..manipulate import translation
        from ..train import require_extra

        require_extra()
        from ..train import language_model
        from ..train.models.maude import rows as nce
        from ..train.replies import one_each

        wanted, replies, translate = set(wanted), {}, None
        if wanted & {"generated", "random-generated"} and language_model.available():
            replies = one_each(dialogues, language_model.NAME, len(dialogues), _SEED)
        if "back-translation" in wanted and translation.available():
            translate = translation.apertium()
        # The ids of corpora's dialogues begin with the corpus and a colon.
        names = (dialogue.id.rpartition(":")[0].partition(":")[0] for dialogue in dialogues)
        sources = nce.Sources(translate, replies, corpora=codes(names).tolist())
        rows = nce.make(dialogues, _CONTEXT, sources, _SEED)
        rng = np.random.default_rng(_SEED)
        places = {kind: nce.negative(rows, kind, rng) for kind in (*nce.BROKEN, *nce.ELSEWHERE)}
        texts = (*rows.texts, "")  # -1 is the last: nothing is said
        self.responses = {
            kind: [texts[at] for at in each]
            for kind, each in {**rows.responses, **places}.items()
            if kind in wanted
        }
        if "prefix-repeat" in wanted:
            repeats = nce.broken(dialogues, repeat_one, "prefix", _SEED)
            both = zip(repeats, self.responses["gold"], strict=True)
            self.responses["prefix-repeat"] = [
                text if text and text != gold else "" for text, gold in both
            ]
        self.contexts = [[texts[at] for at in each if at >= 0] for each in rows.context]
        self._clusters = codes(rows.dialogue.tolist())

    def scores(self, metric: Maude) -> dict[str, Floats]:
        """Kind -> the score of each row's response of that kind, NaN where there is none."""
        return {
            kind: metric.follow(self.contexts, texts).astype(np.float64)
            for kind, texts in self.responses.items()
        }

    def measure(
        self, scores: Mapping[str, Floats], ours: Mapping[str, Floats] | None = None
    ) -> Responses:
        """Means and deltas with their intervals; ``ours`` are MaUdE's scores of the same."""
        deltas = {kind: scores["gold"] - each for kind, each in scores.items()}
        behind = _mean_delta(ours or scores) - _mean_delta(scores)
        return Responses(
            self._means(scores), self._means(deltas), self._means({"behind": behind})["behind"]
        )

    def _means(self, values: Mapping[str, Floats]) -> dict[str, Estimate]:
        """The mean of what is there, in all resamples the same dialogues."""
        statistics = {
            name: (select(there, mean(each[there])), len(there))
            for name, each in values.items()
            if len(there := np.flatnonzero(~np.isnan(each)))
        }
        return intervals(statistics, self._clusters, Resampling())


def _mean_delta(scores: Mapping[str, Floats]) -> Floats:
    """For each row the mean by which worse responses that it has score below the given one."""
    gaps = np.array([scores["gold"] - scores[kind] for kind in _WORSE if kind in scores])
    means: Floats = np.ma.masked_invalid(gaps).mean(axis=0).filled(nan)
    return means
