"""The model card: what a model was made of and what it does, written by the run itself.

Every model has its card from here. A run gives its facts as sections (:class:`Outcome`); what is
true of every run of a task is the ``NOTES`` of its module; command, files, recipe and versions are
added for all.
"""

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from .. import atomic
from ..escaping import printable
from ..report import markdown
from .data import Material
from .recipe import Recipe, encode

if TYPE_CHECKING:
    from .checkpoints import State

_LEARNT_WITH = ("torch", "transformers", "accelerate", "onnx", "onnxruntime")


class Section(msgspec.Struct, frozen=True):
    """A part of a card: a heading, and Markdown under it."""

    title: str
    text: str


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a run came to."""

    sections: tuple[Section, ...]  # its facts, for the card
    packages: tuple[str, ...] = ()  # what it was made with, beside ourselves
    steps: int = 0
    best_step: int = 0
    before: Mapping[str, float] = {}
    best: Mapping[str, float] = {}
    parity: float = 0.0  # largest difference of ONNX from torch
    seconds: float = 0.0


def learnt(
    material: Any, state: "State", parity: float, sections: Sequence[Section] = ()
) -> Outcome:
    """What :func:`.loop.fit` came to on some material, which has ``sources``.

    ``sections`` are what the task itself has to say.
    """
    unit = getattr(material, "unit", "dialogues")
    counts = (
        (s.name, s.licence or "not stated", s.read, s.train, s.valid) for s in material.sources
    )
    data = table(("corpus", "licence", f"{unit} read", "trained on", "validated on"), counts)
    rows = ((name, f"{state.first[name]:.4f}", f"{state.best[name]:.4f}") for name in state.best)
    results = table(("measure", "before training", f"best (step {state.best_step})"), rows)
    took = f"{state.step:,} steps in {state.seconds:,.0f} s.\n"
    return Outcome(
        sections=(
            Section("Data", f"{data}\n{_overlap(material)}"),
            Section(f"Results on held {unit}", f"{results}\n{took}"),
            *sections,
        ),
        packages=_LEARNT_WITH,
        steps=state.step,
        best_step=state.best_step,
        before=state.first,
        best=state.best,
        parity=parity,
        seconds=state.seconds,
    )


def write(
    folder: Path,
    recipe: Recipe,
    outcome: Outcome,
    command: str,
    *,
    notes: str = "",
    unread: Sequence[str] = (),
) -> None:
    """Write ``card.md`` into a model folder; ``unread`` are tables of a recipe that say nothing."""
    about = f"{printable(recipe.about)}\n\n" if recipe.about else ""
    given = f"Task `{recipe.task}`, backbone `{printable(recipe.backbone.name)}`"
    sections = [
        *outcome.sections,
        *([Section("Notes", notes)] if notes else ()),
        Section("Files", _files(folder, outcome)),
        Section("Recipe", f"```json\n{encode(recipe, without=unread).decode()}```\n"),
    ]
    parts = "\n".join(f"## {section.title}\n\n{section.text}" for section in sections)
    versions = ", ".join(f"{name} {version(name)}" for name in ("dialogauge", *outcome.packages))
    text = (
        f"# {printable(recipe.name)}\n\n{about}{given}, seed {recipe.seed}.\n\n"
        f"```sh\n{printable(command)}\n```\n\n{parts}\nMade with {versions}.\n"
    )
    with atomic.writing(folder / "card.md") as file:
        file.write(text.encode())


def table(
    head: Sequence[object], rows: Iterable[Sequence[object]], *, numbers: bool = False
) -> str:
    """A table in Markdown, and the end of its last line."""
    return markdown.table(head, rows, numbers=numbers) + "\n"


def _files(folder: Path, outcome: Outcome) -> str:
    parity = f"ONNX against torch: largest difference {outcome.parity:.2e}.\n\n"
    small = {".json", ".md", ".cfg"}
    kept = [path for path in sorted(folder.iterdir()) if path.name != "training"]
    weights = [path for path in kept if path.suffix not in small and path.name[0] != "."]
    sizes = [(path.name, f"{megabytes(path):.1f} MB") for path in weights]
    return (parity if outcome.parity else "") + table(("file", "size"), sizes)


def megabytes(path: Path) -> float:
    """The size of a file, or of all files in a folder."""
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    return sum(file.stat().st_size for file in files) / 1e6


def _overlap(material: Any) -> str:
    """What sharing text with test and tuning sets cost; it is asked of dialogues only."""
    if not isinstance(material, Material):
        return ""
    if not material.decontaminated:
        return "The data was **not** compared with the test and tuning sets.\n"
    return (
        f"{material.dropped:,} dialogues were dropped because they share two adjacent turns or a "
        "long turn with a test or tuning set:\n\n"
        + table(("set", "dialogues it cost"), material.shared.items())
    )
