"""Meta-evaluation: how far a metric's numbers can be trusted.

Reads scores and people's ratings, never a model. From the bottom up::

    estimate         a value with its interval; the resampling it was made with
    weighted         statistics of a resample, from how often each item was drawn
    bootstrap        resampling contexts; percentile and BCa intervals
    correlation      the coefficients
    agreement        people against people
    significance     is A better than B
    power            what a set of items could show
    items            scores and ratings side by side
    confounds        what else explains a correlation
    evaluation       one metric against people
    comparison       several metrics against people
    runs             two runs against each other
    discrimination   better against worse
    means            running means of scores
"""

from .agreement import krippendorff
from .comparison import Comparison, compare
from .discrimination import Discrimination, discriminate
from .estimate import Estimate, Resampling
from .evaluation import Evaluation, evaluate
from .runs import RunComparison, compare_runs, of_system

__all__ = [
    "Comparison",
    "Discrimination",
    "Estimate",
    "Evaluation",
    "Resampling",
    "RunComparison",
    "compare",
    "compare_runs",
    "discriminate",
    "evaluate",
    "krippendorff",
    "of_system",
]
