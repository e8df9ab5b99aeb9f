"""The files of the corpora: where they lie, whether they are what was published, how to get them.

A file has a *published* form (a path in a repository at a fixed commit, so its URL never changes)
and may have a *local* form of another name and hash: gzipped, merged from many files, cut,
filtered. Both are read; ``files.tsv`` beside this module lists them, one row per file::

    file   sha256   form   repository   commit   published   published sha256

``-`` in *published* means that there is no single file to download: local only. ``-`` in the last
column means that the hash is not known yet; it is recorded at the first download, in
``sha256.json`` in the cache, and from then on a different file is an error.

Looked at in this order: the folder ``DIALOGAUGE_DATA``, then the cache (``DIALOGAUGE_CACHE``, else
the user's cache folder). Reading never touches the network; only :func:`download` does.
"""

import hashlib
import logging
import os
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files as resources
from pathlib import Path, PurePosixPath
from urllib.parse import quote

import msgspec

from ..atomic import reporting, write_json
from ..errors import DataError

#: Raw files of a repository at a commit; ``DIALOGAUGE_MIRROR`` names another place.
GITHUB = "https://raw.githubusercontent.com"

Tell = Callable[[str], None]


class File(msgspec.Struct, frozen=True):
    """One row of ``files.tsv``; empty strings where it says ``-``."""

    path: str
    sha256: str
    form: str
    repository: str
    commit: str
    published: str
    published_sha256: str

    @property
    def published_path(self) -> str:
        """Where the published form lies in a data folder: beside the local one.

        >>> table()["dialogues/topicalchat/test_freq.json.gz"].published_path
        'dialogues/topicalchat/test_freq.json'
        """
        return str(PurePosixPath(self.path).with_name(PurePosixPath(self.published).name))

    @property
    def forms(self) -> Iterator[tuple[str, str]]:
        """(path, sha256) of each form, the published one first because it is the whole one."""
        if self.published:
            yield self.published_path, self.published_sha256
        yield self.path, self.sha256

    def url(self, base: str = "") -> str:
        """Where to download the published form."""
        base = base or os.environ.get("DIALOGAUGE_MIRROR") or GITHUB
        return f"{base.rstrip('/')}/{self.repository}/{self.commit}/{quote(self.published)}"


@cache
def table() -> dict[str, File]:
    """Every file we know, by its path in a data folder."""
    text = (resources(__package__) / "files.tsv").read_text("utf-8")
    rows = (line.split("\t") for line in text.splitlines()[1:])
    return {row[0]: File(*("" if cell == "-" else cell for cell in row)) for row in rows}


def find(file: File) -> Path | None:
    """The file in either form, not yet verified; None where it is absent."""
    for root in _roots():
        for path, _ in file.forms:
            if (root / path).is_file():
                return root / path
    return None


def verify(file: File, path: Path) -> Path:
    """The path, once its content is known to be what was published; :class:`DataError` if not."""
    sha256 = dict(file.forms)
    relative = next(name for name in sha256 if path.as_posix().endswith(f"/{name}"))
    expected = sha256[relative]
    if not expected and path == cache_folder() / relative:  # the user's own files have no record
        expected = _record().get(relative, "")
    actual = _digest(path)
    if expected and actual != expected:
        raise DataError(
            f"{path}: not the file that was published (sha256 {actual[:12]}…, expected "
            f"{expected[:12]}…); remove it and get it again"
        )
    return path


def download(file: File, base: str = "", tell: Tell | None = None) -> Path:
    """The published form in the cache, downloaded if it is not there whole and verified.

    A download is written beside its place and renamed into it after its hash was checked, so
    that an interrupted or wrong one leaves nothing behind.
    """
    path = cache_folder() / file.published_path
    sha256 = file.published_sha256 or _record().get(file.published_path, "")
    with reporting(path):
        _fetch(file.url(base), path, sha256)
    if not sha256:
        _remember(file.published_path, _digest(path), tell or logging.getLogger(__name__).warning)
    return path


def _fetch(url: str, path: Path, sha256: str) -> None:
    import pooch
    from requests.exceptions import RequestException

    pooch.get_logger().setLevel(logging.WARNING)
    try:
        pooch.retrieve(
            url,
            known_hash=f"sha256:{sha256}" if sha256 else None,
            fname=path.name,
            path=path.parent,
            downloader=pooch.HTTPDownloader(progressbar=False),
        )
    except RequestException as error:
        raise DataError(f"{url}: cannot be downloaded: {error}") from None
    except ValueError as error:
        raise DataError(f"{url}: not the file that was published: {error}") from None


def cache_folder() -> Path:
    """Where downloads are kept."""
    if folder := os.environ.get("DIALOGAUGE_CACHE"):
        return Path(folder)
    import pooch

    return Path(pooch.os_cache("dialogauge")) / "corpora"


def _roots() -> Iterator[Path]:
    """The data folder, then the cache; lazily, since the second costs an import."""
    if folder := os.environ.get("DIALOGAUGE_DATA"):
        if not Path(folder).is_dir():
            raise DataError(f"DIALOGAUGE_DATA is {folder!r}, which is not a folder")
        yield Path(folder)
    yield cache_folder()


def _record() -> dict[str, str]:
    """The hashes that were unknown until a first download."""
    path = cache_folder() / "sha256.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.MsgspecError) as error:
        raise DataError(f"{path}: not a record of hashes: {error}; remove it") from None


def _remember(relative: str, sha256: str, tell: Tell) -> None:
    record = cache_folder() / "sha256.json"
    write_json(record, {**_record(), relative: sha256})
    tell(f"{relative}: its sha256 was not known; recorded {sha256} in {record}")


def _digest(path: Path) -> str:
    try:
        state = path.stat()
        return _sha256(path, state.st_size, state.st_mtime_ns)
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None


@cache
def _sha256(path: Path, size: int, modified: int) -> str:
    """Of a file in this state: no file is hashed twice in one process unless it changed."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
