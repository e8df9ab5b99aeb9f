"""Other people's code, by name: ``"module:thing"`` or an entry point of an installed package.

Whatever it raises becomes one clear error.

    >>> named("math:pi")
    3.141592653589793
    >>> named("math:no")
    Traceback (most recent call last):
    ...
    dialogauge.errors.DialogaugeError: module 'math' has no 'no' (asked for 'math:no')
"""

from collections.abc import Callable
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from .errors import DialogaugeError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def attempt(get: Callable[[], Any], what: str) -> Any:
    """What ``get`` gives; code that is not ours may raise anything."""
    try:
        return get()
    except DialogaugeError:
        raise
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        raise DialogaugeError(f"cannot load {what}: {problem}") from error


def named(name: str, form: str = "module:thing") -> Any:
    """What ``"module:path"`` names."""
    module, _, path = name.partition(":")
    if not module or not path:
        raise DialogaugeError(f"{name!r} is not of the form {form!r}")
    code = attempt(lambda: import_module(module), f"module {module!r}")
    try:
        return attrgetter(path)(code)
    except AttributeError:
        raise DialogaugeError(f"module {module!r} has no {path!r} (asked for {name!r})") from None


def made(get: Callable[[], Any], what: str, is_ready: Callable[[Any], bool]) -> Any:
    """What ``get`` gives if it is ready, else what that makes when it is called."""
    thing = attempt(get, what)
    return attempt(thing, what) if callable(thing) and not is_ready(thing) else thing


def installed(group: str) -> "dict[str, EntryPoint]":
    """The entry points of a group, by name."""
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=group)}
