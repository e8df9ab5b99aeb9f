"""Noise-contrastive rows: a response that was given, and ones that were made worse.

A row is a context with its response. Beside the response stand, as MaUdE has them, its
back-translation, where it still says the same, three responses with broken words (*syntax*) and
three that belong elsewhere (*semantics*). Broken ones are made once a row; those from elsewhere are
drawn anew each epoch. A response from elsewhere never comes out of the same dialogue and never has
the same words, and it comes out of the same corpus: that people there talk of other things, and in
another style, must not give it away.

The released code pairs nearly every negative with the context of another row
(:func:`mispaired`); here each stands after its own context.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from ....dialogue import Dialogue
from ....errors import DialogaugeError
from ....manipulate.manipulation import DoesNotApply, seeded
from ....manipulate.pool import Pool
from ....manipulate.responses import SHARED, likeness
from ....manipulate.rewriting import Place, Rewrite
from ....manipulate.words import drop, order, repeat
from ...vectors import Ints

Policy = Literal["all", "semantics", "syntax"]
Translate = Callable[[Sequence[str]], list[str]]

#: Broken words: kind -> how a response is broken.
BROKEN: dict[str, Rewrite] = {"word-order": order, "word-drop": drop, "word-repeat": repeat}
#: Responses that belong elsewhere: kind -> what is taken from another row.
ELSEWHERE = {
    "random-utterance": "gold",
    "random-generated": "generated",
    "random-back-translation": "back-translation",
}
POSITIVE = ("gold", "back-translation")
NEGATIVE: dict[Policy, tuple[str, ...]] = {
    "all": (*BROKEN, *ELSEWHERE),
    "semantics": tuple(ELSEWHERE),
    "syntax": tuple(BROKEN),
}
#: How often a draw that is no wrong answer is made again.
_DRAWS = 8


class Exchanges(msgspec.Struct, frozen=True):
    """Contexts and responses to them, as places in ``texts``; -1 where there is nothing."""

    texts: tuple[str, ...]  # each once
    context: Ints  # (rows, turns), the last turn last
    joined: Ints  # (rows, 1): the same context as one text, if asked for
    dialogue: Ints  # (rows,): the number of the dialogue
    corpus: Ints  # (rows,): the number of the corpus that it comes from
    responses: Mapping[str, Ints]  # kind -> (rows,)

    def __len__(self) -> int:
        return len(self.dialogue)


class Batch(msgspec.Struct, frozen=True):
    """Some rows and what is scored after each of them."""

    rows: Ints  # (batch,)
    positive: Ints  # (batch, positives)
    negative: Ints  # (batch, negatives)


class Sources(msgspec.Struct, frozen=True):
    """Where other words come from; a kind without a source is left out."""

    translate: Translate | None = None
    #: (number of the dialogue, place of the response) -> what a language model said instead
    generated: Mapping[tuple[int, int], str] = {}
    broken: bool = True
    joined: bool = False
    corpora: Sequence[int] = ()  # of each dialogue, a number; none: all come from one


def make(dialogues: Sequence[Dialogue], turns: int, sources: Sources, seed: int) -> Exchanges:
    """A row for each turn that follows another."""
    answers = [
        (number, at) for number, each in enumerate(dialogues) for at in range(1, len(each.turns))
    ]
    if not answers:
        raise DialogaugeError("no dialogue has a turn with a context: there is nothing to learn")
    texts: dict[str, int] = {}

    def place(text: str | None) -> int:
        return -1 if text is None or not text.strip() else texts.setdefault(text, len(texts))

    context = [_window(dialogues[number], at, turns) for number, at in answers]
    gold = [dialogues[number].turns[at].text for number, at in answers]
    responses: dict[str, list[str | None]] = {"gold": [*gold]}
    if sources.translate:
        both = zip(gold, sources.translate(gold), strict=True)
        responses["back-translation"] = [back if _same(text, back) else None for text, back in both]
    responses["generated"] = [sources.generated.get(each) for each in answers]
    for kind, rewrite in BROKEN.items() if sources.broken else ():
        responses[kind] = broken(dialogues, rewrite, kind, seed)
    joined = [" ".join(window) if sources.joined else None for window in context]
    return Exchanges(
        context=np.array([[-1] * (turns - len(each)) + [*map(place, each)] for each in context]),
        joined=np.array([[place(text)] for text in joined]),
        dialogue=np.array([number for number, _ in answers]),
        corpus=np.array([sources.corpora[at] if sources.corpora else 0 for at, _ in answers]),
        responses={kind: np.array([*map(place, each)]) for kind, each in responses.items()},
        texts=tuple(texts),
    )


def _same(text: str, back: str) -> bool:
    """Whether a translation there and back says the same; one by rules often does not."""
    return back != text and likeness(text, back) >= SHARED


def _window(dialogue: Dialogue, at: int, turns: int) -> list[str]:
    """The last turns before a place that say anything."""
    near = (turn.text for turn in dialogue.turns[max(0, at - 2 * turns) : at])
    return [text for text in near if text.strip()][-turns:]


def broken(
    dialogues: Sequence[Dialogue], rewrite: Rewrite, kind: str, seed: int
) -> list[str | None]:
    """Each turn that follows another, with broken words; None where nothing can be broken."""
    texts: list[str | None] = []
    for dialogue in dialogues:
        for at in range(1, len(dialogue.turns)):
            rng = seeded(seed, kind, dialogue.id, str(at))
            try:
                texts.append(rewrite(Place(dialogue, at, Pool(())), rng))
            except DoesNotApply:
                texts.append(None)
    return texts


def batches(
    rows: Exchanges, kinds: Sequence[str], size: int, rng: np.random.Generator
) -> list[Batch]:
    """One epoch in random order; what comes from elsewhere is drawn here."""
    usable = np.flatnonzero((rows.responses["gold"] >= 0) & (rows.context >= 0).any(1))
    negatives = np.stack([negative(rows, kind, rng) for kind in kinds], 1)
    positives = np.stack([rows.responses.get(kind, np.full(len(rows), -1)) for kind in POSITIVE], 1)
    picked = rng.permutation(usable)
    cuts = [picked[start : start + size] for start in range(0, len(picked), size)]
    return [Batch(cut, positives[cut], negatives[cut]) for cut in cuts]


def negative(rows: Exchanges, kind: str, rng: np.random.Generator) -> Ints:
    """For each row a response of this kind, (rows,); -1 where there is none."""
    gold = rows.responses["gold"]
    if kind not in ELSEWHERE:
        changed = rows.responses[kind]
        return np.where(changed == gold, -1, changed)
    source = rows.responses.get(ELSEWHERE[kind], np.full(len(rows), -1))
    foreign = np.full(len(rows), -1)
    for corpus in np.unique(rows.corpus):
        inside = np.flatnonzero(rows.corpus == corpus)
        foreign[inside] = _foreign(rows, source, inside, rng)
    return foreign


def _foreign(rows: Exchanges, source: Ints, some: Ints, rng: np.random.Generator) -> Ints:
    """For each of ``some`` rows what ``source`` has for another of them; -1 for none."""
    there = some[source[some] >= 0]
    if not len(there):
        return np.full(len(some), -1)

    def wrong(drawn: Ints) -> NDArray[np.bool_]:
        same = source[drawn] == rows.responses["gold"][some]
        return np.asarray(same | (rows.dialogue[drawn] == rows.dialogue[some]))

    drawn = rng.choice(there, len(some))
    for _ in range(_DRAWS):
        if not (again := wrong(drawn)).any():
            break
        drawn[again] = rng.choice(there, int(again.sum()))
    return np.where(wrong(drawn), -1, source[drawn])


def mispaired(batch: int, kinds: int) -> Ints:
    """Whose context each negative met in the released code, (batch, kinds).

    The negatives were laid out row by row and the contexts copy by copy.

    >>> mispaired(3, 2)
    array([[0, 1],
           [2, 0],
           [1, 2]])
    """
    return (np.arange(batch * kinds) % batch).reshape(batch, kinds)
