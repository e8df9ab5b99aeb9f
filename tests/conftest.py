"""Fixtures shared by all tests."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

DATA = Path(os.environ.get("DIALOGAUGE_DATA") or Path(__file__).parents[2] / "shared" / "data")

settings.register_profile("no-timings", deadline=None)  # a slow machine is no failure
settings.load_profile("no-timings")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of published corpora; tests that need it skip where it is absent."""
    if not DATA.is_dir():
        pytest.skip(f"needs the corpora: set DIALOGAUGE_DATA (looked in {DATA})")
    return DATA
