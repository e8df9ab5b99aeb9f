"""A sentence while it is rewritten: its words as slots, its UD parse to look things up in.

Edits change single slots (a word, what is put before or behind it) or clear them; at the end
:meth:`Draft.written` puts the text together again. What no edit touched comes out byte for byte.
Around what was touched it mends what follows from the change and says nothing by itself: *a* or
*an*, the capital at the start, blanks, and commas that have lost what they divided.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from ..language.inflection import Form, lemma

#: spaCy's ``Token`` and ``Doc``, whose own types take a checker a minute to read.
Word: TypeAlias = Any
Doc: TypeAlias = Any

_COMMAS = frozenset({",", ";", ":", "-", "--", "–", "—"})
_ENDS = re.compile(r"[.!?…]+")
_CLOSING = re.compile(r"[,;:.!?…)\]}%]+|''|n['’]t|['’](?:s|m|re|ve|d|ll)", re.I)
#: Written with a vowel that is not heard first, and the other way round.
_CONSONANT_SOUND = re.compile(
    r"(?:uni(?!n|m)|us[aeiu]|ut[ei]|eu|ewe|one\b|once|u\b|u[rst]?-)", re.I
)
_MUTE_H = re.compile(r"(?:hour|honest|hono|heir)", re.I)
_SPELLED = re.compile(r"[AEFHILMNORSX](?:[A-Z0-9]+\b|\b)")
_VOWEL_NUMBER = re.compile(r"8|11\b|18\b")


class Draft:
    """The slots of a text; the place of a slot is that of its word in the parse."""

    def __init__(self, text: str, document: Doc) -> None:
        self.text = text
        self.document = document
        marks = extents(document)
        self.words = [text[start:end] for start, end in marks]
        self.before = [""] * len(self.words)  # whole words that go before a slot
        self.behind = [""] * len(self.words)
        self.lemmas: dict[int, str] = {}  # of words that were put in the place of others
        self.tags: dict[int, str] = {}  # of verbs that agree with another subject now
        self._old = tuple(self.words)
        ends = [0, *(end for _, end in marks)]
        starts = [*(start for start, _ in marks), len(text)]
        self.gaps = [text[end:start] for end, start in zip(ends, starts, strict=True)]

    def form(self, place: int) -> Form:
        """The form of the word that is in a slot now."""
        return Form(self.words[place], self.tag(place), str(self.document[place].morph))

    def tag(self, place: int) -> str:
        """The Penn tag of the word that is in a slot now."""
        return self.tags.get(place) or str(self.document[place].tag_)

    def lemma(self, place: int) -> str:
        """The lemma of the word that is in a slot now."""
        return self.lemmas.get(place) or lemma(self.words[place], self.document[place].tag_)

    def clear(self, places: Iterable[int]) -> None:
        """Take words out, with all that was put around them."""
        for place in places:
            self.words[place] = self.before[place] = self.behind[place] = ""

    def changed(self, place: int) -> bool:
        """Whether a slot says something else than the text did."""
        return self.slot(place) != self._old[place]

    def slot(self, place: int) -> str:
        """What a slot says, with what was put around its word."""
        parts = (self.before[place], self.words[place], self.behind[place])
        return " ".join(part for part in parts if part)

    def put_before(self, place: int, words: str) -> None:
        """Put words before a slot; the capital of a sentence's start moves to them."""
        first = self.before[place] or self.words[place]
        if self.text.isupper():
            words = words.upper()
        elif self.starts(place) and first[:1].isupper():
            words = words.upper() if len(first) > 1 and first.isupper() else capital(words)
            old = self.document[place]
            if self.before[place]:
                self.before[place] = uncapital(self.before[place])
            elif old.tag_[:3] != "NNP" and old.text != "I" and not old.text[1:2].isupper():
                self.words[place] = uncapital(self.words[place])
        self.before[place] = f"{words} {self.before[place]}".strip()

    def starts(self, place: int) -> bool:
        """Whether a word is the first of a sentence."""
        earlier = place - 1
        while earlier >= 0 and not any(sign.isalnum() for sign in self._old[earlier]):
            if _ENDS.fullmatch(self._old[earlier]) or "\n" in self._old[earlier]:
                return True
            earlier -= 1
        return earlier < 0 or bool(self.document[place].is_sent_start)

    def written(self) -> tuple[str, list[tuple[int, int] | None]]:
        """The new text, and where each slot is in it; None for slots that were cleared."""
        if not any(self.changed(place) for place in range(len(self.words))):
            return self.text, [(word.idx, word.idx + len(word)) for word in self.document]
        self._mend_commas()
        self._mend_capitals()
        self._mend_articles()
        return self._joined()

    def _joined(self) -> tuple[str, list[tuple[int, int] | None]]:
        text, spans, waiting = "", list[tuple[int, int] | None](), None
        for place in range(len(self.words)):
            slot, gap = self.slot(place), self.gaps[place]
            if self.words[place].isspace() and waiting is not None:
                slot = ""
            if not slot:
                waiting = gap if waiting is None else max(waiting, gap, key=len)
                spans.append(None)
                continue
            if waiting is not None:
                gap = _gap(text, waiting, gap, slot)
            waiting = None
            text += gap
            start = len(text) + len(self.before[place]) + bool(self.before[place])
            spans.append((start, start + len(self.words[place])))
            text += slot
        return text + self.gaps[-1] if waiting is None else text.rstrip(" ") + self.gaps[-1], spans

    def _kept(self) -> list[int]:
        return [place for place in range(len(self.words)) if self.slot(place)]

    def _mend_commas(self) -> None:
        """Clear marks that divide nothing any more, because something beside them was taken out."""
        while (lost := next(self._stray(), None)) is not None:
            self.clear([lost])

    def _stray(self) -> Iterator[int]:
        end = len(self.words)
        for left, right in pairwise([-1, *self._kept(), end]):
            if left + 1 == right:
                continue  # nothing was taken out between them
            before = self.words[left] if left >= 0 else "."
            after = self.words[right] if right < end else "."
            if right < end and after in _COMMAS and _divides(before):
                yield right
            elif left >= 0 and before in _COMMAS and _divides(after):
                yield left
            elif left >= 0 and right < end and _ENDS.fullmatch(after) and _ENDS.fullmatch(before):
                yield right

    def _mend_capitals(self) -> None:
        """Give the capital of a first word that was taken out to the next one that is left."""
        for place, old in enumerate(self._old):
            if self.slot(place) or not old[:1].isupper() or not self.starts(place):
                continue
            following = range(place + 1, len(self.words))
            heir = next((at for at in following if any(map(str.isalnum, self.slot(at)))), None)
            earlier = (it for it in reversed(self._old[:heir]) if not it.isspace())
            if heir is not None and not _ENDS.fullmatch(
                next(earlier, "")
            ):  # else its case is its own
                part = self.before if self.before[heir] else self.words
                part[heir] = capital(part[heir])

    def _mend_articles(self) -> None:
        for left, right in pairwise(self._kept()):
            article = self.words[left].lower()
            if article not in ("a", "an") or self.behind[left]:
                continue
            if right == left + 1 and not self.changed(right) and not self.changed(left):
                continue
            if self.document[left].tag_ == "DT" and self.slot(right)[:1].isalnum():
                new = article_of(self.slot(right))
                self.words[left] = capital(new) if self.words[left][0].isupper() else new


def _divides(text: str) -> bool:
    return text in _COMMAS or bool(_ENDS.fullmatch(text))


def _gap(text: str, waiting: str, gap: str, slot: str) -> str:
    """The blank where words were taken out before a slot."""
    if not text or text[-1].isspace():
        return ""
    if _CLOSING.fullmatch(slot):
        return gap if gap.strip(" ") or not gap else ""
    return max(waiting, gap, key=len) or ("" if text[-1] in "([{\"'“‘" else " ")


def article_of(text: str) -> str:
    """The indefinite article before a text.

    >>> [article_of(word) for word in ("hour", "user", "owl", "FBI agent", "one", "8", "uncle")]
    ['an', 'a', 'an', 'an', 'a', 'an', 'an']
    """
    if _SPELLED.match(text) or _VOWEL_NUMBER.match(text) or _MUTE_H.match(text):
        return "an"
    return "an" if text[:1].lower() in set("aeiou") and not _CONSONANT_SOUND.match(text) else "a"


def capital(text: str) -> str:
    """With a capital first."""
    return text[:1].upper() + text[1:]


def uncapital(text: str) -> str:
    """Without a capital first, if it is an ordinary word.

    >>> uncapital("Go"), uncapital("I'm"), uncapital("NASA")
    ('go', "I'm", 'NASA')
    """
    ordinary = not re.match(r"I\b", text) and not text[1:2].isupper()
    return text[:1].lower() + text[1:] if ordinary else text


def extents(document: Doc) -> list[tuple[int, int]]:
    """Where each word begins and ends; all at once, which is many times as quick as one by one."""
    marks = document.to_array(["IDX", "LENGTH"]).tolist()
    return [(start, start + length) for start, length in marks]


def tops(draft: Draft, places: Sequence[int]) -> list[Word]:
    """The words among some places that hang on none of the others, punctuation aside."""
    words = [draft.document[place] for place in places if draft.words[place]]
    words = [word for word in words if any(map(str.isalnum, word.text))]
    own = {word.i for word in words}
    return [word for word in words if word.head.i not in own or word.head.i == word.i]


def one_run(draft: Draft, places: Sequence[int]) -> bool:
    """Whether places stand side by side."""
    kept = [place for place in places if draft.words[place]]
    return bool(kept) and kept == list(range(kept[0], kept[0] + len(kept)))


def word_before(word: Word) -> str:
    """The last word in small letters; empty at the start of a text."""
    return str(word.nbor(-1).lower_) if word.i else ""


def word_behind(word: Word) -> str:
    """The next word in small letters; empty at the end of a text."""
    return str(word.nbor().lower_) if word.i + 1 < len(word.doc) else ""


def following_word(word: Word) -> Word:
    """The next word, at the end of a text the word itself."""
    return word.nbor() if word.i + 1 < len(word.doc) else word


def is_last(word: Word) -> bool:
    """Whether nothing follows, or a mark."""
    return word.i + 1 == len(word.doc) or bool(word.nbor().is_punct)
