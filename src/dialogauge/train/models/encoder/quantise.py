"""An fp32 encoder graph as int8, such that batch mates cannot matter.

ONNX Runtime's own dynamic quantisation takes one scale for the activations of a whole batch, so
that a text's vector changes with the texts beside it. Here every token (a row of the matrix) is
scaled by itself: divided by its largest absolute value, rounded to int8 with a constant scale,
multiplied with int8 weights (a scale per column), and the product multiplied back. Integer sums
are exact, so that a row's result does not depend on the others.

Three things keep it close to the original:

- *Smoothing* (Xiao et al. 2023, SmoothQuant): channels with large activations are divided, and the
  matching rows of the weights multiplied, by ``max|x|^a / max|w|^(1-a)`` from calibration texts.
- What follows a GELU is never below -0.17: shifted up by that, it uses all 256 steps.
- The projection to attention *keys* stays fp32: it alone causes half of the loss.

The word embeddings are int8 as well, with a scale per word. This module rewrites the graph; the
numbers come from ``importing/numbers.py``, which needs neither onnx nor torch.
"""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....importing.numbers import (
    GELU_SHIFT,
    Floats,
    excess,
    int8,
    int8_columns,
    inverse,
    smoothing,
)

#: What becomes int8 is in a layer, by a part of its name; and what of it stays fp32 was chosen by
#: the cosine to the fp32 original. A head on top of the layers is small, and needs its digits.
_LAYER, _KEPT = "/layer", "/key/"
_CONSTANTS: dict[str, np.generic] = {
    "q.tiny": np.float32(1e-9),
    "q.shift": np.float32(GELU_SHIFT),
    "q.scale": np.float32(1 / 127),
    "q.zero": np.uint8(128),
    "q.scale.up": np.float32(1 / 255),
    "q.zero.up": np.uint8(0),
    "q.weight.zero": np.int8(0),
}


class Quantised(NamedTuple):
    """A matrix of the fp32 graph and the tensors of the int8 graph that are made of it."""

    matrix: str
    whole: str
    scale: str
    smooth: Floats | None  # None of the word embeddings: a scale for each row
    inverse: str = ""  # the tensor that inputs are smoothed with; several matrices may share it


def to_int8(
    source: Path, target: Path, calibration: Sequence[dict[str, Any]]
) -> tuple[Quantised, ...]:
    """Write the int8 form of an exported encoder; what became of each matrix.

    ``calibration`` are inputs of the graph of typical texts: input_ids and attention_mask, or what
    a part of an encoder takes, without padding.
    """
    import onnx

    model = onnx.load(str(source))
    graph = _Graph(model, _largest(model, calibration))
    graph.rewrite()
    onnx.checker.check_model(model)
    onnx.save(model, str(target))
    return tuple(graph.quantised)


def _products(model: Any) -> list[Any]:
    """The nodes that multiply activations with constant weights."""
    constant = {each.name for each in model.graph.initializer}
    products = (node for node in model.graph.node if node.op_type == "MatMul")
    return [
        node
        for node in products
        if node.input[1] in constant and _LAYER in node.name and _KEPT not in node.name
    ]


def _largest(model: Any, calibration: Sequence[dict[str, Any]]) -> dict[str, Floats]:
    """The largest absolute activation of each channel that enters a product."""
    import onnx
    import onnxruntime

    names = sorted({node.input[0] for node in _products(model)})
    watched = onnx.ModelProto()
    watched.CopyFrom(model)
    for name in names:
        watched.graph.output.append(
            onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None)
        )
    session = onnxruntime.InferenceSession(
        watched.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    largest: dict[str, Floats] = {}
    for inputs in calibration:
        mask = inputs.get("attention_mask")
        real = ... if mask is None else np.asarray(mask, dtype=bool)
        for name, activations in zip(names, session.run(names, inputs), strict=True):
            channel = np.abs(activations[real]).reshape(-1, activations.shape[-1]).max(axis=0)
            largest[name] = np.maximum(largest.get(name, channel), channel)
    return largest


class _Graph:
    """A graph while its products are replaced."""

    def __init__(self, model: Any, largest: dict[str, Floats]) -> None:
        import onnx

        self._onnx, self._model, self._largest = onnx, model, largest
        self._weights = {each.name: each for each in model.graph.initializer}
        self._targets = _products(model)
        self._sharing: dict[str, list[Any]] = defaultdict(list)  # one input, several products
        for node in self._targets:
            self._sharing[node.input[0]].append(node)
        self._scaled: dict[str, tuple[str, Floats]] = {}
        self._dead: set[str] = set()
        self._nodes: list[Any] = []
        self.quantised: list[Quantised] = []

    def rewrite(self) -> None:
        """Replace the products and the word embeddings."""
        for constant, value in _CONSTANTS.items():
            self._put(constant, np.array(value))
        words = next((name for name in self._weights if "word_embeddings" in name), "")
        targets = {id(node) for node in self._targets}
        for node in list(self._model.graph.node):
            if id(node) in targets:
                self._product(node)
            elif node.op_type == "Gather" and node.input[0] == words:
                self._lookup(node)
            else:
                self._nodes.append(node)
        graph = self._model.graph
        del graph.node[:]
        graph.node.extend(self._nodes)
        living = [each for each in graph.initializer if each.name not in self._dead]
        del graph.initializer[:]
        graph.initializer.extend(living)
        if all(each.domain != "com.microsoft" for each in self._model.opset_import):
            opset = self._onnx.helper.make_opsetid("com.microsoft", 1)
            self._model.opset_import.append(opset)

    def _put(self, name: str, array: NDArray[Any]) -> str:
        self._model.graph.initializer.append(self._onnx.numpy_helper.from_array(array, name))
        return name

    def _add(self, kind: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        node = self._onnx.helper.make_node(kind, list(inputs), [output], **attributes)
        self._nodes.append(node)
        return output

    def _matrix(self, name: str) -> Floats:
        return np.asarray(self._onnx.numpy_helper.to_array(self._weights[name]), dtype=np.float32)

    def _product(self, node: Any) -> None:
        matrix = self._matrix(node.input[1])
        # Out of a GELU comes the input of the wide side of a feed-forward block.
        up = ".up" if matrix.shape[0] > matrix.shape[1] else ""
        name, smooth = self._scaled_input(node, up)
        whole, scale = int8_columns(matrix, smooth)
        output = node.output[0]
        names = (
            self._put(f"{node.input[1]}.int8", whole),
            self._put(f"{node.input[1]}.scale", scale[0]),
        )
        self.quantised.append(Quantised(node.input[1], *names, smooth, f"{name}.smooth"))
        quantised = [
            f"{name}.int8",
            names[0],
            f"q.scale{up}",
            names[1],
            f"q.zero{up}",
            "q.weight.zero",
        ]
        self._dead.add(node.input[1])
        raw = self._add("MatMulIntegerToFloat", quantised, f"{output}.raw", domain="com.microsoft")
        if not up:
            self._add("Mul", [raw, f"{name}.largest"], output)
            return
        shifted = self._add("Mul", [raw, f"{name}.largest"], f"{output}.shifted")
        self._put(f"{output}.excess", excess(whole, scale, smooth))
        self._add("Sub", [shifted, f"{output}.excess"], output)

    def _scaled_input(self, node: Any, up: str) -> tuple[str, Floats]:
        """The int8 form of a product's input, made once for all that share it; its smoothing."""
        source = node.input[0]
        if source in self._scaled:
            return self._scaled[source]
        name = f"q.{len(self._scaled)}"
        matrices = [self._matrix(each.input[1]) for each in self._sharing[source]]
        smooth = smoothing(self._largest[source], matrices, GELU_SHIFT if up else 0.0)
        current = self._add("Add", [source, "q.shift"], f"{name}.shifted") if up else source
        factor = self._put(f"{name}.smooth", inverse(smooth))
        current = self._add("Mul", [current, factor], f"{name}.smoothed")
        size = current if up else self._add("Abs", [current], f"{name}.size")
        largest = self._add("ReduceMax", [size], f"{name}.max", axes=[-1], keepdims=1)
        largest = self._add("Max", [largest, "q.tiny"], f"{name}.largest")
        unit = self._add("Div", [current, largest], f"{name}.unit")
        self._add("QuantizeLinear", [unit, f"q.scale{up}", f"q.zero{up}"], f"{name}.int8")
        self._scaled[source] = name, smooth
        return self._scaled[source]

    def _lookup(self, node: Any) -> None:
        """Word embeddings: the int8 row of a word times the word's scale."""
        whole, scale = int8(self._matrix(node.input[0]), axis=1)
        self._dead.add(node.input[0])
        self.quantised.append(Quantised(node.input[0], "q.words", "q.words.scale", None))
        rows = self._add("Gather", [self._put("q.words", whole), node.input[1]], "q.row")
        self._put("q.words.scale", scale)
        scales = self._add("Gather", ["q.words.scale", node.input[1]], "q.row.scale")
        floats = self._add("Cast", [rows], "q.row.float", to=self._onnx.TensorProto.FLOAT)
        self._add("Mul", [floats, scales], node.output[0])
