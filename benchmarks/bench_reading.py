"""Reading DSTC9 from JSONL, beside the standard library's json and dataclasses."""

import dataclasses
import json
import tempfile
from pathlib import Path

import dialogauge as dg
from dialogauge import corpora

from .timing import Bench, best


@dataclasses.dataclass(frozen=True)
class PlainTurn:
    """As one would write it by hand."""

    speaker: str
    text: str


@dataclasses.dataclass(frozen=True)
class PlainDialogue:
    """As one would write it by hand."""

    id: str
    turns: tuple[PlainTurn, ...]
    system: str
    ratings: dict[str, tuple[float, ...]]


def plainly(path: Path) -> list[PlainDialogue]:
    """What one writes without a library."""
    read = []
    with path.open(encoding="utf-8") as file:
        for line in file:
            value = json.loads(line)
            turns = tuple(PlainTurn(turn["speaker"], turn["text"]) for turn in value["turns"])
            ratings = {aspect: tuple(given) for aspect, given in value["ratings"].items()}
            read.append(PlainDialogue(value["id"], turns, value["system"], ratings))
    return read


def main() -> None:
    dialogues = corpora.load("dstc9")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dstc9.jsonl"
        dg.write(dialogues, path)
        assert len(plainly(path)) == len(list(dg.read(path))) == len(dialogues)
        ours, theirs = best(lambda: list(dg.read(path)), lambda: plainly(path))
    turns = sum(len(dialogue.turns) for dialogue in dialogues)
    what = f"reading DSTC9 ({len(dialogues):,} dialogues, {turns:,} turns) from JSONL"
    Bench(what, ours, "json and dataclasses", theirs, target=3).show()
