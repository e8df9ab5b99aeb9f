"""What a network of responses is chosen by: sets that are for choosing, and never learnt from."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from .... import corpora
from ....dialogue import Dialogue
from ....errors import DataError
from ....meta.correlation import coefficient
from ....metrics.dcgeval import Line, padded_lines
from ...people import TUNING
from .batch import Source, tensors
from .model import Model
from .rows import Context

Floats = NDArray[np.float64]

#: Contexts of DailyDialog++ (dev), and items of each set of rated answers at most.
_CONTEXTS, _ITEMS = 100, 250
_TOGETHER = 32


class Exam:
    """Items of the tuning sets, as lines."""

    def __init__(self, model: Model, work: Path, apart: Sequence[str] = ()) -> None:
        """``work`` keeps what is read; ``apart`` are sets that are learnt from."""
        self._model, self._work = model, work
        self._rated = {
            name: (self._made(items), _means(items, aspect))
            for name, aspect in TUNING.items()
            if name not in apart and (items := _sampled(name, _ITEMS))
        }
        items = _levelled()
        self._levels = np.array([item.ratings["level"][0] for item in items])
        self._groups = np.array([item.context_key for item in items])
        self._pairs = self._made(items)

    def measures(self, network: nn.Module) -> dict[str, float]:
        """The mean of the next two, to choose by; ``people``: the mean correlation with ratings;
        ``told``: the mean of ``adversarial`` and ``random``, how often such a response is below a
        good one to the same context."""
        spearman = coefficient("spearman").value
        rated = {
            name: spearman(score(network, lines), people)
            for name, (lines, people) in self._rated.items()
        }
        told = self._told(score(network, self._pairs)) if len(self._pairs) else {}
        means = {"people": rated, "told": told}
        both = {name: float(np.mean(list(some.values()))) for name, some in means.items() if some}
        chosen = {"score": float(np.mean(list(both.values())))} if both else {}
        return chosen | both | told | rated

    def _told(self, values: Floats) -> dict[str, float]:
        won: dict[str, list[float]] = {"adversarial": [], "random": []}
        for group in np.unique(self._groups):
            own, levels = values[self._groups == group], self._levels[self._groups == group]
            for name, level in (("adversarial", 1.0), ("random", 0.0)):
                pairs = own[levels == 2.0][:, None] - own[levels == level][None]
                won[name].append(float((pairs > 0).mean()))
        return {name: float(np.mean(some)) for name, some in won.items()}

    def _made(self, items: Sequence[Dialogue]) -> list[Line]:
        return made(self._model, items, self._work)


def made(model: Model, items: Sequence[Dialogue], work: Path) -> list[Line]:
    """Turn-level items as lines, of a long response its beginning."""
    contexts = [_context(item, model.turns) for item in items]
    texts = [text for each in contexts for text in (*each.good, *(it for _, it in each.turns))]
    source = Source(model.encoder, model.lines, texts, work)
    return [source.lines(each, each.good)[0] for each in contexts]


def _context(item: Dialogue, count: int) -> Context:
    turns = tuple((turn.speaker, turn.text) for turn in item.turns[-1 - count : -1])
    return Context(item.id, turns, item.turns[-1].speaker, (item.response,))


def score(network: nn.Module, lines: Sequence[Line]) -> Floats:
    """The logit of each line."""
    values = np.zeros(len(lines))
    order = sorted(range(len(lines)), key=lambda at: len(lines[at].ids))
    device = next(network.parameters()).device
    for at in range(0, len(order), _TOGETHER):
        some = order[at : at + _TOGETHER]
        given = tensors(padded_lines([lines[each] for each in some]))
        with torch.no_grad():
            values[some] = network(*(each.to(device) for each in given)).float().cpu().numpy()
    return values


def _means(items: Sequence[Dialogue], aspect: str) -> Floats:
    return np.array([np.nanmean(item.ratings[aspect]) for item in items])


def _sampled(name: str, most: int) -> list[Dialogue]:
    try:
        items = [item for item in corpora.load(name) if len(item.turns) > 1]
    except DataError:
        return []
    return Random(0).sample(items, min(most, len(items)))  # noqa: S311  (no secret)


def _levelled() -> list[Dialogue]:
    try:
        items = corpora.load("dailydialogpp-dev")
    except DataError:
        return []
    keys = sorted({item.context_key for item in items})
    kept = set(Random(0).sample(keys, min(_CONTEXTS, len(keys))))  # noqa: S311  (no secret)
    return [item for item in items if item.context_key in kept]
