"""`relevance` and the encoder under it: floors, tuning sets, response selection, test sets."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from .. import models
from ..dialogue import Dialogue, Turn
from ..encode import Encoder
from ..errors import InputError
from ..metrics import Metric, load
from ..metrics.catalogue import from_folder
from ..metrics.functions import from_last_turns
from ..metrics.vectors import ENCODER, Embedded, Plain
from ..report.markdown import table
from ..scores import Score
from ..train.people import TUNING, cosines, sides
from .exams import held
from .looks import correlations, final, final_looks, gains, logged, look, without_repeats
from .page import Paper, Request

#: Test sets of single answers, where relevance is judged.
_TEST = {"convai2-grade": "coherence", "empathetic-grade": "coherence", "fed-turn": "Overall"}
_WHOLE = {"fed-dialogue": "Overall", "dstc9": "overall"}  # whole dialogues, on the small encoder

#: Corpora of which held dialogues are asked for their true next turn, one of this many.
_TALK = ("self-dialogue", "topical-chat", "personachat")
_CHOICES = 20
_ASKED = 300  # dialogues of each corpus


#: The large encoder, where it was imported, and the head that was trained on it.
_LARGE, _LARGE_HEAD = "base", "relevance-base"
#: What each trained head is compared with: the cosines of its own encoder.
_OVER = {"relevance": "cosine-both", _LARGE_HEAD: f"cosine-both-{_LARGE}"}


class RelevancePage:
    """How well the trained heads judge answers, beside the cosines they started from."""

    def __init__(self, _: Paper, request: Request) -> None:
        if request.tell:
            remedy = "make mixtures trains its variants"
            raise InputError("there is no retraining here", remedy=remedy)
        self._request = request
        self._floors = [last_turn(), last_turn_and_context()]
        self._trained: list[Metric] = [load("relevance")]
        if _LARGE in models.imported():
            self._floors.append(last_turn_and_context(_LARGE))
            if _LARGE_HEAD in models.named():
                self._trained.append(from_folder(_LARGE_HEAD, _LARGE_HEAD))

    @property
    def selection(self) -> str:
        """How often the true next turn scores best among twenty."""
        metrics, rows = (self._floors[0], *self._trained), []
        for corpus in _TALK:
            asked = questions(corpus)
            shares = [f"{hits(metric, asked):.3f}" for metric in metrics]
            rows.append((corpus, len(asked), *shares))
        return table(("corpus", "asked", *(metric.name for metric in metrics)), rows)

    @property
    def tuning(self) -> str:
        """All of them where anyone may look, and what training adds."""
        looks = look([*self._floors, *self._trained], TUNING, over=_OVER)
        return f"{correlations(looks)}\n\n{gains(looks)}"

    @property
    def finals(self) -> str:
        """All of them on the test sets: an encoder may be taught, so that cosines count too."""
        docs = self._request.docs
        if self._request.final:
            answers = [*self._floors, *self._trained]
            final("relevance", answers, _TEST, docs, over=_OVER)
            final("relevance", [load("cosim"), load("relevance")], _WHOLE, docs)
        finals = logged(docs, "relevance")
        added = gains(each for final in without_repeats(finals) for each in final.looks)
        return f"{final_looks('relevance', finals)}\n\n{added}"


def last_turn(encoder: str = ENCODER) -> Embedded:
    """The cosine of the last turn and the response, nothing trained on top of the encoder."""
    return _floor("cosine-last", encoder, joined=False)


def last_turn_and_context(encoder: str = ENCODER) -> Embedded:
    """That, plus the cosine of the last three turns, joined, and the response."""
    return _floor("cosine-both", encoder, joined=True)


def _floor(name: str, encoder: str, joined: bool) -> Embedded:
    name = name if encoder == ENCODER else f"{name}-{Path(encoder).name}"
    return Embedded(name, Plain(), encoder, partial(_cosines, joined=joined))


def _cosines(encoder: Encoder, dialogues: Sequence[Dialogue], joined: bool) -> Iterator[Score]:
    """A score for each last turn alone: earlier ones are the context."""
    texts = [sides(dialogue)[: 3 if joined else 2] for dialogue in dialogues]
    scores = cosines(encoder.vectors, texts).tolist()
    for dialogue, score in zip(dialogues, scores, strict=True):
        yield from_last_turns(dialogue, [score])


def questions(corpus: str, asked: int = _ASKED) -> list[list[Dialogue]]:
    """Of each dialogue one context with twenty answers, the true one first."""
    rng, dialogues = np.random.default_rng(0), held(corpus, shortest=5)[:asked]
    answered = []
    for at, dialogue in enumerate(dialogues):
        place = int(rng.integers(2, len(dialogue.turns)))
        others = rng.choice([one for one in range(len(dialogues)) if one != at], _CHOICES - 1)
        foreign = (dialogues[one].turns for one in others)
        wrong = [each[int(rng.integers(len(each)))].text for each in foreign]
        before, true = dialogue.turns[:place], dialogue.turns[place]
        turns = ((*before, Turn(true.speaker, text)) for text in (true.text, *wrong))
        answered.append([Dialogue(f"{dialogue.id}-{place}", each, level="turn") for each in turns])
    return answered


def hits(metric: Metric, asked: Sequence[Sequence[Dialogue]]) -> float:
    """How often the first answer scores above all others; an equal text does not count against."""
    scored = metric.score([answered for question in asked for answered in question])
    scores = np.array([score.turns[-1] for score in scored]).reshape(len(asked), _CHOICES)
    same = np.array([[one.response == each[0].response for one in each] for each in asked])
    rivals = np.where(same, -np.inf, np.nan_to_num(scores, nan=-np.inf))
    return float((scores[:, 0] > rivals.max(axis=1)).mean())
