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
from ....metrics.gauge import KIND, WEIGHTS, Head, Reader, reading
from ...card import Outcome, Section, table
from ...recipe import Recipe, Share
from .fit import Fitting, finished, predict, unusual, weigh
from .rows import ASKED, NUMBERS, Floats, Rows, normal, phrases, rows

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
    relevance: str = "relevance"  # the head that says how well turns follow
    partner: Fitting = Fitting()  # with a person to react
    alone: Fitting = Fitting()  # the judged side alone
    #: Causes, and the likeness or share from which on they are named.
    causes: dict[str, float] = {}
    stray: Share = 0.03  # of judged turns that are said not to follow


def make(recipe: Recipe, settings: Settings, out: Path) -> Outcome:
    """Fit both heads to four fifths, and measure them on the others."""
    began = perf_counter()
    sides, read, costs = gather(settings.corpus)
    follows = reading(settings.relevance)
    known = phrases(follows.encoder)
    reader = Reader(follows, known)
    learnt = rows(sides["train"], reader, tuple(ASKED.values()))
    held = rows([*sides["valid"], *sides["test"]], reader, tuple(ASKED.values()))
    weights = weigh(learnt, settings.random, settings.partner)
    hows = {"partner": settings.partner, "alone": settings.alone}
    heads = {name: finished(learnt, how, weights, recipe.seed) for name, how in hows.items()}
    save(out / WEIGHTS, heads, known)
    usual = ~np.isin(learnt.systems, settings.random)
    stray = reader_quantile(learnt.some(usual), reader, settings.stray)
    config = {
        "metric": "gauge",
        **{"encoder": follows.config.encoder, "encoder_hash": follows.encoder.hash},
        **{"relevance": settings.relevance, "relevance_hash": follows.hash},
        "width": follows.encoder.config.width,
        "heads": {name: head.numbers for name, head in heads.items()},
        "aspects": list(ASKED)[1:],
        "causes": settings.causes | {"does not follow": stray},
    }
    write_json(out / "config.json", config)
    measured = {name: _measured(head, held, settings) for name, head in heads.items()}
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


def reader_quantile(learnt: Rows, reader: Reader, share: float) -> float:
    """The share of judged turns that follow worst ends here."""
    facts = [it.facts for it in reader.read(learnt.dialogues) if not isinstance(it, str)]
    values = np.concatenate([it.read.follows[it.read.own] for it in facts])
    return round(float(np.nanquantile(values, share)), 3)


_correlation = coefficient("spearman").value


def _measured(head: Head, held: Rows, settings: Settings) -> dict[str, float]:
    """How well a head does on conversations that it was not fitted to."""
    said = predict(head, held)
    real = held.ratings
    usual = ~np.isin(held.systems, settings.random)
    measures = {"overall": _correlation(said[:, 0], real[:, 0])}
    measures["overall within systems"] = within(said[:, 0], real[:, 0], held.systems.tolist())
    measures |= {
        name: _correlation(said[:, at], real[:, at]) for at, name in enumerate(ASKED) if at
    }
    scale = normal(real, weigh(held, settings.random, settings.partner))[:, 0]
    wide = np.sqrt(1 + unusual(head, held))
    inside = (scale >= said[:, 0] + head.errors[0] * wide) & (
        scale <= said[:, 0] + head.errors[1] * wide
    )
    measures["covered by the 90 % interval"] = float(inside[usual].mean())
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
    names = list(next(iter(measured.values())))
    rows_ = [(name, *(f"{each[name]:.3f}" for each in measured.values())) for name in names]
    return table(("Spearman", *measured), rows_)


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
