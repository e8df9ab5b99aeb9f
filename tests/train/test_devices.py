"""Batches go to the network's device in one place, to learn from and to validate with."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra: train")
torch.set_num_threads(1)

from torch import Tensor, nn  # noqa: E402

from dialogauge.train import recipe as recipes  # noqa: E402
from dialogauge.train.checkpoints import State  # noqa: E402
from dialogauge.train.data import given  # noqa: E402
from dialogauge.train.loop import Run, Task  # noqa: E402
from dialogauge.train.models import check, module  # noqa: E402
from dialogauge.train.recipe import Recipe  # noqa: E402

from .pretended import DEVICE, PretendedGpu, put_network  # noqa: E402
from .training import chats, recipe_text, vectors  # noqa: E402

HEADS: list[tuple[str, dict[str, Any]]] = [
    ("response-selection", {"heads": 2, "same_dialogue": 1, "nearest": 1}),
    ("nce", {"network": "maude", "mispaired": True}),
    ("nce", {"network": "nli", "positives": 0}),
    ("nce", {"network": "infersent"}),
    ("nce", {"network": "ruber"}),
    ("ranking", {"network": "dynaeval", "pooling": "both"}),
    ("ranking", {"network": "s-dicoh"}),
]


def run_there(task: Task, recipe: Recipe, folder: Path) -> tuple[float, dict[str, float]]:
    """A loss with its gradient and a validation, with the network on another device."""
    run = Run(task, recipe, folder)
    batch, _ = next(run.schedule(State()))
    put_network(task.network)
    with PretendedGpu():
        loss = run.step(batch)
        assert loss.device == DEVICE
        with torch.no_grad():
            measures = task.validate()
    loss.backward()
    return float(loss.detach()), measures


@pytest.mark.parametrize(
    ("name", "settings"), HEADS, ids=[each.get("network", "relevance") for _, each in HEADS]
)
def test_every_head_learns_on_a_device(name: str, settings: dict[str, Any], tmp_path: Path) -> None:
    backbone = {"name": "dialogue-minilm"}
    recipe = recipes.decode(recipe_text(name, backbone=backbone, settings=settings).encode())
    talks = chats(4, turns=5)
    task = module(name).build(recipe, check(recipe), given(talks, talks), tmp_path, vectors)
    loss, measures = run_there(task, recipe, tmp_path)
    assert np.isfinite([loss, *measures.values()]).all()
    assert measures
    assert any(parameter.grad is not None for parameter in task.network.parameters())


class Nested:
    """A task whose batches are tensors in all that may hold them."""

    def __init__(self) -> None:
        self.network = nn.Linear(2, 1)
        self.devices: list[Any] = []

    def batches(self, rng: np.random.Generator) -> list[Any]:
        numbers = torch.from_numpy(rng.normal(size=(4, 2))).float()
        return [{"numbers": (numbers, [numbers[:, :1], "a name", 3])}]

    def loss(self, batch: Any) -> Tensor:
        numbers, (wanted, name, count) = batch["numbers"]
        assert (name, count) == ("a name", 3)
        self.devices += [numbers.device, wanted.device]
        loss: Tensor = (self.network(numbers) - wanted).square().mean()
        return loss

    def validate(self) -> dict[str, float]:
        return {}

    def export(self, folder: Path) -> float:
        return 0.0


def test_a_batch_may_hold_tensors_anywhere(tmp_path: Path) -> None:
    task = Nested()
    run_there(task, Recipe(name="nested", task="nested"), tmp_path)
    assert task.devices == [DEVICE, DEVICE]


def test_the_pretended_device_is_as_strict_as_one() -> None:
    network, numbers = nn.Linear(2, 1), torch.zeros(3, 2)
    put_network(network)
    with PretendedGpu():
        with pytest.raises(RuntimeError, match="on the same device"):
            network(numbers)
        moved = network(numbers.to(DEVICE))
        assert moved.device == (moved + torch.tensor(1.0)).device == DEVICE
        assert moved[torch.tensor([0, 2])].device == DEVICE
        with pytest.raises(RuntimeError, match="on the same device"):
            numbers[torch.zeros(1, dtype=torch.long, device=DEVICE)]
        with pytest.raises(RuntimeError, match="on the same device"):
            moved * torch.ones(3, 1)
        with pytest.raises(TypeError, match="first"):
            moved.detach().numpy()
        assert moved.detach().cpu().numpy().shape == (3, 1)
