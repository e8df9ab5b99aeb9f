"""Numbers in words and figures, as graphs write them.

>>> value(["three"]), value(["275", "million"]), value(["1,000"]), value(["first"])
('3', '275000000', '1000', '1')
>>> value(["twenty", "-", "five"]), value(["2.5"]), value(["many"])
('25', '2.5', None)
"""

import re
from collections.abc import Sequence

_ONES = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
fifteen sixteen seventeen eighteen nineteen"""
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth"
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]

_SMALL: dict[str, float] = {
    **{word: number for number, word in enumerate(_ONES.split())},
    **{word: 10 * number for number, word in enumerate(_TENS, 2)},
    **{word: number for number, word in enumerate(_ORDINALS.split(), 1)},
    **{"once": 1, "twice": 2, "half": 0.5},
}
_LARGE: dict[str, float] = {"dozen": 12, "hundred": 100, "thousand": 1000, "k": 1000}
_LARGE |= {"million": 1e6, "billion": 1e9, "trillion": 1e12}
_FIGURES = re.compile(r"[-+]?[$#]?(\d{1,3}(?:,\d{3})+|\d{1,18})(\.\d{1,9})?(st|nd|rd|th|s|k|m)?")


def value(words: Sequence[str]) -> str | None:
    """The number that some words mean together, in figures; None if they mean none."""
    total, current, seen = 0.0, 0.0, False
    for word in words:
        number = one(word)
        if number is None and word in ("-", "and", "$", "#"):
            continue
        if number is None:
            return None
        if word.lower() in _LARGE:
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
    if lower in _SMALL or lower in _LARGE:
        return _SMALL.get(lower, _LARGE.get(lower))
    left, dash, right = lower.partition("-")
    if dash and left in _TENS and _SMALL.get(right, 99) < 10:
        return _SMALL[left] + _SMALL[right]
    match = _FIGURES.fullmatch(lower)
    if not match:
        return None
    figures = float(match[1].replace(",", "") + (match[2] or ""))
    return figures * {"k": 1e3, "m": 1e6}.get(match[3] or "", 1.0)


def _written(number: float) -> str:
    return str(int(number)) if number == int(number) else f"{number:.6f}".rstrip("0")
