"""Peak memory of scoring few and many dialogues to a file: it must not grow with their number."""

import subprocess
import sys
import tempfile
from pathlib import Path

#: Numbers of dialogues, by metric: one that costs nothing, and the one that is there by default.
SIZES = {"words-per-turn": (10_000, 100_000, 1_000_000), "gauge": (500, 5_000, 20_000)}

CHILD = """
import pathlib, re, sys
import dialogauge as dg
count = dg.score_to(sys.argv[2], dg.read(sys.argv[1]), sys.argv[3])
# Not ru_maxrss: a child inherits its parent's.
print(count, re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1])
"""


def write(path: Path, count: int) -> None:
    turn = '{"speaker":"%s","text":"turn %d of a made-up talk, number %d"}'
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            turns = ",".join(turn % ("AB"[at % 2], at, number) for at in range(4))
            file.write(f'{{"id":"dialogue-{number}","turns":[{turns}]}}\n')


def peak(metric: str, count: int) -> float:
    """Megabytes of the whole process."""
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder) / "in.jsonl", Path(folder) / "out.jsonl"
        write(source, count)
        command = [sys.executable, "-c", CHILD, str(source), str(out), metric]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    scored, kilobytes = map(int, done.stdout.split())
    assert scored == count
    return kilobytes / 1024


def main() -> None:
    for metric, sizes in SIZES.items():
        peaks = {count: peak(metric, count) for count in sizes}
        shown = ", ".join(f"{count:,}: {megabytes:.0f} MB" for count, megabytes in peaks.items())
        growth = (peaks[sizes[-1]] - peaks[sizes[0]]) * 2**20 / (sizes[-1] - sizes[0])
        print(
            f"peak memory of scoring to a file by {metric}: {shown}; {growth:.0f} bytes more a "
            "dialogue (the ids of words-per-turn take 11 to 21; gauge fills the encoder's caches)",
            flush=True,
        )
