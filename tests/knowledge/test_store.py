"""ConceptNet files, the store made of them, and what becomes of bad ones."""

import gzip
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialogauge.errors import DataError, DialogaugeError, InputError, UnknownNameError
from dialogauge.knowledge import Edge, Reading, Store, build, load_store, mapped
from dialogauge.knowledge.mapped import Names
from dialogauge.knowledge.normal_form import base_form, content_words, forms, normal
from dialogauge.knowledge.sources import assertions, parse


def released(relation: str, start: str, end: str, weight: object = 1.0) -> str:
    """A line as the 5.7 release has it."""
    uri = f"/a/[/r/{relation}/,{start}/,{end}/]"
    about = {
        "dataset": "/d/wiktionary/en",
        "license": "cc:by-sa/4.0",
        "sources": [{"contributor": "/s/resource/wiktionary/en"}],
        "weight": weight,
    }
    return "\t".join([uri, f"/r/{relation}", start, end, json.dumps(about)])


RELEASE = [
    released("IsA", "/c/en/dog/n", "/c/en/domestic_animal/n/wn/animal", 2.0),
    released("IsA", "/c/en/dog", "/c/en/pet", 3.464),
    released("IsA", "/c/en/dog/n", "/c/en/pet/n", 1.0),
    released("Antonym", "/c/en/hot/a", "/c/en/cold/a", 1.0),
    released("NotCapableOf", "/c/en/dog", "/c/en/fly"),
    released("IsA", "/c/fr/chien", "/c/en/dog"),
    released("ExternalURL", "/c/en/dog", "http://dbpedia.org/resource/Dog"),
]
MALFORMED = [
    "",
    "one field",
    "/a/x\t/r/IsA\t/c/en/dog\t/c/en/cat",
    "/a/x\t/r/IsA\t/c/en/dog\t/c/en/cat\tno json",
    "/a/x\t/r/IsA\t/c/en/dog\t/c/en/cat\t{}",
    "/a/x\t/r/IsA\tdog\tcat\t{}",
    released("IsA", "/c/en/", "/c/en/cat"),
    released("IsA", "/c/en/dog", "/c/en/cat", "heavy"),
    "IsA\tdog\tcat\tnan",
    "IsA\tdog\tcat\t0",
    "a|||b",
    "[" * 100_000,
    released("IsA", "/c/en/dog", "/c/en/cat").replace("{", '{"a":' * 3_000, 1),
]


@pytest.fixture
def release(tmp_path: Path) -> Path:
    path = tmp_path / "conceptnet-assertions-5.7.0.csv.gz"
    path.write_bytes(gzip.compress("\n".join(RELEASE).encode()))
    return path


@pytest.fixture
def store(release: Path, tmp_path: Path) -> Store:
    build([release], tmp_path / "x.arrays")
    return Store.open(tmp_path / "x.arrays")


def test_a_release_becomes_a_store(release: Path, tmp_path: Path) -> None:
    made = build([release], tmp_path / "x.arrays")
    assert (made.concepts, made.edges, made.relations) == (6, 4, 3)
    assert made.reading == Reading(lines=7, kept=5, other_languages=2)


def test_neighbours(store: Store) -> None:
    weight = float(np.float32(3.464 + 1.0))  # of two senses
    pet = Edge("IsA", "dog", "pet", weight)
    assert store.neighbours("dog", "IsA") == [pet, Edge("IsA", "dog", "domestic animal", 2.0)]
    assert store.neighbours("dog", limit=1) == [pet]
    assert store.neighbours("pet", inward=True) == [pet]
    assert store.neighbours("dog", "NotCapableOf") == [Edge("NotCapableOf", "dog", "fly", 1.0)]
    assert store.neighbours("pet") == store.neighbours("unheard of") == []
    with pytest.raises(UnknownNameError, match="did you mean 'IsA'"):
        store.neighbours("dog", "isA")


def test_antonyms_go_both_ways(store: Store) -> None:
    assert store.antonyms("Cold") == ("hot",)
    assert store.antonyms("hot") == ("cold",)
    assert store.antonyms("dog") == store.antonyms("") == ()


def test_negative_weights_are_denials(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text(
        "AtLocation\tapple\tfridge\t2\nAtLocation\tapple\tpocket\t-0.5\n"
        "AtLocation\tapple\tmoon\t-1.5\nIsA\tapple\tpear\t-1\n"
    )
    build([tmp_path / "x.tsv"], tmp_path / "x.arrays")
    store = Store.open(tmp_path / "x.arrays")
    assert [edge.end for edge in store.neighbours("apple")] == ["fridge"]
    denied = store.neighbours("apple", "AtLocation", denied=True)
    assert [(edge.end, edge.weight) for edge in denied] == [("moon", -1.5), ("pocket", -0.5)]
    every = store.neighbours("apple", denied=True)
    assert [edge.end for edge in every] == ["moon", "pear", "pocket"]
    assert store.successors(store.names.find("apple")).tolist() == [store.names.find("fridge")]
    assert store.antonyms("apple") == ()  # the store has none at all


def test_names_of_conceptnet_4_are_not_for_writing(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text("IsA\tunite state\tcountry\t1\n")
    (tmp_path / "x.txt").write_text("country|||/r/Antonym|||town\n")
    build([tmp_path / "x.tsv", tmp_path / "x.txt"], tmp_path / "x.arrays")
    store = Store.open(tmp_path / "x.arrays")
    assert store.look_up("The United States") == ("unite state",)
    assert [store.written(name) for name in ("unite state", "country", "town", "no")] == [
        False,
        True,
        True,
        False,
    ]


def test_malformed_lines_are_counted_and_the_first_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes("\n".join([RELEASE[0], *MALFORMED, RELEASE[1]]).encode() + b"\n\xff\tx\n")
    made = build([path], tmp_path / "x.arrays")
    assert made.edges == 2
    assert made.reading.malformed == len(MALFORMED) + 1
    assert made.reading.first_malformed.startswith(f"{path}:2: expected 5 or 4 fields")


def test_a_line_without_end_is_one_malformed_line(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b"IsA\ta\tb\t1\n" + b"x" * (2**20 + 2**19) + b"\nIsA\tc\td\t1")
    reading = Reading()
    assert [found.start for found in assertions([path], reading)] == ["a", "c"]
    assert (reading.lines, reading.malformed) == (3, 1)


@given(st.binary(max_size=80) | st.text(max_size=80).map(str.encode))
def test_any_line_is_read_or_refused(line: bytes) -> None:
    try:
        found = parse(line)
    except InputError:
        return
    assert found is None or (found.start and found.end and math.isfinite(found.weight))


def test_files_that_are_no_conceptnet(tmp_path: Path, release: Path) -> None:
    for content, problem in (
        (b"", "no English assertion"),
        (b"hello\n", "no English assertion"),
        (release.read_bytes()[:-40], "damaged"),
    ):
        (tmp_path / "bad").write_bytes(content)
        with pytest.raises(InputError, match=problem):
            build([tmp_path / "bad"], tmp_path / "x.arrays")
    with pytest.raises(InputError, match="no such file"):
        build([tmp_path / "absent"], tmp_path / "x.arrays")
    assert not (tmp_path / "x.arrays").exists()


def test_a_damaged_store_is_one_clear_error(store: Store, tmp_path: Path) -> None:
    whole = (tmp_path / "x.arrays").read_bytes()
    bad = tmp_path / "bad.arrays"
    flipped = bytearray(whole)
    flipped[-3] ^= 1
    other = bytearray(whole)
    other[25] ^= 1  # in the digest itself
    for content, problem in (
        (whole[: len(whole) // 2], "cut short or changed"),
        (whole[:30], "cut short or changed"),
        (bytes(flipped), "checksum is wrong"),
        (bytes(other), "checksum is wrong"),
        (whole + b"x", "checksum is wrong"),
        (b"", "not a concept store"),
        (b"something else", "not a concept store"),
    ):
        bad.write_bytes(content)
        with pytest.raises(DataError, match=problem):
            Store.open(bad)
    for path in (tmp_path, tmp_path / "absent", "a\0b"):
        with pytest.raises(DataError, match="cannot be read"):
            Store.open(path)


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    mapped.write(tmp_path / "x", "something", {"a": np.arange(3, dtype=np.uint32)}, {})
    with pytest.raises(DataError, match="a something, not a concept store"):
        Store.open(tmp_path / "x")
    mapped.write(tmp_path / "y", "something", {"a": np.arange(3)}, {})
    with pytest.raises(DataError, match="unknown type '<i8'"):
        mapped.read(tmp_path / "y", "something")


def test_building_twice_gives_the_same_bytes(release: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        build([release], tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_store_cannot_be_changed(store: Store) -> None:
    with pytest.raises(ValueError, match="read-only"):
        store.table()[3][0] = 1


edges = st.lists(
    st.tuples(
        st.sampled_from("RST"),
        st.text("aäbz", min_size=1, max_size=3),
        st.text("aäbz", min_size=1, max_size=3),
        st.sampled_from([-2.0, -0.5, 0.5, 1.0, 3.0]),
    ),
    min_size=1,
    max_size=30,
)


@given(edges)
def test_a_store_has_every_edge_in_both_directions(
    tmp_path_factory: pytest.TempPathFactory, found: list[tuple[str, str, str, float]]
) -> None:
    folder = tmp_path_factory.mktemp("store")
    text = "".join(f"{r}\t{a}\t{b}\t{w}\n" for r, a, b, w in found)
    (folder / "x.tsv").write_text(text)
    build([folder / "x.tsv"], folder / "x")
    store = Store.open(folder / "x")
    sums: dict[tuple[str, str, str], float] = {}
    for relation, start, end, weight in found:
        sums[relation, start, end] = sums.get((relation, start, end), 0) + weight
    expected = {key: weight for key, weight in sums.items() if weight}
    for inward in (False, True):
        got = {
            (edge.relation, edge.start, edge.end): edge.weight
            for name in store.names
            for denied in (False, True)
            for edge in store.neighbours(name, inward=inward, denied=denied)
        }
        assert got == expected


@given(st.sets(st.text(max_size=5)))
def test_names_are_found(names: set[str]) -> None:
    clean = {name for name in names if name.encode("utf-8", "replace").decode() == name}
    found = Names.of(clean | {"x"})
    assert all(found[found.find(name)] == name for name in clean)
    assert found.find("absent!") == -1
    assert found.find("\ud800") == -1 or "?" in clean


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("the United States", "unite state"),
        ("a tall building", "tall build"),
        ("tall buildings", "tall building"),  # one ending at a time, as there
        ("went to the store", "go store"),
        ("People", "person"),
        ("to be", "to be"),
        ("", ""),
        ("\x00\x1b", ""),
        ("ça va", "ça va"),
        ("日本語", "日本語"),
    ],
)
def test_normalisation(text: str, name: str) -> None:
    assert normal(text) == name


@given(st.text(max_size=40))
def test_any_text_has_forms(text: str) -> None:
    assert all(forms(text))
    assert normal(text) == normal(text.upper().lower()) or not text.isascii()


def test_content_words() -> None:
    assert content_words("Don't you think she'll like the 2 movies?") == ["think", "like", "movies"]
    assert content_words("") == []
    assert base_form("geese") == "goose"


def test_names_of_conceptnet_4_are_their_own_normal_form(data: Path) -> None:
    """The rules were found from the names; what is left are the makers' slips."""
    reading = Reading()
    path = data / "knowledge" / "conceptnet4_en.tsv.gz"
    names = {name for found in assertions([path], reading) for name in (found.start, found.end)}
    assert (reading.malformed, reading.kept) == (0, 225_202)
    assert np.mean([normal(name) == name for name in names]) > 0.98


def test_the_store_that_ships() -> None:
    store = load_store()
    assert len(store) > 25_000
    assert store.edges > 230_000
    assert {"Antonym", "NotDesires", "NotCapableOf", "NotHasProperty"} <= set(store.relations)
    assert "bark" in [edge.end for edge in store.neighbours("dog", "CapableOf", limit=3)]
    assert "down" in store.antonyms("up")
    assert store.look_up("the Puppies") == ("puppy",)
    assert store.neighbours("apple", denied=True, limit=1)[0].weight < 0
    assert not store.written("unite state")
    for text in ("", " ", "\x00", "word " * 100_000, "日本語", "\ud800"):
        assert store.look_up(text) == ()


def test_the_store_that_ships_is_made_of_these_files(data: Path, tmp_path: Path) -> None:
    files = ("conceptnet4_en.tsv.gz", "conceptnet_antonyms.txt.gz")
    made = build([data / "knowledge" / name for name in files], tmp_path / "x")
    ours = load_store()
    assert (made.concepts, made.edges) == (len(ours), ours.edges)
    assert made.reading.malformed == 0
    again = Store.open(tmp_path / "x")
    for theirs, shipped in zip(again.table(), ours.table(), strict=True):
        assert np.asarray(theirs).tolist() == np.asarray(shipped).tolist()


def test_every_error_is_ours(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text("IsA\ta\tb\t1\n")
    with pytest.raises(DialogaugeError, match="cannot be written"):
        build([tmp_path / "x.tsv"], tmp_path / "absent" / "x")
