"""Names: which ones a pool's dialogues speak of, and which can stand for another.

A pool is read for names once: some of its turns that have a capital within a sentence.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from random import Random
from weakref import WeakKeyDictionary

from ...amr import Graph
from ...language.lexicon import Lexicon
from ..pool import Pool
from .graphs import Talk
from .items import Item, named

#: How many turns of a pool are read for names, and of each of its dialogues.
_TURNS, _EACH = 500, 3
#: What is told apart well enough that a name is one of its class.
CLASSES = frozenset(
    {"person", "country", "city", "state", "team", "company", "movie", "university", "continent"}
)
#: Of how many turns the capitals are counted, and how often a name is said at least.
_COUNTED, _OFTEN = 20_000, 3
_RUN = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)*")
#: Classes that are told less well: their names must be nothing else.
_OPEN = frozenset({"person", "company", "movie", "university"})
#: A sense counts that WordNet's annotators met so often.
_USED = 2
_CAPITAL = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")
_PLAIN = re.compile(r"[^\W\d_]{3,}(?: [^\W\d_]{2,}){0,2}")
_KNOWN: "WeakKeyDictionary[Pool, tuple[Item, ...]]" = WeakKeyDictionary()


def sure(pool: Pool, graph: Graph, at: int) -> list[Item]:
    """The names of a turn whose class can be told; one in small letters is known from the pool."""
    known = {it.name.lower() for it in of_pool(pool)}
    return [
        it
        for it in named(graph, at)
        if _is_name(it) and _stands_in(it.name, graph.text)
        if it.name == capitals(it.name) or it.name.lower() in known
    ]


def _stands_in(name: str, text: str) -> bool:
    """Whether a name is said as it is: not "Canadian" for "Canada", no "don ’ t"."""
    return bool(re.search(rf"\b{re.escape(name)}\b(?!\s?['’]\s?t\b)", text, re.IGNORECASE))


def _is_name(item: Item) -> bool:
    """Whether an item is a name of its class and nothing else: no "Rock", no "the Messiah"."""
    if item.concept not in CLASSES or not _PLAIN.fullmatch(item.name):
        return False
    words = item.name.lower().split()
    if item.concept == "team":
        return words[-1].endswith("s") or len(words) > 1
    doubted = words if item.concept in _OPEN or len(words) == 1 else []
    return not any(map(_is_word, doubted)) and (item.concept != "person" or not item.form)


def capitals(name: str) -> str:
    """A name with a capital at each word."""
    return " ".join(word[:1].upper() + word[1:] for word in name.split())


def of_pool(pool: Pool) -> tuple[Item, ...]:
    """The names of a pool's dialogues that are surely names of their class."""
    if pool not in _KNOWN:
        texts = list(islice(_texts(pool), _TURNS))
        graphs = pool.graphs(texts)
        found = [it for graph in graphs if graph for it in named(graph, -1)]
        _KNOWN[pool] = tuple(_sure(found, _said(pool)))
    return _KNOWN[pool]


def _texts(pool: Pool) -> Iterator[str]:
    """Turns with names, of dialogues that are spread over the pool."""
    step = max(1, len(pool.dialogues) * _EACH // _TURNS)
    for dialogue in pool.dialogues[::step]:
        texts = (turn.text for turn in dialogue.turns if len(turn.text) < 400)
        yield from islice(filter(_CAPITAL.search, texts), _EACH)


def _said(pool: Pool) -> Counter[str]:
    """How often words with capitals stand together in a part of a pool's turns."""
    texts = (turn.text for dialogue in pool.dialogues for turn in dialogue.turns)
    return Counter(run for text in islice(texts, _COUNTED) for run in _RUN.findall(text))


def _sure(found: list[Item], said: Counter[str]) -> list[Item]:
    """Those that are said now and then, and always of one class."""
    classes: dict[str, Counter[str]] = {}
    for it in found:
        classes.setdefault(it.name, Counter())[it.concept] += 1
    return [
        it
        for name, it in {it.name: it for it in found}.items()
        if _is_name(it) and name == capitals(name)
        if classes[name].total() == classes[name][it.concept] and said[name] >= _OFTEN
    ]


@lru_cache(maxsize=20_000)
def _is_word(word: str) -> bool:
    """Whether a word means something else, too: "Rock", "Guardians", but not "Chicago"."""
    lexicon = Lexicon.load()
    lemmas = {word, *lexicon.lemmas(word, "n")}
    senses = [(it, sense) for it in lemmas for sense in lexicon.senses(it, "n")]
    return any(it in sense.words and sense.count >= _USED for it, sense in senses)


def others(talk: Talk, old: Item, rng: Random) -> list[Item]:
    """Names of the same class in the order in which they are tried: of other dialogues, or here.

    Those of as many words come first.
    """
    said = set(" ".join(sheet.original.text.lower() for sheet in talk.sheets.values()).split())
    foreign = [it for it in of_pool(talk.pool) if not said & set(it.name.lower().split())]
    near = {at for at in talk.sheets if abs(at - old.at) < 2}
    here = [
        it
        for at in talk.sheets
        if at not in near
        for it in sure(talk.pool, talk.sheets[at].original, at)
    ]
    sides = (rng.sample(side, len(side)) for side in (foreign, here))
    fitting = [it for side in sides for it in _by_length(side, old) if _stands_for(it, old)]
    return list({it.name.lower(): it for it in fitting}.values())


def _by_length(names: list[Item], old: Item) -> list[Item]:
    size = len(old.name.split())
    return sorted(names, key=lambda it: abs(len(it.name.split()) - size))


def _stands_for(new: Item, old: Item) -> bool:
    """Whether a name is of another's class, and has none of its words."""
    shared = set(new.name.lower().split()) & set(old.name.lower().split())
    return (new.concept, new.form) == (old.concept, old.form) and not shared
