"""Edits of the order and the company of turns, as Vakulenko, Mesgar and DynaEval train with.

The sentences stay as people wrote them; what breaks is how they follow each other.

Each is a function of a dialogue, a generator, a pool and the ``share`` of the dialogue that is
touched, for ladders; 0 is the paper's own amount. Asides stay where they are. Where the last turn
is what is judged (level ``turn``) it stays the last: its context is what changes, except in
``replace-turn``, which replaces it.

A turn of another dialogue is said by whoever spoke in its place.
"""

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from random import Random

import msgspec

from ..dialogue import Dialogue, Turn
from .edited import Change, Edited, rearranged, rewritten
from .manipulation import DoesNotApply, alike, drawn, same_text, spawned
from .permutations import arrangements, count, cycled, shuffled
from .pool import DRAWS, Pool
from .rewriting import spoken

Arrange = Callable[[Dialogue, Random, Pool, float], Edited]


class Arranging(msgspec.Struct, frozen=True):
    """An edit of the order and the company of turns."""

    arrange: Arrange
    share: float = 0.0

    @property
    def about(self) -> str:
        """What the function says of itself."""
        return self.arrange.__doc__ or ""

    def __call__(self, dialogue: Dialogue, rng: Random, pool: Pool) -> Edited:
        """The dialogue with other turns, or the same in another order."""
        edited = self.arrange(dialogue, rng, pool, self.share)
        if alike(dialogue, edited.dialogue):
            raise DoesNotApply("nothing changed")
        return edited


def permute(dialogue: Dialogue, rng: Random, pool: Pool, share: float) -> Edited:
    """All turns stand in a random order.

    The papers' dialogues are lists of texts that two people say in turn, so texts change places
    and speakers do not.
    """
    places = _movable(dialogue)
    return exchanged(dialogue, places, _order(dialogue, places, rng, share), "permute")


def permute_speaker(dialogue: Dialogue, rng: Random, pool: Pool, share: float) -> Edited:
    """The turns of one speaker stand all in each other's places; the others stay."""
    places = rng.choice(_shuffleable(dialogue))
    order = _order(dialogue, places, rng, share or 1.0)
    return exchanged(dialogue, places, order, "permute-speaker")


def shuffle_speaker(dialogue: Dialogue, rng: Random, pool: Pool, share: float) -> Edited:
    """The turns of one speaker stand in a random order; the others stay."""
    places = rng.choice(_shuffleable(dialogue))
    return exchanged(dialogue, places, _order(dialogue, places, rng, share), "shuffle-speaker")


def speaker_shuffles(dialogue: Dialogue, n: int, rng: Random) -> list[Edited]:
    """Up to ``n`` different dialogues in which the turns of one speaker stand in another order.

    Four turns allow 2 of them, five 6, six 10: fewer than ``n`` are given where there are no more.
    (The script that made DynaEval's data repeats some instead, to have 20 of each.)

    >>> chat = Dialogue("d1", tuple(Turn("ab"[at % 2], f"say {at}") for at in range(5)))
    >>> len(speaker_shuffles(chat, 20, Random(1)))
    6
    """
    groups = [(places, _keys(dialogue, places)) for places in _shuffleable(dialogue)]
    if sum(count(keys) - 1 for _, keys in groups) > 4 * n:
        orders = _drawn_orders(groups, n, rng)
    else:
        orders = [(places, order) for places, keys in groups for order in arrangements(keys)]
        if len(orders) > n:
            orders = rng.sample(orders, n)
        else:
            rng.shuffle(orders)
    return [exchanged(dialogue, *each, "shuffle-speaker") for each in orders]


def _drawn_orders(
    groups: Sequence[tuple[Sequence[int], Sequence[str]]], n: int, rng: Random
) -> list[tuple[Sequence[int], Sequence[int]]]:
    """Different orders by drawing; there are many more than are wanted."""
    orders: dict[tuple[int, tuple[str, ...]], tuple[Sequence[int], Sequence[int]]] = {}
    for _ in range(DRAWS * n):
        if len(orders) == n:
            break
        places, keys = rng.choice(groups)
        order = shuffled(keys, rng)
        orders.setdefault((places[0], tuple(keys[at] for at in order)), (places, order))
    return list(orders.values())


def move_turn(dialogue: Dialogue, rng: Random, pool: Pool, share: float) -> Edited:
    """One turn is taken out and put in somewhere else."""
    places = _movable(dialogue)
    keys = _keys(dialogue, places)
    if len(set(keys)) < 2:
        raise DoesNotApply("there is no other order")
    order = list(range(len(places)))
    for chosen in rng.sample(order, len(order))[: max(1, ceil(share * len(order)))]:
        _move(order, chosen, keys, spawned(rng))
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


def insert_turn(dialogue: Dialogue, rng: Random, pool: Pool, share: float) -> Edited:
    """A turn of another dialogue is put in."""
    places = spoken(dialogue)[1:]
    if not places:
        raise DoesNotApply("there is one turn only")
    chosen = _drawn(places, rng, share)
    order: list[int | Turn] = []
    for at, turn in enumerate(dialogue.turns):
        if at in chosen:
            order.append(Turn(turn.speaker, pool.turn(chosen[at], dialogue).text))
        order.append(at)
    return rearranged(dialogue, order, "insert-turn")


def replace_turn(
    dialogue: Dialogue, rng: Random, pool: Pool, share: float, *, same_dialogue: bool = False
) -> Edited:
    """A turn is replaced by one of another dialogue.

    With ``same_dialogue`` it may be this one, as in the script that made DynaEval's data, which
    draws from all dialogues; the paper draws from the others.
    """
    places = spoken(dialogue)
    chosen = _drawn(places[-1:] if dialogue.level == "turn" else places, rng, share)
    texts = {}
    for at, own in chosen.items():
        here = _of_this(dialogue, at, own, pool) if same_dialogue else ""
        texts[at] = here or pool.turn(own, dialogue).text
    return rewritten(dialogue, texts, "replace-turn")


def _of_this(dialogue: Dialogue, at: int, rng: Random, pool: Pool) -> str:
    """Another text of the dialogue, as often as one of all dialogues is this one; else nothing."""
    if rng.randrange(len(pool.dialogues) + 1):
        return ""
    texts = [turn.text for turn in dialogue.spoken.turns if turn.text.strip()]
    others = [text for text in texts if not same_text(text, dialogue.turns[at].text)]
    return rng.choice(others) if others else ""


def swap_halves(dialogue: Dialogue, rng: Random, pool: Pool, share: float) -> Edited:
    """The second half stands before the first.

    ``share`` is of each half, on both sides of the middle. Each turn keeps its speaker.
    """
    places = _movable(dialogue)
    middle = (len(places) + 1) // 2
    size = max(1, ceil((share or 1.0) * middle))
    left, right = max(0, middle - size), middle + size
    order = [*range(left), *range(middle, len(places))[:size], *range(left, middle)]
    order += range(len(places))[right:]
    return rearranged(dialogue, _whole(dialogue, places, order), "swap-halves")


def splice(dialogue: Dialogue, rng: Random, pool: Pool, share: float) -> Edited:
    """It goes on as another dialogue does.

    Half of it, or a share, is the end of another dialogue, which may be shorter.
    """
    places = _movable(dialogue)
    wanted = max(1, min(len(places) - 1, ceil((share or 0.5) * len(places))))
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
    return rearranged(dialogue, order, "splice")


def drop_turn(dialogue: Dialogue, rng: Random, pool: Pool, share: float) -> Edited:
    """A turn is left out."""
    places = spoken(dialogue)[1:-1]  # without its end a dialogue is only shorter
    if not places:
        raise DoesNotApply("it has too few turns")
    gone = _drawn(places, rng, share)
    order = [at for at in range(len(dialogue.turns)) if at not in gone]
    return rearranged(dialogue, order, "drop-turn")


def _movable(dialogue: Dialogue) -> list[int]:
    """The places whose turns may stand elsewhere: two at the least."""
    places = spoken(dialogue)
    if dialogue.level == "turn":
        places.pop()
    if len(places) < 2:
        raise DoesNotApply("it has too few turns")
    return places


def exchanged(dialogue: Dialogue, places: Sequence[int], order: Sequence[int], kind: str) -> Edited:
    """The dialogue with the texts of some places in another order, given by their rank.

    The speakers stay. A place that says the same did not change.

    >>> chat = Dialogue("d1", tuple(Turn("ab"[at % 2], text) for at, text in enumerate("xyxz")))
    >>> edited = exchanged(chat, range(4), [2, 3, 0, 1], "example")
    >>> "".join(turn.text for turn in edited.dialogue.turns)
    'xzxy'
    >>> [(change.turn, change.was) for change in edited.changes]
    [(1, 3), (3, 1)]
    """
    texts = [turn.text for turn in dialogue.turns]
    whole = enumerate(_whole(dialogue, places, order))
    moved = {at: texts[was] for at, was in whole if texts[at] != texts[was]}
    sources: dict[str, list[int]] = {}
    for at in reversed(moved):
        sources.setdefault(texts[at], []).append(at)
    turns, changes = list(dialogue.turns), []
    for at, text in moved.items():
        turns[at] = Turn(turns[at].speaker, text)
        changes.append(Change(at, sources[text].pop(), kind, text, text))
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
    return dict(drawn(rng, places)[: max(1, ceil(share * len(places)))])


def _keys(dialogue: Dialogue, places: Sequence[int]) -> list[str]:
    """Texts with equal keys are the same text but for space and case."""
    return [" ".join(dialogue.turns[at].text.casefold().split()) for at in places]
