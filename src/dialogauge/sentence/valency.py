"""What verbs want beside them: objects, clauses, infinitives, adjectives.

A verb in the place of another must be able to take what the sentence has there ("I think it is
good" is not "I talk it is good"), and an object can go only from a verb that does without. The
verbs are listed in ``words.toml``.
"""

from .draft import Word, word_behind
from .wordlists import lists

_VERBS = lists(__file__, "valency")
TRANSITIVE, EITHER = _VERBS["transitive"], _VERBS["either"]
_TAKING = lists(__file__, "taking")
_LEADING = frozenset({"to", "for", "at", "on", "about", "with", "into", "from", "through"})


def fits(verb: Word, new: str) -> bool:
    """Whether a verb can take what another one has beside it."""
    had = [kind for word in verb.children if (kind := _kind(word))]
    objects = had.count("object") + any(it.dep_ == "aux:pass" for it in verb.children)
    others = [kind for kind in had if kind != "object"]
    wanted = [f"object {kind}" if objects else kind for kind in others]
    two = objects > 1 or (any(it.dep_ == "iobj" for it in verb.children) and not others)
    wanted += ["object object"] if two else []
    if not all(new in _TAKING[kind] for kind in wanted):
        return False
    following = word_behind(verb)
    if following == "of" or (following == "like" and not objects):  # "looks like", "speaks of"
        return new in (_TAKING["so"] | {"act"} if following == "like" else _VERBS["of"])
    if objects:
        return new not in _VERBS["intransitive"] and not (
            verb.tag_ == "VBN" and new in _VERBS["active"]
        )
    return not _is_alone(verb) or new not in TRANSITIVE or lacks_object(verb, new)


def lacks_object(verb: Word, new: str) -> bool:
    """Whether a verb wants an object where another had none, and *something* can be it."""
    if new not in TRANSITIVE - _VERBS["clausal"] or verb.tag_ == "VBN" or not _is_alone(verb):
        return False
    joined = verb.dep_ == "conj" or any(it.dep_ == "conj" for it in verb.children)
    led = word_behind(verb) in _LEADING  # "listen to the radio"
    return verb.dep_ not in ("amod", "compound", "csubj") and not joined and not led


def _is_alone(verb: Word) -> bool:
    """Whether a verb has nothing that completes it, neither beside it nor before its clause."""
    asked = (it for it in verb.children if it.tag_ in ("WP", "WDT") and it.dep_ != "nsubj")
    gap = verb.dep_ in ("acl:relcl", "acl") or any(asked)
    return not gap and not any(map(_kind, verb.children))


def _kind(word: Word) -> str:
    """What a dependent asks of its verb; nothing if any verb can have it."""
    if word.dep_ in ("obj", "iobj"):
        return "object"
    if word.dep_ == "ccomp" and word.left_edge.tag_ in ("WP", "WRB"):
        return "object"  # "what you mean"
    if word.dep_ == "ccomp":
        return "if" if word.left_edge.lower_ in ("if", "whether") else "that"
    if word.dep_ == "advcl" and word.tag_ == "VBG" and word.i == word.head.i + 1:
        return "doing"
    if word.dep_ != "xcomp":
        return ""
    to = any(it.tag_ == "TO" for it in word.children)
    kinds = {"VBG": "doing", "JJ": "so", "JJR": "so", "VBN": "so"}
    return "to" if to else kinds.get(word.tag_, "being")
