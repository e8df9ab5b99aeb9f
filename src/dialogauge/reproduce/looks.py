"""Looks: a metric set against people on one set, in one row; and the log of those that count.

Test sets are FED, DSTC9, ConvAI2-GRADE and Empathetic-GRADE. Whoever may look at them again and
again chooses by them, so a trained metric meets them only in :func:`final`, and each such meeting
is a line of ``test-log.jsonl``: when, with which weights, and every number.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import numpy as np
from msgspec.structs import replace
from scipy.stats import rankdata

from .. import __version__, corpora
from ..atomic import lock, reporting, sync
from ..dialogue import Dialogue
from ..errors import InputError
from ..judging import keep_apart
from ..meta import Comparison, Estimate, Evaluation, Resampling, compare, evaluate
from ..meta.agreement import Human
from ..meta.comparison import Pair
from ..metrics import TRIVIAL, Metric
from ..report.markdown import cell, table
from ..scores import Scores
from ..scoring import score

#: Sets by name, and the aspect, or the aspects, that people rated.
Aspects = Mapping[str, str | tuple[str, ...]]

LOG = "test-log.jsonl"
_ENCODER = re.compile(r"\|encoder:([^|]+)\|sha256:(\w{8})")
_HEAD = (
    *("set", "aspect", "metric", "n", "Spearman", "within systems", "given length", "oracle"),
    *("best trivial", "ceiling", "counts as a result"),
)


class Over(msgspec.Struct, frozen=True):
    """By how much a metric agrees better with people than another, on the same items."""

    metric: str  # the other
    difference: Estimate
    p: float  # of a paired permutation test that swaps whole contexts

    def __str__(self) -> str:
        return f"{self.difference.short} over {self.metric}, p = {self.p:.3f}"

    @property
    def verdict(self) -> str:
        """What the interval allows to say."""
        if self.difference.low > 0:
            return "better"
        return "worse" if self.difference.high < 0 else "no difference shown"


class Look(msgspec.Struct, frozen=True, omit_defaults=True):
    """One metric on one aspect of one set, with what must stand beside a correlation."""

    metric: str
    corpus: str
    aspect: str
    n: int
    spearman: Estimate
    pearson: Estimate
    kendall: Estimate
    within: Estimate  # within systems
    given_length: Estimate
    oracle: Estimate  # who knows only which system spoke
    ceiling: Estimate  # a perfect metric's correlation; undefined where only means were published
    baseline: str  # the best trivial one
    baseline_spearman: Estimate
    objections: tuple[str, ...]  # why it does not count as a result
    signature: str
    over: Over | None = None  # what was asked: is it better than what it was trained from?
    #: Of a metric with intervals: how often they hold the share of items that people like less.
    covered: Estimate | None = None

    @property
    def encoder(self) -> str:
        """The encoder that it read with, and the beginning of its hash: a name may be reused."""
        found = _ENCODER.search(self.signature)
        return " ".join(found.groups()) if found else ""

    @property
    def best_trivial(self) -> str:
        """The best trivial baseline: its correlation and its name."""
        return f"{cell(self.baseline_spearman)} {self.baseline}"


class Final(msgspec.Struct, frozen=True):
    """A line of the log: everything that one final run saw."""

    date: str
    reproduction: str
    dialogauge: str
    looks: tuple[Look, ...]


def look(
    metrics: Sequence[Metric],
    aspects: Aspects,
    settings: Resampling | None = None,
    over: Mapping[str, str] | None = None,
) -> list[Look]:
    """Metrics on sets where anyone may look: a trained metric on a test set is refused.

    ``over`` names for some metrics another of them, which they are compared with item by item.
    """
    for corpus in aspects:
        keep_apart(corpus, metrics)
    return _looks(metrics, aspects, settings, over or {})


def final(
    reproduction: str,
    metrics: Sequence[Metric],
    aspects: Aspects,
    docs: Path,
    settings: Resampling | None = None,
    over: Mapping[str, str] | None = None,
) -> Final:
    """The look that counts: metrics on test sets, every number appended to the log in ``docs``."""
    if not docs.is_dir():
        remedy = "run it in the project's folder, or name the folder of the log with --docs"
        raise InputError("there is no such folder", file=str(docs), remedy=remedy)
    path = docs / LOG
    with reporting(path), path.open("ab") as file:  # opened first: no look without a line
        lock(file, path)
        looks = tuple(_looks(metrics, aspects, settings, over or {}))
        date = datetime.now(UTC).isoformat(timespec="seconds")
        seen = Final(date, reproduction, __version__, looks)
        file.write(msgspec.json.encode(seen) + b"\n")
        sync(file)
    return seen


def logged(docs: Path, reproduction: str) -> tuple[Final, ...]:
    """The final looks of a reproduction so far, the oldest first."""
    path, finals = docs / LOG, []
    try:
        lines = path.read_bytes().splitlines() if path.exists() else []
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(path)) from None
    for number, line in enumerate(lines, 1):
        try:
            finals.append(msgspec.json.decode(line, type=Final))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            problem = f"this is not a line of the log: {str(error).replace('`', '')}"
            raise InputError(problem, file=str(path), line=number) from None
    return tuple(each for each in finals if each.reproduction == reproduction)


def _looks(
    metrics: Sequence[Metric],
    aspects: Aspects,
    settings: Resampling | None,
    over: Mapping[str, str],
) -> list[Look]:
    """Each set is scored once, whatever the number of its aspects."""
    looks = []
    for corpus, asked in aspects.items():
        dialogues = corpora.load(corpus)
        scores, trivial = score(dialogues, metrics), score(dialogues, TRIVIAL)
        for aspect in (asked,) if isinstance(asked, str) else asked:
            evaluations = (
                evaluate(scores, name, dialogues, aspect, baselines=trivial, settings=settings)
                for name in scores.metrics
            )
            for each in evaluations:
                pair = [(scores, name) for name in (each.metric, over.get(each.metric)) if name]
                compared = compare(pair, dialogues, aspect, settings) if pair[1:] else None
                inside = covered(scores, each.metric, dialogues, aspect)
                looks.append(replace(_look(each, corpus, compared), covered=inside))
    return looks


def covered(
    scores: Scores, metric: str, dialogues: Sequence[Dialogue], aspect: str
) -> Estimate | None:
    """How often an interval holds the share of these items that people like less than this one.

    None of a metric that gives no intervals.
    """
    ratings = {one.id: one.rating(aspect) for one in dialogues}
    found = [
        (interval, ratings[row.id])
        for row in scores.rows
        if (interval := row.interval(metric)) and not math.isnan(ratings.get(row.id, math.nan))
    ]
    if not found:
        return None
    ends, given = np.array([it for it, _ in found]), np.array([it for _, it in found])
    share = (rankdata(given) - 0.5) / len(given)
    inside = (ends[:, 0] <= share) & (share <= ends[:, 1])
    return Estimate(float(inside.mean()), n=len(inside))


def _look(evaluation: Evaluation, corpus: str, compared: Comparison | None) -> Look:
    """What a table shows of an evaluation, and of the comparison with another metric."""
    confounds, human = evaluation.confounds, evaluation.human
    best = confounds.baseline
    return Look(
        metric=evaluation.metric,
        corpus=corpus,
        aspect=evaluation.aspect,
        n=evaluation.n,
        **{name: evaluation.correlations[name] for name in ("spearman", "pearson", "kendall")},
        within=confounds.within,
        given_length=confounds.given_length,
        oracle=confounds.oracle,
        ceiling=human.ceiling if isinstance(human, Human) else Estimate(math.nan),
        baseline=best.name if best else "",
        baseline_spearman=best.correlation if best else Estimate(math.nan),
        objections=evaluation.objections,
        signature=evaluation.signatures[evaluation.metric],
        over=_over(evaluation.metric, compared.pairs[0]) if compared else None,
    )


def _over(metric: str, pair: Pair) -> Over:
    """A comparison as the metric sees it: what it gains over the other, or loses."""
    gap = pair.difference
    if pair.first == metric:
        return Over(pair.second, gap, pair.p)
    turned = replace(gap, value=-gap.value, low=-gap.high, high=-gap.low)
    return Over(pair.first, turned, pair.p)


def newest(finals: Sequence[Final]) -> dict[tuple[str, str, str], Estimate]:
    """Spearman's correlations of the last final look, by metric, set and aspect."""
    return by_place(finals[-1].looks if finals else ())


def by_place(looks: Iterable[Look]) -> dict[tuple[str, str, str], Estimate]:
    """Spearman's correlations by metric, set and aspect."""
    return {(each.metric, each.corpus, each.aspect): each.spearman for each in looks}


def correlations(looks: Iterable[Look], encoders: bool = False) -> str:
    """Looks as a table: the correlation, and everything that must stand beside it.

    With ``encoders`` a column says which one each metric read with.
    """
    rows = (
        (
            *(each.corpus, each.aspect, each.metric, *[each.encoder] * encoders, each.n),
            *(each.spearman, each.within, each.given_length, each.oracle),
            *(each.best_trivial, each.ceiling, "; ".join(each.objections) or "yes"),
        )
        for each in looks
    )
    return table((*_HEAD[:3], *["encoder"] * encoders, *_HEAD[3:]), rows)


def gains(looks: Iterable[Look]) -> str:
    """What each metric that was compared gains over the other."""
    rows = (
        (each.corpus, each.metric, each.spearman, each.over, each.over.verdict)
        for each in looks
        if each.over
    )
    return table(("set", "metric", "Spearman", "gain", ""), rows)


def final_looks(
    name: str, finals: Sequence[Final], wanted: Callable[[Look], bool] = lambda _: True
) -> str:
    """Every final look of a page, a table each; ``wanted`` says which of the rows."""
    if not finals:
        return f"No look was taken yet: `dialogauge reproduce {name} --final` takes one."
    parts = []
    for each, fresh in zip(finals, without_repeats(finals), strict=True):
        rows = list(filter(wanted, fresh.looks))
        repeated = sum(map(wanted, each.looks)) - len(rows)
        again = f"; {repeated} numbers of an earlier look came again" if repeated else ""
        parts.append(f"{each.date}, dialogauge {each.dialogauge}{again}")
        parts += [correlations(rows, encoders=True)] if rows else []
    return "\n\n".join(parts)


def without_repeats(finals: Iterable[Final]) -> Iterator[Final]:
    """Each final look with what is new in it: the same weights have the same numbers again."""
    seen: set[tuple[object, ...]] = set()
    for each in finals:
        known = {_number(one): one for one in each.looks if _number(one) not in seen}
        seen |= known.keys()
        yield replace(each, looks=tuple(known.values()))


def _number(look: Look) -> tuple[object, ...]:
    return look.metric, look.corpus, look.aspect, look.signature, look.spearman.value
