"""How fluent edited sentences are: median loss per token under SmolLM2, beside DEAM's own output.

    python -m benchmarks.fluency [PAIRS.jsonl]

DEAM regenerates every sentence from its graph: `deam_output_*` holds its round trips (coherent, 1)
and its damaged ones (0); the human sentences are those of Topical-Chat. PAIRS, written by
``python -m benchmarks.realise pairs``, holds ``kind``, ``original`` and ``edited`` of our edits.
"""

import gzip
import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from dialogauge import corpora
from dialogauge.reproduce.page import table
from dialogauge.train.causal import LanguageModel, load

SAMPLE = 200


def main(pairs: Path | None) -> None:
    model = load()
    print(table(("text", "n", "median loss per token"), _theirs(model)))
    if pairs:
        print(table(("edit", "n", "before", "after", "median rise"), _ours(model, pairs)))


def _theirs(model: LanguageModel) -> Iterator[tuple[object, ...]]:
    found: dict[str, set[str]] = defaultdict(set)
    root = Path(os.environ["DIALOGAUGE_DATA"]) / "amr"
    for path in sorted(root.glob("deam_output_without_*.txt.gz")):
        if "types" not in path.name:
            for line in gzip.decompress(path.read_bytes()).decode().splitlines():
                *turns, label = line.split("</UTT>")
                found["DEAM, round trip" if label == "1" else "DEAM, damaged"].update(turns)
    talk = corpora.load("topical-chat")
    found["Topical-Chat, as written"] = {turn.text for each in talk for turn in each.turns}
    for name, texts in sorted(found.items()):
        some = _drawn(sorted(texts))
        yield name, len(some), f"{np.nanmedian(model.losses(some)):.2f}"


def _ours(model: LanguageModel, path: Path) -> Iterator[tuple[object, ...]]:
    kinds: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        kinds[row["kind"]].append((row["original"], row["edited"]))
    kinds["all"] = [pair for name in sorted(kinds) for pair in kinds[name]]
    for name, pairs in kinds.items():
        rng = np.random.default_rng(0)
        some = [pairs[at] for at in rng.permutation(len(pairs))[:SAMPLE]]
        before, after = (model.losses([pair[side] for pair in some]) for side in (0, 1))
        middle = [f"{np.nanmedian(values):.2f}" for values in (before, after, after - before)]
        yield name, len(some), *middle


def _drawn(texts: list[str]) -> list[str]:
    rng = np.random.default_rng(0)
    return [texts[at] for at in rng.permutation(len(texts))[:SAMPLE]]


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else None)
