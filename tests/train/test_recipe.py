"""Recipes: what is wrong is said with file and key, and nothing wrong is trained."""

import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from dialogauge import models
from dialogauge.errors import InputError, UnknownNameError
from dialogauge.train import recipe as recipes
from dialogauge.train.recipe import Recipe

from .training import recipe_text

ROOT = Path(__file__).parents[2]


def test_every_model_that_ships_has_a_recipe_and_a_target() -> None:
    shipped = set(models.shipped())
    assert shipped <= {path.stem for path in recipes.folder().glob("*.toml")}
    targets = re.search(r"^MODELS := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert targets is not None
    assert set(targets[1].split()) == shipped
    page = (ROOT / "docs" / "guide" / "training.md").read_text()
    listed = re.search(r"`make NAME` trains .*?: (.*?)\. Stopped", page, re.DOTALL)
    assert listed is not None
    assert set(re.findall(r"`([\w-]+)`", listed[1])) == shipped


def test_the_recipe_in_the_guide_is_the_one_that_ships() -> None:
    page = (ROOT / "docs" / "guide" / "training.md").read_text()
    shown = recipes.decode(page.partition("```toml\n")[2].partition("```")[0].encode())
    ships = recipes.read(recipes.find("relevance"))
    assert msgspec.structs.replace(shown, about=ships.about) == ships


def test_every_recipe_is_one_of_its_task() -> None:
    pytest.importorskip("torch", reason="needs the extra: train")
    from dialogauge.train.models import check
    from dialogauge.train.run import unread

    for path in sorted((ROOT / "recipes").glob("*.toml")):
        recipe = recipes.read(path)
        check(recipe, file=str(path))
        recipes.refuse(recipe, unread(recipe.task))
        assert bool(recipe.data.corpora) == ("data" not in unread(recipe.task))


def test_a_recipe_is_found_by_name_or_path(tmp_path: Path) -> None:
    assert recipes.find("maude") == recipes.folder() / "maude.toml"
    assert recipes.find("mine.toml") == Path("mine.toml")
    assert recipes.find(str(tmp_path / "mine")) == tmp_path / "mine"
    with pytest.raises(UnknownNameError, match="did you mean 'maude'"):
        recipes.find("maud")


def test_the_echo_is_the_same_recipe(tmp_path: Path) -> None:
    text = recipe_text("nce", data={"corpora": ["personachat"], "cap": 9}, settings={"turns": 2})
    recipe = recipes.decode(text.encode())
    path = tmp_path / "recipe.json"
    path.write_bytes(recipes.encode(recipe))
    assert recipes.read(path) == recipe
    assert '"weight_decay": 0.01' in path.read_text()  # defaults are written out


@pytest.mark.parametrize(
    ("table", "key", "value", "said"),
    [
        ("optimisation", "epochs", 0, "optimisation.epochs: Expected int >= 1"),
        ("optimisation", "epoch", 3, "optimisation: Object contains unknown field epoch"),
        ("optimisation", "decay", "square", "optimisation.decay: Invalid enum value 'square'"),
        ("optimisation", "precision", "int8", "optimisation.precision"),
        ("optimisation", "learning_rate", -1, "optimisation.learning_rate: Expected float > 0.0"),
        ("data", "fraction", 2, "data.fraction: Expected float <= 1.0"),
        ("data", "corpora", "personachat", "data.corpora: Expected array, got str"),
        ("backbone", "max_tokens", 1, "backbone.max_tokens: Expected int >= 4"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, table: str, key: str, value: object, said: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(recipe_text("nce", **{table: {key: value}}))
    with pytest.raises(InputError) as caught:
        recipes.read(path)
    assert str(caught.value).startswith(f"{path}: {said}")


def test_no_toml_no_file_no_name(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("name = \n")
    with pytest.raises(InputError, match=r"bad\.toml: this is not TOML: .*line 1"):
        recipes.read(tmp_path / "bad.toml")
    with pytest.raises(InputError, match="cannot be read"):
        recipes.read(tmp_path / "absent.toml")
    with pytest.raises(InputError, match="missing required field name"):
        recipes.decode(b'task = "nce"')
    with pytest.raises(InputError, match="name: Expected str matching regex"):
        recipes.decode(b'name = "../x"\ntask = "nce"')


def test_recipes_are_values() -> None:
    recipe = Recipe(name="a", task="nce")
    with pytest.raises(AttributeError):
        recipe.seed = 2  # type: ignore[misc]


def test_the_command_line_and_recipes_do_without_torch() -> None:
    code = (
        "import sys\n"
        "for name in ('torch', 'transformers', 'accelerate', 'onnx'): sys.modules[name] = None\n"
        "import dialogauge.cli.train, dialogauge.cli, dialogauge.train.recipe\n"
        "from dialogauge.errors import MissingExtraError\n"
        "import importlib.util, dialogauge.train as train\n"
        "train.find_spec = lambda name: None\n"
        "try: train.require_extra()\n"
        "except MissingExtraError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == 'training needs more packages: pip install "dialogauge[train]"\n'
