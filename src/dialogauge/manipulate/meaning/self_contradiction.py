"""Self-contradiction: what a speaker said before is denied or altered by them some turns later.

One short sentence of an earlier turn, which can be understood by itself, is negated, or gets an
antonym, another name or another number. It takes the place of a sentence of a later turn, so that
the turn stays as long as it was; a turn of one sentence gets it in front or behind.
"""

import re
from collections.abc import Callable, Iterator
from random import Random

import msgspec

from ...amr import Edge, Graph, edits, questions
from ...language import shared
from ...sentence.agreement import SUBJECTS
from ...sentence.draft import capital, uncapital
from ...sentence.wordlists import lists
from ..edited import Span
from ..manipulation import DoesNotApply, drawn
from . import choosing, naming
from .graphs import Sheet, Step, Talk, count
from .items import items, renamed
from .opposites import opposites
from .sentences import asks, greets, predicates, states
from .settings import Contradiction, SelfContradiction

_WORDS = lists(__file__, "self-contradiction")
#: How many turns lie between at least, how few words a sentence has, and how many are tried.
_APART, _SHORTEST, _TRIES = 2, 4, 6
_SENTENCE = re.compile(r"\S(?:.*?[^\s.!?])?\s?(?:[.!?…]+['\"”]?(?=\s|$)|$)", re.DOTALL)
_LINK = re.compile(
    r"^(?:(?:and|but|so|well|yes|yeah|yep|no|oh|haha|lol|actually|also|plus|wow|ok)\b\s?,?\s*)+",
    re.I,
)
_CUT = re.compile(r"\b(?:[A-Z]|Mr|Mrs|Ms|Dr|St|Jr|vs|Oct|Nov|Dec|Jan|Feb|Sept?|Aug)\s?\.$")


def change(talk: Talk, settings: SelfContradiction, rng: Random) -> None:
    """Contradict what was said before in a share of the turns."""
    sources = {at: earlier for at in talk.open if (earlier := _earlier(talk, at))}
    if not sources:
        raise DoesNotApply("nobody speaks again later")
    drafts = (
        choosing.first(_drafts(talk, settings, at, sources[at], own))
        for at, own in _drawn(talk, [*sources], rng)
    )
    wanted = count(settings.share, len(talk.open))
    if not choosing.keep(talk, drafts, wanted, choosing.lengthened):
        raise DoesNotApply("nothing that was said can be denied")


def _drawn(talk: Talk, places: list[int], rng: Random) -> list[tuple[int, Random]]:
    """The turns in a random order, those of several sentences first."""
    return sorted(
        drawn(rng, places), key=lambda it: len(sentences(talk.sheets[it[0]].original.text)) < 2
    )


def _earlier(talk: Talk, at: int) -> list[int]:
    """The turns that the same speaker said well before, if a turn was not changed yet."""
    turns = talk.dialogue.turns
    spoken = [it for it in range(at) if not turns[it].aside]
    own = [it for it in spoken[: 1 - _APART] if turns[it].speaker == turns[at].speaker]
    return [] if talk.sheets[at].steps else [it for it in own if it in talk.sheets]


def _drafts(
    talk: Talk, settings: SelfContradiction, at: int, earlier: list[int], rng: Random
) -> Iterator[Sheet]:
    """The turn with the opposite of something in it."""
    said = [(it, text) for it in earlier for text in _clauses(talk.sheets[it].text, settings)]
    for source, text in rng.sample(said, min(len(said), _TRIES)):
        graph = talk.pool.graphs([text])[0]
        if graph is None or not _is_fact(graph):
            continue
        if settings.lifts and not questions.negated(graph):
            continue
        for way in ("denied",) if settings.lifts else rng.sample(settings.ways, len(settings.ways)):
            for other in _WAYS[way](talk, graph, source, rng):
                written = talk.pool.realise(graph, other)
                if written is not None:
                    step = Step(f"self-contradiction.{way}", lambda graph: graph, denies=source)
                    yield _put(talk.sheets[at], written, step)


def _clauses(text: str, settings: SelfContradiction) -> list[str]:
    """The short sentences of a text that can be understood by themselves."""
    found = [_LINK.sub("", text[slice(*it)]) for it in sentences(text)]
    return [it for it in found if _stands_alone(it, settings.longest)]


def _stands_alone(text: str, longest: int) -> bool:
    """Whether a sentence of some length needs nothing that was said before.

    >>> _stands_alone("I have two old dogs.", 12), _stands_alone("I have seen it twice.", 12)
    (True, False)
    """
    words = re.findall(r"[^\W_]+(?:['’][^\W_]+)*", text.lower())
    if not _SHORTEST <= len(words) <= longest or "?" in text or greets(text):
        return False
    if _CUT.search(text) or re.search(r"^\W|[,;:\"“(]|\s['’]|\bto\W*$", text):
        return False
    return not _WORDS["pointing"] & set(words) and words[0] not in _WORDS["asking"]


def _is_fact(graph: Graph) -> bool:
    """Whether a sentence says one thing that is so, of the speaker or of something named."""
    tops = questions.sentences(graph)
    if len(tops) != 1 or not states(graph, tops[0]) or asks(graph, tops[0]):
        return False
    if not predicates(graph, tops[0]) or set(graph.concepts.values()) & _WORDS["opining"]:
        return False
    root = next(shared()(graph.text).sents).root
    return any(it.dep_ in SUBJECTS for it in root.children)


def _negated(talk: Talk, graph: Graph, at: int, rng: Random) -> list[Graph]:
    frame = predicates(graph, questions.sentences(graph)[0])[0]
    denied = frame in questions.negated(graph)
    return [edits.affirm(graph, frame) if denied else edits.negate(graph, frame)]


def _with_antonym(talk: Talk, graph: Graph, at: int, rng: Random) -> list[Graph]:
    if _WORDS["particles"] & set(graph.text.lower().split()):
        return []  # "stay away"
    plain = [it for it in items(graph, at) if not it.name]
    found = [(it.variable, opposites(it, Contradiction())) for it in plain]
    graphs = [edits.replace_concept(graph, one, it) for one, words in found for it in words[:1]]
    return rng.sample(graphs, len(graphs))


def _with_name(talk: Talk, graph: Graph, at: int, rng: Random) -> list[Graph]:
    old = naming.sure(talk.pool, graph, at)
    return [
        renamed(graph, it.variable, new.name)
        for it in rng.sample(old, len(old))
        for new in naming.others(talk, it, rng)[:2]
    ]


def _with_number(talk: Talk, graph: Graph, at: int, rng: Random) -> list[Graph]:
    places = [at for at, edge in enumerate(graph.edges) if re.fullmatch(r"[2-9]", edge.target)]
    graphs = []
    for place in rng.sample(places, len(places)):
        edge, all_edges = graph.edges[place], list(graph.edges)
        new = rng.choice([it for it in "23456789" if it != edge.target])
        all_edges[place] = Edge(edge.source, edge.role, new)
        graphs.append(msgspec.structs.replace(graph, edges=tuple(all_edges)))
    return graphs


_WAYS: dict[str, Callable[[Talk, Graph, int, Random], list[Graph]]] = {
    "denied": _negated,
    "opposite": _with_antonym,
    "name": _with_name,
    "number": _with_number,
}


def _put(sheet: Sheet, clause: str, step: Step) -> Sheet:
    """A turn with a sentence in the place of one of its own, or in front of it or behind."""
    text, found = sheet.text, sentences(sheet.text)
    stated = [it for it in found if "?" not in text[slice(*it)]]
    if len(found) > 1 and stated:
        size = len(clause)
        start, end = min(stated, key=lambda it: (it == found[0], abs(it[1] - it[0] - size)))
    else:
        front = "?" in text
        start = end = found[0][0] if front else len(text.rstrip())
    new = _fitted(clause, text, start, end)
    whole = text[:start] + new + text[end:]
    marks = (Span((start, end), (start, start + len(new))),)
    return Sheet(sheet.at, sheet.original, sheet.graph, whole, (*sheet.steps, step), marks)


def _fitted(clause: str, text: str, start: int, end: int) -> str:
    """A sentence in the style of the text around it: its capitals, marks and blanks."""
    bare = re.sub(r"\s*[.!…]+$", "", clause.strip())
    old = text[start:end] or text.strip()
    mark = re.search(r"\s?[.!…?]+['\"”]?$", old)
    first = next((sign for sign in text if sign.isalpha()), "A")
    new = uncapital(bare) if first.islower() else capital(bare)
    new += (
        mark[0].replace("?", ".") if mark and "…" not in mark[0] else "." if end < len(text) else ""
    )
    if start < end:
        return new
    if start:
        return f" {new}" if mark else f". {new}"
    return f"{new} "


def sentences(text: str) -> list[tuple[int, int]]:
    """From where to where the sentences of a text reach, by their marks.

    >>> sentences("I see Dr. Who. Why? ok")
    [(0, 14), (15, 19), (20, 22)]
    """
    found = list[tuple[int, int]]()
    for match in _SENTENCE.finditer(text):
        start, end = match.span()
        if found and _CUT.search(text[slice(*found[-1])]):
            found[-1] = (found[-1][0], end)
        elif any(map(str.isalnum, match[0])):
            found.append((start, end))
    return found
