"""What a metric is, and the two promises it makes.

A metric takes dialogues and gives one :class:`~dialogauge.scores.Score` for each, higher for
better. It promises that a dialogue's score depends on that dialogue alone, not on its neighbours in
the list, and that its ``signature`` changes whenever its scores may: sacreBLEU's idea, so that two
numbers with the same signature can be compared and two with different ones are not by accident.

Dialogues come without asides (see :attr:`Dialogue.spoken`); a metric need not think of them.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from numbers import Real
from typing import Any, Protocol, runtime_checkable

import msgspec

from ..dialogue import Dialogue
from ..errors import DialogaugeError
from ..scores import Cause, Score


class Metric(Protocol):
    """Scores dialogues; higher is better."""

    @property
    def name(self) -> str:
        """What its column is called."""

    @property
    def signature(self) -> str:
        """The passport of its scores: name, settings, versions, joined by ``|``."""

    @property
    def trained(self) -> bool:
        """Whether anything in it was fitted to data: it is then kept away from test sets.

        A plain ``trained = False`` in the class will do; one that does not say counts as trained.
        """

    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """One score per dialogue, in their order."""


@runtime_checkable
class Whole(Protocol):
    """What a metric may have beside :meth:`Metric.score`, if turns cost it extra."""

    def whole(self, dialogues: Sequence[Dialogue]) -> list[float]:
        """The values of the scores alone: the same numbers, for less work."""


def earlier(metric: Metric, dialogues: Sequence[Dialogue]) -> int:
    """How many turns come before the ``last`` that a metric says it scores of a dialogue."""
    last = getattr(metric, "last", None)
    return sum(max(0, len(each.turns) - last) for each in dialogues) if isinstance(last, int) else 0


def is_trained(metric: Metric) -> bool:
    """Whether a metric was trained, or does not say that it was not."""
    return getattr(metric, "trained", True) is not False


def signature(name: str, settings: msgspec.Struct | None = None, *packages: str) -> str:
    """The passport of scores: name, each setting, and the versions of whatever computed them.

    >>> class Settings(msgspec.Struct, frozen=True):
    ...     n: int = 4
    ...     lowercase: bool = True
    >>> signature("bleu", Settings()).rpartition(":")[0]
    'bleu|n:4|lowercase:yes|dialogauge'
    """
    given = msgspec.structs.asdict(settings) if settings is not None else {}
    parts = [f"{key}:{_shown(value)}" for key, value in given.items()]
    versions = [f"{package}:{_version(package)}" for package in (*packages, "dialogauge")]
    return "|".join([name, *parts, *versions])


def _shown(value: object) -> object:
    return ("no", "yes")[value] if isinstance(value, bool) else value


@cache
def _version(package: str) -> str:
    from importlib.metadata import version

    return version(package)


def is_metric(thing: object) -> bool:
    """Whether it has a ``name``, a ``signature`` and a ``score`` that can be called."""
    texts = (getattr(thing, "name", None), getattr(thing, "signature", None))
    return all(isinstance(text, str) and text for text in texts) and callable(
        getattr(thing, "score", None)
    )


def checked(metric: Metric, dialogues: Sequence[Dialogue]) -> list[Score]:
    """``metric.score(dialogues)``, once it is certain that these are scores for these dialogues.

    Anything else is a :class:`DialogaugeError` that names the metric: a metric may be somebody's
    first, and a list that is one too short would give every dialogue its neighbour's score.
    """
    scores = _results(metric, metric.score, dialogues)
    pairs = zip(scores, dialogues, strict=True)
    return [_checked_score(metric, score, dialogue) for score, dialogue in pairs]


def checked_values(metric: Metric, dialogues: Sequence[Dialogue]) -> list[Score]:
    """:func:`checked`, where only values are asked for: a :class:`Whole` metric leaves turns out.

    Of a turn-level item the last turn is the value, so that it is scored with its turns.
    """
    if not isinstance(metric, Whole):
        return checked(metric, dialogues)
    items = [each for each in dialogues if each.level == "turn"]
    others = [each for each in dialogues if each.level != "turn"]
    scores = iter(checked(metric, items) if items else ())
    values = iter(_results(metric, metric.whole, others) if others else ())
    return [
        next(scores) if each.level == "turn" else _checked_score(metric, Score(next(values)), each)
        for each in dialogues
    ]


def _results(
    metric: Metric, method: Callable[[Sequence[Dialogue]], Any], dialogues: Sequence[Dialogue]
) -> list[Any] | tuple[Any, ...]:
    """What a method gives, once it is certain that it is one thing for each dialogue."""
    try:
        results = method(dialogues)
    except DialogaugeError:
        raise
    except Exception as error:  # whatever a stranger's code may raise
        raise DialogaugeError(
            f"metric {metric.name!r} failed: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(results, list | tuple) or len(results) != len(dialogues):
        got = len(results) if isinstance(results, list | tuple) else type(results).__name__
        raise _broken(metric, f"must give a list of {len(dialogues)} scores, got {got}")
    return results


def _checked_score(metric: Metric, score: Any, dialogue: Dialogue) -> Score:
    where = f"dialogue {dialogue.id!r}"
    if not isinstance(score, Score):
        raise _broken(metric, f"must give Score values, got {type(score).__name__} for {where}")
    if len(score.turns) not in (0, len(dialogue.turns)):
        problem = f"has {len(score.turns)} turn scores for the {len(dialogue.turns)} turns of"
        raise _broken(metric, f"{problem} {where}")
    try:
        aspects: Mapping[str, Any] = dict(score.aspects)
        return Score(
            value=_number(score.value),
            turns=tuple(map(_number, score.turns)),
            aspects={aspect: _number(value) for aspect, value in aspects.items()},
            causes=tuple(_cause(cause, dialogue) for cause in score.causes),
            interval=_interval(score.interval),
        )
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise _broken(metric, f"has a score that is {error}, for {where}") from None


def _cause(cause: Any, dialogue: Dialogue) -> Cause:
    """A cause with plain fields, at a turn and at characters that are there."""
    turn, name = int(cause.turn), str(cause.name)
    if not 0 <= turn < len(dialogue.turns):
        raise ValueError(f"the cause {name!r} of a turn {turn} that is not there")
    spans = tuple((int(start), int(end)) for start, end in cause.spans)
    if not all(0 <= start <= end <= len(dialogue.turns[turn].text) for start, end in spans):
        raise ValueError(f"the cause {name!r} of characters that turn {turn} does not have")
    return Cause(turn, name, spans)


def _interval(ends: Any) -> tuple[float, float] | None:
    """Two plain numbers, the lower one first."""
    if ends is None:
        return None
    numbers = tuple(map(_number, ends))
    if len(numbers) != 2:
        raise ValueError(f"an interval of {len(numbers)} numbers, not of two")
    low, high = numbers
    if low > high:
        raise ValueError(f"an interval from {low} down to {high}: the lower end comes first")
    return low, high


def _number(value: Any) -> float:
    """A plain float of any kind of real number (numpy's too); infinity has no place in JSON."""
    if type(value) is float and math.isfinite(value):  # nearly always
        return value
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"not a number but {type(value).__name__}")
    if math.isinf(value):
        raise ValueError("infinite: use NaN where a turn cannot be scored")
    return float(value)


def _broken(metric: Metric, problem: str) -> DialogaugeError:
    return DialogaugeError(f"metric {metric.name!r} {problem}")
