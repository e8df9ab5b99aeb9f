"""Translators and language models by name, without torch until one is needed."""

import subprocess
import sys

import pytest

from dialogauge.errors import InputError
from dialogauge.train import writers


@pytest.mark.parametrize("name", ["google", "THERE,", ",BACK", "", " , "])
def test_what_is_no_translator(name: str) -> None:
    with pytest.raises(InputError, match="apertium, or two models, THERE,BACK"):
        writers.translator(name)


def test_two_models(monkeypatch: pytest.MonkeyPatch) -> None:
    marian = pytest.importorskip("dialogauge.train.marian")
    monkeypatch.setattr(marian, "load", lambda there, back: lambda texts: [there, back])
    assert writers.translator("en-de, de-en")(["Hi."]) == ["en-de", "de-en"]


def test_names_are_read_without_torch() -> None:
    code = "import sys, dialogauge.train.writers; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
