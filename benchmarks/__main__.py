"""``make bench``: every benchmark, or those named: ``python -m benchmarks reading memory``."""

import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    names = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    for name in sys.argv[1:] or names:
        if name not in names:
            sys.exit(f"no benchmark is called {name!r} (known: {', '.join(names)})")
        import_module(f"benchmarks.bench_{name}").main()


main()
