"""``python -m benchmarks.realise``: how well edited graphs are written back into their sentences.

    python -m benchmarks.realise                      the figures of docs/measured/realiser.md
    python -m benchmarks.realise review KINDS [SEED]  twenty random cases of each kind to read

Texts are utterances of Topical-Chat and Self-dialogue, chosen with a seed. Graphs come from the
parser that ships where it is installed, or from :mod:`.sketch`. An edit kind is a function that
draws one edit of a graph, or gives None where it has nothing to draw from.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from dialogauge import corpora, language
from dialogauge.amr import Edge, Graph, edits, questions
from dialogauge.amr.graph import quoted
from dialogauge.amr.realise import InPlace
from dialogauge.errors import DialogaugeError
from dialogauge.language import concept_names

from .sketch import sketch

CORPORA = (("topical-chat", "train"), ("self-dialogue", None))
SEED = 7
CASES = 20
UTTERANCES = 5000
TRIED = 200  # edits of each kind
REVIEWED = 800  # utterances that the cases of a review are drawn from


class Pool(NamedTuple):
    """Where foreign concepts, names and sentences come from."""

    graphs: Sequence[Graph]

    def concept(self, rng: np.random.Generator, fits: Callable[[Graph, str], bool]) -> str | None:
        """A concept of some kind from a random graph."""
        for _ in range(50):
            graph = _chosen(rng, self.graphs)
            variables = [variable for variable in graph.concepts if fits(graph, variable)]
            if variables:
                return str(graph.concepts[_chosen(rng, variables)])
        return None


Kind = Callable[[Graph, np.random.Generator, Pool], Graph | None]


def _chosen(rng: np.random.Generator, among: Sequence[Any]) -> Any:
    return among[int(rng.integers(len(among)))]


def is_frame(graph: Graph, variable: str) -> bool:
    return concept_names.is_frame(graph.concepts[variable]) and variable in graph.aligned


def is_thing(graph: Graph, variable: str) -> bool:
    """A noun: what an argument or an op leads to that is neither frame, pronoun nor name."""
    concept = graph.concepts[variable]
    plain = (
        concept.isalpha()
        and concept not in concept_names.PRONOUNS
        and not is_frame(graph, variable)
    )
    roles = {edge.role[:4] for edge in graph.edges if edge.target == variable}
    named = variable in questions.names(graph)
    return (
        plain and not named and bool(roles & {":ARG", ":op1", ":op2"}) and variable in graph.aligned
    )


def is_modifier(graph: Graph, variable: str) -> bool:
    roles = {edge.role for edge in graph.edges if edge.target == variable}
    concept = graph.concepts[variable]
    plain = concept.isalpha() and concept not in concept_names.PRONOUNS
    return ":mod" in roles and plain and variable in graph.aligned


def is_pronoun(graph: Graph, variable: str) -> bool:
    return graph.concepts[variable] in concept_names.PRONOUNS


def classed(graph: Graph) -> dict[str, str]:
    """The classes of a graph's words, found once for each text."""
    if graph.text not in _CLASSED:
        _CLASSED[graph.text] = REALISER.classes(graph)
    return _CLASSED[graph.text]


_CLASSED: dict[str, dict[str, str]] = {}


def _alike(fits: Callable[[Graph, str], bool]) -> Kind:
    """Another concept of the same kind that is said by a word of the same class."""

    def kind(graph: Graph, rng: np.random.Generator, pool: Pool) -> Graph | None:
        own = [it for it in classed(graph) if fits(graph, it)]
        if not own:
            return None
        variable = _chosen(rng, own)
        place = classed(graph)[variable]
        new = pool.concept(rng, lambda it, name: fits(it, name) and classed(it).get(name) == place)
        return edits.replace_concept(graph, variable, new) if new else None

    return kind


def _replacing(fits: Callable[[Graph, str], bool]) -> Kind:
    def kind(graph: Graph, rng: np.random.Generator, pool: Pool) -> Graph | None:
        own = [variable for variable in graph.concepts if fits(graph, variable)]
        new = pool.concept(rng, fits)
        if not own or new is None:
            return None
        variable = _chosen(rng, own)
        return edits.replace_concept(graph, variable, new)

    return kind


def antonym(graph: Graph, rng: np.random.Generator, _: Pool) -> Graph | None:
    """A frame, noun or modifier by an antonym."""
    swaps = []
    for variable, concept in graph.concepts.items():
        if variable in graph.aligned:
            opposites = language.Lexicon.load().antonyms(concept_names.lemma(concept))
            sense = "-01" if concept_names.is_frame(concept) else ""
            swaps += [(variable, f"{it}{sense}") for it in opposites if it.isalpha()]
    if not swaps:
        return None
    return edits.replace_concept(graph, *_chosen(rng, swaps))


def pronoun(graph: Graph, rng: np.random.Generator, _: Pool) -> Graph | None:
    """A pronoun by another."""
    own = [variable for variable in graph.concepts if is_pronoun(graph, variable)]
    if not own:
        return None
    variable = _chosen(rng, own)
    others = [it for it in concept_names.PRONOUNS if it != graph.concepts[variable]]
    return edits.replace_concept(graph, variable, _chosen(rng, others))


def pronoun_to_noun(graph: Graph, rng: np.random.Generator, pool: Pool) -> Graph | None:
    """A pronoun by a noun."""
    own = [variable for variable in graph.concepts if is_pronoun(graph, variable)]
    new = pool.concept(rng, is_thing)
    return edits.replace_concept(graph, _chosen(rng, own), new) if own and new else None


def rename(graph: Graph, rng: np.random.Generator, pool: Pool) -> Graph | None:
    """A name by another."""
    own = list(questions.names(graph))
    others = [name for it in pool.graphs[:300] for name in questions.names(it).values()]
    if not own or not others:
        return None
    variable = _chosen(rng, own)
    node = next(it.target for it in graph.edges if (it.source, it.role) == (variable, ":name"))
    kept = [edge for edge in graph.edges if edge.source != node]
    words = _chosen(rng, others).split()
    ops = [Edge(node, f":op{at}", quoted(word)) for at, word in enumerate(words, 1)]
    return Graph(graph.top, graph.concepts, (*kept, *ops), graph.text, graph.tokens, graph.aligned)


def negate(graph: Graph, rng: np.random.Generator, _: Pool) -> Graph | None:
    """A frame negated."""
    own = [it for it in questions.frames(graph) if it not in questions.negated(graph)]
    own = [it for it in own if it in graph.aligned]
    return edits.negate(graph, _chosen(rng, own)) if own else None


def affirm(graph: Graph, rng: np.random.Generator, _: Pool) -> Graph | None:
    """A negation taken away."""
    own = questions.negated(graph)
    return edits.affirm(graph, _chosen(rng, own)) if own else None


def remove_argument(graph: Graph, rng: np.random.Generator, _: Pool) -> Graph | None:
    """What an ``:ARG1``, ``:ARG2`` or ``:op`` leads to, taken out."""
    tops = {graph.top, *questions.sentences(graph)}
    own = [
        edge.target
        for edge in graph.edges
        if edge.role.startswith((":ARG", ":op"))
        and edge.role != ":ARG0"
        and edge.target in graph.concepts
        and edge.target not in tops
    ]
    return edits.remove(graph, _chosen(rng, own)) if own else None


def remove_sentence(graph: Graph, rng: np.random.Generator, _: Pool) -> Graph | None:
    """One of several sentences taken out."""
    own = questions.sentences(graph)
    return edits.remove(graph, _chosen(rng, own)) if len(own) > 1 else None


def append(graph: Graph, rng: np.random.Generator, pool: Pool) -> Graph | None:
    """Another utterance put behind, negated where it can be."""
    other = _chosen(rng, pool.graphs)
    changed = negate(other, rng, pool)
    negated = REALISER.rewritten(other, changed) if changed else None
    return edits.append(graph, negated or other)


KINDS: dict[str, Kind] = {
    "frame": _replacing(is_frame),
    "noun": _replacing(is_thing),
    "modifier": _replacing(is_modifier),
    "frame-alike": _alike(is_frame),
    "noun-alike": _alike(is_thing),
    "modifier-alike": _alike(is_modifier),
    "antonym": antonym,
    "name": rename,
    "pronoun": pronoun,
    "pronoun-noun": pronoun_to_noun,
    "negate": negate,
    "affirm": affirm,
    "remove-argument": remove_argument,
    "remove-sentence": remove_sentence,
    "append": append,
}
PIPELINE = language.load()
REALISER = InPlace(PIPELINE)


def utterances(seed: int, count: int) -> list[str]:
    """Random utterances, the same for the same seed."""
    texts = [
        turn.text
        for name, split in CORPORA
        for dialogue in corpora.load(name, split)
        if corpora.split(dialogue) == "train"
        for turn in dialogue.turns
    ]
    order = np.random.default_rng(seed).permutation(len(texts))[:count]
    return [texts[place] for place in order]


def graphs(texts: Sequence[str]) -> list[Graph]:
    """The graphs of texts, by the parser that ships or as sketches."""
    try:
        from dialogauge.amr.loading import load_parser

        return [graph for graph in load_parser().parse(texts) if graph is not None]
    except (DialogaugeError, ImportError):
        return [sketch(document) for document in PIPELINE.pipe(texts)]


class Case(NamedTuple):
    """One edit of one text, and what came of it."""

    kind: str
    original: Graph
    edited: Graph
    text: str | None


def cases(kind: str, seed: int, source: Sequence[Graph]) -> Iterator[Case]:
    """Random edits of one kind."""
    rng = np.random.default_rng([seed, *kind.encode()])
    pool = Pool(source)
    for place in rng.permutation(len(source)):
        graph = source[place]
        edited = KINDS[kind](graph, rng, pool)
        if edited is not None and edited != graph:
            yield Case(kind, graph, edited, REALISER.realise(graph, edited))


def tenses(text: str) -> list[tuple[str, str]]:
    """The lemma of each word, and the tense of the verbs among them: past, present or modal.

    A verb behind *do* has the tense of *do*, which itself comes and goes with negation.
    """
    kinds = {"VBD": "past", "VBZ": "present", "VBP": "present", "MD": "modal"}
    words = []
    for word in PIPELINE(text):
        lemma = language.lemma(word.text, word.tag_).lower()
        do = next((it for it in word.lefts if it.lower_ in ("do", "does", "did")), None)
        tag = do.tag_ if word.tag_ == "VB" and do is not None else word.tag_
        words.append((lemma, "" if lemma == "do" else kinds.get(tag, "")))
    return words


def tense_kept(case: Case) -> bool | None:
    """Whether each finite verb that the edit left has its tense; None if there is none.

    The words of both texts are aligned by lemma (longest common blocks), verbs among all others, so
    that a verb is compared with itself and not with a like one in another place.
    """
    if case.text is None:
        return None
    old, new = tenses(case.original.text), tenses(case.text)
    both = [(a, b) for a, b in _matched(old, new) if a and b]
    return all(a == b for a, b in both) if both else None


def _matched(old: list[tuple[str, str]], new: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    lemmas = [it[0] for it in old], [it[0] for it in new]
    for at, other, size in SequenceMatcher(None, *lemmas, autojunk=False).get_matching_blocks():
        for (_, tense), (_, now) in zip(old[at:][:size], new[other:][:size], strict=True):
            yield tense, now


def review(kinds: Sequence[str], seed: int = SEED) -> None:
    """Print twenty cases of each kind to read."""
    source = graphs(utterances(seed, REVIEWED))
    for kind in kinds:
        print(f"## {kind}", flush=True)
        written = (case for case in cases(kind, seed, source) if case.text is not None)
        for number, case in enumerate(islice(written, CASES), 1):
            print(f"{number:>2} {case.original.text}\n   {case.text}\n")


def figures() -> Iterator[tuple[str, str]]:
    """Name and value of each figure."""
    source = graphs(utterances(SEED, UTTERANCES))
    same = sum(REALISER.realise(graph, graph) == graph.text for graph in source)
    yield "identity", f"{same} of {len(source)}"
    for kind in KINDS:
        tried = list(islice(cases(kind, SEED, source), TRIED))
        written = [case for case in tried if case.text is not None]
        kept = [it for it in map(tense_kept, written) if it is not None]
        share = f"{np.mean(kept):.1%} of {len(kept)}" if kept else "none"
        yield kind, f"written {len(written) / max(1, len(tried)):.0%}, tense kept {share}"


def main(arguments: Sequence[str]) -> None:
    match arguments:
        case ["review", kinds, *seed]:
            review(list(KINDS) if kinds == "all" else kinds.split(","), *map(int, seed))
        case _:
            for name, value in figures():
                print(f"{name:<20}{value}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
