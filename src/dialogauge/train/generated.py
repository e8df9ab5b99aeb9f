"""Replies of a language model, each made once and kept.

A reply takes a second or two on a CPU, so they are kept in a file beside the other caches, one JSON
line each, under the digest of model, sampling, seed and context. A run that is stopped has lost at
most the replies it was drawing, and whoever asks for the same ones again waits no longer.
"""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path

import msgspec

from .. import atomic
from .causal import LanguageModel, Sampling

#: As many replies as are ever made for one training run.
LIMIT = 20_000
#: Replies that are drawn together.
TOGETHER = 16

Load = Callable[[], LanguageModel]


class Line(msgspec.Struct, frozen=True):
    """A kept reply."""

    key: str
    reply: str


class Generated:
    """A file of replies; the model is loaded when one is asked for that is not there."""

    def __init__(self, path: Path, load: Load, name: str, sampling: Sampling | None = None) -> None:
        self.path, self._load, self._name = path, load, name
        self.sampling = sampling or Sampling()
        self._model: LanguageModel | None = None
        self._known = _read(path)

    def replies(
        self,
        contexts: Sequence[Sequence[str]],
        seed: int,
        step: Callable[[int], None] | None = None,
    ) -> list[str]:
        """A reply to each context; ``step`` is told how many more are there now."""
        keys = [self._key(context, seed) for context in contexts]
        new = {key: at for at, key in enumerate(keys) if key not in self._known}
        # Contexts of one length together: less padding.
        waiting = sorted(new.values(), key=lambda at: len(" ".join(contexts[at][-self._turns :])))
        for start in range(0, len(waiting), TOGETHER):
            some = waiting[start : start + TOGETHER]
            made = self._generator().replies([contexts[at] for at in some], seed, self.sampling)
            self._keep([Line(keys[at], text) for at, text in zip(some, made, strict=True)])
            if step:
                step(len(some))
        return [self._known[key] for key in keys]

    @property
    def _turns(self) -> int:
        return self.sampling.turns

    def _generator(self) -> LanguageModel:
        self._model = self._model or self._load()
        return self._model

    def _key(self, context: Sequence[str], seed: int) -> str:
        told = (self._name, msgspec.to_builtins(self.sampling), seed, context[-self._turns :])
        return blake2b(msgspec.json.encode(told), digest_size=12).hexdigest()

    def _keep(self, lines: Sequence[Line]) -> None:
        self._known |= {line.key: line.reply for line in lines}
        with atomic.reporting(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                # Each after a line end of its own: what a kill cut short spoils nothing else.
                file.write(b"".join(b"\n" + msgspec.json.encode(line) for line in lines))
                atomic.sync(file)


def _read(path: Path) -> dict[str, str]:
    """What a file holds; a line that a kill cut short does not count."""
    known: dict[str, str] = {}
    if path.is_file():
        for line in path.read_bytes().splitlines():
            try:
                found = msgspec.json.decode(line, type=Line)
            except msgspec.DecodeError:
                continue
            known[found.key] = found.reply
    return known
