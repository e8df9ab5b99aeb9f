"""An exam of meaning: held conversations with one damage each, told, located and named.

Every manipulation that DEAM's model learns from (``train/models/deam/damage.py``) is made on
conversations of 8 to 20 turns that no training sees. A metric *tells* a damaged conversation that
it scores below the undamaged one, *hits* when its lowest turn is a broken one, *names* it by the
cause that it gives there, right or not, and *marks* its changed words. Any metric can be asked; one
without turns has no hits.
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from ..contrast import Contrast
from ..dialogue import Dialogue, Turn
from ..manipulate.manipulation import seeded
from ..manipulate.pool import Pool, Translate
from ..manipulate.responses import sentences
from ..meta import Estimate, Resampling, discriminate
from ..metrics import Metric
from ..scores import Score
from ..train.classifying import macro_f1
from ..train.models.deam.damage import CAUSES, Damaged, Span, cause_of, damaged, names
from ..train.models.deam.material import HARMLESS, everywhere
from .exams import held
from .page import UNKNOWN

_SHORTEST, _LONGEST = 8, 20
_SEED = 1
_WORD = re.compile(r"\S+")


class Case(NamedTuple):
    """A conversation, a damaged one, by which manipulation, and what of it broke.

    That is turns, and of each the changed characters, none where it is the turn as a whole.
    """

    better: Dialogue
    worse: Dialogue
    name: str
    broken: Mapping[int, tuple[Span, ...]]


class Marks(msgspec.Struct, frozen=True):
    """How a metric does on one manipulation."""

    told: Estimate
    hit: Estimate
    chance: float  # of a hit by guessing: the share of turns that are broken
    n: int


class Verdicts(msgspec.Struct, frozen=True):
    """How a metric does on all of them, and how well it names causes."""

    marks: Mapping[str, Marks]
    cause_f1: float  # mean over causes, manipulations weighed alike; NaN of one that names none
    alarms: float  # causes that are named in an undamaged conversation


def cases(corpora: Sequence[str], each: int) -> list[Case]:
    """Of so many held conversations of each corpus, every damage that can be done."""
    made = list[Case]()
    for corpus in corpora:
        fitting = [it for it in held(corpus) if _SHORTEST <= len(it.turns) <= _LONGEST]
        chosen = sorted(fitting, key=lambda it: it.digest)[:each]  # of any topic
        pool = Pool(chosen)
        made += [case for dialogue in chosen for case in of(dialogue, pool)]
    return made


def of(dialogue: Dialogue, pool: Pool) -> Iterator[Case]:
    """Every damage that can be done to a conversation."""
    for it in damaged(dialogue, names(), pool, _SEED):
        broken = {each.turn: each.spans for each in it.broken}
        yield Case(dialogue, _worse(dialogue, it), it.name, broken)


def _worse(dialogue: Dialogue, it: Damaged) -> Dialogue:
    turns = tuple(Turn(speaker, text) for speaker, text in it.turns)
    return msgspec.structs.replace(dialogue, id=f"{dialogue.id}~{it.name}", turns=turns)


def examine(metric: Metric, asked: Sequence[Case], settings: Resampling | None = None) -> Verdicts:
    """What a metric says of the cases."""
    whole = {case.better.id: case.better for case in asked}
    better = dict(zip(whole, metric.score(list(whole.values())), strict=True))
    worse = metric.score([case.worse for case in asked])
    by_name = defaultdict[str, list[int]](list)
    for row, case in enumerate(asked):
        by_name[case.name].append(row)
    marks = {}
    for name, rows in by_name.items():
        some = [(asked[row], worse[row]) for row in rows]
        groups = [case.better.id for case, _ in some]
        values = np.array([[better[case.better.id].value, each.value] for case, each in some])
        hits = np.array([_hit(case, each) for case, each in some])
        told = discriminate(values[:, 0], values[:, 1], groups, settings=settings).accuracy
        chance = float(np.mean([len(it.broken) / len(it.worse.turns) for it, _ in some]))
        marks[name] = Marks(told, _share(hits, groups, settings), chance, len(rows))
    alarms = float(np.mean([len(each.causes) for each in better.values()]))
    return Verdicts(marks, cause_f1(asked, worse), alarms)


class Harmless(msgspec.Struct, frozen=True):
    """How a metric takes an edit that leaves the sense as it is."""

    above: Estimate  # how often the edited one scores above the damaged one
    moved: float  # by how much the edit moves a score, in standard deviations of scores
    risen: float  # how often the edited one scores above itself as it was said
    n: int  # conversations


def harmless(
    metric: Metric, asked: Sequence[Case], translate: Translate | None = None
) -> dict[str, Harmless]:
    """What a metric says of conversations that were said in other words, and as well."""
    whole, scores, worse = _both(metric, asked)
    spread, pool, answers = np.nanstd(list(scores.values())), Pool([], translate=translate), {}
    if translate:  # which remembers: one call of its program is enough
        turns = (turn for dialogue in whole.values() for turn in dialogue.turns)
        translate([each for turn in turns for each in sentences(turn.text)])
    for name in HARMLESS:
        edited = {
            id: made.dialogue
            for id, dialogue in whole.items()
            if (made := everywhere(name)(dialogue, seeded(_SEED, id, name), pool))
        }
        if not edited:  # nobody translates here
            continue
        again = dict(zip(edited, _values(metric, edited.values()), strict=True))
        rows = [row for row, case in enumerate(asked) if case.better.id in again]
        groups = [asked[row].better.id for row in rows]
        same = np.array([again[id] for id in groups])
        above = discriminate(same, worse[rows], groups).accuracy
        moved = np.nanmean([abs(again[id] - scores[id]) for id in again]) / spread
        risen = float(np.mean([again[id] > scores[id] for id in again]))
        answers[name] = Harmless(above, float(moved), risen, len(again))
    return answers


def _both(
    metric: Metric, asked: Sequence[Case]
) -> tuple[dict[str, Dialogue], dict[str, float], np.ndarray]:
    """The undamaged conversations and their scores by id, and the score of each damaged one."""
    whole = {case.better.id: case.better for case in asked}
    scores = dict(zip(whole, _values(metric, whole.values()).tolist(), strict=True))
    return whole, scores, _values(metric, [case.worse for case in asked])


def _values(metric: Metric, dialogues: Iterable[Dialogue]) -> np.ndarray:
    return np.array([each.value for each in metric.score(list(dialogues))])


def told(
    metric: Metric,
    asked: Sequence[Case],
    families: Mapping[str, Sequence[str]],
    settings: Resampling | None = None,
) -> dict[str, Estimate]:
    """How often a metric tells the damage of each family of manipulations."""
    _, scores, worse = _both(metric, asked)
    shares = {}
    for family, some in families.items():
        rows = [row for row, case in enumerate(asked) if case.name in some]
        groups = [asked[row].better.id for row in rows]
        better = np.array([scores[id] for id in groups])
        shares[family] = discriminate(better, worse[rows], groups, settings=settings).accuracy
    return shares


def kinds(metrics: Sequence[Metric], pairs: Sequence[Contrast]) -> dict[str, list[int]]:
    """Of each kind of pairs and of all: how many, how many each metric tells, the last locates."""
    better, worse = [pair.better for pair in pairs], [pair.worse for pair in pairs]
    columns = [[True] * len(pairs)]
    bad = list[Score]()
    for metric in metrics:
        good, bad = metric.score(better), metric.score(worse)
        columns.append([one.value > two.value for one, two in zip(good, bad, strict=True)])
    changed = ({change.turn for change in pair.changes} for pair in pairs)
    columns.append([lowest(it) in turns for it, turns in zip(bad, changed, strict=True)])
    places = defaultdict[str, list[int]](list)
    for at, pair in enumerate(pairs):
        places[pair.cause].append(at)
    some = {**places, "all": list(range(len(pairs)))}
    return {
        kind: [sum(column[at] for at in own) for column in columns] for kind, own in some.items()
    }


def _hit(case: Case, score: Score) -> float:
    """1 if the lowest turn is a broken one, 0 if not, NaN if turns have no scores."""
    worst = lowest(score)
    return float(worst in case.broken) if worst is not None else math.nan


def lowest(score: Score) -> int | None:
    """The turn with the lowest score, None if turns have none."""
    turns = [(value, at) for at, value in enumerate(score.turns) if not math.isnan(value)]
    return min(turns)[1] if turns else None


def _share(hits: np.ndarray, groups: Sequence[str], settings: Resampling | None) -> Estimate:
    known = ~np.isnan(hits)
    if not known.any():
        return UNKNOWN
    clusters = [group for group, there in zip(groups, known, strict=True) if there]
    half = np.full(int(known.sum()), 0.5)
    return discriminate(hits[known], half, clusters, settings=settings).accuracy


def cause_f1(asked: Sequence[Case], scores: Sequence[Score]) -> float:
    """How well causes are named at the lowest turns: the mean of F1 over causes."""
    places = {cause: at for at, cause in enumerate(CAUSES)}
    counts = defaultdict[str, int](int)
    for case in asked:
        counts[case.name] += 1
    share = np.zeros((len(places), len(places) + 1))  # (is, called); the last: not named
    for case, score in zip(asked, scores, strict=True):
        worst = lowest(score)
        named = [places.get(it.name, -1) for it in score.causes if it.turn == worst]
        share[places[cause_of(case.name)], (named or [-1])[0]] += 1 / counts[case.name]
    return macro_f1(share) if share[:, :-1].any() else math.nan


#: Says of each dialogue which characters of its turns seem changed.
Marking = Callable[[Sequence[Dialogue]], Sequence[Mapping[int, Sequence[Span]]]]


def words_f1(mark: Marking, asked: Sequence[Case]) -> dict[str, float]:
    """How well changed words are marked: F1 of each case, and of these the mean by manipulation.

    Words of a turn that is broken as a whole do not count; nor do cases that have no others.
    """
    known = [case for case in asked if any(case.broken.values())]
    marked = mark([case.worse for case in known])
    shares = defaultdict[str, list[float]](list)
    for case, own in zip(known, marked, strict=True):
        whole = {turn for turn, spans in case.broken.items() if not spans}
        real = _words(case.worse, case.broken)
        guessed = _words(case.worse, {turn: own[turn] for turn in own if turn not in whole})
        shares[case.name].append(2 * len(real & guessed) / (len(real) + len(guessed)))
    return {name: float(np.mean(some)) for name, some in shares.items()}


def _words(dialogue: Dialogue, spans: Mapping[int, Sequence[Span]]) -> set[tuple[int, int]]:
    """The words that share a character with a span: the turn, and where they begin."""
    return {
        (turn, word.start())
        for turn, some in spans.items()
        for word in _WORD.finditer(dialogue.turns[turn].text)
        if any(start < word.end() and word.start() < end for start, end in some)
    }
