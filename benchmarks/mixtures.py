"""What was tried for `relevance`, on the tuning sets: a part of docs/measured/mixtures.md.

    python -m benchmarks.mixtures [NAME ...]        (the second half of make mixtures)

Each row is the shipped recipe with one thing changed, trained by the same loop on the same vectors,
which are encoded once and kept in build/mixtures; a row that is there already is not trained again.
Test sets are not looked at.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from dialogauge import corpora
from dialogauge.dialogue import Dialogue
from dialogauge.metrics import Metric, load
from dialogauge.report.markdown import table
from dialogauge.reproduce.relevance import last_turn, last_turn_and_context
from dialogauge.train import recipe, run
from dialogauge.train.data import Material, gather
from dialogauge.train.models import Encode
from dialogauge.train.models.relevance import rows as selection
from dialogauge.train.people import TUNING
from dialogauge.train.vectors import cached, encoder

from .pages import MEASURED, put

ROOT = Path(__file__).parents[1]
WORK = ROOT / "build" / "mixtures"
Floats = NDArray[np.float64]

#: Name -> what is changed: settings, optimisation, the corpora, or how much of each.
VARIANTS: dict[str, dict[str, Any]] = {
    "as shipped": {},
    "no nearest negatives": {"settings": {"nearest": 0}},
    "8 nearest negatives": {"settings": {"nearest": 8}},
    "2 same-dialogue negatives": {"settings": {"same_dialogue": 2}},
    "last turn only": {"settings": {"turns": 1}},
    "last 2 turns": {"settings": {"turns": 2}},
    "dropout 0.3": {"settings": {"dropout": 0.3}},
    "3 epochs": {"optimisation": {"epochs": 3}},
    "rate 0.002": {"optimisation": {"learning_rate": 0.002}},
    "Self-dialogue only": {"corpora": ["self-dialogue"]},
    "Topical-Chat only": {"corpora": ["topical-chat"]},
    "PersonaChat only": {"corpora": ["personachat"]},
    "Topical-Chat, 3 epochs": {"corpora": ["topical-chat"], "optimisation": {"epochs": 3}},
    "2,000 dialogues of each": {"cap": 2000},
    "2,000 of each, 3 epochs": {"cap": 2000, "optimisation": {"epochs": 3}},
}


def main(asked: Sequence[str]) -> None:
    WORK.mkdir(parents=True, exist_ok=True)
    shipped = recipe.read(ROOT / "recipes" / "relevance.toml")
    names = asked or VARIANTS
    if any(not _folder(name).exists() for name in names):
        material = gather(shipped.data)
        for name in names:
            _train(name, shipped, material)
    text = table(HEAD, _rows())
    put(MEASURED / "mixtures.md", "heads", text)
    print(text)


def _train(name: str, shipped: recipe.Recipe, material: Material) -> None:
    folder, change = _folder(name), VARIANTS[name]
    if folder.exists():
        return
    changed = msgspec.to_builtins(shipped)
    changed["settings"] |= {"cosine": 0.0} | change.get("settings", {})
    changed["optimisation"] |= change.get("optimisation", {})
    chosen = recipe.decode(json.dumps(changed).encode(), json=True)
    kept = _kept(material, change.get("corpora"), change.get("cap"))
    print(name, f"{len(kept.train):,} dialogues", flush=True)
    done = run.train(chosen, folder.with_name("now"), material=kept, encode=_encode(material))
    folder.with_name("now").rename(folder)
    print(done.before, done.best, flush=True)


def _kept(material: Material, names: Sequence[str] | None, cap: int | None) -> Material:
    """The first dialogues of some corpora; validation stays on all of them."""
    ends = [0, *accumulate(source.train for source in material.sources)]
    train = [
        dialogue
        for source, (start, end) in zip(material.sources, pairwise(ends), strict=True)
        if names is None or source.name in names
        for dialogue in material.train[start:end][:cap]
    ]
    return msgspec.structs.replace(material, train=tuple(train))


def _encode(material: Material) -> Encode:
    """The shipped encoder, which has seen every text already."""
    texts = selection.pairs([*material.train, *material.valid], 1).texts
    chosen = recipe.Chosen("dialogue-minilm")
    vectors = cached(encoder(chosen), texts, chosen, WORK)
    place = {text: row for row, text in enumerate(texts)}
    return lambda asked: np.asarray(vectors[[place[text] for text in asked]], np.float32)


def _rows() -> Iterator[Sequence[object]]:
    sets = {name: corpora.load(name) for name in TUNING}
    plain = {name: _scores(last_turn(), sets[name]) for name in sets}
    for floor in (last_turn(), last_turn_and_context()):
        values = [_spearman(_scores(floor, sets[name]), name, sets[name]) for name in sets]
        yield (f"no head: {floor.name}", "", *(f"{value:.3f}" for value in values))
    for name in VARIANTS:
        if _folder(name).exists():
            yield (name, *_trained(_folder(name), sets, plain))


def _trained(
    folder: Path, sets: dict[str, tuple[Dialogue, ...]], plain: dict[str, Floats]
) -> Iterator[str]:
    """The best validation, and on each set the head alone and half of it with half the cosine."""
    log = (json.loads(line) for line in (folder / "training" / "log.jsonl").open())
    hits = [line["validation"]["hits@1/20"] for line in log if line.get("validation")]
    yield f"{hits[0]:.3f} → {max(hits):.3f}"
    metric = load(str(folder))
    for name, dialogues in sets.items():
        head = _scores(metric, dialogues)
        both = (head + plain[name]) / 2
        values = (_spearman(scores, name, dialogues) for scores in (head, both))
        yield " / ".join(f"{value:.3f}" for value in values)


def _scores(metric: Metric, dialogues: Sequence[Dialogue]) -> Floats:
    return np.array([score.turns[-1] for score in metric.score(dialogues)])


def _spearman(scores: Floats, name: str, dialogues: Sequence[Dialogue]) -> float:
    people = [dialogue.rating(TUNING[name]) for dialogue in dialogues]
    return float(spearmanr(scores, people, nan_policy="omit").statistic)


def _folder(name: str) -> Path:
    return WORK / name.lower().replace(" ", "-").replace(",", "")


HEAD = ("variant", "1 of 20: before → after", *TUNING)

if __name__ == "__main__":
    main(sys.argv[1:])
