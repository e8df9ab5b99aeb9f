"""Edits: every result is whole, connected and PENMAN, and what stayed keeps its words."""

import random
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialogauge.amr import Edge, Graph, Token, decode, encode
from dialogauge.amr.edits import (
    affirm,
    append,
    fresh,
    negate,
    remove,
    rename,
    renumber,
    replace_concept,
)
from dialogauge.amr.graph import check
from dialogauge.amr.questions import below, is_negation, negated, sentences
from dialogauge.errors import InputError

from .graphs import graphs, published
from .test_graph import same

Edit = Callable[[Graph, str, Graph], Graph]

EDITS: dict[str, Edit] = {
    "replace": lambda graph, variable, _: replace_concept(graph, variable, "other-01"),
    "negate": lambda graph, variable, _: negate(graph, variable),
    "affirm": lambda graph, variable, _: affirm(graph, variable),
    "remove": lambda graph, variable, _: (
        graph if variable == graph.top else remove(graph, variable)
    ),
    "append": lambda graph, _, other: append(graph, other),
    "renumber": lambda graph, _, __: renumber(graph),
}


def sound(before: Graph, after: Graph) -> None:
    """PENMAN can hold the result, and what stayed is aligned as it was."""
    assert same(decode(encode(check(after))), after)
    stayed = before.concepts.keys() & after.concepts.keys()
    assert {name: after.aligned.get(name) for name in stayed} == {
        name: before.aligned.get(name) for name in stayed
    }
    assert after.tokens[: len(before.tokens)] == before.tokens
    assert all(after.text[word.start : word.end] == word.text for word in after.tokens)


def with_words(graph: Graph) -> Graph:
    """A graph with some alignment, where none was published."""
    words = graph.text.split()
    tokens, end = [], 0
    for word in words:
        start = graph.text.index(word, end)
        end = start + len(word)
        tokens.append(Token(word, start, end))
    places = {name: (at % len(words),) for at, name in enumerate(graph.concepts)} if words else {}
    return msgspec.structs.replace(graph, tokens=tuple(tokens), aligned=places)


def test_edits_of_every_published_graph(data: Path) -> None:
    rng = random.Random(1)
    for found in published(data).values():
        other = with_words(found[-1])
        for number, bare in enumerate(found):
            graph = with_words(bare)
            before = msgspec.json.encode(graph)
            edit = list(EDITS.values())[number % len(EDITS)]
            sound(graph, edit(graph, rng.choice(list(graph.concepts)), other))
            assert msgspec.json.encode(graph) == before
            other = graph


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
@given(graph=graphs(), other=graphs(), seed=st.integers(0, 99))
def test_edits_of_any_graph(edit: Edit, graph: Graph, other: Graph, seed: int) -> None:
    names = list(graph.concepts)
    sound(graph, edit(graph, names[seed % len(names)], other))


@given(graphs(), st.integers(0, 99))
def test_negation_is_undone_and_not_doubled(graph: Graph, seed: int) -> None:
    variable = list(graph.concepts)[seed % len(graph.concepts)]
    plain = affirm(graph, variable)
    denied = negate(plain, variable)
    assert variable not in negated(plain)
    assert negate(denied, variable) == denied
    assert affirm(denied, variable) == plain
    assert sum(is_negation(edge) for edge in denied.edges) == 1 + len(
        [edge for edge in plain.edges if is_negation(edge)]
    )


@given(graphs(), graphs())
def test_appending_keeps_all_of_both(graph: Graph, other: Graph) -> None:
    both = append(graph, other)
    assert len(both.tokens) == len(graph.tokens) + len(other.tokens)
    assert both.text == f"{graph.text} {other.text}".strip()
    concepts = sorted([*graph.concepts.values(), *other.concepts.values()])
    left = sorted(both.concepts.values())
    held = "multi-sentence"  # wrapped around the one, taken off the other
    assert [it for it in left if it != held] == [it for it in concepts if it != held]
    assert len(negated(both)) == len(negated(graph)) + len(negated(other))


def test_removing_keeps_what_others_refer_to() -> None:
    graph = decode(
        "(w / want-01 :ARG0 (b / boy :mod (s / small)) :ARG1 (g / go-02 :ARG0 b "
        ":ARG4 (h / home :poss (m / mother :poss b))) :time (t / talk-01 :ARG1 m))"
    )
    assert same(
        remove(graph, "g"),
        decode(
            "(w / want-01 :ARG0 (b / boy :mod (s / small)) "
            ":time (t / talk-01 :ARG1 (m / mother :poss b)))"
        ),
    )
    assert "s" not in remove(graph, "b").concepts
    assert encode(remove(remove(graph, "b"), "t")) == encode(
        decode("(w / want-01 :ARG1 (g / go-02 :ARG4 (h / home :poss (m / mother))))")
    )


def test_removing_takes_a_clause_that_describes() -> None:
    graph = decode("(s / see-01 :ARG0 (i / i) :ARG1 (m / man :ARG0-of (l / love-01 :ARG1 i)))")
    assert same(remove(graph, "m"), decode("(s / see-01 :ARG0 (i / i))"))
    with pytest.raises(InputError, match="s is the top"):
        remove(graph, "s")


def test_removing_sentences_counts_anew_and_ends_in_one() -> None:
    graph = decode(
        "(m / multi-sentence :snt1 (g / go-01 :ARG0 (s / she)) :snt2 (h / hi) "
        ":snt3 (w / what :mod (a / and :op1 (b / bread) :op2 (s2 / salt) :op3 (o / oil))))"
    )
    two = remove(graph, "g")
    assert sentences(two) == ["h", "w"]
    assert [edge.role for edge in two.edges if edge.source == "m"] == [":snt1", ":snt2"]
    one = remove(two, "h")
    assert (one.top, "m" in one.concepts) == ("w", False)
    assert [edge.role for edge in remove(one, "s2").edges] == [":mod", ":op1", ":op2"]


def test_appending_flattens_and_renames() -> None:
    one = decode("(m / multi-sentence :snt1 (g / go-01) :snt2 (s / stay-01 :polarity - :mod v))")
    both = append(one, one)
    assert negated(both) == ["s", "s2"]
    assert sentences(both) == ["g", "s", "g2", "s2"]
    assert list(both.concepts.values()).count("multi-sentence") == 1
    third = append(decode("(v / view-01)"), decode("(v / view-01 :value v2 :mod m)"))
    assert both.edges[-1].target == "v"  # still no variable
    assert set(third.concepts) == {"m2", "v", "v3"}  # m and v2 are constants of the other
    odd = decode("(m / multi-sentence :snt1 (g / go-01) :mod (a / all))")
    assert sentences(append(one, odd))[-1] == "m2"  # more than sentences hangs on it


def test_a_constant_is_not_taken_for_a_variable() -> None:
    renamed = rename(decode("(a / dog :value b :mod -)"), decode("(b / cat :mod -)"))
    assert renamed.edges == (Edge("a", ":value", '"b"'), Edge("a", ":mod", "-"))
    assert fresh("dog", {"d"}) == "d2"


def test_what_is_refused() -> None:
    graph = decode("(d / dog)")
    for edit in (negate, affirm, remove):
        with pytest.raises(InputError, match="no variable 'x'"):
            edit(graph, "x")
    with pytest.raises(InputError, match="is no concept"):
        replace_concept(graph, "d", "two words")
    assert below(replace_concept(graph, "d", "cat"), "d") == ["d"]
