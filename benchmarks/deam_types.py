"""How often DEAM drew which edits: its released files beside the chances of our mixture.

    python -m benchmarks.deam_types

DEAM published, for each of its four ablations, which edits each damaged dialogue got. One type is
left out of each, so that one to three of three are drawn. A share of the files stands beside its
95 % interval (Wilson) and the chance that :func:`dialogauge.manipulate.deam.probabilities` gives;
below each file is the p of a chi-square test over all sets.
"""

import gzip
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from scipy import stats

from dialogauge.manipulate.deam import TYPES, probabilities
from dialogauge.report.markdown import table

#: The names in the released files.
NAMES = {
    "coreference_incosistency": "coreference",
    "contradiction": "contradiction",
    "partial_irrelevant": "irrelevancy",
    "decrease_engagement": "engagement",
}
FILES = dict(zip(("coref", "cont", "pirl", "eng"), TYPES, strict=True))
UNTOUCHED = "no manipulations"


def main() -> None:
    print(section())


def section() -> str:
    """A table for each released file."""
    root, parts = Path(os.environ["DIALOGAUGE_DATA"]) / "amr", []
    for short, left_out in FILES.items():
        types = tuple(name for name in TYPES if name != left_out)
        counts = drawn(root / f"deam_output_without_{short}_types.txt.gz")
        told = f"Without {left_out} (chi-square: p = {agreement(counts, types):.3f}):"
        parts.append(f"{told}\n\n{table(HEADER, rows(counts, types))}")
    return "\n\n".join(parts)


HEADER = ("edits", "released", "share", "95 % interval", "ours")


def drawn(path: Path) -> Counter[tuple[str, ...]]:
    """How many dialogues of a released file got each set of edits."""
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    sets = [{NAMES[name] for name in line.strip().split(",")} for line in lines if _edited(line)]
    return Counter(tuple(name for name in TYPES if name in each) for each in sets)


def _edited(line: str) -> bool:
    return bool(line.strip()) and line.strip() != UNTOUCHED


def rows(counts: Counter[tuple[str, ...]], types: tuple[str, ...]) -> Iterator[tuple[object, ...]]:
    """A row per set: counted, share, interval, our chance."""
    n = counts.total()
    for each, chance in probabilities(types).items():
        share = stats.binomtest(counts[each], n).proportion_ci(method="wilson")
        interval = f"{share.low:.3f} to {share.high:.3f}"
        yield ", ".join(each), counts[each], f"{counts[each] / n:.3f}", interval, f"{chance:.3f}"


def agreement(counts: Counter[tuple[str, ...]], types: tuple[str, ...]) -> float:
    """The p of the counts if the sets are drawn with our chances."""
    expected = probabilities(types)
    seen = [counts[each] for each in expected]
    return float(stats.chisquare(seen, [p * counts.total() for p in expected.values()]).pvalue)


if __name__ == "__main__":
    main()
