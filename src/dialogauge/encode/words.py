"""Words that a tokenizer gives up, and how they are read all the same.

WordPiece knows no half of a word: one of more than 100 characters, or with one sign that is not in
its vocabulary, becomes a single [UNK], whatever else it says. In a language without spaces that is
a whole turn, and two different ones are then the same. A text in which it happens is tokenized
anew with such words cut: signs that the vocabulary lacks stand alone, and the rest is at most as
long as a word may be. Any other text is tokenized as it always was.

Some signs do not come so far: BERT's tokenizers take U+FFFD and private use out of a text first,
with control characters. Of these signs somebody wrote something, so that they are counted.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ..errors import ModelError

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

#: What a tokenizer may take out before it looks for words: U+FFFD, and private use.
_DROPPED = re.compile("[\ufffd\ue000-\uf8ff\U000f0000-\U0010ffff]")


class Words:
    """The tokenizer of a file, which truncates texts to pages of at most ``max_tokens``."""

    def __init__(self, path: Path, max_tokens: int) -> None:
        self._tokenizer = _tokenizer(path, max_tokens)
        self._unknown = _unknown(self._tokenizer, path)
        self._path, self._max_tokens = path, max_tokens
        if self._tokenizer.num_special_tokens_to_add(is_pair=False) != 2:
            raise ModelError(f"{path}: must put one special token at each end of a text")

    @property
    def vocabulary(self) -> int:
        """How many different tokens there are."""
        return self._tokenizer.get_vocab_size()

    def encode(self, texts: Sequence[str]) -> "list[Encoding]":
        """The tokens of each text; where they stand only if one is unknown: that is quicker."""
        encodings = self._tokenizer.encode_batch_fast(texts)
        return [
            self.placed(text) if self._gives_up(encoding) else encoding
            for text, encoding in zip(texts, encodings, strict=True)
        ]

    def placed(self, text: str) -> "Encoding":
        """The tokens of a text and where they stand."""
        encoding = self._tokenizer.encode(text)
        return self._cutting.encode(text) if self._gives_up(encoding) else encoding

    def unknown(self, text: str, encoding: "Encoding") -> int:
        """How many characters of a text within one page are in no token that is known."""
        dropped = 0 if text.isascii() or not self._drops else len(_DROPPED.findall(text))
        if not self._gives_up(encoding):
            return dropped
        places = zip(encoding.ids, encoding.offsets, strict=True)
        unknown = {at for token, span in places if token == self._unknown for at in range(*span)}
        return dropped + len(unknown)

    def says_nothing(self, encoding: "Encoding") -> bool:
        """Whether a page has no token that is known, the special ones aside."""
        return all(token == self._unknown for token in encoding.ids[1:-1])

    @cached_property
    def _drops(self) -> bool:
        normalizer = self._tokenizer.normalizer
        return normalizer is not None and not normalizer.normalize_str("\ufffd\ue000")

    @cached_property
    def _cutting(self) -> "Tokenizer":
        return _cutting(_tokenizer(self._path, self._max_tokens))

    def _gives_up(self, encoding: "Encoding") -> bool:
        return self._unknown in encoding.ids or any(map(self._gives_up, encoding.overflowing))


class _Unigram(msgspec.Struct):
    """The part of its file that the library does not tell."""

    unk_id: int | None = None


class _File(msgspec.Struct):
    """A tokenizer.json."""

    model: _Unigram


def _unknown(tokenizer: "Tokenizer", path: Path) -> int | None:
    """The id of the token that stands for what is not known; None if there is no such token."""
    from tokenizers import models

    if isinstance(tokenizer.model, models.Unigram):
        return msgspec.json.decode(path.read_bytes(), type=_File).model.unk_id
    return tokenizer.token_to_id(getattr(tokenizer.model, "unk_token", None) or "")


def _cutting(tokenizer: "Tokenizer") -> "Tokenizer":
    """The tokenizer, changed to cut words that it would give up; only WordPiece gives up any."""
    from tokenizers import Regex, models, pre_tokenizers

    model = tokenizer.model
    if not isinstance(model, models.WordPiece) or tokenizer.pre_tokenizer is None:
        return tokenizer
    tokens, inside = tokenizer.get_vocab(), model.continuing_subword_prefix
    signs = {token for token in tokens if len(token) == 1}
    anywhere = {sign for sign in signs if inside + sign in tokens}
    cuts = [f"[^{_class(signs)}]+"] if signs else []
    cuts += [f"[{_class(signs - anywhere)}]"] if signs - anywhere else []
    cuts += [f"[{_class(anywhere)}]{{{model.max_input_chars_per_word}}}"] if anywhere else []
    if cuts:
        split = pre_tokenizers.Split(Regex("|".join(cuts)), "isolated")
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([tokenizer.pre_tokenizer, split])
    return tokenizer


def _class(signs: Iterable[str]) -> str:
    """What stands for these between the brackets of a regular expression."""
    return "".join(rf"\x{{{ord(sign):x}}}" for sign in sorted(signs))


def _tokenizer(path: Path, max_tokens: int) -> "Tokenizer":
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises plain Exception
        raise ModelError(f"{path}: cannot be read: {error}") from None
    tokenizer.encode_special_tokens = True  # "</s>" in a text is what somebody wrote
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return tokenizer
