"""Graphs for tests: every published one, and made-up ones of any shape."""

from functools import cache
from pathlib import Path

from hypothesis import strategies as st

from dialogauge.amr import Edge, Graph, Token
from dialogauge.amr.files import read

ROLES = (":ARG0", ":ARG1", ":mod", ":domain", ":time", ":consist-of", ":op1", ":op3", ":snt2")
CONCEPTS = ("go-01", "dog", "and", "i", "multi-sentence", "amr-unknown", "name", '"a b"', "größe")
CONSTANTS = ("-", "3", '"Oscar"', '"say \\"hi\\""', "imperative", "v3")


@cache
def published(data: Path) -> dict[str, list[Graph]]:
    """The graphs of each file, human and silver."""
    patterns = ("*.amr.gz", "deam_parsed_*", "little_prince_*", "qald-9-amr-*")
    paths = [path for pattern in patterns for path in sorted((data / "amr").glob(pattern))]
    return {path.name: list(read(path)) for path in paths}


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """A connected graph: a tree in any direction, and some edges more."""
    size = draw(st.integers(1, 8))
    names = [f"v{place}" for place in range(size)]
    edges = []
    for place in range(1, size):
        ends = [names[draw(st.integers(0, place - 1))], names[place]]
        edges.append(_edge(draw, *(reversed(ends) if draw(st.booleans()) else ends)))
    for _ in range(draw(st.integers(0, 4))):
        target = draw(st.sampled_from([*names, *CONSTANTS]))
        edges.append(_edge(draw, draw(st.sampled_from(names)), target))
    concepts = {name: draw(st.sampled_from(CONCEPTS)) for name in draw(st.permutations(names))}
    tokens = tuple(
        Token("ab", 3 * place, 3 * place + 2) for place in range(draw(st.integers(0, 4)))
    )
    aligned: dict[str, tuple[int, ...]] = {}
    for name in draw(st.lists(st.sampled_from(names), unique=True)) if tokens else ():
        aligned[name] = (draw(st.integers(0, len(tokens) - 1)),)
    edges = draw(st.permutations(edges))
    top = draw(st.sampled_from(names))
    return Graph(top, concepts, tuple(edges), " ".join(it.text for it in tokens), tokens, aligned)


def _edge(draw: st.DrawFn, source: str, target: str) -> Edge:
    return Edge(source, draw(st.sampled_from(ROLES)), target)
