"""Put a trained model among those that ship: what scoring needs of it, sealed.

    python scripts/ship.py build/relevance

The folder's name is the model's. It is what the manifest names, without weights that only training
reads: scoring reads ONNX. Checkpoints are in no manifest.
"""

import shutil
import sys
from pathlib import Path

from dialogauge import models

WEIGHTS = Path(__file__).parents[1] / "src/dialogauge/weights/models"


def ship(folder: Path, weights: Path) -> Path:
    """Replace the model of the folder's name among the weights."""
    names = [name for name in models.verify(folder).files if not name.endswith(".safetensors")]
    to = weights / folder.name
    shutil.rmtree(to, ignore_errors=True)
    for name in names:
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / name, to / name)
    models.seal(to, nested=True)
    return to


if __name__ == "__main__":
    shipped = ship(Path(sys.argv[1]), WEIGHTS)
    size = sum(path.stat().st_size for path in shipped.rglob("*") if path.is_file())
    print(f"{shipped}: {size / 1e6:.1f} MB")
