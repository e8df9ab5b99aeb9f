"""A published file from the hub, by its name and hash, because the user typed that name.

A download that breaks off leaves its beginning, and the same command goes on from there. An answer
that is not of the file's known size is refused before a byte of it is kept, and nothing is used
before its hash was checked; a beginning that turns out to be another file's is fetched again.
``HF_ENDPOINT`` names a mirror, as it does for other programs.
"""

import os
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from .. import atomic, models
from ..errors import ModelError, OutputError

#: The hub, unless ``HF_ENDPOINT`` names another.
_HUB = "https://huggingface.co"
_SCHEMES = ("https", "http")
_CHUNK = 1 << 18
_TIMEOUT = 60  # seconds without a byte
_CANNOT_GO_ON = 416  # what a server answers that does not have the bytes from there on
_ELSEWHERE = "name a folder that has it with --from"


def download(source: models.Source, path: Path, advance: Callable[[int], None]) -> Path:
    """The published file at ``path``; ``advance`` hears how many bytes are there."""
    url = _url(source)
    if path.is_symlink():
        raise OutputError(f"{path}: a link, where a download would be written: remove it")
    with atomic.reporting(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            atomic.lock(file, path)
            if file.tell() > source.bytes:
                _empty(file)
            resumed = _complete(url, file, path, source, advance)
            if resumed and models.digest(path) != source.sha256:
                _empty(file)
                _complete(url, file, path, source, advance)
    if models.digest(path) != source.sha256:
        path.unlink()
        problem = "not the published file (its sha256 is another); nothing was kept"
        raise ModelError(f"{url}: {problem} ({_ELSEWHERE})")
    return path


def _url(source: models.Source) -> str:
    base = os.environ.get("HF_ENDPOINT") or _HUB
    try:
        known = urlsplit(base).scheme in _SCHEMES
    except ValueError:  # half an IPv6 address
        known = False
    if not known:
        raise ModelError(f"HF_ENDPOINT is {base!r}: not an https address")
    return f"{base.rstrip('/')}/{source.repository}/resolve/{source.revision}/model.safetensors"


def _complete(
    url: str, file: IO[bytes], path: Path, source: models.Source, advance: Callable[[int], None]
) -> bool:
    """Append what is missing; whether something was there already."""
    try:
        began = file.tell()
        if began < source.bytes:
            began = _receive(url, file, source.bytes, advance)
        problem: object = "the connection was closed" if file.tell() < source.bytes else ""
    except HTTPError as error:
        error.close()
        answer = " ".join(str(error).split())
        raise ModelError(f"{url}: cannot be downloaded: {answer} ({_ELSEWHERE})") from None
    except (OSError, HTTPException, ValueError) as error:
        problem = error
    atomic.sync(file)
    if not problem:
        return began > 0
    there = f"{file.tell() / 1e6:,.0f} of {source.bytes / 1e6:,.0f} MB are in {path}"
    remedy = f"the same command goes on from there; remove it to begin again; or {_ELSEWHERE}"
    raise ModelError(f"{url}: cannot be downloaded: {problem}; {there} ({remedy})")


def _receive(url: str, file: IO[bytes], size: int, advance: Callable[[int], None]) -> int:
    """Append what comes, and tell behind how many bytes; all comes if no rest can be had."""
    with _answer(url, file.tell()) as response:
        began = file.tell() if response.status == 206 else 0
        if (total := _total(response, began)) not in (size, None):
            problem = f"the answer is of {total:,} bytes, and the published file of {size:,}"
            raise ModelError(f"{url}: {problem}; nothing of it was kept ({_ELSEWHERE})")
        if not began:
            _empty(file)
        advance(began)
        while chunk := response.read(min(_CHUNK, size - file.tell())):
            file.write(chunk)
            advance(file.tell())
    return began


def _answer(url: str, at: int) -> Any:
    """The server's answer, with the bytes from there on or else with all of them."""
    opener = build_opener(_Redirects)
    if at:
        request = Request(url, headers={"Range": f"bytes={at}-"})  # noqa: S310 (_url checks)
        try:
            response = opener.open(request, timeout=_TIMEOUT)
            if response.status != 206 or _range(response).startswith(f"{at}-"):
                return response
            response.close()  # other bytes than those that were asked for
        except HTTPError as error:
            if error.code != _CANNOT_GO_ON:
                raise
            error.close()
    return opener.open(url, timeout=_TIMEOUT)


def _range(response: Any) -> str:
    """Which bytes come, as in ``10-99/100``."""
    return str(response.headers.get("Content-Range", "")).removeprefix("bytes ")


def _total(response: Any, began: int) -> int | None:
    """The size of the whole file as an answer tells it; None if it does not."""
    told = _range(response).rpartition("/")[2] if began else response.headers.get("Content-Length")
    return int(told) if told and told.isdecimal() else None


class _Redirects(HTTPRedirectHandler):
    """Follows to other web addresses, and not to ftp, which urllib would do."""

    def redirect_request(
        self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        """The request for the new address."""
        if urlsplit(newurl).scheme not in _SCHEMES:
            raise HTTPError(newurl, code, "redirected to what is no web address", headers, fp)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _empty(file: IO[bytes]) -> None:
    file.seek(0)
    file.truncate()
