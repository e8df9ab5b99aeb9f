"""``read``: any transcript as a re-iterable stream of dialogues, with an account of it."""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path, PurePath
from typing import Literal

import msgspec

from .. import atomic
from ..dialogue import Dialogue, encode
from ..errors import InputError, RecordError, UnknownNameError
from ..ids import Fingerprints, repeated
from . import detect
from .records import Record
from .streams import Source, Stream, sources

OnError = Literal["stop", "skip"]

#: How many suspected repetitions are looked up before a fingerprint is taken at its word.
#: After a hundred real ones, another is billions of times likelier than a 64-bit accident.
_LOOK_UPS = 100


class Counts(msgspec.Struct):
    """What happened while reading: dialogues read, records skipped, characters replaced."""

    files: int = 0
    read: int = 0
    skipped: int = 0
    replaced: int = 0

    def replace(self, count: int) -> None:
        """Count characters that were not Unicode and became U+FFFD."""
        self.replaced += count


class _Options(msgspec.Struct, frozen=True):
    """How to read: a forced format, what to do with a bad record, where it goes."""

    format: str | None = None
    on_error: OnError = "stop"
    rejects: Path | None = None
    columns: Mapping[str, str] = {}


class Dialogues:
    """Dialogues of one or more files, read anew by each iteration; ``counts`` are of the last."""

    def __init__(self, paths: str | Path | Sequence[str | Path], options: _Options) -> None:
        if options.format is not None:
            detect.named(options.format)  # a misspelt name is an error now, not at the first file
        self._sources = sources(paths)
        self._options = options
        self._pass = _Pass(self._sources, options)

    @property
    def counts(self) -> Counts:
        """The account of the last (or current) iteration."""
        return self._pass.counts

    @property
    def size(self) -> int:
        """Bytes of all files, 0 when some cannot be known."""
        sizes = [source.size for source in self._sources]
        return sum(sizes) if all(sizes) else 0

    def tell(self) -> int:
        """Bytes of the files read so far in this iteration, for a progress bar."""
        return self._pass.tell()

    def __iter__(self) -> Iterator[Dialogue]:
        reading = self._pass = _Pass(self._sources, self._options)
        counts = reading.counts
        seen, look_ups = Fingerprints(), 0
        with ExitStack() as stack:
            path = self._options.rejects
            rejects = stack.enter_context(atomic.writing(path)) if path else None
            for number, (record, item) in enumerate(reading):
                outcome = item
                if isinstance(item, Dialogue) and seen.add(item.id):
                    look_ups += 1
                    if look_ups > _LOOK_UPS or self._occurs(item.id, number):
                        outcome = reading.located(record, repeated(item.id))
                if isinstance(outcome, Dialogue):
                    counts.read += 1
                    yield outcome
                elif self._options.on_error == "stop":
                    raise outcome
                else:
                    counts.skipped += 1
                    if rejects:
                        rejects.write(_rejected(record, outcome))
        if not counts.read:
            why = f": all {counts.skipped} records are bad" if counts.skipped else ""
            names = ", ".join(source.name for source in self._sources[:3])
            raise InputError(f"there is no dialogue to read{why}", file=names)

    def _occurs(self, id: str, before: int) -> bool:
        """Whether one of the first records really has this id: they are read again to see."""
        again = itertools.islice(_Pass(self._sources, self._options), before)
        return any(isinstance(item, Dialogue) and item.id == id for _, item in again)


def read(
    paths: str | Path | Sequence[str | Path],
    *,
    format: str | None = None,
    on_error: OnError = "stop",
    rejects: str | Path | None = None,
    columns: Mapping[str, str] | None = None,
) -> Dialogues:
    """The dialogues of a file, folder, glob, list of them, or ``-`` for standard input.

    The format is recognised unless one is named (see ``FORMATS``). A bad record stops the reading
    with one error that names file, line and field; with ``on_error="skip"`` it is counted in
    ``counts``, written to the ``rejects`` file when one is given, and nothing else is lost.
    ``columns`` says what a table's columns hold, e.g. ``{"text": "utterance_body"}``.
    """
    if on_error not in ("stop", "skip"):
        raise UnknownNameError("on_error policy", on_error, ("stop", "skip"))
    where = None if rejects is None else Path(rejects)
    return Dialogues(paths, _Options(format, on_error, where, columns or {}))


def write(dialogues: Iterable[Dialogue], path: str | Path) -> int:
    """Write native JSONL, whole or not at all; how many dialogues it holds."""
    count = 0
    with atomic.writing(Path(path)) as file:
        for dialogue in dialogues:
            file.write(encode(dialogue) + b"\n")
            count += 1
    return count


class _Pass:
    """One reading of all files: each record with its dialogue, or with what is wrong with it."""

    def __init__(self, sources: Sequence[Source], options: _Options) -> None:
        self._sources, self._options = sources, options
        self._source = sources[0]
        self._stream: Stream | None = None
        self._done = 0
        self.counts = Counts()

    def tell(self) -> int:
        return self._done + (self._stream.tell() if self._stream else 0)

    def __iter__(self) -> Iterator[tuple[Record, Dialogue | RecordError]]:
        for source, short in zip(self._sources, _short_names(self._sources), strict=True):
            self._source = source
            self.counts.files += 1
            try:
                yield from self._file(source, short)
            except InputError as error:  # the file itself: empty, damaged, of no known format
                record = Record(error.line, b"")
                yield record, self.located(record, error)
            self._done += source.size
            self._stream = None

    def _file(self, source: Source, short: str) -> Iterator[tuple[Record, Dialogue | RecordError]]:
        with source.open() as stream:
            head = detect.look(stream)
        forced = self._options.format
        format = detect.named(forced) if forced else detect.recognised(head)
        cut, parse = format.cut(head, self._options.columns), format.parse(head)
        with source.open() as self._stream:
            for number, record in enumerate(cut(self._stream.bytes), 1):
                try:
                    if isinstance(record.value, RecordError):
                        raise record.value
                    dialogue = parse(record, f"{short}:{number}", self.counts.replace)
                except RecordError as error:
                    yield record, self.located(record, error)
                else:
                    yield record, dialogue

    def located(self, record: Record, error: InputError) -> RecordError:
        """The error with its place in the file that is being read."""
        name, line = self._source.name, error.line or record.line
        return RecordError(
            error.problem, file=name, line=line, field=error.field, remedy=error.remedy
        )


def _rejected(record: Record, error: RecordError) -> bytes:
    """A record that could not be read, as a line of the reject file."""
    text = record.raw.decode("utf-8", "replace")
    reject = {"file": error.file, "line": error.line, "error": str(error), "record": text}
    return msgspec.json.encode(reject) + b"\n"


def _short_names(sources: Sequence[Source]) -> list[str]:
    """What ids begin with where a file has none: its stem, if no other file has the same."""
    stems = [PurePath(source.name).name.split(".")[0] or source.name for source in sources]
    repeated = {stem for stem, times in Counter(stems).items() if times > 1}
    pairs = zip(sources, stems, strict=True)
    return [source.name if stem in repeated else stem for source, stem in pairs]
