"""Write the parts of the documentation that repeat what the code says; `make docs`.

    python scripts/write_docs.py            # write them
    python scripts/write_docs.py --check    # exit 1 and name the pages that are not up to date

A part stands between ``<!-- NAME (make docs) -->`` and ``<!-- end -->``.
"""

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import typer
from typer.core import TyperGroup

from dialogauge import cli
from dialogauge.manipulate.catalogue import MANIPULATIONS
from dialogauge.metrics import METRICS, describe, load

ROOT = Path(__file__).parents[1]


def commands() -> str:
    """Every command with its one line of help."""
    group = typer.main.get_command(cli.app)
    assert isinstance(group, TyperGroup)
    lines = ((name, (one.help or "").split(".")[0]) for name, one in group.commands.items())
    return table(("command", "what it does"), ((f"`{name}`", about) for name, about in lines))


def signatures() -> str:
    """Every metric with its line of help and the part of its signature that does not move."""
    rows = ((f"`{name}`", describe(name), f"`{settled(name)}`") for name in METRICS)
    return table(("name", "what it says", "signature without versions, hashes and cpu"), rows)


def settled(name: str) -> str:
    """A metric's signature without versions, hashes and the processor."""
    parts = load(name).signature.split("|")
    return "|".join(it for it in parts if not re.search(r":\d+\.\d+\.|^sha256:|^cpu:", it))


def manipulations() -> str:
    """The catalogue of edits."""
    rows = ((f"`{name}`", it.source, it.expect, it.about) for name, it in MANIPULATIONS.items())
    return table(("name", "paper", "expect", "what it does"), rows)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        f"| {' | '.join(one.replace('|', chr(92) + '|') for one in it)} |" for it in lines
    )


PARTS: dict[str, Callable[[], str]] = {
    "commands": commands,
    "signatures": signatures,
    "manipulations": manipulations,
}


def written(text: str) -> str:
    """A page with its parts written anew."""

    def part(found: re.Match[str]) -> str:
        return f"{found[1]}\n{PARTS[found[2]]()}\n{found[3]}"

    return re.sub(r"(<!-- (\w+) \(make docs\) -->)\n.*?(<!-- end -->)", part, text, flags=re.DOTALL)


def main() -> None:
    stale = []
    for path in sorted(ROOT.glob("docs/**/*.md")):
        before = path.read_text()
        after = written(before)
        if after != before:
            stale.append(str(path.relative_to(ROOT)))
            if "--check" not in sys.argv:
                path.write_text(after)
    print("\n".join(stale) or "all pages are up to date")
    sys.exit(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    main()
