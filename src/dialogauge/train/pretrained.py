"""Models of transformers that write text, by folder or by name on the hub.

Weights are safetensors, nothing is unpickled and no code of a model is run. A name that is not a
folder is downloaded: the network is used only because the user wrote it.
"""

from pathlib import Path
from typing import Any

import torch

from .. import models
from ..errors import DataError
from .models.encoder.network import quiet


def load(kind: Any, name: str, folder: Path, what: str, remedy: str = "") -> tuple[Any, Any]:
    """A model of a kind and its tokenizer; errors say that ``name`` is no ``what``."""
    from transformers import AutoTokenizer

    quiet()
    local = folder.is_dir()
    if local:
        models.refuse_pickles(folder)
    source = str(folder) if local else name
    options: dict[str, Any] = {"local_files_only": local, "trust_remote_code": False}
    try:
        model = kind.from_pretrained(source, use_safetensors=True, dtype=torch.float32, **options)
        return model, AutoTokenizer.from_pretrained(source, **options)
    except (OSError, ValueError, KeyError, ImportError) as error:
        problem = next((line for line in str(error).splitlines() if line.strip()), repr(error))
        problem += f" ({remedy})" if remedy else ""
        raise DataError(f"{name}: this {what} cannot be loaded: {problem}") from None
