"""The overlap metrics: against their libraries, by hand, and beside published rows."""

import math
import pickle
import socket
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from nltk.stem.porter import PorterStemmer
from nltk.translate.meteor_score import meteor_score
from sacrebleu import sentence_bleu, sentence_chrf
from scipy.stats import kendalltau, pearsonr, spearmanr

from dialogauge.dialogue import Dialogue, Level, Turn
from dialogauge.language import Lexicon
from dialogauge.metrics import load
from dialogauge.metrics.overlap import (
    Bleu,
    Chrf,
    Meteor,
    RougeL,
    Wordnet,
    bleu,
    chrf,
    meteor,
    rouge_l,
)

OVERLAP = ("bleu", "chrf", "rouge-l", "meteor")


def item(response: str, *references: str, level: Level = "turn") -> Dialogue:
    turns = (Turn("user", "Shall we go?"), Turn("bot", response))
    return Dialogue("d", turns, references=references, level=level)


def score(name: str, response: str, *references: str) -> float:
    return load(name).score([item(response, *references)])[0].value


# The three pairs of the doctests of nltk's meteor_score.
GUIDE = (
    "It is a guide to action which ensures that the military always obeys the commands of the party"
)
GUIDES = (
    "It is a guide to action that ensures that the military will forever heed Party commands",
    "It is the guiding principle which guarantees the military forces always being under the "
    "command of the Party",
    "It is the practical guide for the army always to heed the directions of the party",
)


def test_meteor_gives_the_numbers_of_nltks_documentation() -> None:
    assert score("meteor", GUIDE, GUIDES[0]) == pytest.approx(0.6944, abs=5e-5)
    assert score("meteor", GUIDE, *GUIDES) == pytest.approx(0.6944, abs=5e-5)
    assert score("meteor", "non matching hypothesis", "this is a cat") == 0


def test_meteor_by_hand() -> None:
    # 4 of 4 words match in one chunk: mean 1, penalty 0.5 * (1/4)^3
    assert score("meteor", "we go home now", "we go home now") == 1 - 0.5 / 64
    # "auto" and "car" share a synset; 3 of 3 words, one chunk
    assert score("meteor", "my auto broke", "my car broke") == 1 - 0.5 / 27
    # "walking" and "walks" share the stem; 2 of 2, one chunk
    assert score("meteor", "she walks", "she walking") == 1 - 0.5 / 8
    # 1 of 2 words match: P = R = 1/2, penalty 0.5
    assert score("meteor", "good day", "good night") == pytest.approx(0.25)


def test_meteor_matches_synonyms_through_the_lexicon() -> None:
    words = [["my", "car", "broke"]]
    answer = ["my", "auto", "broke"]
    wordnet = Wordnet(Lexicon.load())
    direct = meteor_score(words, answer, stemmer=PorterStemmer(), wordnet=wordnet)
    assert direct == score("meteor", "my auto broke", "my car broke")


def test_meteor_touches_neither_pickle_nor_network_nor_nltk_data(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("METEOR must not do this")

    for owner, name in [(pickle, "load"), (pickle, "loads"), (socket, "socket")]:
        monkeypatch.setattr(owner, name, refuse)
    monkeypatch.setattr("nltk.data.find", refuse)
    monkeypatch.setattr("nltk.data.load", refuse)
    for name in OVERLAP:
        assert not math.isnan(score(name, GUIDE, *GUIDES))


@pytest.mark.parametrize("references", [GUIDES[:1], GUIDES])
def test_bleu_and_chrf_are_sacrebleus(references: Sequence[str]) -> None:
    lower = sentence_bleu(GUIDE, list(references), lowercase=True, use_effective_order=True)
    assert score("bleu", GUIDE, *references) == pytest.approx(lower.score)
    assert score("chrf", GUIDE, *references) == pytest.approx(
        sentence_chrf(GUIDE, list(references)).score
    )


def test_bleu_by_hand() -> None:
    # matches 3/4, 2/3, 1/2, 0/1: the missing order counts 1/2 of a match; no brevity penalty
    expected = 100 * (3 / 4 * 2 / 3 * 1 / 2 * 1 / 2) ** (1 / 4)
    assert score("bleu", "we go home now", "We go home soon") == pytest.approx(expected)
    # too short for more than one order, and half as long as the reference
    assert score("bleu", "home", "home soon") == pytest.approx(100 * math.exp(-1))


def test_rouge_by_hand() -> None:
    # longest common subsequence "we go now": P = 3/4, R = 3/5
    expected = 2 * (3 / 4) * (3 / 5) / (3 / 4 + 3 / 5)
    assert score("rouge-l", "We go home, now!", "we should go right now") == pytest.approx(expected)
    assert score("rouge-l", "yes", "no", "yes indeed", "never") == pytest.approx(2 / 3)


def test_settings_change_scores_and_signatures() -> None:
    pairs = [
        (bleu(), bleu(Bleu(n=2))),
        (chrf(), chrf(Chrf(words=2))),
        (rouge_l(), rouge_l(RougeL(stem=True))),
        (meteor(), meteor(Meteor(alpha=0.5))),
    ]
    chat = item("he walked home on his own", "she walks home and he did too")
    for plain, changed in pairs:
        assert plain.signature != changed.signature
        assert plain.score([chat]) != changed.score([chat])


@pytest.mark.parametrize("name", OVERLAP)
def test_only_the_judged_turn_of_an_item_with_references_is_scored(name: str) -> None:
    metric = load(name)
    scored, bare, whole = metric.score(
        [item("we go", "we go"), item("we go"), item("we go", "we go", level="dialogue")]
    )
    assert math.isnan(scored.turns[0])
    assert scored.turns[1] == scored.value > 0
    for unscored in (bare, whole):
        assert len(unscored.turns) == 2
        assert all(map(math.isnan, (unscored.value, *unscored.turns)))


@pytest.mark.parametrize("name", OVERLAP)
def test_nothing_to_compare(name: str) -> None:
    assert math.isnan(score(name, "we go", ""))
    assert math.isnan(score(name, "we go", " ", "\n"))
    assert score(name, "", "we go") == 0
    assert score(name, "we go", "", "we go") == score(name, "we go", "we go")


def test_rouge_says_nan_where_it_knows_no_letter() -> None:
    assert math.isnan(score("rouge-l", "здравствуйте", "здравствуйте"))
    assert score("rouge-l", "здравствуйте", "hello") == 0
    assert score("chrf", "здравствуйте", "здравствуйте") == pytest.approx(100)


@pytest.mark.parametrize("name", OVERLAP)
@pytest.mark.parametrize("text", ["word " * 500_000, "x" * 2_000_000, "a." * 1_000_000])
def test_huge_texts_are_compared_by_their_beginning(name: str, text: str) -> None:
    assert score(name, text, text + "!") == score(name, text, text) > 0


# What the published rows were computed with: nlg-eval's formulas, on words between blanks.


def nlgeval_bleu(response: str, reference: str) -> float:
    """BLEU-4 where an order without a match counts 1e-15 matches."""
    said, good = response.split(), reference.split()
    product = 1.0
    for n in range(1, 5):
        grams, wanted = (
            Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))
            for words in (said, good)
        )
        product *= ((grams & wanted).total() + 1e-15) / (max(0, len(said) - n + 1) + 1e-9)
    ratio = (len(said) + 1e-15) / (len(good) + 1e-9)
    return float(product ** (1 / 4) * min(1.0, math.exp(1 - 1 / ratio)))


def nlgeval_rouge(response: str, reference: str) -> float:
    """ROUGE-L with beta 1.2, punctuation and case kept."""
    said, good = response.split(" "), reference.split(" ")
    row = [0] * (len(said) + 1)
    for word in good:
        above, row = row, [0]
        for column, other in enumerate(said):
            best = above[column] + 1 if word == other else max(row[-1], above[column + 1])
            row.append(best)
    precision, recall = row[-1] / len(said), row[-1] / len(good)
    return (1 + 1.2**2) * precision * recall / (recall + 1.2**2 * precision) if row[-1] else 0.0


def grade(data: Path, name: str) -> tuple[list[tuple[str, str]], list[float]]:
    """Responses with their references, and people's mean ratings, of all systems."""
    pairs: list[tuple[str, str]] = []
    ratings: list[float] = []
    for folder in sorted((data / "human/grade" / name).iterdir()):
        columns = ((folder / f"human_{part}.txt").read_text() for part in ("hyp", "ref", "score"))
        for said, good, rating in zip(*(column.split("\n") for column in columns), strict=True):
            if rating:
                pairs.append((said, good))
                ratings.append(float(rating))
    return pairs, ratings


def correlations(values: Sequence[float], ratings: Sequence[float]) -> tuple[float, ...]:
    tests = (pearsonr, spearmanr, kendalltau)
    return tuple(round(float(test(values, ratings).statistic), 3) for test in tests)


@pytest.mark.parametrize(
    ("formula", "name", "published"),
    [
        (nlgeval_bleu, "convai2", (0.003, 0.128, 0.088)),
        (nlgeval_bleu, "empatheticdialogues", (-0.051, 0.002, 0.005)),
        (nlgeval_rouge, "convai2", (0.136, 0.140, 0.097)),
        (nlgeval_rouge, "empatheticdialogues", (0.029, -0.013, -0.010)),
    ],
)
def test_published_rows_are_nlgevals_formulas(
    data: Path,
    formula: Callable[[str, str], float],
    name: str,
    published: tuple[float, ...],
) -> None:
    pairs, ratings = grade(data, name)
    assert correlations([formula(*pair) for pair in pairs], ratings) == published


@pytest.mark.parametrize(
    ("metric", "name", "expected"),
    [
        ("bleu", "convai2", (0.116, 0.118, 0.082)),
        ("rouge-l", "convai2", (0.118, 0.113, 0.080)),
        ("meteor", "convai2", (0.099, 0.131, 0.089)),
        ("chrf", "convai2", (0.142, 0.173, 0.120)),
        ("bleu", "empatheticdialogues", (-0.006, -0.053, -0.039)),
        ("rouge-l", "empatheticdialogues", (0.056, 0.030, 0.024)),
        ("meteor", "empatheticdialogues", (0.062, 0.055, 0.041)),
        ("chrf", "empatheticdialogues", (0.106, 0.068, 0.046)),
    ],
)
def test_correlations_of_the_shipped_metrics(
    data: Path, metric: str, name: str, expected: tuple[float, ...]
) -> None:
    pairs, ratings = grade(data, name)
    scores = load(metric).score([item(*pair) for pair in pairs])
    assert correlations([given.value for given in scores], ratings) == pytest.approx(
        expected, abs=0.0015
    )
