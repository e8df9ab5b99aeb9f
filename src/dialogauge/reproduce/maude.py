"""MaUdE (Sinha et al. 2020): what each kind of bad response costs, and what people say.

Scores are taken on held dialogues (the test split) that no training saw. A *delta* is the mean by
which a kind of response scores below the one that was given; its interval resamples dialogues.
Models that do not ship are trained by ``--retrain``, which keeps what it found in
``maude-family.json`` beside the page.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from .. import atomic, corpora, formats
from ..dialogue import Dialogue, Turn
from ..errors import InputError
from ..meta.bootstrap import codes, intervals
from ..meta.estimate import Estimate, Settings
from ..meta.weighted import mean, select
from ..metrics import load
from ..metrics.maude import Maude
from .looks import final, logged, look
from .page import Section, correlations, shown, table

Floats = NDArray[np.float64]

#: Corpora whose training dialogues were learnt from, and ones that were not.
TRAINED = ("self-dialogue", "topical-chat", "personachat")
ZERO_SHOT = ("dailydialog", "cmu-dog", "schema-guided")
DIALOGUES = 60  # of each corpus

TUNING = {"usr-topical": "Overall", "engage": "engagement"}
TEST = {"fed-turn": "Overall", "fed-dialogue": "Overall"}

#: Kind of response -> the paper's score (gold) or delta, MaUdE, RUBER, InferSent, DistilBERT-NLI.
PAPER: dict[str, tuple[float | None, ...]] = {
    "gold": (0.909, None, None, None),
    "back-translation": (0.070, 0.249, 0.278, 0.024),
    "generated": (0.308, 0.342, 0.362, 0.174),
    "random-utterance": (0.287, 0.152, 0.209, 0.147),
    "random-generated": (0.585, 0.402, 0.435, 0.344),
    "word-drop": (0.300, 0.342, 0.367, 0.261),
    "word-order": (0.726, 0.392, 0.409, 0.671),
    "word-repeat": (0.872, 0.432, 0.461, 0.782),
}
PAPER_MODELS = ("maude", "ruber", "infersent", "nli")
#: Corpus -> mean score of the given and of a random response, and delta (Table 3, MaUdE).
PAPER_ZERO_SHOT = {"dailydialog": (0.782, 0.431, 0.351)}

#: What `--retrain` trains: name -> settings of recipes/maude.toml that are changed.
FAMILY: dict[str, dict[str, Any]] = {
    "maude": {},
    "maude, semantics": {"policy": "semantics"},
    "maude, syntax": {"policy": "syntax"},
    "maude, as released": {
        "absolute": True,
        "one_way": True,
        "mispaired": True,
        "balance": False,
    },
    "nli": {"network": "nli"},
    "infersent": {"network": "infersent"},
    "ruber": {"network": "ruber"},
}
KEPT = "maude-family.json"


class Measured(msgspec.Struct, frozen=True):
    """A model on all kinds: scores, deltas, and how far the mean delta is below MaUdE's."""

    scores: Mapping[str, Estimate]
    deltas: Mapping[str, Estimate]
    behind: Estimate


def maude(docs: Path, take_final_look: bool, retrain: bool = False) -> Iterator[Section]:
    """MaUdE: what broken and foreign responses cost, zero-shot, and against people."""
    trained = load("maude")
    assert isinstance(trained, Maude)  # noqa: S101  (for the type checker)
    exam = Exam(held(TRAINED))
    yield Section("Kinds of responses (the paper's Tables 1 and 6)", _kinds(exam, trained))
    yield Section("Corpora that were not trained on (Table 3)", _zero_shot(trained))
    path = docs / "reproductions" / KEPT
    if retrain:
        _keep(path, retrained(exam, docs))
    yield Section("The family under the same training (Tables 1, 4, 5)", _family(path))
    yield Section("People, where anyone may look", correlations(look([trained], TUNING)))
    if take_final_look:
        final("maude", [trained], TEST, docs)
    yield Section("Test sets, each final look", _finals(docs))
    yield Section("Where in a conversation (Figure 3)", _positions(trained, docs))
    yield Section("Conversations, turn by turn (Figures 4-6)", _examples(trained))


class Exam:
    """Held responses, and what else might have been said at their places."""

    def __init__(
        self, dialogues: Sequence[Dialogue], *, every_kind: bool = True, seed: int = 1
    ) -> None:
        from ..manipulate import translation
        from ..train import causal, nce
        from ..train.tasks.nce import generated

        replies, translate = {}, None
        if every_kind and causal.available():
            replies = generated(dialogues, causal.NAME, len(dialogues), seed)
        if every_kind and translation.available():
            translate = translation.apertium()
        sources = nce.Sources(translate, replies)
        rows = nce.make(dialogues, 64, sources, seed)
        rng = np.random.default_rng(seed)
        kinds = {kind: nce.negative(rows, kind, rng) for kind in (*nce.BROKEN, *nce.ELSEWHERE)}
        self.rows, self.said = rows, {**rows.said, **kinds}
        self.contexts = [[rows.texts[at] for at in each if at >= 0] for each in rows.context]
        self.clusters = rows.dialogue

    def scores(self, metric: Maude) -> dict[str, Floats]:
        """Kind -> the score of each row's response of that kind, NaN where there is none."""
        found = {}
        for kind, places in self.said.items():
            texts = [self.rows.texts[at] if at >= 0 else "" for at in places]
            found[kind] = metric.follow(self.contexts, texts).astype(np.float64)
        return found

    def measure(self, scores: Mapping[str, Floats], ours: Mapping[str, Floats]) -> Measured:
        """Means and deltas with their intervals; ``ours`` are MaUdE's scores of the same."""
        gold = scores["gold"]
        deltas = {kind: gold - each for kind, each in scores.items() if kind != "gold"}
        behind = _mean_delta(ours) - _mean_delta(scores)
        named = {f"score {kind}": each for kind, each in scores.items()}
        named |= {f"delta {kind}": each for kind, each in deltas.items()} | {"behind": behind}
        found = self._estimates(named)
        return Measured(
            {kind: found[f"score {kind}"] for kind in scores if f"score {kind}" in found},
            {kind: found[f"delta {kind}"] for kind in deltas if f"delta {kind}" in found},
            found["behind"],
        )

    def _estimates(self, named: Mapping[str, Floats]) -> dict[str, Estimate]:
        statistics = {}
        for name, values in named.items():
            known = np.flatnonzero(~np.isnan(values))
            if len(known):
                statistics[name] = (select(known, mean(values[known])), len(known))
        return intervals(statistics, codes(self.clusters.tolist()), Settings())


def _mean_delta(scores: Mapping[str, Floats]) -> Floats:
    """For each row the mean by which bad responses score below the given one."""
    bad = [each for kind, each in scores.items() if kind not in ("gold", "back-translation")]
    there = [each for each in bad if not np.isnan(each).all()]
    filled = np.array([np.where(np.isnan(each), scores["gold"], each) for each in there])
    gaps: Floats = (scores["gold"] - filled).mean(axis=0)
    return gaps


def held(names: Sequence[str], count: int = DIALOGUES) -> list[Dialogue]:
    """Dialogues of the test split, some of each corpus."""
    found: list[Dialogue] = []
    for name in names:
        every = (each.spoken for each in corpora.load(name) if corpora.split(each) == "test")
        found += [each for each in every if len(each.turns) > 1][:count]
    return found


def _kinds(exam: Exam, metric: Maude) -> str:
    scores = exam.scores(metric)
    measured = exam.measure(scores, scores)
    head = ("response", "score", "delta", "paper: MaUdE", "RUBER", "InferSent", "DistilBERT-NLI")
    rows = []
    for kind, paper in PAPER.items():
        delta = measured.deltas.get(kind)
        ours = measured.scores.get(kind)
        cells = [shown(each) if each else "–" for each in (ours, delta)]
        rows.append((kind, *cells, *("" if each is None else f"{each:.3f}" for each in paper)))
    note = (
        f"{len(exam.rows):,} responses of held dialogues of {', '.join(TRAINED)}. The paper's row "
        "*gold* is a score, the others are deltas; its *repeat* says one of the first two words to "
        "the end, ours repeats random words, which is harder to see. Back-translations are "
        "apertium's, generated responses SmolLM2's; the paper had a neural translator and a "
        "seq2seq model.\n\n"
    )
    return note + table(head, rows)


def _zero_shot(metric: Maude) -> str:
    head = ("corpus", "given", "random", "delta", "paper: given", "random", "delta")
    rows = []
    for name in ZERO_SHOT:
        exam = Exam(held([name]), every_kind=False)
        scores = {
            kind: each
            for kind, each in exam.scores(metric).items()
            if kind in ("gold", "random-utterance")
        }
        found = exam.measure(scores, scores)
        cells = [found.scores["gold"], found.scores["random-utterance"]]
        cells += [found.deltas["random-utterance"]]
        paper = PAPER_ZERO_SHOT.get(name, ())
        published = [f"{each:.3f}" for each in paper] or [""] * 3
        rows.append((name, *map(shown, cells), *published))
    return table(head, rows)


def retrained(exam: Exam, docs: Path) -> dict[str, Measured]:
    """Train the family and measure each on the same responses."""
    found: dict[str, dict[str, Floats]] = {}
    for name, folder in _trained(docs):
        metric = load(str(folder))
        assert isinstance(metric, Maude)  # noqa: S101
        found[name] = exam.scores(metric)
    return {name: exam.measure(scores, found["maude"]) for name, scores in found.items()}


def _trained(docs: Path) -> Iterator[tuple[str, Path]]:
    """The family, trained in ``build/maude``; what is there already is not trained again."""
    from ..train import frozen, recipe, run
    from ..train.data import gather

    work = docs.parent / "build" / "maude"
    source = docs.parent / "recipes" / "maude.toml"
    shipped = recipe.read(source)
    material = None
    work.mkdir(parents=True, exist_ok=True)
    for name, change in FAMILY.items():
        folder = work / name.replace(", ", "-").replace(" ", "-")
        if not (folder / "manifest.json").exists():
            material = material or gather(shipped.data)
            told = msgspec.to_builtins(shipped)
            told["settings"] |= change
            chosen = recipe.decode(msgspec.json.encode(told), json=True)
            kept = frozen.encoder(chosen.backbone, work / "vectors")
            run.train(
                chosen,
                folder,
                resume=(folder / "recipe.json").exists(),
                material=material,
                encode=kept,
            )
        yield name, folder


def _keep(path: Path, found: Mapping[str, Measured]) -> None:
    with atomic.reporting(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with atomic.writing(path) as file:
        file.write(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")


def _family(path: Path) -> str:
    if not path.exists():
        return "Not trained yet: `dialogauge reproduce maude --retrain`."
    try:
        found = msgspec.json.decode(path.read_bytes(), type=dict[str, Measured])
    except (msgspec.DecodeError, OSError) as error:
        raise InputError(f"cannot be read: {error}", file=str(path)) from None
    kinds = [kind for kind in PAPER if kind != "gold"]
    rows = []
    for name, each in found.items():
        cells = [shown(each.scores["gold"])]
        cells += [shown(each.deltas[kind]) if kind in each.deltas else "–" for kind in kinds]
        rows.append((name, *cells, "" if name == "maude" else shown(each.behind)))
    note = (
        "Trained by `dialogauge reproduce maude --retrain` with recipes/maude.toml, one thing "
        "changed; *gold* is a score, the rest are deltas; the last column is how far a model's "
        "mean delta over bad responses is below MaUdE's on the same responses (paired).\n\n"
    )
    return note + table(("model", "gold", *kinds, "behind maude"), rows)


def _finals(docs: Path) -> str:
    finals = logged(docs, "maude")
    if not finals:
        return "No look was taken yet: `dialogauge reproduce maude --final` takes one."
    return "\n\n".join(f"{each.date}\n\n{correlations(each.looks)}" for each in finals)


def _positions(metric: Maude, docs: Path) -> str:
    from ..report.positions import discriminants, draw

    dialogues = [each for each in held(TRAINED) if len(each.turns) >= 10]
    texts = [turn.text for each in dialogues for turn in each.turns]
    bins = np.concatenate([np.arange(len(each.turns)) * 5 // len(each.turns) for each in dialogues])
    vectors = metric.encoder.vectors(texts).astype(np.float64)
    known = ~np.isnan(vectors[:, 0])
    path = docs / "reproductions" / "maude-positions.svg"
    if docs.is_dir():
        draw(discriminants(vectors[known], bins[known]), bins[known], path)
    return (
        f"{int(known.sum()):,} utterances of {len(dialogues)} held dialogues by the fifth of the "
        "conversation they stand in, on the two directions that tell the fifths apart best "
        "(linear discriminants of the encoder's vectors).\n\n![positions](maude-positions.svg)"
    )


def _examples(metric: Maude) -> str:
    """Our own example conversations with the score of each turn."""
    path = Path("examples") / "chats.jsonl"
    if not path.exists():
        return "Run it in the project's folder to see its examples."
    parts = []
    for dialogue in list(formats.read([str(path)]))[:3]:
        score = metric.score([dialogue])[0]
        rows = [
            (turn.speaker, _cell(turn), "" if isnan(value) else f"{value:.2f}")
            for turn, value in zip(dialogue.turns, score.turns, strict=True)
        ]
        parts.append(f"**{dialogue.id}**: {score.value:.2f}\n\n{table(('', '', 'score'), rows)}")
    return "\n\n".join(parts)


def _cell(turn: Turn) -> str:
    return turn.text.replace("|", "\\|").replace("\n", " ")
