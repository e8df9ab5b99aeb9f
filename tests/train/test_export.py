"""Export: ONNX equals torch at all sizes, and a difference is an error."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra: train")
torch.set_num_threads(1)

from torch import Tensor, nn  # noqa: E402

from dialogauge.errors import DialogaugeError, ModelError  # noqa: E402
from dialogauge.models import seal, verify  # noqa: E402
from dialogauge.train.export import export  # noqa: E402
from dialogauge.train.models.relevance.network import ResponseSelector, Shape  # noqa: E402

ROWS = {0: "batch"}


class Doubling(nn.Module):
    """Twice the input."""

    def forward(self, numbers: Tensor) -> Tensor:
        return 2 * numbers


class Frozen(nn.Module):
    """Traced with its first input's sum as a constant: what a careless export does."""

    def forward(self, numbers: Tensor) -> Tensor:
        return numbers * float(numbers.sum())


def test_parity_holds(tmp_path: Path) -> None:
    examples = [{"numbers": torch.randn(size, 3).numpy()} for size in (2, 1, 9)]
    assert export(Doubling(), tmp_path, examples, {"numbers": ROWS}, {"score": ROWS}, {}) == 0


def test_a_failing_parity_is_an_error(tmp_path: Path) -> None:
    examples = [{"numbers": np.full((2, 3), value, np.float32)} for value in (1, 5)]
    with pytest.raises(DialogaugeError, match="ONNX differs from torch by"):
        export(Frozen(), tmp_path, examples, {"numbers": ROWS}, {"score": ROWS}, {})
    nothing = [{"numbers": np.full((2, 3), np.nan, np.float32)}]
    with pytest.raises(DialogaugeError, match="differs from torch by nan"):
        export(Doubling(), tmp_path, nothing, {"numbers": ROWS}, {"score": ROWS}, {})


def test_a_tampered_folder_does_not_verify(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    files = seal(tmp_path).files
    told = msgspec.json.decode((tmp_path / "manifest.json").read_bytes())
    assert told == {"files": files}
    verify(tmp_path)
    (tmp_path / "config.json").write_text("{ }")
    with pytest.raises(ModelError, match=r"config\.json: damaged or changed"):
        verify(tmp_path)


def test_an_untrained_head_is_the_cosine_of_the_last_turn() -> None:
    network = ResponseSelector(24, Shape(cosine=0)).eval()
    context, response = torch.randn(5, 4, 24), torch.randn(5, 24)
    mask = torch.tensor([[0, 0, 0, 1.0]] * 2 + [[1.0] * 4] * 3)
    cosine = nn.functional.cosine_similarity(context[:, -1], response)
    torch.testing.assert_close(network(context, mask, response), cosine)
    assert network(context, torch.zeros(5, 4), response).isfinite().all()


@pytest.mark.parametrize("turn", range(4))
def test_an_echo_is_below_every_answer(turn: int) -> None:
    network = ResponseSelector(24, Shape()).eval()
    context, mask = torch.randn(5, 4, 24), torch.ones(5, 4)
    echo = network(context, mask, context[:, turn])
    torch.testing.assert_close(echo, torch.full((5,), -1.0), atol=1e-4, rtol=0)
    assert (network(context, mask, torch.randn(5, 24)) > echo).all()


def test_turns_that_are_masked_change_nothing() -> None:
    network = ResponseSelector(24, Shape(cosine=0)).eval()
    for parameter in network.parameters():
        nn.init.normal_(parameter, std=0.2)
    context, response = torch.randn(3, 4, 24), torch.randn(3, 24)
    mask = torch.tensor([[0, 0, 1.0, 1.0]] * 3)
    other = context.clone()
    other[:, :2] = torch.randn(3, 2, 24)
    torch.testing.assert_close(network(context, mask, response), network(other, mask, response))
