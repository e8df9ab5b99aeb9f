"""Irrelevancy: items of a turn exchanged with items of the same type from other turns.

Half of a turn's items go. Where the choice is to be plausible, an item goes only for one of its
kind, those first that fit their place; what fits less well goes too until the half is reached.
"""

from collections.abc import Iterable
from functools import partial
from itertools import islice
from random import Random

from ..manipulation import DoesNotApply, drawn
from . import choosing, plausible
from .graphs import Sheet, Step, Talk, count
from .items import Item, exchanged
from .settings import Irrelevancy

#: How many candidates are tried for an item.
_CANDIDATES = 8


def change(talk: Talk, settings: Irrelevancy, rng: Random) -> None:
    """Exchange a part of the items of a share of the turns."""
    turns = [at for at in talk.free if talk.items(at)]
    if not turns:
        raise DoesNotApply("there is nothing to exchange")
    measure = choosing.surprising(talk, settings.plausible)
    drafts = (_exchanged(talk, settings, at, own, measure) for at, own in drawn(rng, turns))
    wanted = count(settings.share, len(talk.open))
    if not choosing.keep(talk, drafts, wanted, lambda it: measure(it) / len(it.steps)):
        raise DoesNotApply("no item can be replaced")


def _exchanged(
    talk: Talk, settings: Irrelevancy, at: int, rng: Random, measure: choosing.Measure
) -> Sheet | None:
    """A turn with items exchanged until its budget is used up; None if none can be."""
    start = sheet = talk.sheets[at]
    mine = _standing(talk, at)
    budget, said = count(settings.rate, len(mine)), _words(talk.items(at))
    for old, candidates in _by_fit(talk, settings, mine, rng):
        if budget <= 0:
            break
        fresh = (it for it in candidates if not (settings.plausible and said & _words([it])))
        draft = _exchange(talk, sheet, old, list(islice(fresh, _CANDIDATES)), measure)
        if draft is not None:
            sheet, new = draft
            said |= _words([new])
            budget -= sum(it.word == old.word for it in mine)
    return None if sheet is start else sheet


def _words(some: Iterable[Item]) -> set[str]:
    """The single words of some items: no "Netflix and Netflix", no "Tom Brady and Brady"."""
    return {word for it in some for word in it.word.lower().split()}


def _exchange(
    talk: Talk, sheet: Sheet, old: Item, candidates: list[Item], measure: choosing.Measure
) -> tuple[Sheet, Item] | None:
    """A turn with one more item exchanged for the first candidate that fits, or the best."""
    drafts = dict[str, tuple[Sheet, Item]]()
    kind, before = f"irrelevancy.{old.type}", measure(sheet)
    for new in candidates:
        draft = talk.draft(sheet, Step(kind, partial(exchanged, old=old, new=new)))
        if draft is not None:
            drafts[new.word] = draft, new
            if measure(draft) - before <= 1:
                return draft, new
    return min(drafts.values(), key=lambda it: measure(it[0]), default=None)


def _standing(talk: Talk, at: int) -> list[Item]:
    """The items of a turn that no other edit has touched."""
    graph = talk.sheets[at].graph
    return [it for it in talk.items(at) if graph.concepts.get(it.variable) == it.concept]


def _by_fit(
    talk: Talk, settings: Irrelevancy, mine: list[Item], rng: Random
) -> list[tuple[Item, list[Item]]]:
    """Items and what may take their places; those first for which something fits."""
    every = [it for at in talk.sheets for it in talk.items(at)]
    pairs = [(it, _tried(talk, settings, it, every, rng)) for it in _drawn(mine, rng)]
    pairs = [(old, candidates) for old, candidates in pairs if candidates]
    if not settings.plausible:
        return pairs
    # Those that cost nothing stay in the order of the draws.
    return sorted(pairs, key=lambda pair: max(0.0, _cost(talk, pair[0], pair[1][0])))


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
    talk: Talk, settings: Irrelevancy, item: Item, every: list[Item], rng: Random
) -> list[Item]:
    """Items of the same type from other turns, in the order in which they are tried."""
    others = [it for it in every if it.at != item.at or settings.own]
    alike = [it for it in others if (it.type, not it.name) == (item.type, not item.name)]
    same = [it for it in alike if it.word.lower() != item.word.lower()]
    candidates = list({it.word.lower(): it for it in rng.sample(same, len(same))}.values())
    if not settings.plausible:
        return candidates
    fitting = [it for it in candidates if plausible.exchangeable(item, it)]
    return sorted(fitting, key=lambda it: _cost(talk, item, it))


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
