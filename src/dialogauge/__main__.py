"""``python -m dialogauge`` is the command ``dialogauge``; Ctrl-C is one line from the start."""

import sys


def main() -> None:
    """Run the command line, whose imports take a moment in which somebody may press Ctrl-C."""
    try:
        from .cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("dialogauge: interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
