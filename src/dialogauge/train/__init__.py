"""Training: a frozen recipe in, an ONNX model folder out, one loop for every metric.

::

    recipe ─► material ─► task ────────► fit ─────────────────► publish
              (data)     (models/NAME)   (loop, checkpoints,    (export, card)
                                          log)

:mod:`.recipe` can be read anywhere; everything else but the tasks of :data:`LIGHT` needs the extra
``train`` (torch, transformers, accelerate), which scoring never does. ``from dialogauge.train.run
import train`` does the whole way in one call.
"""

from importlib.util import find_spec

from ..errors import MissingExtraError

#: What the extra ``train`` installs and scoring does without.
PACKAGES = (
    "torch",
    "transformers",
    "accelerate",
    "safetensors",
    "tokenizers",
    "onnx",
    "onnxruntime",
)
#: Tasks that need no torch: spaCy learns the one, linear algebra the other.
LIGHT = frozenset({"language", "concepts"})


def require_extra(task: str = "") -> None:
    """Raise :class:`MissingExtraError` unless everything that a task needs is installed."""
    if task not in LIGHT and any(find_spec(package) is None for package in PACKAGES):
        raise MissingExtraError("training", "train")
