"""``python -m dialogauge`` is the command ``dialogauge``."""

from .cli import main

main()
