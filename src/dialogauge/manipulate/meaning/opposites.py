"""Antonyms of a concept: those of WordNet, and ConceptNet's four relations that deny.

ConceptNet opposes much that no sentence can exchange (*dog* and *car*). Where the choice is to be
plausible, WordNet's antonyms of a word's main senses come first, and ConceptNet's count where both
words are of one kind.
"""

from functools import lru_cache

from ...knowledge import load_store
from ...language import concept_names
from ...language.lexicon import Lexicon
from ...sentence.lexical import is_word
from ...sentence.wordlists import lists
from .items import Item
from .settings import Contradiction

_WORDS = lists(__file__, "opposites")
_ELSEWHERE = {frozenset(pair.split("-")) for pair in _WORDS["elsewhere"]}
#: A sense counts when it is at least so much of a word's uses.
_SENSE = 0.2
#: A word that WordNet's annotators met less often is not offered.
_USED = 2


def opposites(item: Item, settings: Contradiction) -> tuple[str, ...]:
    """The concepts that are opposed to an item's, the likeliest first."""
    pos = _part_of_speech(item)
    if settings.plausible and not _is_opposable(item, pos):
        return ()
    words = conceptnet(item.word, settings.relations)
    if settings.plausible:
        words = (*wordnet(item.word, pos), *of_same_kind(item.word, pos, words))
        words = tuple(it for it in words if frozenset((it, item.word)) not in _ELSEWHERE)
    sense = "-01" if concept_names.is_frame(item.concept) else ""
    fit = [it for it in dict.fromkeys(words) if it.isalpha() and it != item.word]
    return tuple(f"{it}{sense}" for it in fit)


def _is_opposable(item: Item, pos: str) -> bool:
    """Whether an antonym of a word says the opposite: no adverb, no exclamation, no light verb."""
    exclaimed = concept_names.is_frame(item.concept) and not item.roles  # "Cool!"
    judging = item.word == "find" and item.form.lower() in ("find", "finds")  # "I find it funny"
    return (
        pos in ("n", "v", "a") and not (exclaimed or judging) and item.word not in _WORDS["light"]
    )


def _part_of_speech(item: Item) -> str:
    """The part of speech that a concept has in its sentence."""
    frame = concept_names.is_frame(item.concept)
    order = "avn" if frame and is_word(item.form.lower(), "a") else "vna" if frame else "nar"
    return next((pos for pos in order if is_word(item.word, pos)), "")


@lru_cache(maxsize=20_000)
def wordnet(word: str, pos: str) -> tuple[str, ...]:
    """Antonyms of a word's main senses that are themselves used.

    >>> wordnet("old", "a"), wordnet("make", "v")
    (('young', 'new'), ())
    """
    senses = Lexicon.load().senses(word, pos)
    uses = sum(sense.count for sense in senses)
    main = [sense for sense in senses if sense.count >= max(1, _SENSE * uses)]
    return tuple(it for sense in main for it in sense.antonyms if is_word(it, pos) and _is_used(it))


def _is_used(word: str) -> bool:
    return sum(sense.count for sense in Lexicon.load().senses(word)) >= _USED


@lru_cache(maxsize=20_000)
def conceptnet(word: str, relations: tuple[str, ...]) -> tuple[str, ...]:
    """Single written words at the other ends of some relations."""
    store = load_store()
    ends = list[str]()
    for name in store.look_up(word):
        for relation in relations:
            ends += [edge.end for edge in store.neighbours(name, relation)]
            if relation == "Antonym":
                ends += [edge.start for edge in store.neighbours(name, relation, inward=True)]
    return tuple(it for it in dict.fromkeys(ends) if it.isalpha() and store.written(it))


@lru_cache(maxsize=20_000)
def of_same_kind(word: str, pos: str, others: tuple[str, ...]) -> tuple[str, ...]:
    """Those of some words that are opposed to a word by WordNet too, or of its kind."""
    if not others:
        return ()
    lexicon = Lexicon.load()
    kin = {*lexicon.antonyms(word, pos, indirect=True), *lexicon.of_same_kind(word, pos, level=1)}
    return tuple(it for it in others if it in kin and is_word(it, pos))
