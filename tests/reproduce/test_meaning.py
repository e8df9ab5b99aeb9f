"""The exam of meaning: who knows everything passes, who knows nothing does not."""

import math
from collections.abc import Sequence

import msgspec
import pytest

from dialogauge.dialogue import Dialogue, Turn
from dialogauge.manipulate.pool import Pool
from dialogauge.meta import Resampling
from dialogauge.reproduce.meaning import Case, examine, harmless, of, told, words_f1
from dialogauge.scores import Cause, Score
from dialogauge.train.models.deam.damage import cause_of

from ..train.training import MOLLY

pytest.importorskip("spacy", reason="needs the extra: language")

CHAT = Dialogue("d1", tuple(Turn("AB"[at % 2], text) for at, text in enumerate(MOLLY)))
OTHER = Dialogue("d2", tuple(Turn("AB"[at % 2], f"The train leaves at {at}.") for at in range(8)))
QUICK = Resampling(resamples=100)


@pytest.fixture(scope="module")
def asked() -> list[Case]:
    return list(of(CHAT, Pool([CHAT, OTHER])))


class Knowing:
    """A metric that was told the answers."""

    name, signature, trained = "knowing", "knowing|v:1", False

    def __init__(self, asked: Sequence[Case]) -> None:
        self.asked = {case.worse.id: case for case in asked}

    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        return [self._score(dialogue) for dialogue in dialogues]

    def _score(self, dialogue: Dialogue) -> Score:
        case = self.asked.get(dialogue.id)
        broken = case.broken if case else {}
        turns = tuple(float(at not in broken) for at in range(len(dialogue.turns)))
        causes = tuple(Cause(at, cause_of(case.name)) for at in broken) if case else ()
        return Score(0.0 if case else 1.0, turns, causes=causes)


class Silent(Knowing):
    """A metric that says the same of everything, and nothing of turns."""

    def _score(self, dialogue: Dialogue) -> Score:
        return Score(0.5)


def test_the_cases_say_what_broke(asked: list[Case]) -> None:
    assert {"negation", "echo", "word-order", "replace-turn"} <= {case.name for case in asked}
    for case in asked:
        assert case.broken
        assert max(case.broken) < len(case.worse.turns)
        assert case.worse.turns != case.better.turns


def test_who_knows_passes(asked: list[Case]) -> None:
    verdicts = examine(Knowing(asked), asked, QUICK)
    assert {marks.told.value for marks in verdicts.marks.values()} == {1.0}
    assert {marks.hit.value for marks in verdicts.marks.values()} == {1.0}
    assert verdicts.cause_f1 == 1.0


def test_who_says_nothing_guesses(asked: list[Case]) -> None:
    verdicts = examine(Silent(asked), asked, QUICK)
    assert {marks.told.value for marks in verdicts.marks.values()} == {0.5}
    assert all(math.isnan(marks.hit.value) for marks in verdicts.marks.values())
    assert math.isnan(verdicts.cause_f1)


def test_who_knows_does_not_mind_other_words(asked: list[Case]) -> None:
    other = msgspec.structs.replace(CHAT, id="d3")
    more = [*asked, *of(other, Pool([CHAT, OTHER]))]
    answers = harmless(Wavering(more), more)
    assert {"no-punctuation", "lower-case"} <= set(answers)
    assert "back-translation" not in answers  # nobody translates
    for answer in answers.values():
        assert answer.n == 2
        assert answer.above.value == 1.0
        assert answer.moved == 0.0


class Wavering(Knowing):
    """One that likes some conversations a little better than others."""

    def _score(self, dialogue: Dialogue) -> Score:
        return Score(super()._score(dialogue).value + 0.1 * dialogue.id.startswith("d3"))


def test_families_are_told_by_their_own_damage(asked: list[Case]) -> None:
    families = {"words": ("word-order", "word-drop"), "turns": ("replace-turn",)}
    assert {it.value for it in told(Knowing(asked), asked, families, QUICK).values()} == {1.0}
    assert {it.value for it in told(Silent(asked), asked, families, QUICK).values()} == {0.5}


def test_who_marks_what_changed_gets_every_word(asked: list[Case]) -> None:
    known = {case.worse.id: case.broken for case in asked}
    right = words_f1(lambda chats: [known[chat.id] for chat in chats], asked)
    assert {"negation", "word-order"} <= set(right)
    assert "replace-turn" not in right  # of a foreign turn no word is changed
    assert set(right.values()) == {1.0}
    assert set(words_f1(lambda chats: [{} for _ in chats], asked).values()) == {0.0}
    every = words_f1(lambda chats: [_all(chat) for chat in chats], asked)
    assert all(0 < share < 0.7 for share in every.values())


def _all(chat: Dialogue) -> dict[int, tuple[tuple[int, int], ...]]:
    return {at: ((0, len(turn.text)),) for at, turn in enumerate(chat.turns)}
