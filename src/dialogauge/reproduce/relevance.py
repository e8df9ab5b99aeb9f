"""`relevance` and the encoder under it: floors, tuning sets, response selection, test sets."""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from ..dialogue import Dialogue, Turn
from ..encode import Encoder
from ..errors import InputError
from ..metrics import Metric, load
from ..metrics.functions import from_last_turns
from ..metrics.vectors import ENCODER, Embedded, Plain
from ..report.markdown import table
from ..scores import Score
from ..train.people import TUNING, sides
from .exams import held
from .looks import correlations, final, final_looks, logged, look
from .page import Paper, Request

#: Test sets of single answers, where relevance is judged.
_TEST = {"convai2-grade": "coherence", "empathetic-grade": "coherence", "fed-turn": "Overall"}
_WHOLE = {"fed-dialogue": "Overall", "dstc9": "overall"}  # whole dialogues, for cosim

#: Corpora of which held dialogues are asked for their true next turn, one of this many.
_TALK = ("self-dialogue", "topical-chat", "personachat")
_CHOICES = 20
_ASKED = 300  # dialogues of each corpus


class RelevancePage:
    """How well the trained head judges answers, beside the cosines it started from."""

    def __init__(self, _: Paper, request: Request) -> None:
        if request.tell:
            remedy = "make mixtures trains its variants"
            raise InputError("there is no retraining here", remedy=remedy)
        self._request = request
        self._trained, self._floors = load("relevance"), [last_turn(), last_turn_and_context()]

    @property
    def selection(self) -> str:
        """How often the true next turn scores best among twenty."""
        metrics, rows = (self._floors[0], self._trained), []
        for corpus in _TALK:
            asked = questions(corpus)
            shares = [f"{hits(metric, asked):.3f}" for metric in metrics]
            rows.append((corpus, len(asked), *shares))
        return table(("corpus", "asked", *(metric.name for metric in metrics)), rows)

    @property
    def tuning(self) -> str:
        """All of them where anyone may look."""
        return correlations(look([*self._floors, self._trained], TUNING))

    @property
    def floors(self) -> str:
        """What was not trained, on the test sets."""
        return correlations([*look(self._floors, _TEST), *look([load("cosim")], _WHOLE)])

    @property
    def finals(self) -> str:
        """What was trained, on the test sets."""
        if self._request.final:
            final("relevance", [self._trained], _TEST | _WHOLE, self._request.docs)
        return final_looks("relevance", logged(self._request.docs, "relevance"))


def last_turn() -> Embedded:
    """The cosine of the last turn and the response, nothing trained."""
    return Embedded("cosine-last", Plain(), ENCODER, partial(_cosines, joined=False))


def last_turn_and_context() -> Embedded:
    """That, plus the cosine of the last three turns, joined, and the response."""
    return Embedded("cosine-both", Plain(), ENCODER, partial(_cosines, joined=True))


def _cosines(encoder: Encoder, dialogues: Sequence[Dialogue], joined: bool) -> Iterator[Score]:
    """A score for each last turn alone: earlier ones are the context."""
    texts = [sides(dialogue)[: 3 if joined else 2] for dialogue in dialogues]
    vectors = encoder.vectors([text for each in texts for text in each]).astype(np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    response, *context = (vectors[at :: len(texts[0])] for at in range(len(texts[0])))
    scores = sum((side * response).sum(axis=1) for side in context)
    for dialogue, score in zip(dialogues, np.asarray(scores).tolist(), strict=True):
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
