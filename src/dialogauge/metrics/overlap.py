"""How much a response shares with good responses that people wrote: BLEU, chrF, ROUGE-L, METEOR.

Each is its library's sentence-level metric with the library's defaults; whatever else we decide is
in the settings, and the signature repeats them. They score the last turn of turn-level items. An
item is NaN when no reference of it holds anything that the metric compares (ROUGE, say, knows only
the letters a to z and digits); a response that shares nothing with its references is 0.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, Literal

import msgspec

from ..language import Lexicon
from .functions import FIRST_CHARACTERS, NAN, FunctionMetric, by_response


class Bleu(msgspec.Struct, frozen=True):
    """Settings of :func:`bleu`."""

    n: int = 4
    smooth: str = "exp"  # sacreBLEU's default (NIST): an order without a match counts 1/2, 1/4, ...
    # Its advice for sentences: leave out orders longer than the response.
    effective: Literal[True] = True
    tok: Literal["13a"] = "13a"  # its default: WMT's tokens
    lowercase: bool = True
    first: int = FIRST_CHARACTERS


def bleu(settings: Bleu | None = None) -> FunctionMetric:
    """BLEU-4 of the last turn against its references, 0 to 100 (sacreBLEU)."""
    from sacrebleu.metrics.bleu import BLEU

    settings = settings or Bleu()
    scorer = BLEU(
        tokenize="none",  # it gets tokens
        smooth_method=settings.smooth,
        max_ngram_order=settings.n,
        effective_order=settings.effective,
    )
    split = _tokeniser_13a()

    def tokens(text: str) -> str:
        return " ".join(split(text.lower() if settings.lowercase else text))

    def compare(response: str, references: Sequence[str]) -> float:
        usable = [text for text in map(tokens, references) if text]
        return float(scorer.sentence_score(tokens(response), usable).score) if usable else NAN

    return by_response("bleu", compare, settings, ("sacrebleu",), settings.first)


class Chrf(msgspec.Struct, frozen=True):
    """Settings of :func:`chrf`."""

    characters: int = 6
    words: int = 0  # 2 is chrF++
    beta: int = 2  # recall counts twice as much as precision
    lowercase: bool = False
    first: int = FIRST_CHARACTERS


def chrf(settings: Chrf | None = None) -> FunctionMetric:
    """chrF (character n-grams) of the last turn against its references, 0 to 100 (sacreBLEU)."""
    from sacrebleu.metrics.chrf import CHRF

    settings = settings or Chrf()
    scorer = CHRF(
        char_order=settings.characters,
        word_order=settings.words,
        beta=settings.beta,
        lowercase=settings.lowercase,
    )

    def compare(response: str, references: Sequence[str]) -> float:
        usable = [text for text in references if text.strip()]
        return float(scorer.sentence_score(response, usable).score) if usable else NAN

    return by_response("chrf", compare, settings, ("sacrebleu",), settings.first)


class RougeL(msgspec.Struct, frozen=True):
    """Settings of :func:`rouge_l`."""

    stem: bool = False
    first: int = FIRST_CHARACTERS
    words: int = 2000  # finding the longest common subsequence takes the square of this


def rouge_l(settings: RougeL | None = None) -> FunctionMetric:
    """ROUGE-L F of the last turn against its best reference, 0 to 1 (rouge-score)."""
    from rouge_score.rouge_scorer import RougeScorer
    from rouge_score.tokenizers import DefaultTokenizer

    settings = settings or RougeL()
    split = DefaultTokenizer(settings.stem).tokenize
    words = SimpleNamespace(tokenize=lambda text: split(text)[: settings.words])
    scorer = RougeScorer(["rougeL"], tokenizer=words)

    def compare(response: str, references: Sequence[str]) -> float:
        usable = [text for text in references if words.tokenize(text)]
        scores = (scorer.score(text, response)["rougeL"].fmeasure for text in usable)
        return float(max(scores, default=NAN))

    return by_response("rouge-l", compare, settings, ("rouge-score",), settings.first)


class Meteor(msgspec.Struct, frozen=True):
    """Settings of :func:`meteor`; the numbers are nltk's, from Lavie and Agarwal (2007)."""

    alpha: float = 0.9  # recall counts nine times as much as precision
    beta: float = 3.0  # how steeply the penalty rises with fragmentation
    gamma: float = 0.5  # the largest penalty
    tok: Literal["13a"] = "13a"  # nltk leaves the choice to us: BLEU's
    stem: Literal["porter"] = "porter"
    synonyms: Literal["wordnet3.0"] = "wordnet3.0"
    first: int = FIRST_CHARACTERS


def meteor(settings: Meteor | None = None) -> FunctionMetric:
    """METEOR of the last turn against its best reference, 0 to 1 (nltk, with our lexicon)."""
    from nltk.stem.porter import PorterStemmer
    from nltk.translate.meteor_score import meteor_score

    settings = settings or Meteor()
    tokens = _tokeniser_13a()
    stemmer, wordnet = PorterStemmer(), Wordnet(Lexicon.load())

    def compare(response: str, references: Sequence[str]) -> float:
        usable = [words for words in map(tokens, references) if words]
        if not usable:
            return NAN
        score = meteor_score(
            usable,
            tokens(response),
            stemmer=stemmer,
            wordnet=wordnet,
            alpha=settings.alpha,
            beta=settings.beta,
            gamma=settings.gamma,
        )
        return float(score)

    return by_response("meteor", compare, settings, ("nltk", "sacrebleu"), settings.first)


class Wordnet:
    """Our lexicon in the shape in which nltk's METEOR asks its own for synonyms.

    >>> [lemma.name() for lemma in Wordnet(Lexicon.load()).synsets("automobiles")[0].lemmas()]
    ['car', 'auto', 'automobile', 'machine', 'motorcar']
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.synsets = lru_cache(maxsize=50_000)(
            lambda word: [_Synset(sense.words) for sense in lexicon.senses(word)]
        )


class _Synset(msgspec.Struct, frozen=True):
    words: tuple[str, ...]

    def lemmas(self) -> list[SimpleNamespace]:
        return [SimpleNamespace(name=word.__str__) for word in self.words]


def _tokeniser_13a() -> Callable[[str], list[str]]:
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
    from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

    tokenise: Any = Tokenizer13a()  # type: ignore[no-untyped-call]

    def tokens(text: str) -> list[str]:
        words: list[str] = tokenise(text).split()
        # Each of the two remembers 65,536 texts: half a gigabyte when answers are long.
        Tokenizer13a.__call__.cache_clear()
        TokenizerRegexp.__call__.cache_clear()
        return words

    return tokens
