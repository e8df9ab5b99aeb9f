"""DEAM's four kinds of damage with our realiser, one turn at a time, as texts to measure.

What is drawn follows the paper (a pronoun of a turn; a negated or opposed copy behind a later turn
of the same speaker; half of a turn's items by others of their kind from the conversation; a
sentence, a question or an argument less). An edit that cannot be written is drawn again.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from dialogauge.amr import Graph, edits, questions
from dialogauge.dialogue import Dialogue

from . import realise
from .realise import REALISER, Pool, graphs

TRIES = 12
Rng = np.random.Generator


class Talk:
    """A conversation's graphs, and the items of its turns by kind and class of word."""

    def __init__(self, dialogue: Dialogue) -> None:
        self.graphs = graphs([turn.text for turn in dialogue.turns])
        self.items = [_items(graph) for graph in self.graphs]


def _items(graph: Graph) -> dict[str, tuple[str, str]]:
    """What can be swapped: variable to its role (frame, arg, op, mod) and its class of word."""
    classes = REALISER.classes(graph)
    roles: dict[str, str] = {}
    for edge in graph.edges:
        for prefix, name in ((":ARG", "arg"), (":op", "op"), (":mod", "mod")):
            if edge.role.startswith(prefix):
                roles.setdefault(edge.target, name)
    roles |= dict.fromkeys(questions.frames(graph), "frame")
    usable = {"noun", "verb", "adjective", "adverb"}
    named = questions.names(graph)
    return {
        it: (role, classes[it])
        for it, role in roles.items()
        if classes.get(it) in usable and it not in named
    }


def coreference(talk: Talk, at: int, rng: Rng) -> str | None:
    """A pronoun by another, or by a noun of the conversation."""
    graph = talk.graphs[at]
    if rng.random() < 0.5:
        edited = realise.pronoun(graph, rng, Pool(talk.graphs))
    else:
        edited = realise.pronoun_to_noun(graph, rng, Pool(talk.graphs))
    return REALISER.realise(graph, edited) if edited else None


def contradiction(talk: Talk, at: int, rng: Rng) -> str | None:
    """A negated copy, or one with opposites, of an earlier turn of the same speaker put behind."""
    earlier = list(range(at % 2, at, 2))
    if not earlier:
        return None
    source = talk.graphs[earlier[int(rng.integers(len(earlier)))]]
    change = realise.negate if rng.random() < 0.5 else realise.antonym
    edited = change(source, rng, Pool(talk.graphs))
    copy = REALISER.rewritten(source, edited) if edited else None
    if copy is None:
        return None
    return REALISER.realise(talk.graphs[at], edits.append(talk.graphs[at], copy))


def irrelevancy(talk: Talk, at: int, rng: Rng) -> str | None:
    """Half of the items by others of the same role and class from the conversation."""
    graph, items = talk.graphs[at], talk.items[at]
    wanted, done = max(1, len(items) // 2), 0
    for variable in (list(items)[it] for it in rng.permutation(len(items))):
        written = _swapped(talk, graph, variable, items[variable], rng)
        graph, done = (written, done + 1) if written else (graph, done)
        if done == wanted:
            break
    return graph.text if done else None


def _swapped(
    talk: Talk, graph: Graph, variable: str, kind: tuple[str, str], rng: Rng
) -> Graph | None:
    others = {
        source.concepts[it]
        for source, items in zip(talk.graphs, talk.items, strict=True)
        for it, its in items.items()
        if its == kind and source.concepts[it] != graph.concepts[variable]
    }
    ordered = sorted(others)
    for place in rng.permutation(len(ordered))[:TRIES]:
        edited = edits.replace_concept(graph, variable, ordered[place])
        if written := REALISER.rewritten(graph, edited):
            return written
    return None


def engagement(talk: Talk, at: int, rng: Rng) -> str | None:
    """A sentence, a question, or an argument less."""
    graph = talk.graphs[at]
    kind = realise.remove_sentence if len(questions.sentences(graph)) > 1 else None
    edited = (kind or realise.remove_argument)(graph, rng, Pool(talk.graphs))
    return REALISER.realise(graph, edited) if edited else None


KINDS: dict[str, Callable[[Talk, int, Rng], str | None]] = {
    "coreference": coreference,
    "contradiction": contradiction,
    "irrelevancy": irrelevancy,
    "engagement": engagement,
}


def turns(kind: str, dialogues: Sequence[Dialogue], seed: int = 0) -> Iterator[tuple[str, str]]:
    """Turns as written and damaged, three of each conversation."""
    for number, dialogue in enumerate(dialogues):
        rng = np.random.default_rng([seed, number, sorted(KINDS).index(kind)])
        talk = Talk(dialogue)
        found = 0
        for at in rng.permutation(len(talk.graphs)):
            if found < 3 and (text := KINDS[kind](talk, int(at), rng)):
                found += 1
                yield talk.graphs[at].text, text
