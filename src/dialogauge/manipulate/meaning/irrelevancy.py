"""Irrelevancy: items of a turn exchanged with items of the same type from other turns.

Up to half of a turn's items go. Where the choice is to be plausible, an item goes only for one that
fits its place; if none does, the turn gets the one exchange that fits best.
"""

from collections.abc import Iterable
from itertools import islice
from random import Random

from ..manipulation import DoesNotApply, drawn
from . import choosing, plausible
from .graphs import Sheet, Talk, count
from .items import Item, exchanged
from .settings import Irrelevancy

#: How many candidates are tried for an item, and how many exchanges in a turn.
_CANDIDATES, _TRIES = 2, 6

_Pair = tuple[Item, Item]


def change(talk: Talk, settings: Irrelevancy, rng: Random) -> None:
    """Exchange a part of the items of a share of the turns."""
    every = [item for at in talk.sheets for item in talk.items(at)]
    turns = [at for at in talk.open if talk.items(at)]
    if not turns:
        raise DoesNotApply("there is nothing to exchange")
    measure = choosing.surprising(talk, settings.plausible)
    drafts = (
        _exchanged(
            talk, measure, _pairs(talk, settings, at, every, own), count(settings.rate, size)
        )
        for at, own in drawn(rng, turns)
        if (size := len(_standing(talk, at)))
    )
    if not choosing.keep(talk, drafts, count(settings.share, len(talk.open)), measure):
        raise DoesNotApply("no item can be replaced")


def _exchanged(
    talk: Talk, measure: choosing.Measure, pairs: Iterable[_Pair], budget: int
) -> Sheet | None:
    """A turn with items exchanged until the budget is used, or the one exchange that fits best."""
    sheet, gone, spare = None, set[str](), list[Sheet]()
    for old, new in pairs:
        base = sheet or talk.sheets[old.at]
        if old.concept in gone or len(gone) == budget:
            continue
        draft = talk.draft(base, exchanged(base.graph, old, new), f"irrelevancy.{old.type}")
        if draft is not None and measure(draft) <= 1:
            sheet = draft
            gone.add(old.concept)
        elif draft is not None:
            spare.append(draft)
    return sheet or min(spare, key=measure, default=None)


def _standing(talk: Talk, at: int) -> list[Item]:
    """The items of a turn that no other edit has touched."""
    graph = talk.sheets[at].graph
    return [it for it in talk.items(at) if graph.concepts.get(it.variable) == it.concept]


def _pairs(
    talk: Talk, settings: Irrelevancy, at: int, every: list[Item], rng: Random
) -> list[_Pair]:
    """An item and what may take its place, in the order in which they are tried."""
    others = [it for it in every if it.at != at or settings.own]
    mine = _drawn(_standing(talk, at), rng)
    pairs = [(it, new) for it in mine for new in _tried(talk, settings, it, others, rng)]
    if not settings.plausible:
        return pairs
    # Those that cost nothing stay in the order of the draws.
    return sorted(pairs, key=lambda pair: max(0.0, _cost(talk, *pair)))[:_TRIES]


def _drawn(mine: list[Item], rng: Random) -> list[Item]:
    """The items in the order of draws: a type first, then one of its items; equal ones once."""
    by_type: dict[str, list[Item]] = {}
    for item in {it.word: it for it in rng.sample(mine, len(mine))}.values():
        by_type.setdefault(item.type, []).append(item)
    drawn = []
    while by_type:
        type_ = rng.choice(sorted(by_type))
        drawn.append(by_type[type_].pop())
        if not by_type[type_]:
            del by_type[type_]
    return drawn


def _tried(
    talk: Talk, settings: Irrelevancy, item: Item, others: list[Item], rng: Random
) -> list[Item]:
    """Items of the same type, in the order in which they are tried."""
    turn = talk.items(item.at) if settings.plausible else [item]  # "Netflix and Netflix"
    words = {it.word.lower() for it in turn}
    alike = [it for it in others if (it.type, not it.name) == (item.type, not item.name)]
    same = [it for it in alike if it.word.lower() not in words]
    candidates = list({it.word.lower(): it for it in rng.sample(same, len(same))}.values())
    if not settings.plausible:
        return candidates[:_CANDIDATES]
    candidates.sort(key=lambda it: _cost(talk, item, it))
    fitting = (it for it in candidates if plausible.exchangeable(item, it))
    return list(islice(fitting, _CANDIDATES))


def _around(talk: Talk, item: Item) -> tuple[str, str]:
    """The words before and behind an item."""
    graph = talk.sheets[item.at].original
    places = graph.aligned.get(item.variable, (0,))
    before, behind = places[0] - 1, places[-1] + 1
    return (
        graph.tokens[before].text.lower() if before >= 0 else choosing.START,
        graph.tokens[behind].text.lower() if behind < len(graph.tokens) else choosing.END,
    )


def _cost(talk: Talk, old: Item, new: Item) -> float:
    """What an exchange costs by the words around it, before it is written; a name costs nothing."""
    if old.name:
        return 0.0
    model, around = choosing.bigrams(talk.pool), _around(talk, old)
    return model.between(new.form.lower(), *around) - model.between(old.form.lower(), *around)
