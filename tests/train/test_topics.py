"""What is learnt beside excerpts: conversations of sentence vectors, and reactions."""

from collections.abc import Sequence

import numpy as np
import pytest

from dialogauge.dialogue import Dialogue, Turn
from dialogauge.train.models.deam.damage import CAUSES, WRITTEN, Broken, Damaged
from dialogauge.train.models.deam.reactions import reacted
from dialogauge.train.models.deam.topics import Topics, _Chat, _joined, _ordered

torch = pytest.importorskip("torch")

CHATS = [
    Dialogue(f"d{chat}", tuple(Turn("AB"[at % 2], f"{chat}: {at}") for at in range(8 + chat)))
    for chat in range(12)
]
#: Of each chat the corpus that it is from.
ORIGINS = [chat % 2 for chat in range(len(CHATS))]


def numbered(texts: Sequence[str]) -> np.ndarray:
    """A vector of each text that says which text of which chat it is."""
    return np.array([[int(part) for part in text.split(": ")] for text in texts], np.float32)


@pytest.fixture(scope="module")
def topics() -> Topics:
    return Topics(CHATS, ORIGINS, numbered, rows=400)


def test_a_turn_is_broken_that_does_not_follow_the_one_before_it(topics: Topics) -> None:
    sentences, speakers, broken = (it.numpy() for it in topics.drawn(np.random.default_rng(1)))
    assert broken.shape == speakers.shape == sentences.shape[:2]
    assert ((speakers < 0) == (broken < 0)).all()
    for vectors, marks in zip(sentences, broken, strict=True):
        for at in range(1, int((marks >= 0).sum())):
            before, here = vectors[at - 1], vectors[at]
            follows = here[0] == before[0] and here[1] == before[1] + 1
            if marks[at]:
                assert not follows
            else:
                assert follows or marks[at - 1]


def test_most_conversations_are_damaged_and_many_by_a_foreign_turn(topics: Topics) -> None:
    sentences, _, broken = (it.numpy() for it in topics.drawn(np.random.default_rng(2)))
    assert 0.7 < (broken == 1).any(1).mean() < 0.95
    chats = sentences[..., 0]
    foreign = (broken == 1) & (chats != chats[:, :1])
    assert foreign.any(1).mean() > 0.3


def test_what_is_foreign_is_of_the_same_corpus(topics: Topics) -> None:
    sentences, speakers, _ = (it.numpy() for it in topics.drawn(np.random.default_rng(3)))
    for vectors, who in zip(sentences, speakers, strict=True):
        assert len({int(chat) % 2 for chat, _ in vectors[who >= 0]}) == 1


def test_what_says_the_same_is_not_broken() -> None:
    chat = _Chat(np.array([0, 1, 0, 1]), np.array([0, 1, 0, 1]), np.zeros(4, np.bool_))
    moved = _ordered(chat, np.array([0, 3, 2, 1]))  # nothing stood behind the last
    assert moved.broken.tolist() == [False, False, True, False]
    joined = (
        _joined(
            chat._replace(broken=np.zeros(4, np.bool_)), np.array([1]), np.random.default_rng(seed)
        )
        for seed in range(20)
    )
    for it in joined:
        differ = it.turns != chat.turns[: len(it.turns)]
        assert (it.broken == differ).all()


def test_one_dialogue_alone_has_no_foreign_turns() -> None:
    shown = Topics(CHATS[:1], [0], numbered, rows=300).drawn(np.random.default_rng(1))
    for vectors, marks in zip(shown.sentences.numpy(), shown.broken.numpy(), strict=True):
        there = vectors[marks >= 0]
        assert len({tuple(it) for it in there}) == len(there)
        follows = np.diff(there[:, 1]) == 1
        assert (follows != (marks[marks >= 0][1:] == 1)).all()


def test_each_draw_is_another_and_the_same_again(topics: Topics) -> None:
    one, again, other = (topics.drawn(np.random.default_rng(seed)) for seed in (4, 4, 5))
    assert torch.equal(one.sentences, again.sentences)
    assert one.sentences.shape != other.sentences.shape or not torch.equal(
        one.sentences, other.sentences
    )


@pytest.mark.parametrize("name", [*(names[0] for names in CAUSES.values()), *WRITTEN])
def test_who_reacts_is_the_partner_and_not_broken(name: str) -> None:
    turns = tuple(("AB"[at % 2], f"say {at}") for at in range(6))
    worse = [Damaged(name, turns, (Broken(at),)) for at in range(6) for _ in range(40)]
    every = list(reacted(worse, "d1", 1))
    if name in CAUSES["order"]:
        assert not every
        return
    ends = set()
    for it in every:
        (broken,) = it.broken
        assert it.turns[: broken.turn + 1] == turns[: broken.turn + 1]
        assert it.turns[broken.turn][0] != it.turns[broken.turn + 1][0]
        rest = it.turns[broken.turn + 2 :]
        assert not rest or rest[1:] == turns[broken.turn + 1 :]
        ends.add(bool(rest))
    assert ends == {True, False}
    assert max(it.broken[0].turn for it in every) == 4  # nobody reacts to the last turn
