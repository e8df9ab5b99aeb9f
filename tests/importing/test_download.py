"""A download goes on where it broke off, and nothing but the published file is kept.

Against a real HTTP server in a thread.
"""

import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dialogauge.errors import ModelError, OutputError
from dialogauge.importing.download import download
from dialogauge.models import Source

CONTENT = bytes(range(256)) * 4000
SOURCE = Source("big", "some/model", "MIT", hashlib.sha256(CONTENT).hexdigest(), len(CONTENT))
PATH = "/some/model/resolve/main/model.safetensors"


class Hub(ThreadingHTTPServer):
    """Serves one file; ``limit`` breaks each answer off after so many bytes."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.content, self.limit, self.ranges = CONTENT, len(CONTENT), True
        self.refuses_ranges, self.shift, self.redirect = False, 0, ""
        self.asked: list[tuple[str, str]] = []


class Answer(BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self) -> None:
        asked = self.headers.get("Range", "")
        self.server.asked.append((self.path, asked))
        if self.server.redirect:
            self.send_response(302)
            self.send_header("Location", self.server.redirect)
            self.end_headers()
            return
        if self.path != PATH or (asked and self.server.refuses_ranges):
            self.send_error(416 if asked else 404)
            return
        content, start = self.server.content, 0
        if asked and self.server.ranges:
            start = int(asked.removeprefix("bytes=").removesuffix("-")) + self.server.shift
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        self.wfile.write(content[start:][: self.server.limit])

    def log_message(self, format: str, *args: Any) -> None:
        """Silent."""


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with Hub() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_address[1]}/")
        yield server
        server.shutdown()
        thread.join()


def got(path: Path, source: Source = SOURCE) -> list[int]:
    """Download; how many bytes were there, each time that was told."""
    there: list[int] = []
    assert download(source, path, there.append).read_bytes() == CONTENT
    return there


def test_a_file_arrives_whole(hub: Hub, tmp_path: Path) -> None:
    there = got(tmp_path / "new" / "file")
    assert (there[0], there[-1]) == (0, len(CONTENT))
    assert hub.asked == [(PATH, "")]
    assert got(tmp_path / "new" / "file") == []  # it is there: nothing is asked
    assert len(hub.asked) == 1


def test_a_broken_download_goes_on(hub: Hub, tmp_path: Path) -> None:
    hub.limit = 400_000
    for _ in range(2):
        with pytest.raises(ModelError, match=r"of 1 MB are in .*/file \(the same command goes on"):
            download(SOURCE, tmp_path / "file", lambda _: None)
    assert [asked for _, asked in hub.asked] == ["", "bytes=400000-"]
    assert (tmp_path / "file").read_bytes() == CONTENT[:800_000]
    assert got(tmp_path / "file")[0] == 800_000


def test_a_server_that_cannot_go_on_sends_all_again(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 1000)
    hub.ranges = False
    assert got(tmp_path / "file")[0] == 0


def test_more_than_the_file_is_thrown_away(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * (len(CONTENT) + 1))
    assert got(tmp_path / "file")[0] == 0


def test_a_link_is_not_followed(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "file").symlink_to("precious")
    with pytest.raises(OutputError, match="file: a link, where a download would be written"):
        download(SOURCE, tmp_path / "file", lambda _: None)
    assert (tmp_path / "precious").read_text() == "mine"


@pytest.mark.parametrize("beginning", [b"", CONTENT[:1000]])
@pytest.mark.parametrize("content", [b"<html>please log in</html>" * 200, CONTENT + b"more"])
def test_an_answer_of_another_size_is_refused(
    hub: Hub, tmp_path: Path, beginning: bytes, content: bytes
) -> None:
    hub.content = content
    (tmp_path / "file").write_bytes(beginning)
    with pytest.raises(ModelError, match=r"the answer is of .* bytes, and the published file of 1"):
        download(SOURCE, tmp_path / "file", lambda _: None)
    assert (tmp_path / "file").read_bytes() == beginning


@pytest.mark.parametrize("answer", [{"refuses_ranges": True}, {"shift": 5}])
def test_a_server_that_refuses_to_go_on_is_asked_for_all(
    hub: Hub, tmp_path: Path, answer: dict[str, Any]
) -> None:
    vars(hub).update(answer)
    (tmp_path / "file").write_bytes(CONTENT[:1000])
    assert got(tmp_path / "file")[0] == 0
    assert [asked for _, asked in hub.asked] == ["bytes=1000-", ""]


def test_the_beginning_of_another_file_is_fetched_again(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 1000)
    assert got(tmp_path / "file").count(0) == 1
    (tmp_path / "file").write_bytes(b"x" * len(CONTENT))
    assert got(tmp_path / "file")[0] == 0


@pytest.mark.parametrize("address", ["ftp://127.0.0.1/x", "file:///etc/passwd", PATH])
def test_redirects_lead_to_the_web_or_nowhere(hub: Hub, tmp_path: Path, address: str) -> None:
    hub.redirect = address
    with pytest.raises(ModelError, match=r"cannot be downloaded: HTTP Error 302") as error:
        download(SOURCE, tmp_path / "file", lambda _: None)
    assert "\n" not in str(error.value)


def test_a_revision_is_asked_for(hub: Hub, tmp_path: Path) -> None:
    pinned = msgspec.structs.replace(SOURCE, revision="v1")
    with pytest.raises(ModelError, match="404"):
        download(pinned, tmp_path / "file", lambda _: None)
    assert hub.asked == [(PATH.replace("main", "v1"), "")]


def test_another_file_is_not_kept(hub: Hub, tmp_path: Path) -> None:
    hub.content = CONTENT[::-1]
    with pytest.raises(ModelError, match="not the published file"):
        download(SOURCE, tmp_path / "file", lambda _: None)
    assert not (tmp_path / "file").exists()


def test_no_server_no_file_no_address(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = Source("big", "no/model", "MIT", SOURCE.sha256, SOURCE.bytes)
    with pytest.raises(ModelError, match=r"HTTP Error 404.*--from\)$"):
        download(absent, tmp_path / "file", lambda _: None)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(ModelError, match=r"cannot be downloaded.*refused"):
        download(SOURCE, tmp_path / "file", lambda _: None)
    (tmp_path / "taken").write_text("")
    with pytest.raises(OutputError, match="cannot be written"):
        download(SOURCE, tmp_path / "taken" / "file", lambda _: None)
    for address in ("file:///etc", "http://[::1", "hub"):
        monkeypatch.setenv("HF_ENDPOINT", address)
        with pytest.raises(ModelError, match="not an https address"):
            download(SOURCE, tmp_path / "file", lambda _: None)
    for address in ("http://a b", "http://x:y", "http://"):
        monkeypatch.setenv("HF_ENDPOINT", address)
        with pytest.raises(ModelError, match="cannot be downloaded"):
            download(SOURCE, tmp_path / "file", lambda _: None)
