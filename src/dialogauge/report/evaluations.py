"""Evaluations and comparisons for a terminal: a table of numbers, then what they say in words.

Names come from data, so every one passes through :func:`~dialogauge.printable.printable` and
stands in a ``rich.text.Text``, where markup means nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ..printable import printable
from .agreement import Human
from .comparison import Comparison
from .discrimination import Discrimination
from .estimate import Estimate, Settings
from .evaluation import Evaluation
from .runs import RunComparison

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

Line = tuple[str, Estimate]


def evaluation_table(evaluation: Evaluation) -> "Group":
    """Everything an evaluation holds."""
    title = f"{evaluation.metric} against people: {evaluation.aspect}"
    sections = [list(part) for part in _sections(evaluation)]
    table = _estimates(sections, evaluation.settings)
    return _page(title, table, evaluation_sentences(evaluation))


def evaluation_sentences(evaluation: Evaluation) -> list[str]:
    """What the numbers of an evaluation say, in words."""
    parts = (_sample(evaluation), _power(evaluation), _oracle(evaluation), _absent(evaluation))
    sentences = [sentence for part in parts for sentence in part]
    return [*sentences, *_notes(evaluation), _verdict(evaluation)]


def comparison_table(comparison: Comparison) -> "Group":
    """Metrics, best first, and every pair of them."""
    metrics = _estimates([list(comparison.correlations.items())], comparison.settings)
    bounds = _confidence(comparison.settings)
    pairs = _table("first less second", "difference", bounds, "p", "p (Holm)")
    for pair in comparison.pairs:
        name = f"{pair.first} − {pair.second}"
        numbers = (f"{pair.p:.4f}", f"{pair.p_corrected:.4f}")
        pairs.add_row(_text(name), *_cells(pair.difference)[:2], *numbers)
    title = f"{comparison.settings.coefficient} with people: {comparison.aspect}"
    return _page(title, metrics, comparison_sentences(comparison), pairs)


def comparison_sentences(comparison: Comparison) -> list[str]:
    """Who is better than whom, in words."""
    sentences = [
        f"n = {comparison.n} items in {_count(comparison.contexts, 'context')} that every metric "
        "scored. p: paired permutation test that swaps whole contexts."
    ]
    if comparison.unscored:
        sentences.append(f"{_count(comparison.unscored, 'item')} left out: a metric has no score.")
    proven = [pair for pair in comparison.pairs if pair.p_corrected < 0.05]
    for pair in proven:
        better, worse = pair.first, pair.second
        if pair.difference.value < 0:
            better, worse = worse, better
        sentences.append(f"{better} is better than {worse} (p = {pair.p_corrected:.4f}).")
    if not proven:
        sentences.append("No metric is shown to be better than another.")
    for pair in comparison.pairs:
        if pair.williams:
            test = f"t({pair.williams.df}) = {pair.williams.t:.2f}, p = {pair.williams.p:.4f}"
            sentences.append(f"Williams' test of {pair.first} and {pair.second}: {test}.")
    return sentences


def runs_table(comparison: RunComparison, names: Sequence[str] = ("first", "second")) -> "Group":
    """Two runs' means and their difference."""
    result = comparison.result
    rows = [(names[0], result.first), (names[1], result.second)]
    less = (f"{names[0]} − {names[1]}", result.difference)
    title = f"mean {comparison.metric} of two runs"
    table = _estimates([rows, [less]], comparison.settings)
    return _page(title, table, runs_sentences(comparison, names))


def runs_sentences(
    comparison: RunComparison, names: Sequence[str] = ("first", "second")
) -> list[str]:
    """Which run is higher, in words."""
    result = comparison.result
    higher, lower = names if result.difference.value > 0 else names[::-1]
    shown = f"{higher} scores higher than {lower}" if result.p < 0.05 else "No difference is shown"
    how = {"id": "paired by id", "context": "paired by context", "nothing": "unpaired"}
    test = f"permutation test, {how[comparison.paired_by]}"
    sentences = [f"{shown} (p = {result.p:.4f}; {test}, n = {result.difference.n})."]
    for name, unpaired in zip(names, comparison.unpaired, strict=True):
        if unpaired:
            sentences.append(
                f"{_count(unpaired, 'row')} of {name} had no partner and took no part."
            )
    for name, unscored in zip(names, comparison.unscored, strict=True):
        if unscored:
            sentences.append(f"{_count(unscored, 'row')} of {name} had no score.")
    return sentences + [f"Note: {note}." for note in comparison.notes]


def discrimination_table(result: Discrimination) -> "Group":
    """Accuracy over all pairs and by cause."""
    rows = [[("all pairs", result.accuracy)], list(result.causes.items())]
    table = _estimates(rows, result.settings)
    sentences = [
        f"{_count(result.ties, 'tie')} (one half each), "
        f"{_count(result.dropped, 'pair')} without a score left out."
    ]
    return _page("How often the better is preferred (chance: 0.5)", table, sentences)


def _sections(evaluation: Evaluation) -> Iterator[Iterable[Line]]:
    chosen, confounds = evaluation.settings.coefficient, evaluation.confounds
    yield ((f"{name}", estimate) for name, estimate in evaluation.correlations.items())
    yield (
        (f"{chosen} given length", confounds.given_length),
        (f"{chosen} within systems", confounds.within),
        (f"{chosen} within systems, given length", confounds.given_length_within),
    )
    level = [("over systems", confounds.system_level)]
    yield [(name, it) for name, it in level if isinstance(it, Estimate)]
    yield (("oracle: system name", confounds.oracle), ("… split-half", confounds.oracle_split_half))
    if confounds.baseline:
        name = f"best trivial: {confounds.baseline.name}"
        yield (
            (name, confounds.baseline.correlation),
            ("metric − trivial", confounds.baseline.difference),
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


def _power(evaluation: Evaluation) -> Iterator[str]:
    power = evaluation.power
    if power.correlation is not None and power.difference is not None:
        yield (
            "Power (80 % at the 5 % level): these items can tell a correlation from 0 when it is "
            f"at least {power.correlation:.2f}, and two metrics like this one apart when they "
            f"differ by at least {power.difference:.2f}."
        )


def _oracle(evaluation: Evaluation) -> Iterator[str]:
    confounds, headline = evaluation.confounds, evaluation.headline
    if len(confounds.systems) < 2:
        yield "All items come from one system: there is nothing for the oracle to know."
    elif confounds.oracle.value >= abs(headline.value):
        yield (
            "Knowing only which system spoke predicts people at least as well as this metric: "
            "read the correlation within systems."
        )


def _absent(evaluation: Evaluation) -> Iterator[str]:
    if isinstance(evaluation.human, str):
        yield evaluation.human
    if isinstance(evaluation.confounds.system_level, str):
        yield evaluation.confounds.system_level


def _notes(evaluation: Evaluation) -> list[str]:
    lines = [line for section in _sections(evaluation) for line in section]
    noted: dict[str, list[str]] = {}
    for name, estimate in lines:
        if estimate.note:
            noted.setdefault(estimate.note, []).append(name)
    return [f"Note ({', '.join(names)}): {note}." for note, names in noted.items()]


def _verdict(evaluation: Evaluation) -> str:
    if not evaluation.objections:
        return "This correlation counts: it beats the best trivial baseline and survives length."
    return f"This correlation does not count as a result: {'; '.join(evaluation.objections)}."


def _estimates(sections: Sequence[Sequence[Line]], settings: Settings) -> "Table":
    table = _table("", "value", _confidence(settings), "n")
    for section in sections:
        for name, estimate in section:
            table.add_row(_text(name), *_cells(estimate))
        table.add_section()
    return table


def _table(first: str, *others: str) -> "Table":
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(first)
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _cells(estimate: Estimate) -> tuple[str, str, str]:
    value = "undefined" if estimate.value != estimate.value else f"{estimate.value:.3f}"
    bounds = "" if estimate.low != estimate.low else f"{estimate.low:.3f} … {estimate.high:.3f}"
    return value, bounds, str(estimate.n)


def _page(title: str, table: "Table", sentences: Sequence[str], *more: "Table") -> "Group":
    from rich.console import Group

    return Group(_text(title, style="bold"), table, *more, *map(_text, sentences))


def _text(text: str, style: str = "") -> "Text":
    from rich.text import Text

    return Text(printable(text), style=style)


def _confidence(settings: Settings) -> str:
    return f"{100 * settings.confidence:g} % interval"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
