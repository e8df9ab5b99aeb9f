"""Every metric that ships, on ``examples/``: the numbers and signatures of ``golden/examples.tsv``.

A change that is meant to change scores writes the table anew, to be reviewed with it:

    python -m tests.metrics.test_golden
"""

import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import dialogauge as dg
from dialogauge.encode.session import cpu_arithmetic
from dialogauge.metrics import METRICS

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "tests" / "golden" / "examples.tsv"
EXAMPLES = ["chats.jsonl", "support.json", "talk.txt", "rated.jsonl"]

#: What a signature says of the machine and of packages: it may differ.
CHANGING = re.compile(r"\b(cpu|dialogauge|onnxruntime|tokenizers|sacrebleu|rouge-score|nltk):[^|]+")

#: How far a network may be off on a processor like the one that the table was made on...
SAME = {"abs": 1e-4, "rel": 0.0}
#: ... and on another, which rounds int8 products differently (the first line names it).
OTHER = {"abs": 2e-2, "rel": 2e-2}

Key = tuple[str, str]  # a metric and a dialogue


def scored() -> dg.Scores:
    return dg.score(dg.read([str(ROOT / "examples" / name) for name in EXAMPLES]), list(METRICS))


def written(scores: dg.Scores) -> str:
    """The table: signatures, then a line for each dialogue that a metric scores."""
    signatures = [CHANGING.sub(r"\1:*", each) for each in scores.signatures.values()]
    lines = [f"# cpu:{cpu_arithmetic()}", *(f"# {each}" for each in signatures)]
    for name in scores.metrics:
        for row in scores.rows:
            score = row.scores[name]
            numbers = (score.value, *score.turns)
            if not all(map(math.isnan, numbers)):
                lines.append("\t".join([name, row.id, *map(shown, numbers)]))
    return "\n".join(lines) + "\n"


def shown(number: float) -> str:
    return "-" if math.isnan(number) else f"{number:.6f}".rstrip("0").removesuffix(".")


def rows(text: str) -> Iterator[tuple[Key, list[str]]]:
    for line in text.splitlines():
        if not line.startswith("#"):
            metric, dialogue, *numbers = line.split("\t")
            yield (metric, dialogue), numbers


def comments(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("#")]


@pytest.fixture(scope="module")
def now() -> str:
    return written(scored())


@pytest.fixture(scope="module")
def golden() -> str:
    return TABLE.read_text("utf-8")


def test_signatures(now: str, golden: str) -> None:
    assert comments(now)[1:] == comments(golden)[1:]


def test_the_same_dialogues_are_scored(now: str, golden: str) -> None:
    assert [row for row, _ in rows(now)] == [row for row, _ in rows(golden)]
    assert {metric for (metric, _), _ in rows(golden)} == set(METRICS)


@pytest.mark.parametrize("name", METRICS)
def test_scores(name: str, now: str, golden: str) -> None:
    ours, before = ({row: n for row, n in rows(text) if row[0] == name} for text in (now, golden))
    if not any(line.startswith(f"# {name}|") and "|encoder:" in line for line in comments(golden)):
        assert ours == before  # counts and overlaps: the same on every machine
        return
    off = SAME if comments(now)[0] == comments(golden)[0] else OTHER
    for row, numbers in before.items():
        expected = [math.nan if each == "-" else float(each) for each in numbers]
        actual = [math.nan if each == "-" else float(each) for each in ours[row]]
        assert actual == pytest.approx(expected, **off, nan_ok=True), (row, off)


if __name__ == "__main__":
    TABLE.write_text(written(scored()), "utf-8")
