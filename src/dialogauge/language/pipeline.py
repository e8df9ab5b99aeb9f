"""Text in, tags, lemmas, parses and names out: a spaCy pipeline, ours or any other.

:func:`load` gives one; everything it makes is a plain :class:`spacy.tokens.Doc`. What
:class:`Pipeline` adds is what a corpus needs: equal texts are parsed once and share their document
(read it, do not change it), a text longer than :data:`PIECE` is parsed in pieces and put together
again, and half a surrogate pair, which no file can hold, is read as U+FFFD.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from .. import models
from ..dialogue import mend
from ..errors import InputError, MissingExtraError, ModelError, UnknownNameError

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

#: The pipeline that ships.
OURS = "language"
#: The longest text that is parsed at once, in characters (some 4,000 words, 40 MB).
PIECE = 20_000
#: How many texts are looked at together, and from how many on several processes pay.
CHUNK = 1000
#: How many words of remembered documents are kept (some 100 bytes each).
WORDS_IN_MEMORY = 200_000


class Counts(msgspec.Struct):
    """What a pipeline was given since it was loaded."""

    texts: int = 0
    parsed: int = 0  # after equal and remembered texts were taken out
    split: int = 0  # of the parsed ones, those parsed in pieces
    mended: int = 0  # characters that were half a surrogate pair


class Pipeline:
    """A loaded pipeline: call it with a text, or :meth:`pipe` many."""

    def __init__(self, nlp: "Language", name: str, digest: str) -> None:
        self.nlp = nlp
        self.name = name
        self.hash = digest
        self.counts = Counts()
        self._memory: dict[str, Doc] = {}  # the oldest first
        self._words = 0

    @property
    def signature(self) -> str:
        """What made the annotations: pipeline, its bytes, spaCy's version."""
        return f"{self.name}|sha256:{self.hash}|spacy:{sys.modules['spacy'].__version__}"

    def __call__(self, text: str) -> "Doc":
        """The document of one text."""
        return next(self.pipe([text]))

    def pipe(self, texts: Iterable[str], processes: int = 1) -> Iterator["Doc"]:
        """The documents of any number of texts, in order, in bounded memory.

        With several ``processes`` more texts are looked at together, and a thousand new ones or
        more are shared out; fewer would not pay for starting them.
        """
        if processes < 1:
            raise InputError(f"processes: expected 1 or more, got {processes}")
        remaining = iter(texts)
        size = CHUNK if processes == 1 else 20 * CHUNK
        while chunk := [self._mended(text) for text in islice(remaining, size)]:
            documents = self._documents(chunk, processes)
            yield from (documents[text] for text in chunk)

    def _documents(self, texts: Sequence[str], processes: int) -> dict[str, "Doc"]:
        documents = {text: self._memory[text] for text in texts if text in self._memory}
        new = list(dict.fromkeys(text for text in texts if text not in documents))
        self.counts.texts += len(texts)
        self.counts.parsed += len(new)
        for text, document in zip(new, self._parsed(new, processes), strict=True):
            documents[text] = document
            self._remember(text, document)
        return documents

    def _parsed(self, texts: Sequence[str], processes: int) -> Iterator["Doc"]:
        from spacy.tokens import Doc

        cuts = [pieces(text) for text in texts]
        self.counts.split += sum(len(cut) > 1 for cut in cuts)
        every = [piece for cut in cuts for piece in cut]
        shared = processes if len(every) >= CHUNK else 1
        documents = self.nlp.pipe(every, n_process=shared)
        for cut in cuts:
            parts = list(islice(documents, len(cut)))
            whole = len(parts) == 1
            yield parts[0] if whole else Doc.from_docs(parts, ensure_whitespace=False)

    def _remember(self, text: str, document: "Doc") -> None:
        """Keep it, and forget the oldest ones beyond what memory holds."""
        if len(document) > WORDS_IN_MEMORY // 10:
            return
        self._memory[text] = document
        self._words += len(document) + 1
        while self._words > WORDS_IN_MEMORY:
            oldest = next(iter(self._memory))
            self._words -= len(self._memory.pop(oldest)) + 1

    def _mended(self, text: str) -> str:
        if not isinstance(text, str):
            raise InputError(f"expected text, got {type(text).__name__}")

        def count(replaced: int) -> None:
            self.counts.mended += replaced

        return mend(text, count)


def load(name: str | Path | None = None) -> Pipeline:
    """The pipeline that ships, an installed one by name, or one from a folder."""
    if find_spec("spacy") is None:
        raise MissingExtraError("tagging and parsing", "language")
    if name is None or name == OURS:
        return open_pipeline(models.open_folder(OURS), OURS)
    if models.is_folder(name) and (Path(name) / "meta.json").is_file():
        return open_pipeline(Path(name), Path(name).name)
    if str(name) in known():
        from spacy.util import get_package_path

        nlp = _opened(get_package_path(str(name)), str(name))
        return Pipeline(nlp, str(name), f"version-{nlp.meta['version']}")
    raise UnknownNameError("spaCy pipeline or folder of one", str(name), known())


@cache
def shared() -> Pipeline:
    """The pipeline that ships, loaded once a process: who asks for a text again need not wait."""
    return load()


def known() -> list[str]:
    """The names :func:`load` knows here: ours, and the spaCy pipelines that are installed."""
    from spacy.util import get_installed_models

    return [OURS, *get_installed_models()]


def pieces(text: str, size: int = PIECE) -> list[str]:
    """A text in parts of at most ``size`` characters, cut after a line or a blank if possible.

    >>> pieces("one two three", 8)
    ['one two ', 'three']
    >>> "".join(pieces("x" * 10, 4))
    'xxxxxxxxxx'
    """
    parts = []
    start = 0
    while len(text) - start > size:
        end = start + size
        ends = (text.rfind(blank, start, end) + 1 for blank in ("\n", " "))
        end = next((cut for cut in ends if cut > start + size // 2), end)
        parts.append(text[start:end])
        start = end
    return [*parts, text[start:]]


def open_pipeline(folder: Path, name: str) -> Pipeline:
    """The pipeline of a folder; if the folder is sealed, every file in it is checked first."""
    if not (folder / models.MANIFEST).is_file():
        return Pipeline(_opened(folder, name), name, models.digest(folder / "meta.json")[:16])
    files = models.verify(folder).files
    parts = [file for file in files if file != "card.md"]
    return Pipeline(_opened(folder, name), name, models.fingerprint(folder, parts))


def _opened(folder: Path, name: str) -> "Language":
    """spaCy's loading; whatever it trips over is a damaged or foreign folder."""
    import spacy

    try:
        return spacy.load(folder)
    except Exception as error:
        problem = str(error).strip().splitlines() or [type(error).__name__]
        remedy = "was it made by another version of spaCy, or by one with more packages?"
        raise ModelError(f"{name}: spaCy cannot load it: {problem[0]} ({remedy})") from None
