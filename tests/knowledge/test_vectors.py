"""Concept vectors: files, Numberbatch, fallbacks, and the floors of those that ship."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import astuple

from dialogauge import corpora, models
from dialogauge.errors import DataError, InputError, ModelError
from dialogauge.knowledge import (
    Bridge,
    Counts,
    Reading,
    Space,
    Vectors,
    load_space,
    load_store,
    load_vectors,
    read_text,
)
from dialogauge.knowledge.normal_form import content_words
from dialogauge.train.models.concepts.fit import (
    Fit,
    Graph,
    decompose,
    features,
    graph_of,
    hold_out,
    learn,
    measure,
    without,
)
from dialogauge.train.models.concepts.task import EVERYDAY
from dialogauge.train.recipe import Chosen, Recipe
from dialogauge.train.run import Trained, train

NUMBERBATCH = """4 3
dog 0.6 0.8 0.0
ice_cream 0.0 0.6 -0.8
/c/en/cat/n 1 0 0
/c/fr/chien 1 0 0
"""


@pytest.fixture(scope="module")
def graph() -> Graph:
    """The graph that ships, as vectors are learned from it."""
    return graph_of(load_store())


@pytest.fixture
def small(tmp_path: Path) -> Vectors:
    (tmp_path / "n.txt").write_text(NUMBERBATCH)
    return read_text(tmp_path / "n.txt")


def test_numberbatch_is_read(tmp_path: Path) -> None:
    path = tmp_path / "numberbatch-en-19.08.txt.gz"
    path.write_bytes(gzip.compress(NUMBERBATCH.encode()))
    reading = Reading()
    vectors = read_text(path, reading)
    assert list(vectors.names) == ["cat", "dog", "ice cream"]
    assert vectors["dog"].tolist() == pytest.approx([0.6, 0.8, 0.0])
    assert vectors.width == 3
    assert reading == Reading(lines=4, kept=3, other_languages=1)


def test_malformed_vectors_are_counted(tmp_path: Path) -> None:
    bad = ["", "dog", "cow 1 2", "cow 1 2 3 4", "cow 1 x 3", "cow nan 1 2", "cow 1 inf 2"]
    (tmp_path / "n.txt").write_bytes(
        "\n".join([NUMBERBATCH.strip(), *bad, "cow 0 0 1"]).encode() + b"\n\xff 1 2 3\n"
    )
    reading = Reading()
    vectors = read_text(tmp_path / "n.txt", reading)
    assert vectors["cow"].tolist() == [0, 0, 1]
    assert reading.malformed == len(bad) + 1
    assert reading.first_malformed == f"{tmp_path / 'n.txt'}:6: expected a word and numbers"


@pytest.mark.parametrize("text", ["", "2 3\n", "hello\n", "9999999999 3\n"])
def test_no_vectors_at_all(tmp_path: Path, text: str) -> None:
    (tmp_path / "n.txt").write_text(text)
    if text.startswith("9"):  # not a header: no file has so many words
        assert read_text(tmp_path / "n.txt").width == 1
        return
    with pytest.raises(InputError, match="no word vector"):
        read_text(tmp_path / "n.txt")


def test_vectors_are_saved_and_opened(small: Vectors, tmp_path: Path) -> None:
    small.save(tmp_path / "v.arrays")
    for again in (Vectors.open(tmp_path / "v.arrays"), load_vectors(tmp_path / "v.arrays")):
        assert list(again.names) == list(small.names)
        assert again["ice cream"].tolist() == small["ice cream"].tolist()
    assert len(load_vectors(tmp_path / "n.txt")) == 3
    whole = (tmp_path / "v.arrays").read_bytes()
    (tmp_path / "v.arrays").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="cut short or changed"):
        load_vectors(tmp_path / "v.arrays")
    with pytest.raises(InputError, match="cannot be read"):
        load_vectors(tmp_path / "absent")


def test_nearest(small: Vectors) -> None:
    names = [name for name, _ in small.nearest(small["dog"])]
    assert names == ["dog", "cat", "ice cream"]
    ((name, cosine),) = small.nearest(np.array([2.0, 0, 0]), 1)
    assert (name, round(cosine, 6)) == ("cat", 1)
    with pytest.raises(KeyError):
        small["cow"]


@given(st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_int8_keeps_directions(seed: int, width: int) -> None:
    rows = np.random.default_rng(seed).standard_normal((5, width)).astype(np.float32)
    vectors = Vectors.of(list("abcde"), rows)
    small = vectors.int8()
    for name in "abcde":
        assert np.linalg.norm(small[name]) == pytest.approx(1, abs=1e-5)
        assert small.cosines(vectors[name], np.array([small.names.find(name)]))[0] > 0.999


def test_each_fallback_is_counted(small: Vectors) -> None:
    space = Space(small)
    found = space.of(["Dog", "dogs", "the dog and the ice creams", "zebra", "", "\x00"])
    assert space.counts == Counts(exact=1, lemma=1, parts=1, encoder=0, missing=3)
    assert sum(astuple(space.counts)) == 6
    assert found[0].tolist() == found[1].tolist() == small["dog"].tolist()
    mean = (small["dog"] + small["ice cream"]) / 2
    assert found[2].tolist() == pytest.approx((mean / np.linalg.norm(mean)).tolist())
    assert np.isnan(found[3:]).all()


def test_the_encoder_is_the_last_resort(tmp_path: Path) -> None:
    space = load_space()
    found = space.of(["lightsaber", "jfiodsj", "lightsaber", "   "])
    assert space.counts == Counts(encoder=3, missing=1)
    assert found[0].tolist() == found[2].tolist()
    assert np.linalg.norm(found[:3], axis=1).tolist() == pytest.approx([1, 1, 1], abs=1e-5)
    assert np.isnan(found[3]).all()


def test_a_bridge_knows_its_encoder(tmp_path: Path) -> None:
    zeros = np.zeros((384, 2), np.float32)
    Bridge(zeros, np.ones(2, np.float32), "dialogue-minilm", "other").save(tmp_path / "b")
    with pytest.raises(ModelError, match="fitted to another"):
        Bridge.open(tmp_path / "b").cross(["hello"])


@pytest.mark.parametrize("text", ["\x00\x1b[2J", "日本語", "word " * 100_000, "\ud800", "-"])
def test_strange_text_has_a_vector_or_none(text: str) -> None:
    space = load_space()
    assert space.of([text]).shape == (1, space.vectors.width)
    assert sum(astuple(space.counts)) == 1


# What ships


def test_the_card_names_source_licence_and_numbers() -> None:
    folder = models.shipped()["concepts"]
    models.verify(folder)
    card = models.card(folder)
    assert "CC BY-SA 4.0" in card
    assert "https://conceptnet.io" in card
    assert all(f"| {word} |" in card for word in EVERYDAY.split())
    assert models.kind(folder) == "concepts"
    assert (folder / "vectors.arrays").stat().st_size <= 6e6


def test_neighbours_are_sensible() -> None:
    vectors = load_space().vectors
    for word, near, far in (
        ("dog", "puppy", "algebra"),
        ("coffee", "tea", "football"),
        ("rain", "umbrella", "bread"),
        ("school", "student", "beach"),
        ("doctor", "patient", "guitar"),
        ("cook", "kitchen", "airplane"),
    ):
        row = np.array([vectors.names.find(near), vectors.names.find(far)])
        close, distant = vectors.cosines(vectors[word], row)
        assert close > 0.3 > distant


def test_held_out_edges_are_told_from_random_pairs(graph: Graph) -> None:
    """The floor of the card, with the same settings at a third of the width to be quick."""
    rng = np.random.default_rng(5)
    held = list(hold_out(graph, rng, 3_000))
    left = without(graph, held)
    gone = {tuple(sorted(pair)) for each in held for pair in each.edges.tolist()}
    kept = zip(left.starts.tolist(), left.ends.tolist(), strict=True)
    assert not gone & {tuple(sorted(pair)) for pair in kept}
    fit = Fit(width=32)
    vectors = learn(left, fit, rng)
    trial = measure(vectors.rows(np.arange(len(vectors))), held[1], fit)
    assert trial.uniform >= 0.85
    assert trial.matched >= 0.85


def test_random_pairs_are_no_edges(graph: Graph) -> None:
    (held, other) = hold_out(graph, np.random.default_rng(0), 500)
    edges = set(graph.pairs.tolist())
    for pairs in (*held[1:], *other[1:]):
        assert len(pairs) == 500
        low, high = pairs.min(axis=1), pairs.max(axis=1)
        assert not edges & set((low * len(graph.names) + high).tolist())


def test_the_decomposition_is_numpys() -> None:
    rng = np.random.default_rng(0)
    from scipy import sparse

    dense = rng.standard_normal((40, 60)) * (rng.random((40, 60)) < 0.2)
    left, values = decompose(sparse.csr_matrix(dense.astype(np.float32)), 10, rng)
    expected, sizes, _ = np.linalg.svd(dense)
    assert values == pytest.approx(sizes[:10], rel=1e-3)
    assert np.abs(np.sum(left * expected[:, :10], axis=0)) == pytest.approx(np.ones(10), abs=1e-2)


def test_features_know_relation_and_direction(graph: Graph) -> None:
    plain = features(graph, Fit(typed=0))
    typed = features(graph, Fit(typed=1))
    size = len(graph.names)
    assert plain.shape == (size, size)
    assert typed.shape[1] > size
    assert plain.diagonal().min() > 0  # itself


def test_coverage_of_real_talk(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALOGAUGE_DATA", str(data))
    spoken = [
        word
        for dialogue in corpora.load("self-dialogue")[::5]
        if corpora.split(dialogue) == "test"
        for turn in dialogue.spoken.turns
        for word in content_words(turn.text)
    ]
    sample = spoken[::2]
    space = load_space()
    assert not np.isnan(space.of(sample)).any(axis=1).mean() > 0.05
    counts = space.counts
    assert (counts.exact + counts.lemma + counts.parts) / len(sample) > 0.8


def test_the_manifest_names_every_file() -> None:
    folder = models.shipped()["concepts"]
    names = json.loads((folder / models.MANIFEST).read_bytes())["files"]
    assert set(names) - {"recipe.json"} == {
        "bridge.arrays",
        "card.md",
        "config.json",
        "graph.arrays",
        "vectors.arrays",
    }


def made(folder: Path, file: Path) -> Trained:
    settings = {"sources": [{"file": str(file), "licence": "ours"}], "widths": [20, 30]}
    chosen = Chosen("dialogue-minilm")
    recipe = Recipe(name="towns", task="concepts", backbone=chosen, settings=settings)
    return train(recipe, folder, command="dialogauge train towns.toml")


def test_a_folder_is_made_in_one_call(tmp_path: Path) -> None:
    """Two towns whose people know each other: neighbours are of the same town."""
    rng = np.random.default_rng(0)
    lines = []
    for town in ("north", "south"):
        people = [f"{town}{at}" for at in range(60)]
        lines += [f"Knows\t{a}\t{b}\t1" for a in people for b in rng.choice(people, 6) if a != b]
    (tmp_path / "x.tsv").write_text("\n".join(lines))
    trained = made(tmp_path / "towns", tmp_path / "x.tsv")
    models.verify(tmp_path / "towns")
    assert trained.best["uniform"] > 0.6
    vectors = Vectors.open(tmp_path / "towns" / "vectors.arrays")
    near = [name for name, _ in vectors.nearest(vectors["north7"], 11)]
    assert all(name.startswith("north") for name in near)
    card = models.card(tmp_path / "towns")
    for said in (
        "# towns",
        "dialogauge train towns.toml",
        "| x.tsv | ours |",
        "120 concepts",
        f"{trained.best['uniform']:.3f} |",
        f"the concept's own is {trained.best['bridge']:.3f}",
        '"widths": [',
    ):
        assert said in card
    for foreign in ("ConceptNet is", "by eye", "divisi2", "8,000", '"optimisation"'):
        assert foreign not in card
    space = Space(vectors, Bridge.open(tmp_path / "towns" / "bridge.arrays"))
    assert np.isfinite(space.of(["somebody else"])).all()


def test_a_graph_that_is_too_small(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text("IsA\ta\tb\t1\n")
    with pytest.raises(InputError, match="too small"):
        made(tmp_path / "x", tmp_path / "x.tsv")
