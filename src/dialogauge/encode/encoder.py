"""Encoder: texts in, vectors out.

A vector depends on its text alone: batches are padded and masked, the int8 graphs that ship scale
every token by itself (``train/models/encoder/quantise.py``), and the mean over a text's tokens is
taken here, text by text; so batch size, order and mates do not matter.

A text beyond ``max_tokens`` is read in windows (:mod:`.reader`), which are texts by themselves; its
vector is their mean by tokens, its tokens are theirs one after the other. What lies beyond 64
windows is not read, nor are signs that the tokenizer does not know (:mod:`.words`): both are
counted. A text without any letter, digit or sign that is known (empty, blank, control characters,
emoji alone) has no vector: its row is NaN. That is counted, too.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from .. import models
from ..errors import ModelError
from . import fitting, graphs
from .batching import batches, chunks
from .cache import IN_MEMORY, Disk, Memory, Vector, key
from .config import Config
from .reader import WINDOWS, Reader, Window
from .session import Session, cpu_arithmetic
from .windows import Span

Vectors = NDArray[np.float32]

#: A stream is encoded at most so many texts and so many characters at a time.
CHUNK, _CHARACTERS = 8192, 2_000_000

#: How many token vectors are kept in memory (384 floats each: 50 MB).
_TOKENS_IN_MEMORY = 32_768

#: How texts become tokens, beside the signature in a cache: what was kept before long words were
#: cut and markup was read as text is not the vector of today.
_READ = "|words:cut|markup:text"

T = TypeVar("T")


class Counts(msgspec.Struct):
    """What an encoder was given since it was loaded."""

    texts: int = 0
    encoded: int = 0  # windows, after equal and remembered ones were taken out
    empty: int = 0  # texts without a vector
    #: Each distinct text that was not read in full, by its key: how many characters were not.
    unread: dict[bytes, int] = msgspec.field(default_factory=dict[bytes, int])


class Tokens(msgspec.Struct, frozen=True):
    """A text's token ids and their vectors, the special tokens at both ends left out."""

    ids: tuple[int, ...]
    vectors: Vectors  # (tokens, width)
    sentence: Vector  # the mean of the last layer's, as in :meth:`Encoder.vectors`; NaN of nothing


class _Read(NamedTuple):
    """What is remembered of a text."""

    windows: Vectors  # (windows, width), NaN if it is empty
    vector: Vector  # their mean, each weighed by its tokens


class Encoder:
    """A text encoder on ONNX Runtime."""

    def __init__(
        self, folder: Path, config: Config, *, provider: str = "cpu", threads: int = 0
    ) -> None:
        self.config = config
        self.counts = Counts()
        self.hash = fingerprint(folder)
        self._memory = {
            name: Memory[_Read](IN_MEMORY // pooled.parts, lambda read: len(read.windows))
            for name, pooled in POOLINGS.items()
        }
        self._token_memory: dict[int, Memory[Tokens]] = {}
        self._disk: dict[Pooling, Disk] = {}
        self._session = Session(folder / "model.onnx", provider, threads)
        self._inside = cache(
            lambda layers: Session(folder / "model.onnx", provider, threads, graphs.layer(layers))
        )
        self._reader = Reader(folder / "tokenizer.json", config.max_tokens, self.counts.unread)
        fitting.check(folder, config, self._session, self._reader)

    @classmethod
    def load(
        cls,
        name: str | Path = "dialogue-minilm",
        *,
        provider: str = "cpu",
        threads: int = 0,
        cache: str | Path | None = None,
        max_tokens: int | None = None,
    ) -> "Encoder":
        """An encoder that ships, or one from a folder; ``cache`` names a folder for vectors.

        ``max_tokens`` are those of a window, instead of as many as its config.json says: as many as
        the network has room for (512 for the one that ships).
        """
        folder = models.find_encoder(name)
        models.verify(folder)
        models.require_weights(folder)
        config = models.decode(folder / "config.json", Config)
        if max_tokens is not None:
            config = msgspec.structs.replace(config, max_tokens=max_tokens)
        config.check(folder)
        encoder = cls(folder, config, provider=provider, threads=threads)
        if cache is not None:
            encoder._disk = {
                name: Disk(Path(cache), encoder.signature + _READ + sign, config.width * parts)
                for name, (_, parts, sign) in POOLINGS.items()
            }
        return encoder

    @property
    def signature(self) -> str:
        """The passport of its vectors."""
        arithmetic = f"|cpu:{cpu_arithmetic()}" if self.config.int8 else ""
        windows = f"tokens:{self.config.max_tokens}|windows:{WINDOWS}"
        return f"{self.config.name}|sha256:{self.hash}|{windows}{arithmetic}"

    def require(self, expected: str, folder: Path) -> None:
        """An error if a model of that folder was trained on an encoder of another hash."""
        if self.hash != expected:
            name = self.config.name
            raise ModelError(
                f"{folder}: was trained on the encoder {expected[:16]!r}, but {name!r} is "
                f"{self.hash!r} here: train it again on this one, or import that one"
            )

    def vectors(self, texts: Sequence[str], pooling: "Pooling" = "mean") -> Vectors:
        """One vector per text, (texts, width), not normalised; NaN where a text is empty.

        The ``texture`` of a text is thrice as wide: the mean of its tokens, their spread, and how
        much neighbours differ, which tells whether words stand as they should.
        """
        vectors = [read.vector for read in self._read(texts, pooling)]
        width = self.config.width * POOLINGS[pooling].parts
        return np.array(vectors, dtype=np.float32).reshape(len(texts), width)

    def windows(self, texts: Sequence[str], pooling: "Pooling" = "mean") -> list[Vectors]:
        """The vectors of each text's windows, (windows, width); one of NaN where a text is empty.

        Of a text within one window that is its vector, and encoded once for both.
        """
        return [read.windows for read in self._read(texts, pooling)]

    def parts(self, texts: Sequence[str]) -> list[list[str]]:
        """The text of each window of :meth:`windows`."""
        return [[window.text for window in cut] for cut in self._reader.windows(texts)]

    def stream(self, texts: Iterable[str], pooling: "Pooling" = "mean") -> Iterator[Vector]:
        """The vectors of any number of texts, in order, in bounded memory."""
        for chunk in chunks(texts, CHUNK, _CHARACTERS, len):
            yield from self.vectors(chunk, pooling)

    def tokens(self, texts: Sequence[str], layers: int = 0) -> list[Tokens]:
        """Each text's tokens and their vectors; none where a text is empty.

        With ``layers``, fewer than it has, the vectors are what so many of the first ones make of
        the text: they know less of the sentence and more of the word than those of the last.
        """
        memory = self._token_memory.setdefault(
            layers, Memory[Tokens](_TOKENS_IN_MEMORY, lambda tokens: len(tokens.ids) or 1)
        )
        tokens = self._remembered(texts, memory, lambda new: self._all_tokens(new, layers))
        self.counts.empty += sum(not each.ids for each in tokens)
        return tokens

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Each text's token ids, the special ones left out."""
        cuts = self._reader.windows(texts)
        return [[token for window in cut for token in window.ids[1:-1]] for cut in cuts]

    def hears(self, texts: Sequence[str]) -> list[bool]:
        """Whether each text has a vector; none is computed."""
        return [bool(ids) for ids in self.ids(texts)]

    def spans(self, texts: Sequence[str]) -> list[list[Span]]:
        """Where each token of :meth:`tokens` stands in its text, as (start, end) characters."""
        return self._reader.spans(texts)

    def _read(self, texts: Sequence[str], pooling: "Pooling") -> list[_Read]:
        memory = self._memory[pooling]
        read = self._remembered(texts, memory, lambda new: self._sentences(new, pooling))
        self.counts.empty += sum(bool(np.isnan(each.vector[0])) for each in read)
        return read

    def _remembered(
        self,
        texts: Sequence[str],
        memory: Memory[T],
        encode: Callable[[dict[bytes, str]], dict[bytes, T]],
    ) -> list[T]:
        """What belongs to each text, from memory or else from ``encode``, each text once."""
        keys = [key(text) for text in texts]
        by_key = memory.get(dict.fromkeys(keys))
        new = {each: text for each, text in zip(keys, texts, strict=True) if each not in by_key}
        if new:
            by_key |= encode(new)
            memory.put({each: by_key[each] for each in new})
        self.counts.texts += len(texts)
        return [by_key[each] for each in keys]

    def _sentences(self, new: dict[bytes, str], pooling: "Pooling") -> dict[bytes, _Read]:
        """The pooled tokens of each text's windows, from disk or else from the graph."""
        disk, pooled = self._disk.get(pooling), POOLINGS[pooling]
        stored = disk.get(new) if disk is not None else {}
        read = {each: _Read(vector[None], vector) for each, vector in stored.items()}
        missing = {each: text for each, text in new.items() if each not in stored}
        cuts = self._cut(missing)
        parts = {each.key: each for cut in cuts.values() for each in cut}
        if disk is not None:  # of a long text the windows are there, not the text
            stored |= disk.get(part for part in parts if part not in missing)
        nothing = np.full(self.config.width * pooled.parts, np.nan, dtype=np.float32)
        fresh = {part: window for part, window in parts.items() if part not in stored}
        vectors = self._encoded(fresh, pooled.keep, nothing)
        if disk is not None and vectors:
            disk.put(vectors)
        vectors |= stored
        return read | {
            each: _joined([vectors[window.key] for window in cut], cut)
            for each, cut in cuts.items()
        }

    def _all_tokens(self, new: dict[bytes, str], layers: int) -> dict[bytes, Tokens]:
        """The tokens of each text's windows one after the other."""
        cuts = self._cut(new)
        width = self.config.width
        nothing = Tokens((), np.empty((0, width), np.float32), np.full(width, np.nan, np.float32))
        parts = {each.key: each for cut in cuts.values() for each in cut}
        tokens = self._encoded(parts, _inner, nothing, layers)
        return {
            each: _chained([tokens[window.key] for window in cut], cut)
            for each, cut in cuts.items()
        }

    def _cut(self, new: dict[bytes, str]) -> dict[bytes, list[Window]]:
        return dict(zip(new, self._reader.windows(list(new.values())), strict=True))

    def _encoded(
        self,
        new: dict[bytes, Window],
        keep: Callable[..., T],
        nothing: T,
        layers: int = 0,
    ) -> dict[bytes, T]:
        """What to keep of each window's hidden states, ``nothing`` where a window is empty.

        ``keep`` gets the ids, the states of the last layer and, if asked for, those behind some
        ``layers``. It is called beside the graph, on all cores, and so is quick to wait for.
        """
        keys, ids = list(new), [window.ids for window in new.values()]
        self.counts.encoded += len(new)
        session = self._inside(layers) if layers else self._session
        inner = [graphs.layer(layers)] if layers else []

        def kept(rows: list[int]) -> dict[bytes, T]:
            states = fitting.hidden(session, [ids[row] for row in rows], *inner)
            return {
                keys[row]: keep(ids[row], *(each[at, : len(ids[row])] for each in states))
                for at, row in enumerate(rows)
            }

        encoded = dict.fromkeys(new, nothing)
        for some in self._session.over(kept, batches(list(map(len, ids)))):
            encoded |= some
        return encoded


def fingerprint(folder: Path) -> str:
    """The hash of all that an encoder's vectors depend on; heads name it."""
    return models.fingerprint(folder, models.ENCODER)


def _mean(ids: list[int], states: Vectors) -> Vector:
    """The mean over tokens, each text by itself so that padding cannot change a bit of it."""
    total: Vector = np.add.reduce(states, axis=0)
    return total / np.float32(len(ids))


def _texture(ids: list[int], states: Vectors) -> Vector:
    """Mean, spread, and mean step from token to token, each text by itself."""
    mean = _mean(ids, states)
    spread = np.sqrt(np.add.reduce((states - mean) ** 2, axis=0) / np.float32(len(ids)))
    steps = np.add.reduce(np.abs(states[1:] - states[:-1]), axis=0) / np.float32(len(ids) - 1)
    return np.concatenate([mean, spread, steps])


Pooling = Literal["mean", "texture"]


class Pooled(NamedTuple):
    """How a text's tokens become a vector of so many times the width."""

    keep: Callable[[list[int], Vectors], Vector]
    parts: int
    sign: str  # beside the signature, in a cache


POOLINGS: dict[Pooling, Pooled] = {
    "mean": Pooled(_mean, 1, ""),
    "texture": Pooled(_texture, 3, "|texture"),
}


def _inner(ids: list[int], last: Vectors, asked: Vectors | None = None) -> Tokens:
    """The tokens without the special ones at both ends."""
    states = last if asked is None else asked
    return Tokens(tuple(ids[1:-1]), states[1:-1].copy(), _mean(ids, last))


def _joined(vectors: list[Vector], windows: Sequence[Window]) -> _Read:
    """What is remembered of a text, given its windows; of a single one, that and nothing else."""
    table = np.array(vectors, dtype=np.float32)
    if len(table) == 1:
        return _Read(table, table[0])
    sizes = np.array([len(window.ids) for window in windows], dtype=np.float32)
    return _Read(table, np.add.reduce(table * (sizes / sizes.sum())[:, None], axis=0))


def _chained(parts: list[Tokens], windows: Sequence[Window]) -> Tokens:
    """The tokens of all windows of a text."""
    if len(parts) == 1:
        return parts[0]
    ids = tuple(token for part in parts for token in part.ids)
    sentence = _joined([part.sentence for part in parts], windows).vector
    return Tokens(ids, np.concatenate([part.vectors for part in parts]), sentence)
