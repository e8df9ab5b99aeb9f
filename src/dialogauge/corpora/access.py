"""Corpora by name: what there is, reading it, getting it."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..dialogue import Dialogue
from ..errors import DataError, UnknownNameError
from .catalogue import Corpus, corpora, released
from .files import File, Tell, download, find, table, verify
from .reading import Part


def names() -> tuple[str, ...]:
    """Every corpus, benchmarks first."""
    return tuple(corpora())


def info(name: str) -> Corpus:
    """What is known of a corpus.

    >>> info("fed-turn").role, info("fed-turn").items
    ('test', 375)
    """
    if name not in corpora():
        raise UnknownNameError("corpus", name, corpora())
    return corpora()[name]


def held_out() -> tuple[str, ...]:
    """The test and tuning sets whose text no training text may share."""
    judged = (corpus for corpus in corpora().values() if corpus.role != "training")
    return tuple(corpus.name for corpus in judged if not corpus.stock)


def load(name: str, split: str | None = None) -> tuple[Dialogue, ...]:
    """The dialogues of a corpus or of one of its published splits, from verified files.

    Nothing is downloaded: files that are absent raise :class:`DataError`, which says what to run.
    """
    corpus = info(name)
    if split is not None and split not in corpus.splits:
        raise UnknownNameError(f"split of {name}", split, corpus.splits)
    wanted = corpus.splits if split is None else {split: corpus.splits[split]}
    return tuple(
        dialogue
        for part, paths in wanted.items()
        for dialogue in corpus.read(Part(name, locate(paths, name), part))
    )


def locate(paths: Iterable[str], name: str) -> tuple[Path, ...]:
    """The verified files of the corpus ``name``; :class:`DataError` if one is absent."""
    verified = []
    for file in (table()[path] for path in paths):
        if (path := find(file)) is None:
            raise _absent(file, name)
        verified.append(verify(file, path))
    return tuple(verified)


def _absent(file: File, name: str) -> DataError:
    remedy = f"run: dialogauge corpora get {name}"
    if not file.published:
        remedy = (
            f"it cannot be downloaded ({file.form} from github.com/{file.repository}, no such file "
            "is published): set DIALOGAUGE_DATA to a folder that holds it"
        )
    return DataError(f"{name}: {file.path} is not here; {remedy}")


def get(name: str, *, base: str = "", tell: Tell | None = None) -> list[Path]:
    """The files of a corpus or of released scores, downloaded where they are absent.

    ``base`` (or ``DIALOGAUGE_MIRROR``) replaces ``https://raw.githubusercontent.com``; ``tell``
    hears that a hash was recorded. A corpus with a file that is absent and cannot be downloaded
    is refused before anything is fetched.
    """
    wanted = {file: find(file) for file in (table()[path] for path in _files(name))}
    for file, path in wanted.items():
        if path is None and not file.published:
            raise _absent(file, name)
    return [
        download(file, base, tell) if path is None else verify(file, path)
        for file, path in wanted.items()
    ]


def _files(name: str) -> tuple[str, ...]:
    if source := released().get(name):
        return source.metric + source.people
    if name not in corpora():
        raise UnknownNameError("corpus", name, [*corpora(), *released()])
    return corpora()[name].files


def listing() -> Iterator[dict[str, Any]]:
    """One row per corpus, without reading it; ``present`` says that all its files are there."""
    for corpus in corpora().values():
        fields = ("name", "kind", "level", "items", "aspects", "licence", "role")
        row = {field: getattr(corpus, field) for field in fields}
        present = all(find(table()[path]) for path in corpus.files)
        yield {**row, "aspects": len(corpus.aspects), "present": present}
