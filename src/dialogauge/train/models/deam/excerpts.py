"""Excerpts: some turns of a conversation that follow each other.

What is wrong with a turn mostly shows a few turns away, and short excerpts give more of a corpus in
the same time; a share of long ones teaches to look further back.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from ....dialogue import Dialogue
from ....manipulate.manipulation import seeded
from ...recipe import AtLeastOne, Share

_AtLeastTwo = Annotated[int, Meta(ge=2)]


class Cutting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How conversations are cut."""

    shortest: _AtLeastTwo = 4  # turns
    longest: _AtLeastTwo = 9
    long: Share = 0.2  # of the excerpts have up to twice as many
    words: AtLeastOne = 170  # at most; of a long one twice as many
    each: AtLeastOne = 1  # excerpts of a conversation, at most


def excerpts(dialogues: Iterable[Dialogue], cutting: Cutting, seed: int) -> Iterator[Dialogue]:
    """Excerpts of conversations that have enough turns, each at most once.

    >>> from ....dialogue import Turn
    >>> chat = Dialogue("d", tuple(Turn("ab"[at % 2], f"say {at}") for at in range(30)))
    >>> [len(each.turns) for each in excerpts([chat], Cutting(each=3), 1)]
    [4, 8, 5]
    """
    for dialogue in dialogues:
        seen = set[tuple[int, int]]()
        for number in range(cutting.each):
            start, end = _cut(dialogue, cutting, seed, number)
            if end - start >= cutting.shortest and (start, end) not in seen:
                seen.add((start, end))
                turns = dialogue.turns[start:end]
                yield msgspec.structs.replace(dialogue, id=f"{dialogue.id}:{start}", turns=turns)


def _cut(dialogue: Dialogue, cutting: Cutting, seed: int, number: int) -> tuple[int, int]:
    """Where an excerpt begins and ends."""
    rng = seeded(seed, dialogue.id, "excerpt", str(number))
    times = 2 if rng.random() < cutting.long else 1
    wanted = rng.randint(cutting.shortest, cutting.longest) * times
    start = rng.randint(0, max(0, len(dialogue.turns) - wanted))
    end = start + fitting([turn.text for turn in dialogue.turns[start:]], cutting.words * times)
    return start, min(end, start + wanted)


def fitting(texts: Sequence[str], words: int) -> int:
    """How many of the texts, from the first on, have so many words together at most.

    >>> fitting(["one two", "three", "four five"], 4)
    2
    """
    count = 0
    for text in texts:
        words -= len(text.split())
        if words < 0:
            break
        count += 1
    return count
