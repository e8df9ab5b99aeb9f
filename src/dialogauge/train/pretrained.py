"""Models of transformers that write text, by folder or by name on the hub.

Weights are safetensors, nothing is unpickled and no code of a model is run. A name that is not a
folder is downloaded: the network is used only because the user wrote it.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
import transformers
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from .. import models
from ..errors import DataError


def quiet() -> None:
    """No bars and no advice from transformers: what matters comes as an error of ours."""
    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()


def padded(rows: Sequence[Sequence[int]], pad: int, side: str = "right") -> tuple[Tensor, Tensor]:
    """Rows of tokens as one tensor, and a mask that is 1 where there is a token.

    >>> [part.tolist() for part in padded([[5, 6], [7]], 9, "left")]
    [[[5, 6], [9, 7]], [[1, 1], [0, 1]]]
    """
    ids = [torch.tensor(row, dtype=torch.long) for row in rows]
    mask = [torch.ones_like(row) for row in ids]
    return pad_sequence(ids, True, pad, side), pad_sequence(mask, True, 0, side)


def load(kind: Any, name: str, folder: Path, what: str, remedy: str = "") -> tuple[Any, Any]:
    """A model of a kind and its tokenizer; errors say that ``name`` is no ``what``."""
    quiet()
    local = folder.is_dir()
    if local:
        models.refuse_pickles(folder)
    source = str(folder) if local else name
    options: dict[str, Any] = {"local_files_only": local, "trust_remote_code": False}
    try:
        model = kind.from_pretrained(source, use_safetensors=True, dtype=torch.float32, **options)
        return model, transformers.AutoTokenizer.from_pretrained(source, **options)
    except (OSError, ValueError, KeyError, ImportError) as error:
        problem = next((line for line in str(error).splitlines() if line.strip()), repr(error))
        problem += f" ({remedy})" if remedy else ""
        raise DataError(f"{name}: this {what} cannot be loaded: {problem}") from None
