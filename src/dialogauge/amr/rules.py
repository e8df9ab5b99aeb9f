"""Rules that a network need not learn: what certain words bring, whatever it says.

Each rule reads the words and the templates chosen so far, and gives for some words (counted from
0) the template they must have. They run in the order of :data:`RULES`; the last word counts.
"""

from collections.abc import Callable, Iterator, Sequence

from .templates import NOTHING
from .words import Word

Rule = Callable[[Sequence[Word], Sequence[str]], dict[int, str]]

SPEAKERS = {
    **dict.fromkeys(("i", "me", "my", "mine", "myself"), "i"),
    **dict.fromkeys(("you", "your", "yours", "yourself"), "you"),
    **dict.fromkeys(("we", "us", "our", "ours", "ourselves"), "we"),
}


def pronouns(words: Sequence[Word], chosen: Sequence[str]) -> dict[int, str]:
    """Who speaks and who is spoken to is always meant: *my* brings *i*."""
    return {
        at: f"({SPEAKERS[word.text.lower()]})"
        for at, word in enumerate(words)
        if chosen[at] == NOTHING and word.pos == "PRON" and word.text.lower() in SPEAKERS
    }


def questions(words: Sequence[Word], chosen: Sequence[str]) -> dict[int, str]:
    """A question asks for one thing: beside a question word, its mark brings nothing."""
    return {
        last: NOTHING
        for first, last in sentences(words)
        if words[last].text.startswith("?")
        if any("amr-unknown" in chosen[at] for at in range(first, last))
    }


def sentences(words: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """The first and last place of each stretch that ends in a full stop or its like."""
    first = 0
    for at, word in enumerate(words):
        if word.text[0] in ".?!" or at == len(words) - 1:
            yield first, at
            first = at + 1


RULES: tuple[Rule, ...] = (pronouns, questions)


def apply(words: Sequence[Word], chosen: Sequence[str]) -> dict[int, str]:
    """What all rules together say."""
    names = list(chosen)
    changed: dict[int, str] = {}
    for rule in RULES:
        found = {at: name for at, name in rule(words, names).items() if names[at] != name}
        changed |= found
        for at, name in found.items():
            names[at] = name
    return changed
