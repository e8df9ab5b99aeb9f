"""Encoder: texts in, vectors out.

A vector depends on its text alone: batches are padded and masked, the int8 graphs that ship scale
every token by itself (``train/models/encoder/quantise.py``), and the mean over a text's tokens is
taken here, text by text; so batch size, order and mates do not matter.

Long texts are cut to ``max_tokens``. A text without any letter, digit or sign (empty, blank,
control characters) has no vector: its row is NaN. Both are counted.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from .. import models
from ..dialogue import mend
from ..errors import ModelError
from .batching import batches, padded
from .cache import IN_MEMORY, Disk, Memory, Vector, key
from .session import Session, cpu_arithmetic

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Vectors = NDArray[np.float32]

#: A text is cut to ``max_tokens`` tokens, or before that to this many characters for each of them:
#: a text of a hundred thousand words costs no more than its beginning.
_CHARACTERS = 20

#: How many texts of a stream are encoded at a time.
CHUNK = 8192

#: How many token vectors are kept in memory (384 floats each: 50 MB).
_TOKENS_IN_MEMORY = 32_768

_FILES = ("config.json", "model.onnx", "tokenizer.json")

T = TypeVar("T")


class Config(msgspec.Struct, frozen=True):
    """The config.json of an encoder."""

    model: str
    name: str
    width: Annotated[int, msgspec.Meta(ge=1)]
    max_tokens: Annotated[int, msgspec.Meta(ge=3)]
    int8: bool = False


class Counts(msgspec.Struct):
    """What an encoder was given since it was loaded."""

    texts: int = 0
    encoded: int = 0  # after equal and remembered texts were taken out
    truncated: int = 0  # of the encoded ones
    empty: int = 0  # texts without a vector


class Tokens(msgspec.Struct, frozen=True):
    """A text's token ids and their vectors, the special tokens at both ends left out."""

    ids: tuple[int, ...]
    vectors: Vectors  # (tokens, width)


class Encoder:
    """A text encoder on ONNX Runtime."""

    def __init__(
        self, folder: Path, config: Config, *, provider: str = "cpu", threads: int = 0
    ) -> None:
        self.config = config
        self.counts = Counts()
        self.hash = fingerprint(folder)
        self._memory = {
            name: Memory[Vector](IN_MEMORY // pooled.parts) for name, pooled in POOLINGS.items()
        }
        self._token_memory = Memory[Tokens](_TOKENS_IN_MEMORY, lambda tokens: len(tokens.ids) or 1)
        self._disk: dict[Pooling, Disk] = {}
        self._session = Session(folder / "model.onnx", provider, threads)
        self._limit = _CHARACTERS * config.max_tokens
        self._tokenizer = _tokenizer(folder / "tokenizer.json", config.max_tokens)
        self._check(folder)

    @classmethod
    def load(
        cls,
        name: str | Path = "dialogue-minilm",
        *,
        provider: str = "cpu",
        threads: int = 0,
        cache: str | Path | None = None,
    ) -> "Encoder":
        """An encoder by name, or one from a folder; ``cache`` names a folder for vectors."""
        folder = models.open_folder(name)
        models.require_weights(folder)
        kind = models.kind(folder)
        if kind != "encoder":
            raise ModelError(f"{folder}: this is a {kind!r}, not an encoder")
        config = models.decode(folder / "config.json", Config)
        encoder = cls(folder, config, provider=provider, threads=threads)
        if cache is not None:
            encoder._disk = {
                name: Disk(Path(cache), encoder.signature + sign, config.width * parts)
                for name, (_, parts, sign) in POOLINGS.items()
            }
        return encoder

    @property
    def signature(self) -> str:
        """The passport of its vectors."""
        arithmetic = f"|cpu:{cpu_arithmetic()}" if self.config.int8 else ""
        return f"{self.config.name}|sha256:{self.hash}|tokens:{self.config.max_tokens}{arithmetic}"

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
        memory = self._memory[pooling]
        vectors = self._remembered(texts, memory, lambda new: self._sentences(new, pooling))
        width = self.config.width * POOLINGS[pooling].parts
        table = np.array(vectors, dtype=np.float32).reshape(len(texts), width)
        self.counts.empty += int(np.isnan(table[:, 0]).sum())
        return table

    def stream(self, texts: Iterable[str], pooling: "Pooling" = "mean") -> Iterator[Vector]:
        """The vectors of any number of texts, in order, in bounded memory."""
        remaining = iter(texts)
        while chunk := list(islice(remaining, CHUNK)):
            yield from self.vectors(chunk, pooling)

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """Each text's tokens and their vectors; none where a text is empty."""
        nothing = Tokens((), np.empty((0, self.config.width), dtype=np.float32))
        tokens = self._remembered(
            texts, self._token_memory, lambda new: self._encoded(new, _inner, nothing)
        )
        self.counts.empty += sum(not each.ids for each in tokens)
        return tokens

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Each text's token ids, the special ones left out."""
        return [ids[1:-1] for ids, _ in self._cut(texts)]

    def spans(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Where each token of :meth:`tokens` stands in its text, as (start, end) characters."""
        begun = [self._beginning(text.strip()) for text in texts]
        shifts = [len(text) - len(text.lstrip()) for text in texts]
        return [
            [(start + shift, end + shift) for start, end in encoding.offsets[1:-1]]
            for shift, encoding in zip(shifts, self._tokenizer.encode_batch(begun), strict=True)
        ]

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

    def _sentences(self, new: dict[bytes, str], pooling: "Pooling") -> dict[bytes, Vector]:
        """The pooled tokens of each text, from disk or else from the graph."""
        disk, pooled = self._disk.get(pooling), POOLINGS[pooling]
        stored = disk.get(new) if disk is not None else {}
        missing = {each: text for each, text in new.items() if each not in stored}
        if not missing:
            return stored
        nothing = np.full(self.config.width * pooled.parts, np.nan, dtype=np.float32)
        vectors = self._encoded(missing, pooled.keep, nothing)
        if disk is not None:
            disk.put(vectors)
        return stored | vectors

    def _encoded(
        self, new: dict[bytes, str], keep: Callable[[list[int], Vectors], T], nothing: T
    ) -> dict[bytes, T]:
        """What to keep of each text's hidden states, ``nothing`` where a text is empty.

        ``keep`` is called beside the graph, on all cores, and so is quick to wait for.
        """
        keys, cuts = list(new), list(self._cut(list(new.values())))
        ids = [each for each, _ in cuts]
        self.counts.encoded += len(new)
        self.counts.truncated += sum(cut for _, cut in cuts)

        def kept(rows: list[int]) -> dict[bytes, T]:
            states = self._hidden([ids[row] for row in rows])
            return {
                keys[row]: keep(ids[row], states[at, : len(ids[row])])
                for at, row in enumerate(rows)
            }

        encoded = dict.fromkeys(new, nothing)
        for some in self._session.over(kept, batches(list(map(len, ids)))):
            encoded |= some
        return encoded

    def _cut(self, texts: Sequence[str]) -> Iterator[tuple[list[int], bool]]:
        """Each text's token ids (none if nothing is to be encoded), and whether it was cut."""
        stripped = [text.strip() for text in texts]
        begun = list(map(self._beginning, stripped))
        for text, encoding in zip(stripped, self._tokenizer.encode_batch_fast(begun), strict=True):
            cut = len(text) > self._limit or bool(encoding.overflowing)
            yield (encoding.ids if len(encoding.ids) > 2 else []), cut

    def _beginning(self, text: str) -> str:
        return mend(text[: self._limit], lambda _: None)

    def _hidden(self, ids: Sequence[Sequence[int]]) -> Vectors:
        """The hidden states of one batch, (texts, tokens, width)."""
        tokens, mask = padded(ids)
        return self._session.run("tokens", {"input_ids": tokens, "attention_mask": mask})

    def _check(self, folder: Path) -> None:
        """Tokenizer, graph and config fit: the longest text of the last word goes through."""
        inputs, outputs = self._session.inputs, self._session.outputs
        if inputs != {"input_ids", "attention_mask"} or "tokens" not in outputs:
            raise ModelError(
                f"{folder / 'model.onnx'}: not the graph of an encoder: it takes "
                f"{', '.join(sorted(inputs))} and gives {', '.join(sorted(outputs))}"
            )
        if self._tokenizer.num_special_tokens_to_add(is_pair=False) != 2:
            raise ModelError(
                f"{folder / 'tokenizer.json'}: must put one special token at each end of a text"
            )
        last = self._tokenizer.get_vocab_size() - 1
        width = self._hidden([[last] * self.config.max_tokens]).shape[-1]
        if width != self.config.width:
            raise ModelError(
                f"{folder / 'config.json'}: width is {self.config.width}, but the vectors of "
                f"model.onnx have {width}"
            )


def fingerprint(folder: Path) -> str:
    """The hash of all that an encoder's vectors depend on; heads name it."""
    external = (models.DATA,) if (folder / models.DATA).exists() else ()
    return models.fingerprint(folder, (*_FILES, *external))


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


def _inner(ids: list[int], states: Vectors) -> Tokens:
    """The tokens without the special ones at both ends."""
    return Tokens(tuple(ids[1:-1]), states[1:-1].copy())


def _tokenizer(path: Path, max_tokens: int) -> "Tokenizer":
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises plain Exception
        raise ModelError(f"{path}: cannot be read: {error}") from None
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return tokenizer
