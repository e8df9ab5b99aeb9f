"""A dialogue whose turns are read as graphs, while its meaning is changed.

Every edit of meaning goes the same way: read all turns (:func:`read`), draft a turn with another
graph (:meth:`Talk.draft`), and put it in its place. What the realiser refuses is no draft, and the
edit tries its next candidate. A turn that was changed is never read again: its graph is edited
further, and its text is always written from the original, so that several edits cost one parse and
leave every other letter as it was.

A later edit may erase what an earlier one did: the sentence goes in which a pronoun was exchanged.
A turn remembers its edits as steps, and an account names those without which the text would be
another (:meth:`Talk.left`).
"""

from collections.abc import Callable, Sequence
from functools import reduce

import msgspec

from ...amr import Graph, edits
from ...dialogue import Dialogue
from ...language.stopwords import is_english
from ..edited import Change, Edited, Span, spans
from ..manipulation import same_text
from ..pool import DoesNotApply, Pool
from .items import Item, items

#: A longer turn, in characters, is not read (nor changed).
LONGEST = 4000


class Step(msgspec.Struct, frozen=True):
    """One edit of a turn: its kind, what it does to a graph, and a graph that it puts behind."""

    kind: str
    edit: Callable[[Graph], Graph]
    added: tuple[Graph, ...] = ()
    denies: int | None = None  # the place of a turn that has to stay as it is


class Sheet(msgspec.Struct, frozen=True):
    """A turn: its graph as it was and as it is now, its text by now, and the steps to it."""

    at: int
    original: Graph
    graph: Graph
    text: str
    steps: tuple[Step, ...] = ()
    spans: tuple[Span, ...] = ()  # of a text that was not written from a graph: nothing may follow


class Talk:
    """The turns of a dialogue by their places, and which of them may be changed."""

    def __init__(self, dialogue: Dialogue, pool: Pool, graphs: dict[int, Graph]) -> None:
        self.dialogue, self.pool = dialogue, pool
        self.sheets = {at: Sheet(at, graph, graph, graph.text) for at, graph in graphs.items()}
        self._items: dict[int, list[Item]] = {}
        last = max(at for at, turn in enumerate(dialogue.turns) if not turn.aside)
        self._open = [at for at in graphs if at == last or dialogue.level != "turn"]

    @property
    def open(self) -> list[int]:
        """The turns that may be changed."""
        return [at for at in self._open if not self.sheets[at].spans]

    @property
    def free(self) -> list[int]:
        """The turns that may be changed and are not denied by another one as they are."""
        denied = {step.denies for sheet in self.sheets.values() for step in sheet.steps}
        return [at for at in self.open if at not in denied]

    def items(self, at: int) -> list[Item]:
        """The items of a turn as it was."""
        if at not in self._items:
            self._items[at] = list(items(self.sheets[at].original, at))
        return self._items[at]

    def draft(self, sheet: Sheet, step: Step) -> Sheet | None:
        """A turn after one more step; None if it cannot be written."""
        graph, steps = step.edit(sheet.graph), (*sheet.steps, step)
        text = self._written(sheet.original, graph, steps)
        if text is None or any(same_text(text, old) for old in (sheet.text, sheet.original.text)):
            return None
        return Sheet(sheet.at, sheet.original, graph, text, steps)

    def _written(self, original: Graph, graph: Graph, steps: Sequence[Step]) -> str | None:
        """The text of a graph, and of what the steps put behind it."""
        added = (it for step in steps for it in step.added)
        return self.pool.realise(original, reduce(edits.append, added, graph))

    def left(self, sheet: Sheet) -> list[str]:
        """The kinds of a turn's edits, but for those without which it would say the same."""
        steps, kinds = sheet.steps, list(dict.fromkeys(step.kind for step in sheet.steps))
        for kind in kinds:
            others = tuple(step for step in steps if step.kind != kind)
            graph = reduce(lambda graph, step: step.edit(graph), others, sheet.original)
            if others and self._written(sheet.original, graph, others) == sheet.text:
                steps = others
        return list(dict.fromkeys(step.kind for step in steps))

    def edited(self) -> Edited:
        """The dialogue with the texts as they are by now."""
        turns, changes = list(self.dialogue.turns), []
        for at, sheet in sorted(self.sheets.items()):
            if sheet.steps:
                before, after = turns[at].text, sheet.text
                turns[at] = msgspec.structs.replace(turns[at], text=after)
                kind = "+".join(self.left(sheet))
                marks = sheet.spans or spans(before, after)
                changes.append(Change(at, at, kind, before, after, marks))
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


def count(rate: float, size: int) -> int:
    """How many of ``size`` a rate is, as DEAM counts: rounded down, one at least.

    >>> count(0.2, 7), count(0.2, 21)
    (1, 4)
    """
    return max(1, int(rate * size + 1e-9))
