"""A web server on this computer, for tests of downloads. Leaves out what it answers."""

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from nextword.corpora import cache

PROXIES = ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY")


@contextmanager
def serving(
    handler: type[http.server.BaseHTTPRequestHandler],
) -> Iterator[http.server.ThreadingHTTPServer]:
    """A server whose requests a handler answers, as long as the block runs."""
    found = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield found
    finally:
        found.shutdown()
        thread.join()
        found.server_close()


def use_an_empty_cache(monkeypatch: pytest.MonkeyPatch, folder: object) -> None:
    """Let downloads go to a folder of the test's own, and past any proxy."""
    monkeypatch.setenv(cache.VARIABLE, str(folder))
    for variable in PROXIES:
        monkeypatch.delenv(variable, raising=False)
