"""A published file from the hub, by its name and hash, because the user typed that name.

A download that breaks off leaves its beginning, and the same command goes on from there. Whatever
the server sends, no more is kept than the file's known size, and nothing is used before its hash
was checked. ``HF_ENDPOINT`` names a mirror, as it does for other programs.
"""

import os
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from .. import atomic, models
from ..errors import ModelError

#: The hub, unless ``HF_ENDPOINT`` names another.
_HUB = "https://huggingface.co"
_CHUNK = 1 << 18
_TIMEOUT = 60  # seconds without a byte


def download(source: models.Source, path: Path, advance: Callable[[int], None]) -> Path:
    """The published file at ``path``; ``advance`` hears how many bytes are there."""
    url = _url(source)
    with atomic.reporting(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            atomic.lock(file, path)
            if file.tell() > source.bytes:
                _empty(file)
            if file.tell() < source.bytes:
                _receive(url, file, source.bytes, advance)
            atomic.sync(file)
    if models.digest(path) != source.sha256:
        path.unlink()
        raise ModelError(f"{url}: not the published file (its sha256 is another); nothing was kept")
    return path


def _url(source: models.Source) -> str:
    base = os.environ.get("HF_ENDPOINT") or _HUB
    if urlsplit(base).scheme not in ("https", "http"):
        raise ModelError(f"HF_ENDPOINT is {base!r}: not an https address")
    return f"{base.rstrip('/')}/{source.repository}/resolve/main/model.safetensors"


def _receive(url: str, file: IO[bytes], size: int, advance: Callable[[int], None]) -> None:
    """Append what is missing; a server that cannot go on sends all of it again."""
    request = Request(url, headers={"Range": f"bytes={file.tell()}-"} if file.tell() else {})  # noqa: S310
    try:
        with urlopen(request, timeout=_TIMEOUT) as response:  # noqa: S310 (_url checks the scheme)
            if response.status != 206 or not _continues(response, file.tell()):
                _empty(file)
            advance(file.tell())
            while chunk := response.read(min(_CHUNK, size - file.tell())):
                file.write(chunk)
                advance(file.tell())
    except HTTPError as error:
        remedy = "name a folder that has it with --from"
        raise ModelError(f"{url}: cannot be downloaded: {error} ({remedy})") from None
    except (OSError, HTTPException, ValueError) as error:
        raise _broken(url, file.tell(), size, error) from None
    if file.tell() < size:
        raise _broken(url, file.tell(), size, "the connection was closed")


def _empty(file: IO[bytes]) -> None:
    file.seek(0)
    file.truncate()


def _continues(response: Any, at: int) -> bool:
    """Whether what comes is what was asked for: the bytes from there on."""
    return str(response.headers.get("Content-Range", "")).startswith(f"bytes {at}-")


def _broken(url: str, received: int, size: int, problem: object) -> ModelError:
    part = f"{received / 1e6:,.0f} of {size / 1e6:,.0f} MB are here"
    remedy = "the same command goes on from there; or name a folder that has it with --from"
    return ModelError(f"{url}: cannot be downloaded: {problem}; {part} ({remedy})")
