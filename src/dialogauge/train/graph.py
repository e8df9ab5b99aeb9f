"""The weights of an encoder out of its ONNX graph, int8 or not.

The fp32 weights of an encoder do not ship beside its int8 graph. What is trained further starts
from what scoring runs: a product's int8 matrix times its scales, without the smoothing
(:mod:`.models.encoder.quantise`). A matrix is named by the node that multiplies with it, because
the tracer forgets the names of those it turns over.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

_Floats = NDArray[np.float32]


def weights(path: Path) -> dict[str, Tensor]:
    """Each parameter by its name in torch."""
    import onnx

    graph = onnx.load(str(path)).graph
    arrays = {each.name: onnx.numpy_helper.to_array(each) for each in graph.initializer}
    named = {name: array for name, array in arrays.items() if name.endswith((".weight", ".bias"))}
    named |= dict(_products(graph, arrays))
    if "q.words" in arrays:
        words = arrays["q.words"].astype(np.float32) * arrays["q.words.scale"]
        first = next(name for name in named if "embeddings" in name)
        named[f"{first.partition('embeddings')[0]}embeddings.word_embeddings.weight"] = words
    return {name: torch.from_numpy(np.array(array, np.float32)) for name, array in named.items()}


def _products(graph: Any, arrays: dict[str, NDArray[Any]]) -> Iterator[tuple[str, _Floats]]:
    """The matrices that activations are multiplied with, as a linear layer has them."""
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in arrays:
            yield _name(node.output[0]), arrays[node.input[1]].T
        elif node.op_type == "MatMulIntegerToFloat":
            whole, scale = arrays[node.input[1]], arrays[node.input[3]]
            inverse = arrays[node.input[0].removesuffix(".int8") + ".smooth"]
            yield _name(node.output[0]), (whole * scale * inverse[:, None]).T


def _name(output: str) -> str:
    """The parameter behind the output of a product.

    >>> _name("/model/encoder/layer.0/attention/self/query/MatMul_output_0.raw")
    'model.encoder.layer.0.attention.self.query.weight'
    """
    return output.strip("/").rpartition("/MatMul")[0].replace("/", ".") + ".weight"
