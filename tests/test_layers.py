"""The order of the packages is a test: an import that points upward fails, and so does a cycle."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import dialogauge

ROOT = Path(dialogauge.__file__).parent

#: Lowest first. What is above may import what is below, never the other way; that `meta` and
#: `report` stand below `metrics` is how "meta and report read scores, never a model" is kept.
#: `report` shows edits, too, and therefore stands above `manipulate`.
LAYERS = (
    "errors",
    "plugins",
    "escaping",
    "dialogue",
    "atomic",
    "ids",
    "models",
    "weights",
    "scores",
    "meta",
    "formats",
    "corpora",
    "language",
    "encode",
    "importing",
    "knowledge",
    "sentence",
    "amr",
    "cognition",
    "manipulate",
    "contrast",
    "variants",
    "report",
    "metrics",
    "scoring",
    "judging",
    "train",
    "reproduce",
    "cli",
    "__main__",
)

MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in ROOT.rglob("*.py")
    if path != ROOT / "__init__.py"
}


def imports(module: str) -> Iterator[str]:
    """The modules of ours that a module imports, at its top, inside functions and for types."""
    path = MODULES[module]
    tree = ast.parse(path.read_text())
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            target = base + (node.module.split(".") if node.module else [])
            for name in node.names:
                full = ".".join([*target, name.name])
                yield full if full in MODULES else ".".join(target)
        elif isinstance(node, ast.ImportFrom | ast.Import):
            names = (
                [node.module]
                if isinstance(node, ast.ImportFrom)
                else [alias.name for alias in node.names]
            )
            assert not any((name or "").startswith("dialogauge") for name in names), (
                f"{module}: import our own modules relatively"
            )


def layer(module: str) -> int:
    return LAYERS.index(module.split(".", maxsplit=1)[0])


def test_every_package_has_a_layer() -> None:
    assert {module.split(".")[0] for module in MODULES} == set(LAYERS)


@pytest.mark.parametrize("module", sorted(MODULES))
def test_imports_point_downward(module: str) -> None:
    for target in imports(module):
        if target:  # "" is the package itself, for its version
            assert layer(target) <= layer(module), f"{module} imports {target}, which is above it"


def test_no_cycles() -> None:
    graph = {module: set(imports(module)) - {module, ""} for module in MODULES}
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, f"a cycle: {' -> '.join((*path, module))}"
        if module not in done:
            for target in graph.get(module, ()):
                visit(target, (*path, module))
            done.add(module)

    for module in graph:
        visit(module, ())


def test_no_missing_nouns() -> None:
    for module in MODULES:
        assert not {"utils", "util", "helpers", "base", "common", "core", "misc"} & set(
            module.split(".")
        )


def test_a_report_is_made_of_values_alone() -> None:
    """What is shown was computed elsewhere: no encoder, parser or manipulation is called."""
    values = {"atomic", "dialogue", "errors", "meta", "escaping", "report", "scores"}
    values |= {"manipulate.edited", "manipulate.manipulation"}
    for module in MODULES:
        if module.split(".", maxsplit=1)[0] == "report":
            for target in imports(module):
                assert target in values or target.split(".", maxsplit=1)[0] in values, target
