"""Fixtures shared by all tests."""

import os
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from dialogauge.amr.parser.builtin import Builtin
    from dialogauge.encode import Encoder
    from dialogauge.language import Pipeline

DATA = Path(os.environ.get("DIALOGAUGE_DATA") or Path(__file__).parents[2] / "shared" / "data")

settings.register_profile("no-timings", deadline=None)  # a slow machine is no failure
settings.load_profile("no-timings")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of published corpora; tests that need it skip where it is absent."""
    if not DATA.is_dir():
        pytest.skip(f"needs the corpora: set DIALOGAUGE_DATA (looked in {DATA})")
    return DATA


@pytest.fixture(scope="session")
def pipeline() -> "Pipeline":
    """The spaCy pipeline that ships; who counts what it was given loads one of their own."""
    pytest.importorskip("spacy", reason="needs the extra: language")
    from dialogauge.language import shared

    return shared()


@pytest.fixture(scope="session")
def encoder() -> "Encoder":
    """The sentence encoder that ships."""
    from dialogauge.encode import Encoder

    return Encoder.load("dialogue-minilm")


@pytest.fixture(scope="session")
def parser(pipeline: "Pipeline") -> "Builtin":
    """The AMR parser that ships."""
    from dialogauge.amr.parser.builtin import Builtin

    return Builtin.load()


@pytest.fixture(autouse=True, scope="session")
def _no_imported_models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What the user imported is not looked at: the folder of imported models is empty."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIALOGAUGE_MODELS", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(autouse=True, scope="session")
def _no_pickle() -> Iterator[None]:
    """Nothing we run unpickles anything, our own code or a library's."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("something was unpickled")

    class Refusing(pickle.Unpickler):  # a class, because libraries derive theirs from it
        load = refuse

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pickle, "load", refuse)
        patch.setattr(pickle, "loads", refuse)
        patch.setattr(pickle, "Unpickler", Refusing)
        yield
