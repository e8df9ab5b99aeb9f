"""From a trained network to a folder that scores without torch.

::

    config.json          what it is                    {"model": "encoder", ...} or {"metric": ...}
    model.onnx           what scoring runs; where it takes two steps, reader.onnx is the first
    tokenizer.json       of an encoder
    model.safetensors    the same weights, to train on
    recipe.json          how it was made
    card.md              data, licences, seed, command, results
    manifest.json        {"files": {name: sha256}}, written last

The ONNX file is run against torch on inputs of many sizes, and a difference above 1e-3 is an error.
"""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_model
from torch import nn

from .. import atomic
from ..errors import DialogaugeError
from .backbone import Backbone
from .models.encoder.quantise import to_int8

#: Torch and ONNX Runtime may differ by this much.
_TOLERANCE = 1e-3
_OPSET = 17

#: For each input or output, what its dimensions that vary are called: {0: "batch", 1: "tokens"}.
Axes = Mapping[str, Mapping[int, str]]
Example = Mapping[str, NDArray[Any]]


def export(
    network: nn.Module,
    folder: Path,
    examples: Sequence[Example],
    inputs: Axes,
    outputs: Axes,
    config: Mapping[str, Any],
) -> float:
    """Write the model, its weights and its config; return the largest difference from torch.

    ``examples`` are inputs of different sizes, in the order of the network's arguments: the first
    is traced, all are compared.
    """
    difference = export_onnx(network, folder / "model.onnx", examples, inputs, outputs)
    path = folder / "model.safetensors"
    with atomic.reporting(path):
        save_model(network, str(path))
        path.chmod(0o644)  # safetensors lets nobody else read it
    atomic.write_json(folder / "config.json", config)
    return difference


def export_onnx(
    network: nn.Module, path: Path, examples: Sequence[Example], inputs: Axes, outputs: Axes
) -> float:
    """Write a network's graph alone; the rest as in :func:`export`."""
    network = network.cpu().float().eval()
    partial = path.with_name(f".{path.name}.partial")
    axes = {name: dict(varying) for name, varying in {**inputs, **outputs}.items()}
    with atomic.reporting(path), torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tracer warns of what `_parity` then checks
        path.parent.mkdir(parents=True, exist_ok=True)
        torch.onnx.export(
            network,
            tuple(torch.from_numpy(examples[0][name]) for name in inputs),
            str(partial),
            input_names=list(inputs),
            output_names=list(outputs),
            dynamic_axes=axes,
            opset_version=_OPSET,
            dynamo=False,
        )
        partial.replace(path)
    difference = _parity(network, path, examples)
    if not difference <= _TOLERANCE:
        problem = f"ONNX differs from torch by {difference:.2g}, more than {_TOLERANCE:g}"
        raise DialogaugeError(f"{path}: {problem}")
    return difference


def as_int8(folder: Path, calibration: Sequence[Example], output: str) -> float:
    """Replace the graph of a folder by its int8 form; ``calibration`` are inputs of it.

    Returned is the correlation of an output of both over these inputs.
    """
    fp32 = (folder / "model.onnx").rename(folder / "fp32.onnx")
    to_int8(fp32, folder / "model.onnx", [dict(example) for example in calibration])
    before, after = (
        np.concatenate([session.run([output], dict(each))[0].ravel() for each in calibration])
        for session in map(_session, (fp32, folder / "model.onnx"))
    )
    fp32.unlink()
    return float(np.corrcoef(before, after)[0, 1])


def _session(path: Path) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _parity(network: nn.Module, path: Path, examples: Sequence[Example]) -> float:
    """The largest difference between torch and ONNX Runtime over some inputs."""
    session, gaps = _session(path), []
    for example in examples:
        with torch.no_grad():
            outputs = network(*map(torch.from_numpy, example.values()))
        expected = outputs if isinstance(outputs, tuple) else (outputs,)
        both = zip(expected, session.run(None, dict(example)), strict=True)
        gaps += [np.abs(ours.numpy() - theirs).max() for ours, theirs in both]
    return float(np.max(gaps))  # NaN stays NaN and fails


def export_encoder(backbone: Backbone, name: str, folder: Path, taught: bool = False) -> float:
    """An encoder: ``tokens`` (batch, tokens, width) and ``sentence`` (batch, width).

    One that was ``taught`` says so: whatever is scored by it counts as trained.
    """
    text = {0: "batch", 1: "tokens"}
    config = {
        "model": "encoder",
        "name": name,
        "width": backbone.width,
        "max_tokens": backbone.max_tokens,
        "pad_id": backbone.pad,
        **({"taught": True} if taught else {}),
        "backbone": _architecture(backbone.encoder.model.config),
    }
    difference = export(
        backbone.encoder,
        folder,
        _token_examples(backbone),
        {"input_ids": text, "attention_mask": text},
        {"tokens": text, "sentence": {0: "batch"}},
        config,
    )
    backbone.tokenizer.no_truncation()  # whoever runs it reads windows
    with atomic.writing(folder / "tokenizer.json") as file:
        file.write(backbone.tokenizer.to_str().encode())
    backbone.tokenizer.enable_truncation(backbone.max_tokens)
    return difference


def _architecture(config: Any) -> dict[str, Any]:
    """What builds the same network again: plain JSON, no paths, no code."""
    drop = {"_name_or_path", "auto_map", "architectures", "transformers_version", "dtype"}
    kept = {key: value for key, value in config.to_diff_dict().items() if key not in drop}
    return kept | {"model_type": config.model_type}


def _token_examples(backbone: Backbone) -> list[Example]:
    """Random ids of random lengths, padded as texts of different lengths are."""
    rng = np.random.default_rng(0)
    examples: list[Example] = []
    for batch in [2, *rng.integers(1, 5, 5)]:
        lengths = rng.integers(2, backbone.max_tokens + 1, batch)
        ids = rng.integers(0, backbone.tokenizer.get_vocab_size(), (batch, lengths.max()))
        mask = np.arange(lengths.max())[None, :] < lengths[:, None]
        ids = np.where(mask, np.where(ids == backbone.pad, backbone.pad + 1, ids), backbone.pad)
        examples.append({"input_ids": ids, "attention_mask": mask.astype(np.int64)})
    return examples
