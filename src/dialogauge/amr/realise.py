"""An edited graph back to text: what changed is written into the sentence, the rest stays.

A generator writes a whole sentence anew and loses tense, articles and wording on the way. Here the
difference between two graphs (:mod:`.differences`) is mapped onto the words that the changed parts
are aligned to, with the sentence's UD parse for what a graph does not say: case, tense, agreement,
which function words belong to a part. An unedited graph gives its text byte for byte.

    >>> from dialogauge.amr import decode
    >>> from .edits import negate, replace_concept
    >>> graph = decode('''# ::snt She likes dogs.
    ... # ::tok She likes dogs
    ... (l / like-01~e.1 :ARG0 (s / she~e.0) :ARG1 (d / dog~e.2))''')
    >>> InPlace().realise(graph, negate(replace_concept(graph, "s", "they"), "l"))
    "They don't like dogs."

What cannot be written without breaking the sentence is refused: None, and counted.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

import msgspec
from msgspec.structs import replace

from ..language import Pipeline, shared
from ..language.concept_names import PRONOUNS, lemma
from ..sentence import affirmation, clauses, negation, nominal, removal, substitution
from ..sentence.draft import Doc, Draft, extents, tops
from ..sentence.removal import Places
from . import differences
from .graph import Graph, Token
from .questions import connected, name_of, sentences

#: Changes when the same graphs give other texts.
_VERSION = 2
#: By the beginnings of Penn tags.
_CLASSES = {"NN": "noun", "VB": "verb", "JJ": "adjective", "RB": "adverb", "PR": "pronoun"}
_CLASSES |= {"DT": "determiner", "UH": "interjection"}


class Counts(msgspec.Struct):
    """What a realiser was asked since it was made."""

    graphs: int = 0
    same: int = 0  # there was nothing to write
    refused: int = 0


class _Job(msgspec.Struct):
    """A draft, the graphs, and the slots of each variable of the old one."""

    draft: Draft
    old: Graph
    new: Graph
    places: dict[str, tuple[int, ...]]


class InPlace:
    """The realiser that edits the sentence; ``pipeline`` is the parse it looks things up in."""

    def __init__(self, pipeline: Pipeline | None = None) -> None:
        self._given = pipeline
        self.counts = Counts()

    @cached_property
    def _pipeline(self) -> Pipeline:
        return self._given or shared()

    @property
    def signature(self) -> str:
        """The rules and the pipeline that made the texts."""
        return f"edit:{_VERSION}|{self._pipeline.signature}"

    def realise(self, original: Graph, edited: Graph) -> str | None:
        """The text of the edited graph; None if it cannot be written."""
        rewritten = self.rewritten(original, edited)
        return None if rewritten is None else rewritten.text

    def rewritten(self, original: Graph, edited: Graph) -> Graph | None:
        """The edited graph with its new text, words and alignments, ready for the next edit."""
        self.counts.graphs += 1
        changes = differences.difference(original, edited)
        if changes == []:
            self.counts.same += 1
            return edited
        written = None if changes is None else self._written(original, edited, changes)
        self.counts.refused += written is None
        return written

    def classes(self, graph: Graph) -> dict[str, str]:
        """The class of word that says each variable: noun, verb, adjective, adverb and so on.

        A concept is best drawn for a place whose class it has somewhere; what has no word, or
        shares it with another variable (*teacher* is a person and what they do), is left out.
        """
        document = self._pipeline(graph.text)
        draft, slots = Draft(graph.text, document), places(graph, document)
        shared = Counter(slots.values())
        alone = {name: own for name, own in slots.items() if shared[own] == 1}
        heads = {
            name: substitution.heads(draft, own, graph.concepts[name])
            for name, own in alone.items()
        }
        tags = {name: words[0].tag_[:2] for name, words in heads.items() if words}
        return {name: _CLASSES[tag] for name, tag in tags.items() if tag in _CLASSES}

    def _written(self, old: Graph, new: Graph, changes: list[differences.Change]) -> Graph | None:
        document = self._pipeline(old.text)
        draft = Draft(old.text, document)
        job = _Job(draft, old, new, places(old, document))
        if not all(_WRITERS[type(change)](job, change) for change in changes):
            return None
        text, spans = draft.written()
        added = next((it.text for it in changes if isinstance(it, differences.Appended)), "")
        if not any(map(str.isalnum, text)) or (text == old.text and not added):
            return None
        graph = _aligned(job, text, spans)
        return _with_addition(graph, old, new, added) if added else graph


def _replace(job: _Job, change: differences.Replaced) -> bool:
    """Another concept: another word."""
    own = job.places.get(change.variable, ())
    names = _name_places(job, change.variable)
    if names and not name_of(job.new, change.variable):
        return nominal.name(job.draft, names, change.new, article=True)
    if maker := _maker(job, change.variable, own):
        return maker == "frame" and substitution.replace_agent(job.draft, own, change.new)
    free = tuple(place for place in own if place not in names)
    taken = {it for name, places in job.places.items() if name != change.variable for it in places}
    return substitution.replace_word(job.draft, free, change.old, change.new, taken)


def _maker(job: _Job, variable: str, own: tuple[int, ...]) -> str:
    """Which part of a noun like *teacher* (a person that teaches) a variable is, if of any."""
    concept = lemma(job.old.concepts[variable])
    if any(job.draft.lemma(place).lower() == concept for place in own):
        return ""  # "friend" is the word itself
    for edge in job.old.edges:
        if variable not in (edge.source, edge.target) or not edge.role.startswith(":ARG"):
            continue
        other = edge.target if edge.source == variable else edge.source
        if own and set(own) == set(job.places.get(other, ())):
            return "frame" if edge.source == variable else "person"
    return ""


def _name_places(job: _Job, variable: str) -> tuple[int, ...]:
    """The slots of a variable's name: those of its ``name``, or else its own capitalised ones."""
    name = name_of(job.old, variable)
    slots = job.places.get(name, ()) or job.places.get(variable, ())
    return tuple(sorted(slots)) if name else ()


def _rename(job: _Job, change: differences.Renamed) -> bool:
    """Another name, or a name for a noun or pronoun."""
    if change.old:
        return nominal.name(job.draft, _name_places(job, change.variable), change.new)
    old = job.old.concepts[change.variable]
    own = job.places.get(change.variable, ())
    return substitution.replace_word(job.draft, own, old, change.new.replace(" ", "_"))


def _requantify(job: _Job, change: differences.Requantified) -> bool:
    """Another number."""
    own = job.places.get(change.variable, ())
    return substitution.replace_number(job.draft, own, change.old, change.new)


def _negate(job: _Job, change: differences.Negated) -> bool:
    """A negation more."""
    heads = tops(job.draft, job.places.get(change.variable, ()))
    return len(heads) == 1 and negation.negate(job.draft, heads[0])


def _affirm(job: _Job, change: differences.Affirmed) -> bool:
    """A negation less."""
    heads = tops(job.draft, job.places.get(change.variable, ()))
    heads = [it for it in heads if it.lower_ not in negation.NEGATIONS] or heads
    return bool(heads) and affirmation.affirm(job.draft, heads[0])


def _remove(job: _Job, change: differences.Removed) -> bool:
    """A part less."""
    gone = {place for variable in change.below for place in job.places.get(variable, ())}
    kept = {
        name: tuple(place for place in own if job.draft.document[place].dep_ != "cc")
        for name, own in job.places.items()
        if name in job.new.concepts
    }
    return removal.remove_part(job.draft, gone, kept)


def _shorten(job: _Job, change: differences.Shortened) -> bool:
    """A sentence less."""
    texts = job.draft.words  # a question's mark may count for a clause that is not its own
    spoken = {place for place, text in enumerate(texts) if any(map(str.isalnum, text))}
    worded = {name: sorted(spoken.intersection(own)) for name, own in job.places.items()}
    return clauses.remove(job.draft, _ranges(job.old, worded), change.tops)


def _ranges(graph: Graph, places: Places) -> dict[str, tuple[int, int]]:
    """From where to where the words of each sentence reach; variables that several share aside."""
    roots = sentences(graph)
    members = {top: _of_sentence(graph, top, roots) for top in roots}
    owners = Counter(chain.from_iterable(members.values()))
    ranges = {}
    for top, variables in members.items():
        own = [it for it in variables if it == top or graph.concepts[it] not in PRONOUNS]
        if reach := [at for it in own if owners[it] == 1 for at in places.get(it, ())]:
            ranges[top] = (min(reach), max(reach))
    return ranges


def _of_sentence(graph: Graph, top: str, roots: Sequence[str]) -> set[str]:
    """What hangs together with a sentence's top but for other tops, and behind no pronoun."""
    edges = [edge for edge in graph.edges if edge.source != graph.top]
    inside = graph.concepts.keys() - set(roots)
    pronouns = {it for it in inside if graph.concepts[it] in PRONOUNS}
    return connected(edges, [top], inside, pronouns)


_WRITERS: dict[type, Callable[[_Job, Any], bool]] = {
    differences.Replaced: _replace,
    differences.Renamed: _rename,
    differences.Requantified: _requantify,
    differences.Negated: _negate,
    differences.Affirmed: _affirm,
    differences.Removed: _remove,
    differences.Shortened: _shorten,
    differences.Appended: lambda *_: True,  # it is joined when the rest is written
}


def _aligned(job: _Job, text: str, spans: list[tuple[int, int] | None]) -> Graph:
    """The new graph on the slots that are left."""
    kept = {place: span for place, span in enumerate(spans) if span and text[slice(*span)].strip()}
    tokens = tuple(Token(text[start:end], start, end) for start, end in kept.values())
    order = {place: number for number, place in enumerate(kept)}
    stay = {name: own for name, own in job.places.items() if name in job.new.concepts}
    return replace(job.new, text=text, tokens=tokens, aligned=_moved(stay, order))


def _moved(aligned: Places, order: Mapping[int, int]) -> dict[str, tuple[int, ...]]:
    """Alignments with other numbers for the words; those of words that are gone are left out."""
    moved = {
        variable: tuple(order[place] for place in own if place in order)
        for variable, own in aligned.items()
    }
    return {variable: own for variable, own in moved.items() if own}


def _with_addition(graph: Graph, old: Graph, new: Graph, added: str) -> Graph:
    """With the sentences that were put behind, and their words."""
    text = clauses.joined(graph.text, added)
    start = len(new.text) - len(new.text[len(old.text) :].lstrip())
    shift = text.lower().rfind(added[:-1].lower() or added.lower()) - start
    first = [it for it in graph.tokens if text[it.start : it.end] == it.text]
    second = [it for it in new.tokens if it.start >= start and it.end + shift <= len(text)]
    moved = [(it.start + shift, it.end + shift) for it in second]
    tokens = (*first, *(Token(text[a:b], a, b) for a, b in moved))
    own = {graph.tokens.index(it): number for number, it in enumerate(first)}
    others = {new.tokens.index(it): number for number, it in enumerate(second, len(first))}
    added_ones = {name: it for name, it in new.aligned.items() if name not in old.concepts}
    aligned = {**_moved(graph.aligned, own), **_moved(added_ones, others)}
    return replace(graph, text=text, tokens=tokens, aligned=aligned)


def places(graph: Graph, document: Doc) -> dict[str, tuple[int, ...]]:
    """The slots of each variable: the words of the parse that overlap its words in the graph."""
    marks = extents(document)
    starts, ends = [start for start, _ in marks], [end for _, end in marks]
    slots = {
        place: range(bisect_right(ends, token.start), bisect_left(starts, token.end))
        for place, token in enumerate(graph.tokens)
    }
    return {
        variable: tuple(sorted({at for place in own for at in slots.get(place, ())}))
        for variable, own in graph.aligned.items()
    }
