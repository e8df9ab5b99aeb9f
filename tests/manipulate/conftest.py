"""Fixtures of the tests of manipulations."""

import pytest

from dialogauge.amr import InPlace
from dialogauge.amr.loading import Remembering
from dialogauge.amr.parser.builtin import Builtin
from dialogauge.manipulate.pool import Pool


@pytest.fixture(scope="session")
def pool(parser: Builtin) -> Pool:
    """A pool without dialogues whose parser remembers what it read."""
    return Pool([], parser=Remembering(parser), realiser=InPlace(parser.pipeline))
