"""DynaEval and S-DiCoh: the graph, training on pairs, scoring that depends on nothing else."""

import math
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

torch = pytest.importorskip("torch", reason="needs the extra: train")
torch.set_num_threads(1)

from dialogauge.dialogue import Dialogue, Turn  # noqa: E402
from dialogauge.metrics import load  # noqa: E402
from dialogauge.metrics.catalogue import from_folder  # noqa: E402
from dialogauge.metrics.dynaeval import Graph, SoFar  # noqa: E402
from dialogauge.train import data, recipe  # noqa: E402
from dialogauge.train.models.dynaeval.network import (  # noqa: E402
    DynaEval,
    Reader,
    RowScores,
    SDiCoh,
    Shape,
    TurnFeatures,
    relations,
)
from dialogauge.train.models.dynaeval.task import Settings, build  # noqa: E402
from dialogauge.train.run import train  # noqa: E402

from ..train.training import chats  # noqa: E402

RECIPE = """
name = "dynaeval"
task = "ranking"
[backbone]
name = "dialogue-minilm"
[optimisation]
epochs = {epochs}
batch_size = 32
learning_rate = 0.002
[settings]
network = "{network}"
pairs = 6
dropout = 0.0
"""


def written(network: str = "dynaeval", epochs: int = 1) -> recipe.Recipe:
    return recipe.decode(RECIPE.format(network=network, epochs=epochs).encode())


@pytest.fixture(scope="module")
def overfitted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, float]]:
    folder = tmp_path_factory.mktemp("dynaeval") / "model"
    talks = chats(8, turns=6)
    done = train(written(epochs=40), folder, material=data.given(talks, talks))
    assert done.parity < 1e-3
    return folder, done.best


def test_it_learns_what_it_is_shown(overfitted: tuple[Path, dict[str, float]]) -> None:
    assert overfitted[1]["accuracy"] > 0.95


def test_mates_order_and_padding_do_not_matter(overfitted: tuple[Path, dict[str, float]]) -> None:
    metric = load(str(overfitted[0]))
    mixed = [*chats(3, turns=9, seed=2), odd(), *chats(2, turns=2, seed=3), *chats(1, turns=40)]
    together = metric.score(mixed)
    backwards = metric.score(mixed[::-1])[::-1]
    for chat, score, again in zip(mixed, together, backwards, strict=True):
        alone = metric.score([chat])[0]
        for other in (alone, again):
            np.testing.assert_allclose(other.turns, score.turns, atol=1e-4)
            np.testing.assert_allclose(other.value, score.value, atol=1e-4)


def odd() -> Dialogue:
    said = ("", "  ", "Hello there.", "", "Yes the rook.", "\u200b", "😀", "no", "a " * 400)
    return Dialogue("odd", tuple(Turn("ABC"[at % 3], text) for at, text in enumerate(said)))


def test_turns_are_what_they_add_or_beginnings(overfitted: tuple[Path, dict[str, float]]) -> None:
    metric, so_far = load(str(overfitted[0])), from_folder(overfitted[0], "so-far", SoFar)
    assert isinstance(metric, Graph)
    chat = chats(1, turns=6, seed=4)[0]
    score, begun = metric.score([chat])[0], so_far.score([chat])[0]
    assert metric.whole([chat]) == [score.value] == [begun.value]
    for at in range(6):
        upto = chat.with_turns(chat.turns[: at + 1])
        rest = chat.with_turns(chat.turns[:at] + chat.turns[at + 1 :])
        upto_value, rest_value = metric.whole([upto, rest])
        assert upto_value == pytest.approx(begun.turns[at], abs=1e-4)
        assert score.value - rest_value == pytest.approx(score.turns[at], abs=1e-4)


def test_what_says_nothing_has_no_score(overfitted: tuple[Path, dict[str, float]]) -> None:
    metric, so_far = load(str(overfitted[0])), from_folder(overfitted[0], "so-far", SoFar)
    silent = Dialogue("silent", (Turn("A", " "), Turn("B", "")))
    short = Dialogue("short", (Turn("A", " "), Turn("A", "Hi.")))
    for each in (metric, so_far):
        assert each.score([]) == []
        first, second = each.score([silent, short])
        assert math.isnan(first.value)
        assert all(map(math.isnan, first.turns))
        assert math.isfinite(second.value)
        assert len(first.turns) == len(second.turns) == 2
        assert math.isnan(second.turns[0])
    assert math.isnan(metric.score([short])[0].turns[1])  # without it there is nothing
    assert so_far.score([short])[0].turns[1] == so_far.score([short])[0].value


def test_the_baseline_trains_and_scores(tmp_path: Path) -> None:
    talks = chats(4)
    train(written("s-dicoh"), tmp_path / "s", material=data.given(talks, talks))
    metric = load(str(tmp_path / "s"))
    assert metric.name == "s-dicoh"
    assert all(math.isfinite(each.value) for each in metric.score(talks))


@pytest.mark.parametrize("pooling", ["mean", "max", "both"])
@pytest.mark.parametrize("network", [DynaEval, SDiCoh])
def test_padding_changes_nothing(pooling: str, network: type[DynaEval] | type[SDiCoh]) -> None:
    torch.manual_seed(0)
    shape = Shape(narrow=6, hidden=4, window=2, pooling=pooling)  # type: ignore[arg-type]
    model = network(5, shape).eval()
    turns, speakers = torch.randn(2, 7, 5), torch.tensor([[0.0, 1] * 3 + [0]] * 2)
    mask = torch.tensor([[1.0] * 7, [1.0] * 4 + [0] * 3])
    with torch.no_grad():
        both = model(turns, speakers, mask)
        alone = model(turns[1:, :4], speakers[1:, :4], mask[1:, :4])
        noisy = turns.clone()
        noisy[1, 4:] = 99.0
        again = model(noisy, speakers, mask)
    torch.testing.assert_close(both[1:], alone)
    torch.testing.assert_close(both, again)


def test_the_graph_is_that_of_the_paper() -> None:
    """Equations 2 to 5, written out with loops over edges."""
    torch.manual_seed(1)
    shape = Shape(narrow=6, hidden=3, window=2, dropout=0.0, beside=0)
    model = DynaEval(5, shape).eval()
    turns, speakers = torch.randn(1, 6, 5), torch.tensor([[0.0, 1, 0, 0, 1, 1]])
    mask = torch.ones(1, 6)
    with torch.no_grad():
        found = model(turns, speakers, mask)
        states = model.lstm(model.narrow(turns), mask)[0]
        first = []
        for i in range(6):
            near = [j for j in range(6) if abs(i - j) <= 2]
            scores = torch.stack([states[i] @ model.attention @ states[j] for j in near])
            weights = dict(zip(near, scores.softmax(0), strict=True))
            kinds = {j: (int(speakers[0, j]), int(speakers[0, i]), int(j < i)) for j in near}
            total = weights[i] * model.own(states[i])
            for j in near:
                if j == i:
                    continue
                alike = sum(kinds[k] == kinds[j] for k in near if k != i)
                which = kinds[j][0] * 4 + kinds[j][1] * 2 + kinds[j][2]
                total = total + weights[j] / alike * (states[j] @ model.relations[which])
            first.append(total.relu())
        second = []
        for i in range(6):
            heard = sum(first[j] for j in range(6) if abs(i - j) <= 2)
            second.append((model.theirs(heard) + model.itself(first[i])).relu())
        pooled = torch.cat([states, torch.stack(second)], -1).mean(0)
        wanted = model.score(pooled)
    torch.testing.assert_close(found, wanted)


def test_a_turn_is_compared_with_those_before_it() -> None:
    reader = Reader(3, Shape(narrow=4, beside=2))
    said, last, other = torch.randn(3, 2, 3).unbind()
    last[0] = other[0] = other[1] = 0  # the first turn of a dialogue, and the second
    read = reader(said, [last, other])
    assert read.shape == (2, reader.width) == (2, 13)
    torch.testing.assert_close(read[:, :3], said)  # not fitted: as it is
    torch.testing.assert_close(read[1, 7:10].mean(), torch.cosine_similarity(said[1], last[1], 0))
    unit = [each[1] / each[1].norm() * 3**0.5 for each in (said, last)]
    torch.testing.assert_close(read[1, 3:7], reader.follows(unit[0]) * reader.precedes(unit[1]))
    assert not read[0, 3:].any()
    assert not read[1, 10:].any()


def test_an_echo_agrees_with_nothing() -> None:
    reader = Reader(30, Shape(narrow=4, beside=1))
    said = torch.randn(3, 30)
    last = torch.stack([said[0] * 2, said[1] + 0.01 * torch.randn(30), torch.randn(30)])
    found = reader(said, [last])[:, 30:].abs().sum(1)
    assert found[0] < 1e-3
    assert found[1] < found[2] / 4


def test_reading_turns_once_is_reading_them_in_their_rows() -> None:
    network = DynaEval(5, Shape(narrow=6, hidden=4, beside=2, dropout=0.0)).eval()
    table = torch.cat([torch.zeros(1, 5), torch.randn(4, 5)])
    rows, speakers = torch.tensor([[1, 2, 3, 4], [1, 2, 4, 0]]), torch.tensor([[0.0, 1, 0, 1]] * 2)
    mask = (rows > 0).float()
    read = torch.tensor([[1, 0, 0], [2, 1, 0], [3, 2, 1], [4, 3, 2], [4, 2, 1]])
    places = torch.tensor([[0, 1, 2, 3], [0, 1, 4, 0]])
    with torch.no_grad():
        features = TurnFeatures(network)(table, read)
        found = RowScores(network)(features, places, speakers, mask)
        torch.testing.assert_close(found, network(table[rows], speakers, mask))


def test_relations_know_who_and_when() -> None:
    kinds = relations(torch.tensor([[0.0, 1.0, 0.0]]))[0]
    assert kinds[0, 1] == 4  # the second speaker is heard by the first, later
    assert kinds[1, 0] == 2 + 1  # the first by the second, before
    assert kinds[2, 0] == 1
    more = relations(torch.tensor([[0.0, 1.0, 2.0, 1.0]]))[0]
    assert more[3, 1] == 4 + 2 + 1  # the same
    assert more[2, 1] == more[3, 2] == 2 + 1  # not the same, both not the first
    assert more[1, 2] == 2
    assert more[1, 0] == more[2, 0] == 2 + 1
    assert more[0, 1] == more[0, 2] == 4
    assert len({float(kind) for kind in kinds.flatten()}) >= 4


def test_the_released_variants_differ() -> None:
    turns, speakers, mask = torch.randn(1, 6, 5), torch.tensor([[0.0, 1] * 3]), torch.ones(1, 6)
    found = set()
    usual = Shape(narrow=6, hidden=16, dropout=0.0)
    for switch in ({}, {"outgoing": True}, {"plain": True}, {"shared_self": True, "plain": True}):
        torch.manual_seed(3)
        model = DynaEval(5, msgspec.structs.replace(usual, **switch)).eval()
        with torch.no_grad():
            found.add(round(float(model(turns, speakers, mask)), 6))
    assert len(found) == 4


def test_foreign_turns_come_from_the_same_corpus(tmp_path: Path) -> None:
    corpora = (
        chats(4, seed=5),
        [
            Dialogue(f"loud-{each.id}", tuple(Turn(t.speaker, t.text.upper()) for t in each.turns))
            for each in chats(4, seed=6)
        ],
    )
    given = [data.given(each, ()) for each in corpora]
    material = data.Material(
        tuple(dialogue for each in given for dialogue in each.train),
        (),
        tuple(source for each in given for source in each.sources),
    )
    task = build(written(), Settings(worse=("replace-turn",)), material, tmp_path, encoded)
    rows = task.train.rows
    for row in rows.worse:
        said = [rows.texts[at] for at in rows.turns[row, : rows.length[row]]]
        assert len({text.isupper() for text in said}) == 1


def encoded(texts: Sequence[str]) -> NDArray[np.float32]:
    return np.random.default_rng(0).normal(size=(len(texts), 8)).astype(np.float32)
