"""One split for everybody, and no training text that stands in a test set.

Both compare texts by their :func:`key`: letters and digits only, lower case, without spaces, so
that ``Don't !`` and ``do n't!`` are the same turn however a corpus was tokenised.

**Split.** :func:`split` is a function of one dialogue and nothing else, so that every recipe of
every metric agrees on who is train, valid and test. To keep near copies on one side without
looking at any other dialogue, it hashes a *sketch*: of all pairs of neighbouring long words the
one whose hash is smallest (min-hashing). Two dialogues that share most of their wording share,
most probably, that pair, whatever was changed elsewhere in them.

**Decontamination.** :func:`decontaminate` drops each dialogue that shares two adjacent turns, or
one turn of 25 letters or more, with a dialogue of a held-out set.
"""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from itertools import pairwise
from typing import Literal

from ..dialogue import Dialogue, normalise

Side = Literal["train", "valid", "test"]

#: A turn with so many letters is not said twice by chance.
LONG_TURN = 25

#: Words of fewer letters are in every dialogue and identify none.
_LONG_WORD = 5


def split(dialogue: Dialogue) -> Side:
    """Train, valid or test (80, 10 and 10 %), the same wherever and whenever it is asked.

    A turn-level item goes with its context, so that all responses to one context stay together.
    Near copies mostly stay together, not always. Measured on pairs of a DailyDialog test and
    training dialogue: of 283 pairs that share three quarters of their word triples or more (170
    of them all), 95 % have the same sketch and 99 % fall on one side; of 39 pairs that share half
    to three quarters, 85 % and 95 %. By chance 66 % of pairs fall on one side. Copies that are
    left across sides are what :func:`decontaminate` is for.

    >>> from dialogauge.dialogue import Turn
    >>> one = Dialogue("1", (Turn("A", "Shall we visit the harbour museum tomorrow morning?"),))
    >>> two = Dialogue("2", (Turn("A", "shall we visit the harbour museum tomorrow morning ?"),))
    >>> split(one) == split(two)
    True
    """
    digest = _digest("split " + _sketch(dialogue))
    share = int.from_bytes(digest, "big") / 2**64
    return "train" if share < 0.8 else "valid" if share < 0.9 else "test"


def _sketch(dialogue: Dialogue) -> str:
    """The pair of neighbouring long words with the smallest hash."""
    turns = dialogue.spoken.turns
    rated_alone = dialogue.level == "turn" and len(turns) > 1
    text = " ".join(turn.text for turn in (turns[:-1] if rated_alone else turns))
    words = normalise(text).split()
    long_words = [word for word in words if len(word) >= _LONG_WORD]
    pairs = {" ".join(pair) for pair in pairwise(long_words)}
    return min(pairs, key=_digest) if pairs else " ".join(words) or text.strip()


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()


def key(text: str) -> str:
    """What two texts must share to be the same turn.

    >>> key("Don't !") == key("do n't!")
    True
    """
    return normalise(text).replace(" ", "") or text.strip()


def decontaminate(
    dialogues: Iterable[Dialogue], against: Mapping[str, Iterable[Dialogue]]
) -> tuple[list[Dialogue], dict[str, int]]:
    """The dialogues that share nothing with these sets, and how many each set cost.

    ``against`` maps names to dialogues; a dialogue that two sets touch is counted for both, so
    the counts may add up to more than was dropped. References are turns of a set like any other.
    """
    touched: dict[str | tuple[str, str], list[str]] = {}
    for name, others in against.items():
        for trace in {trace for other in others for trace in traces(other)}:
            touched.setdefault(trace, []).append(name)
    kept, counts = [], dict.fromkeys(against, 0)
    for dialogue in dialogues:
        names = {name for trace in traces(dialogue) for name in touched.get(trace, ())}
        for name in names:
            counts[name] += 1
        if not names:
            kept.append(dialogue)
    return kept, counts


def traces(dialogue: Dialogue) -> Iterator[str | tuple[str, str]]:
    """What identifies a dialogue: its pairs of adjacent turns and its long turns."""
    turns = [key(turn.text) for turn in dialogue.turns]
    references = [key(text) for text in dialogue.references]
    answers = [(turn, reference) for turn in turns[-2:-1] for reference in references]
    for first, second in (*pairwise(turns), *answers):
        if first and second:
            yield first, second
    for turn in (*turns, *references):
        if len(turn) >= LONG_TURN:
            yield turn
