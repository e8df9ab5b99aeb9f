"""The real corpora, each read once for all tests of this folder."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from dialogauge import corpora
from dialogauge.dialogue import Dialogue


@pytest.fixture(scope="package")
def load(data: Path) -> Iterator[Callable[..., tuple[Dialogue, ...]]]:
    """``corpora.load`` on the real data."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIALOGAUGE_DATA", str(data))
        yield cache(corpora.load)
