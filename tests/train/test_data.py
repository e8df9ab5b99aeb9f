"""Material: the one split, no held-out text, the same sample every time; and what pairs are."""

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra: train")

from dialogauge import corpora  # noqa: E402
from dialogauge.corpora.overlap import traces  # noqa: E402
from dialogauge.dialogue import Dialogue, Turn  # noqa: E402
from dialogauge.errors import DialogaugeError, InputError  # noqa: E402
from dialogauge.train.data import gather  # noqa: E402
from dialogauge.train.models.relevance import rows as selection  # noqa: E402
from dialogauge.train.recipe import Data  # noqa: E402

from .training import chats, write_chats  # noqa: E402


def test_sides_are_those_of_the_one_split(tmp_path: Path) -> None:
    path = str(write_chats(tmp_path / "a.jsonl", chats(300, turns=8)))
    material = gather(Data(files=(path,), decontaminate=False))
    assert {corpora.split(dialogue) for dialogue in material.train} == {"train"}
    assert {corpora.split(dialogue) for dialogue in material.valid} == {"valid"}
    half = gather(Data(files=(path,), decontaminate=False, fraction=0.5, valid_cap=3))
    assert {chat.id for chat in half.train} < {chat.id for chat in material.train}
    assert len(half.train) == round(len(material.train) / 2)
    assert len(half.valid) == min(3, len(material.valid))
    capped = gather(Data(files=(path,), decontaminate=False, cap=7))
    assert len(capped.train) == 7
    assert capped.sources[0].read == 300


def test_held_out_text_is_dropped(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALOGAUGE_DATA", str(data))
    held = [dialogue for name in ("usr-topical", "fed-turn") for dialogue in corpora.load(name)]
    marks = {trace for dialogue in held for trace in traces(dialogue)}
    material = gather(Data(corpora=("topical-chat",), cap=2000, valid_cap=50))
    assert material.decontaminated
    assert material.dropped > 0
    assert set(material.shared) == set(corpora.held_out())
    assert not marks & {trace for dialogue in material.train for trace in traces(dialogue)}
    assert material.sources[0].licence == "CDLA-Sharing-1.0"


def test_published_parts_stand_in_for_the_split(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIALOGAUGE_DATA", str(data))
    parts = Data(corpora=("dailydialog",), published=True, decontaminate=False, cap=50, valid_cap=9)
    material = gather(parts)
    assert {chat.id.split(":")[1] for chat in material.train} == {"train"}
    assert {chat.id.split(":")[1] for chat in material.valid} == {"validation"}
    assert (len(material.train), len(material.valid)) == (50, 9)
    with pytest.raises(InputError, match="self-dialogue was not published in parts"):
        gather(Data(corpora=("self-dialogue",), published=True))


def test_test_sets_are_not_trained_on() -> None:
    with pytest.raises(InputError, match="fed-turn is a test set and is never trained on"):
        gather(Data(corpora=("fed-turn",)))
    with pytest.raises(InputError, match=r"data\.corpora: no corpus is named"):
        gather(Data())


def test_blank_turns_take_no_place() -> None:
    said = ["Hi.", " ", "Yes?", "", "No."]
    turns = [Turn(speaker, text) for speaker, text in zip("ABABA", said, strict=True)]
    made = selection.pairs([Dialogue("1", tuple(turns))], 2)
    assert made.texts == ("Hi.", "Yes?", "No.")
    assert made.context.tolist() == [[-1, 0], [0, 1]]


def test_negatives_are_other_turns_of_the_same_dialogue() -> None:
    made = selection.pairs(chats(40, turns=5), 3)
    rng = np.random.default_rng(0)
    found = selection.batches(made, 16, 2, rng)
    assert sorted(np.concatenate([batch.pairs for batch in found])) == list(range(160))
    for batch in found:
        for pair, others in zip(batch.pairs, batch.others, strict=True):
            start, length = made.start[pair], made.length[pair]
            said = made.turns[start : start + length]
            rest = np.delete(said, made.place[pair])
            assert set(others) <= set(rest)


def test_equal_answers_are_not_wrong_ones() -> None:
    made = selection.pairs(chats(40, turns=5), 3)
    batch = selection.Batch(np.array([0, 0, 5]), np.array([[made.response[0]], [1], [2]]))
    wrong = selection.wrong(made, batch)
    assert not wrong[0, :2].any()
    assert not wrong[0, 3]
    asked = np.array([[made.context[0, -1]]] * 3)  # to repeat the last turn is wrong
    assert selection.wrong(made, selection.Batch(np.array([0, 0, 5]), asked))[0, 3]
    unit = torch.nn.functional.normalize(torch.randn(3, 8), dim=-1)
    none = torch.zeros_like(wrong)
    assert float(selection.loss(unit, unit, unit[:, None], none, torch.tensor(20.0))) == 0
    every = selection.loss(unit, unit, unit[:, None], ~none, torch.tensor(0.0))
    # answers: 3 of the batch, 1 other, the right one; contexts: 3 of the batch, the right one
    assert float(every) == pytest.approx((np.log(5) + np.log(4)) / 2)


def test_the_nearest_answers_that_do_not_say_the_same() -> None:
    made = selection.pairs(chats(40, turns=5), 3)
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(len(made.texts), 4)).astype(np.float32)
    near, same = made.response[20], made.response[40]
    right = made.response[0]
    assert len({near, same, right}) == 3
    vectors[near] = vectors[right] + 0.5 * np.linalg.norm(vectors[right]) * np.array([0, 0, 0, 1])
    vectors[same] = 2 * vectors[right]
    batch = selection.Batch(np.array([0]), np.array([[7]]))
    found = selection.nearest(made, vectors, batch, 3, rng).others[0]
    assert found[0] == 7  # what was there stays
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = unit @ unit[right]
    allowed = np.unique(made.response[cosines[made.response] <= selection.SAME])
    best = allowed[np.argsort(-cosines[allowed])][:3]
    assert set(found[1:]) == set(best)
    assert same not in found
    assert right not in found[1:]


def test_measures_know_rank_and_ties() -> None:
    answers = np.arange(40).reshape(2, 20)
    scores = torch.zeros(2, 20)
    scores[0, 0] = 1
    assert selection.measures(scores[:1], answers[:1]) == {"hits@1/20": 1, "mrr": 1}
    assert selection.measures(scores[1:], answers[1:])["mrr"] == pytest.approx(1 / 10.5)


def test_nothing_to_learn_is_said() -> None:
    with pytest.raises(DialogaugeError, match="there is nothing to learn"):
        selection.pairs(chats(3, turns=1), 4)
