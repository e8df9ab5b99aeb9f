"""The picture of a cognition graph: everything is in it, nothing overlaps, nothing escapes."""

from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

from dialogauge.cognition.drawing import draw, svg
from dialogauge.cognition.graph import joined
from dialogauge.dialogue import Dialogue, Turn

from ..amr.test_draw import boxes, texts
from .test_graph import SAID, WHO

CHAT = Dialogue("chat", tuple(Turn(who, f"turn of {who}") for who in WHO))
GRAPH = joined(SAID, WHO)


def test_everything_is_in_the_picture() -> None:
    picture = svg(GRAPH, CHAT)
    assert sorted(texts(picture, "label")) == sorted(node.label for node in GRAPH.nodes)
    assert texts(picture, "sentence") == ["Ann: turn of Ann", *["Bob: turn of Bob"] * 2]
    drawn = picture.count('class="edge"') + picture.count('class="curve"')
    assert drawn == len(GRAPH.edges)


def test_no_box_lies_on_another_or_outside() -> None:
    picture = svg(GRAPH, CHAT)
    size = ElementTree.fromstring(picture)
    width, height = float(size.get("width", "")), float(size.get("height", ""))
    found = boxes(picture)
    for left, top, right, bottom in found:
        assert 0 <= left < right <= width
        assert 0 <= top < bottom <= height
    for one, other in combinations(found, 2):
        apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
        assert apart


def test_hostile_text_and_an_utterance_without_a_graph(tmp_path: Path) -> None:
    bad = Dialogue("<b>\x1b", (Turn("</text><script>", "\x00<script>alert(1)</script>" * 99),))
    picture = svg(joined(SAID[:1], ["</text><script>"]), bad)
    ElementTree.fromstring(picture)
    assert "<script" not in picture
    silent = svg(
        joined([SAID[0]._replace(nodes=(), edges=(), top=-1)], ["Ann"]),
        CHAT.with_turns(CHAT.turns[:1]),
    )
    assert texts(silent, "label") == ["utterance 1"]
    draw(GRAPH, CHAT, tmp_path / "g.svg")
    assert "love-01" in (tmp_path / "g.svg").read_text()
