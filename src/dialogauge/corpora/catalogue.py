"""The table of corpora: ``corpora.toml`` beside this module, with the reader of each.

To add a corpus: a row per file in ``files.tsv``, a reader in :mod:`.rated` or
:mod:`.conversations`, a table in ``corpora.toml``, a row in the test of counts.

*Role* keeps us honest. A ``test`` set is never trained, tuned or selected on; a ``tuning`` set is
for choosing and for fitting to people; ``training`` text loses whatever it shares with either
(:func:`~.overlap.decontaminate`).
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files as resources
from typing import Any, Literal, TypeVar

import msgspec

from ..dialogue import Dialogue, Level
from ..errors import InputError, located
from . import conversations, rated
from .reading import Part

Reader = Callable[[Part], Iterator[Dialogue]]

T = TypeVar("T")

_MODULES = {"conversations": conversations, "rated": rated}


class Corpus(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One corpus. ``splits`` maps each published split to its files ("" where there is one).

    What a ``stock`` set shares with a training corpus is what its bots say to everybody: it says
    nothing of where a conversation comes from.
    """

    name: str
    kind: Literal["benchmark", "dialogues"]
    level: Level
    role: Literal["test", "tuning", "training"]
    items: int
    aspects: tuple[str, ...] = ()
    stock: bool = False
    licence: str
    citation: str
    about: str
    splits: Mapping[str, tuple[str, ...]]
    read: Reader

    @property
    def files(self) -> tuple[str, ...]:
        """All its files, by their path in a data folder."""
        return tuple(dict.fromkeys(path for paths in self.splits.values() for path in paths))


class Released(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Files with a metric's scores as its authors released them, and as many with the people's."""

    name: str
    metric: tuple[str, ...]
    people: tuple[str, ...]


@cache
def corpora() -> dict[str, Corpus]:
    """Every corpus by its name, benchmarks first."""
    return parse(_text("corpora.toml"), Corpus, "corpora.toml")


@cache
def released() -> dict[str, Released]:
    """The scores that authors released, by their name."""
    return parse(_text("released.toml"), Released, "released.toml")


def _text(file: str) -> str:
    return (resources(__package__) / file).read_text("utf-8")


def parse(text: str, kind: type[T], file: str) -> dict[str, T]:
    """The tables of a TOML file by name; :class:`InputError` says which key is wrong."""
    entries, name = {}, ""
    try:
        tables = msgspec.toml.decode(text, type=dict[str, dict[str, Any]])
        for name, table in tables.items():
            given = {"name": name, **_expanded(table)}
            entries[name] = msgspec.convert(given, kind, dec_hook=_reader)
    except msgspec.DecodeError as error:
        raise located(error, file=file, within=name, form="TOML") from None
    return entries


def _reader(kind: type, name: str) -> Reader:
    """The function that ``rated.grade`` names."""
    module, _, function = name.partition(".")
    reader = getattr(_MODULES.get(module), function, None)
    if reader is None:
        raise InputError(f"no reader is called {name!r}")
    return reader  # type: ignore[no-any-return]


def _expanded(value: Any) -> Any:
    """A value whose lists have each text with braces written out.

    >>> _expanded({"test": ["a/{b,c}/{1,2}.txt"]})
    {'test': ['a/b/1.txt', 'a/b/2.txt', 'a/c/1.txt', 'a/c/2.txt']}
    """
    if isinstance(value, dict):
        return {key: _expanded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [path for each in value for path in _written_out(each)]
    return value


def _written_out(path: Any) -> list[Any]:
    if not isinstance(path, str) or "{" not in path:
        return [path]
    before, _, rest = path.partition("{")
    choices, _, after = rest.partition("}")
    return [before + choice + end for choice in choices.split(",") for end in _written_out(after)]
