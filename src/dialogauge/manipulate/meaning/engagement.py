"""Decreased engagement: a turn that asks nothing, or says less.

A turn can lose its *question*, its most detailed *sentence* (the one whose graph is deepest) or a
*detail*: what stands below an ``:ARG`` or ``:op``. Which is drawn.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial, reduce
from itertools import takewhile
from random import Random

from ...amr import Graph, edits, questions
from ...language import concept_names
from ..manipulation import DoesNotApply, drawn
from . import choosing
from .graphs import Sheet, Step, Talk, count
from .missing import gap, is_missed
from .sentences import asks
from .settings import Engagement

#: How many details are tried in a turn, and of how many turns the one that loses least is taken.
_DETAILS, _TURNS = 3, 8


def change(talk: Talk, settings: Engagement, rng: Random) -> None:
    """Take something out of a share of the turns."""
    measure = choosing.shortened if settings.plausible else choosing.anything
    drafts: Iterator[Sheet | None] = (
        choosing.chosen(_missed(talk, settings, talk.sheets[at], own), measure)
        for at, own in drawn(rng, talk.free)
    )
    if settings.stop:
        drafts = takewhile(lambda draft: draft is not None, drafts)
    wanted = count(settings.share, len(talk.open))
    if not choosing.keep(talk, drafts, wanted, measure, _TURNS):
        raise DoesNotApply("nothing can be left out")


def _missed(talk: Talk, settings: Engagement, sheet: Sheet, rng: Random) -> Iterator[Sheet]:
    """The drafts in which the conversation misses something, if that is to be."""
    for draft in filter(None, _drafts(talk, settings, sheet, rng)):
        whole = draft.steps[-1].kind != "engagement.detail"
        if not settings.missed or is_missed(gap(talk, sheet, draft), whole):
            yield draft


def _drafts(talk: Talk, settings: Engagement, sheet: Sheet, rng: Random) -> Iterator[Sheet | None]:
    for way in rng.sample(settings.ways, len(settings.ways)):
        for gone in _WAYS[way](sheet.graph, settings, rng):
            yield talk.draft(sheet, Step(f"engagement.{way}", partial(_without, gone=gone)))


def _without(graph: Graph, gone: Iterable[str]) -> Graph:
    return reduce(edits.remove, gone, graph)


def _question(graph: Graph, settings: Engagement, rng: Random) -> list[list[str]]:
    """The sentences that ask, the last one first."""
    tops = questions.sentences(graph)
    asking = [top for top in tops if len(tops) > 1 and asks(graph, top)]
    return [[top] for top in reversed(asking)]


def _sentence(graph: Graph, settings: Engagement, rng: Random) -> list[list[str]]:
    """The most detailed sentence, and in the code's way those behind it."""
    tops = questions.sentences(graph)
    if len(tops) < 2:
        return []
    measure = questions.depth if settings.by == "depth" else _size
    place = max(range(len(tops)), key=lambda at: measure(graph, tops[at]))
    return [tops[place or 1 :] if settings.rest else [tops[place]]]  # something stays


def _size(graph: Graph, top: str) -> int:
    return len(questions.below(graph, top))


def _detail(graph: Graph, settings: Engagement, rng: Random) -> list[list[str]]:
    """Some parts below arguments from the second on, or parts of conjunctions."""
    tops = questions.sentences(graph)
    if settings.single and len(tops) > 1:
        return []
    details = [
        edge.target
        for edge in graph.edges
        if edge.role.startswith((":ARG", ":op")) and edge.role != ":ARG0"
        if edge.target in graph.concepts and edge.target not in (graph.top, *tops)
        if graph.concepts[edge.target] not in _VAGUE
    ]
    denied = set(questions.negated(graph))
    chosen = [it for it in dict.fromkeys(details) if not denied & set(questions.below(graph, it))]
    return [[it] for it in rng.sample(chosen, len(chosen))[:_DETAILS]]


#: What is no detail.
_VAGUE = {*concept_names.PRONOUNS, "one", "someone", "something", "anyone", "anything", "everyone"}
_VAGUE |= {"everything", "everybody", "somebody", "anybody", "thing", "person", "that", "this"}

_WAYS: dict[str, Callable[[Graph, Engagement, Random], list[list[str]]]] = {
    "question": _question,
    "sentence": _sentence,
    "detail": _detail,
}
