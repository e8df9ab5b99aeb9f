"""Whether the files of an encoder fit each other: asked of the graph once, when it is loaded."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from .batching import padded
from .config import Config
from .reader import Reader
from .session import Floats, Session

#: A text that every encoder has a vector for.
_ORDINARY = "Good day to you, and thank you for the help."
_SHORT = 3  # tokens


def hidden(session: Session, ids: Sequence[Sequence[int]], *inner: str) -> list[Floats]:
    """The states of one batch behind the last layer and at tensors inside, (texts, tokens, width).

    An error where one is no number.
    """
    states, mask = _states(session, ids, *inner)
    for each in states:
        if not np.isfinite(each).all():  # seldom; and what is behind a text is nobody's
            session.refuse_undefined(each[mask])
    return states


def check(folder: Path, config: Config, session: Session, reader: Reader) -> None:
    """An error if tokenizer, graph and config do not fit, or ordinary text gives no numbers.

    Each text asks for one thing more: any token, the last token, as many as a window may have.
    """
    if session.inputs != {"input_ids", "attention_mask"} or "tokens" not in session.outputs:
        raise ModelError(
            f"{folder / 'model.onnx'}: not the graph of an encoder: it takes "
            f"{', '.join(sorted(session.inputs))} and gives {', '.join(sorted(session.outputs))}"
        )
    width = _states(session, [[0] * _SHORT])[0][0].shape[-1]
    if width != config.width:
        raise ModelError(
            f"{folder / 'config.json'}: width is {config.width}, but the vectors of "
            f"model.onnx have {width}"
        )
    last, most = reader.vocabulary - 1, config.max_tokens
    other = f"tokenizer.json has {last + 1:,} tokens, and model.onnx knows fewer"
    _require(session, [last] * _SHORT, f"{folder}: {other}: they are of different models")
    room = f"model.onnx has no room for the {most} max_tokens of config.json"
    _require(session, [last] * most, f"{folder}: {room}: choose fewer")
    hidden(session, [window.ids for window in reader.windows([_ORDINARY])[0] if window.ids])


def _require(session: Session, ids: Sequence[int], otherwise: str) -> None:
    try:
        _states(session, [ids])
    except ModelError:
        raise ModelError(otherwise) from None


def _states(
    session: Session, ids: Sequence[Sequence[int]], *inner: str
) -> tuple[list[Floats], NDArray[np.bool_]]:
    tokens, mask = padded(ids)
    inputs = {"input_ids": tokens, "attention_mask": mask}
    return session.run_all(["tokens", *inner], inputs), mask.astype(bool)
