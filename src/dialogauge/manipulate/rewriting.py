"""Edits that rewrite turns: how the turns are chosen.

A small function of a place and a generator gives the new text of a turn, or raises
:class:`DoesNotApply`; :class:`Rewriting` makes an edit of it. Which turns are tried is drawn first,
and each then has a generator of its own: with a larger ``share`` the same turns are rewritten in
the same way, and others beside them, which makes a ladder (:func:`.manipulation.at`) a ladder.
"""

from collections.abc import Callable
from math import ceil
from random import Random

import msgspec

from ..dialogue import Dialogue, Turn
from .edited import Edited, rewritten
from .manipulation import DoesNotApply, same_text, spawned
from .pool import Pool


class Place(msgspec.Struct, frozen=True):
    """A turn of a dialogue, and where else to look."""

    dialogue: Dialogue
    at: int
    pool: Pool

    @property
    def turn(self) -> Turn:
        """The turn itself."""
        return self.dialogue.turns[self.at]

    @property
    def text(self) -> str:
        """Its text."""
        return self.dialogue.turns[self.at].text

    @property
    def context(self) -> tuple[Turn, ...]:
        """What was said before it, asides left out."""
        return tuple(turn for turn in self.dialogue.turns[: self.at] if not turn.aside)


Rewrite = Callable[[Place, Random], str]


class Rewriting(msgspec.Struct, frozen=True):
    """An edit that rewrites one turn, or a share of the turns that it can rewrite.

    At level ``turn`` it is the judged last turn; in a dialogue any turn that answers something.
    """

    kind: str
    rewrite: Rewrite
    share: float = 0.0  # of the turns that answer; 0 for one turn
    case: bool = False  # whether other letters of the same words are a change

    @property
    def about(self) -> str:
        """What the function says of itself."""
        return getattr(self.rewrite, "about", "") or self.rewrite.__doc__ or ""

    def __call__(self, dialogue: Dialogue, rng: Random, pool: Pool) -> Edited:
        """The dialogue with the chosen turns rewritten."""
        places = answers(dialogue)
        wanted = max(1, ceil(self.share * len(places)))
        texts: dict[int, str] = {}
        why: DoesNotApply | None = None
        for at in rng.sample(places, len(places)):
            try:
                text = self.rewrite(Place(dialogue, at, pool), spawned(rng))
            except DoesNotApply as reason:
                why = why or reason
                continue
            old = dialogue.turns[at].text
            if text.strip() and text != old and (self.case or not same_text(text, old)):
                texts[at] = text
            if len(texts) == wanted:
                break
        if not texts:
            raise why or DoesNotApply("nothing changed")
        return rewritten(dialogue, texts, self.kind)


def answers(dialogue: Dialogue) -> list[int]:
    """The places of turns that answer something and can be rewritten."""
    places = spoken(dialogue)
    if len(places) < 2:
        raise DoesNotApply("there is one turn only")
    places = places[-1:] if dialogue.level == "turn" else places[1:]
    filled = [at for at in places if dialogue.turns[at].text.strip()]
    if not filled:
        raise DoesNotApply("the turns are empty")
    return filled


def spoken(dialogue: Dialogue) -> list[int]:
    """The places of all turns but asides."""
    return [at for at, turn in enumerate(dialogue.turns) if not turn.aside]
