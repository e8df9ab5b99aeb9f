"""Where a long text is cut into parts that are read one by one.

A cut is made where a sentence ends, if one ends in the second half of what fits; else at the last
white space; else between any two tokens, as in Chinese or in a line of base64. The last part is no
crumb: one word alone would be judged as if it were an answer.
"""

import re
from collections.abc import Container, Iterator, Sequence
from itertools import pairwise

Span = tuple[int, int]

#: A match ends where a sentence begins.
_BORDER = re.compile(r"""[.!?…]["'”’»)\]]*\s+|[。！？]["'”’»）」』]*\s*|\n\s*""")

#: The last part has at least this share of what fits: a quarter.
_CRUMB = 4


def split(text: str, spans: Sequence[Span], room: int) -> list[Span]:
    """Where the parts of a text begin and end, each with at most ``room`` of the text's tokens.

    ``spans`` are the characters of the tokens, in order; white space that a token begins with, as
    those of some tokenizers do, is none of it. Nothing but white space is left out. A character
    that is more tokens than there is room for is a part with too many.

    >>> text = "We went home. It was late and all of us were tired."
    >>> spans = [match.span() for match in re.finditer(r"\\w+|[.]", text)]
    >>> [text[start:end] for start, end in split(text, spans, 6)]
    ['We went home.', 'It was late and all of', 'us were tired.']
    """
    spans = [_visible(text, span) for span in spans]
    sentences = frozenset(match.end() for match in _BORDER.finditer(text))
    cuts, first = [0], 0
    while len(spans) - first > room:
        last = min(first + room, len(spans) - room // _CRUMB)
        first = _cut(text, spans, range(last, first, -1), sentences)
        if first < len(spans):
            cuts.append(spans[first][0])
    return [_trimmed(text, start, end) for start, end in pairwise([*cuts, len(text)])]


def _cut(text: str, spans: Sequence[Span], within: range, sentences: Container[int]) -> int:
    """The token that the next part begins with: the best of those ``within``, else the next."""
    places, half = list(_parted(spans, within)), (within.start + within.stop) // 2
    for at in places:
        if at > half and spans[at][0] in sentences:
            return at
    for at in places:
        if text[spans[at][0] - 1].isspace():
            return at
    beyond = range(within.start + 1, len(spans))
    return places[0] if places else next(_parted(spans, beyond), len(spans))


def _parted(spans: Sequence[Span], tokens: range) -> Iterator[int]:
    """Tokens that share no character with the one before them, as the bytes of an emoji do."""
    for at in tokens:
        before, start = spans[at - 1], spans[at][0]
        if start >= before[1] and start > before[0]:
            yield at


def _visible(text: str, span: Span) -> Span:
    """The same characters without white space before them."""
    start, end = span
    return end - len(text[start:end].lstrip()), end


def _trimmed(text: str, start: int, end: int) -> Span:
    """The same characters without white space at both ends."""
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())
