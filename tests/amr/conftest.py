"""Fixtures of the tests of AMR."""

import pytest

from dialogauge.language import Pipeline

from .writing import Writing


@pytest.fixture(scope="session")
def writing(pipeline: Pipeline) -> Writing:
    """The realiser that ships, and its edits."""
    return Writing(pipeline)
