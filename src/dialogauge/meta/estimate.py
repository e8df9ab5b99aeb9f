"""A number never travels without its interval, nor without how it was made.

>>> print(Estimate(0.4823, 0.351, 0.588, n=125))
0.482 [0.35, 0.59] n=125
>>> print(Estimate(math.nan, n=2))
undefined n=2
"""

import math
from typing import Literal

import msgspec

from ..dialogue import Number
from ..errors import InputError

_Coefficient = Literal["pearson", "spearman", "kendall"]
Raters = Literal["anonymous", "people"]


class Estimate(msgspec.Struct, frozen=True, omit_defaults=True):
    """A value, its confidence interval, and the number of items behind it.

    NaN (``null`` in JSON) means *undefined*: a value that the data cannot give, or an interval
    that cannot be had; ``note`` then says why.
    """

    value: Number
    low: Number = math.nan
    high: Number = math.nan
    n: int = 0
    note: str = ""

    def __post_init__(self) -> None:
        for field in ("value", "low", "high"):
            if getattr(self, field) is None:
                msgspec.structs.force_setattr(self, field, math.nan)

    def __str__(self) -> str:
        return f"{self.short} n={self.n}"

    @property
    def short(self) -> str:
        """The value and its interval, for a cell that stands beside an n."""
        if math.isnan(self.value):
            return "undefined"
        bounds = "" if math.isnan(self.low) else f" [{self.low:.2f}, {self.high:.2f}]"
        return f"{self.value:.3f}{bounds}"


class Resampling(msgspec.Struct, frozen=True):
    """How the numbers of a meta-evaluation are made; it is stored with them."""

    coefficient: _Coefficient = "spearman"  # the one that confounds and tests are given in
    method: Literal["bca", "percentile"] = "bca"
    resamples: int = 10_000  # a bound moves by about 0.002 from seed to seed
    confidence: float = 0.95
    seed: int = 0
    raters: Raters = "anonymous"  # is a column of ratings one person?

    def __post_init__(self) -> None:
        if self.resamples < 100:
            raise InputError(f"{self.resamples} resamples give no interval", remedy="use 1000+")
        if not 0.5 <= self.confidence < 1:
            raise InputError(f"the confidence {self.confidence} is not between 0.5 and 1")
        if self.seed < 0:
            raise InputError(f"the seed {self.seed} is negative")
