"""``dialogauge manipulate``: dialogues in, damaged (or harmlessly changed) ones out."""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, cast

import msgspec
import typer

from .. import atomic, corpora
from ..dialogue import Dialogue, encode
from ..errors import DialogaugeError, InputError, OutputError
from ..formats import FORMATS, read
from .console import Json, Quiet, emit, err, listed, out, progress, remark, wants_table

if TYPE_CHECKING:
    from ..contrast import Counts
    from ..formats import Dialogues
    from ..manipulate.edited import Edited
    from ..manipulate.pool import Pool, Reply, Translate
    from ..report.edits import Example

#: How many dialogues a pool holds, drawn from all that it is given.
POOL = 5_000
#: How many examples of each manipulation a page shows.
ON_A_PAGE = 50


Paths = Annotated[
    list[str] | None,
    typer.Argument(help="Files, folders, globs, - for standard input, or a corpus."),
]
What = Annotated[
    list[str] | None,
    typer.Option("--with", "-w", help="Manipulations, papers or all; with commas for several."),
]
Number = Annotated[
    int, typer.Option(min=1, help="For each dialogue: edits of each kind, or contrasts.")
]
Seed = Annotated[int, typer.Option(help="The same seed gives the same edits.")]
Severity = Annotated[
    int | None, typer.Option(min=1, max=5, help="How hard: 1 to 5 fifths of a dialogue.")
]
Sample = Annotated[
    int | None, typer.Option(min=1, help="Edit so many dialogues only, drawn at random.")
]
Contrasts = Annotated[
    bool, typer.Option("--contrasts", help="Pairs of a better and a worse dialogue instead.")
]
From = Annotated[
    str | None, typer.Option("--pool", help="Where foreign turns come from (default: the input).")
]
Model = Annotated[
    str | None, typer.Option(help="Writes replies: smollm2, or a folder (extra train).")
]
Translator = Annotated[
    str | None, typer.Option(help="There and back: apertium, or two models, THERE,BACK.")
]
To = Annotated[
    Path | None, typer.Option("--out", "-o", help="Write JSONL here instead of printing it.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that exists.")]
Show = Annotated[bool, typer.Option("--show", help="Show each edit, before and after.")]
Html = Annotated[Path | None, typer.Option(help="Write a page to review the edits by eye.")]
Format = Annotated[str | None, typer.Option(help=f"Force a format: {', '.join(FORMATS)}.")]
ListAll = Annotated[bool, typer.Option("--list", help="List the manipulations.")]


class Made(msgspec.Struct, frozen=True):
    """One edit that was made: its name, both dialogues, and its line of output."""

    name: str
    original: Dialogue
    edited: "Edited"
    line: bytes


class Asked(msgspec.Struct, frozen=True):
    """What is to be made of each dialogue."""

    names: list[str]
    n: int
    seed: int
    severity: int | None
    contrasts: bool


def run(
    paths: Paths = None,
    what: What = None,
    n: Number = 1,
    seed: Seed = 0,
    severity: Severity = None,
    sample: Sample = None,
    contrasts: Contrasts = False,
    pool: From = None,
    language_model: Model = None,
    translator: Translator = None,
    to: To = None,
    force: Force = False,
    show: Show = False,
    html: Html = None,
    format: Format = None,
    list_all: ListAll = False,
    json: Json = None,
    quiet: Quiet = False,
) -> None:
    """Damage dialogues, or change them without harm, in every known way.

    Prints each edit before and after on a terminal and edited dialogues as JSONL in a pipe. What
    was asked, what applied and why the rest did not is counted at the end. Ctrl-C keeps what is
    finished.
    """
    if list_all:
        _list(json)
        return
    from ..contrast import Counts

    asked = Asked(_names(what), n, seed, severity, contrasts)
    work = _contrasts(asked) if contrasts else _edits(asked)
    for path in filter(None, (to, html)):
        _check(path, force)
    given = _read(paths or [], format)
    material = _pool(_read([pool], None) if pool else given, seed, language_model, translator)
    if sample is not None:
        given = cast("Dialogues", Held(_drawn(given, sample, seed)))
    seen = show or (to is None and html is None and wants_table(json))
    sinks = Sinks(to, html, seen)
    hidden = quiet or (seen and sys.stdout.isatty())  # a bar among what is shown would break it
    counts = Counts()
    with progress("editing", given, hidden) as step:
        stopped = sinks.fill(work(_counted(given, step), material, counts))
    sinks.close()
    _account(counts, quiet)
    if stopped:
        remark("stopped; what was finished is kept", quiet)
        raise stopped


def _check(path: Path, force: bool) -> None:
    """An error now and not after the work."""
    if path.exists() and not force:
        raise OutputError(f"{path} exists: name another file, or say --force to replace it")
    if not path.parent.is_dir():
        raise OutputError(f"{path}: cannot be written: there is no folder {path.parent}")


#: Dialogues, a pool and counters to the edits that are made.
Work = Callable[[Iterable[Dialogue], "Pool", "Counts"], Iterator[Made]]


def _edits(asked: Asked) -> Work:
    """Each manipulation that is named, so many times of each dialogue."""
    from ..contrast import renamed
    from ..manipulate.edited import Edited
    from ..manipulate.mixtures import chosen, several

    manipulations = chosen(asked.names, asked.severity)

    def work(dialogues: Iterable[Dialogue], pool: "Pool", counts: "Counts") -> Iterator[Made]:
        for dialogue in dialogues:
            for each in manipulations:
                made = several(each, dialogue, pool, asked.n, asked.seed, counts.tally)
                for number, edited in made:
                    named = renamed(edited, f"{dialogue.id}~{each.name}~{number}")
                    yield Made(each.name, dialogue, Edited(named, edited.changes), encode(named))

    return work


def _contrasts(asked: Asked) -> Work:
    """So many contrasts of each dialogue, drawn from all that is named."""
    from ..contrast import Drawing, contrasts
    from ..contrast import encode as written
    from ..manipulate.edited import Edited
    from ..manipulate.mixtures import mixed

    mixture, drawing = mixed(asked.names, asked.severity), Drawing(asked.n, asked.seed)

    def work(dialogues: Iterable[Dialogue], pool: "Pool", counts: "Counts") -> Iterator[Made]:
        for pair in contrasts(dialogues, mixture, pool, drawing, counts):
            yield Made(pair.cause, pair.better, Edited(pair.worse, pair.changes), written(pair))

    return work


class Sinks:
    """Where edits go: a file or standard output, the terminal, a page."""

    def __init__(self, to: Path | None, html: Path | None, seen: bool) -> None:
        self.to, self.html, self.seen = to, html, seen
        self._examples: dict[str, list[Example]] = defaultdict(list)
        self._more = 0

    def fill(self, edits: Iterable[Made]) -> KeyboardInterrupt | DialogaugeError | None:
        """Take every edit; what ended it before its time, which keeps those that came before."""
        with ExitStack() as stack:
            file: IO[bytes] | None = None
            if self.to is not None:
                file = stack.enter_context(atomic.writing(self.to))
            elif not self.seen and self.html is None:
                file = sys.stdout.buffer
            try:
                for made in edits:
                    if file is not None:
                        file.write(made.line + b"\n")
                    if self.seen or self.html is not None:
                        self._show(made)
            except OutputError:
                raise
            except (KeyboardInterrupt, DialogaugeError) as stopped:
                return stopped
        return None

    def _show(self, made: Made) -> None:
        from .edit_views import example, shown

        lines = example(made.original, made.edited)
        if self.seen:
            out().print(shown(lines))
        if self.html is not None and len(self._examples[made.name]) < ON_A_PAGE:
            self._examples[made.name].append(lines)
        else:
            self._more += self.html is not None

    def close(self) -> None:
        """Write the page."""
        if self.html is None:
            return
        from ..report.edits import Chapter, page

        chapters = (
            Chapter(name, _about(name), tuple(examples))
            for name, examples in self._examples.items()
        )
        with atomic.writing(self.html) as file:
            for part in page("Edited dialogues", chapters):
                file.write(part.encode("utf-8", "replace"))
        if self._more:
            remark(f"{self.html}: {ON_A_PAGE} of each kind; {self._more:,} more are not shown")


def _about(name: str) -> str:
    from ..manipulate.catalogue import MANIPULATIONS

    known = [MANIPULATIONS.get(step.partition("@")[0]) for step in name.split("+")]
    return " ".join(f"{it.about} ({it.source}; expected: {it.expect})" for it in known if it)


def _names(what: list[str] | None) -> list[str]:
    names = listed(what)
    if not names:
        raise DialogaugeError("name what to do with --with (dialogauge manipulate --list)")
    if any(":" in name for name in names):
        sys.path.insert(0, str(Path.cwd()))  # a module of the user's own lies where they stand
    return names


class Held:
    """Dialogues in memory, with what a progress bar asks of a reader."""

    def __init__(self, dialogues: Iterable[Dialogue]) -> None:
        self._dialogues = tuple(dialogues)
        self._at = 0

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self._dialogues)

    def tell(self) -> int:
        """How many were read in this iteration."""
        return self._at

    def __iter__(self) -> Iterator[Dialogue]:
        for number, dialogue in enumerate(self._dialogues, 1):
            self._at = number
            yield dialogue


def _read(paths: list[str], format: str | None) -> "Dialogues":
    """A corpus by its name, or whatever ``score`` reads."""
    if not paths:
        raise InputError("name what to edit: a file, a folder, a glob, a corpus, or - for stdin")
    named = [path for path in paths if path in corpora.names() and not Path(path).exists()]
    if not named:
        return read(paths, format=format)
    if len(named) < len(paths):
        raise InputError("corpora and files cannot be mixed", remedy="run the command twice")
    dialogues = (each for name in named for each in corpora.load(name))
    return cast("Dialogues", Held(dialogues))


def _drawn(dialogues: Iterable[Dialogue], count: int, seed: int) -> list[Dialogue]:
    """So many of the dialogues, each as likely as the other, in their order (a reservoir)."""
    from ..manipulate.manipulation import seeded

    rng = seeded(seed, "sample")
    kept: dict[int, tuple[int, Dialogue]] = {}
    for number, dialogue in enumerate(dialogues):
        place = number if number < count else rng.randrange(number + 1)
        if place < count:
            kept[place] = number, dialogue
    return [dialogue for _, dialogue in sorted(kept.values(), key=lambda it: it[0])]


def _pool(
    dialogues: Iterable[Dialogue], seed: int, model: str | None, translator: str | None
) -> "Pool":
    from ..manipulate.pool import Pool

    reply = _reply(model) if model else None
    translate = _translate(translator) if translator else None
    return Pool(_drawn(dialogues, POOL, seed), reply=reply, translate=translate)


def _reply(model: str) -> "Reply":
    from ..train import require_extra

    require_extra()
    from ..train.causal import load

    return load(model).reply


def _translate(translator: str) -> "Translate":
    if translator == "apertium":
        from ..manipulate.translation import apertium

        return apertium()
    there, comma, back = translator.partition(",")
    if not comma:
        raise InputError("a translator is apertium, or two models: --translator THERE,BACK")
    from ..train import require_extra

    require_extra()
    from ..train.translating import load

    return load(there, back)


def _counted(dialogues: Iterable[Dialogue], step: Callable[[], None]) -> Iterator[Dialogue]:
    for dialogue in dialogues:
        step()
        yield dialogue


def _account(counts: "Counts", quiet: bool) -> None:
    """Say what was asked, what applied, and why the rest did not."""
    from . import views
    from .edit_views import counts as counted

    if quiet:
        return
    rows: list[dict[str, object]] = [
        {
            "manipulation": it.name,
            "asked": it.asked,
            "applied": it.applied,
            "not": "; ".join(f"{why} ({times:,})" for why, times in it.refused.items()) or "–",
        }
        for it in counted(counts.tally)
    ]
    if rows:
        err().print(views.records(rows))
    for cause, times in counts.causes.most_common():
        remark(f"{times:,} contrasts by {cause}")
    if counts.without:
        remark(f"{counts.without:,} of {counts.dialogues:,} dialogues: nothing applied")


def _list(json: bool | None) -> None:
    from ..manipulate import catalogue
    from ..manipulate.mixtures import mixture, mixtures
    from . import views

    found = [catalogue.find(name) for name in catalogue.names()]
    found += [mixture(name).manipulation for name in mixtures()]
    rows = [
        {"name": it.name, "paper": it.source, "expect": it.expect, "about": it.about}
        for it in found
    ]
    if wants_table(json):
        out().print(views.records(rows))
    else:
        for row in rows:
            emit(row)
