"""A graph as a picture: layers from the top down, one box per variable, as SVG.

The layers are those of the tree that PENMAN writes, so no line of it crosses another: each box gets
as much room as what hangs below it needs, and stands over the middle of that. An edge to a variable
that stands elsewhere ends in a dashed box with its concept, and a faint line from there leads to
it. Below a concept are the words it came from.
"""

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from unicodedata import east_asian_width
from xml.sax.saxutils import escape

import msgspec
from msgspec.structs import replace

from ..atomic import writing
from ..escaping import printable
from ..language.concept_names import is_frame
from .graph import Graph, branches, unquoted
from .questions import UNKNOWN, words

_LARGE, _SMALL = 14, 11  # sizes of letters, as drawing.css has them
#: The heights of a layer and a box, the room between boxes and around all.
_LAYER, _BOX, _GAP, _MARGIN = 92, 38, 18, 24
_NARROWEST = 320
_STYLE = Path(__file__).with_name("drawing.css").read_text(encoding="utf-8").strip()


class _Item(msgspec.Struct):
    """A variable or constant in the picture; ``x`` and ``y`` are the middle of its upper side."""

    label: str
    role: str  # above it
    words: str  # below it
    kind: str
    parent: int  # place among the items; -1 for the top
    variable: str = ""
    x: float = 0
    y: float = 0

    @property
    def width(self) -> float:
        """Of its box."""
        return max(breadth(self.label, _LARGE), breadth(self.words, _SMALL)) + 20

    @property
    def slot(self) -> float:
        """What it needs on its layer."""
        return max(self.width, breadth(self.role, _SMALL)) + _GAP


def draw(graph: Graph, path: Path) -> None:
    """Write the picture of a graph into a file."""
    with writing(path) as file:
        file.write(svg(graph).encode("utf-8"))


def svg(graph: Graph) -> str:
    """The picture of a graph."""
    items = _items(graph)
    width = max(_place(items) + 2 * _MARGIN, _NARROWEST)
    sentence = textwrap.wrap(shown(graph.text), max(20, int(width / (0.58 * _LARGE))))
    top = _MARGIN + 20 * len(sentence)
    for item in items:
        item.x += _MARGIN
        item.y += top + _SMALL
    height = max(item.y for item in items) + _BOX + _MARGIN
    parts = [
        *(write("sentence", _MARGIN, _MARGIN + 20 * row, it) for row, it in enumerate(sentence)),
        *_curves(items),
        *(_line(items[item.parent], item) for item in items if item.parent >= 0),
        *(part for item in items for part in _box(item)),
    ]
    return picture(parts, width, height, shown(graph.text) or items[0].label)


def picture(parts: Sequence[str], width: float, height: float, title: str) -> str:
    """Elements as one SVG of a size; ``title`` is what a reader hears of it."""
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{_STYLE}</style>",
        '<rect width="100%" height="100%" fill="#fff"/>',
    ]
    return "\n".join([*head, *parts, "</svg>\n"])


def _items(graph: Graph) -> list[_Item]:
    """What is drawn, each layer after the one above."""
    tree = branches(graph)
    items = [_variable(graph, graph.top, "", -1)]
    opened = [(graph.top, 0)]
    for variable, place in opened:  # grows while it is walked
        for branch in tree[variable]:
            role = branch.role.removeprefix(":")
            if branch.opens:
                opened.append((branch.target, len(items)))
            if branch.target in graph.concepts:
                item = _variable(graph, branch.target, role, place)
                item = item if branch.opens else replace(item, kind="again", words="")
            else:
                kind = "negative" if (role, branch.target) == ("polarity", "-") else "constant"
                item = _Item(shown(unquoted(branch.target)), shown(role), "", kind, place)
            items.append(item)
    return items


def _variable(graph: Graph, variable: str, role: str, parent: int) -> _Item:
    concept = graph.concepts[variable]
    kind = "unknown" if concept == UNKNOWN else "frame" if is_frame(concept) else "box"
    spoken = " ".join(word.text for word in words(graph, variable))
    return _Item(shown(concept), shown(role), shown(spoken), kind, parent, variable)


def _place(items: list[_Item]) -> float:
    """Give each item its place, from the lowest layer up; the width of all."""
    below, needs, left = ([0.0] * len(items) for _ in range(3))
    for place, item in reversed(list(enumerate(items))):
        needs[place] = max(needs[place], item.slot)  # or what hangs below
        if item.parent >= 0:
            needs[item.parent] += needs[place]
    for item, need in zip(items[1:], needs[1:], strict=True):
        below[item.parent] += need
    items[0].x = needs[0] / 2
    for place, item in enumerate(items):
        if item.parent >= 0:
            item.x = left[item.parent] + needs[place] / 2
            item.y = items[item.parent].y + _LAYER
            left[item.parent] += needs[place]
        left[place] = item.x - below[place] / 2  # where the next one below it begins
    return needs[0]


def _box(item: _Item) -> Iterator[str]:
    left = item.x - item.width / 2
    yield (
        f'<rect class="{item.kind}" x="{left:.0f}" y="{item.y:.0f}" '
        f'width="{item.width:.0f}" height="{_BOX}" rx="7"/>'
    )
    yield write("label", item.x, item.y + (17 if item.words else 24), item.label)
    if item.words:
        yield write("words", item.x, item.y + 31, item.words)
    if item.role:
        yield write("role", item.x, item.y - 6, item.role)


def _line(parent: _Item, item: _Item) -> str:
    start, end = parent.y + _BOX, item.y - _SMALL - 6
    middle = (start + end) / 2
    path = f"M{parent.x:.0f} {start} C{parent.x:.0f} {middle:.0f} {item.x:.0f} {middle:.0f}"
    return f'<path class="edge" d="{path} {item.x:.0f} {end:.0f}"/>'


def _curves(items: Sequence[_Item]) -> Iterator[str]:
    """A faint line from each box that stands for another to a side of that one."""
    drawn = {item.variable: item for item in items if item.variable and item.kind != "again"}
    for item in items:
        if item.kind == "again":
            other = drawn[item.variable]
            side = 1 if item.x > other.x else -1
            start, end = item.x - side * item.width / 2, other.x + side * other.width / 2
            y, to = item.y + _BOX / 2, other.y + _BOX / 2
            bend = f"C{start - side * 40:.0f} {y:.0f} {end + side * 40:.0f} {to:.0f}"
            yield f'<path class="curve" d="M{start:.0f} {y:.0f} {bend} {end:.0f} {to:.0f}"/>'


def write(kind: str, x: float, y: float, text: str) -> str:
    """A text of a class of drawing.css."""
    return f'<text class="{kind}" x="{x:.0f}" y="{y:.0f}">{escape(text)}</text>'


def shown(text: str) -> str:
    """Text that XML can hold, on one line."""
    return printable(" ".join(text.split())).replace("\ufffe", "").replace("\uffff", "")


def breadth(text: str, size: int = _LARGE) -> float:
    """About how wide a text is: letters are 0.62 of their height, Chinese ones and emoji 1.1."""
    return sum(1.1 if east_asian_width(it) in "WF" else 0.62 for it in text) * size
