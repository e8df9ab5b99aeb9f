"""Training: a frozen recipe in, an ONNX model folder out, one loop for every metric.

::

    recipe ─► Material ─► Task ─────────────────► fit ─────────────────► publish
              (data)     (tasks, networks,       (loop, checkpoints,    (export, card)
                          selection, backbone)    log)

:mod:`.recipe` can be read anywhere; everything else needs the extra ``train`` (torch,
transformers, accelerate), which scoring never does. ``from dialogauge.train.run import train``
does the whole way in one call; a metric with a task of its own uses :func:`.loop.fit` and
:func:`.run.publish`.
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


def require_extra() -> None:
    """Raise :class:`MissingExtraError` unless everything training needs is installed."""
    if any(find_spec(package) is None for package in PACKAGES):
        raise MissingExtraError("training", "train")
