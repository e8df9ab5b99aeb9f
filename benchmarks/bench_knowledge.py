"""The store of concepts: opening, a 1-hop query, memory; and how much of real talk it knows.

The peer for memory and opening is a dictionary of lists, filled from the same edges. Queries are
timed in short runs, of which the fastest counts: the machine is shared.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from dialogauge import corpora
from dialogauge.knowledge import Hops, Store, load_space, load_store
from dialogauge.knowledge.normal_form import content_words
from dialogauge.knowledge.shipped import STORE, folder

CONCEPTS = 400

MEMORY = """
import pathlib, re
def now():
    return int(re.search(r"VmRSS:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1])
from dialogauge.knowledge import load_store
before = now()
store = load_store()
opened = now()
for name in store.names:
    store.neighbours(name, limit=10)
print(opened - before, now() - before)
"""

PEER = """
import pathlib, re, time
from dialogauge.knowledge import load_store
def now():
    return int(re.search(r"VmRSS:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1])
store = load_store()
edges = [edge for name in store.names for edge in store.neighbours(name)]
rows = [f"{it.relation}\\t{it.start}\\t{it.end}\\t{it.weight}" for it in edges]
del edges
before, start = now(), time.perf_counter()
out, into = {}, {}
for row in rows:
    relation, first, last, weight = row.split("\\t")
    out.setdefault(first, []).append((relation, last, float(weight)))
    into.setdefault(last, []).append((relation, first, float(weight)))
print(now() - before, time.perf_counter() - start)
"""


def main() -> None:
    store = load_store()
    path = folder() / STORE
    seconds = fastest(lambda: Store.open(path), rounds=15)
    show(f"opening a store of {store.edges:,} edges, digest checked", 1e3 * seconds, "ms", 50)
    queries(store)
    memory()
    hops = Hops(store, load_space().vectors)
    hops.means("dog")
    seconds = fastest(lambda: hops.means("dog"), rounds=15)
    print(f"two hops of 'dog' with their mean vectors: {1e3 * seconds:.1f} ms", flush=True)
    coverage()


def queries(store: Store) -> None:
    rng = np.random.default_rng(0)
    ends = np.asarray(store.table()[2])
    for what, numbers in (
        ("concepts drawn uniformly", rng.integers(len(store), size=CONCEPTS)),
        ("concepts drawn by their edges", rng.choice(ends, CONCEPTS)),
    ):
        names = [store.names[int(number)] for number in numbers]
        times = 1e6 * np.array([one_hop(store, name) for name in names])
        high = f"95 of 100 below {np.percentile(times, 95):.0f}"
        show(f"1-hop query, top 10, {what} ({high})", float(np.median(times)), "µs", 50)


def one_hop(store: Store, name: str) -> float:
    return fastest(lambda: store.neighbours(name, limit=10), rounds=30)


def memory() -> None:
    opened, used = (int(size) / 1024 for size in child(MEMORY).split())
    show(
        f"memory of an open store (once every concept was asked for: {used:.0f})", opened, "MB", 30
    )
    size, seconds = map(float, child(PEER).split())
    print(f"dictionaries of the same: {size / 1024:.0f} MB, {1e3 * seconds:.0f} ms", flush=True)


def coverage() -> None:
    """Content words of the test dialogues of Self-dialogue, each time they are said."""
    spoken = said("self-dialogue")
    space = load_space()
    missing = np.isnan(space.of(spoken)).any(axis=1).mean()
    counts = msgspec.structs.asdict(space.counts)
    shares = ", ".join(
        f"{name} {100 * count / len(spoken):.1f} %" for name, count in counts.items()
    )
    print(f"vectors for {len(spoken):,} content words of Self-dialogue test: {shares}", flush=True)
    assert missing <= 0.05


def said(corpus: str) -> Sequence[str]:
    dialogues = [each for each in corpora.load(corpus) if corpora.split(each) == "test"]
    turns = (turn.text for dialogue in dialogues for turn in dialogue.spoken.turns)
    return [word for text in turns for word in content_words(text)]


def fastest(way: Callable[[], object], rounds: int) -> float:
    """Seconds of the fastest of many single runs."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        way()
        times.append(time.perf_counter() - start)
    return min(times)


def show(what: str, value: float, unit: str, target: float) -> None:
    met = "met" if value <= target else "MISSED"
    print(f"{what}: {value:.1f} {unit} (target {target:g}: {met})", flush=True)


def child(code: str) -> str:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
