"""Downloads from a server on this computer: whole, cut, wrong and missing files; never the web."""

import hashlib
import http.server
import io
import os
import re
import time
import zipfile

import pytest

from examiner.errors import UserError
from examiner.files import held
from nextword.corpora import cache, downloads, fetching
from nextword.corpora.fetching import Download
from tests.local_server import serving, use_an_empty_cache

TEXT = "To be, or not to be: that is the question.\n" * 5_000
BODY = TEXT.encode()


def zipped(member, content):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member, content)
    return file.getvalue()


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves `server.files`: each path has its list of answers, and the last one is repeated."""

    def do_GET(self):
        self.server.asked.append(self.path)
        answers = self.server.files.get(self.path, [404])
        answer = answers[min(self.server.asked.count(self.path), len(answers)) - 1]
        if isinstance(answer, int):
            self.send_error(answer)
            return
        body, sent = answer
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:sent])

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    with serving(Handler) as found:
        found.files, found.asked = {}, []
        yield found


@pytest.fixture
def play(server, monkeypatch, tmp_path):
    """A download named `play` from this computer's server, and an empty cache folder."""
    use_an_empty_cache(monkeypatch, tmp_path)
    server.files["/play.txt"] = [(BODY, None)]
    entry = Download(
        title="A play: for tests",
        url=f"http://127.0.0.1:{server.server_port}/play.txt",
        home="nowhere",
        licence="none",
        n_bytes=len(BODY),
        sha256=hashlib.sha256(BODY).hexdigest(),
    )
    monkeypatch.setitem(downloads.DOWNLOADS, "play", entry)
    return entry


def kept(tmp_path):
    return [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_file_is_fetched_once(play, server, tmp_path):
    path = downloads.fetch("play", progress=False)
    assert path.read_bytes() == BODY
    assert downloads.fetch("play", progress=False) == path
    assert downloads.read("play") == TEXT
    assert server.asked == ["/play.txt"]
    assert kept(tmp_path) == [path]


def test_a_progress_bar_shows_the_title_and_reaches_the_end(play, capsys):
    downloads.fetch("play")
    shown = capsys.readouterr()
    assert "A play" in shown.err
    assert "215.0/215.0 kB" in shown.err
    assert shown.out == ""


def test_a_missing_file_names_the_servers_answer(play, server, tmp_path):
    server.files.clear()
    with pytest.raises(UserError, match=r"play\.txt answered with error 404\. Try again, or fetch"):
        downloads.fetch("play", progress=False)
    assert kept(tmp_path) == []


def test_without_a_connection_it_says_where_to_put_the_file(play, monkeypatch, server, tmp_path):
    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as closed:
        port = closed.server_port
    url = f"http://127.0.0.1:{port}/play.txt"
    gone = Download("A play", url, "", "", len(BODY), play.sha256)
    monkeypatch.setitem(downloads.DOWNLOADS, "play", gone)
    with pytest.raises(UserError, match=r"cannot be reached; is this computer online\?") as caught:
        downloads.fetch("play", progress=False)
    path = tmp_path / "downloads" / "play" / "play.txt"
    assert str(caught.value).endswith(f"sha256 {play.sha256}) and put it at {path}")
    path.write_bytes(BODY)  # what the message said
    assert downloads.fetch("play") == path


def test_another_file_than_expected_is_not_kept(play, server, tmp_path):
    server.files["/play.txt"] = [(BODY[:-1] + b"!", None)]
    with pytest.raises(UserError, match=r"sent another file than expected \(its sha256 is not"):
        downloads.fetch("play", progress=False)
    assert kept(tmp_path) == []


def test_a_file_of_the_user_is_never_changed(play, server, tmp_path):
    path = tmp_path / "downloads" / "play" / "play.txt"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"my own notes")
    expected = re.escape(f"{path} is not the expected file") + ".*left as it is: move it away"
    with pytest.raises(UserError, match=expected):
        downloads.fetch("play", progress=False)
    assert path.read_bytes() == b"my own notes"
    assert server.asked == []


def test_a_folder_that_cannot_be_made_is_said(play, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "file"))
    with pytest.raises(
        UserError, match=r"play\.txt cannot be saved: .* name another folder in NEXTWORD_CACHE"
    ):
        downloads.fetch("play", progress=False)


def test_a_part_of_a_zip_is_read_in_place(play, server, monkeypatch, tmp_path):
    body = zipped("folder/words.txt", "å ä ö")
    server.files["/play.txt"] = [(body, None)]
    entry = Download(
        *("A zip", play.url, "", "", len(body), hashlib.sha256(body).hexdigest()),
        parts={"train": "folder/words.txt"},
    )
    monkeypatch.setitem(downloads.DOWNLOADS, "play", entry)
    assert downloads.read("play", "train", progress=False) == "å ä ö"
    assert len(kept(tmp_path)) == 1
    for part in ("dev", None):
        with pytest.raises(UserError, match=f"has no part {part!r}: expected train"):
            downloads.read("play", part)


def test_who_comes_second_waits_for_the_file_and_asks_nobody(tmp_path):
    path = tmp_path / "text.txt"
    with held(tmp_path / ".text.txt.lock", wait=True):
        child = os.fork()
        if not child:
            fetching.transfer(
                Download("a text", "http://127.0.0.1:9/text.txt", "", "", 5, "x"),
                path,
                progress=False,
            )
            os._exit(0)
        time.sleep(0.5)
        assert os.waitpid(child, os.WNOHANG) == (0, 0)  # it waits
        path.write_text("whole")
    assert os.waitpid(child, 0)[1] == 0
    assert [each.name for each in tmp_path.iterdir()] == ["text.txt"]


def test_unknown_names_list_the_known_ones(play):
    with pytest.raises(UserError, match=r"unknown download 'brown': expected one of tinyshakes"):
        downloads.fetch("brown")
    with pytest.raises(UserError, match=r"'play' has no part 'train': expected no part"):
        downloads.read("play", "train")


@pytest.mark.parametrize("name", downloads.DOWNLOADS)
def test_every_download_says_whose_it_is_and_what_its_bytes_are(name):
    entry = downloads.DOWNLOADS[name]
    assert re.fullmatch(r"[0-9a-f]{64}", entry.sha256)
    assert re.match(r"https?://.+/.+\.(txt|tsv|zip)$", entry.url)
    assert entry.n_bytes > 1_000
    assert entry.licence
    assert entry.home.startswith("http")
    assert bool(entry.parts) == entry.url.endswith(".zip")
