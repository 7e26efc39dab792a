"""The page that a server shows where an address leads to none of the book's."""

from __future__ import annotations

import functools
import http.server
import importlib
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.browser import NEEDS_CHROMIUM
from tests.local_server import serving

sys.path.insert(0, str(Path(__file__).parents[2] / "chapters" / "_ext"))
ADDRESS = "https://example.org/book/"
QUERY = "(link) => new URL(link.href).searchParams.get('q')"


class AsPages(http.server.SimpleHTTPRequestHandler):
    """Serves a folder under /book/, and its 404.html where there is no file, as GitHub does."""

    def translate_path(self, path):
        return super().translate_path(path.removeprefix("/book"))

    def send_error(self, code, message=None, explain=None):
        body = self.server.missing.read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def missing():
    pytest.importorskip("sphinx", reason="the book is built with pip install '.[book]'")
    return importlib.import_module("missing_page")


def built(folder, address):
    """What Sphinx hands over when all pages are written."""
    return SimpleNamespace(
        outdir=folder,
        config=SimpleNamespace(
            html_baseurl=address, html_title="Next Word", root_doc="chapters/index"
        ),
        builder=SimpleNamespace(format="html", get_target_uri=lambda page: f"{page}.html"),
    )


def test_it_is_written_only_where_the_book_s_address_is_known(missing, tmp_path):
    missing.write(built(tmp_path, ""), None)
    missing.write(built(tmp_path, ADDRESS), RuntimeError("the build failed"))
    assert list(tmp_path.iterdir()) == []
    missing.write(built(tmp_path, ADDRESS), None)
    html = (tmp_path / missing.NAME).read_text("utf-8")
    assert f'href="{ADDRESS}chapters/index.html"' in html
    assert f'href="{ADDRESS}search.html"' in html


@NEEDS_CHROMIUM
@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("/book/chapters/03-embeddings-old.html", "embeddings old"),
        ("/book/a/b/c/l%C3%A4nge", "länge"),
        ("/book/chapters/404/", None),
        ("/book/%E4", None),  # not UTF-8
    ],
)
def test_it_leads_to_the_book_from_any_depth(missing, asked, words, browser, tmp_path):
    handler = functools.partial(AsPages, directory=tmp_path)
    with serving(handler) as server:
        server.missing = tmp_path / missing.NAME
        address = f"http://127.0.0.1:{server.server_port}/book/"
        missing.write(built(tmp_path, address), None)
        complaints = []
        with browser.new_context(viewport={"width": 320, "height": 600}) as context:
            page = context.new_page()
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.goto(address.removesuffix("/book/") + asked)
            assert page.locator("a").first.get_attribute("href") == f"{address}chapters/index.html"
            assert page.locator("#search").evaluate(QUERY) == words
            assert page.evaluate("document.documentElement.scrollWidth") <= 320
        assert complaints == []
