"""GRADE's k-hop neighbours: known cases, and a literal implementation beside ours."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialogauge.errors import InputError
from dialogauge.knowledge import Hops, Store, Vectors, build, load_space, load_store


def stored(folder: Path, edges: str) -> Store:
    """A store of edges such as ``"v>a v>b a>-v"``; a minus before the end denies it."""
    pairs = [edge.split(">") for edge in edges.split()]
    text = "".join(
        f"R\t{start}\t{end.removeprefix('-')}\t{-1 if end[0] == '-' else 1}\n"
        for start, end in pairs
    )
    (folder / "x.tsv").write_text(text)
    build([folder / "x.tsv"], folder / "x.arrays")
    return Store.open(folder / "x.arrays")


def turned(angles: Mapping[str, float]) -> Vectors:
    """Vectors in the plane: the larger the angle, the smaller the cosine to angle 0."""
    rows = [[np.cos(angle), np.sin(angle)] for angle in angles.values()]
    return Vectors.of(list(angles), np.array(rows, dtype=np.float32))


def test_the_nearest_successors_are_taken(tmp_path: Path) -> None:
    store = stored(tmp_path, "v>a v>b v>c v>d w>v v>-e")
    vectors = turned({"v": 0, "a": 1.0, "b": 0.2, "c": 0.5, "e": 0.01, "w": 0.01})
    one_hop = Hops(store, vectors, limit=3, hops=1).neighbours("v")
    assert one_hop == (("b", "c", "a"),)  # d has no vector, w only leads to v, e is denied
    assert Hops(store, vectors, limit=4, hops=1).neighbours("v") == (("b", "c", "a", "d"),)


def test_two_hops_are_a_multiset_without_the_origin(tmp_path: Path) -> None:
    store = stored(tmp_path, "v>a v>b a>x b>x b>y a>v a>b")
    vectors = turned({"v": 0, "a": 0.4, "b": 0.3, "x": 0.1, "y": 0.9})
    _, two = Hops(store, vectors, limit=4).neighbours("v")
    assert two == ("x", "x", "b", "y")  # x twice, b though it is one hop away, v never
    means = Hops(store, vectors, limit=3).means("v")
    assert means is not None
    expected = (2 * vectors["x"] + vectors["b"]) / 3
    assert means[1].tolist() == pytest.approx(np.round(expected, 4).tolist(), abs=1e-6)


def test_means_are_rounded_and_over_those_with_a_vector(tmp_path: Path) -> None:
    store = stored(tmp_path, "v>a v>d")
    vectors = turned({"v": 0, "a": 1.0})
    means = Hops(store, vectors, limit=2, hops=1).means("v")
    assert means is not None
    assert means.tolist() == [[pytest.approx(0.5403, abs=1e-7), pytest.approx(0.8415, abs=1e-7)]]


def test_too_few_are_drawn_with_replacement(tmp_path: Path) -> None:
    store = stored(tmp_path, "v>a v>b")
    hops = Hops(store, turned({"v": 0, "a": 1}), limit=10)
    one, two = hops.neighbours("v")
    assert len(one) == 10
    assert set(one) == {"a", "b"}
    assert two == ()
    assert hops.neighbours("v") == (one, two)
    others = {Hops(store, hops.vectors, seed=seed).neighbours("v") for seed in range(5)}
    assert len(others) > 1


def test_without_a_vector_neighbours_are_random_and_there_is_no_row(tmp_path: Path) -> None:
    store = stored(tmp_path, " ".join(f"v>n{at}" for at in range(30)))
    hops = Hops(store, turned({"n1": 0}), hops=1)
    (drawn,) = hops.neighbours("v")
    assert len(set(drawn)) == 10
    assert hops.means("v") is None
    assert Hops(store, hops.vectors, hops=1, seed=1).neighbours("v") != (drawn,)


def test_a_concept_without_neighbours_has_zeros(tmp_path: Path) -> None:
    store = stored(tmp_path, "a>b")
    hops = Hops(store, turned({"b": 0, "only a vector": 1}))
    for name in ("b", "only a vector"):
        means = hops.means(name)
        assert means is not None
        assert means.tolist() == [[0, 0], [0, 0]]
    assert hops.means("nothing") is None
    assert hops.neighbours("nothing") == ((), ())


@pytest.mark.parametrize("bad", [{"limit": 0}, {"hops": 0}, {"hops": 4}, {"seed": -1}])
def test_wrong_settings(tmp_path: Path, bad: dict[str, int]) -> None:
    with pytest.raises(InputError, match="limit"):
        Hops(stored(tmp_path, "a>b"), turned({"b": 0}), **bad)


graphs = st.lists(
    st.tuples(st.sampled_from("abcdefg"), st.sampled_from("abcdefg")), min_size=1, max_size=25
)


@given(graphs, st.sets(st.sampled_from("abcdefg")), st.integers(1, 4))
def test_as_the_published_procedure(
    tmp_path_factory: pytest.TempPathFactory,
    found: list[tuple[str, str]],
    known: set[str],
    limit: int,
) -> None:
    store = stored(tmp_path_factory.mktemp("x"), " ".join(f"{a}>{b}" for a, b in found))
    vectors = turned({name: (7 * ord(name)) % 11 / 5 for name in known | {"a"}})
    after: dict[str, list[str]] = {
        name: sorted({end for start, end in found if start == name != end}) for name in "abcdefg"
    }
    one = after["a"]
    two = [far for near in one for far in after[near] if far != "a"]
    ours = Hops(store, vectors, limit=limit).neighbours("a")

    def rank(name: str) -> float:
        return float(vectors["a"] @ vectors[name]) if name in vectors else -1e6

    for published, chosen in zip((one, two), ours, strict=True):
        if len(published) >= limit:
            best = sorted(map(rank, published), reverse=True)[:limit]
            assert [rank(name) for name in chosen] == pytest.approx(best, abs=1e-5)
        else:
            assert set(chosen) <= set(published)
            assert len(chosen) == (limit if published else 0)


def test_hops_in_what_ships() -> None:
    hops = Hops(load_store(), load_space().vectors)
    one, two = hops.neighbours("dog")
    assert (len(one), len(two)) == (10, 10)
    means = hops.means("dog")
    assert means is not None
    assert means.shape == (2, hops.vectors.width)
    assert Hops(load_store(), hops.vectors, hops=3).neighbours("person")[:2] == (
        Hops(load_store(), hops.vectors).neighbours("person")
    )
