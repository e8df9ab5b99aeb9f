"""Names as graphs write them: one constant for each word, with capitals.

>>> parts([("new", 0, 3), ("york", 4, 8)], {})
['New', 'York']
>>> parts([("A", 0, 1), ("-", 1, 2), ("Rod", 2, 5)], {})
['A-Rod']
>>> parts([("youtube", 0, 7)], {"youtube": "YouTube"})
['YouTube']
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ...sentence.wordlists import lists

#: Words that stay small inside a name.
_SMALL = lists(__file__, "naming")["small"]
#: A spelling is learned if it was seen so often, and in this share of all cases.
_OFTEN, _SHARE = 2, 0.6


def parts(words: Sequence[tuple[str, int, int]], spellings: Mapping[str, str]) -> list[str]:
    """The parts of a name from its words and where they stand; what is written together is one."""
    joined: list[str] = []
    after = -1
    for text, start, end in words:
        if start == after:
            joined[-1] += text
        else:
            joined.append(text)
        after = end
    return [
        spellings.get(text.lower()) or capital(text, first=not at) for at, text in enumerate(joined)
    ]


def capital(text: str, *, first: bool = True) -> str:
    """A word of a name with a capital, unless it has one or is a small word.

    >>> capital("paris"), capital("iPhone"), capital("of", first=False)
    ('Paris', 'iPhone', 'of')
    """
    if text != text.lower() or (text in _SMALL and not first):
        return text
    return text[:1].upper() + text[1:]


def learned(words: Iterable[str]) -> dict[str, str]:
    """The spellings that :func:`capital` does not know, from many words of names.

    >>> learned(["YouTube", "YouTube", "Youtube", "Paris", "Paris"])
    {'youtube': 'YouTube'}
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for word in words:
        counts[word.lower()][word] += 1
    best = {lower: forms.most_common(1)[0] for lower, forms in counts.items()}
    return {
        lower: word
        for lower, (word, count) in sorted(best.items())
        if count >= _OFTEN and count > _SHARE * counts[lower].total()
        if word not in (lower, capital(lower))
    }
