"""PENMAN: our reader and writer beside the package penman's, on the published graphs."""

import logging
import os
from collections.abc import Callable
from pathlib import Path

import penman  # type: ignore[import-untyped]

from dialogauge.amr import NotationError, decode, encode
from dialogauge.amr.files import read

from .timing import Bench, best

#: One graph in so many is read and written.
EVERY = 20
LEVELS = range(100, 1001, 10)


def main() -> None:
    logging.getLogger("penman").setLevel(logging.ERROR)  # it remarks on every graph with a loop
    folder = Path(os.environ["DIALOGAUGE_DATA"]) / "amr"
    patterns = ("*.amr.gz", "deam_parsed_*", "little_prince_*", "qald-9-amr-*")
    paths = [path for pattern in patterns for path in sorted(folder.glob(pattern))]
    ours = [graph for path in paths for graph in read(path)][::EVERY]
    texts = [encode(graph) for graph in ours]
    theirs = [penman.decode(text) for text in texts]
    reading = best(lambda: [*map(decode, texts)], lambda: [*map(penman.decode, texts)], rounds=3)
    writing = best(lambda: [*map(encode, ours)], lambda: [*map(penman.encode, theirs)], rounds=3)
    for what, (own, peer) in {"reading": reading, "writing": writing}.items():
        print(f"{what} {len(texts):,} graphs: {len(texts) / own:,.0f} a second", flush=True)
        Bench(f"{what} PENMAN", own, "penman", peer, 1).show()
    print(f"brackets: {deepest(decode)} here, {deepest(penman.decode)} with penman")


def deepest(parse: Callable[[str], object]) -> str:
    """How deep brackets may be, and what happens beyond."""
    for depth in LEVELS:
        text = "".join(f"(v{at} / c :ARG0 " for at in range(depth)) + "x" + ")" * depth
        try:
            parse(text)
        except (NotationError, RecursionError) as error:
            return f"{type(error).__name__} at {depth}"
    return f"more than {LEVELS[-1]}"
