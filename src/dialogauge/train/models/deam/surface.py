"""What a glance at the surface of a turn tells."""

import re
from itertools import pairwise


def surface(text: str) -> list[float]:
    """Lengths, shares of kinds of words and marks, and how it begins and ends."""
    words = re.findall(r"[^\W_]+(?:['’][^\W_]+)*", text.lower())
    count = max(1, len(words))
    function = sum(word in {"the", "a", "an", "of", "to", "is", "are", "and"} for word in words)
    negated = sum(word == "not" or word.endswith(("n't", "n’t")) for word in words)
    return [
        float(len(text)),
        float(count),
        len(text) / count,
        len(set(words)) / count,
        function / count,
        negated / count,
        sum(one == two for one, two in pairwise(words)) / count,
        sum(sign in ".,;:!?" for sign in text) / count,
        float(text[:1].isupper()),
        float(text.rstrip()[-1:] in (".", "!", "?")),
        float("?" in text),
    ]
