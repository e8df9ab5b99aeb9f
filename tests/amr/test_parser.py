"""The built-in AMR parser: what it must say, and that nothing makes it fail."""

import itertools
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("spacy")

from dialogauge.amr import Graph, decode, encode, files
from dialogauge.amr.graph import check
from dialogauge.amr.parser import rules
from dialogauge.amr.parser.assembling import Plan, assemble
from dialogauge.amr.parser.builtin import Builtin
from dialogauge.amr.parser.deciding import arborescence
from dialogauge.amr.parser.numbers import value
from dialogauge.amr.parser.words import LONGEST, Word, with_vectors
from dialogauge.encode import Encoder
from dialogauge.errors import MissingExtraError
from dialogauge.language import load


def triples(graph: Graph) -> set[tuple[str, str, str]]:
    """Every edge with the concepts of its ends."""
    named = graph.concepts
    return {
        (named[edge.source], edge.role, named.get(edge.target, edge.target)) for edge in graph.edges
    }


def parsed(parser: Builtin, text: str) -> Graph:
    graph = parser.parse([text])[0]
    assert graph is not None
    return graph


def test_parsing_needs_spacy_and_graphs_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dialogauge.language.pipeline.find_spec", lambda _: None)
    monkeypatch.setattr("dialogauge.amr.parser.builtin.shared", load)  # which remembers nothing
    with pytest.raises(MissingExtraError, match=r"dialogauge\[language\]"):
        Builtin.load()
    assert decode("(a / b :ARG0 (c / d))").edges


def test_the_sentence_that_must_be_right(parser: Builtin) -> None:
    graph = parsed(parser, "Why did you not tell me that she hates Oscar?")
    found = triples(graph)
    assert {
        ("tell-01", ":polarity", "-"),
        ("tell-01", ":ARG0", "you"),
        ("tell-01", ":ARG2", "i"),
        ("tell-01", ":ARG1", "hate-01"),
        ("hate-01", ":ARG0", "she"),
        ("hate-01", ":ARG1", "person"),
        ("person", ":name", "name"),
        ("name", ":op1", '"Oscar"'),
        ("cause-01", ":ARG1", "tell-01"),
        ("cause-01", ":ARG0", "amr-unknown"),
    } <= found
    assert list(graph.concepts.values()).count("amr-unknown") == 1  # its mark asks nothing more
    words = {
        graph.concepts[v]: [graph.tokens[p].text for p in at] for v, at in graph.aligned.items()
    }
    assert words["hate-01"] == ["hates"]
    assert words["tell-01"] == ["not", "tell"]  # a constant's word counts for its variable
    assert words["person"] == ["Oscar"]
    assert words["i"] == ["me"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The boy sleeps.", {("sleep-01", ":ARG0", "boy")}),
        ("I do not like cats.", {("like-01", ":polarity", "-"), ("like-01", ":ARG0", "i")}),
        ("You can go.", {("possible-01", ":ARG1", "go-02")}),
        ("Three dogs sleep.", {("dog", ":quant", "3")}),
        ("You have to go.", {("obligate-01", ":ARG2", "go-02")}),
        ("Do you like cats?", {("like-01", ":polarity", "amr-unknown")}),
        ("A fox sleeps.", {("sleep-01", ":ARG0", "fox")}),
        pytest.param(
            *("The fox sleeps.", {("sleep-01", ":ARG0", "fox")}),
            marks=pytest.mark.xfail(strict=True, reason="the broadcaster, in talks about films"),
        ),
        ("Did you know that she sleeps?", {("know-01", ":ARG1", "sleep-01")}),
        ("I saw it on youtube.", {("name", ":op1", '"YouTube"')}),
    ],
)
def test_small_sentences(parser: Builtin, text: str, expected: set[tuple[str, str, str]]) -> None:
    assert expected <= triples(parsed(parser, text))


BAD = [
    "",
    "   \n\t ",
    "?",
    "...",
    "😀😀 🎉",
    "lol idk u gonna b there??",
    "asdkjh qwpoeiru zmxncb",
    "WHY ARE YOU SHOUTING AT ME",
    "see https://example.org/a(b)/c?d=e:f~g#h and mail me@example.org",
    "Ich habe keine Ahnung, was du meinst.",
    "これは日本語です。",
    "مرحبا كيف حالك",
    'He said "a \\" quote (and / brackets)" :ARG0 ~e.3 # hash',
    "\ud800 broken \x00 control \u202e",
    "word " * 500,
    "I think " * 250 + "so.",
    "x" * 5000,
    "1,000,000 2.5 1st 10th 99% $3.50 12:30 2020-01-01",
    "- - - -",
    "not",
    "seven",
]


@pytest.mark.parametrize("text", BAD, ids=range(len(BAD)))
def test_bad_input_gives_a_valid_graph_or_none(parser: Builtin, text: str) -> None:
    graph = parser.parse([text])[0]
    assert (graph is None) == (not text.strip())
    if graph is not None:
        check(graph)
        assert decode(encode(graph)).concepts.keys() == graph.concepts.keys()


@settings(max_examples=40)
@given(st.text(max_size=60))
def test_any_text(parser: Builtin, text: str) -> None:
    graph = parser.parse([text])[0]
    if graph is not None:
        check(graph)


def test_texts_without_words_are_counted() -> None:
    parser = Builtin.load()
    assert parser.parse(["", "Hello there.", "  "])[0] is None
    assert (parser.counts.texts, parser.counts.empty) == (3, 2)


def test_a_graph_does_not_depend_on_its_batch(parser: Builtin) -> None:
    texts = ["I like it.", "Who wrote the long book that she gave you?", "No.", "word " * 90]
    texts += [" ".join(["We saw her in Paris."] * number) for number in range(1, 12)]
    assert parser.parse(texts) == [parser.parse([text])[0] for text in texts]


def test_every_node_is_aligned_but_what_no_word_says(parser: Builtin) -> None:
    graph = parsed(parser, "Tell me about it. My teacher never saw three red dogs in New York.")
    for variable, concept in graph.concepts.items():
        assert variable in graph.aligned or concept in ("multi-sentence", "you")
    assert [graph.text[t.start : t.end] for t in graph.tokens] == [t.text for t in graph.tokens]


def test_long_texts_keep_their_places(parser: Builtin) -> None:
    text = " ".join(f"She saw {name}." for name in ["Anna", "Oscar", "Paris"] * LONGEST)
    graph = parsed(parser, text)
    check(graph)
    assert len(graph.tokens) == 4 * 3 * LONGEST
    assert max(max(places) for places in graph.aligned.values()) > LONGEST


def test_words_beyond_one_window_of_the_encoder_have_vectors(encoder: Encoder) -> None:
    spelling = "antidisestablishmentarianism"  # eight word pieces
    words = tuple(
        Word(spelling, spelling, "NOUN", "NN", "dep", at, "O", 29 * at, 29 * at + 28)
        for at in range(LONGEST)
    )
    (piece,) = with_vectors([words], encoder)
    assert len(encoder.windows([" ".join([spelling] * LONGEST)])[0]) > 1
    assert piece.vectors.any(axis=1).all()


def test_signature_names_everything_that_counts(parser: Builtin) -> None:
    assert parser.pipeline.signature in parser.signature
    assert parser.encoder.signature in parser.signature


def smatch_f1(pairs: list[tuple[Graph | None, Graph]]) -> float:
    import smatch

    random.seed(1)
    smatch.iteration_num = 5
    matched = made = true = 0
    for ours, gold in pairs:
        lines = [" ".join(encode(graph).split()) if graph else "(x / x)" for graph in (ours, gold)]
        one = smatch.get_amr_match(*lines)
        smatch.match_triple_dict.clear()
        matched, made, true = matched + one[0], made + one[1], true + one[2]
    return 2 * matched / (made + true)


def test_smatch_of_real_questions(parser: Builtin, data: Path) -> None:
    gold = list(files.read(data / "amr" / "qald-9-amr-test.txt"))[::3]
    found = parser.parse([graph.text for graph in gold])
    assert smatch_f1(list(zip(found, gold, strict=True))) > 0.5


# ---------------------------------------------------------------- parts


@given(st.integers(2, 5), st.integers(0, 10_000))
def test_the_tree_is_the_best_one(size: int, seed: int) -> None:
    scores = np.random.default_rng(seed).normal(size=(size, size)).astype(np.float32)
    heads = arborescence(scores)
    total = sum(float(scores[heads[node], node]) for node in range(1, size))
    best = max(
        sum(float(scores[head, node]) for node, head in enumerate(choice, 1))
        for choice in itertools.product(range(size), repeat=size - 1)
        if is_tree(choice)
    )
    assert is_tree(tuple(heads[1:]))
    assert total == pytest.approx(best, abs=1e-4)


def is_tree(heads: tuple[int, ...]) -> bool:
    for start in range(1, len(heads) + 1):
        at, steps = start, 0
        while at != 0:
            at, steps = heads[at - 1], steps + 1
            if steps > len(heads):
                return False
    return True


def word(text: str, head: int, dep: str = "dep", lemma: str = "", pos: str = "X") -> Word:
    return Word(text, lemma or text.lower(), pos, "X", dep, head, "O", 0, len(text))


def sentence(described: str) -> tuple[Word, ...]:
    """Words, each described as text, head, relation, lemma and part of speech."""
    rows = (each.split() for each in described.split(" / "))
    return tuple(word(text, int(head), dep, lemma, pos) for text, head, dep, lemma, pos in rows)


def test_a_plan_becomes_a_graph() -> None:
    words = (
        word("He", 1, lemma="he"),
        word("signed", 1, lemma="sign"),
        word("up", 1, "compound:prt"),
        word("for", 4),
        word("three", 5),
        word("classes", 1, lemma="class"),
    )
    graph = assemble(
        [
            Plan(
                words,
                templates=("(L)", "(P-03)", "-", "-", "=NUM", "(L)"),
                stems=("",) * 6,
                heads=(2, 0, -1, -1, 6, 2),
                labels=(":ARG0@0", ":top", "", "", ":quant@0", ":ARG1@0"),
                again=(),
                modes=("",) * 6,
            )
        ]
    )
    assert graph is not None
    same = decode("(s / sign-up-03 :ARG0 (h / he) :ARG1 (c / class :quant 3))")
    assert triples(graph) == triples(same)
    assert graph.aligned["s"] == (1,)


def test_edges_beside_the_trees_may_join_two_sentences() -> None:
    words = (word("I", 1), word("slept", 1, lemma="sleep"), word("Dreamt", 2, lemma="dream"))
    plan = Plan(
        words,
        templates=("(i)", "(L-01)", "(L-01)"),
        stems=("",) * 3,
        heads=(2, 0, 0),
        labels=(":ARG0@0", ":top", ":top"),
        again=((3, 1, ":ARG0@0"),),
        modes=("",) * 3,
    )
    graph = assemble([plan])
    assert graph is not None
    same = "(m / multi-sentence :snt1 (s / sleep-01 :ARG0 (i / i)) :snt2 (d / dream-01 :ARG0 i))"
    assert triples(graph) == triples(decode(same))


def test_names_are_written_with_capitals_and_in_one_piece() -> None:
    texts = ["al", "-", "Qaeda", "of", "nfl"]
    starts = [0, 2, 3, 9, 12]
    words = tuple(
        Word(text, text.lower(), "PROPN", "NNP", "flat", 0, "O", start, start + len(text))
        for text, start in zip(texts, starts, strict=True)
    )
    plan = Plan(
        words,
        templates=("(team :name NAME)", *("I",) * 4),
        stems=("",) * 5,
        heads=(0, *(-1,) * 4),
        labels=(":top", *("",) * 4),
        again=(),
        modes=("",) * 5,
    )
    graph = assemble([plan], "", {"nfl": "NFL"})
    assert graph is not None
    same = '(t / team :name (n / name :op1 "al-Qaeda" :op2 "of" :op3 "NFL"))'
    assert triples(graph) == triples(decode(same))
    assert graph.aligned["t"] == (0, 1, 2, 3, 4)


def test_a_question_asks_by_its_mark_or_its_auxiliary() -> None:
    did, you, go = ("did", "aux", "AUX"), ("you", "nsubj", "PRON"), ("go", "ROOT", "VERB")

    def sentence(*order: tuple[str, str, str]) -> tuple[Word, ...]:
        return tuple(
            Word(text, text, pos, "X", dep, 2, "O", 4 * at, 4 * at + len(text))
            for at, (text, dep, pos) in enumerate(order)
        )

    mark, stop = ("?", "punct", "PUNCT"), (".", "punct", "PUNCT")
    chosen = ["-"] * 4
    assert rules.asked(sentence(did, you, go, mark), chosen) == {3: rules.ASKED}
    assert rules.asked(sentence(did, you, go, stop), chosen) == {0: rules.ASKED}
    assert rules.asked(sentence(you, did, go, stop), chosen) == {}
    assert rules.stating(sentence(you, did, go, stop)) == [0, 1, 2, 3]
    assert rules.stating(sentence(did, you, go, stop)) == []


def test_a_negated_word_has_the_stem_of_what_it_negates(parser: Builtin) -> None:
    negated = parser.inventory.numbers["templates"]["(D-01 :polarity =-)"]
    for text in ("unamused", "sleepless"):
        stem = parser.inventory.stem(word(text, 0), negated)
        assert text.removeprefix("un").startswith(stem[:5])


def test_numbers_are_written_in_figures() -> None:
    assert value(["two", "hundred", "five"]) == "205"
    assert value(["3", "thousand"]) == "3000"
    assert value(["cats"]) is None


def test_alignment_and_back() -> None:
    pytest.importorskip("torch")
    from dialogauge.train.models.amr.align import Aligner

    words = sentence(
        "My 1 nmod:poss my PRON / teacher 4 nsubj teacher NOUN / did 4 aux do AUX / "
        "not 4 advmod not PART / see 4 ROOT see VERB / New 6 amod new PROPN / "
        "York 4 obj york PROPN"
    )
    graph = decode(
        "(s / see-01 :polarity - :ARG0 (p / person :ARG0-of (t / teach-01 :ARG2 (i / i)))"
        ' :ARG1 (c / city :name (n / name :op1 "New" :op2 "York")))'
    )
    other = decode("(s / sleep-01 :polarity -)")
    asleep = (word("not", 1, "advmod", "not", "PART"), word("sleeping", 1, "ROOT", "sleep", "VERB"))
    reading = Aligner([(words, graph), *[(asleep, other)] * 5]).read(words, graph)
    assert reading.templates == (
        "(i)",
        "(person :ARG0-of (D-01))",
        "-",
        "=-",
        "(L-01)",
        "(city :name NAME)",
        "I",
    )
    assert reading.heads == (2, 5, -1, 5, 0, 5, -1)
    assert reading.labels[0] == ":ARG2@1"
    back = assemble([Plan(words, *(getattr(reading, name) for name in reading.__struct_fields__))])
    assert back is not None
    assert triples(back) == triples(graph)


def test_what_is_learned_from_an_obligation_and_from_a_sentence_that_was_overlooked() -> None:
    pytest.importorskip("torch")
    from dialogauge.train.models.amr.align import Aligner

    words = sentence(
        "I 1 nsubj i PRON / have 1 ROOT have VERB / to 3 mark to PART / "
        "go 1 xcomp go VERB / . 1 punct . PUNCT / She 6 nsubj she PRON / "
        "sings 6 ROOT sing VERB / ! 6 punct ! PUNCT"
    )
    graph = decode("(o / obligate-01 :ARG1 (i / i) :ARG2 (g / go-02 :ARG0 i))")
    reading = Aligner([(words, graph)]).read(words, graph)
    assert reading.templates == ("(L)", "(obligate-01)", "-", "(L-02)", "-", "?", "?", "?")
