"""Put a trained model among those that ship: what scoring needs of it, sealed.

    python scripts/ship.py build/relevance

The folder's name is the model's. Checkpoints and safetensors stay behind: scoring reads ONNX.
"""

import shutil
import sys
from pathlib import Path

from dialogauge import models

WEIGHTS = Path(__file__).parents[1] / "src/dialogauge/weights/models"
NAMES = ("config.json", "reader.onnx", "model.onnx", "tokenizer.json", "recipe.json", "card.md")


def main(folder: Path) -> None:
    models.verify(folder)
    to = WEIGHTS / folder.name
    to.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        if (folder / name).exists():
            shutil.copyfile(folder / name, to / name)
    models.seal(to)
    print(f"{to}: {sum(path.stat().st_size for path in to.iterdir()) / 1e6:.1f} MB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
