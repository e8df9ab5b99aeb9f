"""Words so common that they say little, as two published lists.

``NLTK`` is the English list of nltk's corpora, 179 words: it has *don't* both whole and as the
pieces that tokenizers leave (*don*, *t*). ``ADEM`` is the shorter list, 25 words, with which the
metric ADEM was attacked (Sai et al., *Re-evaluating ADEM*, 2019).

    >>> len(NLTK), len(ADEM), "the" in ADEM, sorted(ADEM - NLTK)
    (179, 25, True, [])
"""

import tomllib
from importlib.resources import files as resources

_LISTS = tomllib.loads((resources(__package__) / "stopwords.toml").read_text("utf-8"))
NLTK, ADEM = (frozenset(_LISTS[name].split()) for name in ("nltk", "adem"))
