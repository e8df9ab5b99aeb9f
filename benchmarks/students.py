"""What was tried for `dialogue-minilm`, on the tuning sets: a part of docs/measured/mixtures.md.

    python -m benchmarks.students [NAME ...]        (the first half of make mixtures)

Each row is the shipped recipe on a sample of its dialogues with one thing changed. What the
teachers say is computed once and kept in build/students; a row that is there already is not made
again. `base` must have been imported, and `gte` for rows that name it. No test set is looked at.
"""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from statistics import mean
from subprocess import run
from typing import Any

import msgspec

from dialogauge import corpora, models, score
from dialogauge.atomic import write_json
from dialogauge.encode import Encoder
from dialogauge.meta import compare
from dialogauge.metrics.vectors import ENCODER
from dialogauge.report.markdown import table
from dialogauge.reproduce.relevance import last_turn_and_context
from dialogauge.train import people, recipe
from dialogauge.train.data import Material, gather
from dialogauge.train.loop import fit, reseed
from dialogauge.train.models.encoder import distillation

from .pages import MEASURED, put

ROOT = Path(__file__).parents[1]
WORK = ROOT / "build" / "students"
#: Of how many dialogues one is taken.
SAMPLE = 8
#: The cost of reading a text, MiniLM's as 1: layers times width squared.
COSTS = {"minilm": 1.0, "gte": 2.0, "base, 4 layers": 2.7, "base, 6 layers": 4.0, "base": 8.0}

#: Name -> what is changed: settings, optimisation, the backbone, the corpora, or the sample.
VARIANTS: dict[str, dict[str, Any]] = {
    "as shipped": {},
    "weights of the last step": {"settings": {"mean": 0}},
    "two teachers: base and gte": {"settings": {"teachers": ["base", "gte"]}},
    "gte alone teaches": {"settings": {"teachers": ["gte"]}},
    "the order of each row too": {"settings": {"order": 1.0}},
    "vectors too, through a projection": {"settings": {"projected": 1.0}},
    "only the upper three layers move": {"settings": {"still": 3}},
    "Self-dialogue only": {"corpora": ["self-dialogue"]},
    "without Ji 2022": {"corpora": ["self-dialogue", "topical-chat", "personachat"]},
    "half of the text": {"sample": SAMPLE * 2},
    "base, 4 layers": {"backbone": "base", "settings": {"keep": 4}},
    "base, 6 layers": {"backbone": "base", "settings": {"keep": 6}},
}
PAIRED = ("set", "published", "taught", "difference [95 %]", "p")
HEAD = ("student", "cost", "texts", "steps", "likeness to teachers", "mean", *people.TUNING)


def main(asked: Sequence[str]) -> None:
    WORK.mkdir(parents=True, exist_ok=True)
    shipped = recipe.read(ROOT / "recipes" / "dialogue-minilm.toml")
    missing = [name for name in asked or VARIANTS if not _file(name, shipped).exists()]
    if missing:
        material = gather(shipped.data)
        for name in missing:
            _train(name, shipped, material)
    for part, text in (("students", table(HEAD, rows())), ("paired", table(PAIRED, paired()))):
        put(MEASURED / "mixtures.md", part, text)
        print(text)


def _train(name: str, shipped: recipe.Recipe, material: Material) -> None:
    change = VARIANTS[name]
    chosen = changed(shipped, change)
    kept = _sampled(material, change.get("corpora"), change.get("sample", SAMPLE))
    settings = recipe.settings(chosen, distillation.Settings)
    reseed(chosen.seed, 0)
    task = distillation.build(chosen, settings, kept, WORK, None)
    print(name, f"{len(task.train.rows.texts):,} texts", flush=True)
    file = _file(name, shipped)
    rmtree(file.with_suffix(""), ignore_errors=True)  # of a run that was stopped
    state = fit(task, chosen, file.with_suffix(""))
    texts = len(task.train.rows.texts)
    write_json(file, {"texts": texts, "steps": state.step, "best": state.best})
    print(state.first, state.best, flush=True)


def changed(shipped: recipe.Recipe, change: dict[str, Any]) -> recipe.Recipe:
    """The shipped recipe with one thing changed, validated once at the end."""
    table = msgspec.to_builtins(shipped)
    for part in ("settings", "optimisation"):
        table[part] |= change.get(part, {})
    table["optimisation"] |= {"evaluate_every": 0, "checkpoint_every": 0}
    table["backbone"]["name"] = change.get("backbone", shipped.backbone.name)
    return recipe.decode(json.dumps(table).encode(), json=True)


def _sampled(material: Material, names: Sequence[str] | None, every: int) -> Material:
    """One in so many dialogues of some corpora; the number of one decides what of it is joined."""
    sources = [material.sources[at].name for at in material.origins("train")]
    kept = [name in (names or sources) for name in sources]
    train = [each for each, wanted in zip(material.train, kept, strict=True) if wanted]
    return msgspec.structs.replace(
        material, train=tuple(train[::every]), valid=material.valid[:: SAMPLE // 2]
    )


def rows() -> Iterator[Sequence[object]]:
    """A row for each encoder as it is, then for each that was taught."""
    for name in ("gte", "base"):
        if name in models.imported():
            encoder = Encoder.load(name)
            yield (f"{name}, as published", COSTS[name], *_cells(people.agreement(encoder.vectors)))
    whole = people.agreement(Encoder.load("dialogue-minilm").vectors)
    yield ("minilm, taught by all of the text: what ships", COSTS["minilm"], *_cells(whole))
    shipped = recipe.read(ROOT / "recipes" / "dialogue-minilm.toml")
    for name in VARIANTS:
        if (file := _file(name, shipped)).exists():
            made = json.loads(file.read_bytes())
            best = made["best"]
            sets = {each: best[each] for each in people.TUNING}
            cost = COSTS.get(name, 1.0)
            yield (name, cost, *_cells(sets, made["texts"], made["steps"], best["teachers"]))


def paired() -> Iterator[Sequence[object]]:
    """The taught encoder beside the published one, both int8: by how much it agrees better."""
    published = WORK / "minilm"
    if not published.exists():
        asked = ("models", "import", "minilm", "--out", str(published), "--int8", "--quiet")
        run([sys.executable, "-m", "dialogauge", *asked], check=True)
    for name, aspect in people.TUNING.items():
        items = corpora.load(name)
        ours, theirs = map(last_turn_and_context, (ENCODER, str(published)))
        scores = score(items, [ours, theirs])
        pair = compare([(scores, ours.name), (scores, theirs.name)], items, aspect)
        values, gap = pair.correlations, pair.pairs[0]
        was, now = values[theirs.name].value, values[ours.name].value
        sign = 1 if gap.first == ours.name else -1
        low, high = sorted((sign * gap.difference.low, sign * gap.difference.high))
        better = f"{sign * gap.difference.value:+.3f} [{low:+.3f}, {high:+.3f}]"
        yield name, f"{was:.3f}", f"{now:.3f}", better, f"{gap.p:.2g}"


def _cells(
    sets: dict[str, float], texts: int = 0, steps: int = 0, likeness: float = 1.0
) -> Iterator[str]:
    yield from (f"{texts:,}", f"{steps:,}", f"{likeness:.3f}") if texts else ("", "", "")
    yield from (f"{value:.3f}" for value in (mean(sets.values()), *sets.values()))


def _file(name: str, shipped: recipe.Recipe) -> Path:
    """Where a row is kept; of another recipe it is another row."""
    change = VARIANTS[name]
    sample = change.get("sample", SAMPLE), change.get("corpora")
    facts = recipe.encode(changed(shipped, change)) + repr(sample).encode()
    return WORK / f"{re.sub(r'[^a-z0-9]+', '-', name.lower())}-{sha256(facts).hexdigest()[:8]}.json"


if __name__ == "__main__":
    main(sys.argv[1:])
