"""How likely a lemma brings a concept, counted over a corpus of sentences and their graphs.

IBM's first translation model: expectation maximisation over who may have brought what. *can* turns
out to bring ``possible-01``, *but* ``contrast-01``, *not* the constant ``-``.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

from ....amr.graph import Graph
from ....amr.parser.words import Word
from .tree import Tree, alignable


def model_one(
    corpus: Sequence[tuple[Sequence[Word], Graph]], rounds: int
) -> dict[tuple[str, str], float]:
    """(concept, lemma) -> the chance that the lemma brings the concept; the small ones left out."""
    pairs = [
        ([*{word.lemma for word in words}, ""], alignable(Tree(graph))) for words, graph in corpus
    ]
    likely: dict[tuple[str, str], float] = defaultdict(lambda: 0.01)
    for _ in range(rounds):
        counts: Counter[tuple[str, str]] = Counter()
        totals: Counter[str] = Counter()
        for lemmas, concepts in pairs:
            for concept in concepts:
                weights = [likely[concept, lemma] for lemma in lemmas]
                whole = sum(weights)
                for lemma, weight in zip(lemmas, weights, strict=True):
                    counts[concept, lemma] += weight / whole  # type: ignore[assignment]
                    totals[lemma] += weight / whole  # type: ignore[assignment]
        likely = {pair: count / totals[pair[1]] for pair, count in counts.items()}
        likely = defaultdict(lambda: 1e-6, likely)
    return {pair: chance for pair, chance in likely.items() if chance > 0.02 and pair[1]}
