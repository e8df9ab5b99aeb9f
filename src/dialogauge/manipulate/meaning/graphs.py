"""A dialogue whose turns are read as graphs, while its meaning is changed.

Every edit of meaning goes the same way: read all turns (:func:`read`), draft a turn with another
graph (:meth:`Talk.draft`), and put it in its place. What the realiser refuses is no draft, and the
edit tries its next candidate. A turn that was changed is never read again: its graph is edited
further, and its text is always written from the original, so that several edits cost one parse and
leave every other letter as it was.
"""

from collections.abc import Iterable
from functools import reduce

import msgspec

from ...amr import Graph, edits
from ...dialogue import Dialogue, normalise
from ...language.stopwords import NLTK
from ..edited import Change, Edited, spans
from ..manipulation import same_text
from ..pool import DoesNotApply, Pool
from .items import Item, items

#: A longer turn, in characters, is not read (nor changed).
LONGEST = 4000
#: English has about every second word in the list of stop words; other languages have few.
_ENGLISH = 0.2


class Sheet(msgspec.Struct, frozen=True):
    """A turn: its graph as it was, as it is now, what was put behind it, and its text by now."""

    at: int
    original: Graph
    graph: Graph
    text: str
    added: tuple[Graph, ...] = ()
    kinds: tuple[str, ...] = ()


class Talk:
    """The turns of a dialogue by their places, and which of them may be changed."""

    def __init__(self, dialogue: Dialogue, pool: Pool, graphs: dict[int, Graph]) -> None:
        self.dialogue, self.pool = dialogue, pool
        self.sheets = {at: Sheet(at, graph, graph, graph.text) for at, graph in graphs.items()}
        self._items: dict[int, list[Item]] = {}
        last = max(at for at, turn in enumerate(dialogue.turns) if not turn.aside)
        self.open = [at for at in graphs if at == last or dialogue.level != "turn"]

    def items(self, at: int) -> list[Item]:
        """The items of a turn as it was."""
        if at not in self._items:
            self._items[at] = list(items(self.sheets[at].original, at))
        return self._items[at]

    def draft(
        self, sheet: Sheet, graph: Graph, kind: str, adding: Graph | None = None
    ) -> Sheet | None:
        """A turn with another graph, or with one put behind it; None if it cannot be written."""
        added = sheet.added if adding is None else (*sheet.added, adding)
        text = self.pool.realise(sheet.original, reduce(edits.append, added, graph))
        if text is None or any(same_text(text, old) for old in (sheet.text, sheet.original.text)):
            return None
        kinds = tuple(dict.fromkeys((*sheet.kinds, kind)))
        return Sheet(sheet.at, sheet.original, graph, text, added, kinds)

    def edited(self) -> Edited:
        """The dialogue with the texts as they are by now."""
        turns, changes = list(self.dialogue.turns), []
        for at, sheet in sorted(self.sheets.items()):
            if sheet.kinds:
                before, after = turns[at].text, sheet.text
                turns[at] = msgspec.structs.replace(turns[at], text=after)
                kind = "+".join(sheet.kinds)
                changes.append(Change(at, at, kind, before, after, spans(before, after)))
        return Edited(self.dialogue.with_turns(tuple(turns)), tuple(changes))


def read(dialogue: Dialogue, pool: Pool) -> Talk:
    """The dialogue with the graph of each spoken turn that has one."""
    spoken = {at: turn.text for at, turn in enumerate(dialogue.turns) if not turn.aside}
    if len(spoken) < 2:
        raise DoesNotApply("there is one turn only")
    short = {at: text for at, text in spoken.items() if text.strip() and len(text) <= LONGEST}
    if not short:
        raise DoesNotApply("the turns are empty or very long")
    if not is_english(short.values()):
        raise DoesNotApply("the text is not English")
    parsed = dict(zip(short, pool.graphs(list(short.values())), strict=True))
    graphs = {at: graph for at, graph in parsed.items() if graph is not None}
    if not graphs:
        raise DoesNotApply("no turn has a graph")
    return Talk(dialogue, pool, graphs)


def is_english(texts: Iterable[str]) -> bool:
    """Whether so many words are common ones of English that the texts must be.

    >>> is_english(["Do you like it?"]), is_english(["Magst du Hunde oder Katzen?"])
    (True, False)
    """
    words = [word for text in texts for word in normalise(text).split()]
    return sum(word in NLTK for word in words) >= _ENGLISH * max(1, len(words))


def count(rate: float, size: int) -> int:
    """How many of ``size`` a rate is, as DEAM counts: rounded down, one at least.

    >>> count(0.2, 7), count(0.2, 21)
    (1, 4)
    """
    return max(1, int(rate * size + 1e-9))
