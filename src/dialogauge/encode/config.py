"""The config.json of an encoder, and how many tokens its graph has room for."""

from pathlib import Path
from typing import Annotated

import msgspec

from ..errors import ModelError

#: The fewest tokens of a window: a special one at each end, and one between them.
_FEWEST = 3
#: The most: attention takes memory with the square of them.
_MOST = 8192

#: Networks that number positions from behind the padding id: RoBERTa and its kin.
_BEHIND_PADDING = ("roberta", "camembert", "longformer", "mpnet")


class Architecture(msgspec.Struct, frozen=True):
    """What a network says of itself, as far as it matters to whoever runs it."""

    model_type: str = ""
    max_position_embeddings: int | None = None
    pad_token_id: int | None = 0

    @property
    def room(self) -> int | None:
        """How many tokens it reads at once; None if it does not say.

        >>> Architecture("bert", 512).room, Architecture("xlm-roberta", 514, 1).room
        (512, 512)
        """
        positions = self.max_position_embeddings
        behind = any(kind in self.model_type for kind in _BEHIND_PADDING)
        return positions - (self.pad_token_id or 0) - 1 if positions and behind else positions


class Config(msgspec.Struct, frozen=True):
    """The config.json of an encoder."""

    model: str
    name: str
    width: Annotated[int, msgspec.Meta(ge=1)]
    max_tokens: Annotated[int, msgspec.Meta(ge=_FEWEST, le=_MOST)]  # of a window
    int8: bool = False
    taught: bool = False  # trained here, and selected by people's ratings; else as published
    backbone: Architecture = Architecture()

    def check(self, folder: Path) -> None:
        """An error if the graph has no room for such windows."""
        room = min(self.backbone.room or _MOST, _MOST)
        if not _FEWEST <= self.max_tokens <= room:
            problem = f"a window of {self.max_tokens} tokens"
            raise ModelError(f"{folder}: has no room for {problem}: choose {_FEWEST} to {room}")
