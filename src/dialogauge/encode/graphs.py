"""A tensor inside a graph as one of its outputs, without ``onnx``, which the base install lacks.

Protobuf messages that stand one behind the other are one message: what is repeated in both is in
it twice. So a graph with an output more is the graph's bytes and a few behind them, and its file,
which hashes and manifests cover, stays as it is.
"""

#: Fields of onnx.proto: the graph of a model, the outputs of a graph, and what an output is.
_GRAPH, _OUTPUT, _NAME, _TYPE, _TENSOR = 7, 12, 1, 2, 1
#: The element type float, as field 1 of a tensor's type.
_FLOAT = bytes([1 << 3, 1])


def layer(number: int) -> str:
    """What our graphs call the states behind so many layers, the first being 1."""
    return f"/model/encoder/layer.{number - 1}/output/LayerNorm/LayerNormalization_output_0"


def output(name: str) -> bytes:
    """What stands behind a model's bytes to have that tensor among its outputs.

    >>> output("x").hex(" ")
    '3a 0b 62 09 0a 01 78 12 04 0a 02 08 01'
    """
    kind = _field(_TYPE, _field(_TENSOR, _FLOAT))
    return _field(_GRAPH, _field(_OUTPUT, _field(_NAME, name.encode()) + kind))


def _field(number: int, content: bytes) -> bytes:
    """A length-delimited field."""
    return bytes([number << 3 | 2]) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    """A number, seven bits in a byte, the lowest first."""
    low = value & 127
    return bytes([low]) if value < 128 else bytes([low | 128]) + _varint(value >> 7)
