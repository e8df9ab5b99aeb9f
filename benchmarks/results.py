"""``make results``: measure every number of docs/measured/results.md and write the page.

The text around the numbers is here as well, so that page and measurement cannot part ways. A
difference from a published value above 0.05 must have a sentence, or the page is not written.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path

import dialogauge as dg
from dialogauge import corpora, language
from dialogauge.atomic import writing
from dialogauge.judging import judge
from dialogauge.meta import Evaluation, Resampling
from dialogauge.meta.agreement import Human
from dialogauge.meta.correlation import CORRELATIONS
from dialogauge.report.markdown import table
from dialogauge.reproduce.released import load as load_released
from dialogauge.train.models.language import measuring
from dialogauge.train.recipe import data_folder

from . import inflection

PAGE = Path(__file__).parents[1] / "docs" / "measured" / "results.md"
COEFFICIENTS = ("pearson", "spearman", "kendall")

#: DCGEval, Table 1: Pearson, Spearman, Kendall on ConvAI2 and on EmpatheticDialogues.
PAPER = {
    ("bleu", "convai2-grade"): (0.003, 0.128, 0.088),
    ("bleu", "empathetic-grade"): (-0.051, 0.002, 0.005),
    ("rouge-l", "convai2-grade"): (0.136, 0.140, 0.097),
    ("rouge-l", "empathetic-grade"): (0.029, -0.013, -0.010),
    ("meteor", "convai2-grade"): (0.145, 0.181, 0.123),
    ("meteor", "empathetic-grade"): (0.118, 0.055, 0.040),
}

#: Why a value differs by more than 0.05; each was tested, as the sentence says.
WHY = {
    ("bleu", "convai2-grade"): (
        "nlg-eval gives an n-gram order without a match 1e-15 matches, so that most of its scores "
        "are almost 0 and Pearson sees a few outliers; sacreBLEU smooths exponentially instead. "
        "With nlg-eval's formula we get the paper's three numbers exactly "
        "(`tests/metrics/test_overlap.py`)."
    ),
    ("bleu", "empathetic-grade"): (
        "The same smoothing, and lower-casing with 13a tokens. With nlg-eval's formula, white "
        "space tokens and case kept, we get the paper's three numbers exactly (same test)."
    ),
    ("meteor", "convai2-grade"): (
        "The paper ran the Java program of METEOR 1.5; nltk implements the first METEOR, with "
        "other weights, no function-word discount and no paraphrase table. In a one-off trial (not "
        "part of the package) 1.5's parameters, stage weights and a function-word list on nltk's "
        "alignment brought all cells within 0.05."
    ),
    ("meteor", "empathetic-grade"): (
        "As above, in the same trial: the weights of METEOR 1.5 and its function words."
    ),
}

#: What their authors released, and what the papers print for it.
RELEASED = {
    "deam:fed-coherence": ("DEAM, FED coherence", (None, 0.468, None)),
    "deam:fed-overall": ("DEAM, FED overall", (None, 0.547, None)),
    "deam:dstc9-coherence": ("DEAM, DSTC9 coherence", (None, 0.190, None)),
    "deam:dstc9-overall": ("DEAM, DSTC9 overall", (None, 0.199, None)),
    "grade:convai2": ("GRADE, ConvAI2", (0.496, 0.503, 0.356)),
    "grade:empathetic": ("GRADE, Empathetic", (0.350, 0.344, 0.243)),
    "quantidce:convai2": ("QuantiDCE, ConvAI2", (0.554, 0.554, 0.395)),
    "quantidce:empathetic": ("QuantiDCE, Empathetic", (0.412, 0.393, 0.274)),
}

#: The human-judged sets and the aspect that stands for the whole.
OVERALL = {
    "fed-dialogue": "Overall",
    "fed-turn": "Overall",
    "dstc9": "overall",
    "convai2-grade": "coherence",
    "empathetic-grade": "coherence",
    "dailydialog-grade": "coherence",
    "usr-topical": "Overall",
    "zhao-dailydialog": "appropriateness",
    "engage": "engagement",
    "multiref": "appropriateness",
}


def released() -> Iterator[Sequence[str]]:
    for name, (label, published) in RELEASED.items():
        pairs = load_released(name)
        values = [CORRELATIONS[each].value(pairs.metric, pairs.people) for each in COEFFICIENTS]
        shown = ["–" if value is None else f"{value:.3f}" for value in published]
        yield label, " / ".join(f"{value:.3f}" for value in values), " / ".join(shown)


def overlap(evaluations: Mapping[tuple[str, str], Evaluation]) -> Iterator[Sequence[str]]:
    for (metric, corpus), evaluation in evaluations.items():
        estimates = [evaluation.correlations[each] for each in COEFFICIENTS]
        ours = " / ".join(f"{each.value:.3f}" for each in estimates)
        interval = f"{estimates[1].low:.2f} … {estimates[1].high:.2f}"
        theirs = PAPER.get((metric, corpus))
        paper = " / ".join(f"{value:.3f}" for value in theirs) if theirs else "–"
        yield metric, corpus, ours, interval, paper


def sentences(evaluations: Mapping[tuple[str, str], Evaluation]) -> Iterator[str]:
    for key, theirs in PAPER.items():
        estimates = [evaluations[key].correlations[each].value for each in COEFFICIENTS]
        gaps = [ours - paper for ours, paper in zip(estimates, theirs, strict=True)]
        if max(map(abs, gaps)) > 0.05:
            shown = ", ".join(
                f"{name} {gap:+.3f}"
                for name, gap in zip(COEFFICIENTS, gaps, strict=True)
                if abs(gap) > 0.05
            )
            yield f"- **{key[0]}, {key[1]}** ({shown}). {WHY[key]}"


def sets() -> Iterator[Sequence[str]]:
    for name, aspect in OVERALL.items():
        dialogues = corpora.load(name)
        (evaluation,) = judge("random", dialogues, aspect, Resampling()).evaluations
        confounds, human = evaluation.confounds, evaluation.human
        best = confounds.baseline
        assert best is not None
        yield (
            name,
            aspect,
            f"{evaluation.n:,}",
            str(evaluation.contexts),
            str(max(1, len(confounds.systems))),
            f"{confounds.oracle.value:.3f}" if len(confounds.systems) > 1 else "–",
            f"{best.correlation.value:.3f} [{best.correlation.low:.2f}, "
            f"{best.correlation.high:.2f}] {best.name}",
            f"{human.ceiling.value:.3f}" if isinstance(human, Human) else "only means",
            f"{human.alpha.value:.3f}" if isinstance(human, Human) else "only means",
        )


def main() -> None:
    names = ("bleu", "rouge-l", "meteor", "chrf")
    evaluations = {}
    for corpus in ("convai2-grade", "empathetic-grade"):
        for evaluation in judge(names, corpora.load(corpus), "coherence").evaluations:
            evaluations[evaluation.metric, corpus] = evaluation
    treebank = data_folder("treebank")
    page = TEMPLATE.format(
        version=dg.__version__,
        released=table(("released scores", "ours: P / S / K", "paper"), released()),
        overlap=table(
            ("metric", "set", "ours: P / S / K", "95 % of Spearman", "paper"), overlap(evaluations)
        ),
        sentences="\n".join(sentences(evaluations)),
        sets=table(
            (
                "set",
                "aspect",
                "n",
                "contexts",
                "systems",
                "oracle",
                "best trivial baseline",
                "human ceiling",
                "alpha",
            ),
            sets(),
        ),
        language=measuring.markdown(measuring.table(language.load().nlp, treebank)).rstrip(),
        inflection=table(("what", "share"), inflection.figures(treebank.parent)),
        amr=first_table(PAGE.with_name("amr.md")),
    )
    with writing(PAGE) as file:
        file.write(page.encode())
    print(page)


def first_table(page: Path) -> str:
    """The first table of a page that another target measured and wrote."""
    lines = page.read_text("utf-8").splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("|"))
    return "\n".join(takewhile(lambda line: line.startswith("|"), lines[start:]))


TEMPLATE = """# Results

Every number on this page was printed by `make results` (dialogauge {version}), which also wrote the
page. Intervals are 95 % BCa bootstraps of 10,000 resamples of contexts, seed 0. P / S / K are
Pearson, Spearman and Kendall's tau-b.

## What others released, read again

Correlations of the scores and labels that the authors published, with our readers. These are
regression tests of readers and coefficients (`tests/corpora/test_corpora.py`).

{released}

## Overlap metrics beside DCGEval's Table 1

{overlap}

Each difference above 0.05:

{sentences}

## What is known before any metric

For each human-judged set and its overall aspect: how well one predicts people (Spearman) by
knowing only *which system spoke* (the oracle, in-sample), the best of our trivial baselines by
absolute correlation, how well a perfect metric could do (the human ceiling), and Krippendorff's
ordinal alpha. A metric that does not beat these columns has shown nothing. Pooled correlations on
FED, DSTC9 and USR-Topical are mostly identification of the system: read them within systems.

{sets}

## Language

The shipped pipeline on the test part of UD English EWT and on eight held-out documents of GUM, in
percent (`python -m dialogauge.train.models.language.measuring`, which has the definitions). Floors
on gold tokens: UPOS 94, Penn 93.5, lemma 94, UAS 84, LAS 80; lower case without punctuation UPOS
90, LAS 74; names 70.

{language}

Inflection: lemma and form of 5,000 tokens of EWT test put together again (floor 97 %;
`benchmarks/inflection.py` says how they are drawn and what *told* means).

{inflection}

## What sentences say

The built-in AMR parser, as `make amr-results` measured it; definitions in
[amr.md](../guide/amr.md), speed and the errors that cost most in [measured/amr.md](amr.md), the
realiser in [realiser.md](realiser.md).

{amr}

## On pages of their own

- [manipulations.md](manipulations.md), by `make manipulations`: how often each
  manipulation applies, whether its edits can be told out of context, and what they cost in fluency.
- [reproductions/relevance.md](../reproductions/relevance.md), by `dialogauge reproduce relevance`:
  `relevance` and the untrained floors on tuning and test sets, and response selection;
  [mixtures.md](mixtures.md), by `make mixtures`: what was tried for it.
- [reproductions/maude.md](../reproductions/maude.md), by `dialogauge reproduce maude`: what broken
  and foreign responses cost, corpora that were not trained on, the family, agreement with people.
- [reproductions/dynaeval.md](../reproductions/dynaeval.md), by `dialogauge reproduce dynaeval`:
  damaged dialogues told from whole ones.
- [knowledge.md](../guide/knowledge.md), by `make concepts` and `python -m benchmarks knowledge`:
  concept vectors on held-out edges, coverage; `dialogauge models show concepts` has the nearest
  neighbours.
- [benchmarks.md](benchmarks.md), by `make bench`: speed and memory.
"""

if __name__ == "__main__":
    main()
