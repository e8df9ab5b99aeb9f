"""Files are what was published: verified where they lie, downloaded only when asked, whole or not.

Downloads are tested against a real HTTP server in a thread.
"""

import csv
import gzip
import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from dialogauge import corpora
from dialogauge.corpora.files import GITHUB, table
from dialogauge.errors import DataError, OutputError

FED = table()["human/fed/fed_data.json"]
TRAIN = table()["dialogues/topicalchat/deam_train_part.txt.gz"]


class Publisher(ThreadingHTTPServer):
    """Serves ``content`` by path; a path in ``broken`` ends after half of what it announced."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.content: dict[str, bytes] = {}
        self.broken: set[str] = set()
        self.asked: list[str] = []

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/"

    def publish(self, name: str, content: bytes) -> None:
        self.content[table()[name].url("")[len(GITHUB) :]] = content


class Answer(BaseHTTPRequestHandler):
    server: Publisher

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        content = self.server.content.get(self.path)
        if content is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        half = self.path in self.server.broken
        self.wfile.write(content[: len(content) // 2] if half else content)

    def log_message(self, format: str, *args: Any) -> None:
        """Silent."""


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    with Publisher() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, no data folder."""
    monkeypatch.delenv("DIALOGAUGE_DATA", raising=False)
    monkeypatch.delenv("DIALOGAUGE_MIRROR", raising=False)
    monkeypatch.setenv("DIALOGAUGE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def left(folder: Path) -> list[str]:
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


def chat(*messages: str) -> dict[str, Any]:
    """A Topical-Chat conversation as its authors publish it."""
    content = [
        {"message": text, "agent": f"agent_{index % 2 + 1}", "turn_rating": "Good", "sentiment": ""}
        for index, text in enumerate(messages)
    ]
    rating = {"agent_1": "Poor", "agent_2": "Excellent"}
    return {"content": content, "conversation_rating": rating, "config": "A"}


def test_table_agrees_with_the_manifest(data: Path) -> None:
    with (data / "MANIFEST.tsv").open(newline="") as file:
        rows = {
            row["file"]: row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        }
    for name, known in table().items():
        row = rows[name]
        assert (known.sha256, known.form) == (row["sha256"], row["form"])
        assert len(known.commit) == 40
        if known.form == "as published":
            assert known.published_sha256 == known.sha256
        if known.form == "gzipped":
            unpacked = gzip.decompress((data / name).read_bytes())
            assert hashlib.sha256(unpacked).hexdigest() == known.published_sha256
        if known.form in ("as published", "gzipped"):
            assert row["source repository"] == f"github.com/{known.repository}"
            assert row["commit"] == known.commit
            assert known.published
    used = {path for name in corpora.names() for path in corpora.info(name).files}
    assert used <= table().keys()


def test_url_is_at_a_fixed_commit() -> None:
    assert FED.url() == f"{GITHUB}/DSincerity/FED_Replication/{FED.commit}/fed_data.json"


def test_download_is_verified_and_made_once(
    data: Path, publisher: Publisher, cache_folder: Path
) -> None:
    publisher.publish(FED.path, (data / FED.path).read_bytes())
    assert corpora.get("fed-turn", base=publisher.base) == [cache_folder / FED.path]
    assert len(corpora.load("fed-turn")) == 375
    assert corpora.get("fed-dialogue", base=publisher.base) == [cache_folder / FED.path]
    assert len(publisher.asked) == 1
    assert left(cache_folder) == [FED.path]


def test_reading_never_downloads(publisher: Publisher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALOGAUGE_MIRROR", publisher.base)
    with pytest.raises(DataError, match="run: dialogauge corpora get"):
        corpora.load("fed-turn")
    assert not publisher.asked


def test_data_folder_comes_first(
    data: Path, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIALOGAUGE_DATA", str(data))
    assert corpora.get("fed-turn", base=publisher.base) == [data / FED.path]
    assert not publisher.asked


def test_unknown_hash_is_recorded_with_a_message(
    data: Path, publisher: Publisher, cache_folder: Path
) -> None:
    for split in ("valid_freq", "valid_rare", "test_freq", "test_rare"):
        name = f"dialogues/topicalchat/{split}.json.gz"
        publisher.publish(name, gzip.decompress((data / name).read_bytes()))
    whole = json.dumps({"t_1": chat("Hi there!", "Hello."), "t_2": chat("Well?")}).encode()
    publisher.publish(TRAIN.path, whole)
    heard: list[str] = []
    corpora.get("topical-chat", base=publisher.base, tell=heard.append)
    sha256 = hashlib.sha256(whole).hexdigest()
    assert len(heard) == 1
    assert sha256 in heard[0]
    record = json.loads((cache_folder / "sha256.json").read_bytes())
    assert record == {"dialogues/topicalchat/train.json": sha256}
    # the published forms are read as the local ones are
    assert [len(one.turns) for one in corpora.load("topical-chat", "train")] == [2, 1]
    assert corpora.load("topical-chat", "train")[0].ratings == {"overall": (1.0, 5.0)}
    assert len(corpora.load("topical-chat", "test_rare")) == 539


def test_recorded_hash_is_held_to(
    data: Path, publisher: Publisher, cache_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    texts, ratings = corpora.info("zhao-dailydialog").files
    published = {"dailydialog-zhao": json.loads((data / ratings).read_bytes()), "other": [1.0]}
    publisher.publish(texts, (data / texts).read_bytes())
    publisher.publish(ratings, json.dumps(published).encode())
    _, path = corpora.get("zhao-dailydialog", base=publisher.base)
    assert "was not known; recorded" in caplog.text
    assert len(corpora.load("zhao-dailydialog")) == 900
    path.write_bytes(json.dumps({"dailydialog-zhao": [1.0] * 900}).encode())
    with pytest.raises(DataError, match="not the file that was published"):
        corpora.load("zhao-dailydialog")
    path.unlink()
    publisher.publish(ratings, b"{}")
    with pytest.raises(DataError, match="not the file that was published"):
        corpora.get("zhao-dailydialog", base=publisher.base)
    assert left(cache_folder) == [texts, "sha256.json"]


@pytest.mark.parametrize("wrong", [b"", b"<html>moved</html>"])
def test_mismatch_is_an_error_and_leaves_nothing(
    publisher: Publisher, cache_folder: Path, wrong: bytes
) -> None:
    publisher.publish(FED.path, wrong)
    with pytest.raises(DataError, match="not the file that was published"):
        corpora.get("fed-turn", base=publisher.base)
    assert left(cache_folder) == []


def test_missing_file_at_the_publisher(publisher: Publisher, cache_folder: Path) -> None:
    with pytest.raises(DataError, match=r"cannot be downloaded.*404"):
        corpora.get("fed-turn", base=publisher.base)
    assert left(cache_folder) == []


def test_interrupted_download_leaves_nothing(publisher: Publisher, cache_folder: Path) -> None:
    train = json.dumps({"t_1": chat("Hi!", "Hello.")}).encode()
    publisher.publish(TRAIN.path, train * 1000)
    for split in ("valid_freq", "valid_rare", "test_freq", "test_rare"):
        publisher.publish(f"dialogues/topicalchat/{split}.json.gz", b"")
    publisher.broken = set(publisher.content)
    with pytest.raises(DataError, match="cannot be downloaded"):  # its hash is not known
        corpora.get("topical-chat", base=publisher.base)
    assert left(cache_folder) == []


def test_no_server(publisher: Publisher, cache_folder: Path) -> None:
    with pytest.raises(DataError, match="cannot be downloaded"):
        corpora.get("fed-turn", base="http://127.0.0.1:9/")
    with pytest.raises(DataError, match="cannot be downloaded"):
        corpora.get("fed-turn", base="nonsense")
    assert left(cache_folder) == []


def test_local_only_corpora_say_so_before_any_download(publisher: Publisher) -> None:
    for name in ("cmu-dog", "personachat", "self-dialogue", "schema-guided"):
        with pytest.raises(DataError, match="cannot be downloaded"):
            corpora.get(name, base=publisher.base)
    assert not publisher.asked


def test_cache_that_cannot_be_written(data: Path, publisher: Publisher, cache_folder: Path) -> None:
    cache_folder.write_text("a file, not a folder")
    publisher.publish(FED.path, (data / FED.path).read_bytes())
    with pytest.raises(OutputError):
        corpora.get("fed-turn", base=publisher.base)


def test_changed_local_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / FED.path
    path.parent.mkdir(parents=True)
    path.write_text("[]")
    monkeypatch.setenv("DIALOGAUGE_DATA", str(tmp_path))
    with pytest.raises(DataError, match=r"fed_data\.json: not the file that was published"):
        corpora.load("fed-turn")


def test_published_name_in_the_data_folder_is_read(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "dialogues/topicalchat/test_freq.json"
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_bytes(gzip.decompress((data / f"{name}.gz").read_bytes()))
    monkeypatch.setenv("DIALOGAUGE_DATA", str(tmp_path))
    assert len(corpora.load("topical-chat", "test_freq")) == 539


def test_a_file_is_hashed_once_until_it_changes(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / FED.path
    path.parent.mkdir(parents=True)
    path.write_bytes((data / FED.path).read_bytes())
    monkeypatch.setenv("DIALOGAUGE_DATA", str(tmp_path))
    hashed: list[Any] = []
    real = hashlib.file_digest

    def counted(file: Any, name: str) -> Any:
        hashed.append(name)
        return real(file, name)

    monkeypatch.setattr(hashlib, "file_digest", counted)
    corpora.load("fed-turn")
    corpora.load("fed-dialogue")
    assert len(hashed) == 1
    path.write_bytes(b"[]")
    with pytest.raises(DataError):
        corpora.load("fed-turn")
    assert len(hashed) == 2


def test_broken_record_of_hashes(data: Path, publisher: Publisher, cache_folder: Path) -> None:
    cache_folder.mkdir()
    (cache_folder / "sha256.json").write_text("{")
    publisher.publish(TRAIN.path, b"{}")
    with pytest.raises(DataError, match=r"sha256\.json"):
        corpora.get("topical-chat", base=publisher.base)
