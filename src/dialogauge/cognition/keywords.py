"""The graph of topics (GRADE, Huang et al. 2020): keywords of a context and of its response.

Keywords are the content words of an utterance that are rare elsewhere (tf-idf, nouns counting
more), as lemmas; each is a node, whose vectors are those of :class:`.concepts.Concepts`. Edges lead
from each keyword of the context to each of the response, and weigh one over the steps between them
in ConceptNet; a word that is said again is as near as one at one step.

    >>> from dialogauge.dialogue import Turn
    >>> chat = Dialogue("d", (Turn("Ann", "I love coffee."), Turn("Bob", "I drink tea!")))
    >>> graph = keyword_graph(chat)
    >>> [(node.label, node.turn) for node in graph.nodes]
    [('love', 0), ('coffee', 0), ('drink', 1), ('tea', 1)]
    >>> [(graph.nodes[one].label, graph.nodes[two].label) for one, two in graph.edges][2:]
    [('coffee', 'drink'), ('coffee', 'tea')]
    >>> graph.weights[2:]
    (1.0, 0.5)

How rare a word is comes from the lexicon, which knows how often WordNet's annotators read it: no
corpus must be at hand, and a word is a keyword or not whatever else is scored.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import log10
from typing import TYPE_CHECKING

from ..dialogue import Dialogue
from ..knowledge.distances import Distances
from ..language import Lexicon, shared
from ..language.stopwords import NLTK
from .graph import CognitionGraph, Node, Utterance

if TYPE_CHECKING:
    from spacy.tokens import Doc

#: What a content word counts by its part of speech, and the tf-idf from which on it is a keyword.
_COUNTS = {"NOUN": 2.0, "PROPN": 2.0, "VERB": 1.0, "ADJ": 0.5, "ADV": 0.5}
_WANTED = 0.15
#: So many sentences WordNet's annotators read.
_SENTENCES = 37_000
#: Of an utterance the weightiest so many, and of a context the last so many: 16 with the response.
_OF_UTTERANCE, _OF_CONTEXT = 6, 10


def keyword_graph(dialogue: Dialogue, distances: Distances | None = None) -> CognitionGraph:
    """The graph of a conversation, whose last utterance is the response."""
    from ..knowledge import load_store

    said = utterances([turn.text for turn in dialogue.turns])
    return linked(said, distances or Distances(load_store()))


def signature() -> str:
    """What finds keywords: the pipeline that tags."""
    return f"keywords:{shared().signature}"


def utterances(texts: Sequence[str]) -> list[Utterance]:
    """The keywords of each text, in the order in which they are said."""
    return [_utterance(document) for document in shared().pipe(texts)]


def _utterance(document: "Doc") -> Utterance:
    weights = dict(_weighed(document))
    kept = set(sorted(weights, key=lambda word: -weights[word])[:_OF_UTTERANCE])
    left_out = len(weights) - len(kept)
    return Utterance(tuple((word, "concept") for word in weights if word in kept), (), -1, left_out)


def _weighed(document: "Doc") -> Iterator[tuple[str, float]]:
    """Each keyword of an utterance and its weight."""
    words = [token for token in document if token.is_alpha]
    count = Counter(token.lemma_.lower() for token in words)
    for token in words:
        word = token.lemma_.lower()
        worth = _COUNTS.get(token.pos_, 0.0) * count[word] / len(words) * rarity(word)
        common = {word, token.lower_} & NLTK
        if worth > _WANTED and len(word) > 1 and not common:
            yield word, worth


@lru_cache(maxsize=50_000)
def rarity(word: str) -> float:
    """Its idf in the texts that WordNet's annotators read.

    >>> rarity("be") < rarity("dog") < rarity("platypus")
    True
    """
    uses = sum(sense.count for sense in Lexicon.load().senses(word))
    return max(0.0, log10(_SENTENCES / (uses + 1)))


def linked(said: Sequence[Utterance], distances: Distances) -> CognitionGraph:
    """The graph of some utterances, the last of which is the response."""
    turns = [
        [Node(label, kind, turn) for label, kind in each.nodes] for turn, each in enumerate(said)
    ]
    before = {node.label: node for own in turns[:-1] for node in own}  # said again: the last time
    context = sorted(before.values(), key=lambda node: node.turn)
    kept, answer = context[-_OF_CONTEXT:], turns[-1]
    near = {
        (at, len(kept) + to): max(1, steps)
        for at, one in enumerate(kept)
        for to, other in enumerate(answer)
        if (steps := _steps(one.label, other.label, distances)) is not None
    }
    return CognitionGraph(
        (*kept, *answer),
        tuple(near),
        sum(each.left_out for each in said) + len(context) - len(kept),
        tuple(1 / steps for steps in near.values()),
    )


def _steps(one: str, other: str, distances: Distances) -> int | None:
    """Steps between two words; a word is near itself whether it is known or not."""
    return 0 if one == other else distances.steps(one, other)
