"""What a sentence of a turn is: a statement, a question, a command.

A graph says so where the parser saw it (``amr-unknown``, ``:mode``); hasty writers leave out
question marks, so that the words are asked too.
"""

import re

from ...amr import Graph, questions
from ...language import concept_names
from ...sentence.wordlists import lists

_ASKING = lists(__file__, "sentences")["asking"]


def asks(graph: Graph, top: str) -> bool:
    """Whether a sentence is a question."""
    inside = questions.below(graph, top)
    if any(graph.concepts[it] == questions.UNKNOWN for it in inside):
        return True
    if any(questions.mode(graph, it) == "interrogative" for it in inside):
        return True
    places = sorted(place for it in inside for place in graph.aligned.get(it, ()))
    return bool(places) and (_marked(graph, places[-1]) or _begins(graph, places[0]))


def _marked(graph: Graph, last: int) -> bool:
    """Whether a question mark follows before the next word."""
    behind = graph.text[graph.tokens[last].end :]
    sign = next((sign for sign in behind if sign.isalnum() or sign in ".!?"), "")
    return sign == "?"


def _begins(graph: Graph, first: int) -> bool:
    """Whether the sentence begins as questions do; a function word before it has no node."""
    before = graph.tokens[max(0, first - 2) : first + 1]
    words = [token.text.lower() for token in before]
    while words and not words[-1].isalpha() and "'" not in words[-1]:
        words.pop()
    start = next((at for at in range(len(words) - 1, 0, -1) if words[at - 1] in _ENDS), 0)
    return len(words) > start and words[start] in _ASKING and (start > 0 or first <= 2)


_ENDS = frozenset(".!?,;") | {"...", "and", "but", "so"}


def greets(text: str) -> bool:
    """Whether a text begins or ends as people meet and part.

    >>> greets("Hello, I am Tom."), greets("It was nice chatting."), greets("I said hello.")
    (True, True, False)
    """
    return bool(_GREETING.match(text) or _PARTING.search(text))


_GREETING = re.compile(r"\W*(?:hi+|hello|hey|good (?:morning|evening|afternoon|day))\b", re.I)
_PARTING = re.compile(
    r"\b(?:(?:good ?)?bye|good ?night|take care|see you|thanks|thank you|(?:nice|great|good|fun|"
    r"pleasure) (?:to )?(?:chat|talk|meet|speak)(?:ting|ing)?|have a (?:good|great|nice))\b",
    re.I,
)


def states(graph: Graph, top: str) -> bool:
    """Whether a sentence states something: it neither asks nor commands nor exclaims."""
    inside = questions.below(graph, top)
    if graph.concepts[top] in _OPEN or any(questions.mode(graph, it) for it in inside):
        return False
    return not asks(graph, top)


#: What leaves open whether it is so.
_OPEN = frozenset({"wonder-01", "wonder-02", "guess-01", "hope-01", "wish-01", "bet-01"})


def predicates(graph: Graph, top: str) -> list[str]:
    """What a sentence says of something: its top, or what the links at its top hold together.

    What stands deeper is not stated: *she said that it rains*, *the dog that barks*.
    """
    frames, waiting = list[str](), [top]
    while waiting:
        at = waiting.pop(0)
        if concept_names.lemma(graph.concepts[at]) in _LINKS:
            parts = [*questions.operands(graph, at), *questions.arguments(graph, at)]
            waiting += [it.target for it in parts if it.target in graph.concepts]
        elif concept_names.is_frame(graph.concepts[at]) and at in graph.aligned:
            frames.append(at)
    return [it for it in frames if not _leaves_open(graph, it)]


def _leaves_open(graph: Graph, variable: str) -> bool:
    """Whether what is said is open by itself: "I don't know if"."""
    behind = max(graph.aligned[variable]) + 1
    return any(it.text.lower() in ("if", "whether") for it in graph.tokens[behind : behind + 1])


_LINKS = frozenset(
    {"and", "or", "contrast", "cause", "have-concession", "possible", "multi-sentence"}
)
