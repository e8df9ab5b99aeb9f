"""The cognition graph: who, what, in which order; and what is left of it without an ability."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialogauge.amr import Graph, decode
from dialogauge.cognition import Ability, CognitionGraph, Concepts, Node
from dialogauge.cognition.graph import (
    COUNT,
    Utterance,
    adjacency,
    codes,
    joined,
    utterance,
)

#: "I love coffee." and "You do not know Oscar!"
LOVE = utterance(decode("(l / love-01 :ARG0 (i / i) :ARG1 (c / coffee))"))
KNOW = utterance(
    decode(
        '(k / know-01 :polarity - :ARG0 (y / you) :ARG1 (p / person :name (n / name :op1 "Oscar")))'
    )
)
SAID, WHO = [LOVE, KNOW, LOVE], ["Ann", "Bob", "Bob"]
ABILITIES: tuple[Ability, ...] = ("commonsense", "core-semantics", "temporal", "role")


def linked(graph: CognitionGraph) -> set[frozenset[str]]:
    return {frozenset((graph.nodes[one].label, graph.nodes[two].label)) for one, two in graph.edges}


def kinds(graph: CognitionGraph) -> list[str]:
    return [node.kind for node in graph.nodes]


def test_concepts_and_constants_are_nodes() -> None:
    assert LOVE.nodes == (("love-01", "concept"), ("i", "concept"), ("coffee", "concept"))
    assert ("-", "negative") in KNOW.nodes
    assert ("Oscar", "name") in KNOW.nodes
    assert utterance(decode("(t / tell-01 :ARG1 (a / amr-unknown) :quant 3)")).nodes[1:] == (
        ("amr-unknown", "question"),
        ("3", "number"),
    )
    assert utterance(None) == Utterance((), (), -1)


def test_i_and_you_are_people_who_are_one_node_each() -> None:
    graph = joined(SAID, WHO)
    assert [node.label for node in graph.nodes if node.kind == "speaker"] == ["Ann", "Bob"]
    # Ann says "I love"; Bob says "you do not know" to her, and "I love" of himself.
    assert graph.labels(near="Ann") == {"love-01", "know-01"}
    assert graph.labels(near="Bob") == {"love-01"}
    assert "i" not in graph.labels(near="love-01")


def test_you_is_who_spoke_before_or_else_who_speaks_next() -> None:
    three = joined([LOVE, LOVE, KNOW, KNOW], ["Ann", "Bob", "Ann", "Cy"])
    (people,) = [{each.label for each in three.nodes if each.kind == "speaker"}]
    assert people == {"Ann", "Bob"}  # Cy speaks to Ann, Ann spoke to Bob
    first = joined([KNOW, LOVE], ["Ann", "Bob"])
    assert first.labels(near="Bob") == {"know-01", "love-01"}
    alone = joined([KNOW], ["Ann"])
    assert "you" in {node.label for node in alone.nodes}


def test_utterances_follow_each_other_and_hold_their_tops() -> None:
    graph = joined(SAID, WHO)
    assert {
        frozenset(("utterance 1", "utterance 2")),
        frozenset(("utterance 2", "utterance 3")),
    } < (linked(graph))
    assert frozenset(("utterance 2", "know-01")) in linked(graph)
    empty = joined([LOVE, utterance(None), KNOW], WHO)
    assert frozenset(("utterance 2", "utterance 3")) in linked(empty)


def test_without_an_ability_its_part_is_gone() -> None:
    whole = joined(SAID, WHO)
    assert "utterance" not in kinds(joined(SAID, WHO, frozenset({"temporal"})))
    roleless = joined(SAID, WHO, frozenset({"role"}))
    assert "speaker" not in kinds(roleless)
    assert [node.label for node in roleless.nodes].count("i") == 2
    vague = joined(SAID, WHO, frozenset({"core-semantics"}))
    assert vague == joined(SAID, WHO, frozenset({"core-semantics"}))
    assert len(vague.nodes) < len(whole.nodes)
    assert joined(SAID, WHO, frozenset({"commonsense"})) == whole  # it is in the vectors


def test_codes_tell_the_response_and_who_answers() -> None:
    graph = joined(SAID, WHO)
    numbers = dict(zip(graph.nodes, codes(graph, WHO), strict=True))
    assert max(numbers.values()) < COUNT
    assert numbers[Node("coffee", "concept", 0)] != numbers[Node("coffee", "concept", 2)]
    same = dict(zip(graph.nodes, codes(graph, WHO, temporal=False), strict=True))
    assert same[Node("coffee", "concept", 0)] == same[Node("coffee", "concept", 2)]
    answered = {node.label: code for node, code in numbers.items() if node.kind == "speaker"}
    turned = ["Bob", "Ann", "Ann"]
    mirrored = joined(SAID, turned)
    other = {
        node.label: code
        for node, code in zip(mirrored.nodes, codes(mirrored, turned), strict=True)
        if node.kind == "speaker"
    }
    assert other == {"Bob": answered["Ann"], "Ann": answered["Bob"]}  # names say nothing


def test_a_graph_of_hundreds_of_nodes_is_cut_and_counted() -> None:
    ops = " ".join(f":op{at} (x{at} / word{at})" for at in range(1, 200))
    long = utterance(decode(f"(a / and {ops})"))
    graph = joined([long], ["Ann"])
    assert graph.left_out == 200 - 64
    assert len(graph.nodes) == 65


UTTERANCES = st.lists(st.sampled_from([LOVE, KNOW, Utterance((), (), -1)]), min_size=1, max_size=6)


@given(UTTERANCES, st.data(), st.sets(st.sampled_from(ABILITIES)))
def test_every_graph_is_whole(
    said: list[Utterance], data: st.DataObject, without: set[Ability]
) -> None:
    names = st.sampled_from(["Ann", "Bob", "Cy"])
    who = data.draw(st.lists(names, min_size=len(said), max_size=len(said)))
    graph = joined(said, who, frozenset(without))
    assert all(0 <= end < len(graph.nodes) for edge in graph.edges for end in edge)
    links = adjacency(graph)
    assert (links == links.T).all()
    assert not links.diagonal().any()
    assert len(codes(graph, who)) == len(graph.nodes)


def test_what_is_known_of_a_node() -> None:
    known = Concepts()
    nodes = [
        Node("coffee", "concept", 0),
        Node("drink-01", "concept", 0),
        Node("Ann", "speaker"),
        Node("-", "negative", 0),
    ]
    found = known.of(nodes)
    assert found.shape == (4, known.parts, known.width)
    assert found[0].any(1).all()
    assert not found[2:].any()
    space = Concepts()._space
    assert np.allclose(found[1, 0], space.of(["drink"])[0])  # a frame without its sense
    assert (known.of(nodes[::-1])[::-1] == found).all()
    assert known.of([]).shape == (0, known.parts, known.width)


@pytest.mark.parametrize("count", [3])
def test_memory_of_words_is_bounded(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    from dialogauge.cognition import concepts

    monkeypatch.setattr(concepts, "_REMEMBERED", count)
    known = Concepts()
    for word in ("tea", "coffee", "milk", "water", "juice"):
        known.of([Node(word, "concept", 0)])
    assert len(known._rows) <= count
    some = [Node(word, "concept", 0) for word in ("juice", "tea", "milk")]  # one is known
    assert (known.of(some) == Concepts().of(some)).all()


def test_the_top_of_an_utterance_that_is_cut_is_one_that_is_left() -> None:
    long = Graph("v69", {f"v{at}": "thing" for at in range(70)})
    cut = utterance(long)
    assert (len(cut.nodes), cut.left_out, cut.top) == (64, 6, 0)
    assert joined([cut], ["A"]).edges == ((64, 0),)


def test_only_a_concept_is_a_role() -> None:
    named = Utterance((("you", "name"), ("i", "concept")), (), 1)
    graph = joined([named], [""])
    assert [(node.label, node.kind) for node in graph.nodes[:2]] == [
        ("you", "name"),
        ("", "speaker"),
    ]
