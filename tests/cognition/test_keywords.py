"""Keywords: which words are topics, and how near those of a response are to the context's."""

import numpy as np
import pytest

from dialogauge.cognition import CognitionGraph, keywords
from dialogauge.cognition.graph import Utterance, adjacency
from dialogauge.cognition.keywords import keyword_graph, linked, utterances
from dialogauge.dialogue import Dialogue, Turn
from dialogauge.knowledge import Distances, load_store
from dialogauge.knowledge import distances as walking

DISTANCES = Distances(load_store())


def named(*words: str) -> Utterance:
    return Utterance(tuple((word, "concept") for word in words), (), -1)


def found(text: str) -> list[str]:
    return [word for word, _ in utterances([text])[0].nodes]


def steps_by_walking(start: str, end: str) -> int | None:
    """Edge by edge, either way round."""
    store, reached, seen = load_store(), {start}, {start}
    for step in range(4):
        if end in reached:
            return step
        edges = [
            *(edge.end for name in reached for edge in store.neighbours(name)),
            *(edge.start for name in reached for edge in store.neighbours(name, inward=True)),
        ]
        reached = set(edges) - seen
        seen |= reached
    return None


def named_links(graph: CognitionGraph) -> dict[tuple[str, str], float]:
    pairs = ((graph.nodes[one].label, graph.nodes[two].label) for one, two in graph.edges)
    return dict(zip(pairs, graph.weights, strict=True))


def test_keywords_are_rare_content_words_as_lemmas() -> None:
    assert found("Two dogs were chasing the postman!") == ["dog", "chase", "postman"]
    for nothing in ("", "It is what it is.", "!!!", "12 or 13", "Yes, of course."):
        assert "be" not in found(nothing)
        assert len(found(nothing)) <= 1
    assert found("Dogs, dogs, dogs.") == ["dog"]


def test_more_words_make_a_word_weigh_less() -> None:
    long = "I think that we could perhaps ask them what they would like to say about the story " * 2
    assert "think" in found("I think.")
    assert "think" not in found(long)


def test_the_weightiest_are_kept_in_the_order_they_are_said() -> None:
    text = "Oscar saw lions, tigers, zebras, penguins, otters, walruses and monkeys."
    (said,) = utterances([text])
    words = [word for word, _ in said.nodes]
    assert len(words) == 6
    assert said.left_out >= 1
    assert sorted(words, key=lambda word: text.lower().index(word[:4])) == words
    assert utterances([text, "", text]) == [said, utterances([""])[0], said]


def test_edges_join_context_and_response_and_weigh_one_over_steps() -> None:
    graph = linked([named("coffee", "zzzz"), named("drink", "carrot", "zzzz")], DISTANCES)
    assert [node.turn for node in graph.nodes] == [0, 0, 1, 1, 1]
    assert named_links(graph) == {
        ("coffee", "drink"): 1.0,
        ("coffee", "carrot"): 0.5,
        ("zzzz", "zzzz"): 1.0,  # said again, known or not
    }
    matrix = adjacency(graph)
    assert (matrix == matrix.T).all()
    assert not matrix[:2, :2].any()
    assert not matrix[2:, 2:].any()
    assert matrix[0, 2] == 1.0
    assert matrix[0, 3] == 0.5
    assert matrix[1, 4] == 1.0


def test_of_a_long_context_the_last_keywords_are_kept() -> None:
    context = [named(*(f"word{turn}{at}" for at in range(6))) for turn in range(3)]
    graph = linked([*context, named("word21", "word00")], DISTANCES)
    shown = [node.label for node in graph.nodes]
    assert len(shown) == 12
    assert shown[:10] == [*(f"word1{at}" for at in range(2, 6)), *(f"word2{at}" for at in range(6))]
    assert graph.left_out == 8
    again = linked([named("tea", "milk"), named("tea"), named()], DISTANCES)
    assert [(node.label, node.turn) for node in again.nodes] == [("milk", 0), ("tea", 1)]
    assert not again.edges
    assert linked([named(), named()], DISTANCES) == CognitionGraph((), ())


@pytest.mark.parametrize(
    ("one", "other"),
    [("coffee", "cup"), ("dog", "cat"), ("guitar", "drink"), ("soup", "tax"), ("carrot", "doctor")],
)
def test_steps_are_those_of_walking(one: str, other: str) -> None:
    steps = steps_by_walking(one, other)
    assert DISTANCES.steps(one, other) == DISTANCES.steps(other, one) == steps
    assert DISTANCES.steps(one, one) == 0


def test_memory_of_distances_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walking, "_ROWS", 2)
    monkeypatch.setattr(walking, "_WORDS", 3)
    few, words = Distances(load_store()), ("tea", "coffee", "milk", "water", "juice")
    table = [[few.steps(one, other) for one in words] for other in words]
    assert table == [[DISTANCES.steps(one, other) for one in words] for other in words]
    assert len(few._rows) <= 2
    assert len(few._numbers) <= 3


def test_a_conversation_has_a_graph() -> None:
    chat = Dialogue("d", (Turn("A", "My dog is ill."), Turn("B", "Did you call the doctor?")))
    graph = keyword_graph(chat)
    assert {node.label for node in graph.nodes} >= {"dog", "doctor"}
    assert graph == keyword_graph(chat, DISTANCES)
    weights = np.array([0, 1, 1 / 2, 1 / 3], np.float32)
    assert np.isin(adjacency(graph), weights).all()
    assert keywords.signature().startswith("keywords:language")
