"""Names of concepts: a lemma, for a verb's meaning with a sense behind it (``tell-01``)."""

import re

#: The concepts of the personal pronouns, whatever their case.
PRONOUNS = ("i", "you", "he", "she", "it", "we", "they")

_FRAME = re.compile(r"(.+)-(\d{2,3})")


def is_frame(concept: str) -> bool:
    """Whether a concept is a PropBank frame with its sense, such as ``tell-01``."""
    return _FRAME.fullmatch(concept) is not None


def lemma(concept: str) -> str:
    """A concept without its sense.

    >>> lemma("have-rel-role-91"), lemma("dog")
    ('have-rel-role', 'dog')
    """
    frame = _FRAME.fullmatch(concept)
    return frame[1] if frame else concept
