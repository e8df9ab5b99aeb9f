"""The network of both stages, with what it reads, and how it is written."""

from collections.abc import Sequence
from pathlib import Path

from ....metrics.dcgeval import Line, Lines, padded_lines
from ....metrics.vectors import shared
from ...backbone import load
from ...card import Section
from ...export import as_int8, export
from ...recipe import Recipe
from ...vectors import passport
from .network import DcgEval, Shape

_LINE, _NODES = {0: "responses", 1: "line"}, {0: "responses", 1: "nodes"}
_INPUTS = {
    **{key: {0: "rows", 1: "tokens"} for key in ("ids", "marks", "part", "place")},
    **{"take": _LINE, "likeness": {0: "responses"}, "concepts": _NODES, "codes": _NODES},
    "links": {**_NODES, 2: "nodes_"},
}
_COMPARED, _EXAMPLE = 6, 8


class Model:
    """A network, the encoder whose tokens it reads, and what makes lines."""

    def __init__(self, recipe: Recipe, shape: Shape, turns: int) -> None:
        self.recipe, self.shape, self.turns = recipe, shape, turns
        self.encoder = shared(recipe.backbone.name)
        self.lines = Lines(recipe.backbone.max_tokens, shape.graph, shape.without)
        concepts = self.lines.concepts
        sizes = (concepts.parts, concepts.width) if concepts else (1, 1)
        self.network = DcgEval(load(recipe.backbone).encoder.model, shape, *sizes)
        self.sections: tuple[Section, ...] = ()

    def export(self, folder: Path, lines: Sequence[Line], int8: bool) -> float:
        """Write what scores lines."""
        examples = [
            padded_lines(lines[at : at + _EXAMPLE]) for at in range(0, len(lines), _EXAMPLE)
        ]
        config = {
            "metric": "dcgeval",
            **passport(self.recipe.backbone),
            "width": self.encoder.config.width,
            "turns": self.turns,
            "tokens": self.recipe.backbone.max_tokens,
            "graph": self.shape.graph,
            "without": list(self.shape.without),
        }
        difference = export(
            self.network, folder, examples[:_COMPARED], _INPUTS, {"score": {0: "responses"}}, config
        )
        if int8:
            one = [padded_lines([line]) for line in lines]
            alike = as_int8(folder, one, "score")
            self.sections += (Section("Int8", _INT8.format(count=len(one), alike=alike)),)
        return difference


_INT8 = (
    "The graph that ships is int8. Over {count} responses its logits correlate with those in fp32, "
    "which the measures above are of, by {alike:.4f}.\n"
)
