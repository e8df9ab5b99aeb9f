"""The page on metrics: its code runs, its table is the table."""

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from dialogauge.dialogue import Dialogue, Turn
from dialogauge.metrics import METRICS, checked, load

PAGE = (Path(__file__).parents[2] / "docs" / "guide" / "metrics.md").read_text()


def test_the_example_metric_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    code = re.search(r"```python\n(# my_metric.py\n.*?)```", PAGE, re.DOTALL)
    assert code
    assert len(code[1].strip().splitlines()) <= 20
    module = ModuleType("my_metric")
    exec(compile(code[1], "my_metric.py", "exec"), module.__dict__)
    monkeypatch.setitem(sys.modules, "my_metric", module)
    chat = Dialogue("d", (Turn("user", "Why?"), Turn("bot", "Is it?"), Turn("bot", "So it is.")))
    (score,) = checked(load("my_metric:Questions"), [chat])
    assert score.turns == (1.0, 1.0, 0.0)
    assert score.value == pytest.approx(2 / 3)


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_is_on_the_page_with_its_signature(name: str) -> None:
    assert f"`{name}`" in PAGE
    settings = [
        part
        for part in load(name).signature.split("|")
        if not re.search(r":\d+\.\d+\.|^sha256:|^cpu:", part)
    ]
    cell = r"\|".join(settings)  # as a table needs it
    assert f"`{cell}`" in PAGE
