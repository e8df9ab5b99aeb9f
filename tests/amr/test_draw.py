"""The picture of a graph: everything is in it, nothing overlaps, nothing escapes."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialogauge.amr import Edge, Graph, Token, decode
from dialogauge.amr.drawing import draw, svg
from dialogauge.amr.graph import quoted, symbol
from dialogauge.errors import OutputError

from .graphs import graphs, published
from .test_graph import TELL

SVG = "{http://www.w3.org/2000/svg}"


def texts(picture: str, kind: str) -> list[str]:
    root = ElementTree.fromstring(picture)
    return [it.text or "" for it in root.iter(f"{SVG}text") if it.get("class") == kind]


def boxes(picture: str) -> list[tuple[float, float, float, float]]:
    """Left, top, right, bottom of every box."""
    found = [it for it in ElementTree.fromstring(picture).iter(f"{SVG}rect") if it.get("rx")]
    sides = [[float(it.get(name, "")) for name in ("x", "y", "width", "height")] for it in found]
    return [(x, y, x + width, y + height) for x, y, width, height in sides]


def test_everything_is_in_the_picture() -> None:
    graph = decode(TELL.replace(":ARG2 (i / i~e.5)", ":ARG2 (i / i~e.5) :ARG3 s"))
    picture = svg(graph)
    labels = texts(picture, "label")
    assert sorted(labels) == sorted([*graph.concepts.values(), "-", "Oscar", "she"])
    assert set(texts(picture, "role")) == {
        *("polarity", "ARG0", "ARG1", "ARG2", "ARG3", "ARG1-of", "name", "op1")
    }
    assert {"n't tell", "hates", "Why"} <= set(texts(picture, "words"))
    assert texts(picture, "sentence") == [graph.text]
    kinds = re.findall(r'<rect class="(\w+)"', picture)
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {
        **{"frame": 3, "unknown": 1, "negative": 1, "again": 1},
        **{"box": 5, "constant": 1},
    }
    assert picture.count('class="curve"') == 1
    assert picture.count('class="edge"') == len(labels) - 1


@given(graphs())
def test_no_box_lies_on_another_or_outside(graph: Graph) -> None:
    picture = svg(graph)
    found = boxes(picture)
    width, height = map(float, re.findall(r'viewBox="0 0 (\d+) (\d+)"', picture)[0])
    for left, top, right, bottom in found:
        assert 0 <= left < right <= width
        assert 0 <= top < bottom <= height
    for at, (left, top, right, _) in enumerate(found):
        for other in found[:at]:
            assert other[1] != top or other[2] < left or right < other[0]


@given(st.text(max_size=20))
def test_any_text_is_escaped(text: str) -> None:
    concepts = {"x": symbol(text), "y": "name"}
    edges = (Edge("x", ":name", "y"), Edge("y", ":op1", quoted(text)))
    tokens = (Token(text, 0, len(text)),)
    ElementTree.fromstring(svg(Graph("x", concepts, edges, text, tokens, {"y": (0,)})))


def test_markup_in_the_text_stays_text(tmp_path: Path) -> None:
    evil = '</text><script>alert("1")</script>\x1b[2J\u202e'
    graph = Graph("x", {"x": "dog"}, (Edge("x", ":value", quoted(evil)),), evil)
    draw(graph, tmp_path / "g.svg")
    picture = (tmp_path / "g.svg").read_text("utf-8")
    assert "<script" not in picture
    assert not set(picture) & set("\x1b\u202e")
    ElementTree.fromstring(picture)


def test_deep_wide_and_published_graphs(data: Path, tmp_path: Path) -> None:
    chain = tuple(Edge(f"v{n}", ":mod", f"v{n + 1}") for n in range(2000))
    assert len(boxes(svg(Graph("v0", {f"v{n}": "a" for n in range(2001)}, chain)))) == 2001
    for found in published(data).values():
        graph = max(found, key=lambda each: len(each.concepts))
        assert len(boxes(svg(graph))) == len(graph.edges) + 1
    with pytest.raises(OutputError, match="cannot be written"):
        draw(graph, tmp_path / "missing" / "g.svg")
