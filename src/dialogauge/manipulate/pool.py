"""Where foreign turns, words, replies and meanings come from.

What a manipulation takes from elsewhere stands in the pool that it is given. A language model, a
translator and a parser are called for when an edit needs one; one that lacks it does not apply.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import TYPE_CHECKING

from ..dialogue import Dialogue, Turn, normalise

if TYPE_CHECKING:
    from ..amr import Graph
    from ..amr.loading import Parser, Realiser

#: The turns so far, and a seed, to what might be said next.
Reply = Callable[[Sequence[str], int], str]
#: Texts into another language and back.
Translate = Callable[[Sequence[str]], list[str]]

#: How often a draw that turned out to be the same dialogue or the same words is made again.
DRAWS = 20


class DoesNotApply(Exception):  # noqa: N818  (it is an answer, not an error)
    """Why an edit cannot be made here; never seen by users, who get the reasons counted."""


class Pool:
    """Other dialogues, and what else an edit may ask for.

    >>> pool = Pool([Dialogue("d1", (Turn("a", "Hi."),)), Dialogue("d2", (Turn("a", "Bye."),))])
    >>> pool.turn(Random(1), pool.dialogues[0]).text
    'Bye.'
    """

    def __init__(
        self,
        dialogues: Sequence[Dialogue],
        *,
        reply: Reply | None = None,
        translate: Translate | None = None,
        parser: "Parser | None" = None,
        realiser: "Realiser | None" = None,
    ) -> None:
        self.dialogues = [dialogue.spoken for dialogue in dialogues]
        self._reply, self._translate = reply, translate
        self._parser, self._realiser = parser, realiser
        self._lender: Pool | None = None  # whose parser and realiser are used
        self._said: tuple[Dialogue | None, set[str]] = (None, set())

    def of(self, dialogues: Sequence[Dialogue]) -> "Pool":
        """A pool of other dialogues with the same models, which are still loaded once only."""
        other = Pool(dialogues, reply=self._reply, translate=self._translate)
        other._lender = self._lender or self
        return other

    def dialogue(self, rng: Random, apart: Dialogue) -> Dialogue:
        """A dialogue that is another one."""
        for _ in range(DRAWS if self.dialogues else 0):
            drawn = rng.choice(self.dialogues)
            if drawn.id != apart.id and drawn.turns != apart.turns:
                return drawn
        raise DoesNotApply("the pool has no other dialogue")

    def turn(self, rng: Random, apart: Dialogue, first: int = 0) -> Turn:
        """A turn of another dialogue whose words are not said in this one.

        ``first`` is the place from which on turns are drawn: 1 for turns that answer something.
        """
        texts = self._words_of(apart)
        for _ in range(DRAWS):
            turns = self.dialogue(rng, apart).turns
            if len(turns) > first:
                drawn = turns[rng.randrange(first, len(turns))]
                if drawn.text.strip() and normalise(drawn.text) not in texts:
                    return drawn
        raise DoesNotApply("the pool has no other words")

    def _words_of(self, dialogue: Dialogue) -> set[str]:
        """What is said in a dialogue; of the last one asked for it is known."""
        if self._said[0] is not dialogue:
            self._said = dialogue, {normalise(turn.text) for turn in dialogue.turns}
        return self._said[1]

    def reply(self, turns: Sequence[str], seed: int) -> str:
        """What a language model says after these turns."""
        if self._reply is None:
            raise DoesNotApply("no language model was given")
        return self._reply(turns, seed)

    def translate(self, texts: Sequence[str]) -> list[str]:
        """Each text in other words, by another language and back."""
        if self._translate is None:
            raise DoesNotApply("no translator was given")
        return self._translate(texts)

    def graphs(self, texts: Sequence[str]) -> "list[Graph | None]":
        """What each text says; give many together, and once, for equal ones are remembered."""
        lender = self._lender or self
        if lender._parser is None:
            from ..amr import load_parser

            lender._parser = load_parser()
        return lender._parser.parse(texts)

    def realise(self, original: "Graph", edited: "Graph") -> str | None:
        """The text of an edited graph, None where it cannot be written."""
        lender = self._lender or self
        if lender._realiser is None:
            from ..amr import InPlace

            lender._realiser = InPlace()
        return lender._realiser.realise(original, edited)
