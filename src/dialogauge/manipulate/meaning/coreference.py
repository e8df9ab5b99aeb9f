"""Coreference: a pronoun that means the wrong one.

A pronoun of one turn becomes another pronoun, or a noun of the conversation. The change is counted
under what does not agree any more: ``person`` (I, he), ``number`` (it, they), ``gender`` (he, she),
or ``noun``.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from random import Random

from ...amr import Graph, edits, questions
from ...language.concept_names import PRONOUNS
from ...language.pronouns import readings
from ..manipulation import DoesNotApply, drawn
from . import choosing, plausible
from .graphs import Sheet, Step, Talk, count
from .items import Item, all_nouns, renamed
from .settings import Coreference

#: How many turns are tried for a pronoun, and how many nouns and pronouns in each.
_TURNS, _CANDIDATES = 3, 3


def change(talk: Talk, settings: Coreference, rng: Random) -> None:
    """Exchange a share of the distinct pronouns, each in one turn."""
    turns_of = _turns_of(talk)
    if not turns_of:
        raise DoesNotApply("there is no pronoun")
    measure = choosing.surprising(talk, settings.plausible)
    drafts = (
        choosing.chosen(_drafts(talk, settings, turns_of[pronoun], pronoun, own), measure)
        for pronoun, own in drawn(rng, list(turns_of))
    )
    if not choosing.keep(talk, drafts, count(settings.share, len(turns_of)), measure):
        raise DoesNotApply("no pronoun can be replaced")


def _turns_of(talk: Talk) -> dict[str, list[int]]:
    """The pronouns of turns that may be changed, and the places of these turns."""
    turns_of: dict[str, list[int]] = {}
    for at in talk.open:
        graph = talk.sheets[at].graph
        for pronoun in dict.fromkeys(graph.concepts[it] for it in questions.pronouns(graph)):
            turns_of.setdefault(pronoun, []).append(at)
    return turns_of


def _drafts(
    talk: Talk, settings: Coreference, turns: list[int], old: str, rng: Random
) -> Iterator[Sheet]:
    """A pronoun's turns with a noun for it; where that is not to be or cannot, with a pronoun."""
    turns = rng.sample(turns, len(turns))[:_TURNS]
    drawn = (_nouns, _pronouns) if rng.random() < settings.nouns else (_pronouns,)
    for candidates in drawn:
        written = False
        for at in turns:
            for new in candidates(talk, settings, at, old, rng)[:_CANDIDATES]:
                if (draft := _draft(talk, talk.sheets[at], old, new)) is not None:
                    yield draft
                    written = True
        if written:
            return


def _draft(talk: Talk, sheet: Sheet, old: str, new: str | Item) -> Sheet | None:
    kind = f"coreference.{mismatch(old, new)}"
    return talk.draft(sheet, Step(kind, partial(_replaced, old=old, new=new)))


def _replaced(graph: Graph, old: str, new: str | Item) -> Graph:
    """The graph with a pronoun or a noun for all mentions of a pronoun."""
    for variable in questions.pronouns(graph):
        if graph.concepts[variable] == old:
            concept = new if isinstance(new, str) else new.concept
            graph = edits.replace_concept(graph, variable, concept)
            if isinstance(new, Item) and new.name:
                graph = renamed(graph, variable, new.name)
    return graph


def mismatch(old: str, new: str | Item) -> str:
    """What does not agree between a pronoun and what took its place.

    >>> mismatch("i", "he"), mismatch("it", "they"), mismatch("he", "she")
    ('person', 'number', 'gender')
    """
    if not isinstance(new, str):
        return "noun"
    one, other = readings(old)[0], readings(new)[0]
    features = ("person", "number", "gender")
    return next(name for name in features if getattr(one, name) != getattr(other, name))


def _pronouns(
    talk: Talk, settings: Coreference, at: int, old: str, rng: Random
) -> Sequence[str | Item]:
    """Other pronouns in the order in which they are tried."""
    concepts = {it for sheet in talk.sheets.values() for it in sheet.original.concepts.values()}
    others = [it for it in PRONOUNS if it != old and (settings.pronouns == "any" or it in concepts)]
    others = rng.sample(others, len(others))
    if not settings.plausible:
        return others
    return plausible.pronouns(old, others, asked="?" in talk.sheets[at].original.text)


def _nouns(
    talk: Talk, settings: Coreference, at: int, old: str, rng: Random
) -> Sequence[str | Item]:
    """Nouns of the other turns in the order in which they are tried."""
    others = [place for place in talk.sheets if place != at]
    if settings.of == "all":
        nouns = [it for place in others for it in all_nouns(talk.sheets[place].original, place)]
    else:
        nouns = [it for place in others for it in talk.items(place) if it.type in ("arg", "op")]
    nouns = rng.sample(nouns, len(nouns))
    if not settings.plausible:
        return nouns
    # A pronoun may well mean what its turn or the one before it speaks of.
    around = [*[place for place in talk.sheets if place < at][-1:], at]
    near = {it.word.lower() for place in around for it in talk.items(place)}
    return [it for it in plausible.nouns(old, nouns) if it.word.lower() not in near]
