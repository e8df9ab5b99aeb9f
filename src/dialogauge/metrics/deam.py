"""DEAM: whether a conversation hangs together, which turn broke, and what is wrong with it.

A network trained on conversations whose meaning was damaged (after Ghazarian et al. 2022) reads the
tokens of the turns *together*: what a word means beside what was said ten turns ago. Beside them it
has the sentence vector that the encoder makes of each turn, and counts what was said before. Of
each turn it gives the odds that it is broken, and of what cause (``train/models/deam/network.py``).

A turn's score is the probability that it is not broken; the dialogue's is their geometric mean, so
that one broken turn counts and a long conversation is not worse for being long. Causes are
named where a turn is more likely broken than held conversations are wrongly called so
(``config.named``), with the words that seem changed, if it is some words and not the turn.

What does not fit a window is read in windows that overlap by half, and a turn is judged in the one
that shows most around it. Of a turn that is longer than a window each piece is judged so, and the
turn is as broken as the worst. A turn that says nothing has no score; where fewer than two turns
say anything, or the text is not English, which is all that was learnt, nothing has.
"""

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby
from statistics import mean
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from ..dialogue import Dialogue, Turn
from ..encode import Tokens
from ..language.stopwords import is_english
from ..scores import Cause, Score
from .functions import NAN
from .trained import TrainedMetric

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Span = tuple[int, int]

#: The last turns of a dialogue that are read.
_LAST = 1000
#: Fewer words are read whatever their language may be.
_SURE = 12
#: Digits of a score that are given.
_DIGITS = 6


class Config(msgspec.Struct, frozen=True):
    """The config.json of a trained network."""

    metric: str
    encoder: str
    encoder_hash: str
    width: int
    layers: int | None  # of the encoder that read each turn by itself; None: ids are read, 0: all
    causes: tuple[str, ...]
    worded: tuple[str, ...]  # causes that words of a turn have; of the others it is the whole turn
    tokens: Annotated[int, Meta(ge=16, le=4096)]  # of a window
    turns: Annotated[int, Meta(ge=2, le=512)]
    named: float  # from this logit on, a turn's cause is named


class _Piece(NamedTuple):
    """A turn, or a part of a long one."""

    turn: int
    speaker: int
    ids: tuple[int, ...]
    read: NDArray[Any]  # of each token, what the network reads
    sentence: Floats


class Verdict(NamedTuple):
    """What the network says of a piece: of its turn, and of its tokens."""

    broken: float  # a logit
    cause: int
    changed: tuple[bool, ...]


class Deam(TrainedMetric):
    """A trained network, and the encoder whose tokens it reads."""

    config: Config
    last = _LAST

    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """Each dialogue, its turns, and what broke."""
        judged = self._turns(dialogues)
        return [self._score(each, own) for each, own in zip(dialogues, judged, strict=True)]

    def changed(self, dialogues: Sequence[Dialogue]) -> list[dict[int, tuple[Span, ...]]]:
        """Of each dialogue's turns the characters of words that seem changed, broken or not."""
        judged = self._turns(dialogues)
        return [
            {turn: spans for turn, it in own.items() if (spans := self._spans(each, turn, it))}
            for each, own in zip(dialogues, judged, strict=True)
        ]

    def _turns(self, dialogues: Sequence[Dialogue]) -> list[dict[int, Verdict]]:
        """What the network says of each turn that it reads."""
        read = self._read(dialogues)
        jobs = [
            (at, window)
            for at, pieces in enumerate(read)
            for window in windows([len(it.ids) for it in pieces], *self._room)
        ]
        said = self._network.over(lambda job: self._judged(read[job[0]], job[1]), jobs)
        verdicts: list[dict[int, Verdict]] = [{} for _ in dialogues]
        for (at, _), some in zip(jobs, said, strict=True):
            verdicts[at] |= some
        return [_of_turns(*both) for both in zip(read, verdicts, strict=True)]

    @property
    def _room(self) -> tuple[int, int]:
        return self.config.tokens, self.config.turns

    def _read(self, dialogues: Sequence[Dialogue]) -> list[list[_Piece]]:
        """What each says, piece by piece; nothing where there is too little, or no English."""
        last = [dialogue.turns[-_LAST:] for dialogue in dialogues]
        shown = [turns if is_english((it.text for it in turns), _SURE) else () for turns in last]
        parts = self.encoder.parts([turn.text for turns in shown for turn in turns])
        every = [part for some in parts for part in some]
        read = iter(self.encoder.tokens(every, self.config.layers or 0))
        of_turn = iter([[next(read) for _ in some] for some in parts])
        pieces = []
        for dialogue, turns in zip(dialogues, shown, strict=True):
            own = list(self._pieces(turns, len(dialogue.turns) - len(turns), of_turn))
            pieces.append(own if len({piece.turn for piece in own}) > 1 else [])
        return pieces

    def _pieces(
        self, turns: Sequence[Turn], first: int, read: Iterator[list[Tokens]]
    ) -> Iterator[_Piece]:
        """The pieces of some turns, of which the first has a number, and the next are read."""
        numbers: dict[str, int] = {}
        for at, turn in enumerate(turns, first):
            speaker = numbers.setdefault(turn.speaker, len(numbers))
            for tokens in next(read):
                yield from self._cut(at, speaker, tokens)

    def _cut(self, turn: int, speaker: int, tokens: Tokens) -> Iterator[_Piece]:
        """A part of a turn in pieces, of which a window has room for two."""
        read = np.array(tokens.ids) if self.config.layers is None else tokens.vectors
        size = self.config.tokens // 2
        for start in range(0, len(tokens.ids), size):
            own = slice(start, start + size)
            yield _Piece(turn, speaker, tuple(tokens.ids[own]), read[own], tokens.sentence)

    def _judged(self, pieces: Sequence[_Piece], window: "Window") -> dict[int, Verdict]:
        """What the network says of a window's pieces; those of one turn are read as one."""
        shown = pieces[window.start : window.end]
        turns = [list(some) for _, some in groupby(shown, lambda piece: piece.turn)]
        owner = np.repeat(np.arange(len(turns)), [sum(len(it.ids) for it in own) for own in turns])
        speakers = np.array([own[0].speaker for own in turns], np.int64)
        said = [[token for piece in own for token in piece.ids] for own in turns]
        inputs = {
            "tokens": np.concatenate([piece.read for piece in shown])[None],
            "sentences": np.stack([_sentence(own) for own in turns])[None],
            "owner": owner[None],
            "speakers": speakers[None],
            "counted": copies(said, speakers)[None],
        }
        changed, broken, causes = self._network.run_all(["changed", "broken", "causes"], inputs)
        for logits in (changed, broken, causes):
            self._network.refuse_undefined(logits)
        numbers = [at for at, own in enumerate(turns) for _ in own]
        ends = np.cumsum([len(piece.ids) for piece in shown])
        marks = np.split(changed[0] > 0, ends[:-1])
        verdicts = [
            Verdict(float(broken[0, turn]), int(causes[0, turn].argmax()), tuple(own.tolist()))
            for turn, own in zip(numbers, marks, strict=True)
        ]
        return {at: verdicts[at - window.start] for at in window.judged}

    def _score(self, dialogue: Dialogue, own: dict[int, Verdict]) -> Score:
        turns = len(dialogue.turns)
        if not own:
            return Score(NAN, (NAN,) * turns)
        whole = math.exp(mean(-math.log1p(math.exp(min(it.broken, 50.0))) for it in own.values()))
        values = (_unbroken(own[at].broken) if at in own else NAN for at in range(turns))
        causes = (
            self._cause(dialogue, turn, it)
            for turn, it in own.items()
            if it.broken >= self.config.named
        )
        return Score(round(whole, _DIGITS), tuple(values), causes=tuple(causes))

    def _cause(self, dialogue: Dialogue, turn: int, verdict: Verdict) -> Cause:
        name = self.config.causes[verdict.cause]
        worded = name in self.config.worded
        return Cause(turn, name, self._spans(dialogue, turn, verdict) if worded else ())

    def _spans(self, dialogue: Dialogue, turn: int, verdict: Verdict) -> tuple[Span, ...]:
        """The characters of a turn's words that seem changed."""
        text = dialogue.turns[turn].text
        if not any(verdict.changed):
            return ()
        places = zip(self.encoder.spans([text])[0], verdict.changed, strict=True)
        return _words_at(text, [place for place, changed in places if changed])


def _sentence(pieces: Sequence[_Piece]) -> Floats:
    """The sentence vector of a turn: the mean of its pieces', each weighed by its tokens."""
    sizes = [len(piece.ids) for piece in pieces]
    return np.average([piece.sentence for piece in pieces], axis=0, weights=sizes).astype("f4")


def _of_turns(pieces: Sequence[_Piece], own: dict[int, Verdict]) -> dict[int, Verdict]:
    """What is said of turns, from what is said of their pieces: the worst."""
    turns = dict[int, Verdict]()
    for at, piece in enumerate(pieces):
        before = turns.get(piece.turn, Verdict(-math.inf, 0, ()))
        broken, cause, _ = max(before, own[at], key=lambda it: it.broken)
        turns[piece.turn] = Verdict(broken, cause, before.changed + own[at].changed)
    return turns


def _words_at(text: str, places: Sequence[Span]) -> tuple[Span, ...]:
    """Whole words for parts of words; those that stand beside each other are one span.

    >>> _words_at("I couldn't sleep at all", [(7, 8), (8, 10), (20, 22)])
    ((2, 10), (20, 23))
    """
    spans = list[Span]()
    for place in places:
        if spans and place[1] <= spans[-1][1]:
            continue  # of a word that is there already, however long
        start, end = _word(text, *place)
        if spans and start <= spans[-1][1] + 1:
            before, last = spans.pop()
            start, end = before, max(end, last)
        spans.append((start, end))
    return tuple(spans)


def _word(text: str, start: int, end: int) -> Span:
    """The word that some characters are a part of."""
    while start and _is_inner(text[start - 1 : start + 1]):
        start -= 1
    while end < len(text) and _is_inner(text[end - 1 : end + 1]):
        end += 1
    return start, end


def _is_inner(pair: str) -> bool:
    """Whether two characters stand inside a word."""
    return all(sign.isalnum() or sign in "'’" for sign in pair)


def _unbroken(logit: float) -> float:
    return round(1 / (1 + math.exp(min(logit, 50.0))), _DIGITS)


class Window(NamedTuple):
    """Pieces that are read together, and which of them are judged by that reading."""

    start: int
    end: int
    judged: tuple[int, ...]


def windows(sizes: Sequence[int], tokens: int, pieces: int) -> list[Window]:
    """Windows over pieces of some sizes, each of so many tokens and pieces at most.

    They overlap by half; a piece is judged where most is shown on its narrower side.

    >>> [(it.start, it.end, it.judged) for it in windows([2] * 7, tokens=8, pieces=9)]
    [(0, 4, (0, 1, 2)), (2, 6, (3, 4)), (4, 7, (5, 6))]
    >>> windows([], 8, 9)
    []
    """
    cuts = list(_cuts(sizes, tokens, pieces))
    judged: dict[tuple[int, int], list[int]] = {cut: [] for cut in cuts}
    starts, ends = [start for start, _ in cuts], [end for _, end in cuts]
    for at in range(len(sizes)):
        holding = cuts[bisect_right(ends, at) : bisect_right(starts, at)]
        judged[max(holding, key=lambda cut: _shown(at, cut, len(sizes)))].append(at)
    return [Window(*cut, tuple(some)) for cut, some in judged.items() if some]


def _cuts(sizes: Sequence[int], tokens: int, pieces: int) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(sizes):
        end, room = start + 1, tokens - sizes[start]
        while end < len(sizes) and sizes[end] <= room and end - start < pieces:
            room -= sizes[end]
            end += 1
        yield start, end
        if end == len(sizes):
            return
        half, kept = sum(sizes[start:end]) / 2, 0
        last = start
        for start in range(end, last, -1):
            kept += sizes[start - 1]
            if kept > half or end - start >= pieces // 2:
                break
        start = max(min(start, end - 1), last + 1)  # behind a window of several, one is seen again


def _shown(at: int, cut: tuple[int, int], count: int) -> float:
    """How many pieces a window shows on the narrower side of one; the true ends are no edges."""
    start, end = cut
    before = at - start if start else math.inf
    behind = end - 1 - at if end < count else math.inf
    return min(before, behind)


def copies(texts: Sequence[Sequence[int]], speakers: Ints) -> Floats:
    """Which part of a text's tokens its own speaker said before in one text, and which another.

    Texts of one token say nothing: greetings and yes are said again. -> (texts, 2)

    >>> copies([(1, 2, 3), (1, 2), (4, 5), (3, 9)], np.array([0, 1, 0, 0])).tolist()
    [[0.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.5, 0.0]]
    """
    said = [set(text) for text in texts]
    shares = np.zeros((len(texts), 2), np.float32)
    for at, mine in enumerate(said):
        for before in range(at if len(mine) > 1 else 0):
            other = int(speakers[before] != speakers[at])
            share = len(mine & said[before]) / len(mine)
            shares[at, other] = max(shares[at, other], share)
    return shares
