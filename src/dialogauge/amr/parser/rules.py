"""Rules that a network need not learn: what certain words bring, whatever it says.

Each rule reads the words and the templates chosen so far, and gives for some words (counted from
0) the template they must have. :func:`apply` asks them in their order; the last word counts.
"""

from collections.abc import Iterator, Sequence

from ...sentence.wordlists import lists, named
from .templates import NOTHING
from .words import Word, is_inverted

#: What a question asks for.
ASKED = "(amr-unknown)"

_SPEAKERS = named(__file__, "speakers")
#: Auxiliaries that open a question even without a mark.
_OPENING = lists(__file__, "rules")["opening"]
#: What may stand before such an auxiliary, and before a common noun.
_LIGHT = frozenset({"INTJ", "CCONJ", "ADV", "PUNCT"})
_DESCRIBING = frozenset({"det", "nmod:poss", "amod", "nummod"})


def pronouns(words: Sequence[Word], chosen: Sequence[str]) -> dict[int, str]:
    """Who speaks and who is spoken to is always meant: *my* brings *i*."""
    return {
        at: f"({_SPEAKERS[word.text.lower()]})"
        for at, word in enumerate(words)
        if chosen[at] == NOTHING and word.pos == "PRON" and word.text.lower() in _SPEAKERS
    }


def questions(words: Sequence[Word], chosen: Sequence[str]) -> dict[int, str]:
    """A question asks for one thing: beside a question word, its mark brings nothing."""
    return {
        last: NOTHING
        for first, last in sentences(words)
        if words[last].text.startswith("?")
        if any("amr-unknown" in chosen[at] for at in range(first, last))
    }


def asked(words: Sequence[Word], chosen: Sequence[str]) -> dict[int, str]:
    """*Did you ...?* asks whether it is true, by its mark or else by its first auxiliary."""
    asking = {}
    for first, last in sentences(words):
        if any("amr-unknown" in chosen[at] for at in range(first, last + 1)):
            continue
        places = [at for at in range(first, last) if _asks_whether(words, at)]
        lead = {word.pos for word in words[first : places[0]]} if places else set()
        if places and words[last].text.startswith("?"):
            asking[last] = ASKED
        elif places and words[places[0]].text.lower() in _OPENING and lead <= _LIGHT:
            asking[places[0]] = ASKED
    return asking


def _asks_whether(words: Sequence[Word], at: int) -> bool:
    """Whether a word is an auxiliary before the subject of a whole sentence."""
    head = words[at].head
    return words[head].head == head and is_inverted(words, words[at])


def stating(words: Sequence[Word]) -> list[int]:
    """The words of sentences that do not ask: no word of theirs stands for what is asked.

    A sentence asks by its mark or by an auxiliary before its subject; without a stop at its end it
    may ask in any form.
    """
    return [
        at
        for first, last in sentences(words)
        if words[last].text[0] in ".!"
        if not any(is_inverted(words, words[at]) for at in range(first, last))
        for at in range(first, last + 1)
    ]


def common(words: Sequence[Word]) -> list[int]:
    """Small nouns with an article or its like are no names in a text with capitals: *the fox*."""
    if all(word.text == word.text.lower() for word in words):
        return []
    described = {word.head for word in words if word.dep in _DESCRIBING}
    return [
        at
        for at, word in enumerate(words)
        if at in described and word.pos in ("NOUN", "PROPN") and word.text.islower()
    ]


def sentences(words: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """The first and last place of each stretch that ends in a full stop or its like."""
    first = 0
    for at, word in enumerate(words):
        if word.text[0] in ".?!" or at == len(words) - 1:
            yield first, at
            first = at + 1


def apply(words: Sequence[Word], chosen: Sequence[str]) -> dict[int, str]:
    """What all rules together say."""
    names = list(chosen)
    for rule in (pronouns, questions, asked):
        for at, name in rule(words, names).items():
            names[at] = name
    return {at: name for at, name in enumerate(names) if name != chosen[at]}
