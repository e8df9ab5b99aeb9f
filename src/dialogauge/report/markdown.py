"""Tables in Markdown: what pages, model cards and benchmarks are written with."""

import math
from collections.abc import Iterable, Sequence

from ..escaping import printable
from ..meta.estimate import Estimate


def table(
    head: Sequence[object], rows: Iterable[Sequence[object]], *, numbers: bool = False
) -> str:
    r"""A table; with ``numbers`` all columns but the first stand to the right.

    >>> from ..meta.estimate import Estimate
    >>> rows = [("cosim", 1482, Estimate(0.4823, 0.351, 0.588, n=1482)), ("a|b", 7, None)]
    >>> print(table(("metric", "n", "Spearman"), rows))
    | metric | n | Spearman |
    | --- | --- | --- |
    | cosim | 1,482 | 0.482 [0.35, 0.59] |
    | a\|b | 7 |  |
    """
    rule = ["---", *["---:" if numbers else "---"] * (len(head) - 1)]
    lines = [map(cell, head), rule, *(map(cell, row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def cell(value: object) -> str:
    """What stands in a cell: a number for the eye, or text that cannot leave its cell."""
    if value is None:
        return ""
    if isinstance(value, Estimate):
        return "–" if math.isnan(value.value) else value.short
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return printable(str(value)).replace("|", "\\|")
