"""Models of amrlib, without amrlib: a tiny T5 in such a folder, and what it may write."""

import json
import random
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialogauge import language
from dialogauge.amr import Graph, decode, encode, load_parser
from dialogauge.amr.amrlib.linear import delinearised, linearised
from dialogauge.amr.amrlib.matching import align
from dialogauge.amr.amrlib.seq2seq import PARSERS, AmrlibGenerator, AmrlibParser, Transformer
from dialogauge.amr.edits import negate
from dialogauge.amr.graph import check
from dialogauge.amr.loading import Remembering
from dialogauge.encode.cache import Memory
from dialogauge.errors import MissingExtraError, ModelError, UnknownNameError

from .graphs import graphs
from .test_graph import same

pytest.importorskip("torch", reason="amrlib's models run on torch (extra: amrlib)")
pytest.importorskip("transformers", reason="amrlib's models run on transformers (extra: amrlib)")

LINES = {
    "you did n't tell me": "( tell-01 :polarity - :ARG0 ( you ) :ARG2 ( i ) )",
    "the dogs want to bark": "( want-01 :ARG0 ( dog ) :ARG1 ( bark-01 :ARG0 dog ) )",
    "what": ":ARG0 )",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from .tiny_t5 import make

    return make(tmp_path_factory.mktemp("t5") / "parse", LINES, ".parse_xfm.inference")


def test_texts_become_graphs_with_words(folder: Path) -> None:
    parser = AmrlibParser(Transformer.load(folder, PARSERS), language.load(), beams=1)
    tell, want, nothing, again = parser.parse([*LINES, "you did n't tell me"])
    assert tell is not None
    assert same(tell, decode("(t / tell-01 :polarity - :ARG0 (y / you) :ARG2 (i / i))"))
    assert tell == again
    assert [word.text for word in tell.tokens] == ["you", "did", "n't", "tell", "me"]
    assert tell.aligned == {"t": (2, 3), "y": (0,), "i": (4,)}
    assert want is not None
    assert same(want, decode("(w / want-01 :ARG0 (d / dog) :ARG1 (b / bark-01 :ARG0 d))"))
    assert nothing is None
    assert (parser.counts.texts, parser.counts.failed, parser.counts.clipped) == (4, 1, 0)
    assert parser.parse(["", " \n", "tell me " * 100])[:2] == [None, None]
    assert parser.counts.clipped == 1
    assert "beams:1" in parser.signature
    assert "sha256:" in parser.signature


def test_load_parser_remembers(folder: Path) -> None:
    parser = load_parser(folder)
    first = parser.parse([*LINES, *LINES])
    assert first == parser.parse(list(LINES)) * 2
    assert (parser.counts.texts, parser.counts.parsed) == (9, 3)
    assert parser.counts.failed == first[:3].count(None)
    assert "beams:4" in parser.signature


def test_a_random_model_of_any_output(tmp_path: Path) -> None:
    from .tiny_t5 import make

    folder = make(tmp_path / "random", LINES, ".parse_t5.inference", steps=0)
    for graph in AmrlibParser.load(folder).parse([*LINES, "", "😀 \ud800 \0", "word " * 300]):
        assert graph is None or check(graph)


@pytest.mark.parametrize("module", [".generate_xfm.inference", ".generate_t5wtense.inference"])
def test_graphs_become_text(tmp_path: Path, module: str) -> None:
    from .tiny_t5 import make

    graph = decode(
        "# ::snt she told me\n# ::tok she told me\n"
        "(t / tell-01~e.1 :ARG0 (s / she~e.0) :ARG2 (i / i~e.2))"
    )
    plain = linearised(negate(graph, "t"))
    tagged = plain.replace("tell-01", "tell-01~VBD").replace("/ she", "/ she~PRP")
    line = tagged.replace("/ i)", "/ i~PRP)") if "wtense" in module else plain
    lines = {line: "she did n't tell me", linearised(graph): "no"}
    realiser = AmrlibGenerator.load(make(tmp_path / "generate", lines, module))
    assert realiser.realise(graph, negate(graph, "t")) == "she did n't tell me"
    long = decode("(a / and " + " ".join(f":op{n} (v{n} / dog)" for n in range(50)) + ")")
    assert realiser.write([long, negate(graph, "t")]) == [None, "she did n't tell me"]
    assert (realiser.counts.texts, realiser.counts.clipped, realiser.counts.failed) == (3, 1, 0)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "training_args.bin", "model.pt"])
def test_pickles_are_refused(folder: Path, tmp_path: Path, name: str) -> None:
    shutil.copytree(folder, tmp_path / "model")
    (tmp_path / "model" / name).write_bytes(b"\x80\x04")
    with pytest.raises(ModelError, match="safetensors"):
        load_parser(tmp_path / "model")


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        ("amrlib_meta.json", "{", "truncated"),
        ("amrlib_meta.json", '{"inference_module": ".parse_spring.inference"}', "is none of"),
        ("amrlib_meta.json", '{"inference_module": ".generate_xfm.inference"}', "is none of"),
        ("config.json", "{}", "task_specific_params"),
        ("config.json", '{"task_specific_params": {}}', "no parse_amr"),
        (
            "config.json",
            '{"task_specific_params": {"parse_amr": {"max_in_len": 0, "max_out_len": 9}}}',
            "max_in_len",
        ),
        ("model.safetensors", "damaged", "cannot load it"),
        ("model.safetensors", None, "cannot load it"),
        ("tokenizer.json", None, "has no tokenizer"),
        ("tokenizer.json", "{}", "cannot load it"),
    ],
)
def test_a_damaged_folder(
    folder: Path, tmp_path: Path, file: str, text: str | None, problem: str
) -> None:
    shutil.copytree(folder, tmp_path / "model")
    if text is None:
        (tmp_path / "model" / file).unlink()
    else:
        (tmp_path / "model" / file).write_text(text)
    with pytest.raises(ModelError, match=problem):
        load_parser(tmp_path / "model")


def test_a_foreign_tokenizer(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "model")
    path = tmp_path / "model" / "tokenizer.json"
    tokenizer = json.loads(path.read_text())
    tokenizer["model"]["vocab"] |= {f"more{n}": 1000 + n for n in range(1000)}
    path.write_text(json.dumps(tokenizer))
    with pytest.raises(ModelError, match="more words than its model"):
        load_parser(tmp_path / "model")


def test_the_tokenizer_is_never_looked_up_by_name(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr("socket.socket.connect", refuse)
    shutil.copytree(folder, tmp_path / "model")
    path = tmp_path / "model" / "config.json"
    config = json.loads(path.read_text())
    config["task_specific_params"]["parse_amr"]["model_name_or_path"] = "nobody/nothing"
    path.write_text(json.dumps(config))
    assert load_parser(tmp_path / "model").parse(["the dogs want to bark"])[0] is not None


def test_what_is_missing(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'builtin'"):
        load_parser("buildin")
    for name in ("x" * 5000, "a\0b", ""):
        with pytest.raises(UnknownNameError):
            load_parser(name)
    monkeypatch.setattr("dialogauge.amr.amrlib.seq2seq.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match="amrlib"):
        load_parser(folder)


class Counting:
    """A parser that notes what it is asked."""

    def __init__(self, signature: str) -> None:
        self.signature, self.asked = signature, list[str]()

    def parse(self, texts: Sequence[str]) -> list[Graph | None]:
        self.asked += texts
        return [Graph("s", {"s": self.signature}) if text else None for text in texts]


def test_graphs_are_remembered_by_parser_and_text() -> None:
    memory = Memory[Graph | None](limit=100)
    one, two = Counting("one"), Counting("two")
    first, second = Remembering(one, memory), Remembering(two, memory)
    texts = ["a", "b", "a", ""]
    found = first.parse(texts)
    assert [graph and graph.concepts["s"] for graph in found] == ["one", "one", "one", None]
    assert one.asked == ["a", "b", ""]
    assert first.parse(["", "a"]) == [None, found[0]]
    assert one.asked == ["a", "b", ""]
    (other,) = second.parse(["a"])
    assert other is not None
    assert other.concepts == {"s": "two"}
    assert Remembering(one, memory).parse(["b"]) == found[1:2]
    assert first.parse([]) == []


def test_a_bounded_memory_forgets() -> None:
    counting = Counting("one")
    parser = Remembering(counting, Memory[Graph | None](limit=1))
    parser.parse(["a", "b"])
    parser.parse(["a"])
    assert counting.asked == ["a", "b", "a"]


def test_lines_of_models() -> None:
    graph = delinearised(
        '( meet-03 :ARG0 ( person_0 :name ( name :op1 "New" :op2 "York City" ) ) '
        ":ARG1 ( person_1 :ARG0-of ( run-02 :mode imperative ) ) :time 3"
    )
    assert graph is not None
    assert same(
        graph,
        decode(
            '(m / meet-03 :ARG0 (p / person :name (n / name :op1 "New" :op2 "York City")) '
            ":ARG1 (p2 / person :ARG0-of (r / run-02 :mode imperative)) :time 3)"
        ),
    )


@pytest.mark.parametrize(
    ("line", "penman"),
    [
        ("( a :mod ( b", "(a / a :mod (b / b))"),
        ("( a ) ) :mod ( b )", "(a / a :mod (b / b))"),
        ("( a :mod b :time c", "(a / a :mod (b / b :time (c / c)))"),
        ("( a :mod ( a ) :mod b )", "(a / a :mod a :mod (b / b))"),
        ("( a :mod :time ( b ) )", "(a / a :time (b / b))"),
        ('( a :op1 "open', '(a / a :op1 "open")'),
        ("( a :quant 3: )", '(a / a :quant "3:")'),
        ("( a b :mod c d )", "(a / a :mod (c / c))"),
        ("( i :mod i_2 )", "(i / i :mod (i2 / i))"),
        ("", None),
        ("( )", None),
        ("(", None),
        ("a :mod b", None),
        (":mod ( b )", None),
        ('"x"', None),
    ],
)
def test_broken_lines(line: str, penman: str | None) -> None:
    graph = delinearised(line)
    if penman is None:
        assert graph is None
    else:
        assert graph is not None
        assert encode(check(graph)) == encode(decode(penman))


@given(st.lists(st.sampled_from(["(", ")", "a", "b_1", ":mod", ":ARG0-of", "-", '"', "/", "3"])))
def test_any_line_gives_a_sound_graph_or_none(lexemes: list[str]) -> None:
    graph = delinearised(" ".join(lexemes))
    assert graph is None or same(decode(encode(check(graph))), graph)


@given(graphs(), st.integers(0, 9))
def test_alignments_are_of_one_word_each(graph: Graph, seed: int) -> None:
    words = random.Random(seed).choices(["I", "went", "dogs", "not", "and", "three"], k=seed)
    places = align(graph, words, words)
    every = [place for own in places.values() for place in own]
    assert len(every) == len(set(every))
    assert all(0 <= place < len(words) for place in every)
    assert places.keys() <= graph.concepts.keys()


def test_alignment_prefers_the_equal_word() -> None:
    graph = decode("(n / nation :mod (n2 / nationality) :quant 2 :location (m / march-01))")
    words = ["two", "nationality", "rules", "of", "nations", "marched", "in", "March"]
    lemmas = ["two", "nationality", "rule", "of", "nation", "march", "in", "march"]
    assert align(graph, words, lemmas) == {"n": (0, 4), "n2": (1,), "m": (5,)}
