"""What is learnt from: contexts, and responses to each of three levels.

Good are the responses that people gave. Near ones seem to fit and do not: responses to other
contexts that speak of the same, turns of the context itself, and good ones that were damaged in
their words, roles, time or sense. What was written in two ways (:mod:`...written`) has better ones:
a turn of the other way is as good a sentence, and contradicts what was said. The others are
responses to any other context, drawn anew each time. DailyDialog++ asked people to write near ones;
its training part is not to be had, and what people wrote for its other parts is for choosing and
testing.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from random import Random
from typing import Any, ClassVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from ....dialogue import Dialogue, Turn, normalise
from ....encode.session import cores
from ....manipulate.catalogue import find
from ....manipulate.manipulation import seeded
from ....manipulate.nearby import Topics
from ....manipulate.pool import Pool
from ...data import Material
from ...recipe import AtLeastOne, Count, Share
from ...written import Decided, written
from .. import Encode

Floats = NDArray[np.float32]

#: Contexts whose nearest responses are looked for together.
_TOGETHER = 256
#: Of so many nearest responses some are drawn.
_NEAREST = 24
#: From so many contexts on responses are damaged by several processes.
_MANY = 500


class Making(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the near responses of a context are."""

    turns: AtLeastOne = 4  # of a context, at most
    dialogues: Count = 1500  # whole ones of each corpus, at most
    each: AtLeastOne = 2  # responses of such a one that are learnt from
    meant: Count = 4  # nearest by the vectors of context and response
    worded: Count = 2  # nearest by the rare words that they share
    again: Count = 1  # turns of the context itself
    damaged: Count = 3
    written: Count = 4000  # conversations written in two ways, at most, each with a context a way
    #: A response as near as this to a good one may be good, too.
    alike: Share = 0.75
    damage: tuple[str, ...] = (
        *("speaker-confusion", "contradiction-in-place", "coreference", "irrelevancy"),
        *("name-exchange", "word-order", "word-drop", "temporal-skip"),
    )


class Context(msgspec.Struct, frozen=True, array_like=True):
    """What was said, who answers, and good and near responses."""

    id: str
    turns: tuple[tuple[str, str], ...]  # speaker, text
    speaker: str
    good: tuple[str, ...]
    near: tuple[str, ...] = ()

    def dialogue(self, response: str) -> Dialogue:
        """The context, answered."""
        said = [*self.turns, (self.speaker, response)]
        return Dialogue(self.id, tuple(Turn(*each) for each in said), level="turn")


def contexts(material: Material, making: Making, seed: int) -> list[Context]:
    """The contexts of turn-level items, with all good responses to each; some of dialogues."""
    items, found = defaultdict[str, list[Dialogue]](list), list[Context]()
    cut = Counter[int]()
    for dialogue, origin in zip(material.train, material.origins("train"), strict=True):
        if dialogue.level == "turn":
            items[dialogue.context_key].append(dialogue)
        elif cut[origin] < making.dialogues:
            cut[origin] += 1
            found += _cut(dialogue, making, seed)
    for some in items.values():
        good = dict.fromkeys(each.response for each in some)
        found.append(_context(some[0], len(some[0].turns) - 1, tuple(good), making.turns))
    return [*found, *_two_ways(making, seed)]


def _two_ways(making: Making, seed: int) -> Iterator[Context]:
    """Each way of what was written up to a turn in question, which the other way's is near."""
    rng, chats = seeded(seed, "written"), list[tuple[Decided, list[int]]]()
    for chat in written() if making.written else ():
        first, *rest = chat.choices  # what decides must be among the turns that are read
        shown = [at for at in rest if at - first <= making.turns]
        chats += [(chat, shown)] if shown and chat.side == "train" else []
    for chat, shown in rng.sample(chats, min(making.written, len(chats))):
        at = rng.choice(shown)
        for own, other in (chat.ways, chat.ways[::-1]):
            made = _context(own, at, (own.turns[at].text,), making.turns)
            yield msgspec.structs.replace(made, near=(other.turns[at].text,))


def _cut(dialogue: Dialogue, making: Making, seed: int) -> Iterator[Context]:
    rng = seeded(seed, dialogue.id, "contexts")
    last = dialogue.turns
    places = [
        at for at in range(1, len(last)) if last[at].text.strip() and last[at - 1].text.strip()
    ]
    for at in sorted(rng.sample(places, min(making.each, len(places)))):
        yield _context(dialogue, at, (last[at].text,), making.turns)


def _context(dialogue: Dialogue, at: int, good: tuple[str, ...], turns: int) -> Context:
    said = dialogue.turns[max(0, at - turns) : at]
    shown = tuple((turn.speaker, turn.text) for turn in said)
    return Context(f"{dialogue.id}:{at}", shown, dialogue.turns[at].speaker, good)


def mined(found: Sequence[Context], making: Making, encode: Encode, seed: int) -> list[Context]:
    """The contexts with their near responses; those that have some are left as they are."""
    known = [each for each in found if each.near]
    found = [each for each in found if not each.near]
    harmed = _harmed(found, making, seed)  # first: it forks
    meant = _meant(found, making, encode, seed)
    worded = _worded(found, making, seed) if making.worded else [()] * len(found)
    made, said_there = [], defaultdict[str, set[str]](set)
    for each in found:  # what one says next may be an answer, too
        said_there[_dialogue_of(each)] |= {normalise(text) for text in each.good}
    for each, *near, bad in zip(found, meant, worded, harmed, strict=True):
        others = [*near[0], *near[1], *_again(each, making, seed), *bad]
        said = said_there[_dialogue_of(each)]
        kept = (text for text in dict.fromkeys(others) if normalise(text) not in said)
        made.append(msgspec.structs.replace(each, near=tuple(kept)))
    return made + known


def _dialogue_of(context: Context) -> str:
    return context.id.rpartition(":")[0]


def _meant(
    found: Sequence[Context], making: Making, encode: Encode, seed: int
) -> Iterator[tuple[str, ...]]:
    """Responses to other contexts that are near a context, and not near its good responses."""
    answers = list(dict.fromkeys(text for each in found for text in each.good))
    lasts = [each.turns[-1][1] for each in found]
    wholes = [" ".join(text for _, text in each.turns[-2:]) for each in found]
    table, last, whole = (_unit(encode(texts)) for texts in (answers, lasts, wholes))
    place = {text: at for at, text in enumerate(answers)}
    for start in range(0, len(found), _TOGETHER):
        some = slice(start, start + _TOGETHER)
        nearness = (last[some] + whole[some]) @ table.T
        for each, near in zip(found[some], nearness, strict=True):
            own = table[[place[text] for text in each.good]]
            most = min(4 * _NEAREST, len(near))
            order = np.argpartition(-near, most - 1)[:most]
            order = order[np.argsort(-near[order])]
            apart = (table[order] @ own.T).max(1) < making.alike
            fitting = [answers[at] for at in order[apart][:_NEAREST]]
            rng = seeded(seed, each.id, "meant")
            yield tuple(rng.sample(fitting, min(making.meant, len(fitting))))


def _worded(found: Sequence[Context], making: Making, seed: int) -> Iterator[tuple[str, ...]]:
    """Responses to other contexts that share rare words with a context."""
    topics = Topics([each.dialogue(each.good[0]) for each in found])
    for each in found:
        said = {normalise(text) for _, text in each.turns}
        fitting = list[str]()
        for at in topics.nearest(each.turns[-1][1]):
            _, text = topics.texts[at]
            if normalise(text) not in said and text not in each.good:
                fitting.append(text)
            if len(fitting) == 4 * making.worded:
                break
        rng = seeded(seed, each.id, "worded")
        yield tuple(rng.sample(fitting, min(making.worded, len(fitting))))


def _again(context: Context, making: Making, seed: int) -> list[str]:
    """Turns of the context itself, which answer something else."""
    said = [text for _, text in context.turns]
    rng = seeded(seed, context.id, "again")
    return rng.sample(said, min(making.again, len(said)))


def _harmed(found: Sequence[Context], making: Making, seed: int) -> list[tuple[str, ...]]:
    """Of each context good responses, damaged; by as many processes as there are cores.

    They are forked before this process has networks of its own, whose threads would not be there.
    """
    if not making.damaged:
        return [()] * len(found)
    pool = Pool([each.dialogue(each.good[0]) for each in found])
    if len(found) < _MANY:
        return [_damaged(each, making, pool, seed) for each in found]
    # What all share is handed over by the fork, and never pickled.
    given = (found, making, pool, seed)
    with ProcessPoolExecutor(cores(), get_context("fork"), _Shared.hand, given) as workers:
        return list(workers.map(_Shared.damaged, range(len(found)), chunksize=_TOGETHER))


class _Shared:
    """What every process damages with."""

    given: ClassVar[tuple[Sequence[Context], Making, Pool, int]]

    @classmethod
    def hand(cls, *given: Any) -> None:
        """Take what the first process has."""
        cls.given = given

    @classmethod
    def damaged(cls, place: int) -> tuple[str, ...]:
        """Good responses to one of the contexts, damaged."""
        found, making, pool, seed = cls.given
        return _damaged(found[place], making, pool, seed)


def _damaged(context: Context, making: Making, pool: Pool, seed: int) -> tuple[str, ...]:
    """Good responses, each damaged in one way."""
    rng, made = seeded(seed, context.id, "damaged"), list[str]()
    for name in rng.sample(making.damage, len(making.damage)):
        if len(made) == making.damaged:
            break
        text = damaged(context.dialogue(rng.choice(context.good)), name, rng, pool)
        made += [text] if text is not None else []
    return tuple(made)


def damaged(item: Dialogue, name: str, rng: Random, pool: Pool) -> str | None:
    """The response of an item, damaged; None where the damage is elsewhere or cannot be done."""
    edited = find(name)(item, rng, pool)
    if edited is None or edited.dialogue.context != item.context:
        return None
    return edited.dialogue.response


def _unit(vectors: Floats) -> Floats:
    filled = np.nan_to_num(np.asarray(vectors, np.float32))
    long: Floats = filled / np.maximum(np.linalg.norm(filled, axis=1, keepdims=True), 1e-6)
    return long
