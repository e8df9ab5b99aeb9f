"""Reader: texts in, windows of token ids out.

Nearly every text is one window. A longer one is cut (:mod:`.windows`) into parts that are texts by
themselves, each tokenized as if it stood alone: what is true of a text's vector, that it depends on
nothing else, is then true of a window's. What no token stands for (:mod:`.words`) is not read: a
window of nothing else is an empty one.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..dialogue import mend
from .cache import key
from .windows import Span, split
from .words import Words

if TYPE_CHECKING:
    from tokenizers import Encoding

#: How many windows of a text are read: some 6,000 words of English.
WINDOWS = 64

#: How many characters are read for each token of these windows, so that a line of ten megabytes
#: costs no more than its beginning.
_CHARACTERS = 20


class Window(NamedTuple):
    """A part of a text that is read at once, mostly all of it."""

    key: bytes  # what it is remembered under
    start: int  # characters of the text before it
    text: str
    ids: list[int]  # with a special token at each end; none if there is nothing to encode
    unknown: int = 0  # characters of it that no token stands for


class Reader:
    """A tokenizer that loses nothing in silence.

    ``unread`` is told of each text that is not read in full, by its key, and of how many characters
    are not: those at its end, and those that no token stands for.
    """

    def __init__(self, path: Path, max_tokens: int, unread: dict[bytes, int]) -> None:
        self._words = Words(path, max_tokens)
        self._room, self._unread = max_tokens - 2, unread
        self._characters = _CHARACTERS * max_tokens

    @property
    def vocabulary(self) -> int:
        """How many different tokens there are."""
        return self._words.vocabulary

    def windows(self, texts: Sequence[str]) -> list[list[Window]]:
        """Each text's windows, in order: one or more, the only one of an empty text without ids."""
        stripped = [text.strip() for text in texts]
        begun = [_mended(text[: self._characters]) for text in stripped]
        encodings = self._words.encode(begun)
        return [
            self._several(text)
            if encoding.overflowing or len(inner) > self._characters
            else self._noted(text, [self._window(text, _indent(text), beginning, encoding)])
            for text, inner, beginning, encoding in zip(
                texts, stripped, begun, encodings, strict=True
            )
        ]

    def spans(self, texts: Sequence[str]) -> list[list[Span]]:
        """Where each token of each text's windows stands in it, as (start, end) characters."""
        return [
            [
                (start + window.start, end + window.start)
                for window in windows
                if window.ids
                for start, end in self._words.placed(window.text).offsets[1:-1]
            ]
            for windows in self.windows(texts)
        ]

    def _several(self, text: str) -> list[Window]:
        """The windows of a long text, as many as are read."""
        inner, indent = text.strip(), _indent(text)
        begun = _mended(inner[: WINDOWS * self._characters])
        windows, end, count = [], len(begun), 0
        for window in self._parts(begun, indent):
            windows.append(window)
            count += bool(window.ids)
            if count == WINDOWS:
                end = window.start - indent + len(window.text)
                break
        return self._noted(text, windows, len(inner) - end)

    def _noted(self, text: str, windows: list[Window], beyond: int = 0) -> list[Window]:
        """The windows of a text that say something, else an empty one; the rest is counted."""
        missing = beyond + sum(window.unknown for window in windows)
        if missing:
            self._unread[key(text)] = missing
        return [window for window in windows if window.ids] or windows[:1]

    def _parts(self, text: str, start: int) -> Iterator[Window]:
        """The windows of a text that begins at ``start``.

        Parts are cut once more where they have more tokens than the same characters had before:
        the rest of a word is other tokens than its end was. What is then left of a part goes to
        the next one, lest it be a crumb.
        """
        ahead = [(0, len(text))]  # the next part is the last
        while ahead:
            first, end = ahead.pop()
            part = text[first:end]
            encoding = self._words.placed(part)
            pages = (encoding, *encoding.overflowing)
            spans = [span for page in pages for span in page.offsets[1:-1]]
            cuts = [(first + at, first + to) for at, to in split(part, spans, self._room)]
            if len(cuts) == 1:
                yield self._window(part, start + first, part, encoding)
                continue
            if ahead:
                rest, _ = cuts.pop()
                ahead[-1] = (rest, ahead[-1][1])
            ahead += reversed(cuts)

    def _window(self, whole: str, start: int, text: str, encoding: "Encoding") -> Window:
        """The window of a text that is read at once.

        What is not read in full is remembered under another key than the text's own, so that a
        cache on disk does not keep it from being counted.
        """
        unknown = self._words.unknown(text, encoding)
        ids = [] if self._words.says_nothing(encoding) else encoding.ids
        return Window(key(f"\0{whole}" if unknown else whole), start, text, ids, unknown)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _mended(text: str) -> str:
    return mend(text, lambda _: None)
