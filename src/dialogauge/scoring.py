"""Dialogues and metrics in, scores out; in memory, or to a file that survives being killed.

``score`` gives a table. ``score_to`` writes one as it goes: rows are appended to
``OUT.partial`` and the file takes its name when the last row is written. Killed and started again
with the same input and metrics, it checks the rows that are there against the input, drops a
half-written last line, and goes on; the result is byte for byte that of an uninterrupted run.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, cast

import msgspec

from . import atomic
from .dialogue import Dialogue
from .encode import Encoder
from .encode.batching import chunks
from .errors import DialogaugeError, OutputError
from .formats import Dialogues
from .ids import unique
from .metrics import DEFAULT, Metric, aggregate, checked, checked_values, earlier, load
from .metrics.functions import FunctionMetric
from .scores import Row, Score, Scores, files, row_of

Metrics = str | Metric | Sequence[str | Metric]

#: A batch is at most this many dialogues and, unless it is a single one, this many characters.
BATCH, BATCH_CHARACTERS = 256, 2_000_000

_NAME = re.compile(r"[A-Za-z0-9][\w-]*")


def score(
    dialogues: Iterable[Dialogue],
    metrics: Metrics = DEFAULT,
    *,
    aggregate: str | None = None,
    turns: bool = True,
    encoder: str | None = None,
) -> Scores:
    """Score dialogues with one or more metrics.

    A metric is a name (``dialogauge.metrics.names()``), a folder of a trained one,
    ``"module:Class"``, or an object. ``aggregate`` (mean, sum, max, product) says how turn scores
    become the dialogue's, where a metric scores turns. ``turns=False`` lets a metric leave out
    turns that cost it extra, if no value depends on them. ``encoder`` names another than the one
    that ships, for metrics that read one. What was not read, because it was too long or not known,
    a :class:`Run` tells: ``run = Run.of(metrics, None)``, ``run.scores(dialogues)``, then
    ``run.unread``.
    """
    return Run.of(metrics, aggregate, turns, encoder).scores(dialogues)


class Unread(msgspec.Struct, frozen=True):
    """What metrics were given and did not read: too long, or not known to an encoder."""

    texts: int  # distinct ones that an encoder did not read in full
    characters: int  # of these, that it did not read
    turns: dict[str, int]  # by metric: those before the last ones of a dialogue, which it scores
    #: By metric that compares the beginning of a response with that of references: the characters
    #: behind these.
    compared: dict[str, int]


class Run(msgspec.Struct, frozen=True):
    """The metrics of a run, ready to score."""

    metrics: tuple[Metric, ...]
    aggregate: str | None
    turns: bool = True  # whether turns are shown
    _earlier: Counter[str] = msgspec.field(default_factory=Counter[str])

    @classmethod
    def of(
        cls, metrics: Metrics, how: str | None, turns: bool = True, encoder: str | None = None
    ) -> "Run":
        """Load what is named and check that the columns can be told apart."""
        one = isinstance(metrics, str) or not isinstance(metrics, Sequence)
        asked = cast("Sequence[str | Metric]", [metrics] if one else metrics)
        if encoder and not all(isinstance(item, str) for item in asked):
            raise DialogaugeError("an encoder is chosen for metrics that are named: name them all")
        loaded = tuple(
            load(item, encoder=encoder) if isinstance(item, str) else item for item in asked
        )
        names = [metric.name for metric in loaded]
        if not names:
            raise DialogaugeError("no metric was named")
        for name in names:
            if not _NAME.fullmatch(name) or name in files.FIELDS:
                raise DialogaugeError(f"a metric cannot be called {name!r}: letters, digits, -")
            if names.count(name) > 1:
                raise DialogaugeError(f"two metrics are called {name!r}")
        if how is not None:
            aggregate(Score(math.nan), how)  # an unknown name is an error before any work
        return cls(loaded, how, turns)

    @property
    def signatures(self) -> dict[str, str]:
        """Each column's passport."""
        suffix = f"|aggregate:{self.aggregate}" if self.aggregate else ""
        return {metric.name: metric.signature + suffix for metric in self.metrics}

    @property
    def unread(self) -> Unread:
        """What was not read, of all that was scored; not of rows that an earlier run left.

        A text counts once, whatever metrics and encoders read it, and however often it occurs. Of
        texts it is all that these encoders met since they were loaded: in a command, this run.
        """
        texts: dict[bytes, int] = {}
        for metric in self.metrics:
            encoder = getattr(metric, "encoder", None)
            if isinstance(encoder, Encoder):
                for text, characters in encoder.counts.unread.items():
                    texts[text] = max(characters, texts.get(text, 0))
        compared = {
            each.name: sum(each.unread.values())
            for each in self.metrics
            if isinstance(each, FunctionMetric) and each.unread
        }
        return Unread(len(texts), sum(texts.values()), dict(+self._earlier), compared)

    def scores(self, dialogues: Iterable[Dialogue]) -> Scores:
        """All of them as a table."""
        rows = [row for batch in self.batches(_once(dialogues)) for row in batch]
        return Scores(self.signatures, tuple(rows))

    def batches(self, dialogues: Iterable[Dialogue]) -> Iterator[list[Row]]:
        """Rows in order, a batch at a time."""
        scored = checked if self.turns or self.aggregate else checked_values
        for batch in chunks(dialogues, BATCH, BATCH_CHARACTERS, _characters):
            spoken = [dialogue.spoken for dialogue in batch]
            columns = {metric.name: scored(metric, spoken) for metric in self.metrics}
            self._earlier.update({each.name: earlier(each, spoken) for each in self.metrics})
            yield [
                row_of(
                    dialogue,
                    {name: self._finished(dialogue, columns[name][at]) for name in columns},
                )
                for at, dialogue in enumerate(batch)
            ]

    def _finished(self, dialogue: Dialogue, score: Score) -> Score:
        if self.aggregate and score.turns:
            score = aggregate(score, self.aggregate)
        spoken = [at for at, turn in enumerate(dialogue.turns) if not turn.aside]
        if len(spoken) == len(dialogue.turns):
            return score
        # asides were not shown to the metric: they have no score, and it did not count them
        values = dict(zip(spoken, score.turns, strict=False))
        turns = tuple(values.get(at, math.nan) for at in range(len(dialogue.turns)))
        causes = tuple(
            msgspec.structs.replace(cause, turn=spoken[cause.turn]) for cause in score.causes
        )
        return msgspec.structs.replace(score, turns=turns if values else (), causes=causes)


def score_to(
    out: str | Path,
    dialogues: Iterable[Dialogue],
    metrics: Metrics | Run,
    *,
    aggregate: str | None = None,
    encoder: str | None = None,
    force: bool = False,
    advance: Callable[[Row], None] = lambda row: None,
) -> int:
    """Score into a JSONL, CSV or Parquet file, resuming an interrupted run; how many rows it has.

    An existing ``out`` is finished work and is only replaced with ``force``, which also throws
    away what an interrupted run left. ``advance`` is called for each row, old or new. A run in
    place of metrics knows afterwards what was not read, and brings its own ``aggregate``.
    """
    run = metrics if isinstance(metrics, Run) else Run.of(metrics, aggregate, encoder=encoder)
    path = Path(out)
    if path.suffix not in files.LAYOUTS:
        raise OutputError(f"{path}: the ending must be one of {', '.join(files.LAYOUTS)}")
    if path.exists() and not force:
        raise OutputError(f"{path} exists: name another file, or say --force to replace it")
    partial = path.with_name(path.name + ".partial")
    with atomic.reporting(path):
        if force:
            partial.unlink(missing_ok=True)
        with partial.open("ab+") as file:
            atomic.lock(file, path)
            count = _fill(file, run, _once(dialogues), advance)
            atomic.sync(file)
            _publish(partial, path)
    return count


def _characters(dialogue: Dialogue) -> int:
    return sum(len(turn.text) for turn in dialogue.turns)


def _once(dialogues: Iterable[Dialogue]) -> Iterator[Dialogue]:
    """The dialogues, their ids checked (a reader has done that already)."""
    return iter(dialogues) if isinstance(dialogues, Dialogues) else unique(dialogues)


def _fill(
    file: IO[bytes],
    run: Run,
    dialogues: Iterator[Dialogue],
    advance: Callable[[Row], None],
) -> int:
    """Bring the partial file up to the last dialogue; how many rows it has then."""
    count = 0
    for row in _kept(file, run.signatures, dialogues):
        count += 1
        advance(row)
    for batch in run.batches(dialogues):
        file.write(b"".join(map(files.row_line, batch)))
        file.flush()  # with the kernel now: a kill costs at most one batch
        count += len(batch)
        for row in batch:
            advance(row)
    return count


def _kept(
    file: IO[bytes], signatures: Mapping[str, str], dialogues: Iterator[Dialogue]
) -> Iterator[Row]:
    """The rows an interrupted run left, checked against the input, which is read along.

    Leaves the file cut behind its last whole row, or with a fresh header.
    """
    header = files.header_line(signatures)
    file.seek(0)
    first = file.readline()
    if first != header:
        if first.endswith(b"\n"):
            raise OutputError(
                f"{file.name} is of another run (other metrics, settings or version): finish that "
                "one, or say --force to throw it away"
            )
        file.truncate(0)  # killed while it wrote the header, or new
        file.write(header)
        return
    end = file.tell()
    while row := _whole_row(file):
        dialogue = next(dialogues, None)
        if dialogue is None or (dialogue.id, dialogue.digest) != (row.id, row.digest):
            raise OutputError(
                f"{file.name} was made from other input (its row {row.id[:80]!r} does not fit): "
                "say --force to start again"
            )
        end = file.tell()
        yield row
    file.truncate(end)
    file.seek(end)


def _whole_row(file: IO[bytes]) -> Row | None:
    line = file.readline()
    try:
        return msgspec.json.decode(line, type=Row) if line.endswith(b"\n") else None
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _publish(partial: Path, path: Path) -> None:
    """Give the finished table its name, in the layout that name asks for."""
    if path.suffix == ".jsonl":
        partial.replace(path)
        return
    with partial.open("rb") as file:
        signatures, rows = files.read_jsonl(file)
        files.save(path, signatures, rows)
    partial.unlink()
