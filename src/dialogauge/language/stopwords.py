"""Words so common that they say little, as two published lists.

``NLTK`` is the English list of nltk's corpora, 179 words: it has *don't* both whole and as the
pieces that tokenizers leave (*don*, *t*). ``ADEM`` is the shorter list, 25 words, with which the
metric ADEM was attacked (Sai et al., *Re-evaluating ADEM*, 2019).

    >>> len(NLTK), len(ADEM), "the" in ADEM, sorted(ADEM - NLTK)
    (179, 25, True, [])
"""

import tomllib
from collections.abc import Iterable
from importlib.resources import files as resources

from ..dialogue import normalise

_LISTS = tomllib.loads((resources(__package__) / "stopwords.toml").read_text("utf-8"))
NLTK, ADEM = (frozenset(_LISTS[name].split()) for name in ("nltk", "adem"))

#: English has about every second word in the list; other languages have few.
_ENGLISH = 0.2
#: The last of the Latin letters.
_LATIN = "\u024f"


def is_english(texts: Iterable[str], sure: int = 0) -> bool:
    """Whether so many words are common ones of English that the texts must be.

    Of fewer than ``sure`` words nothing can be said, and they pass if their letters are Latin.

    >>> is_english(["Do you like it?"]), is_english(["Magst du Hunde oder Katzen?"])
    (True, False)
    >>> is_english(["Hello!"]), is_english(["Hello!"], sure=12)
    (False, True)
    >>> is_english(["你好，你喜欢狗吗？"], sure=12)
    False
    """
    texts = list(texts)
    letters = sum(sign.isalpha() for text in texts for sign in text)
    foreign = sum(sign > _LATIN and sign.isalpha() for text in texts for sign in text)
    if foreign > letters / 2:
        return False
    words = [word for text in texts for word in normalise(text).split()]
    common = sum(word in NLTK for word in words)
    return len(words) < sure or common >= _ENGLISH * max(1, len(words))
