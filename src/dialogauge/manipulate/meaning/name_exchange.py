"""Name exchange: somebody or something that the conversation speaks of is called otherwise once.

All mentions in one turn change; in the other turns the name stays, so that they no longer agree.
"""

import re
from collections.abc import Iterator
from functools import partial
from random import Random

from ..manipulation import DoesNotApply, drawn
from . import choosing, naming
from .graphs import Sheet, Step, Talk, count
from .items import Item, exchanged
from .settings import NameExchange

#: How many other names are tried for one.
_CANDIDATES = 4


def change(talk: Talk, settings: NameExchange, rng: Random) -> None:
    """Exchange a share of the names that are said in several turns, each in one of them."""
    turns_of = _turns_of(talk)
    if not turns_of:
        raise DoesNotApply("no name is said in two turns")
    drafts = (
        choosing.first(_drafts(talk, turns_of[name], own)) for name, own in drawn(rng, [*turns_of])
    )
    wanted = count(settings.share, len(turns_of))
    if not choosing.keep(talk, drafts, wanted, choosing.anything):
        raise DoesNotApply("no other name fits")


def _turns_of(talk: Talk) -> dict[str, list[Item]]:
    """The names that are said elsewhere too, and the items that may be exchanged."""
    turns_of: dict[str, list[Item]] = {}
    for at in talk.free:
        for item in naming.sure(talk.pool, talk.sheets[at].original, at):
            if _is_said_elsewhere(talk, item):
                turns_of.setdefault(item.name.lower(), []).append(item)
    return turns_of


def _is_said_elsewhere(talk: Talk, item: Item) -> bool:
    """Whether another turn has the name, or its last word: *Brady* for *Tom Brady*."""
    words = {re.escape(item.name.lower()), re.escape(item.name.lower().split()[-1])}
    said = re.compile(rf"\b(?:{'|'.join(sorted(words))})\b")
    others = (it.text.lower() for at, it in talk.sheets.items() if at != item.at)
    return any(map(said.search, others))


def _drafts(talk: Talk, named: list[Item], rng: Random) -> Iterator[Sheet | None]:
    for old in rng.sample(named, len(named)):
        for new in naming.others(talk, old, rng)[:_CANDIDATES]:
            step = Step(f"name-exchange.{old.concept}", partial(exchanged, old=old, new=new))
            yield talk.draft(talk.sheets[old.at], step)
