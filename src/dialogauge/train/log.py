"""What can be watched while a run learns: JSON lines, TensorBoard, or any function of a moment."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from .. import atomic
from ..errors import DialogaugeError


class Moment(msgspec.Struct, frozen=True, omit_defaults=True):
    """A step with its loss and learning rate, or a validation."""

    step: int
    total: int
    epoch: int
    loss: float | None = None
    rate: float | None = None
    validation: dict[str, float] | None = None


Watch = Callable[[Moment], None]


def writer(path: Path, step: int) -> Watch:
    """Appends moments to a JSONL file, from which what came after ``step`` is first dropped."""
    kept = [msgspec.json.encode(moment) + b"\n" for moment in read(path) if moment.step <= step]
    with atomic.writing(path) as file:
        file.writelines(kept if step else [])

    def write(moment: Moment) -> None:
        with atomic.reporting(path), path.open("ab") as file:
            file.write(msgspec.json.encode(moment) + b"\n")

    return write


def read(path: Path) -> list[Moment]:
    """The moments of a log; a line that a kill cut short is left out."""
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [msgspec.json.decode(line, type=Moment) for line in lines]


def tensorboard(folder: Path) -> Watch:
    """Writes moments for TensorBoard, where it is installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise DialogaugeError("TensorBoard is not here: pip install tensorboard") from None
    board = SummaryWriter(str(folder))

    def write(moment: Moment) -> None:
        numbers = {"loss": moment.loss, "rate": moment.rate}
        numbers |= {f"valid/{name}": value for name, value in (moment.validation or {}).items()}
        for name, number in numbers.items():
            if number is not None:
                board.add_scalar(name, number, moment.step)
        if moment.validation is not None:
            board.flush()

    return write
