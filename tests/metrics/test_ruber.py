"""RUBER and BERT-RUBER: two halves, their blends, and what cannot be judged."""

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra: train")
torch.set_num_threads(1)

from dialogauge import models  # noqa: E402
from dialogauge.dialogue import Dialogue, Turn  # noqa: E402
from dialogauge.errors import DialogaugeError, InputError  # noqa: E402
from dialogauge.metrics import checked, load  # noqa: E402
from dialogauge.metrics.maude import Maude  # noqa: E402
from dialogauge.metrics.ruber import BLENDS, VARIANTS, Blend, extremes, maxima  # noqa: E402
from dialogauge.metrics.vectors import shared  # noqa: E402
from dialogauge.scores import Score  # noqa: E402
from dialogauge.train import data, recipe  # noqa: E402
from dialogauge.train.models import check  # noqa: E402
from dialogauge.train.models.maude.task import Settings  # noqa: E402
from dialogauge.train.run import train  # noqa: E402

from ..train.training import chats, recipe_text  # noqa: E402

ROOT = Path(__file__).parents[2]
NETWORKS = {"ruber-blend": "ruber", "bert-ruber": "nli"}
QUESTION = "do you like the tulip more than the hedge"


def written(**settings: object) -> recipe.Recipe:
    small = {"turns": 1, "hidden": 8, "layer": 8, "policy": "semantics", **settings}
    text = recipe_text(
        "nce",
        backbone={"name": "dialogue-minilm"},
        optimisation={"epochs": 1, "batch_size": 16, "learning_rate": 0.01},
        settings=small,
    )
    return recipe.decode(text.encode())


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A small trained blend of either kind."""
    root, talks = tmp_path_factory.mktemp("ruber"), chats(12)
    for name, network in NETWORKS.items():
        settings = written(network=network, blend="min")
        assert train(settings, root / name, material=data.given(talks, talks)).parity < 1e-4
    return {name: root / name for name in NETWORKS}


@pytest.fixture(scope="module", params=list(NETWORKS))
def metric(request: pytest.FixtureRequest, folders: dict[str, Path]) -> Blend:
    loaded = load(str(folders[request.param]))
    assert isinstance(loaded, Blend)
    return loaded


def item(response: str, *references: str, context: tuple[str, ...] = (QUESTION,)) -> Dialogue:
    turns = tuple(Turn("AB"[at % 2], text) for at, text in enumerate((*context, response)))
    return Dialogue("d", turns, references=references, level="turn")


def changed(folder: Path, copy: Path, **fields: object) -> Path:
    """The folder with another config.json; None takes a field out."""
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("training"))
    config = json.loads((copy / "config.json").read_text()) | fields
    kept = {key: value for key, value in config.items() if value is not None}
    (copy / "config.json").write_text(json.dumps(kept))
    models.seal(copy)
    return copy


def one(metric: Blend, dialogue: Dialogue) -> Score:
    (score,) = checked(metric, [dialogue])
    assert all(math.isnan(turn) for turn in score.turns[:-1])
    assert score.turns[-1] == score.value or math.isnan(score.value)
    return score


def test_pooling_by_hand() -> None:
    vectors = np.array([[1.0, -2.0, 3.0], [-4.0, 0.0, 3.0]], np.float32)
    assert maxima(vectors).tolist() == [1, 0, 3]
    assert extremes(vectors).tolist() == [1, 0, 3, -4, -2, 3]
    assert VARIANTS["ruber"].pool is extremes
    assert VARIANTS["nli"].pool is maxima


def test_blends_by_hand() -> None:
    found = {name: blend(0.9, 0.4) for name, blend in BLENDS.items()}
    assert found == pytest.approx({"min": 0.4, "max": 0.9, "mean": 0.65, "geometric": 0.6})


def test_the_referenced_half_is_the_cosine_of_pooled_tokens(metric: Blend) -> None:
    response, reference = "yes the tulip is lovely", "i never liked a hedge"
    sides = [each.vectors for each in shared().tokens([response, reference])]
    if metric.name == "ruber-blend":
        ours, theirs = (np.concatenate([side.max(0), side.min(0)]) for side in sides)
    else:
        ours, theirs = (side.max(0) for side in sides)
    cosine = ours @ theirs / np.linalg.norm(ours) / np.linalg.norm(theirs)
    half = one(metric, item(response, reference)).aspects["referenced"]
    assert half == pytest.approx((1 + cosine) / 2, abs=1e-6)
    assert half < 1
    assert one(metric, item(response, response)).aspects["referenced"] == pytest.approx(1)


def test_the_unreferenced_half_is_the_network(
    metric: Blend, folders: dict[str, Path], tmp_path: Path
) -> None:
    kind = {"metric": NETWORKS[metric.name], "network": None, "blend": None}
    alone = load(str(changed(folders[metric.name], tmp_path / "alone", **kind)))
    assert isinstance(alone, Maude)
    plain = item("yes the tulip is lovely", "no", context=("hello", QUESTION))
    half = one(metric, plain).aspects["unreferenced"]
    assert half == pytest.approx(float(alone.score([plain])[0].turns[-1]), abs=1e-6)
    assert 0 < half < 1
    # One turn of context, and no reference.
    other = item("yes the tulip is lovely", "perhaps", context=("what an odd start", QUESTION))
    assert one(metric, other).aspects["unreferenced"] == half


@pytest.mark.parametrize("how", BLENDS)
def test_a_folder_blends_as_it_says(how: str, folders: dict[str, Path], tmp_path: Path) -> None:
    blended = load(str(changed(folders["bert-ruber"], tmp_path / how, blend=how)))
    assert isinstance(blended, Blend)
    score = one(blended, item("yes the tulip is lovely", "no"))
    halves = score.aspects["referenced"], score.aspects["unreferenced"]
    assert score.value == BLENDS[how](*halves)  # type: ignore[index]
    assert min(halves) <= score.value <= max(halves)
    assert f"|network:nli|blend:{how}|" in blended.signature


def test_the_best_reference_counts(metric: Blend) -> None:
    response = "yes the tulip is lovely"
    references = ("", "call the harbour", response, "no")
    assert one(metric, item(response, *references)).aspects["referenced"] == pytest.approx(1)
    alone = [one(metric, item(response, each)).aspects.get("referenced") for each in references]
    assert alone[0] is None
    assert alone[2] == max(each for each in alone if each is not None)


def test_what_cannot_be_judged(metric: Blend) -> None:
    whole = Dialogue("d", (Turn("A", QUESTION), Turn("B", "yes")), references=("yes",))
    for chat in (whole, item("yes"), item("yes", "", "\0"), item("", ""), *chats(1)):
        score = one(metric, chat)
        assert math.isnan(score.value)
        assert not score.aspects
    for context in ((), ("", " ")):  # nothing to follow: half is known, the whole is not
        score = one(metric, item("yes", "yes", context=context))
        assert math.isnan(score.value)
        assert score.aspects["referenced"] == pytest.approx(1)
        assert math.isnan(score.aspects["unreferenced"])
    for nothing in ("", "  ", "\0"):
        score = one(metric, item(nothing, "", "yes"))
        assert (score.value, score.aspects) == (0, {"referenced": 0, "unreferenced": 0})
    assert metric.score([]) == []


def test_mates_do_not_matter(metric: Blend) -> None:
    said = [turn.text for chat in chats(6, turns=6, seed=4) for turn in chat.turns]
    said += ["", "\ud800", "😀", "a " * 400]
    items = [item(text, *said[at : at + at % 4]) for at, text in enumerate(said)]
    items += chats(3)
    together = [repr(score) for score in metric.score(items)]
    assert together == [repr(metric.score([each])[0]) for each in items]
    assert together[::-1] == [repr(score) for score in metric.score(items[::-1])]


def test_without_a_blend_nothing_changes(tmp_path: Path) -> None:
    plain = written(network="nli")
    train(plain, tmp_path / "plain", material=data.given(chats(4), chats(4)))
    config = json.loads((tmp_path / "plain" / "config.json").read_text())
    expected = {"metric", "reads", "encoder", "encoder_hash", "pooling", "turns", "width"}
    assert (config["metric"], set(config)) == ("nli", expected)


@pytest.mark.parametrize("network", ["maude", "infersent"])
def test_a_network_without_a_blend_is_refused(network: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=rf"^settings: the network '{network}' has no blend .*nli"):
        train(written(network=network, blend="min"), tmp_path / "x")
    assert not (tmp_path / "x").exists()
    with pytest.raises(InputError, match=r"settings\.blend: Invalid enum value 'median'"):
        train(written(network="nli", blend="median"), tmp_path / "x")


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"blend": None}, "missing required field blend"),
        ({"blend": "median"}, "blend: Invalid enum value 'median'"),
        ({"network": "maude"}, "network: Invalid enum value 'maude'"),
        ({"network": "ruber"}, "is called 'ruber-blend', not 'bert-ruber'"),
        ({"turns": 0}, "turns: Expected int >= 1"),
        ({"reads": "words"}, "made for rows of 384 numbers, not 64"),
        ({"width": 7}, "made for rows of 7 numbers, not 384"),
        ({"encoder_hash": None}, "missing required field encoder_hash"),
        ({"encoder_hash": "abc"}, "was trained on the encoder 'abc', but 'dialogue-minilm' is"),
        ({"encoder": "no-such"}, "no encoder or folder is called 'no-such'"),
    ],
)
def test_a_wrong_config_is_one_clear_error(
    fields: dict[str, object], problem: str, folders: dict[str, Path], tmp_path: Path
) -> None:
    folder = changed(folders["bert-ruber"], tmp_path / "wrong", **fields)
    with pytest.raises(DialogaugeError) as error:
        load(str(folder))
    assert problem in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["ruber", "bert-ruber"])
def test_recipes(name: str) -> None:
    read = recipe.read(ROOT / "recipes" / f"{name}.toml")
    settings = check(read)
    assert isinstance(settings, Settings)
    assert VARIANTS[settings.network].metric == read.name
    assert (settings.turns, settings.blend) == (1, "min")
    assert not settings.language_model
    assert not settings.translator
