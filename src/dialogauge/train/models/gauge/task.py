"""gauge: fit what people think of conversations, and say on conversations held out how well."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter

import msgspec
import numpy as np

from .... import corpora
from ....atomic import write_json
from ....corpora import Side
from ....dialogue import Dialogue
from ....errors import InputError
from ....knowledge import mapped
from ....meta.confounds import within_statistic
from ....meta.correlation import coefficient
from ....meta.weighted import spearman
from ....metrics.gauge import KIND, STRAY, WEIGHTS, Head, Reader, Shown, reading
from ...card import Outcome, Section, table
from ...recipe import AtLeastOne, Recipe, Share
from .fit import Fitting, finished, predict, weigh, wide
from .rows import ASKED, NUMBERS, Floats, Rows, answers, normal, phrases, rows

NOTES = """\
- It was learnt from small talk in English between paid people and the chatbots of 2022. Long
  answers of an assistant, bookings, code and other languages were not among it: the interval is
  wider there, and the value should not be trusted.
- A value is the share of those conversations that people liked less. It is no grade: half of
  ordinary conversations are below one half.
- People's ratings of single conversations are noisy, so that the interval is wide. Means of many
  conversations say more.
"""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is learnt from, and how."""

    corpus: str = "ji2022"
    random: tuple[str, ...] = ("QualityControl",)  # systems that answer at random
    reads: tuple[str, ...] = ("relevance", "deam")  # metrics whose turns' scores are numbers
    partner: Fitting = Fitting()  # with a person to react
    alone: Fitting = Fitting()  # the judged side alone
    answer: Fitting = Fitting()  # one answer
    answers: AtLeastOne = 2  # of each conversation
    #: Causes, and the likeness or share from which on they are named.
    causes: dict[str, float] = {}
    stray: Share = 0.03  # of judged turns that are said not to follow


def make(recipe: Recipe, settings: Settings, out: Path) -> Outcome:
    """Fit the heads to four fifths, and measure them on the others."""
    began = perf_counter()
    sides, read, costs = gather(settings.corpus)
    metrics = {name: reading(name) for name in settings.reads}
    encoder = next(iter(metrics.values())).encoder
    known = phrases(encoder)
    reader = Reader(metrics, known)
    learnt, single, stray = seen(sides["train"], reader, settings, recipe.seed)
    held, held_single, _ = seen([*sides["valid"], *sides["test"]], reader, settings, recipe.seed)
    asked = {
        "partner": (settings.partner, learnt, held),
        "alone": (settings.alone, learnt, held),
        "answer": (settings.answer, single, held_single),
    }
    heads, measured = {}, {}
    for name, (how, some, others) in asked.items():
        weights = weigh(some, settings.random, how)
        heads[name] = finished(some, how, weights, recipe.seed)
        measured[name] = _measured(heads[name], others, settings)
    save(out / WEIGHTS, heads, known)
    config = {
        "metric": "gauge",
        **{"encoder": recipe.backbone.name, "encoder_hash": encoder.hash},
        "reads": {name: metric.hash for name, metric in metrics.items()},
        "width": encoder.config.width,
        "heads": {name: head.numbers for name, head in heads.items()},
        "aspects": list(ASKED)[1:],
        "causes": settings.causes | {STRAY: stray},
    }
    write_json(out / "config.json", config)
    return Outcome(
        sections=(
            Section("Data", _data(settings, read, sides, costs)),
            Section("Results on the held fifth", _results(measured)),
            Section("What counts", _weights(heads["partner"], learnt)),
        ),
        packages=("numpy", "scipy", "onnxruntime"),
        best=measured["partner"],
        seconds=perf_counter() - began,
    )


def seen(
    dialogues: Sequence[Dialogue], reader: Reader, settings: Settings, seed: int
) -> tuple[Rows, Rows, float]:
    """Conversations, single answers of them, and below what a judged turn hardly ever fits."""
    shown, asked = reader.read(dialogues), tuple(ASKED.values())
    single = answers(dialogues, settings.answers, seed)
    return (
        rows(dialogues, shown, asked),
        rows(single, reader.read(single), asked[:1]),
        _stray(dialogues, shown, settings),
    )


def _stray(
    dialogues: Sequence[Dialogue], shown: Sequence[Shown | str], settings: Settings
) -> float:
    """Of so many judged turns of usual systems it is said that they do not follow."""
    values = [
        it.facts.fits[it.facts.read.own & (it.facts.before >= 0)]
        for each, it in zip(dialogues, shown, strict=True)
        if not isinstance(it, str) and each.system not in settings.random
    ]
    return round(float(np.nanquantile(np.concatenate(values), settings.stray)), 3)


Sides = Mapping[Side, Sequence[Dialogue]]


def gather(corpus: str) -> tuple[Sides, int, dict[str, int]]:
    """A rated corpus by sides, how many it had, and what each held-out set cost."""
    if corpora.info(corpus).role != "training":
        problem = f"{corpus} is a {corpora.info(corpus).role} set and is never trained on"
        raise InputError(problem, field="settings.corpus", remedy="name a rated training set")
    whole = [each.spoken for each in corpora.load(corpus)]
    others = {name: corpora.load(name) for name in corpora.held_out() if name != corpus}
    kept, costs = corpora.decontaminate(whole, others)
    sides: dict[Side, list[Dialogue]] = {"train": [], "valid": [], "test": []}
    for each in kept:
        sides[corpora.split(each)].append(each)
    return sides, len(whole), costs


def save(path: Path, heads: Mapping[str, Head], known: Mapping[str, Floats]) -> None:
    """Write heads, and the vectors of phrases, as the metric reads them."""
    arrays = {
        f"{name} {field}": np.asarray(value, np.float32)
        for name, head in heads.items()
        for field, value in zip(Head._fields[1:], head[1:], strict=True)
    }
    arrays |= {f"phrases {kind}": each.astype(np.float32) for kind, each in known.items()}
    mapped.write(path, KIND, arrays, {})


_correlation = coefficient("spearman").value


def _measured(head: Head, held: Rows, settings: Settings) -> dict[str, float]:
    """How well a head does on conversations that it was not fitted to."""
    said, real = predict(head, held), held.ratings
    measures = {
        "overall": _correlation(said[:, 0], real[:, 0]),
        "overall within systems": within(said[:, 0], real[:, 0], held.systems.tolist()),
    }
    for at, name in list(enumerate(ASKED))[1 : len(head.bias)]:
        measures[name] = _correlation(said[:, at], real[:, at])
    usual = ~np.isin(held.systems, settings.random)
    wrong = normal(real, weigh(held, settings.random, settings.partner))[:, 0] - said[:, 0]
    error = (wrong / wide(head, held))[usual]
    inside = (error >= head.errors[0]) & (error <= head.errors[1])
    measures["covered by the 90 % interval"] = float(inside.mean())
    return measures


def within(said: Floats, real: Floats, systems: Sequence[str]) -> float:
    """The mean over systems of each one's own correlation."""
    whole = np.ones((len(said), 1))
    statistic = within_statistic(systems, lambda at: spearman(said[at], [real[at]]))
    return float(statistic(whole)[0, 0])


def _data(settings: Settings, read: int, sides: Sides, costs: Mapping[str, int]) -> str:
    corpus = corpora.info(settings.corpus)
    counts = [(settings.corpus, corpus.licence, read, *(len(sides[it]) for it in sides))]
    head = ("corpus", "licence", "read", "fitted to", "held (valid)", "held (test)")
    lost = [(name, count) for name, count in costs.items() if count]
    return (
        f"{table(head, counts)}\nDropped, because they share two adjacent turns or a long turn "
        f"with a test or tuning set:\n\n{table(('set', 'conversations it cost'), lost)}\n"
        f"A conversation with {', '.join(settings.random)}, which answers at random, counts "
        f"{settings.partner.random:g} of another.\n"
    )


def _results(measured: Mapping[str, Mapping[str, float]]) -> str:
    """Spearman's correlations and the coverage, head by head."""
    names = list(measured["partner"])
    cells = [
        (name, *(f"{each[name]:.3f}" if name in each else "" for each in measured.values()))
        for name in names
    ]
    return table(("Spearman", *measured), cells)


def _weights(head: Head, learnt: Rows) -> str:
    """How much each number counts, of one deviation."""
    names = head.numbers
    places = [NUMBERS.index(name) for name in names]
    scale = learnt.numbers[:, places].std(axis=0)
    rows_ = sorted(
        ((name, weight) for name, weight in zip(names, head.weights[:, 0] * scale, strict=True)),
        key=lambda it: -abs(it[1]),
    )
    return "Of the overall rating, for one deviation of each number:\n\n" + table(
        ("number", "weight"), ((name, f"{weight:+.2f}") for name, weight in rows_)
    )
