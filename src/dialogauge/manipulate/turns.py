"""Edits of the order and the company of turns, as Vakulenko, Mesgar and DynaEval train with.

The sentences stay as people wrote them; what breaks is how they follow each other. Vakulenko et al.
(2018) permute, exchange halves and splice two dialogues; Mesgar et al. (2020) permute, move,
replace and shuffle one speaker; DynaEval (Zhang et al., 2021) replaces turns (UR) and shuffles one
speaker (SS).

``share`` is how much of the dialogue is touched, for ladders; 0 is the paper's own amount. Asides
stay where they are. Where the last turn is what is judged (level ``turn``) it stays the last: its
context is what changes, except in ``replace-turn``, which replaces it.

A turn of another dialogue is said by whoever spoke in its place.
"""

from collections.abc import Mapping, Sequence
from math import ceil
from random import Random

import msgspec

from ..dialogue import Dialogue, Turn
from .edited import Change, Edited, rearranged, rewritten
from .manipulation import DoesNotApply, alike
from .orders import arrangements, count, cycled, shuffled
from .pool import DRAWS, Pool


class Permute(msgspec.Struct, frozen=True):
    """All turns stand in a random order."""

    share: float = 0.0  # of the turns that stand elsewhere; 0 for any order of all
    # The papers' dialogues are lists of texts that two people say in turn, so texts change places
    # and speakers do not. False lets each turn keep its speaker; then it shows in the speakers
    # alone, who no longer take turns, that something was permuted.
    seats: bool = True

    def __call__(self, dialogue: Dialogue, rng: Random, pool: Pool) -> Edited:
        """The dialogue in another order."""
        places = _movable(dialogue)
        order = _order(dialogue, places, rng, self.share)
        return exchanged(dialogue, _whole(dialogue, places, order), "permute", seats=self.seats)


class PermuteSpeaker(msgspec.Struct, frozen=True):
    """The turns of one speaker stand in a random order, in the places where that speaker spoke."""

    kind: str = "permute-speaker"
    share: float = 0.0  # of that speaker's turns that stand elsewhere; 0 for any order of all
    every: bool = False  # whether every turn of the speaker stands elsewhere

    @property
    def about(self) -> str:
        """Which orders are drawn."""
        drawn = "all in each other's places" if self.every else "in a random order"
        return f"The turns of one speaker stand {drawn}; the others stay."

    def __call__(self, dialogue: Dialogue, rng: Random, pool: Pool) -> Edited:
        """The dialogue with one speaker's turns in another order."""
        places = rng.choice(_shuffleable(dialogue))
        order = _order(dialogue, places, rng, 1.0 if self.every and not self.share else self.share)
        return exchanged(dialogue, _whole(dialogue, places, order), self.kind)


def speaker_shuffles(dialogue: Dialogue, n: int, rng: Random) -> list[Edited]:
    """Up to ``n`` different dialogues in which the turns of one speaker stand in another order.

    Four turns allow 2 of them, five 6, six 10: fewer than ``n`` are given where there are no more.
    (The script that made DynaEval's data repeats some instead, to have 20 of each.)

    >>> chat = Dialogue("d1", tuple(Turn("ab"[at % 2], f"say {at}") for at in range(5)))
    >>> len(speaker_shuffles(chat, 20, Random(1)))
    6
    """
    groups = _shuffleable(dialogue)
    orders = _all_orders(dialogue, groups) if _few(dialogue, groups, 4 * n) else None
    if orders is None:
        orders = _drawn_orders(dialogue, groups, n, rng)
    elif len(orders) > n:
        orders = rng.sample(orders, n)
    else:
        rng.shuffle(orders)
    return [
        exchanged(dialogue, _whole(dialogue, places, order), "shuffle-speaker")
        for places, order in orders
    ]


def _few(dialogue: Dialogue, groups: Sequence[Sequence[int]], limit: int) -> bool:
    return sum(count(_keys(dialogue, places)) - 1 for places in groups) <= limit


_Orders = list[tuple[Sequence[int], Sequence[int]]]


def _all_orders(dialogue: Dialogue, groups: Sequence[Sequence[int]]) -> _Orders:
    return [(places, order) for places in groups for order in arrangements(_keys(dialogue, places))]


def _drawn_orders(
    dialogue: Dialogue, groups: Sequence[Sequence[int]], n: int, rng: Random
) -> _Orders:
    """Different orders by drawing; there are many more than are wanted."""
    orders: dict[tuple[int, tuple[str, ...]], tuple[Sequence[int], Sequence[int]]] = {}
    for _ in range(DRAWS * n):
        if len(orders) == n:
            break
        places = rng.choice(groups)
        keys = _keys(dialogue, places)
        order = shuffled(keys, rng)
        orders.setdefault((places[0], tuple(keys[at] for at in order)), (places, order))
    return list(orders.values())


class MoveTurn(msgspec.Struct, frozen=True):
    """One turn is taken out and put in somewhere else."""

    share: float = 0.0  # of the turns that are moved; 0 for one

    def __call__(self, dialogue: Dialogue, rng: Random, pool: Pool) -> Edited:
        """The dialogue with turns moved; each keeps its speaker."""
        places = _movable(dialogue)
        keys = _keys(dialogue, places)
        if len(set(keys)) < 2:
            raise DoesNotApply("there is no other order")
        order = list(range(len(places)))
        for chosen in rng.sample(order, len(order))[: max(1, ceil(self.share * len(order)))]:
            _move(order, chosen, keys, Random(rng.getrandbits(64)))  # noqa: S311  (no secret)
        if all(keys[was] == key for was, key in zip(order, keys, strict=True)):
            order = shuffled(keys, rng)  # moved to and fro: rare, and in short dialogues only
        return rearranged(dialogue, _whole(dialogue, places, order), "move-turn")


def _move(order: list[int], chosen: int, keys: Sequence[str], rng: Random) -> None:
    """Take one out of an order and put it where it makes a difference, if it can."""
    at = order.index(chosen)
    before = [keys[place] for place in order]
    for target in rng.sample(range(len(order)), min(len(order), DRAWS)):
        low, high = min(at, target), max(at, target)
        if any(key != keys[chosen] for key in before[low : high + 1]):
            order.insert(target, order.pop(at))
            return


class InsertTurn(msgspec.Struct, frozen=True):
    """A turn of another dialogue is put in."""

    share: float = 0.0  # how many are put in, by the turns there are; 0 for one

    def __call__(self, dialogue: Dialogue, rng: Random, pool: Pool) -> Edited:
        """The dialogue with foreign turns, each before a turn that answers something."""
        places = spoken(dialogue)[1:]
        if not places:
            raise DoesNotApply("there is one turn only")
        chosen = _drawn(places, rng, self.share)
        order: list[int | Turn] = []
        for at, turn in enumerate(dialogue.turns):
            if at in chosen:
                order.append(Turn(turn.speaker, pool.turn(chosen[at], dialogue).text))
            order.append(at)
        return rearranged(dialogue, order, "insert-turn")


class ReplaceTurn(msgspec.Struct, frozen=True):
    """A turn is replaced by one of another dialogue."""

    share: float = 0.0  # of the turns that are replaced; 0 for one
    # The script that made DynaEval's data draws from all dialogues, this one among them.
    same_dialogue: bool = False

    def __call__(self, dialogue: Dialogue, rng: Random, pool: Pool) -> Edited:
        """The dialogue with foreign texts in some turns."""
        places = spoken(dialogue)
        if dialogue.level == "turn":
            places = places[-1:]
        texts = {
            at: self._other(dialogue, at, own, pool)
            for at, own in _drawn(places, rng, self.share).items()
        }
        return rewritten(dialogue, texts, "replace-turn")

    def _other(self, dialogue: Dialogue, at: int, rng: Random, pool: Pool) -> str:
        dialogues = len(pool.dialogues) + 1
        if self.same_dialogue and rng.randrange(dialogues) == 0:
            key = _key(dialogue.turns[at].text)
            texts = [
                turn.text for turn in dialogue.spoken.turns if _key(turn.text) not in ("", key)
            ]
            if texts:
                return rng.choice(texts)
        return pool.turn(rng, dialogue).text


class SwapHalves(msgspec.Struct, frozen=True):
    """The second half stands before the first."""

    share: float = 0.0  # of each half, on both sides of the middle, that is exchanged; 0 for all

    def __call__(self, dialogue: Dialogue, rng: Random, pool: Pool) -> Edited:
        """The dialogue with its halves exchanged; each turn keeps its speaker."""
        places = _movable(dialogue)
        middle = (len(places) + 1) // 2
        size = max(1, ceil((self.share or 1.0) * middle))
        left, right = max(0, middle - size), middle + size
        order = [*range(left), *range(middle, len(places))[:size], *range(left, middle)]
        order += range(len(places))[right:]
        whole = _whole(dialogue, places, order)
        return _changed(dialogue, rearranged(dialogue, whole, "swap-halves"))


class Splice(msgspec.Struct, frozen=True):
    """It goes on as another dialogue does."""

    share: float = 0.0  # of the turns that come from elsewhere; 0 for half

    def __call__(self, dialogue: Dialogue, rng: Random, pool: Pool) -> Edited:
        """The beginning of the dialogue and the end of another, which may be shorter."""
        places = _movable(dialogue)
        wanted = max(1, min(len(places) - 1, ceil((self.share or 0.5) * len(places))))
        texts = [turn.text for turn in pool.dialogue(rng, dialogue).turns if turn.text.strip()]
        if not texts:
            raise DoesNotApply("the pool has no other words")
        foreign = dict(zip(places[-wanted:], texts[-wanted:], strict=False))
        gone = set(places[-wanted:]) - set(foreign)
        order: list[int | Turn] = [
            Turn(turn.speaker, foreign[at]) if at in foreign else at
            for at, turn in enumerate(dialogue.turns)
            if at not in gone
        ]
        return _changed(dialogue, rearranged(dialogue, order, "splice"))


class DropTurn(msgspec.Struct, frozen=True):
    """A turn is left out."""

    share: float = 0.0  # of the turns between the first and the last that are left out; 0 for one

    def __call__(self, dialogue: Dialogue, rng: Random, pool: Pool) -> Edited:
        """The dialogue without some turns that others answer."""
        places = spoken(dialogue)[1:-1]  # without its end a dialogue is only shorter
        if not places:
            raise DoesNotApply("it has too few turns")
        gone = _drawn(places, rng, self.share)
        order = [at for at in range(len(dialogue.turns)) if at not in gone]
        return rearranged(dialogue, order, "drop-turn")


def spoken(dialogue: Dialogue) -> list[int]:
    """The places of all turns but asides."""
    return [at for at, turn in enumerate(dialogue.turns) if not turn.aside]


def _movable(dialogue: Dialogue) -> list[int]:
    """The places whose turns may stand elsewhere: two at the least."""
    places = spoken(dialogue)
    if dialogue.level == "turn":
        places.pop()
    if len(places) < 2:
        raise DoesNotApply("it has too few turns")
    return places


def _changed(dialogue: Dialogue, edited: Edited) -> Edited:
    if alike(dialogue, edited.dialogue):
        raise DoesNotApply("nothing changed")
    return edited


def exchanged(dialogue: Dialogue, order: Sequence[int], kind: str, *, seats: bool = True) -> Edited:
    """The dialogue with turns in each other's places; a place that says the same did not change.

    With ``seats`` the speakers stay and only the texts move.

    >>> chat = Dialogue("d1", tuple(Turn("ab"[at % 2], text) for at, text in enumerate("xyxz")))
    >>> edited = exchanged(chat, [2, 3, 0, 1], "example")
    >>> "".join(turn.text for turn in edited.dialogue.turns)
    'xzxy'
    >>> [(change.turn, change.was) for change in edited.changes]
    [(1, 3), (3, 1)]
    """
    old = dialogue.turns
    keys: Sequence[Turn | str] = [turn.text for turn in old] if seats else old
    stay = {at for at, was in enumerate(order) if keys[at] == keys[was]}
    free: dict[Turn | str, list[int]] = {}
    for was in reversed(range(len(old))):
        if was not in stay:
            free.setdefault(keys[was], []).append(was)
    turns, changes = list(old), []
    for at, was in enumerate(order):
        if at not in stay:
            source, text = free[keys[was]].pop(), old[was].text
            speaker = old[at].speaker if seats else old[was].speaker
            turns[at] = Turn(speaker, text)
            changes.append(Change(at, source, kind, text, text))
    return Edited(dialogue.with_turns(tuple(turns)), tuple(changes))


def _shuffleable(dialogue: Dialogue) -> list[list[int]]:
    """For each speaker who said different things, where."""
    groups: dict[str, list[int]] = {}
    for at in _movable(dialogue):
        groups.setdefault(dialogue.turns[at].speaker, []).append(at)
    several = [places for places in groups.values() if len(set(_keys(dialogue, places))) > 1]
    if not several:
        raise DoesNotApply("nobody says two things")
    return several


def _order(dialogue: Dialogue, places: Sequence[int], rng: Random, share: float) -> list[int]:
    keys = _keys(dialogue, places)
    return cycled(keys, rng, share) if share else shuffled(keys, rng)


def _whole(dialogue: Dialogue, places: Sequence[int], order: Sequence[int]) -> list[int]:
    """The order of all turns when those of some places are in this one, given by their rank."""
    whole = list(range(len(dialogue.turns)))
    for place, rank in zip(places, order, strict=True):
        whole[place] = places[rank]
    return whole


def _drawn(places: Sequence[int], rng: Random, share: float) -> Mapping[int, Random]:
    """One place or a share of them, each with a generator; a larger share has the same and more."""
    order = [(at, rng.getrandbits(64)) for at in rng.sample(places, len(places))]
    chosen = order[: max(1, ceil(share * len(places)))]
    return {at: Random(seed) for at, seed in chosen}  # noqa: S311  (no secret)


def _keys(dialogue: Dialogue, places: Sequence[int]) -> list[str]:
    return [_key(dialogue.turns[at].text) for at in places]


def _key(text: str) -> str:
    """Texts with equal keys are the same text but for space and case."""
    return " ".join(text.casefold().split())
