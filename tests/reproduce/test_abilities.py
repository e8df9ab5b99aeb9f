"""Wrong answers of four kinds, and who tells them."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from dialogauge.dialogue import Dialogue
from dialogauge.meta import Resampling
from dialogauge.metrics import by_turn
from dialogauge.reproduce.abilities import ERRORS, Pairs, cases, told
from dialogauge.scores import Score


@pytest.fixture(scope="module")
def wrong(data: Path) -> dict[str, Pairs]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIALOGAUGE_DATA", str(data))
        return cases(("personachat",), 5)


def test_each_kind_of_error_is_an_answer_that_is_wrong_in_its_place(
    wrong: dict[str, Pairs],
) -> None:
    assert list(wrong) == list(ERRORS)
    for pairs in wrong.values():
        assert len(pairs) == 5
        for good, bad in pairs:
            assert good.turns[:-1] == bad.turns[:-1]
            assert good.turns[-1].speaker == bad.turns[-1].speaker
            assert good.response != bad.response
            assert good.level == bad.level == "turn"
            assert len(good.turns) <= 5


class Knowing:
    """A metric that knows some answers."""

    name, signature, trained = "knowing", "knowing", False

    def __init__(self, good: Sequence[str]) -> None:
        self._good = set(good)

    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        return by_turn(
            "k", lambda each: [float(turn.text in self._good) for turn in each.turns]
        ).score(dialogues)


def test_who_knows_the_answer_tells_the_wrong_one(wrong: dict[str, Pairs]) -> None:
    quick = Resampling(resamples=100)
    good = [pair[0].response for pairs in wrong.values() for pair in pairs]
    assert {share.value for share in told(Knowing(good), wrong, quick).values()} == {1.0}
    roles = [pair[0].response for pair in wrong["role"]]
    some = told(Knowing(roles), {"role": wrong["role"], "none": []}, quick)
    assert some["role"].value == 1.0
    assert np.isnan(some["none"].value)
