"""dialogauge scores conversations and says how far each score can be trusted.

>>> import dialogauge as dg
>>> chat = dg.Dialogue("d1", (dg.Turn("user", "Hi!"), dg.Turn("bot", "Hello, how are you?")))
>>> dg.score([chat], "words-per-turn").column("words-per-turn")
array([2.5])
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .dialogue import Dialogue as Dialogue
    from .dialogue import Turn as Turn
    from .errors import DialogaugeError as DialogaugeError
    from .formats import read as read
    from .formats import write as write
    from .judging import judge as judge
    from .meta import Estimate as Estimate
    from .scores import Score as Score
    from .scores import Scores as Scores
    from .scoring import score as score
    from .scoring import score_to as score_to

#: The public names and where they live; each is imported when it is first asked for.
_HOMES = {
    "Dialogue": "dialogue",
    "Turn": "dialogue",
    "DialogaugeError": "errors",
    "Estimate": "meta",
    "judge": "judging",
    "read": "formats",
    "write": "formats",
    "Score": "scores",
    "Scores": "scores",
    "score": "scoring",
    "score_to": "scoring",
}

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604 (the keys are strings)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'dialogauge' has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
