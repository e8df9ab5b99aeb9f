"""Ways to make the encoder small: size, cosine to fp32, whether batch mates matter, speed.

Each form is made here from the same fp32 graph and encodes the same utterances; the speed is a
ratio to fp32 in the same run, one thread. The table is in the card of ``dialogue-minilm``.
"""

import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dialogauge import corpora
from dialogauge.encode.session import Session
from dialogauge.report.markdown import table
from dialogauge.train.backbone import Backbone, load
from dialogauge.train.export import export_encoder
from dialogauge.train.models.encoder.quantise import to_int8
from dialogauge.train.recipe import Chosen

from .timing import best

TEXTS = 512
ROUNDS = 3
Floats = NDArray[np.float32]
Feed = dict[str, Any]


def main() -> None:
    backbone = load(Chosen())
    held = [each for each in corpora.load("self-dialogue") if corpora.split(each) == "test"]
    texts = [turn.text for dialogue in held for turn in dialogue.turns]
    texts, others = sorted(texts[:TEXTS], key=len), texts[TEXTS : 2 * TEXTS]
    feeds = list(_feeds(backbone, texts, 32))
    apart = list(_feeds(backbone, texts, 1))[:: TEXTS // 64]
    with tempfile.TemporaryDirectory() as scratch:
        paths = dict(_forms(Path(scratch), backbone, list(_feeds(backbone, others[:256], 32))))
        print(table(HEAD, _rows(paths, feeds, apart)))


HEAD = ("form", "MB", "mean cosine to fp32", "largest change by batch mates", "speed, fp32 = 1")


def _forms(folder: Path, backbone: Backbone, calibration: list[Feed]) -> Iterator[tuple[str, Path]]:
    """fp32, what ONNX Runtime offers, and ours."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    export_encoder(backbone, "fp32", folder / "fp32")
    whole = folder / "fp32" / "model.onnx"
    yield "fp32", whole
    for name, per_channel in (("per channel", True), ("per tensor", False)):
        path = folder / f"dynamic-{per_channel}.onnx"
        quantize_dynamic(
            whole,
            path,
            weight_type=QuantType.QInt8,
            per_channel=per_channel,
            op_types_to_quantize=["MatMul"],
            extra_options={"MatMulConstBOnly": True},
        )
        yield f"ORT dynamic int8, {name}", path
    if find_spec("onnx_ir"):  # `pip install onnx-ir`: ONNX Runtime needs it for this form alone
        from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

        weights = MatMulNBitsQuantizer(
            onnx.load(whole), bits=8, block_size=32, is_symmetric=True, accuracy_level=4
        )
        weights.process()
        weights.model.save_model_to_file(str(folder / "nbits.onnx"), False)
        yield "ORT weight-only int8 (MatMulNBits)", folder / "nbits.onnx"
    to_int8(whole, folder / "ours.onnx", calibration)
    yield "**ours**: int8, a scale for each token", folder / "ours.onnx"


def _rows(paths: dict[str, Path], feeds: list[Feed], apart: list[Feed]) -> Iterator[list[str]]:
    sessions = {name: Session(path, threads=1) for name, path in paths.items()}
    original = _vectors(sessions["fp32"], feeds)
    times = best(*(_run(each, feeds) for each in sessions.values()), rounds=ROUNDS)
    fastest = dict(zip(sessions, times, strict=True))
    for name, session in sessions.items():
        found = _vectors(session, feeds)
        alone = np.concatenate([_vectors(session, [feed]) for feed in apart])
        change = np.abs(found[:: TEXTS // 64] - alone).max()
        yield [
            name,
            f"{paths[name].stat().st_size / 1e6:.1f}",
            f"{(found * original).sum(axis=1).mean():.4f}",
            "none" if change < 1e-5 else f"{change:.4f}",
            f"{fastest['fp32'] / fastest[name]:.2f}",
        ]


def _run(session: Session, feeds: list[Feed]) -> Any:
    return lambda: _vectors(session, feeds)


def _vectors(session: Session, feeds: list[Feed]) -> Floats:
    vectors = np.concatenate([session.run("sentence", feed) for feed in feeds])
    unit: Floats = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def _feeds(backbone: Backbone, texts: list[str], size: int) -> Iterator[Feed]:
    for start in range(0, len(texts), size):
        ids, mask = backbone.tokens(texts[start : start + size])
        yield {"input_ids": ids.numpy(), "attention_mask": mask.numpy()}
