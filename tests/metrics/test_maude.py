"""MaUdE and its family: rows and their negatives, networks, scoring whole and turn by turn."""

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra: train")
torch.set_num_threads(1)

from dialogauge.dialogue import Dialogue, Turn  # noqa: E402
from dialogauge.errors import InputError, ModelError  # noqa: E402
from dialogauge.metrics import load  # noqa: E402
from dialogauge.metrics.maude import Maude  # noqa: E402
from dialogauge.train import data, recipe  # noqa: E402
from dialogauge.train.models.maude import rows as nce  # noqa: E402
from dialogauge.train.models.maude.network import NETWORKS, Kind, MaskedLstm, Shape  # noqa: E402
from dialogauge.train.replies import Generated  # noqa: E402
from dialogauge.train.run import train  # noqa: E402

from ..train.training import chats  # noqa: E402

RECIPE = """
name = "maude"
task = "nce"
[backbone]
name = "dialogue-minilm"
[optimisation]
epochs = {epochs}
batch_size = 16
learning_rate = 0.002
[settings]
network = "{network}"
turns = 3
pooling = "{pooling}"
"""


def text(network: str = "maude", epochs: int = 1, pooling: str = "mean") -> str:
    return RECIPE.format(network=network, epochs=epochs, pooling=pooling)


def written(network: str = "maude", epochs: int = 1, pooling: str = "mean") -> recipe.Recipe:
    return recipe.decode(text(network, epochs, pooling).encode())


@pytest.fixture(scope="module")
def overfitted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, float]]:
    folder = tmp_path_factory.mktemp("maude") / "model"
    talks = chats(8, turns=5)
    done = train(written(epochs=60, pooling="texture"), folder, material=data.given(talks, talks))
    assert done.parity < 1e-4
    return folder, done.best


def test_it_learns_what_it_is_shown(overfitted: tuple[Path, dict[str, float]]) -> None:
    _, best = overfitted
    assert best["gold"] > 0.9
    for kind in ("word-order", "word-drop", "word-repeat"):
        assert best[f"delta {kind}"] > 0.7


def test_turn_by_turn_is_the_whole(overfitted: tuple[Path, dict[str, float]]) -> None:
    metric = load(str(overfitted[0]))
    assert isinstance(metric, Maude)
    for chat in (*chats(2, turns=9, seed=5), odd()):
        whole = metric.score([chat])[0].turns
        listener = metric.start()
        online = [listener.add(turn).value for turn in chat.turns]
        np.testing.assert_allclose(online, whole, atol=1e-5)
        assert math.isnan(whole[0])


def odd() -> Dialogue:
    said = ("", "  ", "Hello there.", "", "Yes the rook.", "\u200b", "😀", "no", "a " * 400)
    return Dialogue("odd", tuple(Turn("AB"[at % 2], text) for at, text in enumerate(said)))


def test_mates_do_not_matter(overfitted: tuple[Path, dict[str, float]]) -> None:
    metric = load(str(overfitted[0]))
    mixed = [*chats(5, turns=7, seed=2), odd(), *chats(3, turns=2, seed=3)]
    together = metric.score(mixed)
    for chat, score in zip(mixed, together, strict=True):
        np.testing.assert_allclose(metric.score([chat])[0].turns, score.turns, atol=1e-5)
    backwards = metric.score(mixed[::-1])[::-1]
    np.testing.assert_allclose(
        [each.value for each in backwards], [each.value for each in together], atol=1e-5
    )


def test_a_turn_knows_its_window_and_no_more(overfitted: tuple[Path, dict[str, float]]) -> None:
    metric = load(str(overfitted[0]))
    chat = chats(1, turns=8, seed=9)[0]
    later = chat.with_turns((Turn("A", "What an odd beginning!"), *chat.turns[1:]))
    first, second = (metric.score([each])[0].turns for each in (chat, later))
    assert first[1] != second[1]
    assert first[4:] == second[4:]  # three turns of context
    before = chat.with_turns((*chat.turns[:5], Turn("B", "Quite.")))
    assert metric.score([before])[0].turns[1:5] == first[1:5]  # what comes later does not matter


@pytest.mark.parametrize("network", ["nli", "infersent", "ruber"])
def test_the_family_trains_exports_and_scores(network: str, tmp_path: Path) -> None:
    talks = chats(4)
    done = train(written(network), tmp_path / network, material=data.given(talks, talks))
    assert done.parity < 1e-4
    metric = load(str(tmp_path / network))
    assert metric.name == network
    together, alone = metric.score([*talks, odd()])[-1].turns, metric.score([odd()])[0].turns
    np.testing.assert_allclose(together, alone, atol=1e-5)
    assert all(0 <= score <= 1 for score in metric.score(talks)[0].turns[1:])


@pytest.mark.parametrize("kind", NETWORKS)
def test_rows_of_a_table_are_what_they_hold(kind: Kind) -> None:
    torch.manual_seed(0)
    width = 64 if kind in ("infersent", "ruber") else 12
    network = NETWORKS[kind](width, Shape(narrow=8, hidden=4, layer=6)).eval()
    words = torch.randint(1, 50, (5, 64))
    table = words if width == 64 else torch.randn(5, width)
    turns = 3 if kind == "maude" else 1
    context = torch.tensor([[0, 1, 2], [0, 0, 3]])[:, -turns:]
    mask = torch.tensor([[1.0, 1, 1], [0, 0, 1]])[:, -turns:]
    response = torch.tensor([4, 1])
    with torch.no_grad():
        found = network(table, context, mask, response)
        apart = network.logit(
            network.context(table[context], mask), network.response(table[response])
        ).sigmoid()
    torch.testing.assert_close(found, apart)


def test_a_masked_step_changes_nothing() -> None:
    torch.manual_seed(1)
    for backward in (False, True):
        lstm = MaskedLstm(4, 3, backward=backward)
        steps = torch.randn(2, 5, 4)
        plain = lstm(lstm.inputs(steps), torch.ones(2, 5))
        holes = torch.zeros(2, 9, 4)
        mask = torch.zeros(2, 9)
        for place, at in enumerate((1, 2, 5, 6, 8)):
            holes[:, at], mask[:, at] = steps[:, place], 1.0
        torch.testing.assert_close(lstm(lstm.inputs(holes), mask), plain)


def test_it_is_the_usual_lstm() -> None:
    torch.manual_seed(2)
    ours, usual = MaskedLstm(4, 3), torch.nn.LSTM(4, 3, batch_first=True)
    with torch.no_grad():
        usual.weight_ih_l0.copy_(ours.inputs.weight)
        usual.weight_hh_l0.copy_(ours.states.weight)
        usual.bias_ih_l0.copy_(ours.inputs.bias)
        usual.bias_hh_l0.zero_()
    steps = torch.randn(3, 6, 4)
    states, _ = usual(steps)
    torch.testing.assert_close(ours(ours.inputs(steps), torch.ones(3, 6)), states.amax(1))


def made(sources: nce.Sources | None = None) -> nce.Exchanges:
    return nce.make(chats(6, turns=5), 3, sources or nce.Sources(), seed=1)


def test_rows_hold_each_turn_with_what_was_before_it() -> None:
    rows, talks = made(), chats(6, turns=5)
    assert len(rows) == 6 * 4
    said = [rows.texts[place] for place in rows.context[3] if place >= 0]
    assert said == [turn.text for turn in talks[0].turns[1:4]]
    assert rows.texts[rows.responses["gold"][3]] == talks[0].turns[4].text
    assert [len(each[each >= 0]) for each in rows.context[:4]] == [1, 2, 3, 3]
    for kind in nce.BROKEN:
        broken = [rows.texts[place] for place in rows.responses[kind]]
        gold = [rows.texts[place] for place in rows.responses["gold"]]
        assert all(one != other for one, other in zip(broken, gold, strict=True))
        if kind == "word-order":
            assert all(sorted(a.split()) == sorted(b.split()) for a, b in zip(broken, gold))  # noqa: B905
    again = made()
    assert all((again.responses[kind] == rows.responses[kind]).all() for kind in rows.responses)


def test_foreign_responses_are_foreign() -> None:
    sources = nce.Sources(
        translate=lambda texts: [f"{text} indeed" for text in texts],
        generated={(number, 2): f"a reply to {number}" for number in range(3)},
    )
    rows = made(sources)
    rng = np.random.default_rng(0)
    for kind, source in nce.ELSEWHERE.items():
        drawn = nce.negative(rows, kind, rng)
        assert (drawn >= 0).mean() > 0.9
        owners: dict[int, set[int]] = {}
        for place, dialogue in zip(rows.responses[source], rows.dialogue, strict=True):
            owners.setdefault(int(place), set()).add(int(dialogue))
        for row, place in enumerate(drawn):
            if place >= 0:
                assert place != rows.responses["gold"][row]
                assert owners[int(place)] - {int(rows.dialogue[row])}


def test_a_batch_has_its_own_negatives_in_the_order_of_the_policy() -> None:
    rows = made()
    batches = nce.batches(rows, nce.NEGATIVE["syntax"], 7, np.random.default_rng(3))
    assert sorted(np.concatenate([batch.rows for batch in batches])) == list(range(len(rows)))
    for batch in batches:
        assert batch.negative.shape == (len(batch.rows), 3)
        assert (batch.negative[:, 0] == rows.responses["word-order"][batch.rows]).all()
        assert (batch.positive[:, 1] == -1).all()  # nobody translated


def test_the_released_code_pairs_negatives_with_strangers() -> None:
    for batch, kinds in pairwise((2, 3, 6, 16, 128)):
        own = nce.mispaired(batch, kinds) == np.arange(batch)[:, None]
        assert own.sum() <= kinds + batch
    assert nce.mispaired(128, 6)[0].tolist() == [0, 1, 2, 3, 4, 5]


def test_one_turn_dialogues_are_an_error_and_unknown_settings_too(tmp_path: Path) -> None:
    lonely = [Dialogue("one", (Turn("A", "Hello?"),))]
    with pytest.raises(Exception, match="nothing to learn"):
        train(written(), tmp_path / "one", material=data.given(lonely, []))
    odd = recipe.decode((text() + 'policy = "x"\n').encode())
    with pytest.raises(InputError, match="policy"):
        train(odd, tmp_path / "two", material=data.given(chats(2), []))


def test_a_folder_of_another_width_is_refused(
    overfitted: tuple[Path, dict[str, float]], tmp_path: Path
) -> None:
    import shutil

    from dialogauge import models

    folder = tmp_path / "wide"
    shutil.copytree(overfitted[0], folder)
    config = (folder / "config.json").read_text().replace('"width": 1152', '"width": 100')
    (folder / "config.json").write_text(config)
    models.seal(folder)
    with pytest.raises(ModelError, match="made for rows of 100"):
        load(str(folder))


def test_replies_are_made_once_and_survive_a_kill(tmp_path: Path) -> None:
    asked: list[list[str]] = []

    class Model:
        def replies(self, contexts: list[list[str]], seed: int, sampling: object) -> list[str]:
            asked.extend(contexts)
            return [f"{context[-1]}! {seed}" for context in contexts]

    path = tmp_path / "replies.jsonl"

    def store() -> Generated:
        return Generated(path, Model, "model")  # type: ignore[arg-type]

    contexts = [["hi"], ["how", "are you"], ["hi"]]
    assert store().replies(contexts, 1) == ["hi! 1", "are you! 1", "hi! 1"]
    assert len(asked) == 2
    with path.open("ab") as file:
        file.write(b'\n{"key": "cut sho')  # a kill
    assert store().replies([*contexts, ["new"]], 1) == ["hi! 1", "are you! 1", "hi! 1", "new! 1"]
    assert len(asked) == 3
    assert store().replies([["new"]], 1) == ["new! 1"]
    assert store().replies([["new"]], 2) == ["new! 2"]
    assert len(asked) == 4
