"""A cognition graph as a picture: a band for each utterance, in time from the top down, as SVG.

On the left stand the utterances, linked in time; each band holds the concepts of one, what hangs
below a concept to its right; the speakers stand on the far right, with a line from whatever speaks
of them.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from ..amr.drawing import breadth, picture, shown, write
from ..atomic import writing
from ..dialogue import Dialogue
from ..language.concept_names import is_frame
from .graph import CognitionGraph, Node

#: A box, the room between boxes, between columns, and around all.
_BOX, _GAP, _COLUMN, _MARGIN = 28, 10, 56, 24
#: The height of what was said above its band, and the most letters of it that are shown.
_TITLE, _SHOWN = 30, 100
#: What was said stands to the right of the line of time.
_INDENT = 22
_KINDS = {"question": "unknown", "negative": "negative", "speaker": "again", "utterance": "box"}


class _Item(msgspec.Struct):
    """A node in the picture; ``x`` and ``y`` are its left upper corner."""

    node: Node
    label: str
    width: float
    column: int = 0
    x: float = 0
    y: float = 0

    @property
    def middle(self) -> float:
        """How far down its middle is."""
        return self.y + _BOX / 2


def draw(graph: CognitionGraph, dialogue: Dialogue, path: Path) -> None:
    """Write the picture of a conversation's graph into a file."""
    with writing(path) as file:
        file.write(svg(graph, dialogue).encode("utf-8"))


def svg(graph: CognitionGraph, dialogue: Dialogue) -> str:
    """The picture of a conversation's graph."""
    items = [_item(node) for node in graph.nodes]
    _into_columns(items, graph.edges)
    right = _across(items)
    titles = [_title(f"{said.speaker}: {said.text}") for said in dialogue.turns]
    tops, y = list[float](), float(_MARGIN)
    for turn in range(len(titles)):
        tops.append(y)
        y = _down([item for item in items if item.node.turn == turn], y)
    people = [item for item in items if item.node.kind == "speaker"]
    for at, item in enumerate(people):
        item.y = _MARGIN + (y - _MARGIN) * (at + 0.5) / len(people) - _BOX / 2
    width = max([right, *map(breadth, titles)]) + _INDENT + 2 * _MARGIN
    parts = [
        *(
            write("sentence", _MARGIN + _INDENT, top + 18, it)
            for top, it in zip(tops, titles, strict=True)
        ),
        *(_line(items[one], items[other]) for one, other in graph.edges if one != other),
        *(part for item in items for part in _box(item)),
    ]
    return picture(parts, width, y + _MARGIN, f"The cognition graph of {shown(dialogue.id)}")


def _item(node: Node) -> _Item:
    label = shown(node.label)
    return _Item(node, label, breadth(label) + 20)


def _title(text: str) -> str:
    text = shown(text)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _into_columns(items: Sequence[_Item], edges: Sequence[tuple[int, int]]) -> None:
    """Utterances first, then concepts by how far they are from the top, speakers last."""
    beside = defaultdict[int, list[int]](list)
    for one, other in edges:
        beside[one].append(other)
        beside[other].append(one)
    waiting = [at for at, item in enumerate(items) if item.node.kind == "utterance"]
    reached = set(waiting)
    for at in waiting:  # grows while it is walked
        for other in beside[at]:
            inside = items[other].node.turn == items[at].node.turn
            if inside and other not in reached:
                items[other].column = items[at].column + 1
                reached.add(other)
                waiting.append(other)
    last = max((item.column for item in items), default=0)
    for at, item in enumerate(items):
        if item.node.kind == "speaker":
            item.column = last + 1
        elif at not in reached:
            item.column = 1


def _across(items: Sequence[_Item]) -> float:
    """Give each item its place from left to right; where the last column ends."""
    x = float(_MARGIN)
    for column in range(1 + max((item.column for item in items), default=0)):
        own = [item for item in items if item.column == column]
        for item in own:
            item.x = x
        x += max((item.width for item in own), default=0) + _COLUMN
    return x - _COLUMN


def _down(band: Sequence[_Item], y: float) -> float:
    """Give the items of a band their places from the top down; where the band ends."""
    filled = defaultdict[int, float](lambda: y + _TITLE)
    for item in band:
        item.y = filled[item.column]
        filled[item.column] += _BOX + _GAP
    return max(filled.values(), default=y + _TITLE) + _GAP


def _box(item: _Item) -> Iterator[str]:
    node = item.node
    kind = "frame" if is_frame(node.label) else _KINDS.get(node.kind, "box")
    yield (
        f'<rect class="{kind}" x="{item.x:.0f}" y="{item.y:.0f}" '
        f'width="{item.width:.0f}" height="{_BOX}" rx="7"/>'
    )
    yield write("label", item.x + item.width / 2, item.y + 19, item.label)


def _line(one: _Item, other: _Item) -> str:
    """A line from the left one's right side to the other's left side; in time, straight down."""
    one, other = sorted((one, other), key=lambda item: (item.x, item.y))
    if one.x == other.x:
        x = one.x + 14
        return f'<path class="edge" d="M{x:.0f} {one.middle:.0f} L{x:.0f} {other.middle:.0f}"/>'
    start, end = one.x + one.width, other.x
    bend = (start + end) / 2
    kind = "curve" if other.node.kind == "speaker" else "edge"
    bent = f"C{bend:.0f} {one.middle:.0f} {bend:.0f} {other.middle:.0f}"
    way = f"M{start:.0f} {one.middle:.0f} {bent} {end:.0f} {other.middle:.0f}"
    return f'<path class="{kind}" d="{way}"/>'
