"""What was tried for `gauge`, on sets that may choose: from one set of people to another.

Each variant is fitted to one of Ji et al.'s two runs and asked about the other, and fitted to both
and asked about ConvAI 2018, whose people, bots and questions are others. And each of Ji et al.'s
systems is asked about by a fit to all others. Nothing here meets a test set. ``dialogauge reproduce
gauge --retrain`` measures, which takes minutes.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import msgspec
import numpy as np
from msgspec.structs import replace

from .. import corpora
from ..meta.correlation import coefficient
from ..metrics.catalogue import from_folder
from ..metrics.evidence import NUMBERS, Number, mean_of
from ..metrics.gauge import READS, Reader, Shown, reading
from ..train import recipe
from ..train.models.gauge.fit import Fitting, Model, fit, predict, weigh
from ..train.models.gauge.rows import ASKED, Floats, Rows, Sample, normal, phrases, rows
from ..train.models.gauge.task import Settings, gather, within
from .kept import RECIPES

#: Which side of the rated corpus was asked to talk freely, and which set measures beside it.
_RUNS = ("free", "icebreaker")
_OTHER, _ASPECT = "convai2018", "overall"
_SPEARMAN = coefficient("spearman").value
#: All systems' conversations, each by the fit that never met its system.
POOLED = "all, pooled"

#: The penalty of vectors where they are fitted together with numbers; 3 was tried, too.
_TOGETHER = 10.0
#: Numbers that were tried beside those of the recipe.
_MORE: dict[str, Number] = {
    "repeats": Number(True, mean_of(lambda facts: facts.repeats.astype(np.float64))),
    "echoes": Number(True, mean_of(lambda facts: facts.echoes.astype(np.float64))),
    "maude": Number(True, mean_of(lambda facts: facts.scored("maude"))),
    "dynaeval": Number(True, mean_of(lambda facts: facts.scored("dynaeval"))),
    "partner is near": Number(False, mean_of(lambda facts: facts.near)),
    "partner is long": Number(False, mean_of(lambda facts: facts.lengths), counts=True),
    "partner asks again": Number(False, mean_of(lambda facts: facts.like("asks again"))),
    "partner says it again, mean": Number(False, mean_of(lambda facts: facts.again)),
    "partner objects, mean": Number(False, mean_of(lambda facts: facts.like("objects"))),
    "partner agrees, mean": Number(False, mean_of(lambda facts: facts.like("agrees"))),
    "partner greets, mean": Number(False, mean_of(lambda facts: facts.like("greets"))),
}


class Marks(msgspec.Struct, frozen=True):
    """How a variant agrees with people it was not fitted to."""

    first: float  # fitted to the second run, asked about the first
    first_within: float
    second: float
    second_within: float
    other: float  # fitted to both, asked about ConvAI 2018
    other_within: float

    @property
    def pairs(self) -> tuple[tuple[float, float], ...]:
        """The whole and within systems: on each run, then on the other set."""
        return (
            (self.second, self.second_within),
            (self.first, self.first_within),
            (self.other, self.other_within),
        )

    @property
    def mean(self) -> float:
        """The runs and their within, and the other set, alike."""
        runs = (self.first + self.second + self.first_within + self.second_within) / 4
        return (runs + (self.other + self.other_within) / 2) / 2


class Apart(msgspec.Struct, frozen=True):
    """How a system's conversations agree with people by a fit to those of the others."""

    count: int
    spearman: float


def measured() -> tuple[dict[str, Marks], dict[str, Apart]]:
    """Every variant, and every system by a fit that never met it."""
    settings = msgspec.convert(recipe.read(RECIPES / "gauge.toml").settings, Settings)
    sets = _sets(settings)
    return _tried(settings, sets), _apart(settings, sets)


def _apart(settings: Settings, sets: Mapping[str, Sample]) -> dict[str, Apart]:
    first, second = (sets[run].rows for run in _RUNS)
    both, how = _joined(first, second), settings.partner
    said, weights = np.zeros(len(both.dialogues)), weigh(both, settings.random, how)
    found, real = dict[str, Apart](), both.ratings[:, 0]
    for system in sorted(set(both.systems.tolist())):
        own = both.systems == system
        head = fit(both.some(~own), how, weights[~own])
        said[own] = predict(head, both.some(own))[:, 0]
        found[system] = Apart(int(own.sum()), _SPEARMAN(said[own], real[own]))
    return found | {POOLED: Apart(len(said), _SPEARMAN(said, real))}


def _tried(settings: Settings, sets: Mapping[str, Sample]) -> dict[str, Marks]:
    """Every variant, by name; the recipe's comes first."""
    from .rivals import attention, trees  # with torch and scikit-learn

    how = settings.partner
    used = how.numbers
    weights = partial(_weighed, random=settings.random, how=how)

    found = {"as it ships": _marks(_ridge(how), sets, weights)}

    def vary(name: str, changed: Fitting) -> None:
        found[name] = _marks(_ridge(changed), sets, weights)

    # What is highest of many grows with their number: its mean takes its place.
    means = [f"{name}, mean" if NUMBERS[name].counts else name for name in used]
    uncounted = tuple(name for name in means if name in NUMBERS | _MORE)
    vary("without any length", replace(how, numbers=uncounted))
    for name in used:
        vary(f"without *{name}*", replace(how, numbers=tuple(it for it in used if it != name)))
    for name in _MORE:
        vary(f"with *{name}*", replace(how, numbers=(*used, name)))
    vary("numbers alone", replace(how, sides=()))
    vary("vectors alone", replace(how, numbers=()))
    vary("vectors of the judged side alone", replace(how, numbers=(), sides=(0,)))
    vary("vectors of the partner alone", replace(how, numbers=(), sides=(1,)))
    for share in (0.1, 0.5, 1.0):
        vary(f"vectors of each side count {share:g}", replace(how, vectors=share))
    for penalty in (1.0, 10.0):
        vary(f"penalty of vectors {penalty:g}", replace(how, vector_penalty=penalty))
    found["numbers and vectors fitted together"] = _marks(_together(how), sets, weights)
    for name, part in _PARTS.items():
        there = {each: Sample(_of_part(seen, part), seen.facts) for each, seen in sets.items()}
        found[f"vectors: {name}"] = _marks(_ridge(how), there, weights)
    for share in (0.05, 0.5, 1.0):
        counted = partial(_weighed, random=settings.random, how=replace(how, random=share))
        found[f"random answers count {share:g}"] = _marks(_ridge(how), sets, counted)
    found["target within systems"] = _marks(_ridge(how, 0.0), sets, weights)
    found["target half within systems"] = _marks(_ridge(how, 0.5), sets, weights)
    found["boosted trees"] = _marks(trees(how), sets, weights)
    found["network with attention over turns"] = _marks(attention(how), sets, weights)
    return found


def _weighed(seen: Sample, random: Sequence[str], how: Fitting) -> Floats:
    return weigh(seen.rows, random, how)


def _sets(settings: Settings) -> dict[str, Sample]:
    """Both runs, and the set that is not trained on."""
    metrics = {name: reading(name) for name in READS}
    metrics |= {name: from_folder(name) for name in ("maude", "dynaeval")}
    reader = Reader(metrics, phrases(metrics["relevance"].encoder))
    sides, _, _ = gather(settings.corpus)
    every = [each for some in sides.values() for each in some]
    runs = {run: [each for each in every if f":{run}:" in each.id] for run in _RUNS}
    others = {_OTHER: [each.spoken for each in corpora.load(_OTHER)]}
    found = {}
    for name, dialogues in (runs | others).items():
        asked = (_ASPECT,) if name == _OTHER else tuple(ASKED.values())[:1]
        shown = list(reader.read(dialogues))
        there = (it.facts for it in shown if isinstance(it, Shown))
        facts = [it for it in there if not it.read.own.all()]
        found[name] = Sample(rows(dialogues, shown, asked, NUMBERS | _MORE), facts)
    return found


def _marks(model: Model, sets: Mapping[str, Sample], weights: Callable[[Sample], Floats]) -> Marks:
    first, second = (sets[run] for run in _RUNS)
    both = Sample(_joined(first.rows, second.rows), [*first.facts, *second.facts])
    asked = ((second, first), (first, second), (both, sets[_OTHER]))
    numbers = []
    for learnt, other in asked:
        said = model(learnt, weights(learnt))(other)
        real, systems = other.rows.ratings[:, 0], other.rows.systems.tolist()
        numbers += [_SPEARMAN(said, real), within(said, real, systems)]
    return Marks(*numbers)


def _joined(one: Rows, other: Rows) -> Rows:
    both = {
        name: np.concatenate([getattr(one, name), getattr(other, name)])
        for name in ("numbers", "vectors", "ratings")
    }
    return replace(one, dialogues=one.dialogues + other.dialogues, **both)


def _ridge(how: Fitting, pooled: float = 1.0) -> Model:
    """As it ships; ``pooled`` is how much of the differences between systems is to be learnt."""

    def learn(seen: Sample, weights: Floats) -> Callable[[Sample], Floats]:
        some = seen.rows
        if pooled < 1:
            ratings, systems = normal(some.ratings, weights), some.systems
            for system in set(systems.tolist()):
                here = systems == system
                ratings[here] -= (1 - pooled) * ratings[here].mean(axis=0)
            some = replace(some, ratings=ratings)
        head = fit(some, how, weights)
        return lambda other: predict(head, other.rows)[:, 0]

    return learn


def _together(how: Fitting) -> Model:
    """One ridge regression on numbers and on vectors, whose penalty was chosen for the others."""

    def learn(seen: Sample, weights: Floats) -> Callable[[Sample], Floats]:
        some, share = seen.rows, weights / weights.sum()
        numbers, vectors = some.named(how.numbers), _flat(some)
        centre, middle = np.nanmean(numbers, axis=0), vectors.mean(axis=0)
        scale, spread = np.nanstd(numbers, axis=0) + 1e-9, vectors.std()

        def design(other: Rows) -> Floats:
            plain = np.nan_to_num((other.named(how.numbers) - centre) / scale).clip(-3, 3)
            return np.hstack([plain, (_flat(other) - middle) / spread])

        given, wanted = design(some), normal(some.ratings, weights)[:, 0]
        penalties = np.full(given.shape[1], _TOGETHER)
        penalties[: len(how.numbers)] = how.penalty
        square = (given * share[:, None]).T @ given + np.diag(penalties)
        own = np.linalg.solve(square, (given * share[:, None]).T @ (wanted - share @ wanted))
        return lambda other: np.asarray(design(other.rows) @ own)

    return learn


def _flat(some: Rows) -> Floats:
    return some.vectors.reshape(len(some.dialogues), -1)


def _third(places: Floats, last: bool) -> Floats:
    size = max(1, len(places) // 3)
    return places[-size:] if last else places[:size]


#: Parts of a side's turns, and what is made of their vectors, instead of the mean of all.
_PARTS: dict[str, Callable[[Floats], Floats]] = {
    "last third": lambda vectors: _third(vectors, True).mean(axis=0),
    "first third": lambda vectors: _third(vectors, False).mean(axis=0),
    "spread": lambda vectors: vectors.std(axis=0),
}


def _of_part(seen: Sample, part: Callable[[Floats], Floats]) -> Rows:
    made = [
        np.stack([part(facts.read.vectors[side]) for side in (own, ~own)])
        if (~own).any()
        else np.zeros((2, facts.read.vectors.shape[1]))
        for facts in seen.facts
        for own in [facts.read.own]
    ]
    return replace(seen.rows, vectors=np.array(made))
