"""The AMR parser's training: a few graphs by heart, through the same door as every other model."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra: train")
pytest.importorskip("spacy", reason="needs the extra: language")
torch.set_num_threads(1)

from dialogauge import models  # noqa: E402
from dialogauge.amr.graph import encode  # noqa: E402
from dialogauge.amr.parser.builtin import FILES, Builtin  # noqa: E402
from dialogauge.errors import DataError, InputError  # noqa: E402
from dialogauge.train import recipe as recipes  # noqa: E402
from dialogauge.train.log import Moment  # noqa: E402
from dialogauge.train.models.amr import task as amr  # noqa: E402
from dialogauge.train.recipe import Recipe  # noqa: E402
from dialogauge.train.run import Trained, train  # noqa: E402

from .test_devices import run_there  # noqa: E402

GRAPHS = """# ::snt The cat sleeps.
(s / sleep-01 :ARG0 (c / cat))

# ::snt The dog eats a bone.
(e / eat-01 :ARG0 (d / dog) :ARG1 (b / bone))

# ::snt She sees the cat.
(s / see-01 :ARG0 (s2 / she) :ARG1 (c / cat))

# ::snt The dog does not sleep.
(s / sleep-01 :polarity - :ARG0 (d / dog))
"""

RECIPE = """
name = "small"
task = "amr"
about = "A few graphs by heart."
seed = 3
[optimisation]
epochs = 25
batch_size = 12
learning_rate = 0.005
clip = 2.0
checkpoint_every = 10
[backbone]
name = "dialogue-minilm"
[settings]
width = 32
dropout = 0.1
held_out = 3
rarest_template = 1
rarest_label = 1
[[settings.corpora]]
file = "few.txt"
licence = "ours"
"""


@pytest.fixture(scope="module")
def recipe() -> Recipe:
    return recipes.decode(RECIPE.encode())


@pytest.fixture(scope="module", autouse=True)
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder for runs, beside the graphs."""
    folder = tmp_path_factory.mktemp("amr")
    (folder / "amr").mkdir()
    (folder / "amr" / "few.txt").write_text(GRAPHS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIALOGAUGE_DATA", str(folder))
        yield folder


@pytest.fixture(scope="module")
def whole(recipe: Recipe, places: Path) -> Trained:
    """The run that nobody disturbed."""
    return train(recipe, places / "whole", command="dialogauge train small.toml")


def test_graphs_are_learnt_by_heart(places: Path, whole: Trained) -> None:
    assert whole.best["right"] > whole.before["right"]
    assert set(models.verify(places / "whole").files) == {*FILES, "card.md", "recipe.json"}
    graphs = Builtin.load(places / "whole").parse(["The cat sleeps.", "The dog does not sleep."])
    texts = [" ".join(encode(graph).split()) for graph in graphs if graph]
    assert texts[0] == "(s / sleep-01 :ARG0 (c / cat))"
    assert texts[1].startswith("(s / sleep-01")
    assert ":polarity -" in texts[1]


def test_the_card_has_the_numbers_of_this_run(places: Path, whole: Trained) -> None:
    card = (places / "whole" / "card.md").read_text()
    for said in (
        "# small",
        "A few graphs by heart.",
        "dialogauge train small.toml",
        "| few.txt | ours | 4 | 3 | 1 |",
        f"| right | {whole.before['right']:.4f} | {whole.best['right']:.4f} |",
        f"{whole.steps:,} steps in {whole.seconds:,.0f} s.",
        f"largest difference {whole.parity:.2e}",
        '"rarest_label": 1',
        "English only",
    ):
        assert said in card
    for foreign in ("minutes", "a core", "deam_parsed", "QALD-9 train", "look", '"data"'):
        assert foreign not in card


def test_killed_and_resumed_is_the_same(recipe: Recipe, places: Path, whole: Trained) -> None:
    def crash(moment: Moment) -> None:
        if moment.step == 25 and moment.loss is not None:
            raise RuntimeError("the power went")

    with pytest.raises(RuntimeError):
        train(recipe, places / "cut", watch=[crash])
    assert train(recipe, places / "cut", resume=True).best == whole.best
    one, two = (models.verify(places / name).files for name in ("whole", "cut"))
    assert {name for name in one if one[name] != two[name]} == {"card.md"}


def test_it_learns_on_a_device(recipe: Recipe, tmp_path: Path) -> None:
    settings = recipes.settings(recipe, amr.Settings)
    task = amr.build(recipe, settings, amr.gather(recipe, settings), tmp_path)
    loss, measures = run_there(task, recipe, tmp_path)
    assert np.isfinite([loss, *measures.values()]).all()


def test_what_is_wrong_is_named(
    recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bad.toml").write_text(RECIPE + '[data]\ncorpora = ["personachat"]\n')
    with pytest.raises(InputError, match=r"bad\.toml: data: the task amr does not read this"):
        train(tmp_path / "bad.toml", tmp_path / "out")
    monkeypatch.delenv("DIALOGAUGE_DATA")
    with pytest.raises(DataError, match="no folder amr: set DIALOGAUGE_DATA"):
        train(recipe, tmp_path / "out")
