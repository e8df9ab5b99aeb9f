"""DynaEval and S-DiCoh: the graph, training on pairs, scoring that depends on nothing else."""

import math
from pathlib import Path

import msgspec
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra: train")
torch.set_num_threads(1)

from dialogauge.dialogue import Dialogue, Turn  # noqa: E402
from dialogauge.metrics import load  # noqa: E402
from dialogauge.metrics.dynaeval import Graph  # noqa: E402
from dialogauge.train import data, recipe  # noqa: E402
from dialogauge.train.dialogue_graph import DynaEval, Reader, SDiCoh, Shape, relations  # noqa: E402
from dialogauge.train.run import train  # noqa: E402

from .training import chats  # noqa: E402

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


def test_turns_are_beginnings_and_the_weakest_is_one_that_hurts(
    overfitted: tuple[Path, dict[str, float]],
) -> None:
    metric = load(str(overfitted[0]))
    assert isinstance(metric, Graph)
    chat = chats(1, turns=6, seed=4)[0]
    score = metric.score([chat])[0]
    for at in range(6):
        begun = metric.whole([chat.with_turns(chat.turns[: at + 1])])[0]
        assert begun == pytest.approx(score.turns[at], abs=1e-4)
    weakest = int(score.aspects["weakest"])
    rest = chat.with_turns(chat.turns[:weakest] + chat.turns[weakest + 1 :])
    gain = metric.whole([rest])[0] - score.value
    assert gain == pytest.approx(score.aspects["gain"], abs=1e-4)
    assert math.isnan(metric.score([Dialogue("e", (Turn("A", " "),))])[0].value)
    assert "weakest" not in metric.score([Dialogue("o", (Turn("A", "Hi."),))])[0].aspects


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
            second.append((model.heard(heard) + model.said(first[i])).relu())
        pooled = torch.cat([states, torch.stack(second)], -1).mean(0)
        wanted = model.score(pooled)
    torch.testing.assert_close(found, wanted)


def test_a_turn_is_compared_with_those_before_it() -> None:
    reader = Reader(3, Shape(narrow=4, beside=2))
    turns, mask = torch.randn(1, 4, 3), torch.tensor([[1.0, 1, 1, 0]])
    read = reader(turns, mask)
    assert read.shape == (1, 4, reader.width) == (1, 4, 13)
    torch.testing.assert_close(read[..., :3], turns)  # not fitted: as it is
    for at, back, cells in ((1, 1, slice(7, 10)), (2, 1, slice(7, 10)), (2, 2, slice(10, 13))):
        cosine = torch.cosine_similarity(turns[0, at], turns[0, at - back], 0)
        torch.testing.assert_close(read[0, at, cells].mean(), cosine)
    unit = turns[0] / turns[0].norm(dim=-1, keepdim=True) * 3**0.5
    fits = reader.follows(unit[2]) * reader.precedes(unit[1])
    torch.testing.assert_close(read[0, 2, 3:7], fits)
    assert not read[0, 0, 3:].any()
    assert not read[0, 1, 10:].any()
    assert not read[0, 3, 3:].any()  # there is no turn


def test_relations_know_who_and_when() -> None:
    kinds = relations(torch.tensor([[0.0, 1.0, 0.0]]))[0]
    assert kinds[0, 1] == 4  # the second speaker is heard by the first, later
    assert kinds[1, 0] == 2 + 1  # the first by the second, before
    assert kinds[2, 0] == 1
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
