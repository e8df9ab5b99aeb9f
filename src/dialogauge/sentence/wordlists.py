"""Lists of words as data: ``words.toml`` beside the modules that ask for them.

A table of the file is for one module or one question; each of its entries is a list of words with
blanks between them.
"""

import tomllib
from functools import cache
from pathlib import Path


def lists(module: str, table: str) -> dict[str, frozenset[str]]:
    """The lists of a table, by name; ``module`` is the ``__file__`` of who asks.

    >>> sorted(lists(__file__, "taking")["being"])
    ['be', 'become', 'remain']
    """
    tables = _tables(Path(module).with_name("words.toml"))
    return {name: frozenset(words.split()) for name, words in tables[table].items()}


def named(module: str, table: str) -> dict[str, str]:
    """For each word of a table the name of its list.

    >>> named(__file__, "positive")["nobody"]
    'somebody'
    """
    return {word: name for name, words in lists(module, table).items() for word in words}


@cache
def _tables(path: Path) -> dict[str, dict[str, str]]:
    return tomllib.loads(path.read_text(encoding="utf-8"))
