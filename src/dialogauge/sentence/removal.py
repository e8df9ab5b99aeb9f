"""Parts of a sentence that go.

What a removed subtree of the graph said is the UD subtree of its highest word: determiners,
prepositions and complementizers hang below it and go with it. A part goes only where a sentence is
left: subjects, predicates and the objects of verbs that want one stay, which is to say the change
is refused (False).
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise

from ..language.pronouns import readings
from .agreement import SUBJECTS, Person, agree, base, inverted, of_pronoun
from .draft import Draft, Word, tops, word_behind
from .filling import fill
from .valency import EITHER, TRANSITIVE
from .wordlists import lists

_WORDS = lists(__file__, "removal")
Places = Mapping[str, Sequence[int]]

#: What a clause cannot lose: its subject, its verb, parts of a name, a preposition.
_NEEDED = SUBJECTS | frozenset(
    {"ROOT", "aux", "aux:pass", "cop", "case", "mark", "fixed", "flat", "goeswith", "compound:prt"}
    | {"obl:agent", "nummod", "det"}
)
_OBJECTS = frozenset({"obj", "xcomp", "ccomp", "iobj"})
ENDS = re.compile(r"[.!?…]+['\"”’)]*")


def remove_part(draft: Draft, gone: Iterable[int], kept: Places) -> bool:
    """Take out what some words say; ``kept`` are the words of the variables that stay."""
    own = sorted(set(gone) - {place for places in kept.values() for place in places})
    heads = tops(draft, own)
    if not heads:
        return False
    phrases = [_phrase(head, kept) for head in heads]
    places = {place for phrase in phrases for place in phrase}
    if not all(phrases) or not balanced(draft, places):
        return False
    if any(own and places.issuperset(own) for own in kept.values()):
        return False  # a variable that stays would lose all its words
    free = not any(_is_needed(it) or _is_asked(it) or _is_wanted(it) for it in heads)
    if not free or heads[0].dep_ == "ccomp":
        filled = len(heads) == 1 and not _is_asked(heads[0]) and fill(draft, heads[0], places)
        if filled or not free:
            return filled
    if _breaks(draft, places):
        return False
    draft.clear(places)
    for head in heads:
        _agree_with_rest(draft, head)
        _unask(draft, head, max(places) + 1)
    return True


def _unask(draft: Draft, gone: Word, place: int) -> None:
    """Where the question of a sentence is gone, its mark is that of what is left."""
    asking = inverted(gone) or any(it.tag_ in ("WP", "WRB", "WDT") for it in gone.children)
    if gone.dep_ in ("parataxis", "conj") and asking and draft.words[place : place + 1] == ["?"]:
        draft.words[place] = "."


def _agree_with_rest(draft: Draft, gone: Word) -> None:
    """A list of two has no comma; where one of two subjects is left, the verb agrees with it."""
    first = gone.head if gone.dep_ == "conj" else gone
    members = [first, *(it for it in first.children if it.dep_ == "conj")]
    left = [it for it in members if draft.words[it.i]]
    if len(left) == 2 < len(members):
        kept = [place for place in range(left[0].i + 1, left[1].i) if draft.words[place]]
        for comma, joint in pairwise(kept):
            if draft.words[comma] == "," and draft.document[joint].dep_ == "cc":
                draft.clear([comma])
    if first.dep_ in SUBJECTS and len(members) == 2 and len(left) == 1:
        forms = readings(left[0].text)
        who = of_pronoun(forms[0]) if forms else Person(3, left[0].tag_ in ("NNS", "NNPS"))
        agree(draft, first.head, who, pronoun=bool(forms))


def _dangles(draft: Draft, places: Collection[int]) -> bool:
    """Whether what stands before a gap waits for what was in it: "a better", "sort of", "next"."""
    start, end = min(places), max(places)
    before = [draft.document[it] for it in range(max(0, start - 2), start) if draft.words[it]]
    if not before or before[-1].head.i > end or before[0].head.i > end:
        return False  # what it waits for comes behind the gap
    last = before[-1]
    waiting = last.tag_ in ("DT", "PRP$", "IN", "TO") and last.lower_ not in _WORDS["complete"]
    article = before[0].tag_ in ("DT", "PRP$") and last.tag_.startswith("JJ")
    return waiting or article or last.lower_ in _WORDS["waiting"]


def _breaks(draft: Draft, places: Collection[int]) -> bool:
    """Whether a sentence loses its verbs, or what is around the gap would be read together."""
    sentence = draft.document[min(places)].sent
    verbs = {it.i for it in sentence if it.tag_ in ("VBD", "VBP", "VBZ", "MD")}
    if (verbs and verbs <= set(places)) or _dangles(draft, places):  # "What if it rains?"
        return True
    end = max(places) + 1
    following = [draft.document[it] for it in range(end, min(end + 2, len(draft.words)))]
    if not following or draft.document[end - 1].text == ",":
        return False
    if not draft.document[end - 1].whitespace_ and following[0].is_alpha:
        return True  # "make-up"
    if following[0].tag_ in ("VBG", "VBN") and following[0].dep_ not in ("conj", "amod", "ROOT"):
        return True
    listed = following[0].text == "," and following[-1].tag_ == "CC"
    return listed and following[-1].head.i not in places and draft.document[end - 1].dep_ != "conj"


def _phrase(head: Word, kept: Places) -> list[int]:
    """The places that go with a head; the other conjuncts stay if the graph keeps them."""
    others = [word for word in head.children if word.dep_ == "conj"]
    staying = {place for places in kept.values() for place in places}
    if not any(word.i in staying for word in others):
        return _trimmed([word.i for word in head.subtree], head)
    first = others[0]
    joints = (child for child in head.children if child.dep_ in ("case", "mark"))
    shared = {it.i for joint in joints for it in joint.subtree}
    until = min(it.i for it in first.subtree if it.dep_ not in ("cc", "punct") or it.head != first)
    own = range(head.left_edge.i, until)
    return [] if staying.intersection(own) else [place for place in own if place not in shared]


def _trimmed(places: list[int], head: Word) -> list[int]:
    """Without marks that end the whole sentence, which some parses hang on its last part."""
    last = head.sent.end
    while places and places[-1] == last - 1 and ENDS.fullmatch(head.doc[places[-1]].text):
        places, last = places[:-1], last - 1
    return places


def _is_needed(head: Word) -> bool:
    """Whether grammar wants it: subject, verb, determiner, one of a pair."""
    if head.dep_ in _NEEDED or head.lower_ in ("not", "n't", "so", "few") or _is_set(head):
        return True
    if head.head.lower_ in _WORDS["measured"] and head.head.i == head.right_edge.i + 1:
        return True  # "two years" of "two years away"
    compared = head.lower_ == "different" or head.tag_ in ("JJR", "RBR")
    if word_behind(head) == "much" or (compared and any(it.lower_ == "than" for it in head.sent)):
        return True  # "pretty much", "a different box than yours"
    if head.dep_ == "nmod:poss":
        return bool(head.head.tag_ == "NN")  # "house" wants something before it
    if any(it.tag_ == "POS" for it in head.children):
        return True
    pair = head.head if head.dep_ == "conj" else head
    paired = head.dep_ == "conj" or any(it.dep_ == "conj" for it in head.children)
    mutual = pair.dep_ in SUBJECTS and "each other" in head.sent.text.lower()
    return paired and (mutual or any(it.lower_ in _WORDS["pairing"] for it in pair.subtree))


def _is_set(head: Word) -> bool:
    """Whether a word is one of a set phrase: "over and over", "win or lose"."""
    words = [it.lower_ for it in head.doc[max(0, head.i - 2) : head.i + 3]]
    trios = list(zip(words, words[1:], words[2:], strict=False))
    again = any(one == other and joint == "and" for one, joint, other in trios)
    return again or ("win", "or", "lose") in trios


def _is_asked(head: Word) -> bool:
    """Whether a question asks for it."""
    asking = (it for it in head.children if it.dep_ in ("det", "advmod"))
    return any(it.tag_.startswith("W") for it in (head, *asking))


def _is_wanted(head: Word) -> bool:
    """Whether its verb wants it."""
    verb = head.head
    name = base(verb)
    parted = any(it.dep_ == "compound:prt" for it in verb.children)  # "it blew me away"
    if head.dep_ in _OBJECTS and (name in TRANSITIVE or verb.tag_ == "VBN" or parted):
        return True
    predicated = any(it.dep_ == "xcomp" for it in verb.children)
    if head.dep_ == "obj" and (name not in EITHER or predicated):
        return True
    half = head.dep_ == "xcomp" and verb.lower_ in _WORDS["half"]
    described = head.dep_ in ("obl", "advcl") or (head.dep_ == "advmod" and head.tag_ == "JJ")
    return half or (described and name in _WORDS["directed"])


def balanced(draft: Draft, places: Collection[int]) -> bool:
    """Whether brackets and quotes go in pairs."""
    text = "".join(draft.words[place] for place in places)
    paired = all(text.count(start) == text.count(end) for start, end in ("()", "[]", "“”"))
    return paired and text.count('"') % 2 == 0
