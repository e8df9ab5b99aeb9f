"""Replies of a language model, each made once and kept.

A reply takes a second or two on a CPU, so they are kept in a file beside the other caches, one JSON
line each, under the digest of model, sampling, seed and context. A run that is stopped has lost at
most the replies it was drawing, and whoever asks for the same ones again waits no longer.
"""

from collections.abc import Callable, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path

import msgspec

from .. import atomic
from ..corpora.files import cache_folder
from ..dialogue import Dialogue
from ..errors import InputError
from ..manipulate.manipulation import seeded
from . import language_model
from .language_model import LanguageModel, Sampling

#: As many replies as are ever made for one training run.
_LIMIT = 20_000
#: Replies that are drawn together.
_TOGETHER = 16
#: Short answers to the last turn alone: on a CPU a reply takes as long as all that is read for it.
_SHORT = Sampling(turns=1, max_tokens=24)


class _Line(msgspec.Struct, frozen=True):
    """A kept reply."""

    key: str
    reply: str


def one_each(
    dialogues: Sequence[Dialogue], model: str, count: int, seed: int
) -> dict[tuple[int, int], str]:
    """What a language model says at one place of each of some dialogues: (number, place) -> text.

    ``model`` is named as in :mod:`.language_model`; no name, no replies.
    """
    wanted = min(count, _LIMIT)
    if not model or not wanted:
        return {}
    long = [number for number, dialogue in enumerate(dialogues) if len(dialogue.turns) > 1]
    chosen = sorted(long, key=lambda at: seeded(seed, dialogues[at].id).random())[:wanted]
    places = []
    for at in chosen:
        rng = seeded(seed, "reply", dialogues[at].id)
        places.append((at, rng.randrange(1, len(dialogues[at].turns))))
    contexts = [[turn.text for turn in dialogues[at].turns[:place]] for at, place in places]
    replies = _store(model).replies(contexts, seed)
    return {place: text for place, text in zip(places, replies, strict=True) if text.strip()}


def _store(name: str) -> "Generated":
    """The replies of a language model that are kept, and will be."""
    if name == language_model.NAME and not language_model.available():
        field, remedy = "settings.language_model", language_model.INSTALL
        raise InputError("smollm2 is not installed", field=field, remedy=remedy)
    path = cache_folder() / "generated" / f"{Path(name).name}.jsonl"
    return Generated(path, lambda: language_model.load(name), name, _SHORT)


class Generated:
    """A file of replies; the model is loaded when one is asked for that is not there."""

    def __init__(
        self,
        path: Path,
        load: Callable[[], LanguageModel],
        name: str,
        sampling: Sampling = language_model.USUAL,
    ) -> None:
        self.path, self._model, self._name = path, cache(load), name
        self._sampling, self._kept = sampling, _read(path)

    def replies(self, contexts: Sequence[Sequence[str]], seed: int) -> list[str]:
        """A reply to each context."""
        shown = [context[-self._sampling.turns :] for context in contexts]
        keys = [self._key(context, seed) for context in shown]
        new = {key: at for at, key in enumerate(keys) if key not in self._kept}
        # Contexts of one length together: less padding.
        waiting = sorted(new.values(), key=lambda at: len(" ".join(shown[at])))
        for start in range(0, len(waiting), _TOGETHER):
            some = waiting[start : start + _TOGETHER]
            texts = self._model().replies([shown[at] for at in some], seed, self._sampling)
            self._keep([_Line(keys[at], text) for at, text in zip(some, texts, strict=True)])
        return [self._kept[key] for key in keys]

    def _key(self, context: Sequence[str], seed: int) -> str:
        asked = (self._name, msgspec.to_builtins(self._sampling), seed, context)
        return blake2b(msgspec.json.encode(asked), digest_size=12).hexdigest()

    def _keep(self, lines: Sequence[_Line]) -> None:
        self._kept |= {line.key: line.reply for line in lines}
        with atomic.reporting(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                # Each after a line end of its own: what a kill cut short spoils nothing else.
                file.write(b"".join(b"\n" + msgspec.json.encode(line) for line in lines))
                atomic.sync(file)


def _read(path: Path) -> dict[str, str]:
    """What a file holds; a line that a kill cut short does not count."""
    replies: dict[str, str] = {}
    if path.is_file():
        for line in path.read_bytes().splitlines():
            try:
                kept = msgspec.json.decode(line, type=_Line)
            except msgspec.DecodeError:
                continue
            replies[kept.key] = kept.reply
    return replies
