"""Which word brought which node: graphs of known sentences, taken apart word by word.

A graph does not say which word a node came from. :class:`Aligner` finds out in four steps:

1. *Names and numbers* by their letters.
2. *Words* by lemma, by a common beginning, or by how often concept and lemma occur together over
   the whole corpus (IBM model 1); of two equal candidates the one nearer, in the dependency tree,
   to the word of a neighbouring node.
3. *Pronouns*: one node may be mentioned by several words; each edge goes to the nearest mention.
4. *The rest* joins a neighbour: ``person`` joins ``teach-01`` because *teacher* means both.

The nodes of one word form a template (:mod:`~dialogauge.amr.parser.templates`), and
:class:`Reading` is the graph as a network learns it: for each word its template, the word it hangs
from and the role.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache

from ....amr.graph import Graph, unquoted
from ....amr.parser.numbers import one, value
from ....amr.parser.templates import alike, split_sense
from ....amr.parser.words import Word, is_inverted
from .tree import Node, Reader, Reading, Tree

#: What words mention a pronoun's concept.
_PRONOUNS = {
    "i": "i me my mine myself",
    "you": "you your yours yourself yourselves u ya",
    "he": "he him his himself",
    "she": "she her hers herself",
    "it": "it its itself",
    "we": "we us our ours ourselves 's",
    "they": "they them their theirs themselves",
}
_MENTIONS = {concept: frozenset(words.split()) for concept, words in _PRONOUNS.items()}

#: Of these frames the argument with this role carries the word.
_CARRIERS = {
    "have-rel-role-91": (":ARG2", ":ARG3"),
    "have-org-role-91": (":ARG2", ":ARG3"),
    "have-degree-91": (":ARG3", ":ARG2"),
    "have-quant-91": (":ARG3", ":ARG2"),
    "date-entity": (":month", ":weekday", ":season", ":dayperiod", ":year", ":day"),
    "ordinal-entity": (":value",),
    "percentage-entity": (":value",),
    "include-91": (":ARG3",),
    "rate-entity-91": (":ARG1", ":ARG2"),
}
#: Concepts that rarely have a word of their own, and kinds of words that rarely bring a concept:
#: that they occur together must be clear before it counts, and never does for both at once.
_ABSTRACT = frozenset(
    {"person", "thing", "name", "country", "you", "i", "date-entity", "have-org-role-91"}
    | {"have-rel-role-91", "government-organization", "city", "organization"}
)
_FUNCTION = frozenset({"AUX", "DET", "PUNCT", "ADP", "PART", "SCONJ", "CCONJ", "SYM"})
_CLEAR, _FAINT = 0.25, 0.1

#: Words that ask; a question mark stands for ``:polarity amr-unknown`` alone.
_ASKING = frozenset(
    ["who", "whom", "whose", "what", "which", "where", "when", "how", "why", "whatever"]
)


class Aligner:
    """Alignment with what a corpus says about concepts and lemmas."""

    def __init__(self, corpus: Sequence[tuple[Sequence[Word], Graph]], rounds: int = 4) -> None:
        self.together = _model_one(corpus, rounds)

    def read(self, words: Sequence[Word], graph: Graph) -> Reading:
        """The graph, word by word."""
        return _Alignment(words, Tree(graph), self.together).reading()


class _Alignment:
    """The alignment of one graph."""

    def __init__(
        self, words: Sequence[Word], tree: Tree, together: dict[tuple[str, str], float]
    ) -> None:
        self.words, self.tree, self.together = words, tree, together
        self.owner: dict[int, Node] = {}  # word -> the node it was found for
        self._steps = cache(lambda start: _steps(words, start))
        self.reader = Reader(words, tree, self._distance)

    def reading(self) -> Reading:
        self._join_never()
        self._align_names()
        self._align_numbers()
        self._align_words()
        self._align_pronouns()
        self._join_rest()
        return self.reader.reading()

    def _join_never(self) -> None:
        """*never* is both ``:polarity -`` and ``:time ever``: one concept while it is learned."""
        if all(word.lemma != "never" for word in self.words):
            return
        for node in [each for each in self.tree.nodes.values() if each.concept == "ever"]:
            beside = node.parent.children if node.parent else []
            if negation := next((each for each in beside if each.concept == "=-"), None):
                node.concept = "never"
                self.tree.remove(negation)

    # step 1
    def _align_names(self) -> None:
        for node in list(self.tree.nodes.values()):
            if node.concept != "name" or node.role != ":name" or not node.parent:
                continue
            ops = [child for child in node.children if child.role.startswith(":op")]
            letters = "".join(unquoted(op.concept[1:]).lower() for op in ops).replace(" ", "")
            if span := self._written(letters):
                self._claim(node.parent, *span)
                for part in (node, *ops):
                    part.word = span[0]
                self.reader.names.add(node.name)

    def _written(self, letters: str) -> range:
        """The first free words that, written together, are these letters."""
        size = len(self.words)
        for start in range(size):
            for end in range(start + 1, min(start + len(letters), size) + 1):
                text = "".join(word.text.lower() for word in self.words[start:end])
                if text == letters and self.owner.keys().isdisjoint(range(start, end)):
                    return range(start, end)
        return range(0)

    def _align_numbers(self) -> None:
        for node in self.tree.nodes.values():
            figures = node.concept[:1] == "=" and node.concept[1:2].isdigit()
            if node.word < 0 and figures and (span := self._counted(node.concept[1:])):
                self._claim(node, *span)

    def _counted(self, figures: str) -> range:
        """The most free words, at most four, that say a number."""
        texts = [word.text for word in self.words]
        for size in (4, 3, 2, 1):
            for start in range(len(texts) - size + 1):
                span, part = range(start, start + size), texts[start : start + size]
                free = self.owner.keys().isdisjoint(span)
                if free and one(part[0]) is not None and value(part) == figures:
                    return span
        return range(0)

    # step 2
    def _align_words(self) -> None:
        pairs = []
        for node in self.tree.nodes.values():
            if node.word >= 0 or node.concept in _MENTIONS or not self._has_word(node):
                continue
            for at in range(len(self.words)):
                if at not in self.owner and (score := self._score(node, at)) > 0:
                    pairs.append((score, node, at))
        for level in (8.0, 4.0, 0.0):
            self._claim_level([pair for pair in pairs if pair[0] >= level])

    def _claim_level(self, pairs: list[tuple[float, Node, int]]) -> None:
        while True:
            free = [p for p in pairs if p[1].word < 0 and p[2] not in self.owner]
            if not free:
                return
            best = max(free, key=lambda p: (p[0] + 0.1 * self._nearness(*p[1:]), -p[2]))
            self._claim(*best[1:])

    def _has_word(self, node: Node) -> bool:
        """Not the parts of a name that is not written out, and not what joins sentences."""
        return not node.in_name and not (node is self.tree.top and self.reader.sentence_top)

    def _score(self, node: Node, at: int) -> float:
        concept, word = node.concept, self.words[at]
        if node.called:
            similar = alike(node.called.lower(), word.lemma)
            return 5.5 if similar else self._chance(f"{concept} {node.called}", word)
        if concept.startswith("="):
            return self._chance(concept, word)
        if concept == "amr-unknown":
            return self._question(node, word)
        if concept == "obligate-01" and self._obliges(at):
            return 9.0
        stem, sense = split_sense(concept)
        same = _similarity(stem, word) if sense != "-91" else 0.0
        return same or self._chance(concept, word)

    def _question(self, node: Node, word: Word) -> float:
        """A yes-no question is asked by its mark, or by an auxiliary before its subject."""
        if node.role != ":polarity":
            return 9.0 * _asks(node, word)
        return 9.0 if word.lemma == "?" else 8.2 * is_inverted(self.words, word)

    def _obliges(self, at: int) -> bool:
        """*have to*, which IBM's model does not see because most *have* bring something else."""
        after = self.words[at + 1 : at + 2]
        return self.words[at].lemma in ("have", "get") and any(w.lemma == "to" for w in after)

    def _chance(self, concept: str, word: Word) -> float:
        chance = self.together.get((concept, word.lemma), 0.0)
        if concept in _ABSTRACT and word.pos in _FUNCTION:
            return 0.0
        hidden = concept in _ABSTRACT or concept.endswith("-91") or word.pos in _FUNCTION
        return 4 * chance if chance >= (_CLEAR if hidden else _FAINT) else 0.0

    def _nearness(self, node: Node, at: int) -> float:
        """Minus the distance to the words of the neighbours."""
        near = [node.parent, *node.children]
        far = [self._distance(at, other.word) for other in near if other and other.word >= 0]
        return -min(far) if far else -5.0

    def _distance(self, one_word: int, other: int) -> int:
        """Steps in the dependency tree, with the distance in words as a small addition."""
        return self._steps(one_word)[other]

    def _claim(self, node: Node, at: int, *more: int) -> None:
        """Give a node its word, and those that continue it."""
        node.word = at
        self.owner |= dict.fromkeys((at, *more), node)
        self.reader.inside.update(more)

    # step 3
    def _align_pronouns(self) -> None:
        for node in list(self.tree.nodes.values()):
            forms = _MENTIONS.get(node.concept, ())
            free = [at for at in range(len(self.words)) if at not in self.owner]
            places = [at for at in free if self.words[at].text.lower() in forms]
            if not places:
                continue
            near = [other.word for other in (node.parent, *node.children) if other]
            near += [source.word for source, _, target in self.tree.again if target is node]
            near = [at for at in near if at >= 0] or places[:1]
            chosen = {min(places, key=lambda at: self._distance(at, other)) for other in near}
            close = [at for at in chosen if min(self._distance(at, o) for o in near) <= 2]
            first = min(chosen, key=lambda at: min(self._distance(at, o) for o in near))
            self._claim(node, first)
            self.reader.mentions[node.name] = kept = sorted({first, *close})
            self.owner |= dict.fromkeys(kept, node)

    # step 4
    def _join_rest(self) -> None:
        changed = True
        while changed:
            changed = False
            for node in reversed(list(self.tree.nodes.values())):
                if node.word < 0 and not (node is self.tree.top and self.reader.sentence_top):
                    node.word = self._neighbour(node)
                    changed |= node.word >= 0

    def _neighbour(self, node: Node) -> int:
        """The word of the neighbour that a node without a word belongs to; -1 if none has one."""
        children = [child for child in node.children if child.word >= 0]
        roles = _CARRIERS.get(node.concept, ())
        if carriers := [child for role in roles for child in children if child.role == role]:
            return carriers[0].word
        if node.concept.endswith("-quantity"):
            children.sort(key=lambda child: child.role != ":unit")
        inverted = [child for child in children if child.role.endswith("-of")]
        if inverted and not node.concept.startswith("and"):
            return inverted[0].word
        if len(children) == 1 or (node.concept.endswith("-quantity") and children):
            return children[0].word
        if node.parent and node.parent.word >= 0:
            return node.parent.word
        return children[0].word if children and node is self.tree.top else -1


def _similarity(stem: str, word: Word) -> float:
    """How much a stem and a word are the same: wholly, but for a particle, or in the beginning."""
    if stem in (word.lemma, word.text.lower()):
        return 10.0
    if "-" in stem and stem.split("-", maxsplit=1)[0] == word.lemma:
        return 8.5 + (word.pos == "VERB")
    if alike(stem, word.lemma):
        return 5.0 + len(stem) / (len(stem) + len(word.lemma))
    return 0.0


def _asks(node: Node, word: Word) -> bool:
    """Whether a word stands for what is asked; *why* stands for the cause, and brings it along."""
    if word.lemma == "why" and node.parent and node.parent.concept == "cause-01":
        return False
    return word.lemma in _ASKING or word.text.lower() in _ASKING


def _steps(words: Sequence[Word], start: int) -> list[int]:
    """The distance of each word from one word in the dependency tree."""
    near: dict[int, list[int]] = defaultdict(list)
    for at, word in enumerate(words):
        near[at].append(word.head)
        near[word.head].append(at)
    far = [20 + abs(at - start) for at in range(len(words))]
    far[start] = 0
    queue = [start]
    for at in queue:
        for other in near[at]:
            if far[other] >= 20 and other != start:
                far[other] = far[at] + 1
                queue.append(other)
    return far


def _model_one(
    corpus: Sequence[tuple[Sequence[Word], Graph]], rounds: int
) -> dict[tuple[str, str], float]:
    """(concept, lemma) -> the chance that the lemma brings the concept; the small ones left out."""
    pairs = [
        ([*dict.fromkeys(word.lemma for word in words), ""], Tree(graph).alignable())
        for words, graph in corpus
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
