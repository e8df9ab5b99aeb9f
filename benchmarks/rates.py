"""How far irrelevancy meets its rate: exchanges that were asked for, and that were made."""

from collections.abc import Iterable

from dialogauge.amr import questions
from dialogauge.dialogue import Dialogue
from dialogauge.manipulate.manipulation import DoesNotApply, seeded
from dialogauge.manipulate.meaning import irrelevancy
from dialogauge.manipulate.meaning.graphs import Sheet, Talk, count, read
from dialogauge.manipulate.meaning.settings import Irrelevancy
from dialogauge.manipulate.pool import Pool


def exchanges(dialogues: Iterable[Dialogue], pool: Pool, seed: int = 0) -> tuple[int, int]:
    """How many items of the chosen turns had to go by the rate, and how many of these went."""
    asked = made = 0
    for number, dialogue in enumerate(dialogues):
        try:
            talk = read(dialogue, pool)
            irrelevancy.change(talk, Irrelevancy(), seeded(seed, dialogue.id, str(number)))
        except DoesNotApply:
            continue
        for sheet in filter(lambda it: it.steps, talk.sheets.values()):
            wanted = count(Irrelevancy().rate, len(talk.items(sheet.at)))
            asked, made = asked + wanted, made + min(wanted, _exchanged(talk, sheet))
    return asked, made


def _exchanged(talk: Talk, sheet: Sheet) -> int:
    """How many items of a turn are others now."""
    before, after = questions.names(sheet.original), questions.names(sheet.graph)
    return sum(
        sheet.graph.concepts[it.variable] != it.concept
        or before.get(it.variable) != after.get(it.variable)
        for it in talk.items(sheet.at)
    )
