"""The DynaEvals that ship: what they must tell apart, alone as in company."""

from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import dialogauge as dg
from dialogauge import formats
from dialogauge.contrast import Contrast, Drawing, contrasts
from dialogauge.dialogue import Dialogue
from dialogauge.encode.session import Session
from dialogauge.manipulate.mixtures import mixed
from dialogauge.manipulate.pool import Pool
from dialogauge.metrics import Metric, load
from dialogauge.metrics.dynaeval import Graph

EXAMPLES = Path(__file__).parents[2] / "examples"


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
    assert metric.whole(chats) == pytest.approx([each.value for each in alone], abs=2e-5)


@pytest.mark.parametrize("name", ["dynaeval", "dynaeval-so-far", "dynaeval-research"])
def test_values_without_turns_are_those_with_turns(name: str, chats: list[Dialogue]) -> None:
    with_turns, alone = (dg.score(chats, name, turns=turns) for turns in (True, False))
    np.testing.assert_array_equal(alone.column(name), with_turns.column(name))
    assert alone.signatures == with_turns.signatures
    assert not any(row.scores[name].turns for row in alone.rows)


def test_a_table_without_turns_leaves_nothing_out(
    chats: list[Dialogue], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dialogues without one of their turns go through the network only where turns are shown."""
    metric, counts = load("dynaeval"), []
    run = Session.run

    def counting(session: Session, output: str, inputs: Mapping[str, Any]) -> Any:
        if output == "score":
            counts.append(len(inputs["turns"]))
        return run(session, output, inputs)

    monkeypatch.setattr(Session, "run", counting)
    dg.score(chats, metric, turns=False)
    assert sum(counts) == len(chats)
    counts.clear()
    dg.score(chats, metric)
    assert sum(counts) == len(chats) + sum(len(chat.turns) for chat in chats)


def test_turns_are_what_they_add_or_beginnings(chats: list[Dialogue]) -> None:
    chat, metric = chats[0], load("dynaeval")
    assert isinstance(metric, Graph)
    added, so_far = (load(name).score([chat])[0] for name in ("dynaeval", "dynaeval-so-far"))
    for at in range(len(chat.turns)):
        begun = Dialogue("begun", chat.turns[: at + 1])
        rest = Dialogue("rest", chat.turns[:at] + chat.turns[at + 1 :])
        values = metric.whole([begun, rest])
        assert values[0] == pytest.approx(so_far.turns[at], abs=2e-5)
        assert added.value - values[1] == pytest.approx(added.turns[at], abs=2e-5)


def test_a_foreign_turn_is_often_the_lowest(metric: Graph, chats: list[Dialogue]) -> None:
    found = []
    for pair in contrasts(chats, mixed(["replace-turn"]), Pool(chats), Drawing(8, 1, apart=False)):
        turns = metric.score([pair.worse])[0].turns
        where = [a != b for a, b in zip(pair.better.turns, pair.worse.turns, strict=True)]
        found.append(where[int(np.nanargmin(turns))])
    chance = float(np.mean([1 / len(chat.turns) for chat in chats]))
    assert np.mean(found) > 2 * chance, (np.mean(found), chance)


@pytest.mark.parametrize("damage", ["replace-turn", "shuffle-speaker"])
def test_damaged_dialogues_score_lower(metric: Graph, chats: list[Dialogue], damage: str) -> None:
    """In three of four, and more often than by plain cosines, on texts that no training saw.

    Ten dialogues are few: held corpora are measured in docs/reproductions.
    """
    pairs = list(contrasts(chats, mixed([damage]), Pool(chats), Drawing(8, 1, apart=False)))
    assert len(pairs) > 20
    found = won(metric, pairs)
    assert found > won(load("cosim"), pairs)
    assert found >= 0.75, found


def won(metric: Metric, pairs: list[Contrast]) -> float:
    better, worse = (
        np.array([score.value for score in metric.score(side)])
        for side in ([pair.better for pair in pairs], [pair.worse for pair in pairs])
    )
    return float((better > worse).mean())


def test_an_echo_is_no_answer(
    metric: Graph, chats: list[Dialogue], request: pytest.FixtureRequest
) -> None:
    """The cosine of an echo is 1, but it adds nothing."""
    begun = [
        Dialogue(f"{chat.id}#{end}", chat.turns[:end])
        for chat in chats
        for end in range(2, len(chat.turns) + 1)
    ]
    pairs = list(contrasts(begun, mixed(["echo"]), Pool(begun), Drawing(1, 1, apart=False)))
    assert len(pairs) > 20
    if metric.name == "dynaeval-research":
        request.applymarker(pytest.mark.xfail(strict=True, reason="28 of 45 echoes, not 30"))
    assert won(metric, pairs) >= 2 / 3
