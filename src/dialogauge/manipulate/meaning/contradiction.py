"""Contradiction: the opposite of what was said, by the same speaker.

A turn is negated: its sentences get (or lose) a negation, or some words become their antonyms. The
copy is put behind a later turn of the same speaker, as in the paper, or takes the turn's place.
"""

from functools import partial
from random import Random

from msgspec.structs import replace

from ...amr import Graph, edits, questions
from ..manipulation import DoesNotApply, drawn
from . import choosing
from .graphs import Sheet, Step, Talk, count
from .opposites import opposites
from .sentences import asks, greets, predicates, states
from .settings import Contradiction

#: How many frames of a sentence, words of a turn, opposites of a word and later turns are tried.
_FRAMES, _WORDS, _OPPOSITES, _LATER = 3, 6, 2, 3


def change(talk: Talk, settings: Contradiction, rng: Random) -> None:
    """Contradict a share of the turns that can be."""
    places = _places(talk, settings)
    if not places:
        raise DoesNotApply("no turn says what could be contradicted")
    drafts = (
        _contradicted(talk, settings, at, places[at], own) for at, own in drawn(rng, list(places))
    )
    # What is said again later is as fluent as it was; only the turn gets long.
    long = settings.plausible and settings.where == "later"
    measure = choosing.lengthened if long else choosing.surprising(talk, settings.plausible)
    if not choosing.keep(talk, drafts, count(settings.share, len(places)), measure):
        raise DoesNotApply("no contradiction can be written")


def _places(talk: Talk, settings: Contradiction) -> dict[int, list[int]]:
    """The turns that can be contradicted, and where: the turn itself, or later ones."""
    turns, places = talk.dialogue.turns, {}
    for at, sheet in talk.sheets.items():
        later = [it for it in talk.open if it > at and turns[it].speaker == turns[at].speaker]
        targets = later if settings.where == "later" else [it for it in talk.open if it == at]
        if targets and questions.frames(sheet.graph) and _may_be_repeated(sheet.graph, settings):
            places[at] = targets
    return places


def _may_be_repeated(graph: Graph, settings: Contradiction) -> bool:
    """Whether a turn can be said again but for its opposite: it neither asks nor greets."""
    if settings.where == "place" or not settings.plausible:
        return True
    return not greets(graph.text) and all(not asks(graph, it) for it in questions.sentences(graph))


def _stating(graph: Graph) -> list[str]:
    """The sentences that state something."""
    return [it for it in questions.sentences(graph) if predicates(graph, it) and states(graph, it)]


def _contradicted(
    talk: Talk, settings: Contradiction, at: int, targets: list[int], rng: Random
) -> Sheet | None:
    """The turn that holds the contradiction."""
    direct = rng.random() < settings.direct or settings.lifts
    later = rng.sample(targets, len(targets))[:_LATER]
    opposite = None if direct else _with_antonyms(talk, settings, at, rng)
    if opposite is None and (settings.direct > 0 or settings.lifts):
        opposite = _negated(talk, settings, at, rng)
    if opposite is None or settings.where == "place":
        return opposite
    copy = replace(opposite.graph, text=opposite.text, tokens=(), aligned={})
    sheets = [talk.sheets[it] for it in later]
    if settings.plausible:
        sheets.sort(key=lambda it: -len(it.text))
    step = Step(opposite.steps[-1].kind, lambda graph: graph, (copy,), at)
    return choosing.first(talk.draft(it, step) for it in sheets)


def _bare(talk: Talk, settings: Contradiction, at: int) -> Sheet:
    """A turn to be negated; what was put behind it is not said again."""
    sheet = talk.sheets[at]
    return sheet if settings.where == "place" else replace(sheet, steps=())


def _negated(talk: Talk, settings: Contradiction, at: int, rng: Random) -> Sheet | None:
    """The turn with other polarity in some of its sentences; None where none can be written."""
    start = sheet = _bare(talk, settings, at)
    stating = [it for it in _stating(sheet.graph) if _frames(sheet.graph, it, settings)]
    chosen = rng.sample(stating, min(len(stating), count(settings.negations, len(stating))))
    groups = [_frames(sheet.graph, top, settings) for top in stating if top in chosen]
    if not settings.spread:
        frames = sheet.graph.aligned.keys() & questions.frames(sheet.graph)
        inside = (it for top in stating for it in questions.below(sheet.graph, top))
        groups = [[frame] for frame in inside if frame in frames][: len(chosen)]
    for group in groups:
        turned = [partial(_turned, variable=frame) for frame in group]
        steps = [Step("contradiction.negation", turn) for turn in turned]
        drafts = [(sheet, step) for step in steps]
        sheet = choosing.first(talk.draft(*draft) for draft in drafts) or sheet
    return None if sheet is start else sheet


def _frames(graph: Graph, top: str, settings: Contradiction) -> list[str]:
    """What can be turned in a sentence, a few of them."""
    negated = questions.negated(graph)
    found = [it for it in predicates(graph, top) if it in negated or not settings.lifts]
    return found[:_FRAMES]


def _turned(graph: Graph, variable: str) -> Graph:
    """A negation more, or less where there is one: never two."""
    negated = variable in questions.negated(graph)
    return edits.affirm(graph, variable) if negated else edits.negate(graph, variable)


def _with_antonyms(talk: Talk, settings: Contradiction, at: int, rng: Random) -> Sheet | None:
    """The turn with some of the words that have an antonym exchanged for it."""
    start = sheet = _bare(talk, settings, at)
    having = _opposed(talk, settings, sheet)
    wanted, exchanged = count(settings.antonyms, len(having)), 0
    for variable, own in drawn(rng, list(having))[:_WORDS]:
        words = list(having[variable])
        if not settings.plausible:
            own.shuffle(words)
        edit = partial(edits.replace_concept, variable=variable)
        exchanges = [partial(edit, concept=it) for it in words[:_OPPOSITES]]
        drafts = [(sheet, Step("contradiction.antonym", it)) for it in exchanges]
        draft = choosing.first(talk.draft(*it) for it in drafts)
        sheet, exchanged = draft or sheet, exchanged + (draft is not None)
        if exchanged == wanted:
            break
    return None if sheet is start else sheet


def _opposed(talk: Talk, settings: Contradiction, sheet: Sheet) -> dict[str, tuple[str, ...]]:
    """The variables of what is stated that have opposites, and these."""
    graph = sheet.graph
    stated = {it for top in _stating(graph) for it in questions.below(graph, top)}
    standing = [
        item
        for item in talk.items(sheet.at)
        if item.variable in stated and not item.name
        if graph.concepts[item.variable] == item.concept
    ]
    return {it.variable: words for it in standing if (words := opposites(it, settings))}
