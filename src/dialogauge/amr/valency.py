"""What verbs want beside them: objects, clauses, infinitives, adjectives.

A verb in the place of another must be able to take what the sentence has there ("I think it is
good" is not "I talk it is good"), and an object can go only from a verb that does without. The
tables list common verbs; a verb in none of them takes an object or leaves it.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Token as Word

_WANTING = """
be beat become bring build buy call carry catch choose consider constitute contain cost cover
create crush describe deserve direct discuss do end enjoy expect feel find follow get give guess
hate have hear hire hold identify ignore include involve keep lack let like look lose love make
mean meet mention miss mix name need own prefer produce protect provide put raise reach receive
recommend release replace represent say see seem send set show sound spend suggest suppose
surprise take tell thank throw trap treat use visit want watch wear win wonder
"""
#: Verbs that want their object or complement.
TRANSITIVE = frozenset(_WANTING.split())

_ALONE = """
agree appear apply arrive belong come compete complain depend die disagree exist fall go happen
laugh lie listen live look matter participate react rely respond rise seem sit sleep smile sound
stay struggle talk think travel vary wait work worry
"""
#: Verbs that take no object.
INTRANSITIVE = frozenset(_ALONE.split())

_THAT = """
admit agree assume believe bet claim doubt dream expect explain fear feel figure find forget guess
hear hope imagine know learn love mean mention notice predict pretend prove read realise realize
recall remember say see show suggest suppose suspect swear teach tell think understand wish wonder
worry
"""
_TO = """
agree aim attempt begin choose claim continue decide deserve expect fail forget happen hate hope
intend learn like love manage mean need offer plan prefer pretend promise refuse remember seem
start tend threaten try want wish
"""
_DOING = """
avoid begin continue consider discuss dislike enjoy finish hate imagine keep like love mention
mind miss practice prefer quit recommend regret remember start stop suggest try
"""
_SO = "appear be become feel get go grow keep look remain seem smell sound stay taste turn"
_TAKING = {
    "that": frozenset(_THAT.split()),
    "to": frozenset(_TO.split()),
    "doing": frozenset(_DOING.split()),
    "so": frozenset(_SO.split()),
}


def fits(verb: "Word", new: str) -> bool:
    """Whether a verb can take what another one has beside it."""
    had = [kind for word in verb.children if (kind := _kind(word))]
    if not all(kind == "object" or new in _TAKING[kind] for kind in had):
        return False
    if "object" in had:
        return new not in INTRANSITIVE
    gap = verb.dep_ in ("acl:relcl", "acl") or any(it.tag_[:1] == "W" for it in verb.children)
    passive = verb.tag_ == "VBN" and any(it.dep_ == "aux:pass" for it in verb.children)
    if passive:
        return new not in INTRANSITIVE
    return bool(had) or gap or new not in TRANSITIVE


def _kind(word: "Word") -> str:
    """What a dependent asks of its verb; nothing if any verb can have it."""
    if word.dep_ in ("obj", "iobj"):
        return "object"
    if word.dep_ == "ccomp":
        return "that"
    if word.dep_ == "advcl" and word.tag_ == "VBG" and word.i == word.head.i + 1:
        return "doing"
    if word.dep_ != "xcomp":
        return ""
    if any(it.tag_ == "TO" for it in word.children):
        return "to"
    return {"VBG": "doing", "JJ": "so", "JJR": "so", "VBN": "so"}.get(word.tag_, "object")
