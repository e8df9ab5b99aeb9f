"""Reader: texts in, windows of token ids out.

Nearly every text is one window. A longer one is cut (:mod:`.windows`) into parts that are texts by
themselves, each tokenized as if it stood alone: what is true of a text's vector, that it depends on
nothing else, is then true of a window's.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..dialogue import mend
from ..errors import ModelError
from .cache import key
from .windows import Span, split

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

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


class Reader:
    """A tokenizer that loses nothing in silence.

    ``unread`` is told of each text whose end is not read, by its key, and of how many characters.
    """

    def __init__(self, path: Path, max_tokens: int, unread: dict[bytes, int]) -> None:
        self._tokenizer = _tokenizer(path, max_tokens)
        self._room, self._unread = max_tokens - 2, unread
        self._characters = _CHARACTERS * max_tokens
        if self._tokenizer.num_special_tokens_to_add(is_pair=False) != 2:
            raise ModelError(f"{path}: must put one special token at each end of a text")

    @property
    def vocabulary(self) -> int:
        """How many different tokens there are."""
        return self._tokenizer.get_vocab_size()

    def windows(self, texts: Sequence[str]) -> list[list[Window]]:
        """Each text's windows, in order: one or more, the only one of an empty text without ids."""
        stripped = [text.strip() for text in texts]
        begun = [_mended(text[: self._characters]) for text in stripped]
        encodings = self._tokenizer.encode_batch_fast(begun)
        return [
            self._several(text)
            if encoding.overflowing or len(inner) > self._characters
            else [_window(key(text), _indent(text), beginning, encoding)]
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
                for start, end in self._tokenizer.encode(window.text).offsets[1:-1]
            ]
            for windows in self.windows(texts)
        ]

    def _several(self, text: str) -> list[Window]:
        """The windows of a long text, as many as are read."""
        inner, indent = text.strip(), _indent(text)
        begun = _mended(inner[: WINDOWS * self._characters])
        windows = list(islice(self._parts(begun, indent), WINDOWS))
        last = windows[-1] if windows else _empty(text)
        end = len(begun) if len(windows) < WINDOWS else last.start - indent + len(last.text)
        if end < len(inner):
            self._unread[key(text)] = len(inner) - end
        return windows or [last]

    def _parts(self, text: str, start: int) -> Iterator[Window]:
        """The windows of a text that begins at ``start``.

        Parts are cut once more where they have more tokens than the same characters had before:
        the rest of a word is other tokens than its end was.
        """
        encoding = self._tokenizer.encode(text)
        pages = (encoding, *encoding.overflowing)
        spans = [span for page in pages for span in page.offsets[1:-1]]
        parts = split(text, spans, self._room)
        if len(parts) == 1:
            window = _window(key(text), start, text, encoding)
            yield from [window] if window.ids else []
            return
        for first, end in parts:
            yield from self._parts(text[first:end], start + first)


def _window(name: bytes, start: int, text: str, encoding: "Encoding") -> Window:
    ids = encoding.ids
    return Window(name, start, text, ids if len(ids) > 2 else [])


def _empty(text: str) -> Window:
    return Window(key(text), 0, "", [])


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _mended(text: str) -> str:
    return mend(text, lambda _: None)


def _tokenizer(path: Path, max_tokens: int) -> "Tokenizer":
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises plain Exception
        raise ModelError(f"{path}: cannot be read: {error}") from None
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return tokenizer
