"""A student learns from a teacher how alike texts are."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from benchmarks import students
from numpy.typing import NDArray

from dialogauge import corpora, models
from dialogauge.dialogue import Dialogue, Turn
from dialogauge.encode import Encoder
from dialogauge.errors import DialogaugeError, InputError
from dialogauge.judging import keep_apart
from dialogauge.meta.correlation import pearson
from dialogauge.metrics.vectors import cosim
from dialogauge.train import people, run
from dialogauge.train import recipe as recipes
from dialogauge.train.data import given
from dialogauge.train.models.encoder import distillation, rows
from dialogauge.train.recipe import Recipe, decode
from dialogauge.train.vectors import cached

from .training import chats, recipe_text, tiny, vectors

TRAIN, VALID = chats(40, turns=8), chats(8, turns=8, seed=1)


def topics(texts: Sequence[str]) -> NDArray[np.float32]:
    """A teacher: each text is the sum of its words, which are random vectors."""
    return np.array([vectors(text.split(), 16).sum(axis=0) for text in texts], np.float32)


def recipe(tmp_path: Path, **settings: object) -> Recipe:
    folder = tiny(tmp_path / "student")
    return decode(
        recipe_text(
            "distillation",
            optimisation={"epochs": 3, "batch_size": 8, "learning_rate": 0.003},
            backbone={"name": str(folder), "max_tokens": 32},
            settings={
                "teachers": ["dialogue-minilm"],  # `topics` stands in
                "people": False,
                "int8": False,
                "texts": str(tmp_path / "c.jsonl"),
                **settings,
            },
        ).encode()
    )


def train(tmp_path: Path, out: str = "out", **settings: object) -> run.Trained:
    from .training import write_chats

    write_chats(tmp_path / "c.jsonl", chats(200))
    material = given(TRAIN, VALID)
    return run.train(recipe(tmp_path, **settings), tmp_path / out, material=material, encode=topics)


def test_a_student_comes_nearer_to_its_teacher(tmp_path: Path) -> None:
    trained = train(tmp_path)
    assert trained.best["teachers"] > trained.before["teachers"] + 0.2
    encoder = Encoder.load(tmp_path / "out")
    texts = [turn.text for chat in VALID for turn in chat.turns][:40]
    ours, theirs = encoder.vectors(texts), topics(texts)
    one, two = (np.asarray(np.corrcoef(each))[*np.triu_indices(40, 1)] for each in (ours, theirs))
    assert pearson(one, two) > 0.3
    with pytest.raises(DialogaugeError, match="fed-turn is a test set and cosim was trained"):
        keep_apart("fed-turn", [cosim(encoder=encoder)])
    card = (tmp_path / "out" / "card.md").read_text()
    assert "## Teachers" in card
    assert "mean cosine to the original" in card


@pytest.mark.parametrize("mean", [0, 5])
def test_killed_and_resumed_it_is_the_same(tmp_path: Path, mean: int) -> None:
    whole = train(tmp_path, "whole", mean=mean)
    stop = iter(range(10**6))

    def kill(_: object) -> None:
        if next(stop) == 7:
            raise KeyboardInterrupt

    chosen, material = recipe(tmp_path, mean=mean), given(TRAIN, VALID)
    with pytest.raises(KeyboardInterrupt):
        run.train(chosen, tmp_path / "cut", material=material, encode=topics, watch=[kill])
    again = run.train(chosen, tmp_path / "cut", material=material, encode=topics, resume=True)
    assert again.best == whole.best
    assert (tmp_path / "cut/model.onnx").read_bytes() == (
        tmp_path / "whole/model.onnx"
    ).read_bytes()


def test_the_mean_of_the_steps_is_what_is_kept(tmp_path: Path) -> None:
    near, far = train(tmp_path, "near", mean=3), train(tmp_path, "far", mean=10**6)
    assert near.best["teachers"] > near.before["teachers"] + 0.1
    assert far.best["teachers"] == pytest.approx(far.before["teachers"], abs=0.01)
    weights = (tmp_path / "near/model.safetensors").stat().st_size
    assert weights == (tmp_path / "far/model.safetensors").stat().st_size
    plain = train(tmp_path, "plain")
    assert weights == Path(plain.folder, "model.safetensors").stat().st_size  # one encoder, not two


def test_layers_that_stay_still_do_not_move(tmp_path: Path) -> None:
    from safetensors.torch import load_file

    train(tmp_path, still=1, projected=1.0)
    before = load_file(tmp_path / "student" / "model.safetensors")
    after = load_file(tmp_path / "out" / "model.safetensors")
    moved = {name for name, tensor in after.items() if not torch.equal(tensor, before[name[6:]])}
    assert moved
    assert all("layer.1." in name for name in moved)


@pytest.mark.parametrize("teacher", ["./nobody", "relevance"])
def test_a_teacher_that_cannot_teach(tmp_path: Path, teacher: str) -> None:
    chosen, material = recipe(tmp_path, teachers=[teacher]), given(TRAIN, VALID)
    with pytest.raises(InputError, match=rf"settings\.teachers: .*{teacher}"):
        run.train(chosen, tmp_path / "out", material=material)
    assert not (tmp_path / "out").exists()  # the mended recipe can begin


def test_somebody_must_teach(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"settings\.teachers: Expected array of length >= 1"):
        run.train(recipe(tmp_path, teachers=[]), tmp_path / "out")


def test_a_student_can_keep_its_first_layers(tmp_path: Path) -> None:
    train(tmp_path, keep=1)
    assert '"num_hidden_layers": 1' in (tmp_path / "out" / "config.json").read_text()


def test_more_layers_than_there_are_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has 2 layers"):
        train(tmp_path, keep=3)


def test_two_teachers_speak_on_one_scale() -> None:
    groups = rows.groups(TRAIN)
    one = topics(groups.texts)
    lesson = distillation.Lesson(groups, [one, one + 3.0])  # cosines of the other are all high
    alone = distillation.Lesson(groups, [one])
    places = np.arange(30)
    both, first = lesson.likeness(places), alone.likeness(places)
    strangers = ~torch.eye(30, dtype=torch.bool)
    assert abs(float(both[strangers].mean() - first[strangers].mean())) < 0.1
    assert torch.allclose(both.diagonal(), torch.ones(30))


def test_near_dialogues_stand_together() -> None:
    groups = rows.groups(TRAIN)
    table = topics(groups.texts)
    drawn = rows.batches(groups, table, 8, np.random.default_rng(0))
    numbers = np.concatenate(drawn)
    assert sorted(numbers.tolist()) == list(range(len(groups)))  # all of them in an epoch
    means = np.stack([table[groups.groups[at]].mean(axis=0) for at in range(len(groups))])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    likeness = means @ means.T
    fours = [some[at : at + 4] for some in drawn for at in range(0, len(some) - 3, 4)]
    within = np.mean([likeness[np.ix_(four, four)].mean() for four in fours])
    assert within > likeness.mean() + 0.2


def test_another_teacher_of_the_same_name_is_asked_anew(tmp_path: Path) -> None:
    teacher = recipes.Chosen("dialogue-minilm")
    first = cached(topics, ("a boat", "a rook"), teacher, tmp_path)
    again = cached(lambda _: pytest.fail("they are kept"), ("a boat", "a rook"), teacher, tmp_path)
    assert np.array_equal(first, again)
    folder = tmp_path / "teacher"
    shutil.copytree(models.find("dialogue-minilm"), folder)
    named = recipes.Chosen(str(folder))
    old = cached(topics, ("a boat",), named, tmp_path)
    (folder / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes() + b" ")
    models.seal(folder)
    new = cached(lambda texts: 2 * topics(texts), ("a boat",), named, tmp_path)
    assert not np.array_equal(old, new)


def test_no_two_variants_that_were_tried_are_the_same() -> None:
    shipped = recipes.read(recipes.find("dialogue-minilm"))
    tried = [students.changed(shipped, change) for change in students.VARIANTS.values()]
    samples = [
        (change.get("sample"), change.get("corpora")) for change in students.VARIANTS.values()
    ]
    assert len({repr(each) for each in zip(tried, samples, strict=True)}) == len(tried)
    for each in tried:
        weights = recipes.settings(each, distillation.Settings)
        assert weights.order + weights.cosines + weights.projected > 0


def test_people_are_asked_by_the_cosines_of_the_context(monkeypatch: pytest.MonkeyPatch) -> None:
    def item(number: int, response: str, rating: float) -> Dialogue:
        turns = (Turn("A", "tea"), Turn("B", "cake"), Turn("A", response))
        return Dialogue(str(number), turns, ratings={"coherence": (rating,)}, level="turn")

    items = (item(1, "cake", 3.0), item(2, "tea", 2.0), item(3, "war", 1.0))
    monkeypatch.setattr(people, "TUNING", {"dailydialog-grade": "coherence"})
    monkeypatch.setattr(corpora, "load", lambda _: items)
    people._rated.cache_clear()
    words = ("tea", "cake", "war")
    agreement = people.agreement(
        lambda texts: np.array([[w in text.split() for w in words] for text in texts], np.float32)
    )
    people._rated.cache_clear()
    assert agreement == {"dailydialog-grade": pytest.approx(1.0)}
