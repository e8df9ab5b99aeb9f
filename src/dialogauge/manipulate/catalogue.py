"""The catalogue: every manipulation by its name, in one table.

A manipulation is named in one of three ways: a name of :data:`MANIPULATIONS`; ``"module:name"``,
one in Python code that can be imported; a name that an installed package gives in the entry-point
group ``dialogauge.manipulations``. The last two run what they name, so whoever acts for a stranger
passes ``trusted=False`` and gets the first only. ``name@3`` is the same at severity 3.

    >>> find("permute").expect, find("permute@3").name
    ('lower', 'permute@3')
"""

import reprlib
from collections.abc import Callable
from random import Random
from typing import Any

import msgspec

from .. import plugins
from ..dialogue import Dialogue
from ..errors import DialogaugeError, UnknownNameError
from .checking import fault
from .edited import Edited
from .ladders import SEVERITIES, at
from .manipulation import DoesNotApply, Edit, Manipulation
from .meaning import MEANING
from .pool import Pool
from .responses import RESPONSES
from .turns import TURNS
from .words import WORDS

#: Every manipulation that ships; the first line of its edit's docstring is the help text.
MANIPULATIONS: dict[str, Manipulation] = {
    each.name: each for each in (*WORDS, *TURNS, *RESPONSES, *MEANING.values())
}

#: What belongs together: the manipulations of a paper in the order in which they are made, and all.
FAMILIES: dict[str, tuple[str, ...]] = {
    "deam": ("coreference", "contradiction", "irrelevancy", "engagement"),
    "mesgar": ("permute", "move-turn", "shuffle-speaker", "replace-turn"),
    "vakulenko": ("permute", "permute-speaker", "swap-halves", "splice"),
    "dynaeval": ("replace-turn", "shuffle-speaker"),
    "maude": ("word-drop", "word-order", "word-repeat", "other-response", "generated-elsewhere"),
    "adem": (
        "no-punctuation",
        "no-stopwords",
        "no-25-stopwords",
        "nouns-pronouns-verbs",
        "no-entities",
        "synonyms",
        "jumble",
        "reverse",
        "only-nouns",
        "repeat-half",
        "generic",
        "echo",
    ),
    "all": tuple(MANIPULATIONS),
}

ENTRY_POINTS = "dialogauge.manipulations"


def names() -> tuple[str, ...]:
    """Every name :func:`find` knows: those that ship, then those of installed packages."""
    return tuple(dict.fromkeys((*MANIPULATIONS, *sorted(plugins.installed(ENTRY_POINTS)))))


def find(name: str, trusted: bool = True) -> Manipulation:
    """The manipulation of that name, ``"module:name"`` or entry point, perhaps ``@severity``.

    ``trusted=False`` is for names that come from somebody else (a request, a file): it knows the
    names of :data:`MANIPULATIONS` and runs nothing.
    """
    plain, sign, severity = name.rpartition("@")
    if not sign:
        return _found(name, trusted, lambda each: each)
    step = _severity(name, severity)
    return _found(plain, trusted, lambda each: at(_damaging(each), step))


def _found(
    name: str, trusted: bool, harder: Callable[[Manipulation], Manipulation]
) -> Manipulation:
    if name in MANIPULATIONS:
        return harder(MANIPULATIONS[name])
    if not trusted:
        raise DialogaugeError(
            f"{reprlib.repr(name)} is not a manipulation that ships with dialogauge, and here only "
            f"those may be used: {', '.join(MANIPULATIONS)}"
        )
    if ":" in name:
        return _guarded(harder(_from_code(name)))
    installed = plugins.installed(ENTRY_POINTS)
    if name in installed:
        return _guarded(harder(_made(installed[name].load, f"the installed manipulation {name!r}")))
    raise UnknownNameError("manipulation", name, (*names(), *FAMILIES))


def _severity(name: str, given: str) -> int:
    if given not in map(str, SEVERITIES):
        steps = f"{SEVERITIES[0]} to {SEVERITIES[-1]}"
        raise DialogaugeError(f"{reprlib.repr(name)}: a severity is a number from {steps}")
    return int(given)


def _damaging(manipulation: Manipulation) -> Manipulation:
    if manipulation.expect == "same":
        raise DialogaugeError(f"{manipulation.name} is harmless: it has no severity")
    return manipulation


class Guarded(msgspec.Struct, frozen=True):
    """An edit of somebody else's: what it raises and what it gives are checked."""

    name: str
    edit: Edit

    @property
    def about(self) -> str:
        """What the edit says of itself."""
        return getattr(self.edit, "about", None) or self.edit.__doc__ or ""

    def __call__(self, dialogue: Dialogue, rng: Random, pool: Pool) -> Edited | None:
        """The edit, or one clear error."""
        try:
            edited: Any = self.edit(dialogue, rng, pool)
        except (DoesNotApply, DialogaugeError):
            raise
        except Exception as error:  # code that is not ours may raise anything
            problem = f"{type(error).__name__}: {error}"
            raise DialogaugeError(f"manipulation {self.name!r} failed: {problem}") from error
        if edited is None:
            return None
        if not isinstance(edited, Edited):
            given = type(edited).__name__
            raise DialogaugeError(f"manipulation {self.name!r} must give Edited, got {given}")
        if problem := fault(dialogue, edited):
            raise DialogaugeError(f"manipulation {self.name!r} gives a false account: {problem}")
        return edited


def _guarded(manipulation: Manipulation) -> Manipulation:
    edit = Guarded(manipulation.name, manipulation.edit)
    return msgspec.structs.replace(manipulation, edit=edit)


def _from_code(name: str) -> Manipulation:
    """A manipulation from ``"module:name"``: one itself, or a function that makes one."""
    found = plugins.named(name, "module:name")
    return _made(lambda: found, repr(name))


def _made(get: Callable[[], Any], what: str) -> Manipulation:
    """A manipulation from whatever ``get`` gives: one, or something that makes one when called."""
    made = plugins.made(get, what, lambda it: isinstance(it, Manipulation))
    if not isinstance(made, Manipulation) or made.expect not in ("lower", "same"):
        raise DialogaugeError(
            f"{what} is not a manipulation but {type(made).__name__}: "
            "write Manipulation(name, edit, 'lower' or 'same', source)"
        )
    return made
