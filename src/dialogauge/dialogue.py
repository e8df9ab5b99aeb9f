"""Turn and Dialogue: the one type everything speaks.

A dialogue is a value: frozen, hashable by its id, one JSON object per line on disk.

    >>> chat = Dialogue("d1", (Turn("user", "Hi!"), Turn("bot", "Hello.")))
    >>> chat.response, [turn.text for turn in chat.context]
    ('Hello.', ['Hi!'])
    >>> decode(encode(chat)) == chat
    True

JSON ``null`` and NaN are one thing. Reading is strict first and lenient second: the fast path is
msgspec's decoder, and only a record it refuses goes through the slower one, which knows the word
``NaN``, that a single rating may stand without brackets, and that a lone surrogate (half a
character, as broken exports contain) becomes U+FFFD and is counted.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from .errors import RecordError, located

Level = Literal["dialogue", "turn"]

if TYPE_CHECKING:
    Number = float
else:
    Number = float | None  # as it is on disk, where NaN is null

#: Names under which transcripts call the side that is being judged.
_RESPONDERS = frozenset(
    ["assistant", "bot", "chatbot", "gpt", "model", "system", "ai", "agent", "chatgpt"]
)


class Turn(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One message. An *aside* (system prompt, tool output) is kept but never scored."""

    speaker: str
    text: str
    aside: bool = False

    @property
    def words(self) -> list[str]:
        """Its words: runs of letters and digits, case ignored (:func:`normalise`)."""
        return normalise(self.text).split()


class Dialogue(msgspec.Struct, frozen=True, omit_defaults=True, dict=True):
    """A conversation, and what people said of it.

    ``ratings`` holds, for each aspect, every rater's number in the raters' order, NaN where one
    gave none (the mean alone where nothing else was published). ``level`` says what they judge:
    the whole ``"dialogue"`` or its last ``"turn"``; at ``"turn"``, ``references`` are other good
    last turns. ``system`` is who produced the judged side.
    """

    id: str
    turns: tuple[Turn, ...]
    system: str = ""
    references: tuple[str, ...] = ()
    ratings: Mapping[str, tuple[Number, ...]] = {}
    level: Level = "dialogue"

    def __post_init__(self) -> None:
        if not self.id:
            raise RecordError("the id is empty", field="id")
        if not self.turns or (self.turns[-1].aside and all(turn.aside for turn in self.turns)):
            raise RecordError("a dialogue needs at least one turn", field="turns")
        if self.level == "turn" and self.turns[-1].aside:
            raise RecordError("the judged last turn is a system or tool message", field="turns")
        if any(None in given for given in self.ratings.values()):
            ratings = {
                aspect: tuple(math.nan if number is None else number for number in given)
                for aspect, given in self.ratings.items()
            }
            msgspec.structs.force_setattr(self, "ratings", ratings)

    def __hash__(self) -> int:
        return hash(self.id)

    @property
    def context(self) -> tuple[Turn, ...]:
        """Every turn before the last."""
        return self.turns[:-1]

    @property
    def response(self) -> str:
        """The text of the last turn."""
        return self.turns[-1].text

    @property
    def spoken(self) -> "Dialogue":
        """The same dialogue without its asides: what a metric sees."""
        if not any(turn.aside for turn in self.turns):
            return self
        return self.with_turns(tuple(turn for turn in self.turns if not turn.aside))

    @property
    def speakers(self) -> tuple[str, ...]:
        """The speakers in order of first appearance, asides left out."""
        return tuple(dict.fromkeys(turn.speaker for turn in self.turns if not turn.aside))

    @property
    def responder(self) -> str:
        """The speaker who is judged.

        At level ``turn`` whoever spoke last; else the first speaker with a name such as
        "assistant" or "System"; else the second to speak.
        """
        if self.level == "turn":
            return self.turns[-1].speaker
        return (self.bots or self.speakers[1:] or self.speakers)[0]

    @property
    def bots(self) -> tuple[str, ...]:
        """The speakers with a name such as "assistant" or "System"."""
        return tuple(name for name in self.speakers if name.casefold() in _RESPONDERS)

    def with_turns(self, turns: tuple[Turn, ...]) -> "Dialogue":
        """The same dialogue with other turns."""
        return msgspec.structs.replace(self, turns=turns)

    def rating(self, aspect: str) -> float:
        """The mean over raters who answered, NaN when none did or the aspect is absent."""
        given = [number for number in self.ratings.get(aspect, ()) if not math.isnan(number)]
        return sum(given) / len(given) if given else math.nan

    # Hashed once: everything that compares runs asks for these two again and again.

    @cached_property
    def digest(self) -> str:
        """16 hex digits that change when anything a metric reads changes."""
        read = (self.turns, self.system, self.references, self.level)
        return _hash(encode(read))

    @cached_property
    def context_key(self) -> str:
        """16 hex digits shared by items that must be resampled together.

        Turn-level items answer a context, and several systems answer the same one: they are one
        cluster. A dialogue-level item stands for itself.
        """
        if self.level == "dialogue":
            return _hash(self.id.encode("utf-8", "replace"))
        return _hash("\n".join(normalise(turn.text) for turn in self.context).encode())


def normalise(text: str) -> str:
    """Letters and digits only, lower case: how texts are compared when their spelling may differ.

    >>> normalise("It ’ s  fine , isn't it ?")
    'it s fine isn t it'
    """
    return " ".join(_WORDS.findall(text.casefold()))


_WORDS = re.compile(r"[^\W_]+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_DECODER = msgspec.json.Decoder(Dialogue)
_ENCODER = msgspec.json.Encoder()


def decode(line: bytes | str, count: Callable[[int], None] | None = None) -> Dialogue:
    """A dialogue from one JSON object; :class:`RecordError` names the field that is wrong.

    ``count`` is told how many lone surrogates or undecodable bytes were replaced.
    """
    try:
        return _DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return convert(loads(line, count))


def convert(value: Any) -> Dialogue:
    """A dialogue from the plain dict of its JSON form."""
    if isinstance(value, dict) and isinstance(value.get("ratings"), dict):
        several = {
            aspect: given if isinstance(given, list | tuple) else [given]
            for aspect, given in value["ratings"].items()
        }
        value = {**value, "ratings": several}
    try:
        return msgspec.convert(value, Dialogue)
    except msgspec.ValidationError as error:
        raise located(error, RecordError) from None


def encode(value: Any) -> bytes:
    """One JSON object, no newline; NaN becomes null."""
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError:  # a lone surrogate put in by Python code
        return _ENCODER.encode(_mended(msgspec.to_builtins(value), lambda _: None))


def loads(data: bytes | str, count: Callable[[int], None] | None = None) -> Any:
    """Lenient JSON: NaN, control characters and broken Unicode are read, not refused."""
    text = data if isinstance(data, str) else data.decode("utf-8", "surrogateescape")
    try:
        value = json.loads(text.removeprefix("\ufeff"), strict=False)
        return _mended(value, count or (lambda _: None))
    except RecursionError:
        raise RecordError("the JSON is nested too deeply") from None
    except ValueError as error:
        raise RecordError(f"this is not JSON: {error}") from None


def mend(text: str, count: Callable[[int], None]) -> str:
    """The text with each lone surrogate replaced by U+FFFD, and ``count`` told how many."""
    if text.isascii():
        return text
    mended, replaced = _SURROGATE.subn("\ufffd", text)
    if replaced:
        count(replaced)
    return mended


def _mended(value: Any, count: Callable[[int], None]) -> Any:
    if isinstance(value, str):
        return mend(value, count)
    if isinstance(value, list | tuple):
        return [_mended(item, count) for item in value]
    if isinstance(value, dict):
        return {mend(key, count): _mended(item, count) for key, item in value.items()}
    return value


def _hash(data: bytes) -> str:
    return blake2b(data, digest_size=8).hexdigest()
