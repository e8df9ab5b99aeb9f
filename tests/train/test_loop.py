"""The loop: it learns, it stops in time, it survives being killed, it says what it did."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra: train")
torch.set_num_threads(1)

import onnxruntime  # noqa: E402
from torch import Tensor, nn  # noqa: E402

from dialogauge.errors import DialogaugeError, InputError, OutputError, UnknownNameError  # noqa: E402
from dialogauge.models import digest, verify  # noqa: E402
from dialogauge.train import log  # noqa: E402
from dialogauge.train import recipe as recipes  # noqa: E402
from dialogauge.train.backbone import load  # noqa: E402
from dialogauge.train.checkpoints import Checkpoints, State  # noqa: E402
from dialogauge.train.data import given  # noqa: E402
from dialogauge.train.log import Moment  # noqa: E402
from dialogauge.train.loop import fit  # noqa: E402
from dialogauge.train.models.encoder.task import write  # noqa: E402
from dialogauge.train.recipe import Optimisation, Recipe  # noqa: E402
from dialogauge.train.run import Trained, train  # noqa: E402

from .training import chats, contrasts, recipe_text, tiny, vectors, write_chats  # noqa: E402


class Line:
    """Fits a slope; validates by a list of numbers that the test chooses."""

    def __init__(self, marks: list[float]) -> None:
        torch.manual_seed(0)
        self.network: Any = nn.Linear(2, 1)
        self.marks = marks
        self.noise: list[float] = []

    def batches(self, rng: np.random.Generator) -> list[Tensor]:
        return list(torch.from_numpy(rng.normal(size=(5, 8, 2))).float())

    def loss(self, batch: Tensor) -> Tensor:
        self.noise.append(float(torch.rand(())))  # as dropout would draw
        wanted = batch @ torch.tensor([[1.0], [-2.0]])
        return ((self.network(batch) - wanted + torch.randn(8, 1) * 0.01) ** 2).mean()

    def validate(self) -> dict[str, float]:
        return {"mark": self.marks.pop(0)} if self.marks else {}

    def export(self, folder: Path) -> float:
        return 0.0


def plan(**given: Any) -> Recipe:
    return Recipe(name="line", task="line", seed=5, optimisation=Optimisation(**given))


def weights(task: Line) -> list[float]:
    return [number for p in task.network.parameters() for number in p.detach().flatten().tolist()]


def test_it_learns_and_keeps_the_best(tmp_path: Path) -> None:
    task = Line([0.1, 0.5, 0.9, 0.3])
    state = fit(task, plan(epochs=3, learning_rate=0.5, warmup=0), tmp_path)
    assert (state.step, state.best_step, state.best) == (15, 10, {"mark": 0.9})
    assert state.first == {"mark": 0.1}
    moments = log.read(tmp_path / "log.jsonl")
    losses = [moment.loss for moment in moments if moment.loss is not None]
    assert len(losses) == 15
    assert losses[-1] < losses[0] / 5
    assert [m.step for m in moments if m.validation] == [0, 5, 10, 15]
    last = Line([])
    Checkpoints(tmp_path).load(last.network, torch.optim.AdamW(last.network.parameters()))
    assert weights(last) != weights(task)  # the network has the best weights, not the last


def test_it_stops_when_validation_does_not_gain(tmp_path: Path) -> None:
    task = Line([0.1, 0.5, 0.4, 0.5, 0.6])
    state = fit(task, plan(epochs=50, patience=2), tmp_path)
    assert (state.step, state.best_step, state.strikes) == (15, 5, 2)
    assert fit(task, plan(epochs=50, patience=2), tmp_path, resume=True) == state


def test_a_schedule_is_followed(tmp_path: Path) -> None:
    rates: list[float] = []
    recipe = plan(epochs=4, learning_rate=1.0, warmup=0.25, decay="cosine")
    fit(Line([]), recipe, tmp_path, watch=[lambda m: rates.append(m.rate or 0) if m.loss else None])
    assert rates[:5] == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0])
    assert rates[5:] == sorted(rates[5:], reverse=True)
    assert rates[5] == 1.0
    assert 0 < rates[-1] < 0.02


def test_so_many_steps_are_all(tmp_path: Path) -> None:
    rates: list[float] = []
    recipe = plan(epochs=4, steps=7, learning_rate=1.0, warmup=0.0)
    watch = [lambda m: rates.append(m.rate or 0) if m.loss else None]
    assert fit(Line([]), recipe, tmp_path, watch=watch).step == 7  # in the second epoch
    assert rates == pytest.approx([(7 - at) / 7 for at in range(7)])  # down to the last of them
    assert fit(Line([]), recipe, tmp_path, resume=True).step == 7
    assert fit(Line([]), plan(epochs=1, steps=99), tmp_path / "few").step == 5


def interrupting(step: int, act: Callable[[], None]) -> log.Watch:
    def watch(moment: Moment) -> None:
        if moment.step == step and moment.loss is not None:
            act()

    return watch


def test_stopped_anywhere_and_resumed_is_the_same(tmp_path: Path) -> None:
    recipe = plan(epochs=4, checkpoint_every=3, evaluate_every=4)
    marks = [0.1, 0.2, 0.3, 0.1, 0.5, 0.4]
    whole = Line([*marks])
    state = fit(whole, recipe, tmp_path / "whole")

    def crash() -> None:
        raise RuntimeError("the power went")

    with pytest.raises(RuntimeError):
        fit(Line([*marks]), recipe, tmp_path / "cut", watch=[interrupting(11, crash)])
    resumed = Line(marks[3:])  # validations at 0, 4 and 8 are behind the checkpoint at 9
    again = fit(resumed, recipe, tmp_path / "cut", resume=True)
    assert weights(resumed) == weights(whole)
    assert resumed.noise == whole.noise[9:]
    assert msgspec.structs.replace(again, seconds=0) == msgspec.structs.replace(state, seconds=0)
    assert log.read(tmp_path / "cut" / "log.jsonl") == log.read(tmp_path / "whole" / "log.jsonl")
    assert len(Checkpoints(tmp_path / "cut").places()) == 2


def test_ctrl_c_saves_first(tmp_path: Path) -> None:
    recipe, whole = plan(epochs=4), Line([])
    fit(whole, recipe, tmp_path / "whole")

    def press() -> None:
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        fit(Line([]), recipe, tmp_path / "cut", watch=[interrupting(7, press)])
    assert Checkpoints(tmp_path / "cut").places()[0].name == "step-00000007"
    resumed = Line([])
    fit(resumed, recipe, tmp_path / "cut", resume=True)
    assert weights(resumed) == weights(whole)


def test_a_damaged_checkpoint_is_passed_over(tmp_path: Path) -> None:
    recipe, whole = plan(epochs=4), Line([])
    fit(whole, recipe, tmp_path)
    newest = Checkpoints(tmp_path).places()[0] / "moments.safetensors"
    newest.write_bytes(newest.read_bytes()[:-1] + b"?")
    resumed = Line([])
    seen: list[int] = []
    fit(resumed, recipe, tmp_path, resume=True, watch=[lambda m: seen.append(m.step)])
    assert seen[0] == 16
    assert weights(resumed) == weights(whole)


def test_no_number_is_no_training(tmp_path: Path) -> None:
    class Broken(Line):
        def loss(self, batch: Tensor) -> Tensor:
            return super().loss(batch) * torch.nan

    with pytest.raises(DialogaugeError, match="the loss is not a number at step 1"):
        fit(Broken([]), plan(), tmp_path / "a")
    with pytest.raises(DialogaugeError, match="validation gave no number for mark at step 0"):
        fit(Line([float("nan")]), plan(), tmp_path / "b")


def test_mixed_precision_runs(tmp_path: Path) -> None:
    task = Line([])
    fit(task, plan(precision="bf16"), tmp_path)
    assert all(parameter.dtype == torch.float32 for parameter in task.network.parameters())


def test_a_running_folder_is_not_overwritten(tmp_path: Path) -> None:
    fit(Line([]), plan(), tmp_path)
    with pytest.raises(OutputError, match="holds a run"):
        fit(Line([]), plan(), tmp_path)


HARD = {"epochs": 40, "batch_size": 20, "learning_rate": 0.01, "evaluate_every": 10}


def test_twenty_contrasts_are_learnt_by_heart(tmp_path: Path) -> None:
    text = recipe_text("response-selection", optimisation=HARD, settings={"heads": 2})
    material = given(contrasts(), contrasts())
    trained = train(
        recipes.decode(text.encode()), tmp_path / "out", material=material, encode=vectors
    )
    assert trained.before["hits@1/20"] < 0.5
    assert trained.best["hits@1/20"] == 1
    assert trained.parity < 1e-3


CHILD = "import typer; from dialogauge.cli import train; typer.run(train.run)"


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recipe on 200 dialogues of a file, with a tiny encoder."""
    folder = tmp_path_factory.mktemp("kitchen")
    path = write_chats(folder / "chats.jsonl", chats(200))
    encoder = load(recipes.Chosen(str(tiny(folder / "bert")), max_tokens=16))
    write(encoder, folder / "encoder", "tiny-bert", ["the boat"], int8=False)
    (folder / "tiny.toml").write_text(
        recipe_text(
            "response-selection",
            data={"files": [str(path)], "decontaminate": False},
            optimisation={
                "epochs": 6,
                "batch_size": 16,
                "learning_rate": 0.01,
                "checkpoint_every": 10,
            },
            backbone={"name": str(folder / "encoder"), "max_tokens": 16},
            settings={"heads": 2, "dropout": 0.2},
        )
    )
    return folder


@pytest.fixture(scope="module")
def whole(kitchen: Path) -> Trained:
    """The run that nobody disturbed."""
    return train(kitchen / "tiny.toml", kitchen / "whole", command="dialogauge train tiny.toml")


def test_killed_and_resumed_is_bit_for_bit_the_same(kitchen: Path, whole: Trained) -> None:
    out = kitchen / "killed"
    command = [sys.executable, "-c", CHILD, str(kitchen / "tiny.toml"), "--out", str(out), "-q"]
    child = subprocess.Popen(command, env={**os.environ, "OMP_NUM_THREADS": "1"})
    try:
        while child.poll() is None and not list(out.glob("training/checkpoints/step-*20")):
            time.sleep(0.005)
    finally:
        child.kill()  # SIGKILL: nothing in the child hears of it
        child.wait()
    assert child.returncode == -signal.SIGKILL
    assert not (out / "manifest.json").exists()
    cut = Checkpoints(out / "training").places()[0]
    assert 20 <= int(cut.name.removeprefix("step-")) < whole.steps

    again = train(kitchen / "tiny.toml", out, resume=True)
    assert again.steps == whole.steps
    assert again.best == whole.best
    for name in ("model.safetensors", "model.onnx", "config.json", "recipe.json"):
        assert digest(out / name) == digest(kitchen / "whole" / name), name
    last = f"training/checkpoints/step-{whole.steps:08d}"
    for name in ("weights.safetensors", "moments.safetensors"):
        assert digest(out / last / name) == digest(kitchen / "whole" / last / name)


def test_two_processes_share_the_batches(kitchen: Path, whole: Trained) -> None:
    out = kitchen / "shared"
    script = kitchen / "child.py"
    script.write_text(CHILD)
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"]
    command = [*launch, str(script), str(kitchen / "tiny.toml"), "--out", str(out), "--json"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = msgspec.json.decode(done.stdout)  # one of them speaks
    assert told["steps"] == whole.steps // 2
    verify(out)


def test_it_learnt_something(whole: Trained) -> None:
    assert whole.best["mrr"] > whole.before["mrr"]


def test_card_and_manifest_say_what_is_there(kitchen: Path, whole: Trained) -> None:
    folder = kitchen / "whole"
    card = (folder / "card.md").read_text()
    for said in (
        "# tiny",
        "seed 3",
        "dialogauge train tiny.toml",
        "| the user's own file | 200 |",
        "**not** compared with the test",
        f"| hits@1/20 | {whole.before['hits@1/20']:.4f} | {whole.best['hits@1/20']:.4f} |",
        f"largest difference {whole.parity:.2e}",
        '"checkpoint_every": 10',
    ):
        assert said in card
    verify(folder)
    told = msgspec.json.decode((folder / "manifest.json").read_bytes())["files"]
    assert sorted(told) == [
        "card.md",
        "config.json",
        "model.onnx",
        "model.safetensors",
        "recipe.json",
    ]
    config = msgspec.json.decode((folder / "config.json").read_bytes())
    assert config["metric"] == "relevance"
    assert (config["turns"], config["width"]) == (4, 24)
    assert config["encoder_hash"]


def test_the_exported_head_scores_without_torch(kitchen: Path, whole: Trained) -> None:
    session = onnxruntime.InferenceSession(Path(whole.folder) / "model.onnx")
    rng = np.random.default_rng(0)
    context, response = rng.normal(size=(7, 4, 24)), rng.normal(size=(7, 24))
    inputs = {"context": context, "mask": np.ones((7, 4)), "response": response}
    inputs = {name: array.astype(np.float32) for name, array in inputs.items()}
    together = session.run(["score"], inputs)[0]
    alone = [
        session.run(["score"], {name: array[row : row + 1] for name, array in inputs.items()})[0][0]
        for row in range(7)
    ]
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_a_folder_belongs_to_its_recipe(kitchen: Path, whole: Trained) -> None:
    recipe = recipes.read(kitchen / "tiny.toml")
    with pytest.raises(OutputError, match="is not an empty folder"):
        train(recipe, Path(whole.folder))
    other = msgspec.structs.replace(recipe, seed=4)
    with pytest.raises(InputError, match=r"another recipe \(seed\)"):
        train(other, Path(whole.folder), resume=True)
    with pytest.raises(InputError, match="cannot be read"):
        train(recipe, kitchen / "absent", resume=True)


@pytest.mark.parametrize(
    ("task", "settings", "error", "said"),
    [
        ("nec", {}, UnknownNameError, "did you mean 'nce'"),
        ("nce", {"dropout": 2}, InputError, r"bad\.toml: settings\.dropout: Expected float <= 1"),
        ("nce", {"heads": 2}, InputError, r"bad\.toml: settings: .*unknown field heads"),
    ],
)
def test_settings_belong_to_their_task(
    tmp_path: Path, task: str, settings: dict[str, Any], error: type[Exception], said: str
) -> None:
    (tmp_path / "bad.toml").write_text(recipe_text(task, settings=settings))
    with pytest.raises(error, match=said):
        train(tmp_path / "bad.toml", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("task", ["response-selection", "nce", "ranking"])
def test_a_head_is_trained_on_what_can_score(tmp_path: Path, task: str) -> None:
    backbone = {"name": str(tiny(tmp_path / "bert")), "max_tokens": 16}
    recipe = recipes.decode(recipe_text(task, backbone=backbone).encode())
    problem = r"backbone\.name: .*could not be used \(dialogauge models import .*bert --out NAME"
    with pytest.raises(InputError, match=problem):
        train(recipe, tmp_path / "out", material=given(chats(6), ()))
    assert not (tmp_path / "out").exists()


def test_heads_divide_the_width(tmp_path: Path) -> None:
    recipe = recipes.decode(recipe_text("response-selection", settings={"heads": 7}).encode())
    with pytest.raises(InputError, match="7 heads do not divide vectors of 24 numbers"):
        train(recipe, tmp_path / "out", material=given(chats(3), ()), encode=vectors)
    assert not (tmp_path / "out").exists()  # nothing is in the way of the right number


def test_a_text_without_a_vector_does_no_harm(tmp_path: Path) -> None:
    def holed(texts: Sequence[str]) -> Any:
        found = vectors(texts)
        found[::5] = np.nan
        return found

    recipe = recipes.decode(recipe_text("response-selection", settings={"heads": 2}).encode())
    material = given(chats(10), chats(4, seed=1))
    trained = train(recipe, tmp_path / "out", material=material, encode=holed)
    assert trained.steps == 1


def test_a_state_has_a_file_form() -> None:
    state = State(step=3, best={"mark": 0.1}, seconds=1.5)
    assert msgspec.json.decode(msgspec.json.encode(state), type=State) == state
