"""An edit of meaning as an edit of a dialogue: read it, change what was read, write it back."""

from random import Random
from typing import TYPE_CHECKING, Any

import msgspec

from ...dialogue import Dialogue
from ..edited import Edited
from ..pool import Pool
from .settings import Contradiction, Coreference, Engagement, Irrelevancy, Settings

if TYPE_CHECKING:
    from .talk import Talk


class Meaning(msgspec.Struct, frozen=True):
    """An edit of meaning, by its settings."""

    settings: Settings
    share: float = 0.0  # of the dialogue that is changed; 0 for what the settings say

    @property
    def about(self) -> str:
        """What the settings say of themselves."""
        return getattr(self.settings, "about", None) or self.settings.__doc__ or ""

    def __call__(self, dialogue: Dialogue, rng: Random, pool: Pool) -> Edited:
        """The dialogue with another meaning."""
        from .talk import read

        talk = read(dialogue, pool)
        change(talk, self.settings, rng, self.share)
        return talk.edited()


def change(talk: "Talk", settings: Settings, rng: Random, share: float = 0.0) -> None:
    """Change a dialogue that was read; AMR is imported here, and not before."""
    from . import contradiction, coreference, engagement, irrelevancy

    changes: dict[type, Any] = {
        Coreference: coreference.change,
        Contradiction: contradiction.change,
        Irrelevancy: irrelevancy.change,
        Engagement: engagement.change,
    }
    settings = msgspec.structs.replace(settings, share=share) if share else settings
    changes[type(settings)](talk, settings, rng)
