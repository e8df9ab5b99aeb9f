"""Graphs: PENMAN in and out, what is refused and where, what can be asked."""

import logging
import re
from collections import Counter
from pathlib import Path

import penman  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st
from penman.models.amr import model  # type: ignore[import-untyped]

from dialogauge.amr import Edge, Graph, NotationError, Token, decode, encode, files, questions
from dialogauge.amr.graph import check, is_turned, quoted, symbol, unquoted
from dialogauge.amr.notation import DEEPEST
from dialogauge.errors import InputError

from .graphs import graphs, published

TELL = """# ::id 1 ::date today
# ::snt Why didn't you tell me that she hates Oscar?
# ::tok Why did n't you tell me that she hates Oscar ?
(t / tell-01~e.4
      :polarity -~e.2
      :ARG0~e.3 (y / you~e.3)
      :ARG1 (h / hate-01~e.8
            :ARG0 (s / she~e.7)
            :ARG1 (p / person
                  :name (n / name
                        :op1 "Oscar"~e.9)))
      :ARG2 (i / i~e.5)
      :ARG1-of (c / cause-01
            :ARG0 (a / amr-unknown~e.0)))
"""


def same(one: Graph, other: Graph) -> bool:
    """Whether two graphs say the same, in whatever order."""
    edges = [Counter(graph.edges) for graph in (one, other)]
    return (one.top, one.concepts, edges[0]) == (other.top, other.concepts, edges[1])


def test_a_graph_with_its_words() -> None:
    graph = decode(TELL)
    assert graph.top == "t"
    assert graph.text == "Why didn't you tell me that she hates Oscar?"
    assert graph.tokens[2] == Token("n't", 7, 10)
    assert graph.tokens[-1] == Token("?", 43, 44)
    assert Edge("c", ":ARG1", "t") in graph.edges
    assert graph.aligned["t"] == (2, 4)  # its own word, and that of its constant
    assert graph.aligned["n"] == (9,)
    assert "p" not in graph.aligned


def test_questions() -> None:
    graph = decode(TELL)
    assert questions.frames(graph) == ["t", "h", "c"]
    assert questions.pronouns(graph) == ["y", "s", "i"]
    assert questions.negated(graph) == ["t"]
    assert [edge.target for edge in questions.arguments(graph, "t")] == ["y", "h", "i"]
    assert questions.names(graph) == {"p": "Oscar"}
    assert [word.text for word in questions.words(graph, "t")] == ["n't", "tell"]
    assert sorted(questions.below(graph, "h")) == ["h", "n", "p", "s"]
    assert (questions.depth(graph), questions.depth(graph, "h")) == (4, 3)
    assert questions.sentences(graph) == ["t"]
    with pytest.raises(InputError, match="no variable 'zz'"):
        questions.arguments(graph, "zz")


def test_sentences_operands_mode() -> None:
    graph = decode(
        "(m / multi-sentence :snt2 (g / go-01 :mode imperative) :snt1 (a / and "
        ":op2 (r / red :domain (c / car :mod (o / old))) :op1 (b / blue)) :snt10 (y / yes))"
    )
    assert questions.sentences(graph) == ["a", "g", "y"]
    assert [edge.target for edge in questions.operands(graph, "a")] == ["b", "r"]
    assert (questions.mode(graph, "g"), questions.mode(graph, "a")) == ("imperative", "")
    assert questions.incoming(graph, "c") == [Edge("r", ":domain", "c")]


def test_roles_that_only_look_turned() -> None:
    graph = decode("(r / ring :consist-of (g / gold) :part-of (s / set) :ARG0-of 3)")
    assert set(graph.edges) == {
        Edge("r", ":consist-of", "g"),
        Edge("s", ":part", "r"),
        Edge("r", ":ARG0-of", "3"),  # a constant cannot be the start of an edge
    }


def test_every_published_graph_is_what_it_was_after_writing_and_reading(data: Path) -> None:
    found = published(data)
    for name, graphs_of in found.items():
        for graph in graphs_of:
            assert same(decode(encode(graph)), graph), f"{name}: {encode(graph)}"
    assert sum(map(len, found.values())) > 53_000


def test_penman_reads_the_same(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.getLogger("penman.layout"), "disabled", True)
    for graphs_of in published(data).values():
        for graph in graphs_of[:: max(1, len(graphs_of) // 200)]:
            theirs = penman.decode(encode(graph), model=model)
            assert theirs.top == graph.top
            assert {it.source: it.target for it in theirs.instances()} == graph.concepts
            edges = [Edge(*edge) for edge in theirs.edges() + theirs.attributes()]
            assert Counter(edges) == Counter(graph.edges)


def test_roles_are_turned_where_penman_says_so(data: Path) -> None:
    every = (graph for graphs_of in published(data).values() for graph in graphs_of)
    plain = {edge.role for graph in every for edge in graph.edges}
    plain |= {re.sub(r"\[0-9\]\+?", "1", role) for role in model.roles}  # ":op[0-9]+" and the like
    assert len(plain) > 110
    for role in sorted(plain):
        for each in (role, f"{role}-of", f"{role}-of-of"):
            assert is_turned(each) == model.is_role_inverted(each), each


def test_what_is_counted_in_a_file_and_what_is_not(data: Path) -> None:
    counts = files.Counts()
    found = list(files.conversations(data / "amr" / "deam_parsed_train.txt.gz", counts))
    assert (counts.graphs, counts.broken) == (1761, 1)  # the last one is cut
    assert len(found) == 82
    assert not any("</CONV>" in graph.text for graph in found[0])
    assert [graph.text[:10] for graph in found[0][:2]] == ["I saw that", "Best news "]
    counts = files.Counts()
    assert sum(1 for _ in files.read(data / "amr" / "bamboo_sts.amr.gz", counts)) == 17262
    assert counts.broken == 0


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(b"\x1f\x8bno")
    for name in ("a.gz", "missing"):
        with pytest.raises(InputError, match=name):
            list(files.read(tmp_path / name))


@given(graphs())
def test_what_is_written_is_read_again(graph: Graph) -> None:
    assert same(decode(encode(check(graph))), graph)


@given(st.text(max_size=12))
def test_any_text_can_be_a_concept_or_a_constant(text: str) -> None:
    graph = Graph("x", {"x": symbol(text)}, (Edge("x", ":op1", quoted(text)),))
    assert same(decode(encode(check(graph))), graph)
    if text.isprintable():
        assert unquoted(quoted(text)) == text


@pytest.mark.parametrize(
    ("text", "problem", "line", "column"),
    [
        ("", 'expected "(", found the end', 1, 0),
        ("# ::snt only\n", 'expected "(", found the end', 1, 0),
        ("(a / b", 'expected a role or ")", found the end', 1, 6),
        ("(a / b\n   :ARG0 (c / d)\n", 'expected a role or ")", found the end', 2, 16),
        ("(a / b))", "expected the end, found ')'", 1, 7),
        ("(a / b) (c / d)", "expected the end, found '('", 1, 8),
        ("(a / b\n :ARG0 )", "expected a name or a string or \"(\", found ')'", 2, 7),
        ("(a / )", "expected a name or a string, found ')'", 1, 5),
        ("(a)", "expected \"/\", found ')'", 1, 2),
        ("((a / b))", "expected a name, found '('", 1, 1),
        ("(a / b :ARG0 (a / c))", "the variable a is defined twice", 1, 14),
        ('(a / b :op1 "open)', "found '\"'", 1, 12),
        ("(a / b : c)", "found ':'", 1, 7),
        ("hello", "expected \"(\", found 'hello'", 1, 0),
    ],
)
def test_a_mistake_has_a_place(text: str, problem: str, line: int, column: int) -> None:
    with pytest.raises(NotationError) as caught:
        decode(text)
    error = caught.value
    assert problem in error.problem
    assert error.line == line
    shown, caret = error.excerpt.split("\n")
    assert caret == " " * (4 + column) + "^"
    assert shown.strip() == text.split("\n")[line - 1].strip()
    assert str(error).startswith(f"line {line}: ")


def test_a_long_line_is_shown_around_the_place_and_escaped() -> None:
    with pytest.raises(NotationError) as caught:
        decode("(a / b :op1 3" + " :op1 4" * 100 + " \x1b\t( " + "x" * 1000)
    shown, caret = caught.value.excerpt.split("\n")
    assert len(shown) < 150
    assert not set(shown) & set("\x1b\t")
    assert shown[len(caret) - 1] == "\\"


@pytest.mark.parametrize(
    "text", ["(" * 100_000, "(a / b :c " * 100_000, "(a" * 100_000, ")" * 100_000]
)
def test_a_hundred_thousand_brackets(text: str) -> None:
    with pytest.raises(NotationError):
        decode(text)


def test_deep_graphs_within_the_limit() -> None:
    opened = "".join(f"(v{place} / a :mod " for place in range(DEEPEST - 1))
    text = opened + "(last / b" + ")" * DEEPEST
    assert questions.depth(decode(encode(decode(text)))) == DEEPEST
    with pytest.raises(NotationError, match="deeper"):
        decode(f"(top / c :mod {text})")
    chain = tuple(Edge(f"v{n}", ":mod", f"v{n + 1}") for n in range(3000))
    deep = Graph("v0", {f"v{n}": "a" for n in range(3001)}, chain)
    assert encode(deep).count("(") == questions.depth(deep) == 3001


@given(st.text('()/:~"\\# \n\tab01-.e', max_size=60))
def test_no_text_is_worse_than_a_mistake(text: str) -> None:
    try:
        graph = decode(text)
    except NotationError:
        return
    assert same(decode(encode(check(graph))), graph)


@pytest.mark.parametrize(
    ("graph", "problem"),
    [
        (Graph("z", {"a": "b"}), "the top 'z'"),
        (Graph("a", {"a": "b", "c": "d"}), "not connected: nothing leads from a to c"),
        (Graph("a", {"a": "two words"}), "not PENMAN"),
        (Graph("a", {"a": "b"}, (Edge("c", ":mod", "a"),)), "starts at no variable"),
        (Graph("a", {"a": "b"}, (Edge("a", "mod", "3"),)), "not PENMAN"),
        (Graph("a", {"a": "b"}, (Edge("a", ":mod", 'x"'),)), "not PENMAN"),
        (Graph("a", {"a": "b"}, (Edge("a", ":ARG0-of", "a"),)), "wrong way round"),
        (Graph("a", {"a": "b"}, aligned={"a": (0,)}), "beyond the 0 tokens"),
        (Graph("a", {"a": "b"}, aligned={"c": ()}), "alignment of 'c'"),
    ],
)
def test_what_penman_cannot_hold(graph: Graph, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        check(graph)
