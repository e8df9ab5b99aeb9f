"""Everything that can go wrong through no fault of ours, as one tree.

::

    DialogaugeError              one line for the user, exit code 2
    ├── InputError               something that was read is wrong; knows its place
    │   └── RecordError          one record of many: ``on_error="skip"`` goes on after it
    ├── UnknownNameError         no metric, corpus, format or aspect of that name
    ├── DataError                a corpus file is missing, or is not what was published
    ├── ModelError               a model's folder is damaged, incomplete or unsafe
    ├── OutputError              the result cannot be written (disk, permission, exists)
    └── MissingExtraError        a feature needs ``pip install "dialogauge[extra]"``

A message says where, what is wrong, and what to do. A traceback means our bug.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TypeVar

import msgspec


class DialogaugeError(Exception):
    """Anything the user can mend; the message is one line that says how."""


class InputError(DialogaugeError, ValueError):
    """Something that was read is wrong.

    >>> print(InputError("expected text, got a number", file="a.jsonl", line=3, field="turns[0]"))
    a.jsonl:3: turns[0]: expected text, got a number
    """

    def __init__(
        self, problem: str, *, file: str = "", line: int = 0, field: str = "", remedy: str = ""
    ) -> None:
        self.problem, self.file, self.line, self.field = problem, file, line, field
        self.remedy = remedy
        super().__init__(problem)

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        parts = [part for part in (place, self.field, self.problem) if part]
        return ": ".join(parts) + (f" ({self.remedy})" if self.remedy else "")


class RecordError(InputError):
    """One record of many is wrong; the others can still be read."""


_E = TypeVar("_E", bound=InputError)


def located(
    error: Exception,
    kind: type[_E] = InputError,  # type: ignore[assignment]
    *,
    file: str = "",
    line: int = 0,
    within: str = "",
    form: str = "JSON",
    remedy: str = "",
) -> _E:
    """What msgspec says of a value it refuses, with the field that is wrong as its place.

    ``within`` is the field that the whole value stands in, ``form`` what its text should be.

    >>> try:
    ...     msgspec.json.decode('{"a": ["one"]}', type=dict[str, list[int]])
    ... except msgspec.ValidationError as error:
    ...     print(located(error, file="a.json", within="settings"))
    a.json: settings[...][0]: Expected int, got str
    """
    if not isinstance(error, msgspec.ValidationError):
        problem = f"this is not {form}: {error}"
        return kind(problem, file=file, line=line, field=within, remedy=remedy)
    problem, _, path = str(error).partition(" - at ")
    field = within + path.strip("`").removeprefix("$")
    if isinstance(cause := error.__cause__, InputError):  # what the value's own check said
        problem, remedy = cause.problem, cause.remedy or remedy
        field += f".{cause.field}" if cause.field else ""
    problem = problem.replace("`", "")
    return kind(problem, file=file, line=line, field=field.lstrip("."), remedy=remedy)


class UnknownNameError(DialogaugeError, LookupError):
    """A name that is not in a table.

    >>> print(UnknownNameError("metric", "blue", ["bleu", "chrf"]))
    no metric is called 'blue'; did you mean 'bleu'? (known: bleu, chrf)
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], meant: str = "") -> None:
        names = sorted(known)
        close = [meant] if meant else get_close_matches(name, names, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        super().__init__(f"no {kind} is called {name!r}{hint} (known: {', '.join(names)})")


class DataError(DialogaugeError):
    """A corpus file is missing, or is not what its publisher published."""


class ModelError(DialogaugeError):
    """A model's folder is damaged, incomplete or unsafe."""


class OutputError(DialogaugeError):
    """A result cannot be written."""


class MissingExtraError(DialogaugeError):
    """A feature needs packages of an extra.

    >>> print(MissingExtraError("training", "train"))
    training needs more packages: pip install "dialogauge[train]"
    """

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f'{feature} needs more packages: pip install "dialogauge[{extra}]"')
