"""A folder for each trained model: what is learnt, from what, by which network; nothing between."""

import ast
from pathlib import Path

import pytest

import dialogauge

FOLDER = Path(dialogauge.__file__).parent / "train" / "models"
MODELS = sorted(path.parent.name for path in FOLDER.glob("*/__init__.py"))


@pytest.mark.parametrize("model", ["dynaeval", "maude", "relevance"])
def test_a_head_is_a_task_its_rows_and_its_network(model: str) -> None:
    modules = {path.stem for path in (FOLDER / model).glob("*.py")}
    assert modules == {"__init__", "task", "rows", "network"}


@pytest.mark.parametrize("model", MODELS)
def test_no_model_reaches_into_the_folder_of_another(model: str) -> None:
    for path in (FOLDER / model).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level == 2:
                names = [node.module or "", *(alias.name for alias in node.names)]
                assert not {name.split(".")[0] for name in names} & set(MODELS), path
