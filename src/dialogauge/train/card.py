"""The model card: what a model was made of and what it does, written by the run itself."""

from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

from .. import atomic
from ..printable import printable
from .checkpoints import State
from .data import Material
from .recipe import Recipe, encode

PACKAGES = ("dialogauge", "torch", "transformers", "accelerate", "onnx", "onnxruntime")


def write(
    folder: Path, recipe: Recipe, material: Material, state: State, parity: float, command: str
) -> None:
    """Write ``card.md`` into a model folder."""
    text = "\n".join(_card(folder, recipe, material, state, parity, command))
    with atomic.writing(folder / "card.md") as file:
        file.write(text.encode())


def _card(
    folder: Path, recipe: Recipe, material: Material, state: State, parity: float, command: str
) -> Iterable[str]:
    yield f"# {recipe.name}\n"
    if recipe.about:
        yield f"{printable(recipe.about)}\n"
    yield f"Task `{recipe.task}`, backbone `{recipe.backbone.name}`, seed {recipe.seed}.\n"
    yield f"```sh\n{printable(command)}\n```\n"
    yield "## Data\n"
    yield from _table(
        ("corpus", "licence", "dialogues read", "trained on", "validated on"),
        (
            (source.name, source.licence or "not stated", source.read, source.train, source.valid)
            for source in material.sources
        ),
    )
    yield from _overlap(material)
    yield "## Results on held dialogues\n"
    rows = ((name, f"{state.first[name]:.4f}", f"{state.best[name]:.4f}") for name in state.best)
    yield from _table(("measure", "before training", f"best (step {state.best_step})"), rows)
    yield f"{state.step:,} steps in {state.seconds:,.0f} s.\n"
    yield "## Files\n"
    yield f"ONNX against torch: largest difference {parity:.2e}.\n"
    files = [folder / name for name in ("model.onnx", "model.safetensors")]
    sizes = ((path.name, f"{path.stat().st_size / 1e6:.1f} MB") for path in files)
    yield from _table(("file", "size"), sizes)
    yield "## Recipe\n"
    yield f"```json\n{encode(recipe).decode()}```\n"
    yield "Made with " + ", ".join(f"{name} {version(name)}" for name in PACKAGES) + "."
    yield ""


def _overlap(material: Material) -> Iterable[str]:
    if not material.decontaminated:
        yield "The data was **not** compared with the test and tuning sets.\n"
        return
    yield (
        f"{material.dropped:,} dialogues were dropped because they share two adjacent turns or a "
        "long turn with a test or tuning set:\n"
    )
    yield from _table(("set", "dialogues it cost"), material.shared.items())


def _table(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> Iterable[str]:
    yield "| " + " | ".join(head) + " |"
    yield "| " + " | ".join("---" for _ in head) + " |"
    for row in rows:
        yield "| " + " | ".join(_cell(value) for value in row) + " |"
    yield ""


def _cell(value: object) -> str:
    text = f"{value:,}" if isinstance(value, int) else printable(str(value))
    return text.replace("|", "\\|")
