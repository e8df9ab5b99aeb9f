"""Evaluations and comparisons for a terminal: a table of numbers, then what they say in words."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from ..meta.agreement import Human
from ..meta.comparison import Comparison
from ..meta.discrimination import Discrimination
from ..meta.estimate import Estimate, Resampling
from ..meta.evaluation import Evaluation
from ..meta.runs import RunComparison
from .terminal import interval, number, table, text

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

_Line = tuple[str, Estimate]


def evaluation_table(evaluation: Evaluation) -> "Group":
    """Everything an evaluation holds."""
    title = f"{evaluation.metric} against people: {evaluation.aspect}"
    sections = [list(part) for part in _sections(evaluation)]
    verdict = "This correlation counts: it beats the best trivial baseline and survives length."
    if against := "; ".join(evaluation.objections):
        verdict = f"This correlation does not count as a result: {against}."
    sentences = (*_sample(evaluation), *_doubts(evaluation), verdict)
    return _page(title, _estimates(sections, evaluation.settings), sentences)


def comparison_table(comparison: Comparison) -> "Group":
    """Metrics, best first, and every pair of them."""
    metrics = _estimates([list(comparison.correlations.items())], comparison.settings)
    bounds = _confidence(comparison.settings)
    pairs = table("first less second", "difference", bounds, "p", "p (Holm)", whole=True)
    for pair in comparison.pairs:
        chances = (f"{pair.p:.4f}", f"{pair.p_corrected:.4f}")
        pairs.add_row(text(f"{pair.first} − {pair.second}"), *_cells(pair.difference), *chances)
    title = f"{comparison.settings.coefficient} with people: {comparison.aspect}"
    return _page(title, metrics, _comparison_sentences(comparison), pairs)


def _comparison_sentences(comparison: Comparison) -> Iterator[str]:
    """Who is better than whom, in words."""
    yield (
        f"n = {comparison.n} items in {_count(comparison.contexts, 'context')} that every metric "
        "scored. p: paired permutation test that swaps whole contexts."
    )
    if comparison.unscored:
        yield f"{_count(comparison.unscored, 'item')} left out: a metric has no score."
    proven = [pair for pair in comparison.pairs if pair.p_corrected < 0.05]
    for pair in proven:
        first, second = pair.first, pair.second
        better, worse = (second, first) if pair.difference.value < 0 else (first, second)
        yield f"{better} is better than {worse} (p = {pair.p_corrected:.4f})."
    if not proven:
        yield "No metric is shown to be better than another."
    for pair in comparison.pairs:
        if test := pair.williams:
            result = f"t({test.df}) = {test.t:.2f}, p = {test.p:.4f}"
            yield f"Williams' test of {pair.first} and {pair.second}: {result}."


def runs_table(comparison: RunComparison, names: Sequence[str] = ("first", "second")) -> "Group":
    """Two runs' means and their difference."""
    result = comparison.result
    rows = [(names[0], result.first), (names[1], result.second)]
    less = (f"{names[0]} − {names[1]}", result.difference)
    title = f"mean {comparison.metric} of two runs"
    means = _estimates([rows, [less]], comparison.settings)
    return _page(title, means, _runs_sentences(comparison, names))


def _runs_sentences(comparison: RunComparison, names: Sequence[str]) -> Iterator[str]:
    """Which run is higher, in words."""
    result = comparison.result
    higher, lower = names if result.difference.value > 0 else names[::-1]
    shown = f"{higher} scores higher than {lower}" if result.p < 0.05 else "No difference is shown"
    how = {"id": "paired by id", "context": "paired by context", "nothing": "unpaired"}
    test = f"permutation test, {how[comparison.paired_by]}"
    yield f"{shown} (p = {result.p:.4f}; {test}, n = {result.difference.n})."
    counts = (comparison.unpaired, "no partner and took no part"), (comparison.unscored, "no score")
    for both, lack in counts:
        for name, rows in zip(names, both, strict=True):
            if rows:
                yield f"{_count(rows, 'row')} of {name} had {lack}."
    yield from (f"Note: {note}." for note in comparison.notes)


def discrimination_table(result: Discrimination) -> "Group":
    """Accuracy over all pairs and by cause."""
    sections = [[("all pairs", result.accuracy)], list(result.causes.items())]
    numbers = _estimates(sections, result.settings)
    ties, dropped = _count(result.ties, "tie"), _count(result.dropped, "pair")
    sentence = f"{ties} (one half each), {dropped} without a score left out."
    return _page("How often the better is preferred (chance: 0.5)", numbers, [sentence])


def _sections(evaluation: Evaluation) -> Iterator[Iterable[_Line]]:
    chosen, confounds = evaluation.settings.coefficient, evaluation.confounds
    yield evaluation.correlations.items()
    yield (
        (f"{chosen} given length", confounds.given_length),
        (f"{chosen} within systems", confounds.within),
        (f"{chosen} within systems, given length", confounds.given_length_within),
    )
    level = confounds.system_level
    yield [("over systems", level)] if isinstance(level, Estimate) else []
    yield (("oracle: system name", confounds.oracle), ("… split-half", confounds.oracle_split_half))
    if confounds.baseline:
        best = confounds.baseline
        yield (
            (f"best trivial: {best.name}", best.correlation),
            ("metric − trivial", best.difference),
        )
    human = evaluation.human
    if isinstance(human, Human):
        names = ("one rater against the rest", "human ceiling", "Krippendorff's alpha")
        yield zip(names, (human.level, human.ceiling, human.alpha), strict=True)
    if len(confounds.systems) > 1:
        yield ((f"only {name}", estimate) for name, estimate in confounds.systems.items())


def _sample(evaluation: Evaluation) -> Iterator[str]:
    settings = evaluation.settings
    yield (
        f"n = {evaluation.n} items in {_count(evaluation.contexts, 'context')}; intervals: "
        f"{settings.method}, {settings.resamples:,} resamples of "
        f"contexts, seed {settings.seed}."
    )
    if evaluation.unscored:
        yield f"{_count(evaluation.unscored, 'rated item')} left out: the metric has no score."
    if evaluation.unrated:
        yield f"{_count(evaluation.unrated, 'item')} left out: nobody rated this aspect."
    power = evaluation.power
    if power.correlation is not None and power.difference is not None:
        yield (
            "Power (80 % at the 5 % level): these items can tell a correlation from 0 when it is "
            f"at least {power.correlation:.2f}, and two metrics like this one apart when they "
            f"differ by at least {power.difference:.2f}."
        )


def _doubts(evaluation: Evaluation) -> Iterator[str]:
    confounds, headline = evaluation.confounds, evaluation.headline
    if len(confounds.systems) < 2:
        yield "All items come from one system: there is nothing for the oracle to know."
    elif confounds.oracle.value >= abs(headline.value):
        yield (
            "Knowing only which system spoke predicts people at least as well as this metric: "
            "read the correlation within systems."
        )
    for absent in (evaluation.human, confounds.system_level):
        if isinstance(absent, str):
            yield absent
    noted: dict[str, list[str]] = {}
    for name, estimate in chain.from_iterable(_sections(evaluation)):
        noted.setdefault(estimate.note, []).append(name)
    yield from (f"Note ({', '.join(names)}): {note}." for note, names in noted.items() if note)


def _estimates(sections: Sequence[Sequence[_Line]], settings: Resampling) -> "Table":
    grid = table("", "value", _confidence(settings), "n", whole=True)
    for section in sections:
        for name, estimate in section:
            grid.add_row(text(name), *_cells(estimate), str(estimate.n))
        grid.add_section()
    return grid


def _cells(estimate: Estimate) -> tuple[str, str]:
    return number(estimate.value, "undefined"), interval(estimate, 3)


def _page(title: str, numbers: "Table", sentences: Iterable[str], *more: "Table") -> "Group":
    from rich.console import Group

    head = text(title)
    head.stylize("bold")
    return Group(head, numbers, *more, *map(text, sentences))


def _confidence(settings: Resampling) -> str:
    return f"{100 * settings.confidence:g} % interval"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
