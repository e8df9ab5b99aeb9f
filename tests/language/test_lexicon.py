"""The shipped lexicon: known facts of English, and the file they come from."""

import runpy
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from zstandard import ZstdDecompressor

from dialogauge.errors import DataError, UnknownNameError
from dialogauge.language import Lexicon
from dialogauge.language.lexicon import FILE, PARTS

WORDNET = Path("/usr/share/wordnet")
SCRIPT = Path(__file__).parents[2] / "scripts" / "build_lexicon.py"


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return Lexicon.load()


@pytest.mark.parametrize(
    ("word", "pos", "opposites"),
    [
        ("good", "a", {"bad", "evil"}),
        ("hot", "a", {"cold"}),
        ("rise", "v", {"fall", "set"}),
        ("quickly", "r", {"slowly"}),
        ("man", "n", {"woman"}),
        ("table", None, set()),
    ],
)
def test_antonyms(lexicon: Lexicon, word: str, pos: str | None, opposites: set[str]) -> None:
    assert set(lexicon.antonyms(word, pos)) == opposites


def test_antonyms_keep_sense_and_part_of_speech(lexicon: Lexicon) -> None:
    by_sense = {sense.antonyms: sense for sense in lexicon.senses("rise", "v") if sense.antonyms}
    assert "lift" in by_sense[("fall",)].words
    assert "come up" in by_sense[("set",)].words
    assert lexicon.antonyms("rise", "n") == ("fall",)


def test_every_antonym_link_is_kept(lexicon: Lexicon) -> None:
    assert sum(map(len, lexicon._antonyms.values())) == 7979
    assert "cold" in lexicon.antonyms("hot", "a")
    assert "hot" in lexicon.antonyms("cold", "a")
    for word, pos in (("day", "n"), ("buy", "v"), ("happy", "a"), ("quickly", "r")):
        assert lexicon.antonyms(word, pos)


def test_synonyms_of_the_commonest_sense_come_first(lexicon: Lexicon) -> None:
    assert lexicon.synonyms("car")[:4] == ("auto", "automobile", "machine", "motorcar")
    assert lexicon.synonyms("quick", "a")[0] == "speedy"
    assert {"fast", "flying", "nimble", "prompt"} <= set(lexicon.synonyms("quick"))
    assert "railway car" in lexicon.synonyms("car")
    assert "car" not in lexicon.synonyms("cars")


@pytest.mark.parametrize(
    ("form", "pos", "base"),
    [
        ("went", None, "go"),
        ("better", "a", "good"),
        ("mice", None, "mouse"),
        ("children", None, "child"),
        ("dogs", "n", "dog"),
        ("churches", "n", "church"),
        ("women", "n", "woman"),
        ("tries", "v", "try"),
        ("hoping", "v", "hope"),
        ("taller", "a", "tall"),
        ("Railway Cars", "n", "railway car"),
        ("railway_car", "n", "railway car"),
    ],
)
def test_lemmas(lexicon: Lexicon, form: str, pos: str | None, base: str) -> None:
    assert base in lexicon.lemmas(form, pos)


def test_senses_are_ranked(lexicon: Lexicon) -> None:
    senses = lexicon.senses("run", "v")
    assert [sense.rank for sense in senses] == list(range(1, len(senses) + 1))
    assert senses[0].count == max(sense.count for sense in senses) > 0
    counts = [sense.count for sense in lexicon.senses("run")]
    assert counts == sorted(counts, reverse=True)
    assert {sense.pos for sense in lexicon.senses("run")} == {"n", "v"}


@pytest.mark.parametrize(
    ("word", "pos", "opposite"),
    [
        ("quick", "a", "slow"),  # through its head "fast"
        ("huge", "a", "small"),
        ("tiny", "a", "large"),
        ("commence", "v", "end"),  # through its synonym "begin"
    ],
)
def test_indirect_antonyms(lexicon: Lexicon, word: str, pos: str, opposite: str) -> None:
    assert lexicon.antonyms(word, pos) == ()
    assert lexicon.antonyms(word, pos, indirect=True)[0] == opposite


def test_direct_antonyms_come_before_indirect_ones(lexicon: Lexicon) -> None:
    for word in ("good", "happy", "hot", "old"):
        direct = lexicon.antonyms(word, "a")
        assert direct
        assert lexicon.antonyms(word, "a", indirect=True)[: len(direct)] == direct


def test_substitutes_are_the_synonyms_by_use(lexicon: Lexicon) -> None:
    assert lexicon.substitutes("begin", "v")[0] == "start"
    assert lexicon.substitutes("car", "n")[0] == "automobile"
    assert lexicon.substitutes("movies", "n")[0] == "film"
    assert lexicon.substitutes("big", "a")[0] == "large"
    for word in ("begin", "car", "quick", "help", "good", "Paris"):
        assert set(lexicon.substitutes(word)) == set(lexicon.synonyms(word))


@pytest.mark.parametrize(
    ("word", "pos", "level", "others"),
    [
        ("dog", "n", 1, {"fox", "wolf"}),
        ("dogs", "n", 2, {"cat", "fox", "wolf"}),
        ("coffee", "n", 1, {"tea", "milk"}),
        ("guitar", "n", 2, {"piano", "drum"}),
        ("Monday", "n", 1, {"Tuesday", "Friday"}),
        ("paris", "n", 1, {"London", "Berlin"}),
        ("red", "n", 1, {"blue", "green"}),
        ("red", "a", 1, {"blue", "green"}),
        ("eat", "v", 1, {"drink"}),
    ],
)
def test_something_else_of_the_same_kind(
    lexicon: Lexicon, word: str, pos: str, level: int, others: set[str]
) -> None:
    assert others <= set(lexicon.of_same_kind(word, pos, level))


def test_the_commonest_of_the_same_kind_comes_first(lexicon: Lexicon) -> None:
    assert lexicon.of_same_kind("dog")[0] == "cat"
    assert lexicon.of_same_kind("cat")[0] == "dog"
    counts = [lexicon.senses(name, "n")[0].count for name in lexicon.of_same_kind("guitar")]
    assert counts == sorted(counts, reverse=True)


@pytest.mark.parametrize("word", ["dog", "Paris", "Monday", "doctor", "house", "piano", "table"])
def test_others_of_the_same_kind_mean_something_else(lexicon: Lexicon, word: str) -> None:
    own = {word.lower(), *(name.lower() for name in lexicon.synonyms(word, "n"))}
    near, far = lexicon.of_same_kind(word, level=1), lexicon.of_same_kind(word, level=2)
    assert set(near) <= set(far)
    assert not own & {name.lower() for name in far}
    assert all(name[0].isupper() == word[0].isupper() for name in far)
    assert lexicon.of_same_kind(word, level=0) == ()


def test_an_unknown_word_has_nothing(lexicon: Lexicon) -> None:
    questions = (
        lexicon.senses,
        lexicon.lemmas,
        lexicon.synonyms,
        lexicon.substitutes,
        lexicon.antonyms,
    )
    for ask in questions:
        assert ask("qwertzuiop") == ()
        assert ask("") == ()
    assert lexicon.of_same_kind("qwertzuiop") == lexicon.of_same_kind("") == ()


@pytest.mark.parametrize("word", ["a" * 100_000, "\x00\x1b", "собака", "\ud800", "~~~", " ", "!"])
def test_what_is_no_word_has_nothing(lexicon: Lexicon, word: str) -> None:
    assert lexicon.senses(word) == ()
    assert lexicon.of_same_kind(word) == ()
    assert lexicon.antonyms(word, indirect=True) == ()


def test_an_unknown_part_of_speech_is_an_error(lexicon: Lexicon) -> None:
    with pytest.raises(UnknownNameError, match="no part of speech is called 'x'"):
        lexicon.synonyms("good", "x")


@given(word=st.text(), pos=st.sampled_from([None, *PARTS]))
def test_any_text_can_be_looked_up(word: str, pos: str | None) -> None:
    lexicon = Lexicon.load()
    for sense in lexicon.senses(word, pos):
        assert sense.word in {name.lower() for name in sense.words}
    assert set(lexicon.substitutes(word, pos)) == set(lexicon.synonyms(word, pos))


def test_loading_twice_gives_the_same_lexicon() -> None:
    assert Lexicon.load() is Lexicon.load()


def test_a_damaged_file_is_one_clear_error(tmp_path: Path) -> None:
    damaged = tmp_path / "lexicon.zst"
    damaged.write_bytes(FILE.read_bytes()[:-1] + b"\0")
    with pytest.raises(DataError, match=r"lexicon.zst: the lexicon is damaged.*install") as error:
        Lexicon.load(damaged)
    assert "\n" not in str(error.value)


def test_a_missing_file_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot read the lexicon: No such file"):
        Lexicon.load(tmp_path / "lexicon.zst")


def test_the_licence_is_beside_the_file() -> None:
    licence = FILE.with_name("WORDNET-LICENSE").read_text()
    assert "WordNet 3.0 Copyright 2006 by Princeton University" in licence
    assert FILE.stat().st_size <= 3_500_000


@pytest.mark.skipif(not WORDNET.is_dir(), reason="needs Debian's wordnet-base")
def test_the_script_makes_the_shipped_text() -> None:
    build: Callable[[Path], bytes] = runpy.run_path(str(SCRIPT))["build"]
    assert build(WORDNET) == ZstdDecompressor().decompress(FILE.read_bytes())
