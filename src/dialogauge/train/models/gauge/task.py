"""gauge: fit what people think of conversations, and say on conversations held out how well."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace

from .... import corpora
from ....atomic import write_json
from ....corpora import Side
from ....dialogue import Dialogue
from ....errors import InputError
from ....knowledge import mapped
from ....meta.confounds import within_statistic
from ....meta.correlation import coefficient
from ....meta.weighted import spearman
from ....metrics.evidence import NUMBERS
from ....metrics.gauge import KIND, READS, WEIGHTS, Head, Named, Reader, Shown, reading
from ...card import Outcome, Section, table
from ...recipe import AtLeastOne, Recipe, Share
from .fit import Fitting, Said, calibrated, crossed, fit, folds, predict, weigh, wide
from .rows import ASKED, Floats, Rows, answers, contexts, normal, phrases, rows

NOTES = """\
- It was learnt from small talk in English between paid people and small chatbots of 2021. Answers
  of 200 words, code and conversations of one or two turns lie outside of it, and widen the
  interval. A booking looks like small talk to it and widens nothing, but nobody rated one: do not
  trust its value (docs/reproductions/gauge.md, Elsewhere).
- A value is the share of those conversations that people liked less. It is no grade: half of
  ordinary conversations are below one half.
- People's ratings of single conversations are noisy, so that the interval is wide. Means of many
  conversations say more.
"""


_HELD = """\
The numbers that are read were chosen by fits to parts of all of them, these included;
*answer* and *reply* are asked about single answers, and set beside what people said of the whole.

"""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is learnt from, and how."""

    corpus: str = "ji2022"
    random: tuple[str, ...] = ("QualityControl",)  # systems that answer at random
    partner: Fitting = Fitting()  # with a person to react
    alone: Fitting = Fitting()  # the judged side alone
    answer: Fitting = Fitting()  # one answer
    answers: AtLeastOne = 2  # of each conversation
    named: Named = Named()  # from where on causes are named
    stray: Share = 0.03  # of judged turns that are said not to follow


def make(recipe: Recipe, settings: Settings, out: Path) -> Outcome:
    """Fit the heads to four fifths, and measure them on the others."""
    began = perf_counter()
    _refuse(settings)
    sides, read, costs = gather(settings.corpus)
    metrics = {name: reading(name) for name in READS}
    encoder = next(iter(metrics.values())).encoder
    if encoder.config.name != recipe.backbone.name:
        problem = f"{', '.join(metrics)} read with {encoder.config.name}"
        raise InputError(problem, field="backbone.name", remedy="name that")
    known = phrases(encoder)
    reader = Reader(metrics, known)
    learnt = seen(sides["train"], reader, settings, recipe.seed)
    held = seen([*sides["valid"], *sides["test"]], reader, settings, recipe.seed)
    heads = fitted(learnt, settings, recipe.seed)
    save(out / WEIGHTS, heads, known)
    config = {
        "metric": "gauge",
        **{"encoder": recipe.backbone.name, "encoder_hash": encoder.hash},
        "reads": {name: metric.hash for name, metric in metrics.items()},
        "width": encoder.config.width,
        "heads": {name: head.numbers for name, head in heads.items()},
        "aspects": list(ASKED)[1:],
        "named": replace(settings.named, stray=learnt.stray),
    }
    write_json(out / "config.json", config)
    measured = _measured(heads, held, settings)
    return Outcome(
        sections=(
            Section("Data", _data(settings, read, sides, costs)),
            Section("Results on the held fifth", _HELD + _results(measured)),
            Section("What counts", _weights(heads["partner"], learnt.whole)),
        ),
        packages=("numpy", "scipy", "onnxruntime"),
        best=measured["partner"],
        seconds=perf_counter() - began,
    )


def _refuse(settings: Settings) -> None:
    """An error for a number that cannot be had, before minutes are spent."""
    for head in ("partner", "alone", "answer"):
        for name in getattr(settings, head).numbers:
            if name not in NUMBERS:
                known = ", ".join(NUMBERS)
                raise InputError(
                    f"no number is called {name!r} (known: {known})", field=f"settings.{head}"
                )


class Seen(NamedTuple):
    """Conversations as numbers, and single answers of them with what was said before each."""

    whole: Rows
    single: Rows
    context: Rows
    stray: float  # a judged turn of a usual system hardly ever fits less


def seen(dialogues: Sequence[Dialogue], reader: Reader, settings: Settings, seed: int) -> Seen:
    """What conversations show, and what some of their answers do."""
    asked = tuple(ASKED.values())
    single = answers(dialogues, settings.answers, seed)
    shown, of_single = list(reader.read(dialogues)), list(reader.read(single))
    spoken = [replace(each, level="dialogue") for each in single]
    context = rows(spoken, contexts(of_single), asked[:1])
    kept = {(each.id, len(each.turns)) for each in context.dialogues}
    both = rows(single, of_single, asked[:1])
    there = np.array([(each.id, len(each.turns)) in kept for each in both.dialogues])
    stray = _stray(dialogues, shown, settings)
    return Seen(rows(dialogues, shown, asked), both.some(there), context, stray)


def _stray(
    dialogues: Sequence[Dialogue], shown: Sequence[Shown | str], settings: Settings
) -> float:
    values = [
        it.facts.answers[it.facts.read.own]
        for each, it in zip(dialogues, shown, strict=True)
        if not isinstance(it, str) and each.system not in settings.random
    ]
    return round(float(np.nanquantile(np.concatenate(values), settings.stray)), 3)


def fitted(learnt: Seen, settings: Settings, seed: int) -> dict[str, Head]:
    """Every head, with its errors on conversations that it was not fitted to."""
    heads, said = {}, {}
    whole, single = (~np.isin(it.systems, settings.random) for it in (learnt.whole, learnt.single))
    for name, rows_, usual in (
        ("partner", learnt.whole, whole),
        ("alone", learnt.whole, whole),
        ("answer", learnt.single, single),
    ):
        how: Fitting = getattr(settings, name)
        weights = weigh(rows_, settings.random, how)
        said[name] = crossed(rows_, how, weights, seed)
        real = normal(rows_.ratings, weights)
        heads[name] = calibrated(fit(rows_, how, weights), said[name], real, weights, usual)
    weights = weigh(learnt.single, settings.random, settings.answer)
    so_far = _so_far(learnt, settings, seed)
    both = _together(said["answer"], so_far, heads["partner"])
    real = normal(learnt.single.ratings, weights)
    heads["reply"] = calibrated(heads["answer"], both, real, weights, single)
    return heads


def _so_far(learnt: Seen, settings: Settings, seed: int) -> Said:
    """What fits that do not know a conversation say of it before each of its answers."""
    how, outputs = settings.partner, np.zeros((len(learnt.context.dialogues), 1))
    widths, ids = np.zeros(len(outputs)), np.array([it.id for it in learnt.context.dialogues])
    weights = weigh(learnt.whole, settings.random, how)
    for held in folds(learnt.whole, how.folds, seed):
        head = fit(learnt.whole.some(~held), how, weights[~held])
        own = {each.id for each, there in zip(learnt.whole.dialogues, held, strict=True) if there}
        asked = np.isin(ids, list(own))
        outputs[asked] = predict(head, learnt.context.some(asked))[:, :1]
        widths[asked] = wide(head, learnt.context.some(asked))
    return Said(outputs, widths)


def _together(answer: Said, so_far: Said, partner: Head) -> Said:
    """An answer, and how it went before it, as the metric adds them up."""
    outputs = answer.outputs + so_far.outputs - partner.bias[0]
    return Said(outputs, np.maximum(answer.widths, so_far.widths))


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


def _measured(
    heads: Mapping[str, Head], held: Seen, settings: Settings
) -> dict[str, dict[str, float]]:
    """How well each head does on conversations that it was not fitted to."""
    said = {
        name: Said(predict(heads[name], some), wide(heads[name], some))
        for name, some in (
            ("partner", held.whole),
            ("alone", held.whole),
            ("answer", held.single),
        )
    }
    partner = heads["partner"]
    so_far = Said(predict(partner, held.context)[:, :1], wide(partner, held.context))
    said["reply"] = _together(said["answer"], so_far, partner)
    return {
        name: _marks(
            heads[name],
            its,
            held.whole if name in ("partner", "alone") else held.single,
            settings,
            settings.answer if name == "reply" else getattr(settings, name),
        )
        for name, its in said.items()
    }


def _marks(
    head: Head, said: Said, held: Rows, settings: Settings, how: Fitting
) -> dict[str, float]:
    outputs, real = said.outputs, held.ratings
    measures = {
        "overall": _correlation(outputs[:, 0], real[:, 0]),
        "overall within systems": within(outputs[:, 0], real[:, 0], held.systems.tolist()),
    }
    for at, name in list(enumerate(ASKED))[1 : len(head.bias)]:
        measures[name] = _correlation(outputs[:, at], real[:, at])
    usual = ~np.isin(held.systems, settings.random)
    wrong = normal(real, weigh(held, settings.random, how))[:, 0] - outputs[:, 0]
    error = (wrong / said.widths)[usual]
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
    scale = np.nanstd(learnt.named(names), axis=0)
    rows_ = sorted(
        ((name, weight) for name, weight in zip(names, head.weights[:, 0] * scale, strict=True)),
        key=lambda it: -abs(it[1]),
    )
    return "Of the overall rating, for one deviation of each number:\n\n" + table(
        ("number", "weight"), ((name, f"{weight:+.2f}") for name, weight in rows_)
    )
