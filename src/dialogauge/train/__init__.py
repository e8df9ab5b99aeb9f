"""Training: a frozen recipe in, an ONNX model folder out, one loop for every metric.

recipe -> material (data) -> task (models/NAME) -> fit (loop, checkpoints, log) -> publish (card).
:mod:`.recipe` can be read anywhere; everything else but a few tasks needs the extra
``train`` (torch, transformers, accelerate), which scoring never does. ``from dialogauge.train.run
import train`` does the whole way in one call.
"""

from importlib.util import find_spec

from ..errors import MissingExtraError

#: What the extra ``train`` installs and scoring does without.
_PACKAGES = [
    "torch",
    "transformers",
    "accelerate",
    "safetensors",
    "tokenizers",
    "onnx",
    "onnxruntime",
]
#: Tasks that need no torch: spaCy learns the one, linear algebra the other.
_LIGHT = frozenset({"language", "concepts"})


def require_extra(task: str = "") -> None:
    """Raise :class:`MissingExtraError` unless everything that a task needs is installed."""
    if task not in _LIGHT and any(find_spec(package) is None for package in _PACKAGES):
        raise MissingExtraError("training", "train")
