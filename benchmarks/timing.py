"""Two ways to do one thing, timed in turns so that noise hits both; the ratio is what counts."""

import time
from collections.abc import Callable

import msgspec

ROUNDS = 7


def best(
    *ways: Callable[[], object],
    rounds: int = ROUNDS,
    clock: Callable[[], float] = time.perf_counter,
) -> list[float]:
    """The best time of each way, in seconds; ``time.process_time`` counts the processor's alone."""
    times: list[list[float]] = [[] for _ in ways]
    for _ in range(rounds):
        for way, seconds in zip(ways, times, strict=True):
            start = clock()
            way()
            seconds.append(clock() - start)
    return [min(seconds) for seconds in times]


class Bench(msgspec.Struct, frozen=True):
    """One comparison: our time, a peer's, and how many times faster we want to be."""

    what: str
    ours: float
    peer: str
    theirs: float
    target: float

    def show(self) -> None:
        """Print one line."""
        ratio = self.theirs / self.ours
        met = "met" if ratio >= self.target else "MISSED"
        print(
            f"{self.what}: {self.ours:.3f} s, {self.peer} {self.theirs:.3f} s, "
            f"{ratio:.2f} times as fast (target {self.target:g}: {met})",
            flush=True,
        )
