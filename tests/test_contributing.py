"""CONTRIBUTING says truly which files a new thing touches: those that name an old one count."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import dialogauge
from dialogauge import corpora
from dialogauge.manipulate.catalogue import MANIPULATIONS
from dialogauge.metrics import METRICS
from dialogauge.reproduce import REPRODUCTIONS

SOURCE = Path(dialogauge.__file__).parent
ROOT = Path(__file__).parents[1]
TRAINED = ("relevance", "maude", "dynaeval")
#: Edits of meaning have settings of their own, in one table for the six of them.
MEANING = (
    *("coreference", "contradiction", "irrelevancy", "engagement"),
    *("self-contradiction", "name-exchange"),
)


@cache
def names_of(path: Path) -> frozenset[str]:
    """What a file of the package names: its own name, strings and modules; keys of a table."""
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        return frozenset([path.stem, *_in_code(ast.parse(text))])
    return frozenset([path.stem, *re.findall(r'^[\["]*([\w-]+)', text, re.MULTILINE)])


def _in_code(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value.partition(".")[0]
        elif isinstance(node, ast.ImportFrom):
            yield from (part for part in (node.module or "").split("."))
            yield from (alias.name for alias in node.names)


def touched(name: str, *rooms: str) -> set[str]:
    """The places of some rooms that name a thing; a folder of train/models is one."""
    places = set()
    for path in (path for room in rooms for path in (SOURCE / room).rglob("*.*")):
        place = path.relative_to(SOURCE).as_posix()
        if path.suffix in (".py", ".toml", ".tsv") and (
            {name, name.replace("-", "_")} & names_of(path) or f"models/{name}/" in place
        ):
            places.add(re.sub(r"(train/models/\w+)/.*", r"\1", place))
    return places


#: What reads other metrics knows them by name.
READS = {
    *("metrics/gauge.py", "metrics/evidence.py"),
    *("train/models/gauge", "train/recipes/gauge.toml"),
}


@pytest.mark.parametrize("name", [name for name in METRICS if not name.startswith(TRAINED)])
def test_a_metric_touches_its_module_and_the_table(name: str) -> None:
    assert len(touched(name, "metrics") - READS) <= 2


@pytest.mark.parametrize("name", TRAINED)
def test_a_trained_model_touches_five_files(name: str) -> None:
    users = {"metrics/ruber.py"}  # a blend with another's network
    assert len(touched(name, "metrics", "train") - users - READS) <= 5


@pytest.mark.parametrize("name", [name for name in MANIPULATIONS if name not in MEANING])
def test_a_manipulation_touches_its_module_and_the_catalogue(name: str) -> None:
    asks = ("mixtures.py", "words.toml", "grammar.py", "responses.py" * (name == "synonyms"))
    users = {f"manipulate/{file}" for file in asks}
    assert len(touched(name, "manipulate") - users) <= 2


@pytest.mark.parametrize("name", corpora.names())
def test_a_corpus_touches_three_files(name: str) -> None:
    assert len(touched(name, "corpora")) <= 3


@pytest.mark.parametrize("name", REPRODUCTIONS)
def test_a_reproduction_page_touches_three_files(name: str) -> None:
    others = {f"reproduce/{other}.py" for other in REPRODUCTIONS if other != name}
    # What a page may take; that of dcgeval is listed when its weights ship.
    parts = ("exams", "meaning", "choices", "rivals", "abilities", "dcgeval")
    assert len(touched(name, "reproduce") - others - {f"reproduce/{it}.py" for it in parts}) <= 3


def test_the_files_that_it_names_are_there() -> None:
    table = (ROOT / "CONTRIBUTING.md").read_text()
    paths = re.findall(r"`((?:\w+/)+\w+\.(?:py|toml|tsv))", table)
    assert len(paths) > 10
    for path in (path for path in paths if "NAME" not in path):
        assert (SOURCE / path).exists() or (ROOT / path).exists(), path
