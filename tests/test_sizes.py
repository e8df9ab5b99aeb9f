"""The house stays in order: small modules and functions, and what is private looks private."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import dialogauge

SOURCE = Path(dialogauge.__file__).parent
ROOT = Path(__file__).parents[1]
MODULES = sorted(SOURCE.rglob("*.py"))
LONGEST_MODULE, LONGEST_FUNCTION = 350, 60


def ids(path: Path) -> str:
    return str(path.relative_to(SOURCE))


@cache
def words(path: Path) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", path.read_text()))


def everywhere() -> list[Path]:
    """Whatever may use a name: code of all kinds, and pages that show it."""
    code = (
        path
        for folder in ("tests", "benchmarks", "scripts")
        for path in (ROOT / folder).rglob("*.py")
    )
    return [*MODULES, *code, *ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]


def public_names(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def in_signatures(tree: ast.Module) -> set[str]:
    """Types that callers meet: in annotations of functions and fields, or as ``build``."""
    notes: list[ast.expr | None] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            notes.append(node.returns)
        elif isinstance(node, ast.arg | ast.AnnAssign):
            notes.append(node.annotation)
        elif isinstance(node, ast.Assign):
            notes.append(node.value if isinstance(node.value, ast.Name) else None)
    return {word for note in notes if note for word in re.findall(r"\w+", ast.unparse(note))}


@pytest.mark.parametrize("path", MODULES, ids=ids)
def test_modules_and_functions_are_short(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= LONGEST_MODULE
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            assert (node.end_lineno or 0) - node.lineno < LONGEST_FUNCTION, node.name


@pytest.mark.parametrize("path", MODULES, ids=ids)
def test_what_serves_its_own_module_only_is_private(path: Path) -> None:
    text = path.read_text()
    tree = ast.parse(text)
    exported = set(re.findall(r'"(\w+)"', text)) if "__all__" in text else set()
    exported |= {name for name in in_signatures(tree) if not name.isupper()}
    others = [other for other in everywhere() if other != path]
    for name in public_names(tree):
        if not name.startswith("_") and name not in exported:
            assert any(name in words(other) for other in others), f"{name}: used nowhere else"
