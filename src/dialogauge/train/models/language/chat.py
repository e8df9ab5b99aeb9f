"""A treebank's sentences as people type them in a chat.

Treebanks are tidier than messages. Each habit below turns a tree into the tree of the same sentence
typed in a hurry: words change their spelling or vanish, tags and arcs stay true. They are small
functions, ``(sentence, rng) -> sentence``, and :func:`typed` applies some of them at random.

    >>> from .treebank import Sentence, Word
    >>> words = (Word("Go", "go", "VERB", "VB", "", 0, "root", False),
    ...          Word("!", "!", "PUNCT", ".", "", 0, "punct"))
    >>> [word.form for word in bare(lower(Sentence("d", words), None), None).words]
    ['go']
"""

import re
from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from .treebank import Sentence, Word

Habit = Callable[[Sentence, np.random.Generator], Sentence]

#: How words are shortened; tag, lemma and arc stay.
_SHORT_FORMS = """
you u ya, your ur, are r, because cuz bc cause, please pls plz, thanks thx ty, people ppl,
though tho, through thru, before b4, with w w/, and n &, okay ok k, yes yea yep ya, yeah yea ya,
really rly, probably prob prolly, them em, about abt, what wut wat, see c, be b, very v,
something smth, someone sm1, tomorrow tmrw, tonight 2nite tonite, night nite
"""
_SHORT = {word: forms for word, *forms in map(str.split, _SHORT_FORMS.split(","))}

_INTERJECTIONS = "lol lmao haha hahaha omg wow ugh lol yeah ok hey hmm oh well rofl"
_PICTURES = ":) :( ;) :D xD <3 :P :-) 😂 😊 🙂 ❤️ 👍 😭 🎉 😅 🙄"
#: What is thrown in at the end or the start of a message: form, UPOS, Penn tag.
_ASIDES = (
    *((form, "INTJ", "UH") for form in _INTERJECTIONS.split()),
    *((form, "SYM", "NFP") for form in _PICTURES.split()),
)
#: Abbreviated asides that say how something is meant.
_ADVERBS = ("tbh", "btw", "imo", "imho", "ngl", "fyi", "rn", "asap", "irl", "afaik")
_APOSTROPHE = re.compile("['’]")


def lower(sentence: Sentence, _: object) -> Sentence:
    """Without capitals."""
    return _mapped(sentence, lambda word: msgspec.structs.replace(word, form=word.form.lower()))


def bare(sentence: Sentence, _: object) -> Sentence:
    """Without punctuation."""
    return without(sentence, [word.upos == "PUNCT" for word in sentence.words])


def unfinished(sentence: Sentence, _: object) -> Sentence:
    """Without the punctuation at the end."""
    places = range(len(sentence.words), 0, -1)
    end = next((place for place in places if sentence.words[place - 1].upos != "PUNCT"), 0)
    return without(sentence, [place >= end for place in range(len(sentence.words))])


def commaless(sentence: Sentence, _: object) -> Sentence:
    """Without commas, quotes and brackets, but with what ends it."""
    drop = [word.upos == "PUNCT" and word.xpos not in ("HYPH", ".") for word in sentence.words]
    return without(sentence, [*drop[:-1], False])


def unquoted(sentence: Sentence, rng: np.random.Generator) -> Sentence:
    """Contractions without their apostrophe, together or apart: "dont", "did nt", "im"."""
    words = list(sentence.words)
    apart = rng.random() < 0.3
    for place in range(1, len(words)):
        word, before = words[place], words[place - 1]
        form = _APOSTROPHE.sub("", word.form)
        if form not in ("", word.form) and word.upos != "PUNCT" and not before.space:
            words[place] = msgspec.structs.replace(word, form=form)
            words[place - 1] = msgspec.structs.replace(before, space=apart)
    return Sentence(sentence.document, tuple(words))


def _shortened(sentence: Sentence, rng: np.random.Generator) -> Sentence:
    """Some words in their short spelling: "u", "cuz", "pls"."""

    def short(word: Word) -> Word:
        forms = _SHORT.get(word.form.lower())
        if not forms or word.upos == "PROPN" or rng.random() < 0.5:
            return word
        return msgspec.structs.replace(word, form=forms[int(rng.integers(len(forms)))])

    return _mapped(sentence, short)


def _stretched(sentence: Sentence, rng: np.random.Generator) -> Sentence:
    """One word drawn out: "soooo", "pleaseee"."""
    open_ = [p for p, w in enumerate(sentence.words) if w.upos in ("ADV", "ADJ", "INTJ")]
    if not open_:
        return sentence
    place = open_[int(rng.integers(len(open_)))]
    words = list(sentence.words)
    form = words[place].form
    form += form[-1] * int(rng.integers(1, 5)) if form[-1].isalpha() else ""
    words[place] = msgspec.structs.replace(words[place], form=form)
    return Sentence(sentence.document, tuple(words))


def aside(sentence: Sentence, rng: np.random.Generator) -> Sentence:
    """With a "lol", an emoji or a "tbh" before it or after it."""
    if rng.random() < 0.2:
        form, upos, tag, dep = _ADVERBS[int(rng.integers(len(_ADVERBS)))], "ADV", "RB", "advmod"
    else:
        (form, upos, tag), dep = _ASIDES[int(rng.integers(len(_ASIDES)))], "discourse"
    root = next((place for place, word in enumerate(sentence.words) if word.head == place), 0)
    name = None if any(word.name is None for word in sentence.words) else ""
    words = list(sentence.words)
    if rng.random() < 0.75:
        words[-1] = msgspec.structs.replace(words[-1], space=True)
        words.append(Word(form, form, upos, tag, "", root, dep, True, name))
    else:
        words = [msgspec.structs.replace(word, head=word.head + 1) for word in words]
        words.insert(0, Word(form, form, upos, tag, "", root + 1, dep, True, name))
    return Sentence(sentence.document, tuple(words))


def unsure(sentence: Sentence, _: object) -> Sentence:
    """ "I don't know" as "idk", "I don't care" as "idc", with what depends on it."""
    words = sentence.words
    for place in range(len(words) - 3):
        *before, verb = words[place : place + 4]
        form = {"know": "idk", "care": "idc"}.get(verb.form.lower())
        dont = [(part, place + 3) for part in ("i", "do", "n't")]
        if form and [(word.form.lower(), word.head) for word in before] == dont:
            morph = "Mood=Ind|Number=Sing|Person=1|Tense=Pres|VerbForm=Fin"
            new = msgspec.structs.replace(verb, form=form, lemma=form, xpos="VBP", morph=morph)
            changed = Sentence(sentence.document, (*words[: place + 3], new, *words[place + 4 :]))
            return without(changed, [place <= p < place + 3 for p in range(len(words))])
    return sentence


#: How often each habit shows, in the order they apply: of a sentence, and of a writer.
_HURRY = {unsure: 0.7, unquoted: 0.6, _shortened: 0.4, _stretched: 0.1, aside: 0.25}
_TIDINESS = {lower: 0.7, bare: 0.5, unfinished: 0.5, commaless: 0.3}


def typed(sentences: Sequence[Sentence], rng: np.random.Generator) -> list[Sentence]:
    """One writer's sentences: capitals and punctuation go from all of them, or from none."""
    whole = [habit for habit, chance in _TIDINESS.items() if rng.random() < chance]
    messages = []
    for sentence in sentences:
        new = sentence
        for habit, chance in _HURRY.items():
            if rng.random() < chance:
                new = habit(new, rng)
        for habit in whole:
            new = habit(new, rng)
        messages.append(new)
    return messages


def without(sentence: Sentence, drop: Sequence[bool]) -> Sentence:
    """The sentence without some words; what hung on them hangs on the nearest kept word above."""
    kept = [place for place, gone in enumerate(drop) if not gone]
    if not kept or len(kept) == len(drop):
        return sentence
    words = sentence.words
    new_place = {old: new for new, old in enumerate(kept)}
    root = next(p for p in kept if _above(words, p, drop) in (p, None))
    out = []
    for old, upcoming in zip(kept, [*kept[1:], len(words)], strict=True):
        head = _above(words, old, drop)
        head = root if head is None else head
        space = any(word.space for word in words[old:upcoming])
        dep = "root" if head == old and words[old].dep != "root" else words[old].dep
        out.append(msgspec.structs.replace(words[old], head=new_place[head], space=space, dep=dep))
    return Sentence(sentence.document, _names_mended(out))


def _above(words: Sequence[Word], place: int, drop: Sequence[bool]) -> int | None:
    """The nearest kept head of a word; None if the root above it is gone."""
    head = words[place].head
    while drop[head]:
        if words[head].head == head:
            return None
        head = words[head].head
    return head


def _names_mended(words: Sequence[Word]) -> tuple[Word, ...]:
    """A name that lost its first word begins at the next one."""
    mended: list[Word] = []
    for word in words:
        before = mended[-1].name if mended else ""
        if word.name and word.name.startswith("I-") and not before:
            word = msgspec.structs.replace(word, name="B-" + word.name[2:])  # noqa: PLW2901
        mended.append(word)
    return tuple(mended)


def _mapped(sentence: Sentence, change: Callable[[Word], Word]) -> Sentence:
    return Sentence(sentence.document, tuple(change(word) for word in sentence.words))
