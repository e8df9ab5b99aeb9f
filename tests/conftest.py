"""Fixtures shared by all tests."""

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("DIALOGAUGE_DATA") or Path(__file__).parents[2] / "shared" / "data")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of published corpora; tests that need it skip where it is absent."""
    if not DATA.is_dir():
        pytest.skip(f"needs the corpora: set DIALOGAUGE_DATA (looked in {DATA})")
    return DATA
