"""Numbers in words and figures, as graphs write them.

>>> value(["three"]), value(["275", "million"]), value(["1,000"]), value(["first"])
('3', '275000000', '1000', '1')
>>> value(["twenty", "-", "five"]), value(["2.5"]), value(["many"])
('25', '2.5', None)
"""

import re
from collections.abc import Sequence

_ONES = {
    **{"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7},
    **{"eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13},
    **{"fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18},
    "nineteen": 19,
}
_TENS = {
    **{"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70},
    **{"eighty": 80, "ninety": 90},
}
_ORDINALS = {
    **{"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7},
    **{"eighth": 8, "ninth": 9, "tenth": 10},
}

SMALL: dict[str, float] = {
    **_ONES,
    **_TENS,
    **_ORDINALS,
    **{"once": 1, "twice": 2, "half": 0.5},
}
LARGE: dict[str, float] = {
    "hundred": 100,
    "thousand": 1000,
    "k": 1000,
    "million": 1_000_000,
    "billion": 1_000_000_000,
    "trillion": 1_000_000_000_000,
    "dozen": 12,
}
_FIGURES = re.compile(r"[-+]?[$#]?(\d{1,3}(?:,\d{3})+|\d{1,18})(\.\d{1,9})?(st|nd|rd|th|s|k|m)?")
_SUFFIX = {"k": 1000.0, "m": 1_000_000.0}


def value(words: Sequence[str]) -> str | None:
    """The number that some words mean together, in figures; None if they mean none."""
    total, current, seen = 0.0, 0.0, False
    for word in words:
        number = one(word)
        if number is None:
            if word in ("-", "and", "$", "#"):
                continue
            return None
        if word.lower() in LARGE:
            current = (current or 1) * number
            if number >= 1000:
                total, current = total + current, 0.0
        else:
            current += number
        seen = True
    return _written(total + current) if seen else None


def one(word: str) -> float | None:
    """The number that one word means."""
    lower = word.lower()
    if lower in SMALL or lower in LARGE:
        return SMALL.get(lower, LARGE.get(lower))
    left, dash, right = lower.partition("-")
    if dash and left in _TENS and SMALL.get(right, 99) < 10:
        return SMALL[left] + SMALL[right]
    match = _FIGURES.fullmatch(lower)
    if not match:
        return None
    figures = float(match[1].replace(",", "") + (match[2] or ""))
    return figures * _SUFFIX.get(match[3] or "", 1.0)


def _written(number: float) -> str:
    return str(int(number)) if number == int(number) else f"{number:.6f}".rstrip("0")
