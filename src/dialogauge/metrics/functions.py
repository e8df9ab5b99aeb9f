"""Metrics out of one function, for the many that score each dialogue on its own.

- :func:`by_dialogue`: dialogue -> number;
- :func:`by_turn`: dialogue -> a number for each turn; the dialogue's is their mean;
- :func:`by_response`: (response, references) -> a number for the last turn of an item.

    >>> from dialogauge.dialogue import Dialogue, Turn
    >>> shouts = by_turn("shouts", lambda chat: [turn.text.count("!") for turn in chat.turns])
    >>> shouts.score([Dialogue("d1", (Turn("a", "Hi!!"), Turn("b", "Hello.")))])
    [Score(value=1.0, turns=(2.0, 0.0), aspects={}, causes=(), interval=None)]

How turn scores become the dialogue's is a choice of its own: :func:`aggregate`.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

import msgspec

from ..dialogue import Dialogue
from ..encode.cache import key
from ..errors import UnknownNameError
from ..scores import Score
from .metric import signature

NAN = math.nan

#: How much of a response or a reference is compared: more than people read of a chat message, and
#: little enough that no text makes an alignment hang.
FIRST_CHARACTERS = 10_000


class FunctionMetric(msgspec.Struct, frozen=True, eq=False):
    """A metric that scores each dialogue on its own, by one function; nothing in it is trained."""

    name: str
    signature: str
    function: Callable[[Dialogue], Score]
    trained: bool = False
    #: Each distinct text that it did not read in full, by its key: how many characters were not.
    unread: dict[bytes, int] = msgspec.field(default_factory=dict[bytes, int])

    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """One score per dialogue."""
        return [self.function(dialogue) for dialogue in dialogues]


def by_dialogue(
    name: str, number: Callable[[Dialogue], float], settings: msgspec.Struct | None = None
) -> FunctionMetric:
    """A metric of the whole dialogue."""
    return FunctionMetric(
        name, signature(name, settings), lambda dialogue: Score(float(number(dialogue)))
    )


def by_turn(
    name: str,
    numbers: Callable[[Dialogue], Iterable[float]],
    settings: msgspec.Struct | None = None,
) -> FunctionMetric:
    """A metric of turns: ``numbers`` gives one for each, NaN where a turn cannot be scored."""
    return FunctionMetric(
        name,
        signature(name, settings),
        lambda dialogue: from_last_turns(dialogue, numbers(dialogue)),
    )


def by_response(
    name: str,
    compare: Callable[[str, Sequence[str]], float],
    settings: msgspec.Struct | None = None,
    packages: tuple[str, ...] = (),
    first: int = FIRST_CHARACTERS,
) -> FunctionMetric:
    """A metric of the last turn of a turn-level item, against its references.

    ``compare`` sees the ``first`` characters of each text; the others are counted. All other turns
    are NaN, and so is every turn of an item without references or of a whole dialogue.
    """
    unread: dict[bytes, int] = {}

    def beginning(text: str) -> str:
        if len(text) > first:
            unread[key(text)] = len(text) - first
        return text[:first]

    def score(dialogue: Dialogue) -> Score:
        comparable = dialogue.level == "turn" and dialogue.references
        references = [beginning(text) for text in dialogue.references] if comparable else []
        value = compare(beginning(dialogue.response), references) if comparable else NAN
        return of_last_turn(dialogue, Score(value))

    return FunctionMetric(name, signature(name, settings, *packages), score, unread=unread)


#: Ways to one number per dialogue, from the turns that could be scored.
AGGREGATES: dict[str, Callable[[Sequence[float]], float]] = {
    "mean": fmean,
    "sum": math.fsum,  # longer dialogues get more
    "max": max,
    "product": math.prod,  # for probabilities, where one bad turn spoils all
}


def of_last_turn(dialogue: Dialogue, score: Score) -> Score:
    """The score, with its value as that of the last turn. Earlier turns are NaN."""
    turns = (NAN,) * (len(dialogue.turns) - 1) + (score.value,)
    return msgspec.structs.replace(score, turns=turns)


def from_last_turns(dialogue: Dialogue, values: Iterable[float]) -> Score:
    """The score of a dialogue whose last turns have these: their mean. Earlier turns are NaN."""
    turns = tuple(map(float, values))
    earlier = (NAN,) * (len(dialogue.turns) - len(turns))
    return aggregate(Score(NAN, earlier + turns), "mean")


def aggregate(score: Score, how: str) -> Score:
    """The score with its value computed anew from its turns; NaN when none could be scored.

    A score without turn scores stays as it is. A result too large for a float is NaN. An interval
    is lost: it was that of the other value.

    >>> aggregate(Score(0.0, (2.0, NAN, 5.0)), "product").value
    10.0
    """
    if how not in AGGREGATES:
        raise UnknownNameError("aggregate", how, AGGREGATES)
    if not score.turns:
        return score
    scored = [turn for turn in score.turns if not math.isnan(turn)]
    try:
        value = AGGREGATES[how](scored) if scored else NAN
    except OverflowError:
        value = NAN
    value = value if math.isfinite(value) else NAN
    return msgspec.structs.replace(score, value=value, interval=None)
