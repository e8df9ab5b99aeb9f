"""`relevance` and the encoder under it: floors, tuning sets, response selection, test sets."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from .. import corpora
from ..dialogue import Dialogue, Turn
from ..encode import Encoder
from ..errors import InputError
from ..metrics import Metric, load
from ..metrics.functions import NAN
from ..metrics.vectors import ENCODER, Embedded, Plain
from ..scores import Score
from .kept import Tell
from .looks import Final, final, logged, look
from .page import Section, correlations, table

#: Sets of single answers, where relevance is judged: the tuning ones, then the test ones.
TUNING = {
    "dailydialog-grade": "coherence",
    "zhao-dailydialog": "appropriateness",
    "usr-topical": "Overall",
    "engage": "engagement",
    "multiref": "appropriateness",
}
TEST = {"convai2-grade": "coherence", "empathetic-grade": "coherence", "fed-turn": "Overall"}
WHOLE = {"fed-dialogue": "Overall", "dstc9": "overall"}  # whole dialogues, for cosim

#: Corpora of which held dialogues are asked for their true next turn, one of this many.
TALK = ("self-dialogue", "topical-chat", "personachat")
CHOICES = 20
ASKED = 300  # dialogues of each corpus


def relevance(docs: Path, take_final_look: bool, retrain: Tell | None = None) -> Iterator[Section]:
    """How well the trained head judges answers, beside the cosines it started from."""
    if retrain:
        raise InputError("there is no retraining here", remedy="make mixtures trains its variants")
    trained, floors = load("relevance"), [last_turn(), last_turn_and_context()]
    yield Section("Response selection", _selection([floors[0], trained]))
    yield Section("Tuning sets", correlations(look([*floors, trained], TUNING)))
    yield Section("Untrained floors on the test sets", _floors(floors))
    if take_final_look:
        final("relevance", [trained], TEST | WHOLE, docs)
    yield Section("Test sets, each final look", _finals(logged(docs, "relevance")))


def last_turn() -> Embedded:
    """The cosine of the last turn and the response, nothing trained."""
    return Embedded("cosine-last", Plain(), ENCODER, partial(_cosines, joined=False))


def last_turn_and_context() -> Embedded:
    """That, plus the cosine of the whole context, joined, and the response."""
    return Embedded("cosine-both", Plain(), ENCODER, partial(_cosines, joined=True))


def _cosines(encoder: Encoder, dialogues: Sequence[Dialogue], joined: bool) -> Iterator[Score]:
    """A score for each last turn alone: earlier ones are the context."""
    texts: list[tuple[str, ...]] = []
    for dialogue in dialogues:
        said = [turn.text for turn in dialogue.turns]
        before = said[-2] if len(said) > 1 else ""
        texts.append((said[-1], before, *([" ".join(said[:-1])] if joined else [])))
    vectors = encoder.vectors([text for each in texts for text in each]).astype(np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    response, *context = (vectors[at :: len(texts[0])] for at in range(len(texts[0])))
    scores = sum((side * response).sum(axis=1) for side in context)
    for dialogue, score in zip(dialogues, np.asarray(scores).tolist(), strict=True):
        yield Score(score, (NAN,) * (len(dialogue.turns) - 1) + (score,))


def _floors(floors: Sequence[Metric]) -> str:
    answers = look(floors, TEST)
    return correlations([*answers, *look([load("cosim")], WHOLE)])


def _finals(finals: Sequence[Final]) -> str:
    if not finals:
        return "No look was taken yet: `dialogauge reproduce relevance --final` takes one."
    parts = [
        f"{each.date}, dialogauge {each.dialogauge}\n\n{correlations(each.looks)}"
        for each in finals
    ]
    return "\n\n".join(parts)


def _selection(metrics: Sequence[Metric]) -> str:
    """Table: how often the true next turn scores best among twenty."""
    rows = []
    for corpus in TALK:
        asked = questions(corpus)
        cells = [f"{hits(metric, asked):.3f}" for metric in metrics]
        rows.append((corpus, len(asked), *cells))
    note = (
        f"Share of held dialogues (the test split) whose true next turn scores above {CHOICES - 1} "
        "turns of other dialogues of the same corpus.\n\n"
    )
    return note + table(("corpus", "asked", *(metric.name for metric in metrics)), rows)


def questions(corpus: str, asked: int = ASKED) -> list[list[Dialogue]]:
    """Of each dialogue one context with twenty answers, the true one first."""
    rng = np.random.default_rng(0)
    held = [each.spoken for each in corpora.load(corpus) if corpora.split(each) == "test"]
    held = [each for each in held if len(each.turns) > 4][:asked]
    made = []
    for at, dialogue in enumerate(held):
        place = int(rng.integers(2, len(dialogue.turns)))
        others = rng.choice([one for one in range(len(held)) if one != at], CHOICES - 1)
        wrong = [held[one].turns[int(rng.integers(len(held[one].turns)))].text for one in others]
        answers = [dialogue.turns[place].text, *wrong]
        made.append([_answered(dialogue, place, answer) for answer in answers])
    return made


def hits(metric: Metric, asked: Sequence[Sequence[Dialogue]]) -> float:
    """How often the first answer scores above all others; an equal text does not count against."""
    scores = metric.score([answered for question in asked for answered in question])
    found = np.array([score.turns[-1] for score in scores]).reshape(len(asked), CHOICES)
    same = np.array([[one.response == each[0].response for one in each] for each in asked])
    rivals = np.where(same, -np.inf, np.nan_to_num(found, nan=-np.inf))
    return float((found[:, 0] > rivals.max(axis=1)).mean())


def _answered(dialogue: Dialogue, place: int, answer: str) -> Dialogue:
    turns = (*dialogue.turns[:place], Turn(dialogue.turns[place].speaker, answer))
    return Dialogue(f"{dialogue.id}-{place}", turns, level="turn")
