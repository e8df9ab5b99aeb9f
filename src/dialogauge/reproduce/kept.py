"""What a long training measured, kept in a file beside the page: it is not made for each page."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from .. import atomic
from ..errors import InputError

T = TypeVar("T")
#: Who is told what is being trained.
Tell = Callable[[str], None]


def keep(path: Path, found: Any) -> None:
    """Write a value down, whole or not at all."""
    with atomic.reporting(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    atomic.write_json(path, found, indent=1)


def kept(path: Path, kind: type[dict[str, T]]) -> dict[str, T]:
    """What was written down the last time; nothing if it never was."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        return {}
    except (msgspec.DecodeError, UnicodeDecodeError, OSError) as error:
        raise InputError(f"cannot be read: {error}", file=str(path)) from None
