"""What DEAM learns from, and that it learns."""

from pathlib import Path
from random import Random

import numpy as np
import pytest

from dialogauge.dialogue import Dialogue, Turn
from dialogauge.manipulate.catalogue import MANIPULATIONS, find
from dialogauge.manipulate.pool import Pool
from dialogauge.train.models.deam.cues import inconspicuous
from dialogauge.train.models.deam.damage import CAUSES, breaks
from dialogauge.train.models.deam.excerpts import Cutting, excerpts

torch = pytest.importorskip("torch")

CHAT = Dialogue(
    "d1",
    tuple(
        Turn("AB"[at % 2], text)
        for at, text in enumerate(
            (
                "Do you have a dog?",
                "Yes, she is called Molly and she is very old.",
                "Does Molly still like long walks?",
                "She does, we go to the river every morning.",
                "That sounds lovely.",
                "It is, and we meet other dogs there.",
            )
        )
    ),
)
OTHERS = Pool(
    [
        CHAT,
        Dialogue("d2", tuple(Turn("AB"[at % 2], f"The train leaves at {at}.") for at in range(6))),
    ]
)


def test_every_manipulation_that_teaches_damages() -> None:
    names = [name for some in CAUSES.values() for name in some]
    assert len(set(names)) == len(names)
    assert {MANIPULATIONS[name].expect for name in names} == {"lower"}


@pytest.mark.parametrize("name", ["replace-turn", "echo", "temporal-skip", "insert-turn"])
def test_one_strange_turn_is_the_broken_one(name: str) -> None:
    edited = find(name)(CHAT, Random(3), OTHERS)
    assert edited is not None
    (broken,) = breaks(edited, name)
    assert broken.spans == ()
    text = edited.dialogue.turns[broken.turn].text
    assert CHAT.turns[min(broken.turn, 5)].text != text


def test_of_a_splice_only_the_seam_is_broken() -> None:
    edited = find("splice")(CHAT, Random(1), OTHERS)
    assert edited is not None
    (broken,) = breaks(edited, "splice")
    assert "train" in edited.dialogue.turns[broken.turn].text
    assert "train" not in edited.dialogue.turns[broken.turn - 1].text


def test_where_a_turn_is_missing_the_next_one_is_broken() -> None:
    edited = find("drop-turn")(CHAT, Random(1), OTHERS)
    assert edited is not None
    (gone,) = (change.was for change in edited.changes)
    assert [it.turn for it in breaks(edited, "drop-turn")] == [gone]


def test_excerpts_are_whole_turns_that_follow_each_other() -> None:
    cutting = Cutting(shortest=3, longest=4, long=0, words=20, each=3)
    for excerpt in excerpts([CHAT], cutting, seed=1):
        start = int(excerpt.id.rpartition(":")[2])
        assert excerpt.turns == CHAT.turns[start : start + len(excerpt.turns)]
        assert sum(len(turn.text.split()) for turn in excerpt.turns) <= 20


def test_what_a_turn_alone_gives_away_is_left_out() -> None:
    """Edits that raise one number go, until the number tells nothing; others stay."""
    rng = np.random.default_rng(0)
    before = rng.normal(size=(400, 6))
    after = rng.normal(size=(400, 6))
    after[:200, 0] += 4  # half of the edits show
    kept, first, last = inconspicuous(before, after, list(range(400)), most=0.55)
    assert first > 0.7
    assert last <= 0.55
    assert kept[200:].mean() > 0.8
    assert kept[:200].mean() < 0.4


def test_where_nothing_shows_all_is_kept() -> None:
    rng = np.random.default_rng(0)
    before, after = rng.normal(size=(2, 300, 4))
    kept, _, last = inconspicuous(before, after, list(range(300)), most=0.6)
    assert kept.all()
    assert last < 0.6


def _trained(folder: Path, steps: int = 60) -> tuple[object, dict[str, float], dict[str, float]]:
    from dialogauge.train import run
    from dialogauge.train.data import given
    from dialogauge.train.recipe import decode

    recipe = decode(
        f"""
        name = "small"
        task = "coherence"
        [optimisation]
        epochs = {steps}
        batch_size = 2
        learning_rate = 0.001
        evaluate_every = {steps}
        [backbone]
        name = "dialogue-minilm"
        [settings]
        exam = 4
        cue = 1.0
        [settings.reader]
        below = 3
        above = 1
        [settings.excerpts]
        damage = ["echo", "replace-turn", "word-order"]
        harmless = ["no-punctuation"]
        longest = 6
        long = 0.0
        """.encode()
    )
    done = run.train(recipe, folder, material=given([CHAT, *OTHERS.dialogues[1:]], [CHAT]))
    return done, done.before, done.best


def test_it_learns_and_scores_without_torch(tmp_path: Path) -> None:
    from dialogauge.metrics import load

    _, _, best = _trained(tmp_path / "small")
    assert best["told"] == 1.0
    assert best["hit"] == 1.0
    metric = load(str(tmp_path / "small"))
    edited = find("replace-turn")(CHAT, Random(3), OTHERS)
    assert edited is not None
    whole, broken = metric.score([CHAT, edited.dialogue])
    assert broken.value < whole.value
    (change,) = edited.changes
    assert int(np.argmin(broken.turns)) == change.turn
    assert "What a turn alone gives away" in (tmp_path / "small" / "card.md").read_text()
    (alone,) = metric.score([edited.dialogue])
    assert alone == broken
