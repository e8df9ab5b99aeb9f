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
    """A metric that knows some errors when it sees them."""

    name, signature, trained = "knowing", "knowing", False

    def __init__(self, *errors: str) -> None:
        self._errors = errors

    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        def turns(each: Dialogue) -> list[float]:
            return [-float(each.id.endswith(self._errors))] * len(each.turns)

        return by_turn("knowing", turns).score(dialogues)


def test_who_knows_an_error_tells_it_and_guesses_the_others(wrong: dict[str, Pairs]) -> None:
    quick = Resampling(resamples=100)
    shares = told(Knowing("~role", "~temporal"), {**wrong, "none": []}, quick)
    values = {error: share.value for error, share in shares.items()}
    assert np.isnan(values.pop("none"))
    assert values == {error: 1.0 if error in ("role", "temporal") else 0.5 for error in ERRORS}
