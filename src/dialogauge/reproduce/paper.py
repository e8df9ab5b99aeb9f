"""A paper as data: the text of our page about it, its tables, what is to be reached, what we train.

``papers/NAME.toml`` has all of it; a comment there says where in the paper each table stands.
"""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import msgspec

_PAPERS = Path(__file__).parent / "papers"


class Reason(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why a number is missed, as far as we can tell, and which numbers that explains."""

    explains: tuple[str, ...]
    text: str


class Variant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model that is trained only to be measured: a recipe, and what is changed in it."""

    recipe: str  # one that ships, by its file's name
    cap: int  # training dialogues of each corpus
    epochs: int = 0  # 0: as the recipe says
    seeds: int = 1
    settings: dict[str, Any] = {}
    exam: str = ""  # the exam it takes, where there are several
    about: str = ""  # what it is, for the first cell of its row


class Paper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ``papers/NAME.toml`` says."""

    page: str  # Markdown; {page.NAME} is a property of the page's class
    tables: dict[str, dict[str, tuple[float, ...]]] = {}  # table -> row -> numbers
    printed: dict[str, dict[str, tuple[str, ...]]] = {}  # the same, cells as the paper prints them
    wanted: dict[str, dict[str, float]] = {}
    reasons: tuple[Reason, ...] = ()
    next: str = ""  # what we would try next
    family: dict[str, Variant] = {}

    def why(self, missed: Collection[str]) -> str:
        """The reasons for what is missed, to stand below a table; nothing if nothing is."""
        texts = [each.text for each in self.reasons if not set(missed).isdisjoint(each.explains)]
        if not texts:
            return ""
        reasons = "\n".join("- " + text.strip().replace("\n", "\n  ") for text in texts)
        return (
            f"\n\nWhy, as far as we can tell:\n\n{reasons}"
            f"\n\nWhat we would try next:\n{self.next.strip()}"
        )


def read(name: str) -> Paper:
    """The paper of a page; its file is part of the package."""
    return msgspec.toml.decode((_PAPERS / f"{name}.toml").read_bytes(), type=Paper)
