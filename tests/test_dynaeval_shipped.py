"""The DynaEvals that ship: what they must tell apart, alone as in company."""

from pathlib import Path
from random import Random

import numpy as np
import pytest

from dialogauge import formats
from dialogauge.contrast import Drawing, contrasts
from dialogauge.dialogue import Dialogue
from dialogauge.manipulate.mixtures import mixed
from dialogauge.manipulate.pool import Pool
from dialogauge.metrics import load
from dialogauge.metrics.dynaeval import Graph

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture(scope="module", params=["dynaeval", "dynaeval-research"])
def metric(request: pytest.FixtureRequest) -> Graph:
    found = load(request.param)
    assert isinstance(found, Graph)
    return found


@pytest.fixture(scope="module")
def chats() -> list[Dialogue]:
    paths = [str(EXAMPLES / name) for name in ("chats.jsonl", "talk.txt", "support.json")]
    return [each.spoken for each in formats.read(paths) if len(each.spoken.turns) >= 4]


def test_neither_company_nor_order_matters(metric: Graph, chats: list[Dialogue]) -> None:
    alone = [metric.score([chat])[0] for chat in chats]
    mixed_up = list(range(len(chats)))
    Random(1).shuffle(mixed_up)
    together = metric.score([chats[at] for at in mixed_up])
    for at, score in zip(mixed_up, together, strict=True):
        assert score.value == pytest.approx(alone[at].value, abs=2e-5)
        np.testing.assert_allclose(score.turns, alone[at].turns, atol=2e-5)
        assert score.aspects["weakest"] == alone[at].aspects["weakest"]
    assert metric.whole(chats) == pytest.approx([each.value for each in alone], abs=2e-5)


def test_a_turn_scores_as_the_dialogue_up_to_it(metric: Graph, chats: list[Dialogue]) -> None:
    chat = chats[0]
    for at, value in enumerate(metric.score([chat])[0].turns):
        begun = Dialogue("begun", chat.turns[: at + 1])
        assert metric.whole([begun])[0] == pytest.approx(value, abs=2e-5)


@pytest.mark.parametrize("damage", ["replace-turn", "shuffle-speaker"])
def test_damaged_dialogues_score_lower(metric: Graph, chats: list[Dialogue], damage: str) -> None:
    """Texts that no training saw, ours; held corpora are measured in docs/reproductions."""
    pairs = list(contrasts(chats, mixed([damage]), Pool(chats), Drawing(8, 1, apart=False)))
    better = np.array(metric.whole([pair.better for pair in pairs]))
    worse = np.array(metric.whole([pair.worse for pair in pairs]))
    assert len(pairs) > 20
    assert (better > worse).mean() >= 0.75, (better > worse).mean()
