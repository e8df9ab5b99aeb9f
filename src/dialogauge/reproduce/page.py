"""A page: a paper's text with our tables in it.

``papers/NAME.toml`` has the text with the paper's numbers as it prints them, what is to be reached
and what we train.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from math import isnan, nan
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from .. import __version__
from ..meta import Estimate
from ..report.markdown import cell, table

_PAPERS = Path(__file__).parent / "papers"
#: A number that was not measured: a dash in a table.
UNKNOWN = Estimate(nan)


class Request(msgspec.Struct, frozen=True):
    """What is asked of a page."""

    docs: Path  # where the log is; pages, and what is kept for them, in reproductions/
    final: bool = False  # look at the test sets
    tell: Callable[[str], None] | None = None  # train what does not ship, and say what is trained

    def beside(self, name: str) -> Path:
        """A file beside the page."""
        return self.docs / "reproductions" / name


class Goal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A number that is to be reached."""

    of: str  # the set, or the kind of response
    number: str  # the aspect, the kind of damage, or what is measured
    target: float
    sign: str = "≥"
    label: str = "{}"  # {} is what it is of

    def verdict(self, estimate: Estimate, percent: bool = False) -> str:
        """Whether a number, rounded as it is printed, is the wanted one or more (or below it).

        >>> goal = Goal("dailydialog", "UR", 0.919)
        >>> goal.verdict(Estimate(0.9186)), goal.verdict(Estimate(0.9084), percent=True)
        ('reached', 'missed by 1.1')
        >>> goal.verdict(UNKNOWN), Goal("gold", "delta", 0.07, "<").verdict(Estimate(0.1))
        ('not measured yet', 'missed by 0.030')
        """
        if isnan(estimate.value):
            return "not measured yet"
        short = round(self.target - round(estimate.value, 3), 3)
        if short > 0 if self.sign == "<" else short <= 0:
            return "reached"
        return f"missed by {100 * abs(short):.1f}" if percent else f"missed by {abs(short):.3f}"


class Reason(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why a number is missed, as far as we can tell, and which numbers that explains."""

    explains: tuple[str, ...]
    text: str


class Variant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model that is trained only to be measured: a recipe, and what is changed in it."""

    recipe: str  # one that ships, by its file's name
    cap: int  # training dialogues of each corpus
    corpora: tuple[str, ...] = ()  # none: as the recipe says
    epochs: int = 0  # 0: as the recipe says
    seeds: int = 1
    settings: dict[str, Any] = {}
    exam: str = ""  # the exam it takes, where there are several


class Paper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ``papers/NAME.toml`` says."""

    page: str  # Markdown; {page.NAME} is a property of the page's class: a table, or cells by row
    wanted: tuple[Goal, ...] = ()
    reasons: tuple[Reason, ...] = ()
    next: str = ""  # what we would try next
    sample: dict[str, Any] = {}  # settings of all of the family, unless one has others
    family: dict[str, Variant] = {}

    @classmethod
    def read(cls, name: str) -> "Paper":
        """The paper of a page; its file is part of the package."""
        paper = msgspec.toml.decode((_PAPERS / f"{name}.toml").read_bytes(), type=cls)
        family = {
            each: replace(variant, settings=paper.sample | variant.settings)
            for each, variant in paper.family.items()
        }
        return replace(paper, family=family)

    def verdicts(self, measured: Mapping[tuple[str, str], Estimate]) -> str:
        """What was wanted beside what was measured, by set and number, and why it was missed."""
        rows, missed = [], set[str]()
        for goal in self.wanted:
            ours = measured.get((goal.of, goal.number), UNKNOWN)
            verdict = goal.verdict(ours)
            rows.append((f"{goal.of}, {goal.number}", f"{goal.sign} {goal.target}", ours, verdict))
            missed |= {goal.of} if verdict.startswith("missed") else set()
        return table(("number", "to reach", "measured", ""), rows) + self.why(missed)

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


def filled(text: str, page: object) -> Iterator[tuple[str, str]]:
    """The sections of a paper's text, title and text: the page's tables are made when it is asked.

    >>> list(filled("## Sum\\n\\nIt is {page.real}.\\n", 3))
    [('Sum', 'It is 3.')]
    """
    for part in text.strip().removeprefix("## ").split("\n## "):
        title, _, below = part.partition("\n")
        yield title, below.strip().format(page=page)


def cells(*values: object) -> str:
    """Cells that stand side by side in a row of a paper's text.

    >>> cells("cosim", Estimate(0.4823, 0.351, 0.588), UNKNOWN)
    'cosim | 0.482 [0.35, 0.59] | –'
    """
    return " | ".join(map(cell, values))


def markdown(name: str, sections: Iterable[tuple[str, str]]) -> str:
    """A whole page, which says what made it."""
    parts = [
        f"# Reproduction: {name}\n",
        f"Written by `dialogauge reproduce {name}` (dialogauge {__version__}). Intervals are 95 % "
        "bootstraps over contexts.\n",
    ]
    parts += [f"## {title}\n\n{text}\n" for title, text in sections]
    return "\n".join(parts)
