"""The MaUdE that ships: what it must tell apart, online as in one go, alone as in company."""

from pathlib import Path

import numpy as np
import pytest

from dialogauge import formats
from dialogauge.dialogue import Dialogue
from dialogauge.manipulate.manipulation import DoesNotApply, seeded
from dialogauge.manipulate.pool import Pool
from dialogauge.manipulate.rewriting import Place
from dialogauge.manipulate.words import drop, order, repeat, repeat_one
from dialogauge.metrics import load
from dialogauge.metrics.maude import Maude

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def metric() -> Maude:
    loaded = load("maude")
    assert isinstance(loaded, Maude)
    return loaded


@pytest.fixture(scope="module")
def chats() -> list[Dialogue]:
    paths = [str(EXAMPLES / name) for name in ("chats.jsonl", "talk.txt", "support.json")]
    found = [dialogue.spoken for dialogue in formats.read(paths)]
    return [dialogue for dialogue in found if len(dialogue.turns) > 1]


def test_online_is_the_same_as_in_one_go(metric: Maude, chats: list[Dialogue]) -> None:
    for dialogue, score in zip(chats, metric.score(chats), strict=True):
        chat = metric.start()
        online = [chat.add(turn).value for turn in dialogue.turns]
        np.testing.assert_allclose(online, score.turns, atol=1e-5, equal_nan=True)
        assert np.isnan(score.turns[0])
        assert all(0 <= value <= 1 for value in score.turns[1:])


def test_company_does_not_matter(metric: Maude, chats: list[Dialogue]) -> None:
    together = metric.score(chats)[0].turns
    np.testing.assert_allclose(
        metric.score(chats[:1])[0].turns, together, equal_nan=True, atol=1e-6
    )


@pytest.mark.parametrize(
    ("rewrite", "least"), [(order, 0.8), (drop, 0.7), (repeat, 0.8), (repeat_one, 0.9)]
)
def test_broken_words_score_lower(
    metric: Maude, chats: list[Dialogue], rewrite: object, least: float
) -> None:
    """Texts that no training saw, ours; held corpora are measured in docs/reproductions."""
    contexts, given, broken = [], [], []
    for dialogue in chats:
        for at in range(1, len(dialogue.turns)):
            try:
                made = rewrite(Place(dialogue, at, Pool(())), seeded(1, dialogue.id, str(at)))  # type: ignore[operator]
            except DoesNotApply:
                continue
            contexts.append([turn.text for turn in dialogue.turns[:at]])
            given.append(dialogue.turns[at].text)
            broken.append(made)
    lower = metric.follow(contexts, given) > metric.follow(contexts, broken)
    assert len(lower) > 20
    assert lower.mean() >= least, lower.mean()


def test_foreign_turns_score_lower(metric: Maude, chats: list[Dialogue]) -> None:
    contexts, given, foreign = [], [], []
    for at, dialogue in enumerate(chats):
        other = chats[(at + 1) % len(chats)]
        for place in range(1, min(len(dialogue.turns), len(other.turns))):
            contexts.append([turn.text for turn in dialogue.turns[:place]])
            given.append(dialogue.turns[place].text)
            foreign.append(other.turns[place].text)
    lower = metric.follow(contexts, given) > metric.follow(contexts, foreign)
    assert lower.mean() >= 0.7, lower.mean()
