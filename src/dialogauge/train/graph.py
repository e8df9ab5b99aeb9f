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
from torch import Tensor, nn

from ..errors import InputError

#: How the parameters of our networks end that a graph has by their names.
_NAMED = (".weight", ".bias", "near")
_Floats = NDArray[np.float32]


def weights(path: Path) -> dict[str, Tensor]:
    """Each parameter by its name in torch."""
    import onnx

    graph = onnx.load(str(path)).graph
    arrays = {each.name: onnx.numpy_helper.to_array(each) for each in graph.initializer}
    named = {name: array for name, array in arrays.items() if name.endswith(_NAMED)}
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


def continued(network: nn.Module, path: Path) -> None:
    """Give a network the weights of a graph that was exported from one of the same shape."""
    found, own = weights(path), dict(network.named_parameters())
    lacking = [
        name
        for name, parameter in own.items()
        if parameter.numel() and (name not in found or found[name].shape != parameter.shape)
    ]
    if lacking:
        raise InputError(
            f"does not fit the network: {lacking[0]} and {len(lacking) - 1} more",
            file=str(path),
            remedy="begin with a model of the same task, reader and encoder",
        )
    with torch.no_grad():
        for name, parameter in own.items():
            if parameter.numel():
                parameter.copy_(found[name])


def _name(output: str) -> str:
    """The parameter behind the output of a product; the tracer says a list's name twice.

    >>> _name("/model/encoder/layer.0/attention/self/query/MatMul_output_0.raw")
    'model.encoder.layer.0.attention.self.query.weight'
    >>> _name("/joint/token/token.0/MatMul_output_0")
    'joint.token.0.weight'
    """
    parts = output.strip("/").rpartition("/MatMul")[0].split("/")
    pairs = zip(parts, [*parts[1:], ""], strict=True)
    return ".".join(one for one, next_ in pairs if not next_.startswith(f"{one}.")) + ".weight"
