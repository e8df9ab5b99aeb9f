"""The four edits of DEAM (Ghazarian et al., ACL 2022), and two more, with all that can be set.

Defaults are the paper's; where the released code differs, a field says so, and ``RELEASED`` holds
the code's settings. Beyond both, ``plausible`` chooses, among the candidates that the paper allows,
those that fit the place they are put in: the sentence alone should not give the damage away.
Without it candidates are taken at random, as paper and code do.

``share`` is how much of a dialogue is changed; rates are counted as DEAM does, rounded down and one
at least.
"""

from typing import Literal

import msgspec


class Coreference(msgspec.Struct, frozen=True):
    """A pronoun becomes another one, or a noun of the conversation, so that it means the wrong one.

    All its mentions in the turn change, verbs agree.
    """

    share: float = 0.2  # of the distinct pronouns of the dialogue; each is changed in one turn
    nouns: float = 0.5  # how often a noun is tried first
    pronouns: Literal["conversation", "any"] = "conversation"  # paper: its own; code: all seven
    of: Literal["arguments", "all"] = "arguments"  # nouns; paper: at ARG or op; code: anywhere
    plausible: bool = True


class Contradiction(msgspec.Struct, frozen=True):
    """A speaker contradicts what they said before."""

    share: float = 0.1  # of the turns that can be contradicted
    direct: float = 0.5  # how often by negation; else by antonyms, or negation if there is none
    negations: float = 0.7  # of the sentences of the turn
    antonyms: float = 0.5  # of the words that have one
    where: Literal["later", "place"] = "later"  # a copy behind a later turn; or the turn itself
    spread: bool = True  # a negation in each sentence; code: in the first frames from the top
    lifts: bool = False  # only negations that are there, and go; no antonyms
    # Of ConceptNet, as in the paper; the code reads the first alone.
    relations: tuple[str, ...] = ("Antonym", "NotDesires", "NotCapableOf", "NotHasProperty")
    plausible: bool = True  # with antonyms of WordNet, too; paper and code have ConceptNet's alone

    @property
    def about(self) -> str:
        """One sentence, by what is set."""
        if self.where == "later":
            return "A later turn of the same speaker ends in the opposite of what they said before."
        how = {0.0: "by antonyms", 1.0: "by negation"}.get(self.direct, "by negation or antonyms")
        return f"A turn says the opposite of what it said, {how}."


class Irrelevancy(msgspec.Struct, frozen=True):
    """Words of a turn are exchanged with words of the same role from other turns."""

    share: float = 0.1  # of the turns
    rate: float = 0.5  # of the items of a turn
    own: bool = False  # items of the same turn, too; paper: of other utterances; code: of all
    plausible: bool = True


class Engagement(msgspec.Struct, frozen=True):
    """A turn loses its question, its most detailed sentence, or a detail."""

    share: float = 0.2  # of the turns
    ways: tuple[str, ...] = ("question", "sentence", "detail")
    by: Literal["depth", "size"] = "depth"  # most detailed; paper: deepest graph; code: most lines
    rest: bool = False  # code: all sentences behind the one that goes, too
    single: bool = False  # code: details of turns of one sentence only
    stop: bool = False  # code: at the first chosen turn that has nothing to lose
    # Only what is missed: the next turn answers or speaks of it. Paper and code take anything.
    missed: bool = True
    plausible: bool = True


class SelfContradiction(msgspec.Struct, frozen=True):
    """A speaker denies or alters in one sentence what they said some turns before.

    Not DEAM's: one short sentence in the place of another, so that the turn stays as long.
    """

    share: float = 0.05  # of the turns
    ways: tuple[str, ...] = ("denied", "opposite", "name", "number")
    longest: int = 12  # words of the sentence
    lifts: bool = False  # only what was denied, and is so now


class NameExchange(msgspec.Struct, frozen=True):
    """A name that the conversation speaks of becomes another of its class, in one turn.

    Not DEAM's: the name is said elsewhere, so that the turns no longer agree.
    """

    share: float = 0.05  # of the names; each is exchanged in one turn


Settings = Coreference | Contradiction | Irrelevancy | Engagement | SelfContradiction | NameExchange

#: Settings -> the module of this folder that makes the edit.
MODULES: dict[type[Settings], str] = {
    Coreference: "coreference",
    Contradiction: "contradiction",
    Irrelevancy: "irrelevancy",
    Engagement: "engagement",
    SelfContradiction: "self_contradiction",
    NameExchange: "name_exchange",
}

#: The settings of DEAM's paper, the edits in the order in which they are made.
PAPER: dict[str, Settings] = {
    "coreference": Coreference(),
    "contradiction": Contradiction(),
    "irrelevancy": Irrelevancy(),
    "engagement": Engagement(),
}
#: The settings of DEAM's released code.
RELEASED: dict[str, Settings] = {
    "coreference": Coreference(pronouns="any", of="all", plausible=False),
    "contradiction": Contradiction(spread=False, relations=("Antonym",), plausible=False),
    "irrelevancy": Irrelevancy(own=True, plausible=False),
    "engagement": Engagement(
        by="size", rest=True, single=True, stop=True, missed=False, plausible=False
    ),
}
